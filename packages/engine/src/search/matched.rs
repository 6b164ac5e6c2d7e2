//! The documents that plans find, kept for those who ask of the same ones: a page with facets asks for results, and for each facet what
//! values those have. Who asks only how many there are, or for a facet, needs no scores, so what decides is which nodes there are.
//!
//! What is kept belongs to one state of the index and goes with it.

use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use lru::LruCache;
use tantivy::Searcher;

use crate::failure::Result;
use crate::plan::Plan;

use super::condition::Conditions;
use super::document_set::DocumentSet;
use super::segment::{Clock, SegmentSearch};

/// Plans whose documents are kept, at most, and the memory for them.
const KEPT_MAX: usize = 64;
const KEPT_BYTES_MAX: usize = 16 * 1024 * 1024;

/// All documents that a plan finds, by segment.
pub struct Matched(Vec<DocumentSet>);

impl Matched {
    pub fn new(segments: Vec<DocumentSet>) -> Matched {
        Matched(segments)
    }

    pub fn of(conditions: &Conditions, searcher: &Searcher, clock: &Clock) -> Result<Matched> {
        let mut segments = Vec::new();
        for (segment, reader) in searcher.segment_readers().iter().enumerate() {
            let mut set = DocumentSet::new(reader.max_doc());
            SegmentSearch::new(conditions, segment, reader, false)?.run(clock, &mut |document, _| set.add(document))?;
            segments.push(set);
        }
        Ok(Matched(segments))
    }

    pub fn documents(&self) -> u64 {
        self.0.iter().map(|set| u64::from(set.size())).sum()
    }

    pub fn in_segment(&self, segment: usize) -> &DocumentSet {
        &self.0[segment]
    }

    pub fn segments(&self) -> &[DocumentSet] {
        &self.0
    }

    pub fn bytes(&self) -> usize {
        self.0.iter().map(DocumentSet::bytes).sum()
    }
}

/// Held by the one who finds the documents; others who ask for the same ones wait for them.
type Slot = Arc<Mutex<Option<Arc<Matched>>>>;

/// The documents of the plans that one state of the index was last asked for.
pub struct Kept(Mutex<LruCache<String, Slot>>);

impl Default for Kept {
    fn default() -> Kept {
        Kept(Mutex::new(LruCache::new(const { NonZeroUsize::new(KEPT_MAX).unwrap() })))
    }
}

impl Kept {
    /// What the plan finds without its cutoff; found by `find` unless it is known.
    pub fn matched(&self, plan: &Plan, find: impl FnOnce() -> Result<Matched>) -> Result<Arc<Matched>> {
        let slot = self.slot(plan);
        let mut known = locked(&slot);
        if let Some(matched) = &*known {
            return Ok(Arc::clone(matched));
        }
        let matched = Arc::new(find()?);
        *known = Some(Arc::clone(&matched));
        drop(known);
        self.stay_within_bounds(&matched);
        Ok(matched)
    }

    /// What somebody found who needed the scores too.
    pub fn keep(&self, plan: &Plan, matched: Matched) {
        let slot = self.slot(plan);
        self.stay_within_bounds(&matched);
        // Whoever is looking for the same documents has them soon.
        if let Ok(mut known) = slot.try_lock() {
            known.get_or_insert(Arc::new(matched));
        }
    }

    fn slot(&self, plan: &Plan) -> Slot {
        // Nodes commute; of what else stands in a plan only the cutoff decides which documents it finds.
        let mut nodes: Vec<String> = plan.nodes.iter().map(|node| format!("{node:?}")).collect();
        nodes.sort_unstable();
        let key = format!("{nodes:?} {:?}", plan.restrictions);
        Arc::clone(locked(&self.0).get_or_insert(key, Slot::default))
    }

    fn stay_within_bounds(&self, matched: &Matched) {
        // The sets of one state of the index are of one size.
        let plans = KEPT_BYTES_MAX / matched.bytes().max(1);
        let mut kept = locked(&self.0);
        if plans < kept.cap().get() {
            kept.resize(NonZeroUsize::new(plans).unwrap_or(NonZeroUsize::MIN));
        }
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
