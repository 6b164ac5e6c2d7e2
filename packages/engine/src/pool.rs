//! The threads that search, and the bounded queue in front of them. Owners of searches take turns, and a short search of one waits for no long
//! one of another.

use std::collections::{HashMap, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use crate::failure::{Failure, Result};
use crate::idle_cores::WaitingSearch;

/// Further threads, for owners without a running job while all ordinary threads are busy with long jobs.
const EXTRA_THREADS: usize = 4;

/// A job that runs for this time is long. Before that, the next job waits for it, because two at once on one core take longer.
const LONG: Duration = Duration::from_millis(10);

struct Job {
    owner: Arc<str>,
    /// Called with an error if the job was rejected.
    run: Box<dyn FnOnce(Result<()>) + Send>,
    cancelled: Arc<AtomicBool>,
    waiting: WaitingSearch,
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

struct Queue {
    state: Mutex<QueueState>,
    /// A job was added. Ordinary threads wait for it.
    added: Condvar,
    /// A job was added while all ordinary threads are busy. Extra threads wait for it.
    delayed: Condvar,
}

struct QueueState {
    jobs: VecDeque<Job>,
    /// Running jobs by owner.
    running: HashMap<Arc<str>, usize>,
    /// When each ordinary thread started its job.
    started: Vec<Option<Instant>>,
    /// Whether an extra thread looks after delayed jobs.
    is_watched: bool,
    closed: bool,
}

impl QueueState {
    fn running(&self, owner: &str) -> usize {
        self.running.get(owner).copied().unwrap_or_default()
    }

    /// Takes the first job among those whose owner has the fewest running ones.
    fn take_next(&mut self) -> Option<Job> {
        let position = match self.jobs.len() {
            0 | 1 => 0,
            _ => self.jobs.iter().enumerate().min_by_key(|(_, job)| self.running(&job.owner))?.0,
        };
        self.take(position)
    }

    fn take(&mut self, position: usize) -> Option<Job> {
        let job = self.jobs.remove(position)?;
        *self.running.entry(Arc::clone(&job.owner)).or_default() += 1;
        Some(job)
    }

    fn end(&mut self, owner: &Arc<str>) {
        if let Some(count) = self.running.get_mut(owner) {
            *count -= 1;
            if *count == 0 {
                self.running.remove(owner);
            }
        }
    }

    /// The first job whose owner has none running.
    fn delayed_job(&self) -> Option<usize> {
        self.jobs.iter().position(|job| self.running(&job.owner) == 0)
    }

    /// When all ordinary threads will have long jobs; `None` while one of them is free.
    fn all_long_at(&self) -> Option<Instant> {
        let started: Option<Vec<Instant>> = self.started.iter().copied().collect();
        started?.into_iter().max().map(|newest| newest + LONG)
    }
}

impl Queue {
    fn state(&self) -> MutexGuard<'_, QueueState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Wakes an extra thread if a job may need one and none of them knows yet.
    fn watch_delayed(&self, state: &QueueState) {
        if !state.is_watched && state.started.iter().all(Option::is_some) && state.delayed_job().is_some() {
            self.delayed.notify_one();
        }
    }
}

impl Pool {
    pub fn new(threads: usize, queue_max: usize) -> Result<Pool> {
        let threads = threads.max(1);
        let state =
            QueueState { jobs: VecDeque::new(), running: HashMap::new(), started: vec![None; threads], is_watched: false, closed: false };
        let queue = Arc::new(Queue { state: Mutex::new(state), added: Condvar::new(), delayed: Condvar::new() });
        for number in 0..threads {
            let queue = Arc::clone(&queue);
            thread::Builder::new().name(format!("querent-search-{number}")).spawn(move || work(&queue, number))?;
        }
        for _ in 0..EXTRA_THREADS {
            let queue = Arc::clone(&queue);
            thread::Builder::new().name("querent-search-x".into()).spawn(move || work_beside(&queue))?;
        }
        Ok(Pool { queue, queue_max: queue_max.max(1) })
    }

    /// Runs the job of the owner on a thread of the pool. Calls it at once with an error if the queue is full.
    pub fn run(&self, owner: Arc<str>, cancelled: Arc<AtomicBool>, job: impl FnOnce(Result<()>) + Send + 'static) {
        let mut state = self.queue.state();
        let failure = if state.closed {
            Failure::unavailable("the engine is closed")
        } else if state.jobs.len() >= self.queue_max {
            Failure::overloaded("too many searches are queued")
        } else {
            state.jobs.push_back(Job { owner, run: Box::new(job), cancelled, waiting: WaitingSearch::count() });
            self.queue.watch_delayed(&state);
            drop(state);
            return self.queue.added.notify_one();
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
        self.queue.added.notify_all();
        self.queue.delayed.notify_all();
    }
}

/// Ends the threads once the queue is empty.
impl Drop for Pool {
    fn drop(&mut self) {
        self.close();
    }
}

fn run_job(Job { owner, run, waiting, .. }: Job) -> Arc<str> {
    // A job handles its own panics. This keeps the thread alive if that fails.
    waiting.run(|| drop(catch_unwind(AssertUnwindSafe(|| run(Ok(()))))));
    owner
}

/// Works as the ordinary thread with this number until the queue is closed and empty.
fn work(queue: &Queue, number: usize) {
    let mut state = queue.state();
    loop {
        if let Some(job) = state.take_next() {
            state.started[number] = Some(Instant::now());
            queue.watch_delayed(&state);
            drop(state);
            let owner = run_job(job);
            state = queue.state();
            state.end(&owner);
            state.started[number] = None;
        } else if state.closed {
            return;
        } else {
            state = queue.added.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// Works as an extra thread until the queue is closed. One of them at a time looks after delayed jobs.
fn work_beside(queue: &Queue) {
    let mut state = queue.state();
    while !state.closed {
        let (Some(position), Some(due_at), false) = (state.delayed_job(), state.all_long_at(), state.is_watched) else {
            state = queue.delayed.wait(state).unwrap_or_else(PoisonError::into_inner);
            continue;
        };
        let now = Instant::now();
        if due_at > now {
            state.is_watched = true;
            (state, _) = queue.delayed.wait_timeout(state, due_at - now).unwrap_or_else(PoisonError::into_inner);
            state.is_watched = false;
            continue;
        }
        let Some(job) = state.take(position) else { continue };
        drop(state);
        // Another one looks after the other jobs.
        queue.delayed.notify_one();
        let owner = run_job(job);
        state = queue.state();
        state.end(&owner);
    }
}

/// Runs the work and turns a panic into a fault.
pub fn catch_panic<T>(work: impl FnOnce() -> Result<T>) -> Result<T> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|payload| Err(Failure::from_panic(payload)))
}

/// Lowers the priority of this thread and of the threads that it starts (indexing, merging). An import then uses the processor time that
/// searches leave, and a small share when they leave none. On Linux each thread has its own priority, see setpriority(2). Threads inherit it, so
/// the new one is relative to that of the process.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub fn lower_thread_priority() {
    // SAFETY: setpriority has no preconditions. If it fails, the thread keeps its priority.
    unsafe {
        libc::setpriority(libc::PRIO_PROCESS, 0, niceness(std::process::id()) + NICE_INCREMENT);
    }
}

#[cfg(all(target_os = "linux", target_env = "gnu"))]
const NICE_INCREMENT: i32 = 15;

/// The niceness of the process's first thread, or with 0 of the calling thread.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
fn niceness(id: u32) -> i32 {
    // SAFETY: getpriority has no preconditions.
    unsafe { libc::getpriority(libc::PRIO_PROCESS, id) }
}

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub fn lower_thread_priority() {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::failure::Code;
    use std::sync::atomic::AtomicUsize;
    use std::sync::mpsc::{Sender, channel};

    #[test]
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    fn a_thread_of_low_priority_starts_others_of_the_same_priority() {
        const NICENESS_MAX: i32 = 19;
        let lower = || {
            lower_thread_priority();
            niceness(0)
        };
        let outer = thread::spawn(move || (lower(), thread::spawn(lower).join().unwrap()));
        let expected = (niceness(std::process::id()) + NICE_INCREMENT).min(NICENESS_MAX);
        assert_eq!(outer.join().unwrap(), (expected, expected));
    }

    #[test]
    fn a_full_queue_rejects_jobs_and_a_panic_does_not_end_the_thread() {
        let pool = Pool::new(1, 1).unwrap();
        let (release, blocker) = channel::<()>();
        let (started, running) = channel::<()>();
        pool.run("a".into(), Arc::default(), move |_| {
            started.send(()).unwrap();
            blocker.recv().unwrap();
            panic!("on purpose");
        });
        running.recv().unwrap();
        let (queued_sender, queued_receiver) = channel();
        pool.run("a".into(), Arc::default(), move |_| queued_sender.send(()).unwrap());
        let (rejected_sender, rejected_receiver) = channel();
        pool.run("a".into(), Arc::default(), move |admission| rejected_sender.send(admission).unwrap());
        assert_eq!(rejected_receiver.recv().unwrap().unwrap_err().code, Code::Overloaded);
        release.send(()).unwrap();
        queued_receiver.recv().unwrap();
    }

    #[test]
    fn cancelling_a_queued_job_frees_its_slot_at_once() {
        let pool = Pool::new(1, 1).unwrap();
        let (release, blocker) = channel::<()>();
        let (started, running) = channel::<()>();
        pool.run("a".into(), Arc::default(), move |_| {
            started.send(()).unwrap();
            blocker.recv().unwrap();
        });
        running.recv().unwrap();
        let (sender, receiver) = channel();
        let cancelled = Arc::new(AtomicBool::new(false));
        let first_sender = sender.clone();
        pool.run("a".into(), Arc::clone(&cancelled), move |admission| first_sender.send(admission).unwrap());
        cancelled.store(true, Ordering::Relaxed);
        pool.remove_cancelled();
        assert_eq!(receiver.recv().unwrap().unwrap_err().code, Code::Cancelled);
        pool.run("a".into(), Arc::default(), move |admission| sender.send(admission).unwrap());
        release.send(()).unwrap();
        receiver.recv().unwrap().unwrap();
    }

    /// Occupies the only ordinary thread with a job of `a`. It ends when the returned sender is dropped.
    fn occupy(pool: &Pool) -> Sender<()> {
        let (release, blocker) = channel::<()>();
        let (started, running) = channel::<()>();
        pool.run("a".into(), Arc::default(), move |_| {
            started.send(()).unwrap();
            blocker.recv().ok();
        });
        running.recv().unwrap();
        release
    }

    #[test]
    fn a_job_waits_for_no_long_one_of_another_owner() {
        let pool = Pool::new(1, 100).unwrap();
        let release = occupy(&pool);
        let (sender, receiver) = channel();
        for (name, owner) in [("a1", "a"), ("a2", "a"), ("b1", "b"), ("c1", "c"), ("b2", "b")] {
            let sender = sender.clone();
            pool.run(owner.into(), Arc::default(), move |_| sender.send(name).unwrap());
        }
        let mut others: Vec<_> = receiver.iter().take(3).collect();
        others.sort_unstable();
        assert_eq!(others, ["b1", "b2", "c1"]);
        assert!(receiver.try_recv().is_err(), "the next job of the same owner waits");
        drop(release);
        assert_eq!(receiver.iter().take(2).collect::<Vec<_>>(), ["a1", "a2"]);
    }

    #[test]
    fn jobs_of_one_owner_use_one_extra_thread_at_most() {
        let pool = Pool::new(1, 100).unwrap();
        let _release = occupy(&pool);
        let (sender, receiver) = channel();
        let running = Arc::new(AtomicUsize::new(0));
        for _ in 0..50 {
            let (sender, running) = (sender.clone(), Arc::clone(&running));
            pool.run("b".into(), Arc::default(), move |_| {
                sender.send(running.fetch_add(1, Ordering::SeqCst) + 1).unwrap();
                thread::yield_now();
                running.fetch_sub(1, Ordering::SeqCst);
            });
        }
        assert!(receiver.iter().take(50).all(|count| count == 1));
    }

    #[test]
    fn a_panic_becomes_a_fault() {
        let failure = catch_panic::<()>(|| panic!("on purpose")).unwrap_err();
        assert_eq!(failure.code, Code::Fault);
        assert!(failure.message.contains("on purpose"));
    }
}
