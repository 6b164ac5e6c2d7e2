//! The engine: open generations by their id, and what may be asked of them.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::thread;
use std::time::{Duration, Instant};

use crate::answer::Answer;
use crate::failure::{Failure, Result};
use crate::generation::{self, Generation, Readiness, Rested};
use crate::json;
use crate::plan::Plan;
use crate::pool::{Pool, guarded};
use crate::rebuild::Progress;
use crate::search::{self, Clock, Found};
use crate::spec::Spec;
use crate::store::{Document, Write};
use crate::writer::Task;

/// Folders that were dropped and not yet deleted begin so; no generation's id can.
const DROPPED_PREFIX: &str = ".dropped-";

/// Documents copied at once.
const COPY_DOCUMENTS: u32 = 1_000;

pub struct Engine {
    data_dir: PathBuf,
    pool: Pool,
    generations: RwLock<HashMap<String, Arc<Generation>>>,
    /// By id; each is locked by the one who opens, closes or drops the generation, for building its index may take minutes.
    places: Mutex<HashMap<String, Arc<Mutex<Place>>>>,
    closed: AtomicBool,
}

/// What is known of a generation, open or not.
#[derive(Default)]
struct Place {
    /// The spec that it is open with.
    open_with: Option<String>,
    /// How it was left when it was closed, and the spec that it was open with.
    left: Option<(String, Rested)>,
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
        Ok(Engine { data_dir, pool, generations: RwLock::default(), places: Mutex::default(), closed: AtomicBool::new(false) })
    }

    /// Gives the reason why the index has to be built again, if it has.
    pub fn open(&self, id: &str, spec_json: &str) -> Result<Option<&'static str>> {
        let spec: Spec = json::read(spec_json).map_err(|error| Failure::fault(format!("a generation's spec: {error}")))?;
        check_id(id)?;
        let place = self.place(id);
        let mut place = place.lock().unwrap_or_else(PoisonError::into_inner);
        if self.closed.load(Ordering::SeqCst) {
            return Err(Failure::unavailable("the engine is closed"));
        }
        if place.open_with.as_deref() == Some(spec_json) {
            return Ok(None);
        }
        place.open_with = None;
        if let Some(generation) = self.take(id) {
            generation.close(false);
        }
        let rested = place.left.take().filter(|(left_with, _)| left_with == spec_json).map(|(_, rested)| rested);
        let (generation, lost) = Generation::open(&self.data_dir.join(id), &spec, rested)?;
        let generation = Arc::new(generation);
        let mut generations = self.generations.write().unwrap_or_else(PoisonError::into_inner);
        if self.closed.load(Ordering::SeqCst) {
            generation.close(false);
            return Err(Failure::unavailable("the engine is closed"));
        }
        generations.insert(id.to_owned(), generation);
        generation::note_change();
        place.open_with = Some(spec_json.to_owned());
        Ok(lost)
    }

    /// Closes a generation and keeps all of it, to be opened again. Searches that run on it end as they would. Gives how it was left, if that
    /// is known.
    pub fn release(&self, id: &str) -> Result<Option<Rested>> {
        check_id(id)?;
        let place = self.place(id);
        let mut place = place.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(generation) = self.take(id) else { return Ok(None) };
        let rested = generation.close(false);
        place.left = place.open_with.take().zip(rested);
        Ok(rested)
    }

    pub fn drop_generation(&self, id: &str) -> Result<()> {
        check_id(id)?;
        let place = self.place(id);
        let mut place = place.lock().unwrap_or_else(PoisonError::into_inner);
        *place = Place::default();
        if let Some(generation) = self.take(id) {
            generation.close(true);
        }
        let folder = self.data_dir.join(id);
        if !folder.exists() {
            return Ok(());
        }
        // Renamed first: should the process end while deleting, no half of it is ever opened again.
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

    pub fn write(&self, id: &str, writes: Vec<Write>, answer: Answer<()>) {
        self.submit(id, answer, |answer| Task::Write { writes, answer });
    }

    pub fn refresh(&self, id: &str, answer: Answer<()>) {
        self.submit(id, answer, |answer| Task::Refresh { answer });
    }

    pub fn delete_matching(&self, id: &str, plan_json: &str, answer: Answer<u64>) {
        match read_plan(plan_json) {
            Ok(plan) => self.submit(id, answer, |answer| Task::DeleteMatching { plan, answer }),
            Err(failure) => answer.send(Err(failure)),
        }
    }

    pub fn get(&self, id: &str, document_id: String, answer: Answer<Option<String>>) {
        self.on_pool(id, answer, move |generation| generation.shared.readers.get(&document_id));
    }

    pub fn list(&self, id: &str, after: Option<String>, count: u32, answer: Answer<Vec<Document>>) {
        self.on_pool(id, answer, move |generation| generation.shared.readers.list(after.as_deref(), count));
    }

    /// Ends when it is cancelled; whoever does that calls [`Engine::drop_cancelled`].
    pub fn search(&self, id: &str, plan_json: String, deadline: Duration, cancelled: Arc<AtomicBool>, answer: Answer<Found>) {
        // Waiting in the queue counts: the caller waits either way.
        let clock = Clock::until(Instant::now() + deadline, Arc::clone(&cancelled));
        let search = move |generation: &Generation| {
            let plan = read_plan(&plan_json)?;
            let snapshot = generation.shared.snapshot()?;
            search::search(&snapshot, &generation.shared, &plan, &clock)
        };
        match self.generation(id) {
            Ok(generation) => self.pool.run(cancelled, move |admitted| match admitted.and_then(|()| guarded(|| search(&generation))) {
                Err(failure) if failure.suspect => generation.submit(Task::Inspect { failure, answer }),
                result => answer.send(result),
            }),
            Err(failure) => answer.send(Err(failure)),
        }
    }

    /// Answers the searches that were cancelled while they waited, and gives their places in the queue back.
    pub fn drop_cancelled(&self) {
        self.pool.drop_cancelled();
    }

    /// Copies on the calling thread.
    pub fn copy(&self, source: &str, target: &str) -> Result<()> {
        let (source, target) = (self.generation(source)?, self.generation(target)?);
        let mut after: Option<String> = None;
        loop {
            let page = source.shared.readers.list(after.as_deref(), COPY_DOCUMENTS)?;
            let Some(last) = page.last() else { return Ok(()) };
            after = Some(last.id.clone());
            let writes = page.into_iter().map(|document| Write { id: document.id, entity: Some(document.entity) }).collect();
            let (done, finished) = std::sync::mpsc::channel();
            target.submit(Task::Write { writes, answer: Answer::new(move |result| drop(done.send(result))) });
            finished.recv().map_err(|_| Failure::fault("the write thread ended"))??;
        }
    }

    pub fn close(&self) {
        self.closed.store(true, Ordering::SeqCst);
        self.pool.close();
        let generations = std::mem::take(&mut *self.generations.write().unwrap_or_else(PoisonError::into_inner));
        generation::note_change();
        let closing: Vec<_> = generations.into_values().map(|generation| thread::spawn(move || generation.close(false))).collect();
        closing.into_iter().for_each(|thread| drop(thread.join()));
    }

    fn generation(&self, id: &str) -> Result<Arc<Generation>> {
        self.generations
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .get(id)
            .cloned()
            .ok_or_else(|| Failure::unavailable(format!("no generation `{id}` is open")))
    }

    fn place(&self, id: &str) -> Arc<Mutex<Place>> {
        let mut places = self.places.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(places.entry(id.to_owned()).or_default())
    }

    fn take(&self, id: &str) -> Option<Arc<Generation>> {
        let taken = self.generations.write().unwrap_or_else(PoisonError::into_inner).remove(id);
        generation::note_change();
        taken
    }

    fn submit<T: 'static>(&self, id: &str, answer: Answer<T>, task: impl FnOnce(Answer<T>) -> Task) {
        match self.generation(id) {
            Ok(generation) => generation.submit(task(answer)),
            Err(failure) => answer.send(Err(failure)),
        }
    }

    fn on_pool<T: 'static>(&self, id: &str, answer: Answer<T>, work: impl FnOnce(&Generation) -> Result<T> + Send + 'static) {
        match self.generation(id) {
            Ok(generation) => {
                self.pool.run(Arc::default(), move |admitted| answer.send(admitted.and_then(|()| guarded(|| work(&generation)))))
            }
            Err(failure) => answer.send(Err(failure)),
        }
    }
}

fn read_plan(text: &str) -> Result<Plan> {
    json::read(text).map_err(|error| Failure::fault(format!("a plan: {error}")))
}

/// The id becomes the name of a folder.
fn check_id(id: &str) -> Result<()> {
    let known = |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == '-' || letter == '_';
    if id.is_empty() || id.len() > 200 || !id.chars().all(known) {
        return Err(Failure::fault(format!("`{id}` cannot be the id of a generation")));
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
