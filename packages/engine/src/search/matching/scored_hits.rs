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
