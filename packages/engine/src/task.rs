//! The tasks of a writer, their queue, and how it takes several at once.

use std::sync::mpsc::{Receiver, TryRecvError};

use crate::failure::Failure;
use crate::plan::Plan;
use crate::responder::Responder;
use crate::search::SearchReply;
use crate::store::Write;

/// The largest batch of tasks.
const BATCH_TASKS_MAX: usize = 512;
const BATCH_BYTES_MAX: usize = 8 * 1024 * 1024;

pub enum Task {
    Write {
        writes: Vec<Write>,
        responder: Responder<()>,
    },
    Refresh {
        responder: Responder<()>,
    },
    DeleteMatching {
        plan: Box<Plan>,
        responder: Responder<u64>,
    },
    /// A search failed, possibly because the index is damaged.
    CheckIndex {
        failure: Failure,
        responder: Responder<SearchReply>,
    },
}

impl Task {
    pub fn reject(self, failure: Failure) {
        match self {
            Task::Write { responder, .. } | Task::Refresh { responder } => responder.send(Err(failure)),
            Task::DeleteMatching { responder, .. } => responder.send(Err(failure)),
            Task::CheckIndex { failure, responder } => responder.send(Err(failure)),
        }
    }
}

/// The receiving end of a queue of tasks. Tasks are boxed because the queue allocates all its slots up front.
pub struct TaskQueue {
    receiver: Receiver<Box<Task>>,
    /// The first task, if `is_empty` took it.
    first: Option<Box<Task>>,
    is_closed: bool,
}

impl TaskQueue {
    pub fn new(receiver: Receiver<Box<Task>>) -> TaskQueue {
        TaskQueue { receiver, first: None, is_closed: false }
    }

    pub fn next(&mut self) -> Option<Box<Task>> {
        let received = self.first.take().map_or_else(|| self.receiver.try_recv(), Ok);
        self.is_closed = received.as_ref().is_err_and(|error| *error == TryRecvError::Disconnected);
        received.ok()
    }

    /// Whether `next` found that there will be no more tasks.
    pub fn is_closed(&self) -> bool {
        self.is_closed
    }

    pub fn is_empty(&mut self) -> bool {
        self.first = self.next();
        self.first.is_none()
    }
}

/// Returns the first task and the tasks already queued behind it, up to the largest batch.
pub fn collect_batch(first: Task, tasks: &mut TaskQueue) -> Vec<Task> {
    let mut bytes = task_bytes(&first);
    let mut batch = vec![first];
    while batch.len() < BATCH_TASKS_MAX && bytes < BATCH_BYTES_MAX {
        let Some(task) = tasks.next() else { break };
        bytes += task_bytes(&task);
        batch.push(*task);
    }
    batch
}

fn task_bytes(task: &Task) -> usize {
    let Task::Write { writes, .. } = task else { return 0 };
    writes.iter().map(Write::size).sum()
}
