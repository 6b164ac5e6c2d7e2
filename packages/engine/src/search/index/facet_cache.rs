//! Caches how often the documents of a plan have the values of a field. Every visitor of a search page starts with the counts of all documents
//! that they may see, and only the row filter differs. With 10,000,000 documents and a row filter of 20 %, three facets of all documents took
//! 34 ms of a core, and 0.6 ms from the cache.
//!
//! Each snapshot of the index has its own cache.

use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use lru::LruCache;

use super::facet_values::ValueTable;

/// The most counts in the cache, and the most values of all of them.
const COUNTS_MAX: usize = 256;
const VALUES_MAX: usize = 1_000_000;

/// The values of a field in some documents, by their ids in a table.
pub struct CachedCounts {
    pub table: Arc<Mutex<ValueTable>>,
    /// Ids and counts of the values that occur.
    pub counts: Box<[(u32, u32)]>,
}

impl CachedCounts {
    /// `counts` has the count of each value id. Returns `None` if a count is too large.
    pub fn new(table: &Arc<Mutex<ValueTable>>, counts: &[u64]) -> Option<CachedCounts> {
        // Growing the list would copy it several times.
        let mut cached = Vec::with_capacity(counts.iter().filter(|count| **count > 0).count());
        for (id, count) in (0..).zip(counts).filter(|(_, count)| **count > 0) {
            cached.push((id, u32::try_from(*count).ok()?));
        }
        Some(CachedCounts { table: Arc::clone(table), counts: cached.into() })
    }
}

#[derive(Default)]
pub struct FacetCache(Mutex<Option<Entries>>);

struct Entries {
    by_key: LruCache<String, Arc<CachedCounts>>,
    /// The number of values of all entries.
    values: usize,
}

impl FacetCache {
    pub fn get(&self, key: &str) -> Option<Arc<CachedCounts>> {
        self.lock().as_mut().and_then(|entries| entries.by_key.get(key).map(Arc::clone))
    }

    pub fn insert(&self, key: String, counts: CachedCounts) {
        if counts.counts.len() > VALUES_MAX {
            return;
        }
        let mut entries = self.lock();
        let entries =
            entries.get_or_insert_with(|| Entries { by_key: LruCache::new(const { NonZeroUsize::new(COUNTS_MAX).unwrap() }), values: 0 });
        entries.values += counts.counts.len();
        if let Some((_, replaced)) = entries.by_key.push(key, Arc::new(counts)) {
            entries.values -= replaced.counts.len();
        }
        while entries.values > VALUES_MAX
            && let Some((_, oldest)) = entries.by_key.pop_lru()
        {
            entries.values -= oldest.counts.len();
        }
    }

    fn lock(&self) -> MutexGuard<'_, Option<Entries>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
