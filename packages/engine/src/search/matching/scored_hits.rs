//! All documents that satisfy some conditions, with their scores, for plans that need the best score before they choose documents.

use tantivy::{DocId, Searcher};

use crate::failure::Result;
use crate::plan::Plan;
use crate::search::boosts::pinning::is_pinned;
use crate::search::index::cancel_token::CancelToken;
use crate::search::index::document_set::DocumentSet;
use crate::search::index::match_set::MatchSet;
use crate::search::probability::reaches;

use super::conditions::Conditions;
use super::segment::SegmentSearch;

pub struct ScoredHits {
    /// By segment, in the order of the documents.
    pub segments: Vec<Vec<(DocId, f64)>>,
    /// The best score of a document that is not pinned.
    pub best: f64,
}

impl ScoredHits {
    pub fn find(conditions: &Conditions, searcher: &Searcher, cancel_token: &CancelToken) -> Result<ScoredHits> {
        let mut hits = ScoredHits { segments: Vec::new(), best: 0.0 };
        for (segment, reader) in searcher.segment_readers().iter().enumerate() {
            let mut documents = Vec::new();
            SegmentSearch::new(conditions, segment, reader, true)?
                .run(cancel_token, &mut |document, score| documents.push((document, score)))?;
            let scores = documents.iter().map(|(_, score)| *score).filter(|score| !is_pinned(*score));
            hits.best = scores.fold(hits.best, f64::max);
            hits.segments.push(documents);
        }
        Ok(hits)
    }

    /// Drops the documents below the cutoff of the plan, if it has one.
    pub fn cut_off(&mut self, plan: &Plan) {
        if plan.has_cutoff() {
            let best = self.best;
            self.segments.iter_mut().for_each(|documents| documents.retain(|(_, score)| reaches(*score, best, plan.cutoff)));
        }
    }

    pub fn match_set(&self, searcher: &Searcher, conditions: &Conditions) -> MatchSet {
        let segments = searcher.segment_readers().iter().zip(&self.segments).map(|(reader, documents)| {
            let mut document_set = DocumentSet::new(reader.max_doc());
            documents.iter().for_each(|(document, _)| document_set.add(*document));
            document_set
        });
        MatchSet::new(segments.collect(), conditions.relaxed.clone())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::search::find_ids;
    use crate::search::test_index::{CATALOG, match_nodes};

    proptest! {
        #![proptest_config(ProptestConfig { cases: 40, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn a_cutoff_keeps_the_documents_with_this_share_of_the_best_score(match_node in match_nodes(), cutoff in 0.05..1.0_f64, pins in 0..3_usize) {
            let mut match_node = match_node;
            let pinned: Vec<&str> = CATALOG.documents.iter().take(pins).map(|document| document.id.as_str()).collect();
            match_node["pinned"] = json!(pinned);
            let plan = |cutoff: f64| json!({
                "nodes": [match_node], "order": [{ "by": "score" }], "count": 3_000, "statistics": true, "cutoff": cutoff,
            });
            let (all, cut) = (CATALOG.find(&plan(0.0)), CATALOG.find(&plan(cutoff)));
            let expected: Vec<&(String, f64)> = all.hits.iter().filter(|(_, score)| reaches(*score, all.best, cutoff)).collect();
            prop_assert_eq!(cut.hits.iter().collect::<Vec<_>>(), expected);
            prop_assert_eq!((cut.total, cut.best), (cut.hits.len() as u64, if cut.hits.is_empty() { 0.0 } else { all.best }));
            let mut ids = find_ids(&CATALOG.snapshot, &CATALOG.resources, &serde_json::from_value(plan(cutoff)).unwrap()).unwrap();
            let mut hits: Vec<String> = cut.hits.into_iter().map(|(id, _)| id).collect();
            ids.sort_unstable();
            hits.sort_unstable();
            prop_assert_eq!(ids, hits);
        }
    }
}
