//! The rebuild of a lost index from the documents. Until it is complete, searches fail with `unavailable` and a message with the progress.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::failure::{Failure, Result};
use crate::responder::Responder;

/// Delay before the retry of a failed attempt.
const RETRY_AFTER: Duration = Duration::from_secs(2);

/// A rebuild of so few documents waits for no other index writer: it is soon over.
const SMALL: u64 = 5_000;

/// Delay of a step while too many index writers are open.
const POSTPONE: Duration = Duration::from_millis(100);

/// The progress of a rebuild, as other threads see it.
pub struct Progress {
    /// Why the index has to be rebuilt.
    pub reason: String,
    /// Number of documents at the start of the rebuild.
    pub total: u64,
    done: AtomicU64,
    /// The failure of the last attempt.
    last_error: Mutex<Option<String>>,
    /// `GenerationInfo.version` during the rebuild.
    pub version: u64,
}

impl Progress {
    pub fn new(reason: impl Into<String>, total: u64, version: u64) -> Progress {
        Progress { reason: reason.into(), total, done: AtomicU64::new(0), last_error: Mutex::new(None), version }
    }

    pub fn done(&self) -> u64 {
        // Documents that were added during the rebuild are indexed too.
        self.done.load(Ordering::Relaxed).min(self.total)
    }

    /// The failure of a search during the rebuild.
    pub fn failure(&self) -> Failure {
        let last_error = self.last_error.lock().unwrap_or_else(PoisonError::into_inner);
        let state = format!("the search index is being rebuilt, {} of {} documents", self.done(), self.total);
        Failure::unavailable(match last_error.as_deref() {
            None => format!("{state}; try again shortly"),
            Some(last_error) => format!("{state}; the last attempt failed ({last_error}) and will be repeated"),
        })
    }
}

/// The rebuild as the writer works on it.
pub struct Rebuild {
    pub progress: Arc<Progress>,
    /// Up to this sequence each document occurs once, so nothing in the new index has to be replaced.
    pub insert_only_until: u64,
    /// Whether the new, empty index exists.
    pub has_new_index: bool,
    retry_at: Option<Instant>,
    /// Refreshes that end with the rebuild.
    refreshes: Vec<Responder<()>>,
}

impl Rebuild {
    pub fn new(progress: Arc<Progress>, insert_only_until: u64) -> Rebuild {
        Rebuild { progress, insert_only_until, has_new_index: false, retry_at: None, refreshes: Vec::new() }
    }

    /// Time until the next step is due.
    pub fn delay(&self) -> Duration {
        self.retry_at.map_or(Duration::ZERO, |retry_at| retry_at.saturating_duration_since(Instant::now()))
    }

    pub fn is_small(&self) -> bool {
        self.progress.total <= SMALL
    }

    /// Delays the next step.
    pub fn postpone(&mut self) {
        self.retry_at = Some(Instant::now() + POSTPONE);
    }

    pub fn add_refreshes(&mut self, refreshes: Vec<Responder<()>>) {
        self.refreshes.extend(refreshes);
    }

    /// Adds to the number of indexed documents. With `first`, counts from zero again.
    pub fn advance(&mut self, documents: u64, first: bool) {
        let previous = if first { 0 } else { self.progress.done.load(Ordering::Relaxed) };
        self.progress.done.store(previous + documents, Ordering::Relaxed);
        self.retry_at = None;
    }

    /// Schedules a retry and sends the failure to the waiting refreshes.
    pub fn fail(&mut self, failure: &Failure) {
        *self.progress.last_error.lock().unwrap_or_else(PoisonError::into_inner) = Some(failure.message.clone());
        self.retry_at = Some(Instant::now() + RETRY_AFTER);
        self.respond(&Err(failure.clone()));
    }

    /// Sends the result to all waiting refreshes.
    pub fn respond(&mut self, result: &Result<()>) {
        self.refreshes.drain(..).for_each(|responder| responder.send(result.clone()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::failure::Code;
    use std::sync::mpsc::channel;

    #[test]
    fn the_failure_of_a_search_reports_the_progress_and_the_last_error() {
        let progress = Arc::new(Progress::new("it is missing", 10, 7));
        let mut rebuild = Rebuild::new(Arc::clone(&progress), 12);
        assert!(rebuild.is_small());
        rebuild.advance(4, true);
        rebuild.advance(3, false);
        assert_eq!(progress.failure().code, Code::Unavailable);
        assert!(progress.failure().message.contains("being rebuilt, 7 of 10 documents"));
        let (sender, receiver) = channel();
        rebuild.add_refreshes(vec![Responder::new(move |result| sender.send(result).unwrap())]);
        rebuild.fail(&Failure::unavailable("the disk is full"));
        assert!(receiver.recv().unwrap().is_err());
        assert!(rebuild.delay() > Duration::ZERO);
        assert!(progress.failure().message.contains("the disk is full"));
        rebuild.advance(20, true);
        assert_eq!((progress.done(), rebuild.delay()), (10, Duration::ZERO));
    }
}
