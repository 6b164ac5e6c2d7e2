//! Ends a search at its deadline or when its caller cancels it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use crate::failure::{Failure, Result};

pub struct CancelToken {
    deadline: Option<Instant>,
    cancelled: Arc<AtomicBool>,
}

impl CancelToken {
    pub fn with_deadline(deadline: Instant, cancelled: Arc<AtomicBool>) -> CancelToken {
        CancelToken { deadline: Some(deadline), cancelled }
    }

    pub fn never() -> CancelToken {
        CancelToken { deadline: None, cancelled: Arc::default() }
    }

    /// Fails if the search has to end. Call this at regular intervals.
    pub fn check(&self) -> Result<()> {
        if self.cancelled.load(Ordering::Relaxed) {
            return Err(Failure::cancelled());
        }
        match self.deadline {
            Some(deadline) if Instant::now() >= deadline => Err(Failure::timeout()),
            _ => Ok(()),
        }
    }
}
