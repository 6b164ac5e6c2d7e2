//! The threads that write to generations. There are few of them, however many generations are written to: generations take turns.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Condvar, LazyLock, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use crate::failure::{Failure, Result};
use crate::pool::lower_thread_priority;

/// Two threads for each core, because some of them wait for the disk. Read once: the system finds the number of cores in files.
static THREADS_MAX: LazyLock<usize> = LazyLock::new(|| {
    let cores = thread::available_parallelism().map_or(1, usize::from);
    (cores * 2).clamp(4, 16)
});

/// A thread ends if there is nothing to wait for during this time.
const IDLE_MAX: Duration = Duration::from_millis(500);

thread_local! {
    static IS_WRITE_THREAD: Cell<bool> = const { Cell::new(false) };
}

struct Turn {
    /// Identifies the generation.
    key: usize,
    due_at: Instant,
    run: Box<dyn FnOnce() + Send>,
}

struct State {
    /// Threads, without those that run [`run_waiting`].
    threads: usize,
    /// Threads that wait for a turn.
    idle: usize,
    /// Turns that are due run in this order.
    turns: Vec<Turn>,
}

static STATE: Mutex<State> = Mutex::new(State { threads: 0, idle: 0, turns: Vec::new() });
static CHANGED: Condvar = Condvar::new();

fn lock_state() -> MutexGuard<'static, State> {
    STATE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Runs the turn when it is due and a thread is free. Fails if no thread runs and none can be started.
pub fn schedule(key: usize, due_at: Instant, run: impl FnOnce() + Send + 'static) -> Result<()> {
    let mut state = lock_state();
    provide_thread(&mut state)?;
    state.turns.push(Turn { key, due_at, run: Box::new(run) });
    CHANGED.notify_one();
    Ok(())
}

/// Makes the scheduled turn due now.
pub fn hasten(key: usize) -> Result<()> {
    let mut state = lock_state();
    provide_thread(&mut state)?;
    if let Some(turn) = state.turns.iter_mut().find(|turn| turn.key == key) {
        turn.due_at = Instant::now();
    }
    CHANGED.notify_one();
    Ok(())
}

/// Runs work that mostly waits for other threads. Meanwhile another thread takes the turns of the calling one.
pub fn run_waiting<T>(work: impl FnOnce() -> T) -> T {
    if !IS_WRITE_THREAD.get() {
        return work();
    }
    let mut state = lock_state();
    state.threads -= 1;
    if !state.turns.is_empty() {
        // Without another thread, the turns wait for this one.
        drop(provide_thread(&mut state));
    }
    drop(state);
    let _counted_again = CountedAgain;
    work()
}

struct CountedAgain;

impl Drop for CountedAgain {
    fn drop(&mut self) {
        lock_state().threads += 1;
    }
}

fn provide_thread(state: &mut State) -> Result<()> {
    let now = Instant::now();
    let due_count = state.turns.iter().filter(|turn| turn.due_at <= now).count();
    if state.idle > due_count || state.threads >= *THREADS_MAX {
        return Ok(());
    }
    match thread::Builder::new().name("querent-write".into()).spawn(run_turns) {
        Ok(_) => state.threads += 1,
        Err(error) if state.threads == 0 => return Err(Failure::no_thread(&error)),
        // A running thread takes the turn.
        Err(_) => {}
    }
    Ok(())
}

fn run_turns() {
    lower_thread_priority();
    IS_WRITE_THREAD.set(true);
    while let Some(run) = wait_for_turn() {
        // A turn handles its own panics. This keeps the thread alive if that fails.
        drop(catch_unwind(AssertUnwindSafe(run)));
    }
}

