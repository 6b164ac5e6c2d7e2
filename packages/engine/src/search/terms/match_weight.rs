//! Finds the documents that have any of several words or phrases, and sums up their BM25 scores.
//!
//! tantivy's own union adds scores in an order that depends on which words it has exhausted. Scores of equal documents could then differ in
//! the last bit, which would decide their rank. Here scores are always added in the order of the terms.

// Over 400 lines: the weight of a match and its two scorers, which compute the same scores to the bit.

use tantivy::query::{Scorer, Weight};
use tantivy::{DocId, DocSet, SegmentReader, TERMINATED};

use crate::failure::Result;
use crate::search::index::context::SearchContext;
use crate::search::text::text_query::TextQuery;

use super::quoted_phrase::QuotedPhrase;
use super::split_phrase::SplitPhrase;
use super::stop_phrase::StopPhrase;
use super::term_scorer::{TermScorer, WeightedTerm};
use super::term_weight::TermWeights;
use super::window::{WINDOW_DOCUMENTS, WINDOW_WORDS, first_present};

/// Words and phrases with their BM25 weights, which count the visible documents of all segments.
pub struct MatchWeight {
    terms: Vec<WeightedTerm>,
    phrases: Vec<QuotedPhrase>,
    stop_phrases: Vec<StopPhrase>,
    /// Phrases that words may be split into.
    split_phrases: Vec<SplitPhrase>,
    /// Documents that match without any of the words.
    documents: Option<Box<dyn Weight>>,
}

impl MatchWeight {
    pub fn new(context: &SearchContext, text_query: &TextQuery) -> Result<MatchWeight> {
        MatchWeight::with_weights(&mut TermWeights::new(context)?, text_query)
    }

    pub fn with_weights(weights: &mut TermWeights, text_query: &TextQuery) -> Result<MatchWeight> {
        let context = weights.context;
        let mut terms = Vec::with_capacity(text_query.terms.len());
        for (term, weight) in &text_query.terms {
            terms.extend(weights.term(term, *weight)?);
        }
        let (mut phrases, mut stop_phrases) = (Vec::new(), Vec::new());
        for (terms, weight) in &text_query.phrases {
            match StopPhrase::new(context, terms, *weight)? {
                Some(phrase) => stop_phrases.push(phrase),
                None => phrases.extend(QuotedPhrase::new(context, terms, *weight)?),
            }
        }
        let mut split_phrases = Vec::new();
        for (terms, weight) in &text_query.splits {
            split_phrases.extend(SplitPhrase::new(context, terms, *weight)?);
        }
        Ok(MatchWeight { terms, phrases, stop_phrases, split_phrases, documents: None })
    }

    /// Adds documents that match whatever words they have. This does not change their scores.
    pub fn add_documents(&mut self, documents: Box<dyn Weight>) {
        self.documents = Some(documents);
    }

    pub fn is_empty(&self) -> bool {
        self.terms.is_empty() && self.has_no_phrases() && self.documents.is_none()
    }

    fn has_no_phrases(&self) -> bool {
        self.phrases.is_empty() && self.stop_phrases.is_empty() && self.split_phrases.is_empty()
    }

    /// Without `scored`, scores are arbitrary numbers above 0.
    pub fn scorer(&self, segment: usize, reader: &SegmentReader, scored: bool) -> Result<MatchScorer> {
        Ok(MatchScorer::new(self.sub_scorers(segment, reader, scored)?, scored))
    }

    /// Returns a scorer for each word and phrase that the segment has.
    pub fn sub_scorers(&self, segment: usize, reader: &SegmentReader, scored: bool) -> Result<Vec<SubScorer>> {
        let mut scorers = Vec::with_capacity(self.terms.len() + self.phrases.len());
        for weighted in &self.terms {
            scorers.extend(TermScorer::new(segment, reader, weighted, scored)?.map(SubScorer::term));
        }
        scorers.extend(self.phrase_scorers(segment, reader, scored)?);
        if let Some(documents) = &self.documents {
            scorers.push(SubScorer::Other(documents.scorer(reader, 0.0)?));
        }
        Ok(scorers)
    }

