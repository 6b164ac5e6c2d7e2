//! Documents of one segment, a bit for each.

use tantivy::{DocId, TERMINATED};

/// Documents handed over at once.
const BATCH: usize = 1_024;

pub struct DocumentSet {
    words: Vec<u64>,
    count: u32,
}

impl DocumentSet {
    /// None yet of so many.
    pub fn new(documents: DocId) -> DocumentSet {
        DocumentSet { words: vec![0; documents.div_ceil(64) as usize], count: 0 }
    }

    /// Each document once.
    pub fn add(&mut self, document: DocId) {
        self.words[document as usize / 64] |= 1 << (document % 64);
        self.count += 1;
    }

    pub fn contains(&self, document: DocId) -> bool {
        self.words.get(document as usize / 64).is_some_and(|word| word >> (document % 64) & 1 == 1)
    }

    /// The first at or after `target`.
    pub fn next_from(&self, target: DocId) -> DocId {
        let mut at = target as usize / 64;
        let Some(first) = self.words.get(at) else { return TERMINATED };
        let mut bits = first & (u64::MAX << (target % 64));
        while bits == 0 {
            at += 1;
            let Some(next) = self.words.get(at) else { return TERMINATED };
            bits = *next;
        }
        at as DocId * 64 + bits.trailing_zeros()
    }

    pub fn size(&self) -> u32 {
        self.count
    }

    pub fn bytes(&self) -> usize {
        self.words.len() * size_of::<u64>()
    }

    /// Calls with all of them in order, many at once.
    pub fn in_batches<E>(&self, take: impl FnMut(&[DocId]) -> Result<(), E>) -> Result<(), E> {
        batches(self.words.iter().copied(), take)
    }

    /// Calls with all of the segment's `documents` that are not among them.
    pub fn others_in_batches<E>(&self, documents: DocId, take: impl FnMut(&[DocId]) -> Result<(), E>) -> Result<(), E> {
        let within = |at: usize| match documents as usize - at * 64 {
            rest @ 0..64 => (1 << rest) - 1,
            _ => u64::MAX,
        };
        batches(self.words.iter().enumerate().map(|(at, word)| !word & within(at)), take)
    }
}

fn batches<E>(words: impl Iterator<Item = u64>, mut take: impl FnMut(&[DocId]) -> Result<(), E>) -> Result<(), E> {
    let mut batch = Vec::with_capacity(BATCH + 64);
    for (first, mut bits) in (0..).step_by(64).zip(words) {
        while bits != 0 {
            batch.push(first + bits.trailing_zeros());
            bits &= bits - 1;
        }
        if batch.len() >= BATCH {
            take(&batch)?;
            batch.clear();
        }
    }
    if batch.is_empty() { Ok(()) } else { take(&batch) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(size: DocId, documents: impl IntoIterator<Item = DocId>) -> DocumentSet {
        let mut set = DocumentSet::new(size);
        documents.into_iter().for_each(|document| set.add(document));
        set
    }

    #[test]
    fn a_set_is_walked_in_order_from_anywhere() {
        let documents = [0, 63, 64, 200, 255];
        let set = set(256, documents);
        for target in 0..300 {
            let expected = documents.iter().copied().find(|document| *document >= target).unwrap_or(TERMINATED);
            assert_eq!(set.next_from(target), expected, "{target}");
            assert_eq!(set.contains(target), documents.contains(&target));
        }
        assert_eq!(set.size(), 5);
        assert_eq!(DocumentSet::new(0).next_from(0), TERMINATED);
    }

    #[test]
    fn batches_hold_every_document_or_every_other_one_of_the_segment() {
        for size in [0, 1, 63, 64, 65, 5_000] {
            for step in [1, 2, 7, 6_000] {
                let (expected, others): (Vec<DocId>, Vec<DocId>) = (0..size).partition(|document| document % step == 0);
                let set = set(size, expected.iter().copied());
                let (mut found, mut rest): (Vec<DocId>, Vec<DocId>) = (Vec::new(), Vec::new());
                let collect = |into: &mut Vec<DocId>, batch: &[DocId]| {
                    into.extend(batch);
                    Ok::<(), ()>(())
                };
                set.in_batches(|batch| collect(&mut found, batch)).unwrap();
                set.others_in_batches(size, |batch| collect(&mut rest, batch)).unwrap();
                assert_eq!((found, rest), (expected, others), "{size} {step}");
            }
        }
    }
}
