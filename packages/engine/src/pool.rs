//! The threads that search, and the bounded queue in front of them.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use crate::failure::{Failure, Result};

/// Called with an error when it was not admitted.
type Job = Box<dyn FnOnce(Result<()>) + Send>;

pub struct Pool {
    queue: Mutex<Option<SyncSender<Job>>>,
}

impl Pool {
    pub fn new(threads: usize, queue_max: usize) -> Result<Pool> {
        let (queue, jobs) = sync_channel::<Job>(queue_max.max(1));
        let jobs = Arc::new(Mutex::new(jobs));
        for number in 0..threads.max(1) {
            let jobs = Arc::clone(&jobs);
            thread::Builder::new().name(format!("querent-search-{number}")).spawn(move || work(&jobs))?;
        }
        Ok(Pool { queue: Mutex::new(Some(queue)) })
    }

    /// Runs the job on a thread of the pool; tells it at once when the queue is full.
    pub fn run(&self, job: impl FnOnce(Result<()>) + Send + 'static) {
        let refused = match self.queue.lock().unwrap_or_else(PoisonError::into_inner).as_ref() {
            None => TrySendError::Disconnected(Box::new(job) as Job),
            Some(queue) => match queue.try_send(Box::new(job)) {
                Ok(()) => return,
                Err(refused) => refused,
            },
        };
        match refused {
            TrySendError::Full(job) => job(Err(Failure::overloaded("too many searches are waiting"))),
            TrySendError::Disconnected(job) => job(Err(Failure::unavailable("the engine is closed"))),
        }
    }

    /// Takes no more jobs; those taken are still done.
    pub fn close(&self) {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner).take();
    }
}

fn work(jobs: &Mutex<Receiver<Job>>) {
    loop {
        let job = jobs.lock().unwrap_or_else(PoisonError::into_inner).recv();
        match job {
            // A job answers its own panics; this keeps the thread should the answering itself fail.
            Ok(job) => drop(catch_unwind(AssertUnwindSafe(|| job(Ok(()))))),
            Err(_) => return,
        }
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
        pool.run(move |_| {
            started.send(()).unwrap();
            held.recv().unwrap();
            panic!("on purpose");
        });
        running.recv().unwrap();
        let (answer, answered) = channel();
        pool.run(move |_| answer.send(()).unwrap());
        let (refuse, refused) = channel();
        pool.run(move |admitted| refuse.send(admitted).unwrap());
        assert_eq!(refused.recv().unwrap().unwrap_err().code, Code::Overloaded);
        release.send(()).unwrap();
        answered.recv().unwrap();
    }

    #[test]
    fn a_panic_becomes_a_fault() {
        let failure = guarded::<()>(|| panic!("on purpose")).unwrap_err();
        assert_eq!(failure.code, Code::Fault);
        assert!(failure.message.contains("on purpose"));
    }
}
