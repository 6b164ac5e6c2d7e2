//! One generation: a folder with the documents (`documents.db`), their index (`index/`) and a lock file (`lock`).

use std::fs::{self, File, TryLockError};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, channel, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};

use crate::failure::{Code, Failure, Result};
use crate::indexer::Indexer;
use crate::pool::{catch_panic, lower_thread_priority};
use crate::rebuild::{Progress, Rebuild};
use crate::responder::Responder;
use crate::schema::IndexSchema;
use crate::search::{SearchResources, Snapshot};
use crate::shared_state::{Readiness, SharedState};
use crate::spec::Spec;
use crate::store::{Readers, Store, TEXT_PAGE_BYTES, VECTOR_PAGE_BYTES};
use crate::task::{Task, collect_batch};
use crate::write_mark::WriteMark;
use crate::writer::{ClosedState, Writer};

/// Requests that may wait for the write thread.
const WRITE_QUEUE_MAX: usize = 1024;

/// `open` waits for the rebuild of an index with at most this many documents. A larger one is rebuilt in the background.
const REBUILD_IN_OPEN_DOCUMENTS_MAX: u64 = 2_000;

/// The writer and its queue, until the write thread takes them.
type IdleWriter = Mutex<Option<(Writer, Receiver<Box<Task>>)>>;

pub struct Generation {
    pub shared: Arc<SharedState>,
    /// Tasks are boxed because the queue allocates all its slots up front.
    tasks: Arc<Mutex<Option<SyncSender<Box<Task>>>>>,
    /// A task starts the thread that takes the writer and gives it back when it is idle: most open generations are only searched.
    writer: Arc<IdleWriter>,
    thread: Mutex<Option<JoinHandle<()>>>,
    /// Changed with the lock of `tasks`.
    has_thread: Arc<AtomicBool>,
    /// Held while the generation is open. The operating system releases it when the process ends.
    lock: Mutex<Option<Arc<WriteMark>>>,
}

impl Generation {
    /// Opens a generation. `closed_state` is its state when this process last closed it with the same spec. Also returns the reason for a
    /// rebuild if the index has to be rebuilt. Fails with `DocumentsLost` if the documents lack one of `known_writes`, or a write that the
    /// index or the mark of the folder has; then it changes nothing.
    pub fn open(folder: &Path, spec: &Spec, closed_state: Option<ClosedState>, known_writes: u64) -> Result<(Generation, Option<String>)> {
        let schema = IndexSchema::new(spec)?;
        fs::create_dir_all(folder)?;
        let lock = Arc::new(WriteMark::new(lock(folder)?));
        let known_writes = known_writes.max(lock.read());
        let documents = folder.join("documents.db");
        let page_bytes = if schema.vector_names().is_empty() { TEXT_PAGE_BYTES } else { VECTOR_PAGE_BYTES };
        if known_writes > 0 && !documents.exists() {
            return Err(Failure::documents_lost(0, known_writes));
        }
        let store = Store::open(&documents, page_bytes)?;
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
        // Catching up opened the index writer: the thread releases its memory later.
        let is_busy = rebuild_reason.is_some() || indexer.has_writer();
        lock.write(stored_sequence);
        let writer = Writer::new(store, indexer, Arc::clone(&shared), Arc::clone(&lock), epoch, rebuild);
        let (tasks, queue) = sync_channel(WRITE_QUEUE_MAX);
        let generation = Generation {
            shared,
            tasks: Arc::new(Mutex::new(Some(tasks))),
            writer: Arc::new(Mutex::new(Some((writer, queue)))),
            thread: Mutex::default(),
            has_thread: Arc::default(),
            lock: Mutex::new(Some(lock)),
        };
        if is_busy {
            // Without a thread now, the first task starts one.
            generation.start_thread().ok();
        }
        if waits_for_rebuild {
            let (sender, receiver) = channel();
            generation.submit(Task::Refresh { responder: Responder::new(move |result| drop(sender.send(result))) });
            // After a failure the write thread tries again. Searches are rejected until it succeeds.
            drop(receiver.recv());
        }
        Ok((generation, rebuild_reason))
    }

