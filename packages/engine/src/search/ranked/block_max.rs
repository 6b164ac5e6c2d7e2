//! Finds the documents of a union of words whose scores may reach a threshold, without visiting every match: block-max WAND (Ding and
//! Suel 2011).
//!
//! tantivy skips documents that cannot reach a threshold. Its score bounds use the mean field length of the segment, but scores use that of
//! the visible documents, and it adds in another order. So this module lowers the threshold by the possible difference. The caller scores
//! the documents again.

use tantivy::query::{BooleanQuery, BoostQuery, EnableScoring, Occur, Query, TermQuery, Weight};
use tantivy::schema::{Field, IndexRecordOption};
use tantivy::{DocId, SegmentReader};

use crate::failure::Result;
use crate::search::index::context::SearchContext;
use crate::search::terms::term_scorer::WeightedTerm;
use crate::search::terms::weighed_statistics::WeighedStatistics;

/// The largest relative error from rounding and from the order of sums.
const ROUNDING: f32 = 1e-4;

/// A word with a lower weight may score 0, and tantivy only finds documents with scores above 0.
const BOOST_MIN: f32 = 1e-6;

pub struct BlockMaxUnion {
    weight: Box<dyn Weight>,
    /// The fields with their mean lengths.
    fields: Vec<(Field, f32)>,
}

impl BlockMaxUnion {
    /// Returns `None` if reading all documents of the words is faster.
    pub fn new(context: &SearchContext, words: &[&WeightedTerm]) -> Result<Option<BlockMaxUnion>> {
        let is_small = words.iter().map(|word| word.frequency()).sum::<u64>() < context.fast_paths.union_documents_min;
        if words.is_empty() || is_small || words.iter().any(|word| word.boost < BOOST_MIN || !word.has_own_lengths()) {
            return Ok(None);
        }
        let clause = |word: &&WeightedTerm| -> (Occur, Box<dyn Query>) {
            let query = TermQuery::new(word.term.clone(), IndexRecordOption::WithFreqs);
            (Occur::Should, Box::new(BoostQuery::new(Box::new(query), word.boost)))
        };
        // With a minimum of 0 clauses tantivy also prunes a single word; with a minimum of 1 it does not.
        let union = BooleanQuery::with_minimum_required_clauses(words.iter().map(clause).collect(), 0);
        let frequencies = words.iter().map(|word| (&word.term, word.weighed_frequency)).collect();
        let mut fields: Vec<(Field, f32)> = words.iter().map(|word| (word.lengths, word.mean_length)).collect();
        fields.sort_unstable_by_key(|(field, _)| *field);
        fields.dedup_by_key(|(field, _)| *field);
        let statistics = WeighedStatistics::new(context.statistics(), fields.iter().map(|(field, _)| *field), frequencies)?;
        let weight = union.weight(EnableScoring::enabled_from_statistics_provider(&statistics, context.searcher))?;
        Ok(Some(BlockMaxUnion { weight, fields }))
    }

    /// Calls `collect` with all documents of the segment whose sum of BM25 scores reaches the threshold, and perhaps others. `collect`
    /// returns the new threshold.
    pub fn run(&self, reader: &SegmentReader, threshold: f32, collect: &mut impl FnMut(DocId) -> f32) -> Result<()> {
        let mut slack = 1.0_f32;
        for (field, mean_length) in &self.fields {
            slack = slack.max(score_slack(reader, *field, *mean_length)?);
        }
        self.weight.for_each_pruning(threshold / slack, reader, &mut |document, _| collect(document) / slack)?;
        Ok(())
    }
}

/// Returns the largest ratio between the BM25 score of a document and the bound of its block. The bound is the score of the document that is
/// best by the mean length of the field in the segment. By that in the visible documents, `visible_length`, it may score less by the ratio of
/// the two, and another document of the block more by as much.
pub fn score_slack(reader: &SegmentReader, field: Field, visible_length: f32) -> Result<f32> {
    let segment_length = reader.inverted_index(field)?.total_num_tokens() as f32 / reader.max_doc() as f32;
    let has_lengths = segment_length > 0.0 && visible_length > 0.0;
    let ratio = if has_lengths { (segment_length / visible_length).max(visible_length / segment_length) } else { 1.0 };
    Ok(ratio * ratio * (1.0 + ROUNDING))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;
    use tantivy::TERMINATED;

    use super::*;
    use crate::plan::Node;
    use crate::search::compile::compile;
    use crate::search::index::cancel_token::CancelToken;
    use crate::search::index::fast_paths::FastPaths;
    use crate::search::matching::conditions::Matched;
    use crate::search::test_index::{CATALOG, match_nodes};

    proptest! {
        #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn no_document_whose_score_reaches_the_threshold_is_skipped(match_node in match_nodes(), rank in 0..200_usize) {
            let cancel_token = CancelToken::never();
            let context = SearchContext {
                fast_paths: FastPaths::ALWAYS,
                ..SearchContext::unrestricted(&CATALOG.snapshot, &CATALOG.resources, &cancel_token)
            };
            let node: Node = serde_json::from_value(match_node).unwrap();
            let conditions = compile(&context, &[&node], &[]).unwrap();
            let Some((Matched::Any(weight), _)) = conditions.matches.first() else { return Ok(()) };
            let terms: Vec<&WeightedTerm> = weight.words().iter().collect();
            let (true, Some(union)) = (weight.is_only_words(), BlockMaxUnion::new(&context, &terms).unwrap()) else { return Ok(()) };
            for (segment, reader) in context.searcher.segment_readers().iter().enumerate() {
                let mut scorer = weight.scorer(segment, reader, true).unwrap();
                let mut single = weight.exact_scorer(segment, reader).unwrap();
                let mut scores = Vec::new();
                while scorer.doc() != TERMINATED {
                    prop_assert_eq!(single.score(scorer.doc()).to_bits(), scorer.score().to_bits());
                    scores.push((scorer.doc(), scorer.score()));
                    scorer.advance();
                }
                let mut sorted: Vec<f32> = scores.iter().map(|(_, score)| *score).collect();
                sorted.sort_by(|left, right| right.total_cmp(left));
                let threshold = sorted.get(rank).copied().unwrap_or(0.0);
                let mut collected = BTreeSet::new();
                union.run(reader, threshold, &mut |document| {
                    collected.insert(document);
                    threshold
                }).unwrap();
                prop_assert!(scores.iter().all(|(document, score)| *score < threshold || collected.contains(document)));
            }
        }
    }
}
