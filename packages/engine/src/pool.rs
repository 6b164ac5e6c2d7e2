//! The threads that search, and the bounded queue in front of them.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use crate::failure::{Failure, Result};

struct Job {
    /// Called with an error if the job was rejected.
    run: Box<dyn FnOnce(Result<()>) + Send>,
    cancelled: Arc<AtomicBool>,
}

impl Job {
    fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed)
    }
}

pub struct Pool {
    queue: Arc<Queue>,
    queue_max: usize,
}

#[derive(Default)]
struct Queue {
    state: Mutex<QueueState>,
    changed: Condvar,
}

#[derive(Default)]
struct QueueState {
    jobs: VecDeque<Job>,
    closed: bool,
}

impl Queue {
    fn state(&self) -> MutexGuard<'_, QueueState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Pool {
    pub fn new(threads: usize, queue_max: usize) -> Result<Pool> {
        let queue = Arc::new(Queue::default());
        for number in 0..threads.max(1) {
            let queue = Arc::clone(&queue);
            thread::Builder::new().name(format!("querent-search-{number}")).spawn(move || work(&queue))?;
        }
        Ok(Pool { queue, queue_max: queue_max.max(1) })
    }

    /// Runs the job on a thread of the pool. Calls it at once with an error if the queue is full.
    pub fn run(&self, cancelled: Arc<AtomicBool>, job: impl FnOnce(Result<()>) + Send + 'static) {
        let mut state = self.queue.state();
        let failure = if state.closed {
            Failure::unavailable("the engine is closed")
        } else if state.jobs.len() >= self.queue_max {
            Failure::overloaded("too many searches are queued")
        } else {
            state.jobs.push_back(Job { run: Box::new(job), cancelled });
            drop(state);
            return self.queue.changed.notify_one();
        };
        drop(state);
        job(Err(failure));
    }

    /// Removes the canceled jobs from the queue and calls them with an error.
    pub fn remove_cancelled(&self) {
        let mut state = self.queue.state();
        let (cancelled, remaining): (VecDeque<Job>, VecDeque<Job>) =
            std::mem::take(&mut state.jobs).into_iter().partition(Job::is_cancelled);
        state.jobs = remaining;
        drop(state);
        cancelled.into_iter().for_each(|job| (job.run)(Err(Failure::cancelled())));
    }

    /// Accepts no more jobs. Queued jobs still run.
    pub fn close(&self) {
        self.queue.state().closed = true;
        self.queue.changed.notify_all();
    }
}

/// Ends the threads once the queue is empty.
impl Drop for Pool {
    fn drop(&mut self) {
        self.close();
    }
}

fn work(queue: &Queue) {
    while let Some(job) = next_job(queue) {
        // A job handles its own panics. This keeps the thread alive if that fails.
        drop(catch_unwind(AssertUnwindSafe(|| (job.run)(Ok(())))));
    }
}

/// Waits for a job. Returns `None` when the queue is closed and empty.
fn next_job(queue: &Queue) -> Option<Job> {
    let mut state = queue.state();
    loop {
        if let Some(job) = state.jobs.pop_front() {
            return Some(job);
        }
        if state.closed {
            return None;
        }
        state = queue.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
    }
}

/// Runs the work and turns a panic into a fault.
pub fn catch_panic<T>(work: impl FnOnce() -> Result<T>) -> Result<T> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|payload| Err(Failure::from_panic(payload)))
}

/// Lowers the priority of this thread and of the threads that it starts (indexing, merging). An import then uses the processor time that
/// searches leave, and a small share when they leave none. On Linux each thread has its own priority, see setpriority(2).
#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub fn lower_thread_priority() {
    const NICE_INCREMENT: i32 = 10;
    // SAFETY: nice has no preconditions. If it fails, the thread keeps its priority.
    unsafe {
        libc::nice(NICE_INCREMENT);
    }
}

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub fn lower_thread_priority() {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::failure::Code;
    use std::sync::mpsc::channel;

    #[test]
    fn a_full_queue_rejects_jobs_and_a_panic_does_not_end_the_thread() {
        let pool = Pool::new(1, 1).unwrap();
        let (release, blocker) = channel::<()>();
        let (started, running) = channel::<()>();
        pool.run(Arc::default(), move |_| {
            started.send(()).unwrap();
            blocker.recv().unwrap();
            panic!("on purpose");
        });
        running.recv().unwrap();
        let (queued_sender, queued_receiver) = channel();
        pool.run(Arc::default(), move |_| queued_sender.send(()).unwrap());
        let (rejected_sender, rejected_receiver) = channel();
        pool.run(Arc::default(), move |admission| rejected_sender.send(admission).unwrap());
        assert_eq!(rejected_receiver.recv().unwrap().unwrap_err().code, Code::Overloaded);
        release.send(()).unwrap();
        queued_receiver.recv().unwrap();
    }

    #[test]
    fn cancelling_a_queued_job_frees_its_slot_at_once() {
        let pool = Pool::new(1, 1).unwrap();
        let (release, blocker) = channel::<()>();
        let (started, running) = channel::<()>();
        pool.run(Arc::default(), move |_| {
            started.send(()).unwrap();
            blocker.recv().unwrap();
        });
        running.recv().unwrap();
        let (sender, receiver) = channel();
        let cancelled = Arc::new(AtomicBool::new(false));
        let first_sender = sender.clone();
        pool.run(Arc::clone(&cancelled), move |admission| first_sender.send(admission).unwrap());
        cancelled.store(true, Ordering::Relaxed);
        pool.remove_cancelled();
        assert_eq!(receiver.recv().unwrap().unwrap_err().code, Code::Cancelled);
        pool.run(Arc::default(), move |admission| sender.send(admission).unwrap());
        release.send(()).unwrap();
        receiver.recv().unwrap().unwrap();
    }

    #[test]
    fn a_panic_becomes_a_fault() {
        let failure = catch_panic::<()>(|| panic!("on purpose")).unwrap_err();
        assert_eq!(failure.code, Code::Fault);
        assert!(failure.message.contains("on purpose"));
    }
}
