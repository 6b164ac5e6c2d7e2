//! One generation: a folder with the documents (`documents.db`), their index (`index/`) and the lock of the process that has it open.

use std::collections::HashMap;
use std::fs::{self, File, TryLockError};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::thread::{self, JoinHandle};

use crate::failure::{Failure, Result};
use crate::follower::Follower;
use crate::schema::IndexSchema;
use crate::snapshot::Snapshot;
use crate::spec::Spec;
use crate::store::{Readers, Store};
use crate::writer::{Task, Writer};

/// Requests that may wait for the write thread.
const WRITE_QUEUE_MAX: usize = 1024;

/// What the write thread and those who search have in common.
pub struct Shared {
    pub schema: IndexSchema,
    pub synonyms: Synonyms,
    pub readers: Readers,
    snapshot: RwLock<Arc<Snapshot>>,
}

/// A word as typed, in small letters → the other words of its sets.
pub type Synonyms = HashMap<String, Vec<String>>;

impl Shared {
    pub fn snapshot(&self) -> Arc<Snapshot> {
        Arc::clone(&self.snapshot.read().unwrap_or_else(PoisonError::into_inner))
    }

    pub fn publish(&self, snapshot: Arc<Snapshot>) {
        *self.snapshot.write().unwrap_or_else(PoisonError::into_inner) = snapshot;
    }
}

pub struct Generation {
    pub shared: Arc<Shared>,
    tasks: Mutex<Option<SyncSender<Task>>>,
    thread: Mutex<Option<JoinHandle<()>>>,
    dropped: Arc<AtomicBool>,
    /// Held as long as the generation is open; the system lets go of it when the process ends.
    lock: Mutex<Option<File>>,
}

impl Generation {
    pub fn open(folder: &Path, spec: &Spec) -> Result<Generation> {
        let schema = IndexSchema::new(spec)?;
        fs::create_dir_all(folder)?;
        let lock = lock(folder)?;
        let documents = folder.join("documents.db");
        let store = Store::open(&documents)?;
        sync_folder(folder)?;
        let follower = Follower::open(&folder.join("index"), &schema, &store)?;
        let epoch = store.next_epoch()?;
        let sequence = follower.committed();
        let first = Arc::new(Snapshot { searcher: follower.searcher(), sequence, version: sequence + epoch });
        let shared = Arc::new(Shared {
            schema,
            synonyms: synonyms(spec),
            readers: Readers::new(documents),
            snapshot: RwLock::new(Arc::clone(&first)),
        });
        let writer = Writer::new(store, follower, Arc::clone(&shared), &first, epoch);
        let (tasks, queue) = sync_channel(WRITE_QUEUE_MAX);
        let dropped = Arc::new(AtomicBool::new(false));
        let seen = Arc::clone(&dropped);
        let thread = thread::Builder::new().name("querent-write".into()).spawn(move || writer.run(&queue, &seen))?;
        Ok(Generation { shared, tasks: Mutex::new(Some(tasks)), thread: Mutex::new(Some(thread)), dropped, lock: Mutex::new(Some(lock)) })
    }

    /// Queues a task for the write thread, which answers it.
    pub fn submit(&self, task: Task) {
        let refused = match self.tasks.lock().unwrap_or_else(PoisonError::into_inner).as_ref() {
            None => TrySendError::Disconnected(task),
            Some(tasks) => match tasks.try_send(task) {
                Ok(()) => return,
                Err(refused) => refused,
            },
        };
        match refused {
            TrySendError::Full(task) => task.refuse(Failure::overloaded("too many writes are waiting")),
            TrySendError::Disconnected(task) => task.refuse(Failure::unavailable("the generation is being closed")),
        }
    }

    /// Finishes what was submitted and ends the write thread; with `dropped` the index is left as it is.
    pub fn close(&self, dropped: bool) {
        self.dropped.store(dropped, Ordering::SeqCst);
        self.tasks.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(thread) = self.thread.lock().unwrap_or_else(PoisonError::into_inner).take() {
            drop(thread.join());
        }
        self.lock.lock().unwrap_or_else(PoisonError::into_inner).take();
    }
}

fn synonyms(spec: &Spec) -> Synonyms {
    let mut synonyms = Synonyms::new();
    for set in &spec.synonyms {
        for word in set {
            let others = set.iter().filter(|other| *other != word).cloned();
            synonyms.entry(word.to_lowercase()).or_default().extend(others);
        }
    }
    synonyms
}

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
