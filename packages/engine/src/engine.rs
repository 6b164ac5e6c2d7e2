//! The engine: the open generations by id, and the operations on them.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::thread;
use std::time::{Duration, Instant};

use crate::entity::Entity;
use crate::failure::{Failure, Result};
use crate::generation::Generation;
use crate::json;
use crate::plan::Plan;
use crate::pool::{Pool, catch_panic};
use crate::rebuild::Progress;
use crate::responder::Responder;
use crate::search::{self, CancelToken, SearchReply};
use crate::shared_state::{Readiness, count_change};
use crate::spec::Spec;
use crate::store::{Document, Write};
use crate::task::Task;
use crate::writer::ClosedState;

/// Name prefix of the folders of dropped generations until they are deleted. No generation id can have it.
const DROPPED_PREFIX: &str = ".dropped-";

/// Number of documents in one page of a copy.
const COPY_PAGE_DOCUMENTS: u32 = 1_000;

/// Number of generations that are closed at the same time.
const CLOSE_THREADS: usize = 8;

pub struct Engine {
    data_dir: PathBuf,
    pool: Pool,
    generations: RwLock<HashMap<String, Arc<Generation>>>,
    /// Slots by id. Opening, closing and dropping lock only the slot, because building an index may take minutes.
    slots: Mutex<HashMap<String, Arc<Mutex<Slot>>>>,
    /// The number of handles that keep each generation open.
    holders: Mutex<HashMap<String, usize>>,
    /// Writes of the generations that were closed since the last `write_counts`.
    closed_counts: Mutex<Vec<(String, u64)>>,
    closed: AtomicBool,
}

/// What the engine remembers about a generation, open or not.
#[derive(Default)]
struct Slot {
    /// The spec of the open generation.
    open_spec: Option<String>,
    /// The spec and the state of the generation when it was last closed.
    last_closed: Option<(String, ClosedState)>,
}

pub struct Info {
    pub documents: u64,
    pub version: u64,
    pub rebuilding: Option<Arc<Progress>>,
}

impl Engine {
    pub fn new(data_dir: PathBuf, threads: usize, queue_max: usize) -> Result<Engine> {
        fs::create_dir_all(&data_dir)?;
        delete_dropped(&data_dir)?;
        let pool = Pool::new(threads, queue_max)?;
        Ok(Engine {
            data_dir,
            pool,
            generations: RwLock::default(),
            slots: Mutex::default(),
            holders: Mutex::default(),
            closed_counts: Mutex::default(),
            closed: AtomicBool::new(false),
        })
    }

    /// Opens a generation. Returns the reason for a rebuild if the index has to be rebuilt. Fails if fewer than `known_writes` are stored.
    pub fn open(&self, id: &str, spec_json: &str, known_writes: u64) -> Result<Option<String>> {
        let spec: Spec = json::read(spec_json).map_err(|error| Failure::fault(format!("invalid generation spec: {error}")))?;
        check_id(id)?;
        let slot = self.slot(id);
        let mut slot = slot.lock().unwrap_or_else(PoisonError::into_inner);
        if self.closed.load(Ordering::SeqCst) {
            return Err(Failure::unavailable("the engine is closed"));
        }
        if slot.open_spec.as_deref() == Some(spec_json) {
            return Ok(None);
        }
        slot.open_spec = None;
        if let Some(generation) = self.remove(id) {
            generation.close(false);
        }
        let closed_state = slot.last_closed.take().filter(|(closed_spec, _)| closed_spec == spec_json).map(|(_, state)| state);
        let (generation, rebuild_reason) = Generation::open(&self.data_dir.join(id), &spec, closed_state, known_writes)?;
        let generation = Arc::new(generation);
        let mut generations = self.generations.write().unwrap_or_else(PoisonError::into_inner);
        if self.closed.load(Ordering::SeqCst) {
            generation.close(false);
            return Err(Failure::unavailable("the engine is closed"));
        }
        generations.insert(id.to_owned(), generation);
        count_change();
        slot.open_spec = Some(spec_json.to_owned());
        Ok(rebuild_reason)
    }

    /// Counts a handle that keeps a generation open.
    pub fn hold(&self, id: &str) {
        *self.holders.lock().unwrap_or_else(PoisonError::into_inner).entry(id.to_owned()).or_default() += 1;
    }

