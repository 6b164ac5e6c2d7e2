//! Finds the first page of a single match without visiting every document of its words.
//!
//! A match that counts words is searched in stages: first the documents with all words as typed, then those with completions and typos, then
//! those with one word less, and so on. No document of a later stage can rank above those of an earlier one, so the search stops when the
//! page is full. The variants of words are looked up only when a stage needs them.

use tantivy::{DocId, SegmentReader, TERMINATED};

use crate::failure::Result;
use crate::plan::{Plan, Ranking, SortKey};

use super::block_max::BlockMaxUnion;
use super::condition::{Conditions, Matched};
use super::context::SearchContext;
use super::counted_words::CountedWords;
use super::document_set::DocumentSet;
use super::exact_text::SegmentExactText;
use super::predicates::Predicates;
use super::query_word::Cost;
use super::term_scorer::{TermScorer, WeightedTerm};
use super::top_k::TopK;

/// If fewer documents satisfy the other conditions, checking each of them is faster.
const CANDIDATES_MIN: u64 = 2_000;

/// With more words, reading all their documents is faster.
const UNION_WORDS_MAX: usize = 8;

/// Larger pages need most of the documents anyway.
const PAGE_END_MAX: usize = 1_000;

/// Number of documents between two checks of the cancel token.
const CHECK_INTERVAL_DOCUMENTS: u32 = 4_096;

/// Whether the plan asks for no more than the first documents by score.
pub fn needs_first_only(plan: &Plan) -> bool {
    let needs_all = plan.total || plan.statistics || plan.facet.is_some() || plan.cutoff > 0.0;
    let has_page = plan.count > 0 && plan.offset + plan.count <= PAGE_END_MAX && plan.after.as_ref().is_none_or(String::is_empty);
    !needs_all && has_page && matches!(plan.order.as_slice(), [SortKey::Score])
}

/// What a ranked search found apart from the hits.
#[derive(Default)]
pub struct Found {
    /// The number of documents visited; 0 only if none matches.
    pub total: u64,
    pub best: f64,
}

/// Collects the documents that may be on the page. Returns `None` if a search of all documents is needed or faster. Then all variants of
/// words have been added.
pub fn search(context: &SearchContext, conditions: &mut Conditions, top_k: &mut TopK) -> Result<Option<Found>> {
    if !conditions.has_single_match() || !has_many_candidates(context, conditions)? {
        conditions.expand(context)?;
        return Ok(None);
    }
    let Some((matched, _)) = conditions.matches.pop() else { return Ok(None) };
    let mut search = RankedSearch { context, conditions, top_k, found: Found::default() };
    let (matched, is_complete) = match matched {
        Matched::Any(weight) => {
            let terms: Vec<&WeightedTerm> = weight.words().iter().collect();
            let union = if weight.is_only_words() { BlockMaxUnion::new(context, &terms)? } else { None };
            let is_complete = union.is_some();
            if let Some(union) = union {
                search.run_union(&union, &terms, |threshold| threshold as f32, |_, sum| f64::from(sum.max(f32::MIN_POSITIVE)))?;
            }
            (Matched::Any(weight), is_complete)
        }
        Matched::Counted(mut words) => {
            let is_complete = words.ranking == Ranking::Words && !words.has_documents();
            if is_complete {
                search.run_stages(&mut words)?;
            }
            (Matched::Counted(words), is_complete)
        }
    };
    let found = search.found;
    conditions.matches.push((matched, true));
    if is_complete {
        return Ok(Some(found));
    }
    conditions.expand(context)?;
    Ok(None)
}

fn has_many_candidates(context: &SearchContext, conditions: &Conditions) -> Result<bool> {
    let visible = context.visible.map_or_else(|| context.searcher.num_docs(), |visible| visible.documents());
    if conditions.required.is_empty() || visible < CANDIDATES_MIN {
        return Ok(visible >= CANDIDATES_MIN);
    }
    let mut candidates = 0;
    for (segment, reader) in context.searcher.segment_readers().iter().enumerate() {
        candidates += u64::from(Predicates::new(conditions, segment, reader)?.size());
    }
    Ok(candidates >= CANDIDATES_MIN)
}

struct RankedSearch<'a, 'b> {
    context: &'a SearchContext<'a>,
    conditions: &'a Conditions,
    top_k: &'a mut TopK<'b>,
    found: Found,
}

/// The documents that earlier stages visited, by segment.
type Visited = Vec<DocumentSet>;

impl RankedSearch<'_, '_> {
    fn run_stages(&mut self, words: &mut CountedWords) -> Result<()> {
        let mut visited: Visited = self.context.searcher.segment_readers().iter().map(|reader| DocumentSet::new(reader.max_doc())).collect();
        let cost_max = words.cost_max();
        for needed in (words.needed..=words.words.len()).rev() {
            for cost in 0..=cost_max {
                if self.is_full(words.scale().limit(needed, cost)) {
                    return Ok(());
                }
                words.expand(self.context, cost)?;
                if cost == 0 || !words.terms_at(cost).is_empty() {
                    self.run_stage(words, needed, cost, &mut visited)?;
                }
            }
        }
        Ok(())
    }

    /// Whether the page is full of documents with at least this score.
    fn is_full(&self, score: f64) -> bool {
        self.top_k.score_threshold() >= score * self.conditions.constant_boost
    }

