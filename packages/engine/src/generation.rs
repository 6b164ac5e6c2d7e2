//! One generation: a folder with the documents (`documents.db`), their index (`index/`) and a lock file (`lock`).

use std::fs::{self, File, TryLockError};
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex, PoisonError};

use crate::failure::{Code, Failure, Result};
use crate::indexer::Indexer;
use crate::pool::catch_panic;
use crate::rebuild::{Progress, Rebuild};
use crate::responder::Responder;
use crate::schema::IndexSchema;
use crate::search::{SearchResources, Snapshot};
use crate::shared_state::{Readiness, SharedState};
use crate::spec::Spec;
use crate::store::{Readers, Store, TEXT_PAGE_BYTES, VECTOR_PAGE_BYTES};
use crate::task::Task;
use crate::write_mark::WriteMark;
use crate::write_turns::WriteTurns;
use crate::writer::{ClosedState, Writer};

/// `open` waits for the rebuild of an index with at most this many documents. A larger one is rebuilt in the background.
const REBUILD_IN_OPEN_DOCUMENTS_MAX: u64 = 2_000;

pub struct Generation {
    pub shared: Arc<SharedState>,
    writer: Arc<WriteTurns>,
    /// Held while the generation is open. The operating system releases it when the process ends.
    lock: Mutex<Option<Arc<WriteMark>>>,
}

impl Generation {
    /// Opens a generation. `closed_state` is its state when this process last closed it with the same spec. Also returns the reason for a
    /// rebuild if the index has to be rebuilt. Fails with `DocumentsLost` if the documents lack one of `known_writes`, or a write that the
    /// index or the mark of the folder has; then it changes nothing.
    pub fn open(folder: &Path, spec: &Spec, closed_state: Option<ClosedState>, known_writes: u64) -> Result<(Generation, Option<String>)> {
        let schema = Arc::new(IndexSchema::new(spec)?);
        fs::create_dir_all(folder)?;
        let lock = Arc::new(WriteMark::new(lock(folder)?));
        let known_writes = known_writes.max(lock.read());
        let documents = folder.join("documents.db");
        let page_bytes = if schema.vector_names().is_empty() { TEXT_PAGE_BYTES } else { VECTOR_PAGE_BYTES };
        if known_writes > 0 && !documents.exists() {
            return Err(Failure::documents_lost(0, known_writes));
        }
        let store = Store::open(&documents, page_bytes)?;
        let has_log = store.has_log();
        let stored_sequence = store.last_sequence()?;
        if stored_sequence < known_writes {
            store.close_unchanged();
            return Err(Failure::documents_lost(stored_sequence, known_writes));
        }
        sync_folder(folder)?;
        let (mut indexer, mut rebuild_reason) = match Indexer::open(&folder.join("index"), &schema, &store) {
            Err(failure) if failure.code == Code::DocumentsLost => {
                store.close_unchanged();
                return Err(failure);
            }
            result => result?,
        };
        if rebuild_reason.is_none() {
            rebuild_reason = update(&mut indexer, &schema, &store)?;
        }
        let epoch = match closed_state {
            Some(closed_state) if rebuild_reason.is_none() && indexer.state_hash()? == closed_state.index_hash => closed_state.epoch,
            _ => store.next_epoch()?,
        };
        let (readiness, rebuild) = match &rebuild_reason {
            None => {
                let snapshot = Snapshot::new(indexer.searcher(), stored_sequence, stored_sequence + epoch);
                (Readiness::Ready(Arc::new(snapshot)), None)
            }
            Some(reason) => {
                let progress = Arc::new(Progress::new(reason.as_str(), store.count()?, stored_sequence + epoch));
                (Readiness::Rebuilding(Arc::clone(&progress)), Some(Rebuild::new(progress, stored_sequence)))
            }
        };
        let waits_for_rebuild = rebuild.as_ref().is_some_and(|rebuild| rebuild.progress.total <= REBUILD_IN_OPEN_DOCUMENTS_MAX);
        let shared = Arc::new(SharedState::new(SearchResources::new(schema, Readers::new(documents)), readiness, stored_sequence));
        // Catching up opened the index writer, or a killed process left a log: a later turn releases the memory and empties the log.
        let is_busy = rebuild_reason.is_some() || indexer.has_writer() || has_log;
        lock.write(stored_sequence);
        let writer = Writer::new(store, indexer, Arc::clone(&shared), Arc::clone(&lock), epoch, rebuild);
        let generation = Generation { shared, writer: WriteTurns::new(writer), lock: Mutex::new(Some(lock)) };
        if is_busy {
            // Without a thread now, the first task starts one.
            generation.writer.start_turn().ok();
        }
        if waits_for_rebuild {
            let (sender, receiver) = channel();
            generation.submit(Task::Refresh { responder: Responder::new(move |result| drop(sender.send(result))) });
            // After a failure the writer tries again. Searches are rejected until it succeeds.
            drop(receiver.recv());
        }
        Ok((generation, rebuild_reason))
    }

