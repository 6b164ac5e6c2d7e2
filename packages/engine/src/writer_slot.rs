//! Counts the index writers of this process, so that few stay open however many generations are written to.

use std::sync::atomic::{AtomicUsize, Ordering};

/// More index writers than this stay open only while they have uncommitted changes: each has four threads.
const OPEN_WRITERS_MAX: usize = 16;

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

/// Whether so many index writers are open that this generation should open none, or soon close its own.
pub fn are_writers_scarce() -> bool {
    OPEN_WRITERS.load(Ordering::Relaxed) >= OPEN_WRITERS_MAX
}
