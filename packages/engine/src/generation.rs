//! One generation: a folder with the documents (`documents.db`), their index (`index/`) and the lock of the process that has it open.

use std::fs::{self, File, TryLockError};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, channel, sync_channel};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::thread::{self, JoinHandle};

use crate::answer::Answer;
use crate::failure::{Failure, Result};
use crate::follower::Follower;
use crate::rebuild::{Progress, Rebuild};
use crate::schema::IndexSchema;
use crate::search::FacetValues;
use crate::snapshot::Snapshot;
use crate::spec::Spec;
use crate::store::{Readers, Store};
use crate::writer::{Task, Writer};

/// Requests that may wait for the write thread.
const WRITE_QUEUE_MAX: usize = 1024;

/// An index of so many documents is built again before `open` returns; for more than these, searches are refused meanwhile.
const REBUILT_AT_ONCE_MAX: u64 = 2_000;

/// How often any generation of this process was opened, closed, or came to another state.
static CHANGES: AtomicU32 = AtomicU32::new(0);

pub fn changes() -> u32 {
    CHANGES.load(Ordering::SeqCst)
}

/// After it has.
pub fn note_change() {
    CHANGES.fetch_add(1, Ordering::SeqCst);
}

/// What the write thread and those who search have in common.
pub struct Shared {
    pub schema: IndexSchema,
    pub readers: Readers,
    pub facet_values: FacetValues,
    readiness: RwLock<Readiness>,
}

/// Whether searches can be answered.
#[derive(Clone)]
pub enum Readiness {
    Ready(Arc<Snapshot>),
    Rebuilding(Arc<Progress>),
}

impl Shared {
    /// What to search; unavailable while the index is being built again.
    pub fn snapshot(&self) -> Result<Arc<Snapshot>> {
        match &*self.readiness.read().unwrap_or_else(PoisonError::into_inner) {
            Readiness::Ready(snapshot) => Ok(Arc::clone(snapshot)),
            Readiness::Rebuilding(progress) => Err(progress.failure()),
        }
    }

    pub fn readiness(&self) -> Readiness {
        self.readiness.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub fn publish(&self, readiness: Readiness) {
        *self.readiness.write().unwrap_or_else(PoisonError::into_inner) = readiness;
        note_change();
    }
}

/// How a generation was left by whoever closed it. Its version is the same when it is opened again by this process and nothing is otherwise.
#[derive(Clone, Copy)]
pub struct Rested {
    pub documents: u64,
    pub version: u64,
    pub epoch: u64,
    /// `Follower::state`.
    pub index: u64,
}

/// The writer and its queue, until the write thread takes them.
type Idle = Mutex<Option<(Writer, Receiver<Box<Task>>)>>;

pub struct Generation {
    pub shared: Arc<Shared>,
    /// Boxed: the queue has room for all that may wait from the start.
    tasks: Mutex<Option<SyncSender<Box<Task>>>>,
    /// Until its thread takes it, which the first task starts: of many that are open, most are only searched.
    writer: Arc<Idle>,
    thread: Mutex<Option<JoinHandle<Option<Rested>>>>,
    dropped: Arc<AtomicBool>,
    /// Held as long as the generation is open; the system lets go of it when the process ends.
    lock: Mutex<Option<File>>,
}

impl Generation {
    /// `rested`: how it was left, with this same spec. Gives the reason besides, when the index has to be built again.
    pub fn open(folder: &Path, spec: &Spec, rested: Option<Rested>) -> Result<(Generation, Option<&'static str>)> {
        let schema = IndexSchema::new(spec)?;
        fs::create_dir_all(folder)?;
        let lock = lock(folder)?;
        let documents = folder.join("documents.db");
        let store = Store::open(&documents)?;
        sync_folder(folder)?;
        let (mut follower, lost) = Follower::open(&folder.join("index"), &schema, &store)?;
        let epoch = match rested {
            Some(rested) if lost.is_none() && follower.state()? == rested.index => rested.epoch,
            _ => store.next_epoch()?,
        };
        let stored = store.last_sequence()?;
        let (first, rebuild) = match lost {
            None => {
                follower.catch_up(&schema, &store)?;
                follower.commit(&schema)?;
                let snapshot = Snapshot::new(follower.searcher(), stored, stored + epoch);
                (Readiness::Ready(Arc::new(snapshot)), None)
            }
            Some(reason) => {
                let progress = Arc::new(Progress::new(reason, store.count()?, stored + epoch));
                (Readiness::Rebuilding(Arc::clone(&progress)), Some(Rebuild::new(progress, stored)))
            }
        };
        let waits = rebuild.as_ref().is_some_and(|rebuild| rebuild.progress.total <= REBUILT_AT_ONCE_MAX);
        let shared = Arc::new(Shared {
            schema,
            readers: Readers::new(documents),
            facet_values: FacetValues::default(),
            readiness: RwLock::new(first),
        });
        // An index that was behind has been written to: its writer is given back by the thread.
        let is_busy = lost.is_some() || follower.has_writer();
        let writer = Writer::new(store, follower, Arc::clone(&shared), stored, epoch, rebuild);
        let (tasks, queue) = sync_channel(WRITE_QUEUE_MAX);
        let generation = Generation {
            shared,
            tasks: Mutex::new(Some(tasks)),
            writer: Arc::new(Mutex::new(Some((writer, queue)))),
            thread: Mutex::default(),
            dropped: Arc::default(),
            lock: Mutex::new(Some(lock)),
        };
        if is_busy {
            generation.start_thread()?;
        }
        if waits {
            let (done, finished) = channel();
            generation.submit(Task::Refresh { answer: Answer::new(move |result| drop(done.send(result))) });
            // What failed is tried again; until then searches are refused.
            drop(finished.recv());
        }
        Ok((generation, lost))
    }

