//! The tasks of a write thread, and how it takes several at once.

use std::sync::mpsc::Receiver;

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

/// Returns the first task and the tasks already queued behind it, up to the largest batch.
pub fn collect_batch(first: Task, tasks: &Receiver<Box<Task>>) -> Vec<Task> {
    let mut bytes = task_bytes(&first);
    let mut batch = vec![first];
    while batch.len() < BATCH_TASKS_MAX && bytes < BATCH_BYTES_MAX {
        let Ok(task) = tasks.try_recv() else { break };
        bytes += task_bytes(&task);
        batch.push(*task);
    }
    batch
}

fn task_bytes(task: &Task) -> usize {
    let Task::Write { writes, .. } = task else { return 0 };
    writes.iter().map(Write::size).sum()
}
