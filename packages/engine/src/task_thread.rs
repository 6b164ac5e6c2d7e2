//! A thread for one task that is long and rare.

use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use crate::failure::{Failure, Result};

/// Runs the task on a new thread. If none can be started, calls it on this thread with the failure.
pub fn start(task: impl FnOnce(Result<()>) + Send + 'static) {
    // Shared, because a thread that cannot be started drops its closure.
    let shared = Arc::new(Mutex::new(Some(task)));
    let thread_shared = Arc::clone(&shared);
    let take = |shared: &Mutex<Option<_>>| shared.lock().unwrap_or_else(PoisonError::into_inner).take();
    let started = thread::Builder::new().name("querent-task".into()).spawn(move || {
        if let Some(task) = take(&thread_shared) {
            task(Ok(()));
        }
    });
    if let Err(error) = started
        && let Some(task) = shared.lock().unwrap_or_else(PoisonError::into_inner).take()
    {
        task(Err(Failure::no_thread(&error)));
    }
}
