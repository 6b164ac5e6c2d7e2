//! Caches which documents a plan finds. A search page sends one query for the results and one per facet, all with the same documents.
//! Counts and facets need no scores, so the nodes and restrictions of the plan are the cache key.
//!
//! Each snapshot of the index has its own cache.

use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use lru::LruCache;

use crate::failure::Result;
use crate::plan::Plan;

use super::match_set::MatchSet;

/// The most plans in the cache, and the memory for their documents.
const PLANS_MAX: usize = 64;
const BYTES_MAX: usize = 16 * 1024 * 1024;

/// Locked while one search finds the documents. Other searches for the same documents wait for the lock.
type Slot = Arc<Mutex<Option<Arc<MatchSet>>>>;

/// The documents of the most recent plans.
pub struct QueryCache(Mutex<LruCache<String, Slot>>);

impl Default for QueryCache {
    fn default() -> QueryCache {
        QueryCache(Mutex::new(LruCache::new(const { NonZeroUsize::new(PLANS_MAX).unwrap() })))
    }
}

impl QueryCache {
    /// Returns the documents that the plan finds without its cutoff. Calls `find` if they are not cached.
    pub fn get_or_find(&self, plan: &Plan, find: impl FnOnce() -> Result<MatchSet>) -> Result<Arc<MatchSet>> {
        let slot = self.slot(plan);
        let mut entry = lock(&slot);
        if let Some(matches) = &*entry {
            return Ok(Arc::clone(matches));
        }
        let matches = Arc::new(find()?);
        *entry = Some(Arc::clone(&matches));
        drop(entry);
        self.limit_bytes(&matches);
        Ok(matches)
    }

    /// Stores the documents of a search that also needed scores.
    pub fn insert(&self, plan: &Plan, matches: &Arc<MatchSet>) {
        let slot = self.slot(plan);
        self.limit_bytes(matches);
        // If the slot is locked, another search is about to store the same documents.
        if let Ok(mut entry) = slot.try_lock() {
            entry.get_or_insert_with(|| Arc::clone(matches));
        }
    }

    fn slot(&self, plan: &Plan) -> Slot {
        Arc::clone(lock(&self.0).get_or_insert(documents_key(plan), Slot::default))
    }

    fn limit_bytes(&self, matches: &MatchSet) {
        // All sets of one snapshot have the same size.
        let plans = BYTES_MAX / matches.bytes().max(1);
        let mut slots = lock(&self.0);
        if plans < slots.cap().get() {
            slots.resize(NonZeroUsize::new(plans).unwrap_or(NonZeroUsize::MIN));
        }
    }
}

/// Returns the same key for plans that find the same documents without their cutoff.
pub fn documents_key(plan: &Plan) -> String {
    // The order of nodes does not matter. Apart from nodes and restrictions, only the cutoff affects which documents a plan finds.
    let mut nodes: Vec<String> = plan.nodes.iter().map(|node| format!("{node:?}")).collect();
    nodes.sort_unstable();
    format!("{nodes:?} {:?}", plan.restrictions)
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
