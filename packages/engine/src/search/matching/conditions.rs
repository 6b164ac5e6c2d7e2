//! The conditions of a plan, compiled for all segments.

use std::sync::Arc;

use tantivy::Searcher;
use tantivy::query::{AllWeight, BooleanWeight, Occur, SumCombiner, Weight};

use crate::failure::Result;
use crate::search::boosts::boost::Boost;
use crate::search::boosts::pinning::Pinning;
use crate::search::index::context::SearchContext;
use crate::search::index::match_set::ScoreList;
use crate::search::index::segment_threads::SegmentThreads;
use crate::search::index::visibility::VisibleDocuments;
use crate::search::terms::match_weight::MatchWeight;
use crate::search::terms::term_scorer::WeightedTerm;
use crate::search::text::text_query::TextQuery;
use crate::search::words::counted_words::CountedWords;
use crate::typos::COST_LIMIT;

/// The conditions that a document must satisfy, and the parts of its score. They do not depend on the order of the nodes.
#[derive(Default)]
pub struct Conditions {
    /// Other documents do not exist for this search.
    pub visible: Option<Arc<VisibleDocuments>>,
    /// The match and similar nodes, and whether their scores count.
    pub matches: Vec<(Matched, bool)>,
    /// The documents of each mix and each nearest node, and whether their scores count.
    pub score_lists: Vec<(ScoreList, bool)>,
    pub required: Vec<Box<dyn Weight>>,
    /// Excluded words and phrases.
    pub excluded: Vec<MatchWeight>,
    /// Excluded documents that are not found by their words.
    pub excluded_weights: Vec<Box<dyn Weight>>,
    pub boosts: Vec<Boost>,
    /// Documents that come first or last, whatever their score.
    pub pinning: Pinning,
    /// Product of the scores that all documents have in common.
    pub constant_boost: f64,
    /// Whether a search of all documents may read whole windows of a match.
    pub visits_windows: bool,
    /// When a search of all documents uses several threads.
    pub segment_threads: SegmentThreads,
    /// Whether no document can satisfy the conditions.
    pub impossible: bool,
    /// The queries of the match nodes that count no words, for highlighting.
    pub text_queries: Vec<TextQuery>,
    /// The words of the match nodes inside mixes, for highlighting.
    pub mixed_words: Vec<CountedWords>,
    /// The words that relaxed matches dropped.
    pub relaxed: Vec<String>,
}

/// The documents that one match or similar node finds.
pub enum Matched {
    Any(MatchWeight),
    Counted(CountedWords),
}

impl Conditions {
    /// Whether the scores of a single match decide the order alone: other conditions keep or drop documents, but do not score.
    pub fn has_single_match(&self) -> bool {
        let has_other_scores = !self.score_lists.is_empty() || !self.boosts.is_empty() || !self.pinning.is_empty();
        matches!(self.matches.as_slice(), [(_, true)]) && !has_other_scores && !self.impossible
    }

    /// Whether every visible document satisfies the conditions, with the same score.
    pub fn accept_all(&self) -> bool {
        let has_scores = !(self.matches.is_empty() && self.score_lists.is_empty() && self.boosts.is_empty() && self.pinning.is_empty());
        self.are_only_visibility() && !has_scores && !self.impossible
    }

    /// Whether there are no conditions apart from the matches and the visibility of documents.
    pub fn are_only_visibility(&self) -> bool {
        self.required.is_empty() && self.excluded.is_empty() && self.excluded_weights.is_empty()
    }

    /// Returns the match of any words, if there are no other conditions apart from the visibility of documents, and no other scores.
    pub fn only_match(&self) -> Option<&MatchWeight> {
        match self.matches.as_slice() {
            [(Matched::Any(weight), true)] if self.has_single_match() && self.are_only_visibility() => Some(weight),
            _ => None,
        }
    }

    /// Estimates how many documents a search of all documents reads.
    pub fn documents_read(&self, searcher: &Searcher) -> u64 {
        let matches = self.matches.iter().map(|(matched, _)| match matched {
            Matched::Any(weight) => weight.words().iter().map(WeightedTerm::frequency).sum(),
            Matched::Counted(words) => words.documents_read(COST_LIMIT),
        });
        matches.min().unwrap_or_else(|| searcher.num_docs())
    }

    /// Adds all variants of words, for a search that does not add them itself.
    pub fn expand(&mut self, context: &SearchContext) -> Result<()> {
        for (matched, _) in &mut self.matches {
            if let Matched::Counted(words) = matched {
                words.expand(context, COST_LIMIT)?;
                self.impossible |= words.is_empty();
            }
        }
        Ok(())
    }

    /// Returns the documents of one filter, range or union, which requires or excludes at most one weight.
    pub fn into_weight(mut self) -> Box<dyn Weight> {
        let required = self.required.pop().unwrap_or_else(|| Box::new(AllWeight));
        let Some(excluded) = self.excluded_weights.pop() else { return required };
        let parts: Vec<(Occur, Box<dyn Weight>)> = vec![(Occur::Must, required), (Occur::MustNot, excluded)];
        Box::new(BooleanWeight::with_minimum_number_should_match(parts, 0, false, Box::new(SumCombiner::default)))
    }

    /// Keeps the texts of a part of a mix, for highlighting.
    pub fn keep_texts(&mut self, mut part: Conditions) {
        self.text_queries.append(&mut part.text_queries);
        self.mixed_words.append(&mut part.mixed_words);
        self.relaxed.append(&mut part.relaxed);
        self.mixed_words.extend(part.matches.into_iter().filter_map(|(matched, _)| match matched {
            Matched::Counted(words) => Some(words),
            Matched::Any(_) => None,
        }));
    }

    /// The words of all scored matches that count words, for highlighting.
    pub fn counted_words(&self) -> impl Iterator<Item = &CountedWords> {
        let own = self.matches.iter().filter_map(|(matched, scores)| match matched {
            Matched::Counted(words) if *scores => Some(words),
            _ => None,
        });
        own.chain(&self.mixed_words)
    }
}
