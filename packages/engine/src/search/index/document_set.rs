//! A set of documents of one segment, as a bit set.

use tantivy::{DocId, SegmentReader, TERMINATED};

/// The smallest batch of documents, except for the last one.
const BATCH_DOCUMENTS: usize = 1_024;

#[derive(Clone)]
pub struct DocumentSet {
    words: Vec<u64>,
    count: u32,
}

impl DocumentSet {
    /// Creates an empty set for a segment with this number of documents.
    pub fn new(documents: DocId) -> DocumentSet {
        DocumentSet { words: vec![0; documents.div_ceil(64) as usize], count: 0 }
    }

    /// Creates the set of all documents of a segment that are not deleted.
    pub fn all(reader: &SegmentReader) -> DocumentSet {
        let mut document_set = DocumentSet::new(reader.max_doc());
        if let Some(alive) = reader.alive_bitset() {
            alive.iter_alive().for_each(|document| document_set.add(document));
        } else {
            document_set.words.fill(u64::MAX);
            document_set.count = reader.max_doc();
            if let (Some(last), rest @ 1..) = (document_set.words.last_mut(), reader.max_doc() % 64) {
                *last = (1 << rest) - 1;
            }
        }
        document_set
    }

    /// Adds a document that is not yet in the set.
    pub fn add(&mut self, document: DocId) {
        self.words[document as usize / 64] |= 1 << (document % 64);
        self.count += 1;
    }

    /// Adds a document that may be in the set.
    pub fn insert(&mut self, document: DocId) {
        let word = &mut self.words[document as usize / 64];
        self.count += u32::from(*word >> (document % 64) & 1 == 0);
        *word |= 1 << (document % 64);
    }

    /// Returns the documents that are in another set of the segment too.
    pub fn intersection(mut self, other: &DocumentSet) -> DocumentSet {
        self.count = 0;
        for (word, others) in self.words.iter_mut().zip(&other.words) {
            *word &= others;
            self.count += word.count_ones();
        }
        self
    }

    pub fn contains(&self, document: DocId) -> bool {
        self.words.get(document as usize / 64).is_some_and(|word| word >> (document % 64) & 1 == 1)
    }

    /// Adds documents that are not yet in the set, as bits from `start` on, a multiple of 64.
    pub fn add_words(&mut self, start: DocId, words: &[u64]) {
        for (word, added) in self.words[start as usize / 64..].iter_mut().zip(words) {
            *word |= added;
            self.count += added.count_ones();
        }
    }

    /// Removes the bits of documents that are not in the set. The bits begin at `start`, a multiple of 64.
    pub fn keep_common(&self, start: DocId, words: &mut [u64]) {
        words.iter_mut().zip(&self.words[start as usize / 64..]).for_each(|(word, kept)| *word &= kept);
    }

    /// Returns how many of the documents are in the set.
    pub fn count_among(&self, documents: &[DocId]) -> u32 {
        documents
            .iter()
            .map(|document| self.words.get(*document as usize / 64).map_or(0, |word| (word >> (document % 64)) as u32 & 1))
            .sum()
    }

    /// Returns the first document at or after `target`, or `TERMINATED`.
    pub fn next_at_or_after(&self, target: DocId) -> DocId {
        let mut index = target as usize / 64;
        let Some(first) = self.words.get(index) else { return TERMINATED };
        let mut bits = first & (u64::MAX << (target % 64));
        while bits == 0 {
            index += 1;
            let Some(next) = self.words.get(index) else { return TERMINATED };
            bits = *next;
        }
        index as DocId * 64 + bits.trailing_zeros()
    }

    pub fn size(&self) -> u32 {
        self.count
    }

    pub fn bytes(&self) -> usize {
        self.words.len() * size_of::<u64>()
    }

    /// Calls `process` with all documents, in order and in batches.
    pub fn for_each_batch<E>(&self, process: impl FnMut(&[DocId]) -> Result<(), E>) -> Result<(), E> {
        for_each_batch(self.words.iter().copied(), process)
    }

    /// Calls `process` with the other documents of the segment, which has `documents` in all.
    pub fn for_each_missing_batch<E>(&self, documents: DocId, process: impl FnMut(&[DocId]) -> Result<(), E>) -> Result<(), E> {
        let mask = |index: usize| match documents as usize - index * 64 {
            count @ 0..64 => (1 << count) - 1,
            _ => u64::MAX,
        };
        for_each_batch(self.words.iter().enumerate().map(|(index, word)| !word & mask(index)), process)
    }
}

/// Number of documents that are written at once, whether there are as many or not: this takes less time than a branch for each.
const WRITTEN_DOCUMENTS: usize = 4;

fn for_each_batch<E>(words: impl Iterator<Item = u64>, mut process: impl FnMut(&[DocId]) -> Result<(), E>) -> Result<(), E> {
    let mut batch = [0; BATCH_DOCUMENTS + 64];
    let mut length = 0;
    for (first, mut bits) in (0..).step_by(64).zip(words) {
        if bits == 0 {
            continue;
        }
        let count = bits.count_ones() as usize;
        let (written, _) = batch[length..length + 64].as_chunks_mut::<WRITTEN_DOCUMENTS>();
        for documents in &mut written[..count.div_ceil(WRITTEN_DOCUMENTS)] {
            for document in documents {
                *document = first + bits.trailing_zeros();
                bits &= bits.wrapping_sub(1);
            }
        }
        length += count;
        if length >= BATCH_DOCUMENTS {
            process(&batch[..length])?;
            length = 0;
        }
    }
    if length == 0 { Ok(()) } else { process(&batch[..length]) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn create_set(size: DocId, documents: impl IntoIterator<Item = DocId>) -> DocumentSet {
        let mut document_set = DocumentSet::new(size);
        documents.into_iter().for_each(|document| document_set.add(document));
        document_set
    }

    #[test]
    fn a_set_is_iterated_in_order_from_any_document() {
        let documents = [0, 63, 64, 200, 255];
        let document_set = create_set(256, documents);
        for target in 0..300 {
            let expected = documents.iter().copied().find(|document| *document >= target).unwrap_or(TERMINATED);
            assert_eq!(document_set.next_at_or_after(target), expected, "{target}");
            assert_eq!(document_set.contains(target), documents.contains(&target));
            assert_eq!(document_set.count_among(&[target, 300, 63]), u32::from(documents.contains(&target)) + 1);
        }
        assert_eq!(document_set.size(), 5);
        assert_eq!(DocumentSet::new(0).next_at_or_after(0), TERMINATED);
    }

    #[test]
    fn batches_hold_the_documents_of_the_set_or_the_missing_ones() {
        for size in [0, 1, 63, 64, 65, 5_000] {
            for step in [1, 2, 7, 6_000] {
                let (expected, expected_missing): (Vec<DocId>, Vec<DocId>) = (0..size).partition(|document| document % step == 0);
                let document_set = create_set(size, expected.iter().copied());
                let (mut documents, mut missing): (Vec<DocId>, Vec<DocId>) = (Vec::new(), Vec::new());
                let collect = |target: &mut Vec<DocId>, batch: &[DocId]| {
                    target.extend(batch);
                    Ok::<(), ()>(())
                };
                document_set.for_each_batch(|batch| collect(&mut documents, batch)).unwrap();
                document_set.for_each_missing_batch(size, |batch| collect(&mut missing, batch)).unwrap();
                assert_eq!((documents, missing), (expected, expected_missing), "{size} {step}");
            }
        }
    }
}
