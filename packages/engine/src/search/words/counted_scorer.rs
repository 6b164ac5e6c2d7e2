//! Finds and scores the documents of one segment that have at least some number of words.

use tantivy::{DocId, SegmentReader, TERMINATED};

use crate::failure::Result;
use crate::search::index::document_set::DocumentSet;
use crate::search::terms::match_weight::SubScorer;
use crate::search::terms::term_scorer::TermScorer;
use crate::search::terms::window::{WINDOW_DOCUMENTS, WINDOW_WORDS, first_present};
use crate::typos::Cost;

use super::bonuses::Bonuses;
use super::counted_word::CountedWord;
use super::scale::Scale;

/// The cost of a word that a document does not have.
const ABSENT: Cost = Cost::MAX;

/// Returns scorers for the words that the segment has, at up to this cost.
pub fn word_scorers<'a>(
    words: impl IntoIterator<Item = &'a CountedWord>,
    segment: usize,
    reader: &SegmentReader,
    cost_max: Cost,
    scored: bool,
) -> Result<Vec<WordScorer>> {
    let mut scorers = Vec::new();
    for word in words {
        scorers.extend(WordScorer::new(word, (segment, reader), cost_max, scored, f32::NEG_INFINITY)?);
    }
    Ok(scorers)
}

/// The documents of one word, with the word itself, its synonyms and its variants.
pub struct WordScorer {
    /// The word itself and its synonyms.
    pub word_and_synonyms: Vec<SubScorer>,
    pub variants: Vec<(Cost, SubScorer)>,
}

impl WordScorer {
    /// Leaves out variants that always score below `score_min`. Returns `None` if nothing is left.
    pub fn new(
        word: &CountedWord,
        (segment, reader): (usize, &SegmentReader),
        cost_max: Cost,
        scored: bool,
        score_min: f32,
    ) -> Result<Option<WordScorer>> {
        let word_and_synonyms = word.word_and_synonyms.sub_scorers(segment, reader, scored)?;
        let mut variants = Vec::new();
        for (cost, variant) in word.variants.iter().take_while(|(cost, _)| *cost <= cost_max) {
            if variant.highest_score() >= score_min {
                variants.extend(TermScorer::new(segment, reader, variant, scored)?.map(|scorer| (*cost, SubScorer::term(scorer))));
            }
        }
        for (cost, phrases) in word.phrases.iter().filter(|(cost, _)| *cost <= cost_max) {
            variants.extend(phrases.sub_scorers(segment, reader, scored)?.into_iter().map(|scorer| (*cost, scorer)));
        }
        variants.sort_by_key(|(cost, _)| *cost);
        let is_empty = word_and_synonyms.is_empty() && variants.is_empty();
        Ok((!is_empty).then_some(WordScorer { word_and_synonyms, variants }))
    }

    pub fn doc(&self) -> DocId {
        let first = self.word_and_synonyms.iter().map(SubScorer::doc).min().unwrap_or(TERMINATED);
        self.variants.iter().map(|(_, variant)| variant.doc()).min().unwrap_or(TERMINATED).min(first)
    }

    fn seek(&mut self, target: DocId) {
        self.word_and_synonyms.iter_mut().for_each(|scorer| scorer.seek(target));
        self.variants.iter_mut().for_each(|(_, variant)| variant.seek(target));
    }

    /// Adds all documents, those of one term after those of another.
    pub fn list(self, documents: &mut Vec<DocId>) {
        let variants = self.variants.into_iter().map(|(_, variant)| variant);
        for mut scorer in self.word_and_synonyms.into_iter().chain(variants) {
            scorer.drain(TERMINATED, false, |document, _| documents.push(document));
        }
    }

    pub fn size(&self) -> u32 {
        let size = self.word_and_synonyms.iter().fold(0_u32, |sum, scorer| sum.saturating_add(scorer.size()));
        self.variants.iter().fold(size, |sum, (_, variant)| sum.saturating_add(variant.size()))
    }
}

