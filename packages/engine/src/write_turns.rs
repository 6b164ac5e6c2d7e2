//! The turns of one generation's writer on the shared threads, and the queue of its tasks.

use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::failure::{Failure, Result};
use crate::task::{Task, TaskQueue};
use crate::write_threads::{hasten, schedule};
use crate::writer::Writer;

/// Tasks that may wait for the writer.
const QUEUE_MAX: usize = 1024;

/// Delay of the next turn after one that panicked.
const RETRY_AFTER: Duration = Duration::from_secs(1);

enum WriterPlace {
    Here(Box<(Writer, TaskQueue)>),
    /// A turn works with it.
    InTurn,
    Closed,
}

struct State {
    /// `None` once the generation is being closed.
    tasks: Option<SyncSender<Box<Task>>>,
    writer: WriterPlace,
    /// Whether a turn runs or is scheduled.
    has_turn: bool,
}

pub struct WriteTurns {
    state: Mutex<State>,
    turn_ended: Condvar,
}

impl WriteTurns {
    pub fn new(writer: Writer) -> Arc<WriteTurns> {
        let (tasks, queue) = sync_channel(QUEUE_MAX);
        let writer = WriterPlace::Here(Box::new((writer, TaskQueue::new(queue))));
        Arc::new(WriteTurns { state: Mutex::new(State { tasks: Some(tasks), writer, has_turn: false }), turn_ended: Condvar::new() })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Identifies the turns of this writer among those of others.
    fn key(self: &Arc<Self>) -> usize {
        Arc::as_ptr(self).addr()
    }

    /// Queues a task. If that is impossible, returns the task and the reason.
    pub fn submit(self: &Arc<Self>, task: Box<Task>) -> std::result::Result<(), (Box<Task>, Failure)> {
        // Held until the task is queued, so that a turn that ends sees it.
        let mut state = self.state();
        if state.tasks.is_none() {
            return Err((task, closing()));
        }
        if let Err(failure) = self.start(&mut state) {
            return Err((task, failure));
        }
        let Some(tasks) = &state.tasks else { return Err((task, closing())) };
        tasks.try_send(task).map_err(|error| match error {
            TrySendError::Full(task) => (task, Failure::overloaded("too many writes are queued")),
            TrySendError::Disconnected(task) => (task, closing()),
        })
    }

    /// Starts a turn for work that is due without a task.
    pub fn start_turn(self: &Arc<Self>) -> Result<()> {
        self.start(&mut self.state())
    }

    fn start(self: &Arc<Self>, state: &mut State) -> Result<()> {
        match state.writer {
            WriterPlace::Here(_) if state.has_turn => hasten(self.key()),
            WriterPlace::Here(_) => self.schedule(state, Instant::now()),
            // A turn that ends looks for tasks.
            WriterPlace::InTurn | WriterPlace::Closed => Ok(()),
        }
    }

    fn schedule(self: &Arc<Self>, state: &mut State, due_at: Instant) -> Result<()> {
        let turns = Arc::clone(self);
        schedule(self.key(), due_at, move || turns.take_turn())?;
        state.has_turn = true;
        Ok(())
    }

    fn take_turn(self: &Arc<Self>) {
        let mut state = self.state();
        let WriterPlace::Here(mut taken) = mem::replace(&mut state.writer, WriterPlace::InTurn) else {
            // The generation was closed meanwhile.
            state.writer = WriterPlace::Closed;
            return;
        };
        drop(state);
        let (writer, tasks) = &mut *taken;
        // The writer handles panics of its work. A turn gives it back in any case.
        let due_at = catch_unwind(AssertUnwindSafe(|| writer.take_turn(tasks))).unwrap_or_else(|_| Some(Instant::now() + RETRY_AFTER));
        let mut state = self.state();
        let due_at = if tasks.is_empty() { due_at } else { Some(Instant::now()) };
        state.writer = WriterPlace::Here(taken);
        state.has_turn = false;
        if let Some(due_at) = due_at {
            // It cannot fail: this thread can take the turn.
            self.schedule(&mut state, due_at).ok();
        }
        self.turn_ended.notify_all();
    }

    /// Accepts no more tasks, waits for the end of a running turn, and returns the writer with the tasks that are left.
    pub fn close(&self) -> Option<(Writer, TaskQueue)> {
        let mut state = self.state();
        state.tasks = None;
        while matches!(state.writer, WriterPlace::InTurn) {
            state = self.turn_ended.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        match mem::replace(&mut state.writer, WriterPlace::Closed) {
            WriterPlace::Here(parts) => Some(*parts),
            WriterPlace::InTurn | WriterPlace::Closed => None,
        }
    }

    #[cfg(test)]
    pub fn has_turn(&self) -> bool {
        self.state().has_turn
    }
}

fn closing() -> Failure {
    Failure::unavailable("the generation is being closed")
}
