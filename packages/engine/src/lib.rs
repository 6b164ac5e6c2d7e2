//! The embedded search engine of Querent as a Node addon. This file is the boundary: each method takes strings, runs the work on a thread
//! of the engine, and resolves its promise with an [`Outcome`].
//!
//! Architecture invariant: nothing in this crate depends on workspaces, endpoints or people.
//!
//! Over 400 lines: the list of modules, and one short method for each function of the addon.

mod accent_speller;
mod accents;
mod analysis;
mod analyzer_names;
mod attributes;
mod beginnings;
mod camel_case;
mod characters;
mod codes;
mod collation;
mod conjunctions;
mod east_asian_words;
mod element_fields;
mod engine;
mod entity;
mod failure;
mod field_values;
mod folding;
mod forms;
mod fractions;
mod generation;
mod gradation;
mod han_variants;
mod idle_cores;
mod indexer;
mod json;
mod languages;
mod line_rules;
mod lines;
mod lower_cased_words;
mod metric;
mod numbers;
mod outcome;
mod packed_vector;
mod paired_spellings;
mod plan;
mod plan_area;
mod plan_facet;
mod plurals;
mod pool;
mod prefixed_letters;
mod queued_document;
mod rebuild;
mod respelling;
mod responder;
mod resting_merge;
mod reused_analyzers;
mod schema;
mod search;
mod search_field;
mod shared_engines;
mod shared_state;
mod snippets;
mod spec;
mod stem_cache;
mod stemming;
mod stop_word_pairs;
mod stop_words;
mod store;
mod synonym_lists;
mod synonyms;
mod task;
mod task_thread;
mod text_columns;
pub mod text_functions;
mod text_options;
mod typos;
pub mod value_functions;
mod values;
mod variant_rule;
mod vector_code;
mod whole_vector;
mod word_endings;
mod word_lists;
mod word_tokenizer;
mod write_mark;
mod write_threads;
mod write_turns;
mod writer;
mod writer_slot;
mod written_forms;

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use napi::Env;
use napi::bindgen_prelude::{Buffer, ClassInstance, Object};
use napi_derive::napi;

use engine::Engine;
use entity::Entity;
use failure::{Failure, Result};
use outcome::{Outcome, create_promise, to_error};
use rebuild::Progress;
use responder::Responder;
use store::Write;
use writer::ClosedState;

#[napi(object)]
pub struct NativeInfo {
    pub documents: f64,
    pub version: f64,
    pub rebuilding: Option<NativeProgress>,
}

/// The progress of the rebuild of an index.
#[napi(object)]
pub struct NativeProgress {
    pub reason: String,
    pub done: f64,
    pub total: f64,
}

impl From<&Progress> for NativeProgress {
    fn from(progress: &Progress) -> NativeProgress {
        NativeProgress { reason: progress.reason.clone(), done: progress.done() as f64, total: progress.total as f64 }
    }
}

/// Cancellation flags by the ticket of the search. A number is cheaper to pass from JavaScript than an object.
type Tickets = Arc<Mutex<HashMap<u32, Arc<AtomicBool>>>>;

/// Lines that were parsed and not yet written.
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

/// A handle on an engine. Shared engines have one handle in each thread of Node.
#[napi]
pub struct NativeEngine {
    engine: Arc<Engine>,
    /// The generations that this handle keeps open.
    held: Arc<Mutex<HashSet<String>>>,
    is_shared: bool,
    tickets: Tickets,
}

#[napi]
impl NativeEngine {
    /// With `is_shared`, all threads of Node that open the same folder share one engine. The threads and the queue are those of the first.
    #[napi(constructor)]
    pub fn new(data_dir: String, threads: u32, queue_max: u32, is_shared: bool) -> napi::Result<NativeEngine> {
        let data_dir = PathBuf::from(data_dir);
        let open = || Engine::new(data_dir.clone(), threads as usize, queue_max as usize);
        let engine = if is_shared { shared_engines::open(&data_dir, open) } else { open().map(Arc::new) };
        Ok(NativeEngine { engine: engine.map_err(to_error)?, held: Arc::default(), is_shared, tickets: Tickets::default() })
    }

