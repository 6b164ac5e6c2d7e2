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

/// The most terms in the cache that no document has. Each word of a query has several spellings, most of which are not words.
const CACHED_ABSENT_TERMS_MAX: NonZeroUsize = NonZeroUsize::new(16_384).unwrap();

/// The entries of the most recently searched terms.
pub struct TermCache(Mutex<CachedTerms>);

struct CachedTerms {
    present: LruCache<Term, TermInfos>,
    absent: LruCache<Term, ()>,
    /// The entries of every absent term.
    no_infos: TermInfos,
}

impl Default for TermCache {
    fn default() -> TermCache {
        // Sparse: each snapshot of each index has its own cache, which allocates memory only for the terms in it.
        TermCache(Mutex::new(CachedTerms {
            present: LruCache::sparse(CACHED_TERMS_MAX),
            absent: LruCache::sparse(CACHED_ABSENT_TERMS_MAX),
            no_infos: Arc::new([]),
        }))
    }
}

impl CachedTerms {
    fn get(&mut self, term: &Term) -> Option<TermInfos> {
        let present = self.present.get(term).map(Arc::clone);
        present.or_else(|| self.absent.get(term).map(|()| Arc::clone(&self.no_infos)))
    }

    fn put(&mut self, term: Term, infos: &TermInfos) {
        if infos.iter().any(Option::is_some) {
            self.present.put(term, Arc::clone(infos));
        } else {
            self.no_infos = Arc::clone(infos);
            self.absent.put(term, ());
        }
    }
}

impl TermCache {
    pub fn term_infos(&self, searcher: &Searcher, term: &Term) -> Result<TermInfos> {
        if let Some(infos) = self.lock().get(term) {
            return Ok(infos);
        }
        let lookups = searcher.segment_readers().iter().map(|reader| Ok(reader.inverted_index(term.field())?.get_term_info(term)?));
        let infos: TermInfos = lookups.collect::<Result<_>>()?;
        self.lock().put(term.clone(), &infos);
        Ok(infos)
    }

    fn lock(&self) -> MutexGuard<'_, CachedTerms> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