    /// Queues a task for the write thread, which sends the result to the task's responder.
    pub fn submit(&self, task: Task) {
        // The lock is held until the task is queued: `close` finishes the queue, and no task may follow.
        let tasks = self.tasks.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(queue) = tasks.as_ref() else {
            drop(tasks);
            return task.reject(Failure::unavailable("the generation is being closed"));
        };
        let rejected = match self.start_thread() {
            Ok(()) => queue.try_send(Box::new(task)).err().map(|error| match error {
                TrySendError::Full(task) => (task, Failure::overloaded("too many writes are queued")),
                TrySendError::Disconnected(task) => (task, Failure::unavailable("the generation is being closed")),
            }),
            Err(failure) => Some((Box::new(task), failure)),
        };
        drop(tasks);
        if let Some((task, failure)) = rejected {
            task.reject(failure);
        }
    }

    /// Starts the write thread unless it already runs. Call it with the lock of `tasks`, so that a thread that ends misses no task.
    fn start_thread(&self) -> Result<()> {
        let mut thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner);
        if !self.has_thread.load(Ordering::SeqCst) {
            let (writer, tasks, has_thread) = (Arc::clone(&self.writer), Arc::clone(&self.tasks), Arc::clone(&self.has_thread));
            self.has_thread.store(true, Ordering::SeqCst);
            let started = thread::Builder::new().name("querent-write".into()).spawn(move || {
                lower_thread_priority();
                work(&writer, &tasks, &has_thread);
            });
            *thread = Some(started.map_err(|error| {
                self.has_thread.store(false, Ordering::SeqCst);
                Failure::no_thread(&error)
            })?);
        }
        Ok(())
    }

    /// Finishes the queued tasks and ends the write thread. With `dropped`, the index is not brought up to date. Returns the final state if
    /// it is known.
    pub fn close(&self, dropped: bool) -> Option<ClosedState> {
        self.tasks.lock().unwrap_or_else(PoisonError::into_inner).take();
        let thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(thread) = thread {
            drop(thread.join());
        }
        let writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner).take();
        let closed_state = writer.and_then(|(mut writer, tasks)| {
            writer.work(&tasks);
            writer.end(&AtomicBool::new(dropped))
        });
        self.lock.lock().unwrap_or_else(PoisonError::into_inner).take();
        closed_state
    }
}

/// Takes the writer, works, and gives it back when there is no task for a while or the generation is being closed.
fn work(idle_writer: &IdleWriter, task_sender: &Mutex<Option<SyncSender<Box<Task>>>>, has_thread: &AtomicBool) {
    let Some((mut writer, tasks)) = idle_writer.lock().unwrap_or_else(PoisonError::into_inner).take() else { return };
    loop {
        let is_idle = writer.work(&tasks);
        // Nobody can queue a task while this lock is held.
        let lock = task_sender.lock().unwrap_or_else(PoisonError::into_inner);
        let next_task = if is_idle { tasks.try_recv().ok() } else { None };
        if let Some(task) = next_task {
            drop(lock);
            writer.perform(collect_batch(*task, &tasks));
            continue;
        }
        *idle_writer.lock().unwrap_or_else(PoisonError::into_inner) = Some((writer, tasks));
        has_thread.store(false, Ordering::SeqCst);
        return;
    }
}