    fn phrase_scorers(&self, segment: usize, reader: &SegmentReader, scored: bool) -> Result<Vec<SubScorer>> {
        let mut scorers = Vec::with_capacity(self.phrases.len() + self.stop_phrases.len());
        for phrase in &self.phrases {
            scorers.extend(phrase.scorer(segment, reader)?.map(|scorer| SubScorer::Other(Box::new(scorer))));
        }
        for phrase in &self.stop_phrases {
            match phrase {
                StopPhrase::Pair(pair) => scorers.extend(TermScorer::new(segment, reader, pair, scored)?.map(SubScorer::term)),
                StopPhrase::Longer(phrase) => scorers.extend(phrase.scorer(reader)?.map(|scorer| SubScorer::Other(Box::new(scorer)))),
            }
        }
        for phrase in &self.split_phrases {
            scorers.extend(phrase.scorer(segment, reader)?.map(SubScorer::Other));
        }
        Ok(scorers)
    }

    /// Returns the documents of the segment that have any phrase or further form of a word, in ascending order.
    pub fn further_documents(&self, segment: usize, reader: &SegmentReader) -> Result<Vec<DocId>> {
        let mut scorers = self.phrase_scorers(segment, reader, false)?;
        for form in self.terms.iter().filter(|term| !term.has_own_lengths()) {
            scorers.extend(TermScorer::new(segment, reader, form, false)?.map(SubScorer::term));
        }
        let mut documents = Vec::new();
        for mut scorer in scorers {
            scorer.drain(TERMINATED, false, |document, _| documents.push(document));
        }
        documents.sort_unstable();
        documents.dedup();
        Ok(documents)
    }

    /// A score that no document exceeds by its phrases alone, apart from pairs of stop words, which are terms.
    fn phrases_max(&self) -> f32 {
        let has_longer_phrases = self.stop_phrases.iter().any(|phrase| matches!(phrase, StopPhrase::Longer(_)));
        if has_longer_phrases || !(self.phrases.is_empty()) {
            return f32::INFINITY;
        }
        self.split_phrases.iter().map(SplitPhrase::score_max).sum()
    }

    /// Returns a scorer for single documents. Added documents have no score of their own.
    pub fn exact_scorer(&self, segment: usize, reader: &SegmentReader) -> Result<ExactScorer> {
        let terms = self.terms.iter().map(|weighted| TermScorer::new(segment, reader, weighted, true)).collect::<Result<Vec<_>>>()?;
        let terms = terms.into_iter().flatten().map(SubScorer::term);
        Ok(ExactScorer::new(terms.chain(self.phrase_scorers(segment, reader, true)?).collect(), self.phrases_max()))
    }

    /// Returns a scorer for single documents without any phrase or further form.
    pub fn word_scorer(&self, segment: usize, reader: &SegmentReader) -> Result<ExactScorer> {
        let words = self.terms.iter().filter(|term| term.has_own_lengths());
        let terms = words.map(|weighted| TermScorer::new(segment, reader, weighted, true)).collect::<Result<Vec<_>>>()?;
        Ok(ExactScorer::new(terms.into_iter().flatten().map(SubScorer::term).collect(), 0.0))
    }

    /// Whether there are only words: no phrases or added documents.
    pub fn is_only_words(&self) -> bool {
        self.has_no_phrases() && self.has_words_of_its_own()
    }

    /// Whether there are only phrases that words are split into and whose few documents are known.
    pub fn is_only_cached(&self) -> bool {
        let has_phrases = !(self.phrases.is_empty() && self.stop_phrases.is_empty());
        let has_others = has_phrases || !self.terms.is_empty() || self.documents.is_some();
        !has_others && self.split_phrases.iter().all(SplitPhrase::has_few_documents)
    }

    /// Whether there are words, and no added documents. There may be phrases.
    pub fn has_words_of_its_own(&self) -> bool {
        !self.terms.is_empty() && self.documents.is_none()
    }

    /// The phrases, if there are only phrases with words that are no stop words.
    pub fn only_phrases(&self) -> Option<&[QuotedPhrase]> {
        let has_other_phrases = !(self.stop_phrases.is_empty() && self.split_phrases.is_empty());
        let has_others = has_other_phrases || !self.terms.is_empty() || self.documents.is_some();
        (!has_others && !self.phrases.is_empty()).then_some(self.phrases.as_slice())
    }

    /// The words that at least one visible document has.
    pub fn words(&self) -> &[WeightedTerm] {
        &self.terms
    }
}

