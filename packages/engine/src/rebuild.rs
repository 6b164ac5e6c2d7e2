//! An index that is lost and is being built again from the documents. Until it is done searches are refused, and are told how far it is.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::answer::Answer;
use crate::failure::{Failure, Result};

/// How long after a failure it is tried again.
const RETRY_AFTER: Duration = Duration::from_secs(2);

/// What everybody may know of it.
pub struct Progress {
    /// What became of the index before.
    pub reason: &'static str,
    /// Documents there were at the start.
    pub total: u64,
    done: AtomicU64,
    /// Why the last attempt failed.
    trouble: Mutex<Option<String>>,
    /// `GenerationInfo.version` meanwhile.
    pub version: u64,
}

impl Progress {
    pub fn new(reason: &'static str, total: u64, version: u64) -> Progress {
        Progress { reason, total, done: AtomicU64::new(0), trouble: Mutex::new(None), version }
    }

    pub fn done(&self) -> u64 {
        // Documents that came meanwhile are built in too.
        self.done.load(Ordering::Relaxed).min(self.total)
    }

    /// What a search is told.
    pub fn failure(&self) -> Failure {
        let trouble = self.trouble.lock().unwrap_or_else(PoisonError::into_inner);
        let state = format!("the search index is being rebuilt, {} of {} documents", self.done(), self.total);
        Failure::unavailable(match trouble.as_deref() {
            None => format!("{state}; try again shortly"),
            Some(trouble) => format!("{state}; the last attempt failed ({trouble}) and is repeated"),
        })
    }
}

/// The work, in the hands of the write thread.
pub struct Rebuild {
    pub progress: Arc<Progress>,
    /// Up to this sequence no document replaces one that the new index has: each comes once.
    pub new_until: u64,
    /// The new, empty index is there.
    pub begun: bool,
    retry_at: Option<Instant>,
    /// Refreshes that end with it.
    waiting: Vec<Answer<()>>,
}

impl Rebuild {
    pub fn new(progress: Arc<Progress>, new_until: u64) -> Rebuild {
        Rebuild { progress, new_until, begun: false, retry_at: None, waiting: Vec::new() }
    }

    /// How long until the next step is due.
    pub fn patience(&self) -> Duration {
        self.retry_at.map_or(Duration::ZERO, |at| at.saturating_duration_since(Instant::now()))
    }

    pub fn wait_for(&mut self, refreshes: Vec<Answer<()>>) {
        self.waiting.extend(refreshes);
    }

    /// So many more documents are in the new index; `first`: they are the first.
    pub fn advance(&mut self, documents: u64, first: bool) {
        let before = if first { 0 } else { self.progress.done.load(Ordering::Relaxed) };
        self.progress.done.store(before + documents, Ordering::Relaxed);
        self.retry_at = None;
    }

    /// It is tried again later; who waits is told why.
    pub fn stumble(&mut self, failure: &Failure) {
        *self.progress.trouble.lock().unwrap_or_else(PoisonError::into_inner) = Some(failure.message.clone());
        self.retry_at = Some(Instant::now() + RETRY_AFTER);
        self.answer(&Err(failure.clone()));
    }

    pub fn answer(&mut self, result: &Result<()>) {
        self.waiting.drain(..).for_each(|answer| answer.send(result.clone()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::failure::Code;
    use std::sync::mpsc::channel;

    #[test]
    fn searches_are_told_how_far_it_is_and_what_went_wrong() {
        let progress = Arc::new(Progress::new("it is missing", 10, 7));
        let mut rebuild = Rebuild::new(Arc::clone(&progress), 12);
        rebuild.advance(4, true);
        rebuild.advance(3, false);
        assert_eq!(progress.failure().code, Code::Unavailable);
        assert!(progress.failure().message.contains("being rebuilt, 7 of 10 documents"));
        let (answer, answered) = channel();
        rebuild.wait_for(vec![Answer::new(move |result| answer.send(result).unwrap())]);
        rebuild.stumble(&Failure::unavailable("the disk is full"));
        assert!(answered.recv().unwrap().is_err());
        assert!(rebuild.patience() > Duration::ZERO);
        assert!(progress.failure().message.contains("the disk is full"));
        rebuild.advance(20, true);
        assert_eq!((progress.done(), rebuild.patience()), (10, Duration::ZERO));
    }
}
