//! Caches where terms are in the dictionaries of the segments.

use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use lru::LruCache;
use tantivy::postings::TermInfo;
use tantivy::{Searcher, Term};

use crate::failure::Result;

/// The entry of a term in each segment; `None` if no document of the segment has the term.
pub type TermInfos = Arc<[Option<TermInfo>]>;

/// The most terms in the cache. Searches repeat a few words, and each lookup reads the dictionary of every segment.
const CACHED_TERMS_MAX: NonZeroUsize = NonZeroUsize::new(4_096).unwrap();

/// The entries of the most recently searched terms.
pub struct TermCache(Mutex<LruCache<Term, TermInfos>>);

impl Default for TermCache {
    fn default() -> TermCache {
        // Sparse: each snapshot of each index has its own cache, which allocates memory only for the terms in it.
        TermCache(Mutex::new(LruCache::sparse(CACHED_TERMS_MAX)))
    }
}

impl TermCache {
    pub fn term_infos(&self, searcher: &Searcher, term: &Term) -> Result<TermInfos> {
        if let Some(infos) = self.lock().get(term) {
            return Ok(Arc::clone(infos));
        }
        let lookups = searcher.segment_readers().iter().map(|reader| Ok(reader.inverted_index(term.field())?.get_term_info(term)?));
        let infos: TermInfos = lookups.collect::<Result<_>>()?;
        self.lock().put(term.clone(), Arc::clone(&infos));
        Ok(infos)
    }

    fn lock(&self) -> MutexGuard<'_, LruCache<Term, TermInfos>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
