//! The documents that a search finds, by segment.

use tantivy::DocId;

use super::document_set::DocumentSet;

/// Documents and their scores, by segment and in the order of the documents.
pub type ScoreList = Vec<Vec<(DocId, f32)>>;

/// All documents that a plan finds, by segment.
pub struct MatchSet {
    segments: Vec<DocumentSet>,
    /// The words that relaxed matches dropped.
    pub relaxed: Vec<String>,
}

impl MatchSet {
    pub fn new(segments: Vec<DocumentSet>, relaxed: Vec<String>) -> MatchSet {
        MatchSet { segments, relaxed }
    }

    pub fn documents(&self) -> u64 {
        self.segments.iter().map(|document_set| u64::from(document_set.size())).sum()
    }

    pub fn segment(&self, segment: usize) -> &DocumentSet {
        &self.segments[segment]
    }

    pub fn segments(&self) -> &[DocumentSet] {
        &self.segments
    }

    pub fn bytes(&self) -> usize {
        self.segments.iter().map(DocumentSet::bytes).sum()
    }
}