    /// Queues a task for the write thread, which answers it.
    pub fn submit(&self, task: Task) {
        // Held until it is queued: `close` runs what is in the queue, and nothing comes after.
        let tasks = self.tasks.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(queue) = tasks.as_ref() else {
            drop(tasks);
            return task.refuse(Failure::unavailable("the generation is being closed"));
        };
        let refused = match self.start_thread() {
            Ok(()) => queue.try_send(Box::new(task)).err().map(|refused| match refused {
                TrySendError::Full(task) => (task, Failure::overloaded("too many writes are waiting")),
                TrySendError::Disconnected(task) => (task, Failure::unavailable("the generation is being closed")),
            }),
            Err(failure) => Some((Box::new(task), failure)),
        };
        drop(tasks);
        if let Some((task, failure)) = refused {
            task.refuse(failure);
        }
    }

    /// Unless it runs already.
    fn start_thread(&self) -> Result<()> {
        let mut thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner);
        if thread.is_none() {
            let (writer, dropped) = (Arc::clone(&self.writer), Arc::clone(&self.dropped));
            *thread = Some(thread::Builder::new().name("querent-write".into()).spawn(move || {
                let_searches_go_first();
                run(&writer, &dropped)
            })?);
        }
        Ok(())
    }

    /// Finishes what was submitted and ends the write thread; with `dropped` the index is left as it is. Gives how it was left, unless that
    /// is unknown.
    pub fn close(&self, dropped: bool) -> Option<Rested> {
        self.dropped.store(dropped, Ordering::SeqCst);
        self.tasks.lock().unwrap_or_else(PoisonError::into_inner).take();
        let thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner).take();
        let rested = match thread {
            Some(thread) => thread.join().ok().flatten(),
            None => run(&self.writer, &self.dropped),
        };
        self.lock.lock().unwrap_or_else(PoisonError::into_inner).take();
        rested
    }
}

/// Writes until the generation is closed, once.
fn run(writer: &Idle, dropped: &AtomicBool) -> Option<Rested> {
    let taken = writer.lock().unwrap_or_else(PoisonError::into_inner).take();
    taken.and_then(|(writer, tasks)| writer.run(&tasks, dropped))
}

/// Lowers the priority of this thread and of those that it starts, the ones that index and merge: an import takes what time searches leave,
/// and a small share of it when they leave none (on Linux each thread has its own, setpriority(2)).
#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub fn let_searches_go_first() {
    const NICER_BY: i32 = 10;
    // SAFETY: nice has no preconditions; should it fail, writing is as important as searching.
    unsafe {
        libc::nice(NICER_BY);
    }
}

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub fn let_searches_go_first() {}

/// Two processes must not write to the same documents.
fn lock(folder: &Path) -> Result<File> {
    let file = File::options().create(true).write(true).truncate(false).open(folder.join("lock"))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(Failure::unavailable("another process has this generation open")),
        Err(TryLockError::Error(error)) => Err(error.into()),
    }
}

/// Makes the folder's own entry in its parent durable, so that acknowledged documents cannot lose their folder.
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

    #[test]
    fn only_one_that_is_written_to_has_a_thread_and_each_is_left_as_it_was() {
        let folder = tempfile::tempdir().unwrap();
        let spec: Spec = serde_json::from_str(r#"{"fields":[{"name":"title","type":"text","language":"english"}],"synonyms":[]}"#).unwrap();
        let open = |rested| Generation::open(folder.path(), &spec, rested).unwrap().0;
        let has_thread = |generation: &Generation| generation.thread.lock().unwrap().is_some();
        let first = open(None);
        assert!(!has_thread(&first));
        let (done, finished) = channel();
        let write = crate::store::Write { id: "a".into(), entity: Some(r#"{"title":"wing"}"#.into()) };
        first.submit(Task::Write { writes: vec![write], answer: Answer::new(move |result| done.send(result).unwrap()) });
        finished.recv().unwrap().unwrap();
        assert!(has_thread(&first));
        let left = first.close(false).unwrap();
        assert_eq!(left.documents, 1);
        let again = open(Some(left));
        assert_eq!(again.shared.snapshot().unwrap().version, left.version);
        assert!(!has_thread(&again));
        assert_eq!(again.close(false).unwrap().version, left.version);
        let shared = Arc::downgrade(&again.shared);
        drop(again);
        assert!(shared.upgrade().is_none(), "nothing of a closed one stays");
    }
}