/// Computes the same scores as a [`MatchScorer`], to the bit, for matches without added documents.
pub struct ExactScorer {
    scorers: Vec<SubScorer>,
    /// The indexes of phrases, then of words with their highest scores, the rarest first.
    by_size: Vec<(usize, f32)>,
    /// A sum of scores that no document exceeds by its phrases.
    phrases_max: f32,
}

/// More than the error of sums in another order.
const ROUNDING: f64 = 1.0 - 1e-4;

impl ExactScorer {
    fn new(scorers: Vec<SubScorer>, phrases_max: f32) -> ExactScorer {
        let mut by_size: Vec<(usize, f32)> = scorers.iter().map(|scorer| scorer.score_max().unwrap_or(0.0)).enumerate().collect();
        by_size.sort_by_key(|(index, highest)| (*highest > 0.0, scorers[*index].size()));
        ExactScorer { scorers, by_size, phrases_max }
    }

    /// Returns the index of the first of some documents, from `index` on, whose score may reach a threshold. The documents must be in ascending
    /// order, and later calls must be for later ones.
    ///
    /// If the phrases and the frequent words together cannot reach the threshold, a document needs one of the rarest words. So this skips all
    /// documents up to the next one of these.
    pub fn find_reaching(&mut self, documents: &[DocId], mut index: usize, threshold: f64) -> Option<usize> {
        let needed = self.needed_words(threshold);
        while let Some(&document) = documents.get(index) {
            if let Some(needed) = needed {
                let mut next = TERMINATED;
                for (place, _) in self.by_size[..needed].iter().filter(|(_, highest)| *highest > 0.0) {
                    self.scorers[*place].seek(document);
                    next = next.min(self.scorers[*place].doc());
                }
                if next > document {
                    index += documents[index..].partition_point(|other| *other < next);
                    continue;
                }
            }
            if self.reaches(document, threshold) {
                return Some(index);
            }
            index += 1;
        }
        None
    }

    /// Returns how many of the first scorers in `by_size` must be looked at, because no document without any of their words reaches the
    /// threshold; `None` if phrases alone may reach it.
    fn needed_words(&self, threshold: f64) -> Option<usize> {
        let mut rest = self.phrases_max;
        let mut needed = self.by_size.len();
        for (_, highest) in self.by_size.iter().rev() {
            rest += highest;
            if f64::from(rest) >= threshold * ROUNDING {
                break;
            }
            needed -= 1;
        }
        (f64::from(self.phrases_max) < threshold * ROUNDING).then_some(needed)
    }

    /// Whether the score of a document may reach a threshold. Documents must be requested in ascending order.
    fn reaches(&mut self, document: DocId, threshold: f64) -> bool {
        let mut bound: f32 = self.by_size.iter().map(|(_, highest)| highest).sum();
        self.by_size.iter().all(|(index, highest)| {
            let scorer = &mut self.scorers[*index];
            scorer.seek(document);
            bound += if scorer.doc() == document { scorer.score() } else { 0.0 } - highest;
            *highest == 0.0 || f64::from(bound) >= threshold * ROUNDING
        })
    }

    /// Returns the score of a document with any of the words or phrases. Documents must be requested in ascending order.
    pub fn score(&mut self, document: DocId) -> f32 {
        self.score_if_found(document).unwrap_or(f32::MIN_POSITIVE)
    }

    /// Returns `None` if the document has none of the words and phrases.
    pub fn score_if_found(&mut self, document: DocId) -> Option<f32> {
        let mut sum = None;
        for scorer in &mut self.scorers {
            scorer.seek(document);
            if scorer.doc() == document {
                sum = Some(sum.unwrap_or(0.0) + scorer.score());
            }
        }
        sum.map(at_least_min_positive)
    }
}

pub fn at_least_min_positive(score: f32) -> f32 {
    score.max(f32::MIN_POSITIVE)
}

/// Finds the documents of one part of a match in one segment.
pub enum SubScorer {
    Term(Box<TermScorer>),
    /// The scorer of a phrase or of added documents.
    Other(Box<dyn Scorer>),
}

impl SubScorer {
    pub fn term(scorer: TermScorer) -> SubScorer {
        SubScorer::Term(Box::new(scorer))
    }

    pub fn doc(&self) -> DocId {
        match self {
            SubScorer::Term(term) => term.doc(),
            SubScorer::Other(scorer) => scorer.doc(),
        }
    }

    pub fn seek(&mut self, target: DocId) {
        match self {
            SubScorer::Term(term) => term.seek(target),
            SubScorer::Other(scorer) if scorer.doc() < target => drop(scorer.seek(target)),
            SubScorer::Other(_) => {}
        }
    }