impl WordScorer {
    /// Returns the documents of the word from here on, in a segment of this size.
    pub fn documents(&mut self, size: DocId) -> DocumentSet {
        let mut documents = DocumentSet::new(size);
        for scorer in self.word_and_synonyms.iter_mut().chain(self.variants.iter_mut().map(|(_, variant)| variant)) {
            scorer.drain(TERMINATED, false, |document, _| documents.insert(document));
        }
        documents
    }
}

/// The costs and scores of one word, for the documents of a window.
struct Column {
    present: [u64; WINDOW_WORDS],
    costs: Box<[Cost]>,
    scores: Box<[f32]>,
}

impl Column {
    fn fill(&mut self, word: &mut WordScorer, start: DocId, scored: bool) {
        let end = start + WINDOW_DOCUMENTS;
        self.present.fill(0);
        let Column { present, costs, scores } = self;
        let mut mark = |doc: DocId| {
            let offset = (doc - start) as usize;
            present[offset / 64] |= 1 << (offset % 64);
            offset
        };
        if !scored {
            word.word_and_synonyms.iter_mut().for_each(|scorer| {
                scorer.drain(end, false, |doc, _| {
                    mark(doc);
                })
            });
            word.variants.iter_mut().for_each(|(_, variant)| {
                variant.drain(end, false, |doc, _| {
                    mark(doc);
                })
            });
            return;
        }
        for scorer in &mut word.word_and_synonyms {
            scorer.drain(end, true, |doc, score| {
                let offset = mark(doc);
                scores[offset] = if costs[offset] == 0 { scores[offset] + score } else { score };
                costs[offset] = 0;
            });
        }
        for (cost, variant) in &mut word.variants {
            variant.drain(end, true, |doc, score| {
                let offset = mark(doc);
                if costs[offset] > *cost || (costs[offset] == *cost && score > scores[offset]) {
                    scores[offset] = score;
                    costs[offset] = *cost;
                }
            });
        }
    }
}

pub struct CountedScorer {
    words: Vec<WordScorer>,
    documents: Option<SubScorer>,
    needed: usize,
    scale: Scale,
    bonuses: Bonuses,
    scored: bool,
    start: DocId,
    doc: DocId,
    present: [u64; WINDOW_WORDS],
    column: Column,
    counts: Box<[u16]>,
    gains: Box<[u32]>,
    sums: Box<[f32]>,
}

impl CountedScorer {
    pub fn new(
        words: Vec<WordScorer>,
        documents: Option<SubScorer>,
        needed: usize,
        scale: Scale,
        bonuses: Bonuses,
        scored: bool,
    ) -> CountedScorer {
        let length = WINDOW_DOCUMENTS as usize;
        let mut scorer = CountedScorer {
            words,
            documents,
            needed: needed.max(1),
            scale,
            bonuses,
            scored,
            start: 0,
            doc: 0,
            present: [0; WINDOW_WORDS],
            column: Column {
                present: [0; WINDOW_WORDS],
                costs: vec![ABSENT; if scored { length } else { 0 }].into(),
                scores: vec![0.0; if scored { length } else { 0 }].into(),
            },
            counts: vec![0; length].into(),
            gains: vec![0; if scored { length } else { 0 }].into(),
            sums: vec![0.0; if scored { length } else { 0 }].into(),
        };
        scorer.fill();
        scorer
    }

    pub fn doc(&self) -> DocId {
        self.doc
    }

    /// An upper limit for the number of documents.
    pub fn size(&self) -> u32 {
        let mut sizes: Vec<u32> = self.words.iter().map(WordScorer::size).collect();
        sizes.sort_unstable();
        // Each document has one of the words except the `needed - 1` most frequent.
        let rarest = (sizes.len() + 1).saturating_sub(self.needed);
        let words = sizes[..rarest].iter().fold(0, |sum: u32, size| sum.saturating_add(*size));
        words.saturating_add(self.documents.as_ref().map_or(0, SubScorer::size))
    }

    /// Returns the score of the current document, above 0. A score below `threshold` may be too low.
    pub fn score(&mut self, threshold: f64) -> f32 {
        let offset = (self.doc - self.start) as usize;
        let Some(gain) = self.gains.get(offset) else { return 1.0 };
        if self.counts[offset] == 0 {
            return f32::MIN_POSITIVE;
        }
        self.bonuses.score(self.scale, self.doc, *gain, self.sums[offset], threshold)
    }

