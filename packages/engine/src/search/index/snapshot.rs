//! One immutable state of the index, with the caches that are valid for it.

use std::sync::Arc;

use tantivy::Searcher;

use super::columns::Columns;
use super::facet_cache::FacetCache;
use super::phrase_cache::PhraseCache;
use super::query_cache::QueryCache;
use super::term_cache::TermCache;
use super::visibility::VisibilityCache;

pub struct Snapshot {
    pub searcher: Searcher,
    /// Sequence of the last write in the snapshot. Revisions superseded by later writes must be kept.
    pub sequence: u64,
    /// `GenerationInfo.version`.
    pub version: u64,
    pub columns: Arc<Columns>,
    pub terms: TermCache,
    pub phrases: PhraseCache,
    pub visibility_cache: VisibilityCache,
    pub query_cache: QueryCache,
    pub facet_cache: FacetCache,
}

impl Snapshot {
    pub fn new(searcher: Searcher, sequence: u64, version: u64) -> Snapshot {
        Snapshot {
            columns: Arc::new(Columns::new(&searcher)),
            terms: TermCache::default(),
            phrases: PhraseCache::default(),
            searcher,
            sequence,
            version,
            visibility_cache: VisibilityCache::default(),
            query_cache: QueryCache::default(),
            facet_cache: FacetCache::default(),
        }
    }

    pub fn documents(&self) -> u64 {
        self.searcher.num_docs()
    }
}
