//! The one thread of a generation that writes: it takes what has queued up, stores it in one transaction, and lets the index follow.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use crate::answer::Answer;
use crate::failure::{Failure, Result};
use crate::follower::Follower;
use crate::generation::{Readiness, Rested, Shared};
use crate::plan::Plan;
use crate::pool::guarded;
use crate::rebuild::{Progress, Rebuild};
use crate::search::{self, Found};
use crate::snapshot::Snapshot;
use crate::store::{Change, Store, Write};

/// Without a refresh, a write is findable after this time.
const COMMIT_AFTER: Duration = Duration::from_millis(800);

/// How often an idle thread looks for merged segments, and how often until it gives the writer's memory back.
const IDLE_CHECK: Duration = Duration::from_secs(1);
const IDLE_CHECKS_UNTIL_REST: u32 = 20;

/// An index that was found to be sound is not looked at again for so long.
const INSPECT_AFTER: Duration = Duration::from_secs(60);

/// Tasks taken together, at most.
const TASKS_AT_ONCE_MAX: usize = 64;
const BYTES_AT_ONCE_MAX: usize = 8 * 1024 * 1024;

pub enum Task {
    Write {
        writes: Vec<Write>,
        answer: Answer<()>,
    },
    Refresh {
        answer: Answer<()>,
    },
    DeleteMatching {
        plan: Plan,
        answer: Answer<u64>,
    },
    /// A search failed in a way that a damaged index may be the cause of.
    Inspect {
        failure: Failure,
        answer: Answer<Found>,
    },
}

impl Task {
    pub fn refuse(self, failure: Failure) {
        match self {
            Task::Write { answer, .. } | Task::Refresh { answer } => answer.send(Err(failure)),
            Task::DeleteMatching { answer, .. } => answer.send(Err(failure)),
            Task::Inspect { failure, answer } => answer.send(Err(failure)),
        }
    }
}

pub struct Writer {
    store: Store,
    follower: Follower,
    shared: Arc<Shared>,
    epoch: u64,
    /// Sequence of the last stored write; the index is behind while its commit is before it.
    stored: u64,
    waiting_since: Option<Instant>,
    idle_checks: u32,
    /// Snapshots that somebody may still search.
    living: Vec<Weak<Snapshot>>,
    /// The index is lost, and searches are refused until this is done.
    rebuild: Option<Rebuild>,
    /// When the index was last found to be sound.
    inspected: Option<Instant>,
}

impl Writer {
    pub fn new(store: Store, follower: Follower, shared: Arc<Shared>, stored: u64, epoch: u64, rebuild: Option<Rebuild>) -> Writer {
        let living = shared.snapshot().iter().map(Arc::downgrade).collect();
        Writer { store, follower, shared, epoch, stored, waiting_since: None, idle_checks: 0, living, rebuild, inspected: None }
    }

    /// Works until the sender of tasks is gone, then leaves a complete index behind, unless it is to be dropped anyway. Gives how it was left.
    pub fn run(mut self, tasks: &Receiver<Box<Task>>, dropped: &AtomicBool) -> Option<Rested> {
        loop {
            let next = match self.patience() {
                Some(patience) => tasks.recv_timeout(patience),
                None => tasks.recv().map_err(|_| RecvTimeoutError::Disconnected),
            };
            let outcome = match next {
                Ok(task) => {
                    self.idle_checks = 0;
                    guarded(|| {
                        self.perform(take_together(*task, tasks));
                        Ok(())
                    })
                }
                Err(RecvTimeoutError::Timeout) => guarded(|| self.idle()),
                Err(RecvTimeoutError::Disconnected) => break,
            };
            if let Err(failure) = outcome {
                self.follower.abandon_writer();
                self.waiting_since = self.is_behind().then(Instant::now);
                self.inspect(failure);
            }
        }
        if let Some(mut rebuild) = self.rebuild.take() {
            // It starts again at the next open: closing does not wait for it.
            self.follower.abandon_writer();
            rebuild.answer(&Err(Failure::unavailable("the generation is being closed")));
            return None;
        }
        // What fails here is done again at the next open.
        let rested = if dropped.load(Ordering::SeqCst) { None } else { guarded(|| self.leave()).ok() };
        drop(guarded(|| self.follower.rest()));
        rested
    }

