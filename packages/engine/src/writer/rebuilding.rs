//! How the writer finds out that the index is lost, and rebuilds it.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::Writer;
use crate::failure::{Failure, Result};
use crate::pool::catch_panic;
use crate::rebuild::{Progress, Rebuild};
use crate::shared_state::Readiness;
use crate::writer_slot::are_writers_scarce;

/// The minimum time between two checks of an index that was found intact.
const CHECK_INTERVAL: Duration = Duration::from_secs(60);

impl Writer {
    /// Starts a rebuild if the index is damaged. Returns the failure to report: that of the rebuild, else the given one.
    pub(super) fn check_index(&mut self, failure: Failure) -> Failure {
        if let Some(rebuild) = &self.rebuild {
            return rebuild.progress.failure();
        }
        if !failure.may_be_damage || self.checked_at.is_some_and(|checked_at| checked_at.elapsed() < CHECK_INTERVAL) {
            return failure;
        }
        let Some(reason) = self.indexer.find_damage(&self.shared.resources.schema) else {
            self.checked_at = Some(Instant::now());
            return failure;
        };
        self.rebuild_because(reason)
    }

    /// Starts a rebuild. Returns the failure to report.
    pub(super) fn rebuild_because(&mut self, reason: String) -> Failure {
        match catch_panic(|| self.start_rebuild(reason)) {
            Ok(progress) => progress.failure(),
            Err(failure) => failure,
        }
    }

    fn start_rebuild(&mut self, reason: String) -> Result<Arc<Progress>> {
        self.epoch = self.store.next_epoch()?;
        let progress = Arc::new(Progress::new(reason, self.store.count()?, self.stored_sequence + self.epoch));
        self.shared.publish(Readiness::Rebuilding(Arc::clone(&progress)));
        self.rebuild = Some(Rebuild::new(Arc::clone(&progress), self.stored_sequence));
        self.uncommitted_since = None;
        Ok(progress)
    }

    /// Indexes the next page of documents. After the last page, searches work again.
    pub(super) fn continue_rebuild(&mut self) {
        let Some(mut rebuild) = self.rebuild.take() else { return };
        match catch_panic(|| self.rebuild_page(&mut rebuild)) {
            Ok(true) => {
                self.publish();
                if are_writers_scarce() {
                    drop(self.indexer.release_writer());
                }
                rebuild.respond(&Ok(()));
            }
            Ok(false) => self.rebuild = Some(rebuild),
            Err(failure) => {
                self.discard_index_writer(&failure);
                rebuild.fail(&failure);
                self.rebuild = Some(rebuild);
            }
        }
    }

    /// Returns true when the index is complete.
    fn rebuild_page(&mut self, rebuild: &mut Rebuild) -> Result<bool> {
        let Writer { indexer, store, shared, .. } = self;
        let schema = &shared.resources.schema;
        if !rebuild.is_small() && !indexer.has_writer() && are_writers_scarce() {
            rebuild.postpone();
            return Ok(false);
        }
        if !rebuild.has_new_index {
            indexer.recreate(schema)?;
            rebuild.has_new_index = true;
        }
        let is_first_page = indexer.indexed_sequence() == 0;
        match indexer.catch_up_page(schema, store, rebuild.insert_only_until)? {
            Some(documents) => {
                rebuild.advance(documents, is_first_page);
                Ok(false)
            }
            None => indexer.commit(schema).map(|()| true),
        }
    }
}