    /// Queues a task for the writer, which sends the result to the task's responder.
    pub fn submit(&self, task: Task) {
        if let Err((task, failure)) = self.writer.submit(Box::new(task)) {
            task.reject(failure);
        }
    }

    /// Finishes the queued tasks. With `dropped`, the index is not brought up to date. Returns the final state if it is known.
    pub fn close(&self, dropped: bool) -> Option<ClosedState> {
        let closed_state = self.writer.close().and_then(|(mut writer, mut tasks)| {
            while writer.perform_next(&mut tasks) {}
            writer.end(&AtomicBool::new(dropped))
        });
        self.lock.lock().unwrap_or_else(PoisonError::into_inner).take();
        closed_state
    }
}

/// Brings the index up to date. Returns the reason for a rebuild if that fails; fails itself if the process lacks resources or the documents
/// cannot be read.
fn update(indexer: &mut Indexer, schema: &Arc<IndexSchema>, store: &Store) -> Result<Option<String>> {
    let result = catch_panic(|| {
        indexer.catch_up(schema, store)?;
        indexer.commit(schema)
    });
    let Err(failure) = result else { return Ok(None) };
    indexer.discard_writer();
    indexer.rebuild_reason(&failure).map(Some).ok_or(failure)
}

/// Two processes must not write to the same documents.
fn lock(folder: &Path) -> Result<File> {
    let file = File::options().create(true).read(true).write(true).truncate(false).open(folder.join("lock"))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(Failure::unavailable("another process has opened this generation")),
        Err(TryLockError::Error(error)) => Err(error.into()),
    }
}

/// Syncs the folder and its parent, so that the folder of acknowledged documents survives a crash.
#[cfg(unix)]
fn sync_folder(folder: &Path) -> Result<()> {
    for path in [Some(folder), folder.parent()].into_iter().flatten() {
        File::open(path)?.sync_all()?;
    }
    Ok(())
}

