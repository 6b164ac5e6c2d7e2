//! Finds the documents that have any of several words or phrases, and sums up their BM25 scores.
//!
//! tantivy's own union adds scores in an order that depends on which words it has exhausted. Scores of equal documents could then differ in
//! the last bit, which would decide their rank. Here scores are always added in the order of the terms.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use tantivy::query::{Bm25StatisticsProvider, Bm25Weight, BoostQuery, EnableScoring, PhraseQuery, Query, Scorer, Weight};
use tantivy::schema::Field;
use tantivy::{DocId, DocSet, SegmentReader, TERMINATED, Term};

use crate::failure::Result;

use super::context::SearchContext;
use super::term_scorer::{TermScorer, WeightedTerm};
use super::text_query::{TextQuery, VariantGroup};

/// Number of documents whose scores are summed up together.
const WINDOW_DOCUMENTS: u32 = 2_048;
const WINDOW_WORDS: usize = WINDOW_DOCUMENTS as usize / 64;

/// Words and phrases with their BM25 weights, which count the visible documents of all segments.
pub struct MatchWeight {
    terms: Vec<WeightedTerm>,
    phrases: Vec<Box<dyn Weight>>,
    /// Only the best score of each group counts.
    groups: Vec<Vec<WeightedTerm>>,
    /// Documents that match without any of the words.
    documents: Option<Box<dyn Weight>>,
}

impl MatchWeight {
    pub fn new(context: &SearchContext, text_query: &TextQuery) -> Result<MatchWeight> {
        let documents = context.statistics().total_num_docs()?;
        let mut statistics = Statistics { context, documents, mean_lengths: BTreeMap::new() };
        let mut terms = Vec::with_capacity(text_query.terms.len());
        for (term, weight) in &text_query.terms {
            terms.extend(statistics.term(term, *weight)?);
        }
        let groups = text_query.groups.values().filter(|group| !group.variants.is_empty());
        let groups = groups.map(|group| statistics.group(group)).collect::<Result<_>>()?;
        let scoring = EnableScoring::enabled_from_statistics_provider(context.statistics(), context.searcher);
        let phrases = text_query
            .phrases
            .iter()
            .map(|(terms, weight)| BoostQuery::new(Box::new(PhraseQuery::new_with_offset(terms.clone())), *weight).weight(scoring))
            .collect::<tantivy::Result<_>>()?;
        Ok(MatchWeight { terms, phrases, groups, documents: None })
    }

    /// Adds documents that match whatever words they have. This does not change their scores.
    pub fn add_documents(&mut self, documents: Box<dyn Weight>) {
        self.documents = Some(documents);
    }

    pub fn is_empty(&self) -> bool {
        self.terms.is_empty() && self.phrases.is_empty() && self.groups.is_empty() && self.documents.is_none()
    }

    /// Without `scored`, scores are arbitrary numbers above 0.
    pub fn scorer(&self, segment: usize, reader: &SegmentReader, scored: bool) -> Result<MatchScorer> {
        let mut scorers = Vec::with_capacity(self.terms.len() + self.phrases.len());
        for weighted in &self.terms {
            scorers.extend(TermScorer::new(segment, reader, weighted, scored)?.map(|scorer| SubScorer::Term(Box::new(scorer))));
        }
        for phrase in &self.phrases {
            scorers.push(SubScorer::Other(phrase.scorer(reader, 1.0)?));
        }
        if let Some(documents) = &self.documents {
            scorers.push(SubScorer::Other(documents.scorer(reader, 0.0)?));
        }
        for group in &self.groups {
            let variants = group.iter().map(|weighted| TermScorer::new(segment, reader, weighted, scored)).collect::<Result<Vec<_>>>()?;
            let variants = variants.into_iter().flatten();
            if scored {
                scorers.push(SubScorer::Best(variants.collect()));
            } else {
                scorers.extend(variants.map(|scorer| SubScorer::Term(Box::new(scorer))));
            }
        }
        Ok(MatchScorer::new(scorers, scored))
    }

    /// Whether there are only words: no phrases, variants or added documents.
    pub fn is_only_words(&self) -> bool {
        !self.terms.is_empty() && self.phrases.is_empty() && self.groups.is_empty() && self.documents.is_none()
    }

    /// The words that at least one visible document has.
    pub fn words(&self) -> &[WeightedTerm] {
        &self.terms
    }