/// Returns the first turn that is due. Returns `None` if there is none for a while, or if there are too many threads after one waited: then the
/// calling thread ends.
fn wait_for_turn() -> Option<Box<dyn FnOnce() + Send>> {
    let mut state = lock_state();
    loop {
        if state.threads > *THREADS_MAX {
            state.threads -= 1;
            return None;
        }
        let now = Instant::now();
        if let Some(position) = state.turns.iter().position(|turn| turn.due_at <= now) {
            let turn = state.turns.remove(position);
            if state.idle == 0 && !state.turns.is_empty() {
                // Somebody has to be there when the others are due. Without another thread, they wait for this one.
                drop(provide_thread(&mut state));
            }
            return Some(turn.run);
        }
        let timeout = state.turns.iter().map(|turn| turn.due_at - now).min();
        state.idle += 1;
        let (next_state, wait) = CHANGED.wait_timeout(state, timeout.unwrap_or(IDLE_MAX)).unwrap_or_else(PoisonError::into_inner);
        state = next_state;
        state.idle -= 1;
        let is_needed = !state.turns.is_empty() && state.idle == 0;
        if wait.timed_out() && !is_needed && state.turns.iter().all(|turn| turn.due_at > Instant::now()) {
            state.threads -= 1;
            return None;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::mpsc::channel;

    #[test]
    fn more_turns_than_threads_all_run_and_the_number_of_threads_is_bounded() {
        let running = Arc::new(AtomicUsize::new(0));
        let (sender, receiver) = channel();
        for key in 0..*THREADS_MAX * 4 {
            let (running, sender) = (Arc::clone(&running), sender.clone());
            let run = move || {
                let count = running.fetch_add(1, Ordering::SeqCst) + 1;
                thread::yield_now();
                running.fetch_sub(1, Ordering::SeqCst);
                sender.send(count).unwrap();
            };
            schedule(key, Instant::now(), run).unwrap();
        }
        schedule(usize::MAX, Instant::now(), || panic!("on purpose")).unwrap();
        let counts: Vec<usize> = receiver.iter().take(*THREADS_MAX * 4).collect();
        assert!(counts.iter().all(|count| *count <= *THREADS_MAX), "{counts:?}");
    }

    #[test]
    fn a_turn_that_is_due_later_does_not_wait_for_a_long_one() {
        let (sender, receiver) = channel();
        let (release, released) = channel::<()>();
        let second = sender.clone();
        // Both are scheduled before any thread looks.
        let mut state = lock_state();
        let now = Instant::now();
        let long = move || {
            released.recv().unwrap();
            sender.send("long").unwrap();
        };
        state.turns.push(Turn { key: 2_000_001, due_at: now, run: Box::new(long) });
        let later = move || second.send("later").unwrap();
        state.turns.push(Turn { key: 2_000_002, due_at: now + Duration::from_millis(20), run: Box::new(later) });
        provide_thread(&mut state).unwrap();
        drop(state);
        assert_eq!(receiver.recv().unwrap(), "later");
        release.send(()).unwrap();
        assert_eq!(receiver.recv().unwrap(), "long");
    }

    #[test]
    fn threads_that_wait_leave_their_turns_to_others() {
        let (sender, receiver) = channel();
        let releases: Vec<_> = (0..*THREADS_MAX)
            .map(|index| {
                let (release, released) = channel::<()>();
                let sender = sender.clone();
                let run = move || {
                    run_waiting(|| released.recv().unwrap());
                    sender.send("waited").unwrap();
                };
                schedule(3_000_000 + index, Instant::now(), run).unwrap();
                release
            })
            .collect();
        let other = sender.clone();
        schedule(4_000_000, Instant::now(), move || other.send("other").unwrap()).unwrap();
        assert_eq!(receiver.recv().unwrap(), "other");
        releases.iter().for_each(|release| release.send(()).unwrap());
        assert!(receiver.iter().take(*THREADS_MAX).all(|name| name == "waited"));
    }

    #[test]
    fn a_turn_runs_when_it_is_due_or_hastened() {
        let (sender, receiver) = channel();
        let schedule_late = |key: usize, seconds: u64| {
            let sender = sender.clone();
            schedule(key, Instant::now() + Duration::from_secs(seconds), move || sender.send(key).unwrap()).unwrap();
        };
        schedule_late(1_000_001, 3600);
        schedule_late(1_000_002, 3600);
        hasten(1_000_002).unwrap();
        assert_eq!(receiver.recv().unwrap(), 1_000_002);
        schedule_late(1_000_003, 0);
        assert_eq!(receiver.recv().unwrap(), 1_000_003);
        hasten(1_000_001).unwrap();
        assert_eq!(receiver.recv().unwrap(), 1_000_001);
    }
}
