//! The writer of a generation: it takes the queued tasks, stores their writes in one transaction, and updates the index.

mod rebuilding;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use crate::failure::{Failure, Result};
use crate::indexer::Indexer;
use crate::plan::Plan;
use crate::pool::catch_panic;
use crate::rebuild::Rebuild;
use crate::responder::Responder;
use crate::search::{self, Snapshot};
use crate::shared_state::{Readiness, SharedState};
use crate::store::{Change, Store, Write, pack_vectors};
use crate::task::{Task, TaskQueue, collect_batch};
use crate::write_mark::WriteMark;
use crate::writer_slot::{are_writers_scarce, lower_open_writers_max};

/// Without a refresh, searches find a write after this time.
const COMMIT_AFTER: Duration = Duration::from_millis(800);

/// How often an idle writer looks for merged segments, and after how many such checks it releases the memory of the index writer and empties
/// the log of the documents.
const IDLE_CHECK: Duration = Duration::from_millis(if cfg!(test) { 20 } else { 1_000 });
const IDLE_CHECKS_UNTIL_RELEASE: u32 = 20;
/// After how many such checks it merges segments.
const IDLE_CHECKS_UNTIL_MERGE: u32 = 5;

/// How long the last step of closing waits for readers, before it leaves the log as it is.
const CLOSE_BUSY_MS: u32 = 1_000;

/// A turn with more work ends after this time, so that other generations get theirs.
const TURN_MAX: Duration = Duration::from_millis(100);

/// An intact index that cannot be updated this many times in a row is rebuilt.
const FAILED_UPDATES_MAX: u32 = 3;

/// The state of a generation when it was closed. If this process reopens it unchanged, its version stays the same.
#[derive(Clone, Copy)]
pub struct ClosedState {
    pub documents: u64,
    pub version: u64,
    pub epoch: u64,
    /// `Indexer::state_hash`.
    pub index_hash: u64,
}

pub struct Writer {
    store: Store,
    indexer: Indexer,
    shared: Arc<SharedState>,
    mark: Arc<WriteMark>,
    epoch: u64,
    /// Sequence of the last stored write. The index is behind while its commit has a lower one.
    stored_sequence: u64,
    uncommitted_since: Option<Instant>,
    idle_checks: u32,
    /// When the next check is due, while the index writer is open or the log is not empty.
    next_check_at: Instant,
    /// Snapshots that searches may still use.
    live_snapshots: Vec<Weak<Snapshot>>,
    /// Set while the index is lost. Searches are rejected until the rebuild is complete.
    rebuild: Option<Rebuild>,
    /// When the index was last found intact.
    checked_at: Option<Instant>,
    /// Number of updates of the index that failed one after the other, without a lack of resources.
    failed_updates: u32,
}

impl Writer {
    pub fn new(
        store: Store,
        indexer: Indexer,
        shared: Arc<SharedState>,
        mark: Arc<WriteMark>,
        epoch: u64,
        rebuild: Option<Rebuild>,
    ) -> Writer {
        let stored_sequence = shared.stored_writes();
        let live_snapshots = shared.snapshot().iter().map(Arc::downgrade).collect();
        Writer {
            store,
            indexer,
            shared,
            mark,
            epoch,
            stored_sequence,
            uncommitted_since: None,
            idle_checks: 0,
            next_check_at: Instant::now() + IDLE_CHECK,
            live_snapshots,
            rebuild,
            checked_at: None,
            failed_updates: 0,
        }
    }

    /// Performs queued tasks and work that is due. Returns when the next turn is due; `None` if only a task makes it due.
    pub fn take_turn(&mut self, tasks: &mut TaskQueue) -> Option<Instant> {
        let started_at = Instant::now();
        while started_at.elapsed() < TURN_MAX {
            if self.perform_next(tasks) {
                continue;
            }
            if tasks.is_closed() {
                return None;
            }
            match self.next_due() {
                Some(due_at) if due_at <= Instant::now() => {
                    if let Err(failure) = catch_panic(|| self.idle()) {
                        self.fail_update(failure);
                    }
                }
                due_at => return due_at,
            }
        }
        Some(Instant::now())
    }

    /// Performs the next queued tasks. Returns false if there is none.
    pub fn perform_next(&mut self, tasks: &mut TaskQueue) -> bool {
        let Some(task) = tasks.next() else { return false };
        self.idle_checks = 0;
        let result = catch_panic(|| {
            self.perform(collect_batch(*task, tasks));
            Ok(())
        });
        self.next_check_at = Instant::now() + IDLE_CHECK;
        if let Err(failure) = result {
            self.fail_update(failure);
        }
        true
    }

