//! What a fast path found.

use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::search::index::document_set::DocumentSet;
use crate::search::index::segment_threads::SegmentState;
use crate::search::order::top_k::TopK;

/// The result of a fast path, apart from the hits.
#[derive(Default)]
pub struct Found {
    /// The number of documents visited; 0 only if none matches.
    pub total: u64,
    pub best: f64,
}

/// The finds of one thread.
pub struct State<'a> {
    pub top_k: TopK<'a>,
    pub found: Found,
}

impl SegmentState for State<'_> {
    fn fork(&mut self) -> Self {
        State { top_k: self.top_k.fork(), found: Found::default() }
    }

    fn join(&mut self, fork: Self) {
        self.top_k.join(fork.top_k);
        self.found.total += fork.found.total;
        self.found.best = self.found.best.max(fork.found.best);
    }
}

/// The documents that earlier stages visited, by segment. One thread at a time searches a segment.
pub type Visited = Vec<Mutex<DocumentSet>>;

pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
