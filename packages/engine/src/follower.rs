//! The tantivy index of a generation. It follows the documents: its commits say up to which sequence they have come, and whatever it
//! lacks it reads again from there. Nothing in it is needed to restore it.

use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use tantivy::index::SegmentId;
use tantivy::indexer::IndexWriterOptions;
use tantivy::{Index, IndexReader, IndexWriter, ReloadPolicy, Searcher, TantivyDocument, Term};

use crate::analysis::tokenizers;
use crate::failure::{Failure, Result};
use crate::schema::IndexSchema;
use crate::store::{Change, Store};

/// Indexing is most of an import's work, and storing documents takes a core for little of it.
const WRITER_THREADS: usize = 2;

/// Documents being indexed are held in at most this much memory by each thread.
const WRITER_BYTES: usize = 48 * 1024 * 1024;

/// Changes read at once when catching up.
const CATCH_UP_ROWS: u32 = 2_000;

const DAMAGED: &str = "it is damaged";

/// Of tantivy: the segments of the last commit.
const META: &str = "meta.json";

/// What a commit of the index says about itself.
#[derive(Serialize, Deserialize)]
struct Payload {
    sequence: u64,
    fingerprint: String,
}

pub struct Follower {
    folder: PathBuf,
    index: Index,
    reader: IndexReader,
    writer: Option<IndexWriter>,
    /// Up to which sequence the last commit has come.
    committed: u64,
    /// Up to which sequence the writer was fed; what is after `committed` is lost with the writer.
    fed: u64,
}

impl Follower {
    /// Opens the index as its last commit left it. Where it is lost, an empty one takes its place, and the reason is given; there is none
    /// where nothing was ever written.
    pub fn open(folder: &Path, schema: &IndexSchema, store: &Store) -> Result<(Follower, Option<&'static str>)> {
        let last = store.last_sequence()?;
        let lost = match Follower::open_existing(folder, schema) {
            Ok(follower) if follower.committed <= last => return Ok((follower, None)),
            Ok(_) => "it is ahead of its documents",
            Err(lost) => lost,
        };
        let follower = Follower::create(folder, schema)?;
        Ok((follower, (last > 0).then_some(lost)))
    }

