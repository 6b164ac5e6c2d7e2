//! Caches which documents a plan finds. A search page sends one query for the results and one per facet, all with the same documents.
//! Counts and facets need no scores, so the nodes and restrictions of the plan are the cache key.
//!
//! Each snapshot of the index has its own cache.

use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use lru::LruCache;
use tantivy::Searcher;

use crate::failure::Result;
use crate::plan::Plan;
use crate::search::compile::Conditions;
use crate::search::matching::segment::SegmentSearch;

use super::cancel_token::CancelToken;
use super::document_set::DocumentSet;

/// The most plans in the cache, and the memory for their documents.
const PLANS_MAX: usize = 64;
const BYTES_MAX: usize = 16 * 1024 * 1024;

/// All documents that a plan finds, by segment.
pub struct MatchSet {
    segments: Vec<DocumentSet>,
    /// The words that relaxed matches dropped.
    pub relaxed: Vec<String>,
}

impl MatchSet {
    pub fn new(segments: Vec<DocumentSet>, conditions: &Conditions) -> MatchSet {
        MatchSet { segments, relaxed: conditions.relaxed.clone() }
    }

    pub fn find(conditions: &Conditions, searcher: &Searcher, cancel_token: &CancelToken) -> Result<MatchSet> {
        let mut segments = Vec::new();
        for (segment, reader) in searcher.segment_readers().iter().enumerate() {
            if conditions.accept_all() {
                segments
                    .push(conditions.visible.as_ref().map_or_else(|| DocumentSet::all(reader), |visible| visible.segment(segment).clone()));
                continue;
            }
            let mut document_set = DocumentSet::new(reader.max_doc());
            SegmentSearch::new(conditions, segment, reader, false)?.run(cancel_token, &mut |document, _| document_set.add(document))?;
            segments.push(document_set);
        }
        Ok(MatchSet::new(segments, conditions))
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
    pub fn insert(&self, plan: &Plan, matches: MatchSet) {
        let slot = self.slot(plan);
        self.limit_bytes(&matches);
        // If the slot is locked, another search is about to store the same documents.
        if let Ok(mut entry) = slot.try_lock() {
            entry.get_or_insert(Arc::new(matches));
        }
    }

    fn slot(&self, plan: &Plan) -> Slot {
        // The order of nodes does not matter. Apart from nodes and restrictions, only the cutoff affects which documents a plan finds.
        let mut nodes: Vec<String> = plan.nodes.iter().map(|node| format!("{node:?}")).collect();
        nodes.sort_unstable();
        let key = format!("{nodes:?} {:?}", plan.restrictions);
        Arc::clone(lock(&self.0).get_or_insert(key, Slot::default))
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

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