    /// Returns the number of handles that still keep the generation open.
    pub fn give_up(&self, id: &str) -> usize {
        let mut holders = self.holders.lock().unwrap_or_else(PoisonError::into_inner);
        let rest = holders.get(id).map_or(0, |count| count - 1);
        if rest == 0 {
            holders.remove(id);
        } else {
            holders.insert(id.to_owned(), rest);
        }
        rest
    }

    /// Closes a generation and keeps its files. Running searches still finish. Returns the final state if it is known.
    pub fn release(&self, id: &str) -> Result<Option<ClosedState>> {
        check_id(id)?;
        let slot = self.slot(id);
        let mut slot = slot.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(generation) = self.remove(id) else { return Ok(None) };
        let closed_state = generation.close(false);
        self.closed_counts.lock().unwrap_or_else(PoisonError::into_inner).push((id.to_owned(), generation.shared.stored_writes()));
        slot.last_closed = slot.open_spec.take().zip(closed_state);
        Ok(closed_state)
    }

    pub fn drop_generation(&self, id: &str) -> Result<()> {
        check_id(id)?;
        let slot = self.slot(id);
        let mut slot = slot.lock().unwrap_or_else(PoisonError::into_inner);
        *slot = Slot::default();
        self.holders.lock().unwrap_or_else(PoisonError::into_inner).remove(id);
        if let Some(generation) = self.remove(id) {
            generation.close(true);
        }
        let folder = self.data_dir.join(id);
        if !folder.exists() {
            return Ok(());
        }
        // Renamed first, so that a partly deleted folder is never opened if the process ends during the deletion.
        let dropped = self.data_dir.join(format!("{DROPPED_PREFIX}{id}"));
        if dropped.exists() {
            fs::remove_dir_all(&dropped)?;
        }
        fs::rename(&folder, &dropped)?;
        Ok(fs::remove_dir_all(&dropped)?)
    }

    pub fn info(&self, id: &str) -> Result<Info> {
        Ok(match self.generation(id)?.shared.readiness() {
            Readiness::Ready(snapshot) => Info { documents: snapshot.documents(), version: snapshot.version, rebuilding: None },
            Readiness::Rebuilding(progress) => Info { documents: progress.total, version: progress.version, rebuilding: Some(progress) },
        })
    }

    /// Returns the number of durable writes of each generation that is open, or was closed since the last call.
    pub fn write_counts(&self) -> Vec<(String, u64)> {
        let mut counts = std::mem::take(&mut *self.closed_counts.lock().unwrap_or_else(PoisonError::into_inner));
        let generations = self.generations.read().unwrap_or_else(PoisonError::into_inner);
        counts.extend(generations.iter().map(|(id, generation)| (id.clone(), generation.shared.stored_writes())));
        counts
    }

    pub fn write(&self, id: &str, writes: Vec<Write>, responder: Responder<()>) {
        self.submit(id, responder, |responder| Task::Write { writes, responder });
    }

    pub fn refresh(&self, id: &str, responder: Responder<()>) {
        self.submit(id, responder, |responder| Task::Refresh { responder });
    }

    pub fn delete_matching(&self, id: &str, plan_json: &str, responder: Responder<u64>) {
        match read_plan(plan_json) {
            Ok(plan) => self.submit(id, responder, |responder| Task::DeleteMatching { plan: Box::new(plan), responder }),
            Err(failure) => responder.send(Err(failure)),
        }
    }

    pub fn get(&self, id: &str, document_id: String, responder: Responder<Option<Entity>>) {
        self.run_on_pool(id, responder, move |generation| generation.shared.resources.readers.get(&document_id));
    }

    pub fn list(&self, id: &str, after: Option<String>, count: u32, responder: Responder<Vec<Document>>) {
        self.run_on_pool(id, responder, move |generation| generation.shared.resources.readers.list(after.as_deref(), count));
    }

    /// Runs a search on the pool, in the turn of its owner. To cancel it, set `cancelled` and call [`Engine::remove_cancelled`].
    pub fn search(
        &self,
        id: &str,
        owner: Arc<str>,
        plan_json: String,
        deadline: Duration,
        cancelled: Arc<AtomicBool>,
        responder: Responder<SearchReply>,
    ) {
        // The deadline includes the time in the queue.
        let cancel_token = CancelToken::with_deadline(Instant::now() + deadline, Arc::clone(&cancelled));
        let search = move |generation: &Generation| {
            let plan = read_plan(&plan_json)?;
            let snapshot = generation.shared.snapshot()?;
            search::search(&snapshot, &generation.shared.resources, &plan, &cancel_token)
        };
        match self.generation(id) {
            Ok(generation) => {
                self.pool.run(owner, cancelled, move |admission| match admission.and_then(|()| catch_panic(|| search(&generation))) {
                    Err(failure) if failure.may_be_damage => generation.submit(Task::CheckIndex { failure, responder }),
                    result => responder.send(result),
                })
            }
            Err(failure) => responder.send(Err(failure)),
        }
    }