    fn run_stage(&mut self, words: &CountedWords, needed: usize, cost: Cost, visited: &mut Visited) -> Result<()> {
        if needed == 1 && (cost > 0 || words.words.iter().all(|word| word.whole.is_only_words() || word.whole.is_empty())) {
            let terms = words.terms_at(cost);
            let union = if terms.len() <= UNION_WORDS_MAX { BlockMaxUnion::new(self.context, &terms)? } else { None };
            if let Some(union) = union {
                return self.run_union_stage(words, cost, &union, &terms, visited);
            }
        }
        for (segment, reader) in self.context.searcher.segment_readers().iter().enumerate() {
            self.context.cancel_token.check()?;
            self.top_k.start_segment(segment, reader)?;
            let mut predicates = Predicates::new(self.conditions, segment, reader)?;
            let visited = &mut visited[segment];
            let mut scorer = words.scorer(segment, reader, needed, cost, true)?;
            let mut documents = 0;
            while scorer.doc() != TERMINATED {
                let document = scorer.doc();
                documents += 1;
                if documents % CHECK_INTERVAL_DOCUMENTS == 0 {
                    self.context.cancel_token.check()?;
                }
                if !visited.contains(document) {
                    visited.add(document);
                    let score = f64::from(scorer.score()) * self.conditions.constant_boost;
                    if score >= self.top_k.score_threshold() && predicates.accepts(document) {
                        self.collect(document, score);
                    }
                }
                scorer.advance();
            }
            self.top_k.finish_segment();
        }
        Ok(())
    }

    /// Searches the documents with a single word at exactly this cost. Those that have it at a lower cost too were visited before, or scored
    /// too low.
    fn run_union_stage(
        &mut self,
        words: &CountedWords,
        cost: Cost,
        union: &BlockMaxUnion,
        terms: &[&WeightedTerm],
        visited: &mut Visited,
    ) -> Result<()> {
        let scale = words.scale();
        let gain = scale.word_gain(cost);
        let exact = words.exact.as_ref().filter(|_| gain == scale.full_gain());
        // A document whose whole text is the query has a short text, and so a high sum.
        let exact_sum = exact.map(|exact| exact.lowest_sum(terms));
        let constant_boost = self.conditions.constant_boost;
        let lowest_sum = |threshold: f64| {
            let sum = scale.lowest_sum(gain, threshold / constant_boost);
            exact_sum.map_or(sum, |exact_sum| sum.min(exact_sum.max(scale.lowest_sum(gain + 1, threshold / constant_boost))))
        };
        for (segment, reader) in self.context.searcher.segment_readers().iter().enumerate() {
            let mut exact = exact.map(|exact| exact.for_segment(reader)).transpose()?;
            let visited = &mut visited[segment];
            self.run_union_segment(segment, reader, union, terms, cost == 0, &lowest_sum, &mut |document, sum| {
                if visited.contains(document) {
                    return None;
                }
                visited.add(document);
                let is_exact = exact.as_mut().is_some_and(|exact: &mut SegmentExactText| exact.matches(document));
                Some(f64::from(scale.score(gain, sum, is_exact)))
            })?;
        }
        Ok(())
    }

    fn run_union(
        &mut self,
        union: &BlockMaxUnion,
        terms: &[&WeightedTerm],
        lowest_sum: impl Fn(f64) -> f32,
        score: impl Fn(DocId, f32) -> f64,
    ) -> Result<()> {
        let constant_boost = self.conditions.constant_boost;
        for (segment, reader) in self.context.searcher.segment_readers().iter().enumerate() {
            let lowest_sum = |threshold: f64| lowest_sum(threshold / constant_boost);
            self.run_union_segment(segment, reader, union, terms, true, &lowest_sum, &mut |document, sum| Some(score(document, sum)))?;
        }
        Ok(())
    }

    /// `lowest_sum` returns the lowest BM25 score that reaches a threshold; `score` returns the score of a document, without the constant
    /// boost, or `None` to skip it.
    #[allow(clippy::too_many_arguments)]
    fn run_union_segment(
        &mut self,
        segment: usize,
        reader: &SegmentReader,
        union: &BlockMaxUnion,
        terms: &[&WeightedTerm],
        adds_up: bool,
        lowest_sum: &impl Fn(f64) -> f32,
        score: &mut impl FnMut(DocId, f32) -> Option<f64>,
    ) -> Result<()> {
        self.context.cancel_token.check()?;
        self.top_k.start_segment(segment, reader)?;
        let mut predicates = Predicates::new(self.conditions, segment, reader)?;
        let scorers = terms.iter().map(|term| TermScorer::new(segment, reader, term, true)).collect::<Result<Vec<_>>>()?;
        let mut scorers: Vec<TermScorer> = scorers.into_iter().flatten().collect();
        let mut threshold = lowest_sum(self.top_k.score_threshold());
        union.run(reader, threshold, &mut |document| {
            if !predicates.accepts(document) {
                return threshold;
            }
            let mut sum = 0.0_f32;
            for scorer in &mut scorers {
                scorer.seek(document);
                if scorer.doc() == document {
                    sum = if adds_up { sum + scorer.score() } else { sum.max(scorer.score()) };
                }
            }
            if let Some(score) = score(document, sum) {
                self.collect(document, score * self.conditions.constant_boost);
                threshold = lowest_sum(self.top_k.score_threshold());
            }
            threshold
        })?;
        self.top_k.finish_segment();
        Ok(())
    }

    fn collect(&mut self, document: DocId, score: f64) {
        self.found.total += 1;
        self.found.best = self.found.best.max(score);
        self.top_k.collect(document, score);
    }
}