    fn open_existing(folder: &Path, schema: &IndexSchema) -> std::result::Result<Follower, &'static str> {
        if !folder.join(META).exists() {
            return Err("it is missing");
        }
        // A damaged file may make tantivy fail in any way it likes.
        let opened = catch_unwind(AssertUnwindSafe(|| {
            let index = Index::open_in_dir(folder).map_err(|_| DAMAGED)?;
            let payload = index.load_metas().map_err(|_| DAMAGED)?.payload.ok_or("its building was not finished")?;
            let payload: Payload = serde_json::from_str(&payload).map_err(|_| DAMAGED)?;
            if payload.fingerprint != schema.fingerprint() || index.schema() != schema.schema {
                return Err("it was built for other fields or by another version");
            }
            if !index.validate_checksum().is_ok_and(|damaged| damaged.is_empty()) {
                return Err(DAMAGED);
            }
            Follower::over(folder, index, payload.sequence).map_err(|_| DAMAGED)
        }));
        opened.unwrap_or(Err(DAMAGED))
    }

    /// What is wrong with the index on the disk; nothing when it is sound.
    pub fn damage(&self, schema: &IndexSchema) -> Option<&'static str> {
        Follower::open_existing(&self.folder, schema).err()
    }

    /// Puts an empty index in the place of what is there.
    pub fn start_over(&mut self, schema: &IndexSchema) -> Result<()> {
        self.abandon_writer();
        *self = Follower::create(&self.folder, schema)?;
        Ok(())
    }

    fn create(folder: &Path, schema: &IndexSchema) -> Result<Follower> {
        if folder.exists() {
            fs::remove_dir_all(folder)?;
        }
        fs::create_dir_all(folder)?;
        Follower::over(folder, Index::create_in_dir(folder, schema.schema.clone())?, 0)
    }

    fn over(folder: &Path, mut index: Index, committed: u64) -> Result<Follower> {
        index.set_tokenizers(tokenizers());
        index.set_fast_field_tokenizers(tokenizers());
        let reader = index.reader_builder().reload_policy(ReloadPolicy::Manual).try_into()?;
        Ok(Follower { folder: folder.to_owned(), index, reader, writer: None, committed, fed: committed })
    }

    /// Brings the writer up to the last sequence of the documents.
    pub fn catch_up(&mut self, schema: &IndexSchema, store: &Store) -> Result<()> {
        let new_until = if self.fed == 0 { store.last_sequence()? } else { 0 };
        while self.catch_up_page(schema, store, new_until)?.is_some() {}
        Ok(())
    }

    /// Feeds a page of what the writer lacks, and gives the number of documents in it; nothing when it lacks nothing. Changes up to the
    /// sequence `new_until` are known to replace nothing: an empty index has nothing to delete, which makes building it much faster.
    pub fn catch_up_page(&mut self, schema: &IndexSchema, store: &Store, new_until: u64) -> Result<Option<u64>> {
        let last = store.last_sequence()?;
        if self.fed >= last {
            return Ok(None);
        }
        let mut changes = store.changes_after(self.fed, CATCH_UP_ROWS)?;
        changes.iter_mut().for_each(|change| change.replaces = change.sequence > new_until);
        let end = if changes.len() < CATCH_UP_ROWS as usize { last } else { changes.last().map_or(last, |change| change.sequence) };
        self.feed(schema, &changes)?;
        self.fed = end;
        Ok(Some(changes.iter().filter(|change| change.entity.is_some()).count() as u64))
    }

    /// Hands changes to the writer. After an error the writer is gone and `catch_up` starts again at the last commit.
    pub fn feed(&mut self, schema: &IndexSchema, changes: &[Change]) -> Result<()> {
        let result = self.try_feed(schema, changes);
        if result.is_err() {
            self.abandon_writer();
        }
        result
    }

    fn try_feed(&mut self, schema: &IndexSchema, changes: &[Change]) -> Result<()> {
        let writer = self.writer()?;
        for change in changes {
            if change.replaces {
                writer.delete_term(Term::from_field_text(schema.id, &change.id));
            }
            if let Some(entity) = &change.entity {
                writer.add_document(schema.document(&change.id, change.sequence, entity))?;
            }
        }
        if let Some(last) = changes.last() {
            self.fed = last.sequence;
        }
        Ok(())
    }

    pub fn is_behind(&self) -> bool {
        self.fed > self.committed
    }

    pub fn fed(&self) -> u64 {
        self.fed
    }

    pub fn committed(&self) -> u64 {
        self.committed
    }

    /// Makes what was fed findable, and durable as an index; nothing to do when nothing was fed.
    pub fn commit(&mut self, schema: &IndexSchema) -> Result<()> {
        if !self.is_behind() {
            return Ok(());
        }
        let result = self.try_commit(schema);
        if result.is_err() {
            self.abandon_writer();
        }
        result
    }

    fn try_commit(&mut self, schema: &IndexSchema) -> Result<()> {
        let sequence = self.fed;
        let payload = Payload { sequence, fingerprint: schema.fingerprint().to_owned() };
        let payload = serde_json::to_string(&payload).map_err(|error| Failure::fault(error.to_string()))?;
        let mut commit = self.writer()?.prepare_commit()?;
        commit.set_payload(&payload);
        commit.commit()?;
        self.reader.reload()?;
        self.committed = sequence;
        Ok(())
    }

    /// The same as long as the index on the disk is: a hash, for this process alone, of what names its segments and their deletions.
    pub fn state(&self) -> Result<u64> {
        let mut hasher = DefaultHasher::new();
        fs::read(self.folder.join(META))?.hash(&mut hasher);
        Ok(hasher.finish())
    }

    pub fn searcher(&self) -> Searcher {
        self.reader.searcher()
    }

    pub fn has_writer(&self) -> bool {
        self.writer.is_some()
    }

    /// Takes over segments that were merged since the last reload. True when there were any.
    pub fn take_merged(&mut self) -> Result<bool> {
        let mut on_disk: Vec<SegmentId> = self.index.searchable_segment_ids()?;
        let mut in_use: Vec<SegmentId> = self.searcher().segment_readers().iter().map(|segment| segment.segment_id()).collect();
        on_disk.sort();
        in_use.sort();
        if on_disk == in_use {
            return Ok(false);
        }
        self.reader.reload()?;
        if let Some(writer) = &self.writer {
            writer.garbage_collect_files().wait()?;
        }
        Ok(true)
    }

    /// Ends running merges and gives the writer's memory back.
    pub fn rest(&mut self) -> Result<()> {
        if let Some(writer) = self.writer.take() {
            writer.wait_merging_threads()?;
            give_memory_back();
        }
        Ok(())
    }

    /// Forgets what was fed since the last commit.
    pub fn abandon_writer(&mut self) {
        self.writer = None;
        self.fed = self.committed;
    }

    fn writer(&mut self) -> Result<&mut IndexWriter> {
        let writer = match self.writer.take() {
            Some(writer) => writer,
            None => {
                let options = IndexWriterOptions::builder()
                    .num_worker_threads(WRITER_THREADS)
                    .num_merge_threads(1)
                    .memory_budget_per_thread(WRITER_BYTES)
                    .build();
                if !self.folder.exists() {
                    return Err(Failure::unavailable("the folder of the search index is gone").suspect());
                }
                let writer = self.index.writer_with_options::<TantivyDocument>(options)?;
                // Its first operation would get the stamp of the last commit (tantivy 0.27), and a deletion with that stamp can be lost
                // in a merge: of the merged segments, those that the last commit deleted from take it for done. An empty batch takes it.
                writer.run([])?;
                writer
            }
        };
        Ok(self.writer.insert(writer))
    }
}

/// glibc keeps freed memory for itself, and after an import that is much.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
fn give_memory_back() {
    // SAFETY: malloc_trim may be called by any thread at any time (malloc_trim(3)).
    unsafe {
        libc::malloc_trim(0);
    }
}

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
fn give_memory_back() {}