    /// Returns a scorer for single documents. It covers only the words.
    pub fn exact_scorer(&self, segment: usize, reader: &SegmentReader) -> Result<ExactScorer> {
        let terms = self.terms.iter().map(|weighted| TermScorer::new(segment, reader, weighted, true)).collect::<Result<Vec<_>>>()?;
        Ok(ExactScorer(terms.into_iter().flatten().collect()))
    }
}

/// Computes the same scores as a [`MatchScorer`], to the bit.
pub struct ExactScorer(Vec<TermScorer>);

impl ExactScorer {
    /// Returns the score of a document with any of the words. Documents must be requested in ascending order.
    pub fn score(&mut self, document: DocId) -> f32 {
        let mut sum = 0.0;
        for term in &mut self.0 {
            term.seek(document);
            if term.doc() == document {
                sum += term.score();
            }
        }
        at_least_min_positive(sum)
    }
}

fn at_least_min_positive(score: f32) -> f32 {
    score.max(f32::MIN_POSITIVE)
}

/// The BM25 statistics of the visible documents.
struct Statistics<'a> {
    context: &'a SearchContext<'a>,
    documents: u64,
    /// Mean number of words by field.
    mean_lengths: BTreeMap<Field, f32>,
}

impl Statistics<'_> {
    /// Returns `None` if no visible document has the term.
    fn term(&mut self, term: &Term, boost: f32) -> Result<Option<WeightedTerm>> {
        let infos = self.context.term_infos(term)?;
        let frequency = match self.context.visible {
            Some(visible) => visible.doc_freq(term)?,
            None => infos.iter().flatten().map(|info| u64::from(info.doc_freq)).sum(),
        };
        if frequency == 0 {
            return Ok(None);
        }
        Ok(Some(WeightedTerm { term: term.clone(), infos, weight: self.weight(term, frequency)?.boost_by(boost) }))
    }

    fn weight(&mut self, term: &Term, frequency: u64) -> Result<Bm25Weight> {
        let length = match self.mean_lengths.get(&term.field()) {
            Some(length) => *length,
            None => {
                let length = self.context.statistics().total_num_tokens(term.field())? as f32 / self.documents as f32;
                self.mean_lengths.insert(term.field(), length);
                length
            }
        };
        Ok(Bm25Weight::for_one_term_without_explain(frequency, self.documents, length))
    }

    /// Weighs the variants of a word.
    ///
    /// All variants count as frequent as the most frequent of the closest ones. Otherwise a rare misspelling would rank above the intended
    /// word. If documents have the word itself, its lowest score in any document limits the scores of the variants. So every document with
    /// the word ranks above those with only a variant.
    fn group(&mut self, group: &VariantGroup) -> Result<Vec<WeightedTerm>> {
        let closest = group.variants.values().map(|variant| variant.distance).min();
        let closest = group.variants.values().filter(|variant| Some(variant.distance) == closest);
        let frequency = closest.map(|variant| variant.frequency).max().unwrap_or(1).min(self.documents);
        let best_weight = group.variants.values().map(|variant| variant.weight).fold(f32::MIN_POSITIVE, f32::max);
        let limit = self.lowest_score(&group.exact)?.map(|lowest| lowest / best_weight / highest_score(frequency, self.documents));
        let mut field_weights: BTreeMap<Field, Bm25Weight> = BTreeMap::new();
        let mut variants = Vec::with_capacity(group.variants.len());
        for (term, variant) in &group.variants {
            let field_weight = match field_weights.entry(term.field()) {
                Entry::Occupied(entry) => entry.into_mut(),
                Entry::Vacant(entry) => entry.insert(self.weight(term, frequency)?),
            };
            let boost = variant.weight * variant.closeness * limit.unwrap_or(1.0);
            variants.push(WeightedTerm { term: term.clone(), infos: self.context.term_infos(term)?, weight: field_weight.boost_by(boost) });
        }
        Ok(variants)
    }

    /// Returns the lowest score of any of the terms in any visible document; `None` if no document has them.
    fn lowest_score(&mut self, terms: &BTreeMap<Term, f32>) -> Result<Option<f32>> {
        let mut lowest: Option<f32> = None;
        for (term, weight) in terms {
            let Some(weighted) = self.term(term, *weight)? else { continue };
            for (segment, reader) in self.context.searcher.segment_readers().iter().enumerate() {
                let visible = self.context.visible.map(|visible| visible.segment(segment));
                if let Some(scorer) = TermScorer::new(segment, reader, &weighted, true)? {
                    scorer.drain_all(|document, score| {
                        if visible.is_none_or(|visible| visible.contains(document)) {
                            lowest = Some(lowest.map_or(score, |lowest| lowest.min(score)));
                        }
                    });
                }
            }
        }
        Ok(lowest)
    }
}