    pub fn advance(&mut self) -> DocId {
        if self.doc != TERMINATED {
            self.advance_to_offset(self.doc - self.start + 1);
        }
        self.doc
    }

    /// Goes to the first document at or after `target`.
    pub fn seek(&mut self, target: DocId) -> DocId {
        if self.doc >= target {
            return self.doc;
        }
        if target < self.start + WINDOW_DOCUMENTS {
            self.advance_to_offset(target - self.start);
        } else {
            self.words.iter_mut().for_each(|word| word.seek(target));
            self.documents.iter_mut().for_each(|documents| documents.seek(target));
            self.fill();
        }
        self.doc
    }

    /// Goes to the first document of the window at or after the offset. If there is none, goes to the next window.
    fn advance_to_offset(&mut self, offset: u32) {
        match first_present(&self.present, self.start, offset) {
            Some(doc) => self.doc = doc,
            None => self.fill(),
        }
    }

    /// Fills windows until one has a document, and goes to its first one.
    fn fill(&mut self) {
        loop {
            self.start = self.next_start();
            self.doc = self.start;
            if self.start == TERMINATED {
                return;
            }
            self.fill_window();
            let first = self.present.iter().position(|word| *word != 0);
            if let Some(word) = first {
                self.doc = self.start + word as u32 * 64 + self.present[word].trailing_zeros();
                return;
            }
        }
    }

    /// Returns a document before which no further document has enough words. Moves all words there.
    fn next_start(&mut self) -> DocId {
        let documents = self.documents.as_ref().map_or(TERMINATED, SubScorer::doc);
        loop {
            let mut docs: Vec<DocId> = self.words.iter().map(WordScorer::doc).collect();
            docs.sort_unstable();
            let start = docs.get(self.needed - 1).copied().unwrap_or(TERMINATED).min(documents);
            if start == TERMINATED || docs.first().is_none_or(|first| *first >= start) {
                return start;
            }
            self.words.iter_mut().filter(|word| word.doc() < start).for_each(|word| word.seek(start));
        }
    }

    /// Intersects the documents of all words.
    fn intersect_window(&mut self) {
        self.present.fill(u64::MAX);
        for word in &mut self.words {
            self.column.fill(word, self.start, false);
            self.present.iter_mut().zip(&self.column.present).for_each(|(all, word)| *all &= word);
        }
    }

    fn fill_window(&mut self) {
        if !self.scored && self.documents.is_none() && self.needed == self.words.len() {
            return self.intersect_window();
        }
        let CountedScorer { words, column, present, counts, gains, sums, scale, .. } = self;
        counts.fill(0);
        gains.fill(0);
        sums.fill(0.0);
        present.fill(0);
        let mut in_window = words.len();
        for word in words.iter_mut() {
            if word.doc() >= self.start + WINDOW_DOCUMENTS {
                in_window -= 1;
                continue;
            }
            column.fill(word, self.start, self.scored);
            for (index, bits) in column.present.iter().enumerate() {
                let mut rest = *bits;
                while rest != 0 {
                    let offset = index * 64 + rest.trailing_zeros() as usize;
                    rest &= rest - 1;
                    counts[offset] += 1;
                    if self.scored {
                        gains[offset] += scale.word_gain(column.costs[offset]);
                        sums[offset] += column.scores[offset];
                        column.costs[offset] = ABSENT;
                    }
                }
                present[index] |= bits;
            }
        }
        if self.needed > 1 {
            for (index, bits) in present.iter_mut().enumerate() {
                let mut rest = if in_window < self.needed { 0 } else { *bits };
                *bits = 0;
                while rest != 0 {
                    let bit = rest.trailing_zeros();
                    rest &= rest - 1;
                    if usize::from(counts[index * 64 + bit as usize]) >= self.needed {
                        *bits |= 1 << bit;
                    }
                }
            }
        }
        if let Some(documents) = &mut self.documents {
            documents.drain(self.start + WINDOW_DOCUMENTS, false, |doc, _| {
                let offset = (doc - self.start) as usize;
                present[offset / 64] |= 1 << (offset % 64);
            });
        }
    }
}