    fn leave(&mut self) -> Result<Rested> {
        self.refresh()?;
        self.follower.rest()?;
        if self.follower.take_merged()? {
            self.epoch = self.store.next_epoch()?;
        }
        Ok(Rested {
            documents: self.follower.searcher().num_docs(),
            version: self.follower.committed() + self.epoch,
            epoch: self.epoch,
            index: self.follower.state()?,
        })
    }

    /// How long to wait for a task before something else is due.
    fn patience(&self) -> Option<Duration> {
        if let Some(rebuild) = &self.rebuild {
            return Some(rebuild.patience());
        }
        match self.waiting_since {
            Some(since) => Some(COMMIT_AFTER.saturating_sub(since.elapsed())),
            None => self.follower.has_writer().then_some(IDLE_CHECK),
        }
    }

    fn perform(&mut self, tasks: Vec<Task>) {
        let mut writes = Vec::new();
        let mut refreshes = Vec::new();
        for task in tasks {
            match task {
                Task::Write { writes: group, answer } => writes.push((group, answer)),
                Task::Refresh { answer } => refreshes.push(answer),
                Task::DeleteMatching { plan, answer } => {
                    self.write(std::mem::take(&mut writes));
                    let result = guarded(|| self.delete_matching(&plan));
                    answer.send(result);
                }
                Task::Inspect { failure, answer } => {
                    let failure = self.inspect(failure);
                    answer.send(Err(failure));
                }
            }
        }
        self.write(writes);
        if let Some(rebuild) = &mut self.rebuild {
            return rebuild.wait_for(refreshes);
        }
        let overdue = self.waiting_since.is_some_and(|since| since.elapsed() >= COMMIT_AFTER);
        if refreshes.is_empty() && !overdue {
            return;
        }
        let result = guarded(|| self.refresh()).map_err(|failure| {
            self.follower.abandon_writer();
            self.waiting_since = Some(Instant::now());
            self.inspect(failure)
        });
        refreshes.into_iter().for_each(|answer| answer.send(result.clone()));
        if result.is_ok() {
            // A purge that fails is tried again after the next refresh; nobody waits for it.
            drop(self.purge());
        }
    }

    /// Stores the groups in one transaction; each is answered when it is durable, before the index has followed.
    fn write(&mut self, requests: Vec<(Vec<Write>, Answer<()>)>) {
        let (groups, answers): (Vec<_>, Vec<_>) = requests.into_iter().unzip();
        if groups.is_empty() {
            return;
        }
        match guarded(|| self.store.apply(&groups)) {
            Ok(changes) => {
                answers.into_iter().for_each(|answer| answer.send(Ok(())));
                self.follow(&changes);
            }
            // One group must not fail for another's sake.
            Err(_) if groups.len() > 1 => {
                groups.into_iter().zip(answers).for_each(|request| self.write(vec![request]));
            }
            Err(failure) => answers.into_iter().for_each(|answer| answer.send(Err(failure.clone()))),
        }
    }

    fn follow(&mut self, changes: &[Change]) {
        let Some(last) = changes.last() else { return };
        // After a failure the index lacks earlier writes too: those come first, in order, by catching up.
        let gap = self.follower.fed() < self.stored;
        self.stored = last.sequence;
        if self.rebuild.is_some() {
            return;
        }
        self.waiting_since.get_or_insert_with(Instant::now);
        // The writes are stored and acknowledged; what fails here is caught up with at the next refresh.
        if !gap && guarded(|| self.follower.feed(&self.shared.schema, changes)).is_err() {
            self.follower.abandon_writer();
        }
    }

    fn is_behind(&self) -> bool {
        self.stored > self.follower.committed()
    }

    fn refresh(&mut self) -> Result<()> {
        if self.is_behind() {
            if self.follower.fed() < self.stored {
                self.follower.catch_up(&self.shared.schema, &self.store)?;
            }
            self.follower.commit(&self.shared.schema)?;
            self.publish();
        }
        self.waiting_since = None;
        Ok(())
    }

    fn delete_matching(&mut self, plan: &Plan) -> Result<u64> {
        if let Some(rebuild) = &self.rebuild {
            return Err(rebuild.progress.failure());
        }
        self.refresh()?;
        let snapshot = self.shared.snapshot()?;
        let ids = search::ids_of_matching(&snapshot, &self.shared, plan)?;
        let writes: Vec<_> = ids.into_iter().map(|id| Write { id, entity: None }).collect();
        let changes = self.store.apply(&[writes])?;
        self.follow(&changes);
        Ok(changes.len() as u64)
    }

