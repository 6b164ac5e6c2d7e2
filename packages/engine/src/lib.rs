//! The embedded search engine of Querent as a Node addon. This file is the boundary: each method takes strings, hands the work to a thread
//! of the engine, and resolves its promise with an [`Outcome`].
//!
//! Architecture invariant: nothing here or below knows of workspaces, endpoints or people.

mod analysis;
mod answer;
mod engine;
mod failure;
mod follower;
mod generation;
mod json;
mod lines;
mod plan;
mod pool;
mod rebuild;
mod schema;
mod search;
mod snapshot;
mod spec;
mod stop_lists;
mod stop_words;
mod store;
mod synonyms;
mod values;
mod writer;

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use napi::bindgen_prelude::{Buffer, ClassInstance, Object};
use napi::{Env, JsDeferred};
use napi_derive::napi;

use answer::Answer;
use engine::Engine;
use failure::{Failure, Result};
use generation::Rested;
use rebuild::Progress;
use store::Write;

/// What a promise resolves with: an error when it has a `code`, else the answer. Entities travel as strings of their own, never inside JSON.
#[napi(object)]
#[derive(Default)]
pub struct Outcome {
    pub code: Option<String>,
    pub message: Option<String>,
    /// JSON, or a text where the answer is one.
    pub head: Option<String>,
    pub texts: Option<Vec<String>>,
}

impl From<Failure> for Outcome {
    fn from(failure: Failure) -> Outcome {
        Outcome { code: Some(failure.code.name().to_owned()), message: Some(failure.message), ..Outcome::default() }
    }
}

#[napi(object)]
pub struct NativeInfo {
    pub documents: f64,
    pub version: f64,
    pub rebuilding: Option<NativeProgress>,
}

/// Of an index that is being built again.
#[napi(object)]
pub struct NativeProgress {
    pub reason: String,
    pub done: f64,
    pub total: f64,
}

impl From<&Progress> for NativeProgress {
    fn from(progress: &Progress) -> NativeProgress {
        NativeProgress { reason: progress.reason.to_owned(), done: progress.done() as f64, total: progress.total as f64 }
    }
}

/// Searches that may be cancelled, by the ticket that their caller gave them: a number costs less to hand over than an object.
type Tickets = Arc<Mutex<HashMap<u32, Arc<AtomicBool>>>>;

/// Lines that were read and not yet written.
#[napi]
#[derive(Default)]
pub struct NativeLines {
    writes: Arc<Mutex<Vec<Option<Write>>>>,
}

#[napi]
impl NativeLines {
    #[napi(constructor)]
    pub fn new() -> NativeLines {
        NativeLines::default()
    }
}

#[napi]
pub struct NativeEngine {
    engine: Arc<Engine>,
    tickets: Tickets,
}

#[napi]
impl NativeEngine {
    #[napi(constructor)]
    pub fn new(data_dir: String, threads: u32, queue_max: u32) -> napi::Result<NativeEngine> {
        let engine = Engine::new(PathBuf::from(data_dir), threads as usize, queue_max as usize).map_err(to_error)?;
        Ok(NativeEngine { engine: Arc::new(engine), tickets: Tickets::default() })
    }

