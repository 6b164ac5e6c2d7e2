//! The inputs of a ranked search and its finds so far, with the steps that its stages share.

use tantivy::{DocId, SegmentReader};

use crate::failure::Result;
use crate::search::index::context::SearchContext;
use crate::search::index::document_set::DocumentSet;
use crate::search::matching::conditions::Conditions;
use crate::search::matching::predicates::Predicates;
use crate::search::words::counted_words::CountedWords;

use super::found::State;
use super::stage::{Stage, lowest_sum};

/// More than the error of a quotient.
const ROUNDING: f64 = 1.0 - 1e-9;

/// Number of documents between two checks of the cancel token.
const CHECK_INTERVAL_DOCUMENTS: u32 = 4_096;

pub struct RankedSearch<'a, 'b> {
    pub context: &'a SearchContext<'a>,
    pub conditions: &'a Conditions,
    pub state: &'a mut State<'b>,
}

impl<'b> RankedSearch<'_, 'b> {
    /// Calls `search` with each segment, for a search that reads about this many documents in all.
    pub fn search_segments(
        &mut self,
        documents: u64,
        search: impl Fn(&mut RankedSearch<'_, 'b>, usize, &SegmentReader) -> Result<()> + Sync,
    ) -> Result<()> {
        let RankedSearch { context, conditions, .. } = *self;
        let search_segment = |state: &mut State<'b>, segment: usize, reader: &SegmentReader| {
            context.cancel_token.check()?;
            state.top_k.start_segment(segment, reader)?;
            search(&mut RankedSearch { context, conditions, state }, segment, reader)?;
            state.top_k.finish_segment();
            Ok(())
        };
        context.fast_paths.segment_threads.run(context.searcher.segment_readers(), documents, self.state, search_segment).map(drop)
    }

    /// Documents with a lower score without the constant boost cannot be among the first.
    pub fn score_threshold(&self) -> f64 {
        self.state.top_k.score_threshold() / self.conditions.constant_boost * ROUNDING
    }

    /// Whether the page is full of documents with at least this score.
    pub fn is_full(&self, score: f64) -> bool {
        self.state.top_k.score_threshold() >= score * self.conditions.constant_boost
    }

    /// Looks up all words in each of the documents, which must be in ascending order.
    pub fn visit(
        &mut self,
        words: &CountedWords,
        stage: Stage,
        (segment, reader): (usize, &SegmentReader),
        documents: impl Iterator<Item = DocId>,
        visited: &mut DocumentSet,
    ) -> Result<()> {
        let mut predicates = Predicates::new(self.conditions, segment, reader)?;
        let lowest_sum = lowest_sum(words, stage);
        let mut scorer = words.document_scorer(segment, reader, stage.cost, lowest_sum(self.score_threshold()))?;
        let (mut count, mut threshold, mut sum_min) = (0, f64::NEG_INFINITY, 0.0);
        for document in documents {
            self.check_cancelled(&mut count)?;
            if threshold < self.score_threshold() {
                threshold = self.score_threshold();
                sum_min = lowest_sum(threshold);
            }
            if !visited.contains(document)
                && predicates.is_shown(document)
                && let Some(score) = scorer.score(document, stage.needed, threshold, sum_min)
            {
                visited.add(document);
                let score = f64::from(score) * self.conditions.constant_boost;
                if score >= self.state.top_k.score_threshold() && predicates.accepts(document) {
                    self.collect(document, score);
                }
            }
        }
        Ok(())
    }

    pub fn check_cancelled(&self, documents: &mut u32) -> Result<()> {
        *documents += 1;
        if documents.is_multiple_of(CHECK_INTERVAL_DOCUMENTS) { self.context.cancel_token.check() } else { Ok(()) }
    }

    pub fn collect(&mut self, document: DocId, score: f64) {
        self.state.found.total += 1;
        self.state.found.best = self.state.found.best.max(score);
        self.state.top_k.collect(document, score);
    }
}