/// Brings the index up to date. Returns the reason for a rebuild if that fails; fails itself if the process lacks resources or the documents
/// cannot be read.
fn update(indexer: &mut Indexer, schema: &IndexSchema, store: &Store) -> Result<Option<String>> {
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

    #[test]
    fn only_a_written_generation_has_a_thread_and_reopening_keeps_its_version() {
        let folder = tempfile::tempdir().unwrap();
        let spec: Spec = serde_json::from_str(r#"{"fields":[{"name":"title","type":"text","language":"english"}],"synonyms":[]}"#).unwrap();
        let open = |closed_state| Generation::open(folder.path(), &spec, closed_state, 0).unwrap().0;
        let has_thread = |generation: &Generation| generation.thread.lock().unwrap().is_some();
        let first = open(None);
        assert!(!has_thread(&first));
        let (sender, receiver) = channel();
        let write = crate::store::Write { id: "a".into(), entity: Some(r#"{"title":"wing"}"#.to_owned().into()) };
        first.submit(Task::Write { writes: vec![write], responder: Responder::new(move |result| sender.send(result).unwrap()) });
        receiver.recv().unwrap().unwrap();
        assert!(has_thread(&first));
        let closed_state = first.close(false).unwrap();
        assert_eq!(closed_state.documents, 1);
        let reopened = open(Some(closed_state));
        assert_eq!(reopened.shared.snapshot().unwrap().version, closed_state.version);
        assert!(!has_thread(&reopened));
        assert_eq!(reopened.close(false).unwrap().version, closed_state.version);
        let shared = Arc::downgrade(&reopened.shared);
        drop(reopened);
        assert!(shared.upgrade().is_none(), "a closed generation frees its state");
    }

    fn put(id: &str, title: &str) -> Write {
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
        let spec: Spec = serde_json::from_str(r#"{"fields":[{"name":"title","type":"text","language":"english"}],"synonyms":[]}"#).unwrap();
        let (first, _) = Generation::open(folder.path(), &spec, None, 0).unwrap();
        write(&first, (0..100).map(|number| put(&format!("d{number}"), "wing")).collect());
        first.close(false);
        // A replacement that was stored, and the files that a killed process left while it committed it to the index.
        let mut store = Store::open(&folder.path().join("documents.db"), TEXT_PAGE_BYTES).unwrap();
        store.apply(&[vec![put("d0", "bird")]]).unwrap();
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
        let spec: Spec = serde_json::from_str(r#"{"fields":[{"name":"title","type":"text","language":"english"}],"synonyms":[]}"#).unwrap();
        let (first, _) = Generation::open(folder.path(), &spec, None, 0).unwrap();
        write(&first, vec![put("a", "wing")]);
        first.close(false);
        let mut store = Store::open(&folder.path().join("documents.db"), TEXT_PAGE_BYTES).unwrap();
        store.apply(&[vec![put("b", "bird")]]).unwrap();
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
    fn a_write_thread_without_work_ends_and_the_next_write_starts_another() {
        let folder = tempfile::tempdir().unwrap();
        let spec: Spec = serde_json::from_str(r#"{"fields":[{"name":"title","type":"text","language":"english"}],"synonyms":[]}"#).unwrap();
        let (generation, _) = Generation::open(folder.path(), &spec, None, 0).unwrap();
        for (round, id) in ["a", "b"].into_iter().enumerate() {
            write(&generation, vec![put(id, "wing")]);
            let (sender, receiver) = channel();
            generation.submit(Task::Refresh { responder: Responder::new(move |result| sender.send(result).unwrap()) });
            receiver.recv().unwrap().unwrap();
            assert_eq!(generation.shared.snapshot().unwrap().documents(), round as u64 + 1);
            while generation.has_thread.load(Ordering::SeqCst) {
                thread::yield_now();
            }
        }
        assert_eq!(generation.close(false).unwrap().documents, 2);
    }

    #[test]
    fn documents_older_than_a_known_write_are_refused_and_left_as_they_are() {
        let folder = tempfile::tempdir().unwrap();
        let spec: Spec = serde_json::from_str(r#"{"fields":[{"name":"title","type":"text","language":"english"}],"synonyms":[]}"#).unwrap();
        let open = |known_writes| Generation::open(folder.path(), &spec, None, known_writes).map(|(generation, _)| generation);
        let first = open(0).unwrap();
        write(&first, vec![put("a", "wing")]);
        first.close(false);
        let path = folder.path().join("documents.db");
        let older = fs::read(&path).unwrap();
        let log = folder.path().join("documents.db-wal");
        assert!(!log.exists() || fs::metadata(&log).unwrap().len() == 0, "closing empties the log");
        let second = open(1).unwrap();
        write(&second, vec![put("b", "wing")]);
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
}
