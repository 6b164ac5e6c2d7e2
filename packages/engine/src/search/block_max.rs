//! Finds the first documents of a text without visiting every match: block-max WAND (Ding and Suel 2011). It applies to plans that search
//! only words, sort by score and do not need the total.
//!
//! tantivy skips documents that cannot reach a threshold. Its score bounds use the mean field length of the segment, but scores use that of
//! the whole index, and it adds in another order. So this module lowers the threshold by the possible difference, and scores the documents
//! again that tantivy finds.

use tantivy::query::{Bm25StatisticsProvider, BooleanQuery, BoostQuery, EnableScoring, Occur, Query, TermQuery, Weight};
use tantivy::schema::{Field, IndexRecordOption};
use tantivy::{DocId, Searcher, SegmentReader, Term};

use crate::failure::Result;
use crate::plan::{Plan, SortKey};

use super::cancel_token::CancelToken;
use super::condition::{Conditions, Matched};
use super::match_weight::MatchWeight;
use super::term_scorer::WeightedTerm;
use super::text_query::TextQuery;

/// The largest relative error from rounding and from the order of sums.
const ROUNDING: f32 = 1e-4;

/// If the words have fewer documents in total, visiting all of them is faster.
const DOCUMENTS_MIN: u64 = 20_000;

/// A word with a lower weight may score 0, and tantivy only finds documents with scores above 0.
const WEIGHT_MIN: f32 = 1e-6;

pub struct BlockMaxSearch<'a> {
    match_weight: &'a MatchWeight,
    text_query: &'a TextQuery,
    union: Box<dyn Weight>,
    constant_boost: f64,
}

impl<'a> BlockMaxSearch<'a> {
    /// Returns `None` if the plan needs every document.
    pub fn new(searcher: &Searcher, plan: &Plan, conditions: &'a Conditions) -> Result<Option<BlockMaxSearch<'a>>> {
        let needs_all = plan.total || plan.statistics || plan.facet.is_some() || plan.cutoff > 0.0 || plan.count == 0;
        let sorts_by_score = matches!(plan.order.as_slice(), [SortKey::Score]);
        let (Some(Matched::Any(match_weight)), [text_query]) = (conditions.single_match(), conditions.text_queries.as_slice()) else {
            return Ok(None);
        };
        let has_filters = conditions.visible.is_some()
            || !(conditions.required.is_empty() && conditions.excluded.is_empty() && conditions.excluded_weights.is_empty());
        let all_terms_score = text_query.terms.values().all(|weight| *weight >= WEIGHT_MIN);
        if needs_all || !sorts_by_score || !all_terms_score || has_filters || !match_weight.is_only_words() {
            return Ok(None);
        }
        if match_weight.words().iter().map(WeightedTerm::frequency).sum::<u64>() < DOCUMENTS_MIN {
            return Ok(None);
        }
        let term = |term: &Term| -> (Occur, Box<dyn Query>) {
            let query = TermQuery::new(term.clone(), IndexRecordOption::WithFreqs);
            (Occur::Should, Box::new(BoostQuery::new(Box::new(query), text_query.terms[term])))
        };
        let words = match_weight.words().iter().map(|word| term(&word.term)).collect();
        // With a minimum of 0 clauses tantivy also prunes a single word; with a minimum of 1 it does not.
        let union = BooleanQuery::with_minimum_required_clauses(words, 0);
        let statistics = CachedStatistics { searcher, match_weight };
        let union = union.weight(EnableScoring::enabled_from_statistics_provider(&statistics, searcher))?;
        Ok(Some(BlockMaxSearch { match_weight, text_query, union, constant_boost: conditions.constant_boost }))
    }

    /// Calls `collect` with all documents of the segment that may be among the first, and perhaps other matches, and their scores.
    /// Documents with scores below `score_threshold` are not among the first; `collect` returns the new threshold.
    pub fn run(
        &self,
        searcher: &Searcher,
        segment: usize,
        reader: &SegmentReader,
        cancel_token: &CancelToken,
        score_threshold: f64,
        collect: &mut impl FnMut(DocId, f64) -> f64,
    ) -> Result<()> {
        cancel_token.check()?;
        let slack = f64::from(self.slack(searcher, reader)? * (1.0 + ROUNDING));
        let with_slack = |score: f64| (score / self.constant_boost / slack) as f32;
        let mut exact_scorer = self.match_weight.exact_scorer(segment, reader)?;
        let alive = reader.alive_bitset();
        let mut threshold = with_slack(score_threshold);
        self.union.for_each_pruning(threshold, reader, &mut |document, _| {
            if alive.is_none_or(|alive| alive.is_alive(document)) {
                threshold = with_slack(collect(document, f64::from(exact_scorer.score(document)) * self.constant_boost));
            }
            threshold
        })?;
        Ok(())
    }

    /// Returns the largest ratio between a score with the mean field lengths of the index and one with those of the segment.
    fn slack(&self, searcher: &Searcher, reader: &SegmentReader) -> Result<f32> {
        let documents = searcher.total_num_docs()? as f32;
        let mut slack = 1.0_f32;
        let mut last: Option<Field> = None;
        // The terms are sorted by field.
        for field in self.text_query.terms.keys().map(Term::field) {
            if last.replace(field) == Some(field) {
                continue;
            }
            let segment_length = reader.inverted_index(field)?.total_num_tokens() as f32 / reader.max_doc() as f32;
            let index_length = searcher.total_num_tokens(field)? as f32 / documents;
            if segment_length > 0.0 && index_length > 0.0 {
                slack = slack.max(segment_length / index_length).max(index_length / segment_length);
            }
        }
        Ok(slack)
    }
}

/// The statistics of the searcher, with the frequencies of the words that were looked up before.
struct CachedStatistics<'a> {
    searcher: &'a Searcher,
    match_weight: &'a MatchWeight,
}

impl Bm25StatisticsProvider for CachedStatistics<'_> {
    fn total_num_tokens(&self, field: Field) -> tantivy::Result<u64> {
        self.searcher.total_num_tokens(field)
    }

    fn total_num_docs(&self) -> tantivy::Result<u64> {
        self.searcher.total_num_docs()
    }

    fn doc_freq(&self, term: &Term) -> tantivy::Result<u64> {
        match self.match_weight.words().iter().find(|word| word.term == *term) {
            Some(word) => Ok(word.frequency()),
            None => self.searcher.doc_freq(term),
        }
    }
}
