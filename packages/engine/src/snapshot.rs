//! What searches see: one state of the index, unchanging while anybody holds it.

use tantivy::Searcher;

pub struct Snapshot {
    pub searcher: Searcher,
    /// Up to which write it has come. Revisions superseded later than this must stay.
    pub sequence: u64,
    /// `GenerationInfo.version`.
    pub version: u64,
}

impl Snapshot {
    pub fn documents(&self) -> u64 {
        self.searcher.num_docs()
    }
}