    /// Brings the index up to date unless the generation is dropped. Returns the final state, if known.
    pub fn end(mut self, dropped: &AtomicBool) -> Option<ClosedState> {
        if let Some(mut rebuild) = self.rebuild.take() {
            // Closing does not wait for the rebuild: the next open starts it again.
            self.indexer.discard_writer();
            rebuild.respond(&Err(Failure::unavailable("the generation is being closed")));
            self.empty_log();
            return None;
        }
        // After a failure the next open does the same work.
        let closed_state = if dropped.load(Ordering::SeqCst) { None } else { catch_panic(|| self.finish()).ok() };
        drop(catch_panic(|| self.indexer.release_writer()));
        if !dropped.load(Ordering::SeqCst) {
            self.empty_log();
        }
        closed_state
    }

    /// The documents are in one file then. A log that cannot be emptied is read by the next open.
    fn empty_log(&mut self) {
        self.shared.resources.readers.close_idle();
        drop(self.store.empty_log(CLOSE_BUSY_MS));
    }

    fn finish(&mut self) -> Result<ClosedState> {
        self.refresh()?;
        self.indexer.release_writer()?;
        if self.indexer.reload_merged_segments()? {
            self.epoch = self.store.next_epoch()?;
        }
        Ok(ClosedState {
            documents: self.indexer.searcher().num_docs(),
            version: self.indexer.committed_sequence() + self.epoch,
            epoch: self.epoch,
            index_hash: self.indexer.state_hash()?,
        })
    }

    /// When other work than tasks is due; `None` if there is none.
    fn next_due(&self) -> Option<Instant> {
        if let Some(rebuild) = &self.rebuild {
            return Some(Instant::now() + rebuild.delay());
        }
        match self.uncommitted_since {
            Some(since) => Some(since + COMMIT_AFTER),
            None => (self.indexer.has_writer() || self.store.has_log()).then_some(self.next_check_at),
        }
    }

    fn perform(&mut self, tasks: Vec<Task>) {
        let mut writes = Vec::new();
        let mut refreshes = Vec::new();
        for task in tasks {
            match task {
                Task::Write { writes: group, responder } => writes.push((group, responder)),
                Task::Refresh { responder } => refreshes.push(responder),
                Task::DeleteMatching { plan, responder } => {
                    self.write(std::mem::take(&mut writes));
                    let result = catch_panic(|| self.delete_matching(&plan));
                    responder.send(result);
                }
                Task::CheckIndex { failure, responder } => {
                    let failure = self.check_index(failure);
                    responder.send(Err(failure));
                }
            }
        }
        self.write(writes);
        if let Some(rebuild) = &mut self.rebuild {
            return rebuild.add_refreshes(refreshes);
        }
        let overdue = self.uncommitted_since.is_some_and(|since| since.elapsed() >= COMMIT_AFTER);
        if refreshes.is_empty() && !overdue {
            return;
        }
        let result = catch_panic(|| self.refresh()).map_err(|failure| self.fail_update(failure));
        refreshes.into_iter().for_each(|responder| responder.send(result.clone()));
        if result.is_ok() {
            // A failed purge is repeated after the next refresh. No caller waits for it.
            drop(self.purge());
        }
    }

    /// Stores the groups in one transaction. Callers get their result as soon as the writes are durable, before the index is updated.
    fn write(&mut self, requests: Vec<(Vec<Write>, Responder<()>)>) {
        let (mut groups, responders): (Vec<_>, Vec<_>) = requests.into_iter().unzip();
        if groups.is_empty() {
            return;
        }
        pack_vectors(&mut groups, self.shared.resources.schema.vector_names());
        match catch_panic(|| self.store.apply(&groups)) {
            Ok(changes) => {
                self.mark_stored(&changes);
                responders.into_iter().for_each(|responder| responder.send(Ok(())));
                self.index_changes(&changes);
            }
            // One group must not fail because of another.
            Err(_) if groups.len() > 1 => {
                groups.into_iter().zip(responders).for_each(|request| self.write(vec![request]));
            }
            Err(failure) => responders.into_iter().for_each(|responder| responder.send(Err(failure.clone()))),
        }
    }

    /// Remembers durable changes where a loss of the documents leaves them. Call it before they are acknowledged.
    fn mark_stored(&self, changes: &[Change]) {
        if let Some(last) = changes.last() {
            self.shared.set_stored_writes(last.sequence);
            self.mark.write(last.sequence);
        }
    }

    fn index_changes(&mut self, changes: &[Change]) {
        let Some(last) = changes.last() else { return };
        // After a failure the index also lacks earlier writes. Catching up adds them first, in order.
        let has_gap = self.indexer.indexed_sequence() < self.stored_sequence;
        self.stored_sequence = last.sequence;
        if self.rebuild.is_some() {
            return;
        }
        self.uncommitted_since.get_or_insert_with(Instant::now);
        // The writes are stored and acknowledged. After a failure, or without an index writer, the next refresh catches up.
        let may_open = self.indexer.has_writer() || !are_writers_scarce();
        if has_gap || !may_open {
            return;
        }
        if let Err(failure) = catch_panic(|| self.indexer.index(&self.shared.resources.schema, changes)) {
            self.discard_index_writer(&failure);
        }
    }