#[cfg(not(unix))]
fn sync_folder(_: &Path) -> Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::Write;
    use std::time::Duration;

    fn text_spec() -> Spec {
        serde_json::from_str(r#"{"fields":[{"name":"title","type":"text","language":"english"}]}"#).unwrap()
    }

    #[test]
    fn only_a_written_generation_has_a_turn_and_reopening_keeps_its_version() {
        let folder = tempfile::tempdir().unwrap();
        let spec = text_spec();
        let open = |closed_state| Generation::open(folder.path(), &spec, closed_state, 0).unwrap().0;
        let first = open(None);
        assert!(!first.writer.has_turn());
        write(&first, vec![document_write("a", "wing")]);
        assert!(first.writer.has_turn());
        let closed_state = first.close(false).unwrap();
        assert_eq!(closed_state.documents, 1);
        let reopened = open(Some(closed_state));
        assert_eq!(reopened.shared.snapshot().unwrap().version, closed_state.version);
        assert!(!reopened.writer.has_turn());
        assert_eq!(reopened.close(false).unwrap().version, closed_state.version);
        let shared = Arc::downgrade(&reopened.shared);
        drop(reopened);
        assert!(shared.upgrade().is_none(), "a closed generation frees its state");
    }

    fn document_write(id: &str, title: &str) -> Write {
        Write { id: id.into(), entity: Some(format!(r#"{{"title":"{title}"}}"#).into()) }
    }

    fn write(generation: &Generation, writes: Vec<Write>) {
        let (sender, receiver) = channel();
        generation.submit(Task::Write { writes, responder: Responder::new(move |result| sender.send(result).unwrap()) });
        receiver.recv().unwrap().unwrap();
    }

    #[test]
    fn a_deletion_file_of_a_killed_commit_does_not_stop_the_next_commit() {
        let folder = tempfile::tempdir().unwrap();
        let spec = text_spec();
        let (first, _) = Generation::open(folder.path(), &spec, None, 0).unwrap();
        write(&first, (0..100).map(|number| document_write(&format!("d{number}"), "wing")).collect());
        first.close(false);
        // A replacement that was stored, and the files that a killed process left while it committed it to the index.
        let mut store = Store::open(&folder.path().join("documents.db"), TEXT_PAGE_BYTES).unwrap();
        store.apply(&[vec![document_write("d0", "bird")]]).unwrap();
        drop(store);
        let index = folder.path().join("index");
        let meta: serde_json::Value = serde_json::from_slice(&fs::read(index.join("meta.json")).unwrap()).unwrap();
        let opstamp = meta["opstamp"].as_u64().unwrap();
        let mut managed: Vec<String> = serde_json::from_slice(&fs::read(index.join(".managed.json")).unwrap()).unwrap();
        for segment in meta["segments"].as_array().unwrap() {
            let id = segment["segment_id"].as_str().unwrap().replace('-', "");
            let names: Vec<String> = (0..20).map(|more| format!("{id}.{}.del", opstamp + more)).collect();
            names.iter().for_each(|name| fs::write(index.join(name), "x").unwrap());
            managed.extend(names);
        }
        fs::write(index.join(".managed.json"), serde_json::to_vec(&managed).unwrap()).unwrap();
        fs::write(index.join(".tmpAbCdEf"), "{").unwrap();
        let (reopened, rebuild_reason) = Generation::open(folder.path(), &spec, None, 0).unwrap();
        assert_eq!(rebuild_reason, None);
        assert_eq!(reopened.shared.snapshot().unwrap().documents(), 100);
        let names: Vec<String> = fs::read_dir(&index).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        assert!(names.iter().filter(|name| name.ends_with(".del")).count() <= 1, "{names:?}");
        assert!(!names.iter().any(|name| name.starts_with(".tmp")), "{names:?}");
        reopened.close(false);
    }

    #[test]
    fn an_index_that_cannot_be_updated_is_rebuilt() {
        let folder = tempfile::tempdir().unwrap();
        let spec = text_spec();
        let (first, _) = Generation::open(folder.path(), &spec, None, 0).unwrap();
        write(&first, vec![document_write("a", "wing")]);
        first.close(false);
        let mut store = Store::open(&folder.path().join("documents.db"), TEXT_PAGE_BYTES).unwrap();
        store.apply(&[vec![document_write("b", "bird")]]).unwrap();
        drop(store);
        // A folder in the place of the writer's lock.
        let lock = folder.path().join("index").join(".tantivy-writer.lock");
        fs::remove_file(&lock).ok();
        fs::create_dir(&lock).unwrap();
        let (reopened, rebuild_reason) = Generation::open(folder.path(), &spec, None, 0).unwrap();
        assert!(rebuild_reason.unwrap().contains("cannot be updated"));
        assert_eq!(reopened.shared.snapshot().unwrap().documents(), 2);
        reopened.close(false);
    }

    #[test]
    fn a_turn_without_work_ends_and_the_next_write_starts_another() {
        let folder = tempfile::tempdir().unwrap();
        let spec = text_spec();
        let (generation, _) = Generation::open(folder.path(), &spec, None, 0).unwrap();
        for (round, id) in ["a", "b"].into_iter().enumerate() {
            write(&generation, vec![document_write(id, "wing")]);
            let (sender, receiver) = channel();
            generation.submit(Task::Refresh { responder: Responder::new(move |result| sender.send(result).unwrap()) });
            receiver.recv().unwrap().unwrap();
            assert_eq!(generation.shared.snapshot().unwrap().documents(), round as u64 + 1);
            wait_until_idle(&generation);
        }
        assert_eq!(generation.close(false).unwrap().documents, 2);
    }

    /// Leaves the processor to other tests meanwhile.
    fn wait_until_idle(generation: &Generation) {
        while generation.writer.has_turn() {
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    #[test]
    fn an_idle_generation_empties_the_log_of_its_documents_also_after_a_kill() {
        let folder = tempfile::tempdir().unwrap();
        let spec = text_spec();
        let open = || Generation::open(folder.path(), &spec, None, 0).unwrap().0;
        let log = folder.path().join("documents.db-wal");
        let log_bytes = || fs::metadata(&log).map_or(0, |log| log.len());
        let first = open();
        write(&first, vec![document_write("a", "wing")]);
        let written_log = fs::read(&log).unwrap();
        assert!(!written_log.is_empty());
        wait_until_idle(&first);
        assert_eq!(log_bytes(), 0);
        let documents = fs::read(folder.path().join("documents.db")).unwrap();
        write(&first, vec![document_write("b", "wing")]);
        let killed_log = fs::read(&log).unwrap();
        first.close(false);
        assert_eq!(log_bytes(), 0);
        // The files as a kill would have left them. The index has both documents.
        fs::write(folder.path().join("documents.db"), documents).unwrap();
        fs::write(&log, killed_log).unwrap();
        let second = open();
        assert_eq!(second.shared.snapshot().unwrap().documents(), 2);
        assert!(second.writer.has_turn());
        wait_until_idle(&second);
        assert_eq!(log_bytes(), 0);
        assert_eq!(second.close(false).unwrap().documents, 2);
    }

    #[test]
    fn documents_older_than_a_known_write_are_refused_and_left_as_they_are() {
        let folder = tempfile::tempdir().unwrap();
        let spec = text_spec();
        let open = |known_writes| Generation::open(folder.path(), &spec, None, known_writes).map(|(generation, _)| generation);
        let first = open(0).unwrap();
        write(&first, vec![document_write("a", "wing")]);
        first.close(false);
        let path = folder.path().join("documents.db");
        let older = fs::read(&path).unwrap();
        let log = folder.path().join("documents.db-wal");
        assert!(!log.exists() || fs::metadata(&log).unwrap().len() == 0, "closing empties the log");
        let second = open(1).unwrap();
        write(&second, vec![document_write("b", "wing")]);
        assert_eq!(second.shared.stored_writes(), 2);
        second.close(false);
        let newest = fs::read(&path).unwrap();
        let is_lost = |known_writes| open(known_writes).is_err_and(|failure| failure.code == Code::DocumentsLost);
        // The index and the mark know both writes.
        fs::write(&path, &older).unwrap();
        assert!(is_lost(0) && is_lost(0));
        fs::remove_dir_all(folder.path().join("index")).unwrap();
        assert!(is_lost(0));
        fs::remove_file(&path).unwrap();
        assert!(is_lost(0) && !path.exists());
        fs::write(&path, &newest).unwrap();
        assert!(is_lost(3));
        let restored = open(2).unwrap();
        assert_eq!(restored.shared.snapshot().unwrap().documents(), 2);
        restored.close(false);
    }
    #[test]
    fn more_generations_than_threads_all_get_their_turns() {
        let folder = tempfile::tempdir().unwrap();
        let spec = text_spec();
        let generations: Vec<Generation> =
            (0..60).map(|number| Generation::open(&folder.path().join(number.to_string()), &spec, None, 0).unwrap().0).collect();
        let (sender, receiver) = channel();
        for round in 0..3 {
            for generation in &generations {
                let (written, refreshed) = (sender.clone(), sender.clone());
                let writes = vec![document_write(&format!("d{round}"), "wing")];
                generation.submit(Task::Write { writes, responder: Responder::new(move |result| written.send(result).unwrap()) });
                generation.submit(Task::Refresh { responder: Responder::new(move |result| refreshed.send(result).unwrap()) });
            }
        }
        assert!(receiver.iter().take(generations.len() * 6).all(|result| result.is_ok()));
        for generation in &generations {
            assert_eq!(generation.shared.snapshot().unwrap().documents(), 3);
            assert_eq!(generation.close(false).unwrap().documents, 3);
        }
    }
}