/// The limit of a BM25 score with weight 1, for short texts with many occurrences of the word.
fn highest_score(frequency: u64, documents: u64) -> f32 {
    const K1: f32 = 1.2;
    (1.0 + ((documents - frequency) as f32 + 0.5) / (frequency as f32 + 0.5)).ln() * (1.0 + K1)
}

enum SubScorer {
    Term(Box<TermScorer>),
    /// The scorer of a phrase or of added documents.
    Other(Box<dyn Scorer>),
    /// The best score of several terms.
    Best(Vec<TermScorer>),
}

impl SubScorer {
    fn doc(&self) -> DocId {
        match self {
            SubScorer::Term(term) => term.doc(),
            SubScorer::Other(scorer) => scorer.doc(),
            SubScorer::Best(terms) => terms.iter().map(|term| term.doc()).min().unwrap_or(TERMINATED),
        }
    }

    fn seek(&mut self, target: DocId) {
        match self {
            SubScorer::Term(term) => term.seek(target),
            SubScorer::Other(scorer) if scorer.doc() < target => drop(scorer.seek(target)),
            SubScorer::Other(_) => {}
            SubScorer::Best(terms) => terms.iter_mut().for_each(|term| term.seek(target)),
        }
    }

    fn size(&self) -> u32 {
        match self {
            SubScorer::Term(term) => term.size(),
            SubScorer::Other(scorer) => scorer.size_hint(),
            SubScorer::Best(terms) => terms.iter().fold(0, |sum, term| sum.saturating_add(term.size())),
        }
    }

    /// Calls `collect` with each document before `end` and its score, which is arbitrary without `scored`.
    fn drain(&mut self, end: DocId, scored: bool, mut collect: impl FnMut(DocId, f32)) {
        match self {
            SubScorer::Term(term) => term.drain(end, collect),
            SubScorer::Other(scorer) => {
                let mut doc = scorer.doc();
                while doc < end {
                    collect(doc, if scored { scorer.score() } else { 1.0 });
                    doc = scorer.advance();
                }
            }
            SubScorer::Best(terms) => {
                let start = end - WINDOW_DOCUMENTS;
                let mut best = [0.0_f32; WINDOW_DOCUMENTS as usize];
                for term in terms {
                    term.drain(end, |doc, score| {
                        let best = &mut best[(doc - start) as usize];
                        // A document with the term is found even if its score rounds to 0.
                        *best = best.max(score).max(f32::MIN_POSITIVE);
                    });
                }
                (start..end).zip(best).filter(|(_, score)| *score > 0.0).for_each(|(doc, score)| collect(doc, score));
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
        if offset < WINDOW_DOCUMENTS {
            let mut word = offset as usize / 64;
            let mut bits = self.present[word] & (u64::MAX << (offset % 64));
            loop {
                if bits != 0 {
                    self.doc = self.start + word as u32 * 64 + bits.trailing_zeros();
                    return;
                }
                word += 1;
                if word == WINDOW_WORDS {
                    break;
                }
                bits = self.present[word];
            }
        }
        self.fill();
    }

    /// Starts a window at the next document of any scorer, and sums up its scores.
    fn fill(&mut self) {
        let first = self.scorers.iter().map(SubScorer::doc).min().unwrap_or(TERMINATED);
        self.start = first;
        self.doc = first;
        if first == TERMINATED {
            return;
        }
        let MatchScorer { scorers, present, sums, .. } = self;
        present.fill(0);
        sums.fill(0.0);
        let scored = !sums.is_empty();
        for scorer in scorers {
            let mut mark = |doc: DocId| {
                let offset = (doc - first) as usize;
                present[offset / 64] |= 1 << (offset % 64);
                offset
            };
            if scored {
                scorer.drain(first + WINDOW_DOCUMENTS, scored, |doc, score| sums[mark(doc)] += score);
            } else {
                scorer.drain(first + WINDOW_DOCUMENTS, scored, |doc, _| {
                    mark(doc);
                });
            }
        }
    }
}