    fn idle(&mut self) -> Result<()> {
        if self.rebuild.is_some() {
            self.go_on_rebuilding();
            return Ok(());
        }
        if self.waiting_since.is_some() {
            self.refresh()?;
            return self.purge();
        }
        self.idle_checks += 1;
        if self.idle_checks >= IDLE_CHECKS_UNTIL_REST {
            self.follower.rest()?;
        }
        // Merging drops deleted documents from the statistics that scores are made of, so it counts as a change.
        if self.follower.take_merged()? {
            self.epoch = self.store.next_epoch()?;
            self.publish();
        }
        self.purge()
    }

    fn publish(&mut self) {
        let sequence = self.follower.committed();
        let snapshot = Arc::new(Snapshot::new(self.follower.searcher(), sequence, sequence + self.epoch));
        self.living.push(Arc::downgrade(&snapshot));
        self.shared.publish(Readiness::Ready(snapshot));
    }

    /// Begins to build the index again if it is damaged. Gives the failure to tell: that it is being rebuilt, else the one that came.
    fn inspect(&mut self, failure: Failure) -> Failure {
        if let Some(rebuild) = &self.rebuild {
            return rebuild.progress.failure();
        }
        if !failure.suspect || self.inspected.is_some_and(|at| at.elapsed() < INSPECT_AFTER) {
            return failure;
        }
        let Some(reason) = self.follower.damage(&self.shared.schema) else {
            self.inspected = Some(Instant::now());
            return failure;
        };
        match guarded(|| self.begin_rebuilding(reason)) {
            Ok(progress) => progress.failure(),
            Err(failure) => failure,
        }
    }

    fn begin_rebuilding(&mut self, reason: &'static str) -> Result<Arc<Progress>> {
        self.epoch = self.store.next_epoch()?;
        let progress = Arc::new(Progress::new(reason, self.store.count()?, self.stored + self.epoch));
        self.shared.publish(Readiness::Rebuilding(Arc::clone(&progress)));
        self.rebuild = Some(Rebuild::new(Arc::clone(&progress), self.stored));
        self.waiting_since = None;
        Ok(progress)
    }

    /// Builds in the next page of documents; after the last, searches are answered again.
    fn go_on_rebuilding(&mut self) {
        let Some(mut rebuild) = self.rebuild.take() else { return };
        match guarded(|| self.rebuild_page(&mut rebuild)) {
            Ok(true) => {
                self.publish();
                rebuild.answer(&Ok(()));
            }
            Ok(false) => self.rebuild = Some(rebuild),
            Err(failure) => {
                self.follower.abandon_writer();
                rebuild.stumble(&failure);
                self.rebuild = Some(rebuild);
            }
        }
    }

    /// True when the index is complete.
    fn rebuild_page(&mut self, rebuild: &mut Rebuild) -> Result<bool> {
        let Writer { follower, store, shared, .. } = self;
        if !rebuild.begun {
            follower.start_over(&shared.schema)?;
            rebuild.begun = true;
        }
        let first = follower.fed() == 0;
        match follower.catch_up_page(&shared.schema, store, rebuild.new_until)? {
            Some(documents) => {
                rebuild.advance(documents, first);
                Ok(false)
            }
            None => follower.commit(&shared.schema).map(|()| true),
        }
    }

    /// Removes the revisions that no living snapshot can lead to.
    fn purge(&mut self) -> Result<()> {
        self.living.retain(|snapshot| snapshot.strong_count() > 0);
        let oldest = self.living.iter().filter_map(Weak::upgrade).map(|snapshot| snapshot.sequence).min();
        match oldest {
            Some(sequence) => self.store.purge(sequence),
            None => Ok(()),
        }
    }
}

/// The first task and those already waiting behind it, within bounds.
fn take_together(first: Task, tasks: &Receiver<Box<Task>>) -> Vec<Task> {
    let mut bytes = size(&first);
    let mut together = vec![first];
    while together.len() < TASKS_AT_ONCE_MAX && bytes < BYTES_AT_ONCE_MAX {
        let Ok(task) = tasks.try_recv() else { break };
        bytes += size(&task);
        together.push(*task);
    }
    together
}

fn size(task: &Task) -> usize {
    match task {
        Task::Write { writes, .. } => writes.iter().map(|write| write.id.len() + write.entity.as_ref().map_or(0, String::len)).sum(),
        _ => 0,
    }
}