    pub fn score(&mut self) -> f32 {
        match self {
            SubScorer::Term(term) => term.score(),
            SubScorer::Other(scorer) => scorer.score(),
        }
    }

    /// Returns a score that no document exceeds; `None` for phrases, whose scores have no known limit.
    pub fn score_max(&self) -> Option<f32> {
        match self {
            SubScorer::Term(term) => Some(term.highest_score()),
            SubScorer::Other(_) => None,
        }
    }

    pub fn size(&self) -> u32 {
        match self {
            SubScorer::Term(term) => term.size(),
            SubScorer::Other(scorer) => scorer.size_hint(),
        }
    }

    /// Calls `collect` with each document before `end` and its score, which is arbitrary without `scored`.
    pub fn drain(&mut self, end: DocId, scored: bool, mut collect: impl FnMut(DocId, f32)) {
        match self {
            SubScorer::Term(term) => term.drain(end, collect),
            SubScorer::Other(scorer) => {
                let mut doc = scorer.doc();
                while doc < end {
                    collect(doc, if scored { scorer.score() } else { 1.0 });
                    doc = scorer.advance();
                }
            }
        }
    }
}

pub struct MatchScorer {
    scorers: Vec<SubScorer>,
    start: DocId,
    doc: DocId,
    present: [u64; WINDOW_WORDS],
    /// Empty without scores.
    sums: Box<[f32]>,
}

impl MatchScorer {
    fn new(scorers: Vec<SubScorer>, scored: bool) -> MatchScorer {
        let sums = vec![0.0; if scored { WINDOW_DOCUMENTS as usize } else { 0 }].into_boxed_slice();
        let mut scorer = MatchScorer { scorers, start: 0, doc: 0, present: [0; WINDOW_WORDS], sums };
        scorer.fill();
        scorer
    }

    pub fn doc(&self) -> DocId {
        self.doc
    }

    pub fn size(&self) -> u32 {
        self.scorers.iter().fold(0, |sum, scorer| sum.saturating_add(scorer.size()))
    }

    /// Returns the score of the current document, above 0.
    pub fn score(&self) -> f32 {
        at_least_min_positive(self.sums.get((self.doc - self.start) as usize).copied().unwrap_or(0.0))
    }

    pub fn advance(&mut self) -> DocId {
        if self.doc != TERMINATED {
            self.advance_to_offset(self.doc - self.start + 1);
        }
        self.doc
    }

    /// Calls `process` with the first document of each window, a multiple of 64, the documents that match as bits, and the sums of scores of all
    /// documents of the window, which are 0 where none matches.
    pub fn for_each_window(&mut self, mut process: impl FnMut(DocId, &mut [u64; WINDOW_WORDS], &[f32]) -> Result<()>) -> Result<()> {
        while self.doc != TERMINATED {
            process(self.start, &mut self.present, &self.sums)?;
            self.fill();
        }
        Ok(())
    }

    /// Goes to the first document at or after `target`.
    pub fn seek(&mut self, target: DocId) -> DocId {
        if self.doc >= target {
            return self.doc;
        }
        if target < self.start + WINDOW_DOCUMENTS {
            self.advance_to_offset(target - self.start);
        } else {
            self.scorers.iter_mut().for_each(|scorer| scorer.seek(target));
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

    /// Starts a window at or just before the next document of any scorer, and sums up its scores.
    fn fill(&mut self) {
        let first = self.scorers.iter().map(SubScorer::doc).min().unwrap_or(TERMINATED);
        self.start = first / 64 * 64;
        self.doc = first;
        if first == TERMINATED {
            return;
        }
        let MatchScorer { scorers, present, sums, start, .. } = self;
        let start = *start;
        present.fill(0);
        sums.fill(0.0);
        let scored = !sums.is_empty();
        for scorer in scorers {
            let mut mark = |doc: DocId| {
                let offset = (doc - start) as usize;
                present[offset / 64] |= 1 << (offset % 64);
                offset
            };
            if scored {
                scorer.drain(start + WINDOW_DOCUMENTS, scored, |doc, score| sums[mark(doc)] += score);
            } else {
                scorer.drain(start + WINDOW_DOCUMENTS, scored, |doc, _| {
                    mark(doc);
                });
            }
        }
    }
}
