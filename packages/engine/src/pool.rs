//! The threads that search, and the bounded queue in front of them.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use crate::failure::{Failure, Result};

struct Job {
    /// Called with an error when it was not admitted.
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
    waiting: Mutex<Waiting>,
    changed: Condvar,
}

#[derive(Default)]
struct Waiting {
    jobs: VecDeque<Job>,
    closed: bool,
}

impl Queue {
    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
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

    /// Runs the job on a thread of the pool; tells it at once when the queue is full.
    pub fn run(&self, cancelled: Arc<AtomicBool>, job: impl FnOnce(Result<()>) + Send + 'static) {
        let mut waiting = self.queue.waiting();
        let refusal = if waiting.closed {
            Failure::unavailable("the engine is closed")
        } else if waiting.jobs.len() >= self.queue_max {
            Failure::overloaded("too many searches are waiting")
        } else {
            waiting.jobs.push_back(Job { run: Box::new(job), cancelled });
            drop(waiting);
            return self.queue.changed.notify_one();
        };
        drop(waiting);
        job(Err(refusal));
    }

    /// Takes the jobs that were cancelled out of the queue, and tells them.
    pub fn drop_cancelled(&self) {
        let mut waiting = self.queue.waiting();
        let (cancelled, others): (VecDeque<Job>, VecDeque<Job>) =
            std::mem::take(&mut waiting.jobs).into_iter().partition(Job::is_cancelled);
        waiting.jobs = others;
        drop(waiting);
        cancelled.into_iter().for_each(|job| (job.run)(Err(Failure::cancelled())));
    }

    /// Takes no more jobs; those taken are still done.
    pub fn close(&self) {
        self.queue.waiting().closed = true;
        self.queue.changed.notify_all();
    }
}

/// The threads end with the pool.
impl Drop for Pool {
    fn drop(&mut self) {
        self.close();
    }
}

fn work(queue: &Queue) {
    while let Some(job) = next(queue) {
        // A job answers its own panics; this keeps the thread should the answering itself fail.
        drop(catch_unwind(AssertUnwindSafe(|| (job.run)(Ok(())))));
    }
}

/// Waits for a job; there is none to come once the queue is closed.
fn next(queue: &Queue) -> Option<Job> {
    let mut waiting = queue.waiting();
    loop {
        if let Some(job) = waiting.jobs.pop_front() {
            return Some(job);
        }
        if waiting.closed {
            return None;
        }
        waiting = queue.changed.wait(waiting).unwrap_or_else(PoisonError::into_inner);
    }
}

/// The result of a piece of work; a panic in it is a fault.
pub fn guarded<T>(work: impl FnOnce() -> Result<T>) -> Result<T> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|payload| Err(Failure::from_panic(payload)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::failure::Code;
    use std::sync::mpsc::channel;

    #[test]
    fn a_full_queue_refuses_and_a_panic_ends_no_thread() {
        let pool = Pool::new(1, 1).unwrap();
        let (release, held) = channel::<()>();
        let (started, running) = channel::<()>();
        pool.run(Arc::default(), move |_| {
            started.send(()).unwrap();
            held.recv().unwrap();
            panic!("on purpose");
        });
        running.recv().unwrap();
        let (answer, answered) = channel();
        pool.run(Arc::default(), move |_| answer.send(()).unwrap());
        let (refuse, refused) = channel();
        pool.run(Arc::default(), move |admitted| refuse.send(admitted).unwrap());
        assert_eq!(refused.recv().unwrap().unwrap_err().code, Code::Overloaded);
        release.send(()).unwrap();
        answered.recv().unwrap();
    }

    #[test]
    fn a_cancelled_job_gives_its_place_back_before_its_turn() {
        let pool = Pool::new(1, 1).unwrap();
        let (release, held) = channel::<()>();
        let (started, running) = channel::<()>();
        pool.run(Arc::default(), move |_| {
            started.send(()).unwrap();
            held.recv().unwrap();
        });
        running.recv().unwrap();
        let (answer, answered) = channel();
        let cancelled = Arc::new(AtomicBool::new(false));
        let answer_first = answer.clone();
        pool.run(Arc::clone(&cancelled), move |admitted| answer_first.send(admitted).unwrap());
        cancelled.store(true, Ordering::Relaxed);
        pool.drop_cancelled();
        assert_eq!(answered.recv().unwrap().unwrap_err().code, Code::Cancelled);
        pool.run(Arc::default(), move |admitted| answer.send(admitted).unwrap());
        release.send(()).unwrap();
        answered.recv().unwrap().unwrap();
    }

    #[test]
    fn a_panic_becomes_a_fault() {
        let failure = guarded::<()>(|| panic!("on purpose")).unwrap_err();
        assert_eq!(failure.code, Code::Fault);
        assert!(failure.message.contains("on purpose"));
    }
}
