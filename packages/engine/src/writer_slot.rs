//! Counts the index writers of this process, so that few stay open however many generations are written to.

use std::sync::atomic::{AtomicUsize, Ordering};

/// More index writers than this stay open only while they have uncommitted changes: each has four threads. Lower after the threads of an
/// index writer could not be started.
static OPEN_WRITERS_MAX: AtomicUsize = AtomicUsize::new(16);

static OPEN_WRITERS: AtomicUsize = AtomicUsize::new(0);

/// Counts an open index writer of this process.
pub struct WriterSlot;

impl WriterSlot {
    pub fn take() -> WriterSlot {
        OPEN_WRITERS.fetch_add(1, Ordering::Relaxed);
        WriterSlot
    }
}

impl Drop for WriterSlot {
    fn drop(&mut self) {
        OPEN_WRITERS.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Whether the process has as many open index writers as it should have: then a generation opens none, or soon closes its own.
pub fn are_writers_scarce() -> bool {
    OPEN_WRITERS.load(Ordering::Relaxed) >= OPEN_WRITERS_MAX.load(Ordering::Relaxed)
}

/// From now on fewer index writers stay open than now, because the process cannot have the threads of one more.
pub fn lower_open_writers_max() {
    let open = OPEN_WRITERS.load(Ordering::Relaxed);
    OPEN_WRITERS_MAX.fetch_min(open.saturating_sub(1).max(1), Ordering::Relaxed);
}
