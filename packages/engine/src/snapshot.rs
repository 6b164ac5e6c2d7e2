//! What searches see: one state of the index, unchanging while anybody holds it.

use tantivy::Searcher;

use crate::search::{Columns, Kept, KnownTerms, Remembered};

pub struct Snapshot {
    pub searcher: Searcher,
    /// Up to which write it has come. Revisions superseded later than this must stay.
    pub sequence: u64,
    /// `GenerationInfo.version`.
    pub version: u64,
    pub columns: Columns,
    pub terms: KnownTerms,
    /// Of the restrictions that it was searched with.
    pub remembered: Remembered,
    /// Of the plans that it was asked for.
    pub kept: Kept,
}

impl Snapshot {
    pub fn new(searcher: Searcher, sequence: u64, version: u64) -> Snapshot {
        Snapshot {
            columns: Columns::new(&searcher),
            terms: KnownTerms::default(),
            searcher,
            sequence,
            version,
            remembered: Remembered::default(),
            kept: Kept::default(),
        }
    }

    pub fn documents(&self) -> u64 {
        self.searcher.num_docs()
    }
}