    /// Ends the canceled searches that are still queued.
    pub fn remove_cancelled(&self) {
        self.pool.remove_cancelled();
    }

    /// Copies all documents on the calling thread.
    pub fn copy(&self, source: &str, target: &str) -> Result<()> {
        let (source, target) = (self.generation(source)?, self.generation(target)?);
        let mut last_id: Option<String> = None;
        loop {
            let page = source.shared.resources.readers.list(last_id.as_deref(), COPY_PAGE_DOCUMENTS)?;
            let Some(last) = page.last() else { return Ok(()) };
            last_id = Some(last.id.clone());
            let writes = page.into_iter().map(|document| Write { id: document.id, entity: Some(document.entity) }).collect();
            let (sender, receiver) = std::sync::mpsc::channel();
            target.submit(Task::Write { writes, responder: Responder::new(move |result| drop(sender.send(result))) });
            receiver.recv().map_err(|_| Failure::fault("the writer ended"))??;
        }
    }

    pub fn close(&self) {
        self.closed.store(true, Ordering::SeqCst);
        self.pool.close();
        let generations = std::mem::take(&mut *self.generations.write().unwrap_or_else(PoisonError::into_inner));
        count_change();
        let open: Mutex<Vec<_>> = Mutex::new(generations.into_values().collect());
        let close_all = || {
            loop {
                let Some(generation) = open.lock().unwrap_or_else(PoisonError::into_inner).pop() else { return };
                generation.close(false);
            }
        };
        thread::scope(|scope| {
            for _ in 1..CLOSE_THREADS {
                // Without further threads, this one closes them all.
                drop(thread::Builder::new().spawn_scoped(scope, close_all));
            }
            close_all();
        });
    }

    fn generation(&self, id: &str) -> Result<Arc<Generation>> {
        self.generations
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .get(id)
            .cloned()
            .ok_or_else(|| Failure::unavailable(format!("generation `{id}` is not open")))
    }

    fn slot(&self, id: &str) -> Arc<Mutex<Slot>> {
        let mut slots = self.slots.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(slots.entry(id.to_owned()).or_default())
    }

    fn remove(&self, id: &str) -> Option<Arc<Generation>> {
        let generation = self.generations.write().unwrap_or_else(PoisonError::into_inner).remove(id);
        count_change();
        generation
    }

    fn submit<T: 'static>(&self, id: &str, responder: Responder<T>, task: impl FnOnce(Responder<T>) -> Task) {
        match self.generation(id) {
            Ok(generation) => generation.submit(task(responder)),
            Err(failure) => responder.send(Err(failure)),
        }
    }

    fn run_on_pool<T: 'static>(&self, id: &str, responder: Responder<T>, work: impl FnOnce(&Generation) -> Result<T> + Send + 'static) {
        match self.generation(id) {
            Ok(generation) => self.pool.run(id.into(), Arc::default(), move |admission| {
                responder.send(admission.and_then(|()| catch_panic(|| work(&generation))))
            }),
            Err(failure) => responder.send(Err(failure)),
        }
    }
}

fn read_plan(text: &str) -> Result<Plan> {
    json::read(text).map_err(|error| Failure::fault(format!("invalid plan: {error}")))
}

/// Checks that the id is a valid folder name.
fn check_id(id: &str) -> Result<()> {
    let is_allowed = |character: char| character.is_ascii_lowercase() || character.is_ascii_digit() || character == '-' || character == '_';
    if id.is_empty() || id.len() > 200 || !id.chars().all(is_allowed) {
        return Err(Failure::fault(format!("`{id}` is not a valid generation id")));
    }
    Ok(())
}

fn delete_dropped(data_dir: &Path) -> Result<()> {
    for entry in fs::read_dir(data_dir)? {
        let entry = entry?;
        if entry.file_name().to_string_lossy().starts_with(DROPPED_PREFIX) {
            fs::remove_dir_all(entry.path())?;
        }
    }
    Ok(())
}
