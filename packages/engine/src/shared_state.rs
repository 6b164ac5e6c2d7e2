//! State that the writer of a generation shares with the threads that search it.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

use crate::failure::Result;
use crate::rebuild::Progress;
use crate::search::{SearchResources, Snapshot};

/// Counts how often any generation of this process was opened, closed or changed.
static CHANGES: AtomicU32 = AtomicU32::new(0);

pub fn change_count() -> u32 {
    CHANGES.load(Ordering::SeqCst)
}

/// Call this after the change is visible.
pub fn count_change() {
    CHANGES.fetch_add(1, Ordering::SeqCst);
}

pub struct SharedState {
    pub resources: SearchResources,
    readiness: RwLock<Readiness>,
    /// Sequence of the last durable write.
    stored_writes: AtomicU64,
}

/// Whether searches can be answered.
#[derive(Clone)]
pub enum Readiness {
    Ready(Arc<Snapshot>),
    Rebuilding(Arc<Progress>),
}

impl SharedState {
    pub fn new(resources: SearchResources, readiness: Readiness, stored_writes: u64) -> SharedState {
        SharedState { resources, readiness: RwLock::new(readiness), stored_writes: AtomicU64::new(stored_writes) }
    }

    pub fn stored_writes(&self) -> u64 {
        self.stored_writes.load(Ordering::Relaxed)
    }

    pub fn set_stored_writes(&self, sequence: u64) {
        self.stored_writes.store(sequence, Ordering::Relaxed);
    }

    /// The snapshot to search; fails with `unavailable` while the index is being rebuilt.
    pub fn snapshot(&self) -> Result<Arc<Snapshot>> {
        match &*self.readiness.read().unwrap_or_else(PoisonError::into_inner) {
            Readiness::Ready(snapshot) => Ok(Arc::clone(snapshot)),
            Readiness::Rebuilding(progress) => Err(progress.failure()),
        }
    }

    pub fn readiness(&self) -> Readiness {
        self.readiness.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub fn publish(&self, readiness: Readiness) {
        let mut current = self.readiness.write().unwrap_or_else(PoisonError::into_inner);
        *current = readiness;
        // Counted before any search can use the change: whoever sees the new documents also sees the new version.
        count_change();
    }
}
