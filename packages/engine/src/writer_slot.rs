//! Counts the index writers of this process, so that few stay open however many generations are written to.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// More index writers than this stay open only while they have uncommitted changes: each has four threads.
const OPEN_WRITERS_MAX: usize = 16;

/// How long a lower maximum holds, because threads may be free again.
const LOWERED_FOR: Duration = Duration::from_secs(60);

/// A maximum below [`OPEN_WRITERS_MAX`], and since when.
static LOWERED_MAX: Mutex<Option<(usize, Instant)>> = Mutex::new(None);

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
    OPEN_WRITERS.load(Ordering::Relaxed) >= open_writers_max(Instant::now())
}

fn open_writers_max(now: Instant) -> usize {
    let mut lowered = LOWERED_MAX.lock().unwrap_or_else(PoisonError::into_inner);
    lowered.take_if(|(_, since)| now.duration_since(*since) >= LOWERED_FOR);
    lowered.map_or(OPEN_WRITERS_MAX, |(max, _)| max)
}

/// For a minute, fewer index writers stay open than now, because the process cannot have the threads of one more.
pub fn lower_open_writers_max() {
    let open = OPEN_WRITERS.load(Ordering::Relaxed);
    let now = Instant::now();
    let max = open_writers_max(now).min(open.saturating_sub(1).max(1));
    *LOWERED_MAX.lock().unwrap_or_else(PoisonError::into_inner) = Some((max, now));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lower_maximum_holds_for_a_minute() {
        lower_open_writers_max();
        assert!(open_writers_max(Instant::now()) < OPEN_WRITERS_MAX);
        assert_eq!(open_writers_max(Instant::now() + LOWERED_FOR), OPEN_WRITERS_MAX);
    }
}