    fn is_behind(&self) -> bool {
        self.stored_sequence > self.indexer.committed_sequence()
    }

    fn refresh(&mut self) -> Result<()> {
        if self.is_behind() {
            if self.indexer.indexed_sequence() < self.stored_sequence {
                self.indexer.catch_up(&self.shared.resources.schema, &self.store)?;
            }
            self.indexer.commit(&self.shared.resources.schema)?;
            self.publish();
        }
        self.uncommitted_since = None;
        self.failed_updates = 0;
        if self.indexer.has_writer() && are_writers_scarce() {
            self.release_writer()?;
        }
        Ok(())
    }

    /// Schedules the next attempt to update the index after a failed one, or a rebuild. Returns the failure to report.
    fn fail_update(&mut self, failure: Failure) -> Failure {
        self.discard_index_writer(&failure);
        self.uncommitted_since = self.is_behind().then(Instant::now);
        if self.rebuild.is_none() && self.uncommitted_since.is_some() && failure.may_need_rebuild() {
            self.failed_updates += 1;
            if self.failed_updates >= FAILED_UPDATES_MAX
                && let Some(reason) = self.indexer.rebuild_reason(&failure)
            {
                self.failed_updates = 0;
                return self.rebuild_because(reason);
            }
        }
        self.check_index(failure)
    }

    fn discard_index_writer(&mut self, failure: &Failure) {
        self.indexer.discard_writer();
        if failure.is_lack_of_threads() {
            lower_open_writers_max();
        }
    }

    fn delete_matching(&mut self, plan: &Plan) -> Result<u64> {
        if let Some(rebuild) = &self.rebuild {
            return Err(rebuild.progress.failure());
        }
        self.refresh()?;
        let snapshot = self.shared.snapshot()?;
        let ids = search::find_ids(&snapshot, &self.shared.resources, plan)?;
        let writes: Vec<_> = ids.into_iter().map(|id| Write { id, entity: None }).collect();
        let changes = self.store.apply(&[writes])?;
        self.mark_stored(&changes);
        self.index_changes(&changes);
        Ok(changes.len() as u64)
    }

    fn idle(&mut self) -> Result<()> {
        if self.rebuild.is_some() {
            self.continue_rebuild();
            return Ok(());
        }
        if self.uncommitted_since.is_some() {
            self.refresh()?;
            return self.purge();
        }
        self.idle_checks += 1;
        self.next_check_at = Instant::now() + IDLE_CHECK;
        if self.idle_checks == IDLE_CHECKS_UNTIL_MERGE {
            self.indexer.tidy_segments()?;
        }
        let is_due = self.idle_checks >= IDLE_CHECKS_UNTIL_RELEASE || are_writers_scarce();
        if is_due && !self.indexer.has_resting_merge() {
            self.indexer.release_writer()?;
        }
        if self.show_merged_segments()? {
            // The old segments are deleted, and others merged, after the searches of this moment.
            self.idle_checks = 0;
        }
        self.purge()?;
        if self.idle_checks >= IDLE_CHECKS_UNTIL_RELEASE && !self.indexer.has_writer() && self.store.has_log() {
            // While somebody reads, the next check tries again.
            self.store.empty_log(0)?;
        }
        Ok(())
    }

    /// Closes the index writer, and shows searches the segments that it merged.
    fn release_writer(&mut self) -> Result<()> {
        self.indexer.release_writer()?;
        self.show_merged_segments().map(drop)
    }

    /// A merge removes deleted documents from the statistics behind the scores, so it counts as a change.
    fn show_merged_segments(&mut self) -> Result<bool> {
        let has_merged = self.indexer.reload_merged_segments()?;
        if has_merged {
            self.epoch = self.store.next_epoch()?;
            self.publish();
        }
        Ok(has_merged)
    }

    fn publish(&mut self) {
        let sequence = self.indexer.committed_sequence();
        let snapshot = Arc::new(Snapshot::new(self.indexer.searcher(), sequence, sequence + self.epoch));
        self.live_snapshots.push(Arc::downgrade(&snapshot));
        self.shared.publish(Readiness::Ready(snapshot));
    }

    /// Removes the revisions that no live snapshot can refer to.
    fn purge(&mut self) -> Result<()> {
        self.live_snapshots.retain(|snapshot| snapshot.strong_count() > 0);
        let oldest = self.live_snapshots.iter().filter_map(Weak::upgrade).map(|snapshot| snapshot.sequence).min();
        match oldest {
            Some(sequence) => self.store.purge(sequence),
            None => Ok(()),
        }
    }
}