    /// Where the index has to be built again, `head` is the reason, and the rebuilding goes on or is done already.
    #[napi(ts_return_type = "Promise<Outcome>")]
    pub fn open<'env>(&self, env: &'env Env, id: String, spec: String) -> napi::Result<Object<'env>> {
        let shape = |reason: Option<&str>| Outcome { head: reason.map(str::to_owned), ..Outcome::default() };
        self.on_own_thread(env, shape, move |engine| engine.open(&id, &spec))
    }

    /// `head` is JSON, `{ documents, version }` as `info` would have them now; absent where that is unknown.
    #[napi(ts_return_type = "Promise<Outcome>")]
    pub fn release<'env>(&self, env: &'env Env, id: String) -> napi::Result<Object<'env>> {
        let shape = |rested: Option<Rested>| Outcome {
            head: rested.map(|rested| serde_json::json!({ "documents": rested.documents, "version": rested.version }).to_string()),
            ..Outcome::default()
        };
        self.on_own_thread(env, shape, move |engine| engine.release(&id))
    }

    #[napi(ts_return_type = "Promise<Outcome>")]
    pub fn drop<'env>(&self, env: &'env Env, id: String) -> napi::Result<Object<'env>> {
        self.on_own_thread(env, |()| Outcome::default(), move |engine| engine.drop_generation(&id))
    }

    #[napi]
    pub fn info(&self, id: String) -> napi::Result<NativeInfo> {
        let info = self.engine.info(&id).map_err(to_error)?;
        let rebuilding = info.rebuilding.as_deref().map(NativeProgress::from);
        Ok(NativeInfo { documents: info.documents as f64, version: info.version as f64, rebuilding })
    }

    /// As long as this number is the same, so are the versions of all generations, and which there are.
    #[napi]
    pub fn changes(&self) -> u32 {
        generation::changes()
    }

    /// That of `info` alone: what each query asks.
    #[napi]
    pub fn version(&self, id: String) -> napi::Result<f64> {
        Ok(self.engine.info(&id).map_err(to_error)?.version as f64)
    }

    /// `entities[i]` null deletes `ids[i]`.
    #[napi(ts_return_type = "Promise<Outcome>")]
    pub fn write<'env>(&self, env: &'env Env, id: String, ids: Vec<String>, entities: Vec<Option<String>>) -> napi::Result<Object<'env>> {
        let writes = ids.into_iter().zip(entities).map(|(id, entity)| Write { id, entity }).collect();
        let (answer, promise) = promised(env, |()| Outcome::default())?;
        self.engine.write(&id, writes, answer);
        Ok(promise)
    }

    /// Keeps in `lines` what the lines of `block` ask to be written. `head` is JSON: how many lines there are, and which were left.
    #[napi(ts_return_type = "Promise<Outcome>")]
    pub fn read_lines<'env>(
        &self,
        env: &'env Env,
        lines: ClassInstance<NativeLines>,
        block: Buffer,
        rules: String,
    ) -> napi::Result<Object<'env>> {
        let kept = Arc::clone(&lines.writes);
        // Copied: what JavaScript may change is not read by another thread.
        let block = block.to_vec();
        let shape = |head: String| Outcome { head: Some(head), ..Outcome::default() };
        self.on_own_thread(env, shape, move |_| {
            generation::let_searches_go_first();
            let rules: lines::Rules = json::read(&rules).map_err(|error| Failure::fault(format!("the rules of documents: {error}")))?;
            let lines::Lines { writes, left } = lines::read(&block, &rules);
            let head = serde_json::json!({ "lines": writes.len(), "left": left }).to_string();
            *kept.lock().unwrap_or_else(PoisonError::into_inner) = writes;
            Ok(head)
        })
    }

    /// Writes what was read; `ids[i]` and `entities[i]` take the place of the line that was left as number `i`, null that of none.
    #[napi(ts_return_type = "Promise<Outcome>")]
    pub fn write_lines<'env>(
        &self,
        env: &'env Env,
        id: String,
        lines: ClassInstance<NativeLines>,
        ids: Vec<Option<String>>,
        entities: Vec<Option<String>>,
    ) -> napi::Result<Object<'env>> {
        let read = std::mem::take(&mut *lines.writes.lock().unwrap_or_else(PoisonError::into_inner));
        let mut others = ids.into_iter().zip(entities);
        let other = |(id, entity): (Option<String>, _)| id.map(|id| Write { id, entity });
        let writes = read.into_iter().filter_map(|write| write.or_else(|| others.next().and_then(other))).collect();
        let (answer, promise) = promised(env, |()| Outcome::default())?;
        self.engine.write(&id, writes, answer);
        Ok(promise)
    }

    #[napi(ts_return_type = "Promise<Outcome>")]
    pub fn refresh<'env>(&self, env: &'env Env, id: String) -> napi::Result<Object<'env>> {
        let (answer, promise) = promised(env, |()| Outcome::default())?;
        self.engine.refresh(&id, answer);
        Ok(promise)
    }

    #[napi(ts_return_type = "Promise<Outcome>")]
    pub fn get<'env>(&self, env: &'env Env, id: String, document_id: String) -> napi::Result<Object<'env>> {
        let (answer, promise) = promised(env, |entity| Outcome { head: entity, ..Outcome::default() })?;
        self.engine.get(&id, document_id, answer);
        Ok(promise)
    }

    /// `texts` holds id, entity, id, entity, …
    #[napi(ts_return_type = "Promise<Outcome>")]
    pub fn list<'env>(&self, env: &'env Env, id: String, after: Option<String>, count: u32) -> napi::Result<Object<'env>> {
        let (answer, promise) = promised(env, |documents: Vec<store::Document>| Outcome {
            texts: Some(documents.into_iter().flat_map(|document| [document.id, document.entity]).collect()),
            ..Outcome::default()
        })?;
        self.engine.list(&id, after, count, answer);
        Ok(promise)
    }

    /// `head` is the number of deleted documents.
    #[napi(ts_return_type = "Promise<Outcome>")]
    pub fn delete_matching<'env>(&self, env: &'env Env, id: String, plan: String) -> napi::Result<Object<'env>> {
        let (answer, promise) = promised(env, |deleted: u64| Outcome { head: Some(deleted.to_string()), ..Outcome::default() })?;
        self.engine.delete_matching(&id, &plan, answer);
        Ok(promise)
    }

    #[napi(ts_return_type = "Promise<Outcome>")]
    pub fn copy<'env>(&self, env: &'env Env, source: String, target: String) -> napi::Result<Object<'env>> {
        self.on_own_thread(env, |()| Outcome::default(), move |engine| engine.copy(&source, &target))
    }

    /// `head` is the JSON of the reply with `scores` instead of hits, `texts` the entities of the hits. `ticket` is of no other search that runs.
    #[napi(ts_return_type = "Promise<Outcome>")]
    pub fn search<'env>(
        &self,
        env: &'env Env,
        id: String,
        plan: String,
        deadline_ms: f64,
        ticket: Option<u32>,
    ) -> napi::Result<Object<'env>> {
        let (answer, promise) = promised(env, |found: search::Found| match serde_json::to_string(&found) {
            Ok(head) => Outcome { head: Some(head), texts: Some(found.entities), ..Outcome::default() },
            Err(error) => Failure::fault(format!("a reply: {error}")).into(),
        })?;
        let deadline = Duration::try_from_secs_f64(deadline_ms / 1_000.0).unwrap_or_default();
        let (cancelled, answer) = match ticket {
            Some(ticket) => self.with_ticket(ticket, answer),
            None => (Arc::default(), answer),
        };
        self.engine.search(&id, plan, deadline.min(DEADLINE_MAX), cancelled, answer);
        Ok(promise)
    }

    /// Ends the search with this ticket, wherever that is.
    #[napi]
    pub fn cancel(&self, ticket: u32) {
        let cancelled = lock(&self.tickets).remove(&ticket);
        if let Some(cancelled) = cancelled {
            cancelled.store(true, Ordering::Relaxed);
            self.engine.drop_cancelled();
        }
    }

    #[napi(ts_return_type = "Promise<Outcome>")]
    pub fn close<'env>(&self, env: &'env Env) -> napi::Result<Object<'env>> {
        let close = |engine: &Engine| {
            engine.close();
            Ok(())
        };
        self.on_own_thread(env, |()| Outcome::default(), close)
    }

    /// What the search with this ticket is cancelled by, and an answer that gives the ticket back.
    fn with_ticket<T: 'static>(&self, ticket: u32, answer: Answer<T>) -> (Arc<AtomicBool>, Answer<T>) {
        let cancelled = Arc::<AtomicBool>::default();
        lock(&self.tickets).insert(ticket, Arc::clone(&cancelled));
        let tickets = Arc::clone(&self.tickets);
        let answer = Answer::new(move |result| {
            lock(&tickets).remove(&ticket);
            answer.send(result);
        });
        (cancelled, answer)
    }

    /// For what takes long and is rare, and must not hold up searches.
    fn on_own_thread<'env, T: 'static>(
        &self,
        env: &'env Env,
        shape: fn(T) -> Outcome,
        work: impl FnOnce(&Engine) -> Result<T> + Send + 'static,
    ) -> napi::Result<Object<'env>> {
        let (answer, promise) = promised(env, shape)?;
        let engine = Arc::clone(&self.engine);
        let thread = std::thread::Builder::new().name("querent-task".into());
        // Should no thread be had, the answer is dropped with the closure, and says so.
        drop(thread.spawn(move || answer.send(pool::guarded(|| work(&engine)))));
        Ok(promise)
    }
}

fn lock(tickets: &Tickets) -> MutexGuard<'_, HashMap<u32, Arc<AtomicBool>>> {
    tickets.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A longer deadline than this is none.
const DEADLINE_MAX: Duration = Duration::from_secs(24 * 60 * 60);

type Resolve = Box<dyn FnOnce(Env) -> napi::Result<Outcome> + Send>;

/// A promise, and the answer that resolves it from any thread.
fn promised<T: 'static>(env: &Env, shape: fn(T) -> Outcome) -> napi::Result<(Answer<T>, Object<'_>)> {
    let (deferred, promise): (JsDeferred<Outcome, Resolve>, _) = env.create_deferred()?;
    let answer = Answer::new(move |result: Result<T>| {
        let outcome = result.map_or_else(Outcome::from, shape);
        deferred.resolve(Box::new(move |_| Ok(outcome)));
    });
    Ok((answer, promise))
}

fn to_error(failure: Failure) -> napi::Error {
    napi::Error::from_reason(failure.to_string())
}