    /// If the index has to be rebuilt, `head` is the reason. The rebuild may already be complete. Fails with `documents-lost` if fewer than
    /// `known_writes` are stored.
    #[napi(ts_return_type = "Promise<Outcome>")]
    pub fn open<'env>(&self, env: &'env Env, id: String, spec: String, known_writes: f64) -> napi::Result<Object<'env>> {
        let to_outcome = |reason: Option<String>| Outcome { head: reason, ..Outcome::default() };
        let held = Arc::clone(&self.held);
        self.run_on_new_thread(env, to_outcome, move |engine| {
            // Held first, so that no other handle closes it in between.
            let is_new = lock(&held).insert(id.clone());
            if is_new {
                engine.hold(&id);
            }
            engine.open(&id, &spec, known_writes as u64).inspect_err(|_| {
                if is_new && lock(&held).remove(&id) {
                    engine.give_up(&id);
                }
            })
        })
    }

    /// `head` is the JSON of `{ documents, version }` with the current values of `info`. It is absent if they are unknown, or if another
    /// handle keeps the generation open.
    #[napi(ts_return_type = "Promise<Outcome>")]
    pub fn release<'env>(&self, env: &'env Env, id: String) -> napi::Result<Object<'env>> {
        let to_outcome = |state: Option<ClosedState>| Outcome {
            head: state.map(|state| serde_json::json!({ "documents": state.documents, "version": state.version }).to_string()),
            ..Outcome::default()
        };
        let held = Arc::clone(&self.held);
        self.run_on_new_thread(env, to_outcome, move |engine| {
            let is_held_by_others = lock(&held).remove(&id) && engine.give_up(&id) > 0;
            if is_held_by_others { Ok(None) } else { engine.release(&id) }
        })
    }

    #[napi(ts_return_type = "Promise<Outcome>")]
    pub fn drop<'env>(&self, env: &'env Env, id: String) -> napi::Result<Object<'env>> {
        self.run_on_new_thread(env, |()| Outcome::default(), move |engine| engine.drop_generation(&id))
    }

    #[napi]
    pub fn info(&self, id: String) -> napi::Result<NativeInfo> {
        let info = self.engine.info(&id).map_err(to_error)?;
        let rebuilding = info.rebuilding.as_deref().map(NativeProgress::from);
        Ok(NativeInfo { documents: info.documents as f64, version: info.version as f64, rebuilding })
    }

    /// While this number stays the same, so do the open generations and their versions.
    #[napi]
    pub fn changes(&self) -> u32 {
        shared_state::change_count()
    }

    /// JSON of `[id, writes][]`: the number of writes of the generations that are open, or were closed since the last call.
    #[napi]
    pub fn write_counts(&self) -> String {
        serde_json::to_string(&self.engine.write_counts()).unwrap_or_default()
    }

    /// The version of `info` alone, because each query needs it.
    #[napi]
    pub fn version(&self, id: String) -> napi::Result<f64> {
        Ok(self.engine.info(&id).map_err(to_error)?.version as f64)
    }

    /// If `entities[i]` is null, deletes `ids[i]`.
    #[napi(ts_return_type = "Promise<Outcome>")]
    pub fn write<'env>(&self, env: &'env Env, id: String, ids: Vec<String>, entities: Vec<Option<String>>) -> napi::Result<Object<'env>> {
        let writes = ids.into_iter().zip(entities).map(|(id, entity)| Write { id, entity: entity.map(Entity::from) }).collect();
        let (responder, promise) = create_promise(env, |()| Outcome::default())?;
        self.engine.write(&id, writes, responder);
        Ok(promise)
    }

    /// Parses the lines of `block` into writes and keeps them in `lines`. `head` is JSON: the number of lines, and the deferred lines. `texts`
    /// holds the ids of the others.
    #[napi(ts_return_type = "Promise<Outcome>")]
    pub fn read_lines<'env>(
        &self,
        env: &'env Env,
        lines: ClassInstance<NativeLines>,
        block: Buffer,
        rules: String,
    ) -> napi::Result<Object<'env>> {
        let parsed_writes = Arc::clone(&lines.writes);
        // Copied, because JavaScript may change the buffer while the other thread reads it.
        let block = block.to_vec();
        let to_outcome = |(head, ids): (String, Vec<String>)| Outcome { head: Some(head), texts: Some(ids), ..Outcome::default() };
        self.run_on_new_thread(env, to_outcome, move |_| {
            pool::lower_thread_priority();
            let rules: line_rules::Rules =
                json::read(&rules).map_err(|error| Failure::fault(format!("invalid document rules: {error}")))?;
            let lines::ParsedLines { writes, deferred } = lines::parse(&block, &rules);
            let head = serde_json::json!({ "lines": writes.len(), "left": deferred }).to_string();
            let ids = writes.iter().flatten().map(|write| write.id.clone()).collect();
            *parsed_writes.lock().unwrap_or_else(PoisonError::into_inner) = writes;
            Ok((head, ids))
        })
    }

    /// Writes the parsed lines. `ids[i]` and `entities[i]` replace the deferred line number `i`; with a null id that line is skipped.
    #[napi(ts_return_type = "Promise<Outcome>")]
    pub fn write_lines<'env>(
        &self,
        env: &'env Env,
        id: String,
        lines: ClassInstance<NativeLines>,
        ids: Vec<Option<String>>,
        entities: Vec<Option<String>>,
    ) -> napi::Result<Object<'env>> {
        let parsed_writes = std::mem::take(&mut *lines.writes.lock().unwrap_or_else(PoisonError::into_inner));
        let mut replacements = ids.into_iter().zip(entities);
        let to_write = |(id, entity): (Option<String>, Option<String>)| id.map(|id| Write { id, entity: entity.map(Entity::from) });
        let writes = parsed_writes.into_iter().filter_map(|write| write.or_else(|| replacements.next().and_then(to_write))).collect();
        let (responder, promise) = create_promise(env, |()| Outcome::default())?;
        self.engine.write(&id, writes, responder);
        Ok(promise)
    }

    #[napi(ts_return_type = "Promise<Outcome>")]
    pub fn refresh<'env>(&self, env: &'env Env, id: String) -> napi::Result<Object<'env>> {
        let (responder, promise) = create_promise(env, |()| Outcome::default())?;
        self.engine.refresh(&id, responder);
        Ok(promise)
    }

    #[napi(ts_return_type = "Promise<Outcome>")]
    pub fn get<'env>(&self, env: &'env Env, id: String, document_id: String) -> napi::Result<Object<'env>> {
        let (responder, promise) =
            create_promise(env, |entity: Option<Entity>| Outcome { head: entity.map(Entity::into_text), ..Outcome::default() })?;
        self.engine.get(&id, document_id, responder);
        Ok(promise)
    }

    /// `texts` holds id, entity, id, entity, …
    #[napi(ts_return_type = "Promise<Outcome>")]
    pub fn list<'env>(&self, env: &'env Env, id: String, after: Option<String>, count: u32) -> napi::Result<Object<'env>> {
        let (responder, promise) = create_promise(env, |documents: Vec<store::Document>| Outcome {
            texts: Some(documents.into_iter().flat_map(|document| [document.id, document.entity.into_text()]).collect()),
            ..Outcome::default()
        })?;
        self.engine.list(&id, after, count, responder);
        Ok(promise)
    }

    /// `head` is the number of deleted documents.
    #[napi(ts_return_type = "Promise<Outcome>")]
    pub fn delete_matching<'env>(&self, env: &'env Env, id: String, plan: String) -> napi::Result<Object<'env>> {
        let (responder, promise) = create_promise(env, |deleted: u64| Outcome { head: Some(deleted.to_string()), ..Outcome::default() })?;
        self.engine.delete_matching(&id, &plan, responder);
        Ok(promise)
    }

    #[napi(ts_return_type = "Promise<Outcome>")]
    pub fn copy<'env>(&self, env: &'env Env, source: String, target: String) -> napi::Result<Object<'env>> {
        self.run_on_new_thread(env, |()| Outcome::default(), move |engine| engine.copy(&source, &target))
    }

    /// `head` is the JSON of the reply with `scores` instead of hits, `texts` holds the entities of the hits. `ticket` must be unique among
    /// the running searches. `owner` is the one whose turn the search takes.
    #[napi(ts_return_type = "Promise<Outcome>")]
    pub fn search<'env>(
        &self,
        env: &'env Env,
        id: String,
        plan: String,
        deadline_ms: f64,
        owner: String,
        ticket: Option<u32>,
    ) -> napi::Result<Object<'env>> {
        let (responder, promise) = create_promise(env, |reply: search::SearchReply| match serde_json::to_string(&reply) {
            Ok(head) => Outcome { head: Some(head), texts: Some(reply.entities), ..Outcome::default() },
            Err(error) => Failure::fault(format!("cannot serialize the reply: {error}")).into(),
        })?;
        let deadline = Duration::try_from_secs_f64(deadline_ms / 1_000.0).unwrap_or_default();
        let (cancelled, responder) = match ticket {
            Some(ticket) => self.register_ticket(ticket, responder),
            None => (Arc::default(), responder),
        };
        self.engine.search(&id, owner.into(), plan, deadline.min(DEADLINE_MAX), cancelled, responder);
        Ok(promise)
    }

    /// Cancels the search with this ticket, queued or running.
    #[napi]
    pub fn cancel(&self, ticket: u32) {
        let cancelled = lock(&self.tickets).remove(&ticket);
        if let Some(cancelled) = cancelled {
            cancelled.store(true, Ordering::Relaxed);
            self.engine.remove_cancelled();
        }
    }

    #[napi(ts_return_type = "Promise<Outcome>")]
    pub fn close<'env>(&self, env: &'env Env) -> napi::Result<Object<'env>> {
        let is_shared = self.is_shared;
        let close = move |engine: &Engine| {
            if !is_shared || shared_engines::is_last_handle(engine) {
                engine.close();
            }
            Ok(())
        };
        let (responder, promise) = create_promise(env, |()| Outcome::default())?;
        let engine = Arc::clone(&self.engine);
        // An engine must be closed also if no thread can be started.
        task_thread::start(move |_| responder.send(pool::catch_panic(|| close(&engine))));
        Ok(promise)
    }

    /// Registers a ticket. Returns the flag that cancels its search, and a responder that removes the ticket.
    fn register_ticket<T: 'static>(&self, ticket: u32, responder: Responder<T>) -> (Arc<AtomicBool>, Responder<T>) {
        let cancelled = Arc::<AtomicBool>::default();
        lock(&self.tickets).insert(ticket, Arc::clone(&cancelled));
        let tickets = Arc::clone(&self.tickets);
        let ticket_responder = Responder::new(move |result| {
            lock(&tickets).remove(&ticket);
            responder.send(result);
        });
        (cancelled, ticket_responder)
    }

    /// Runs long, rare work on a new thread, so that it does not delay searches.
    fn run_on_new_thread<'env, T: 'static>(
        &self,
        env: &'env Env,
        to_outcome: fn(T) -> Outcome,
        work: impl FnOnce(&Engine) -> Result<T> + Send + 'static,
    ) -> napi::Result<Object<'env>> {
        let (responder, promise) = create_promise(env, to_outcome)?;
        let engine = Arc::clone(&self.engine);
        task_thread::start(move |admission| responder.send(admission.and_then(|()| pool::catch_panic(|| work(&engine)))));
        Ok(promise)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Longer deadlines are reduced to this one.
const DEADLINE_MAX: Duration = Duration::from_secs(24 * 60 * 60);
