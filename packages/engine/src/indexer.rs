//! Keeps the tantivy index of a generation up to date with its documents. Each commit records the sequence of the last write in it; at
//! open, the indexer reads all later writes from the store. The index can be rebuilt from the documents alone.

use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use tantivy::index::{SegmentComponent, SegmentId};
use tantivy::indexer::IndexWriterOptions;
use tantivy::{Index, IndexReader, IndexWriter, ReloadPolicy, Searcher, Term};

use crate::analysis::tokenizers;
use crate::failure::{Code, Failure, Result};
use crate::queued_document::QueuedDocument;
use crate::resting_merge::{RestingMerge, writing_merge_policy};
use crate::schema::IndexSchema;
use crate::store::{Change, Store};
use crate::write_threads::run_waiting;
use crate::writer_slot::WriterSlot;

/// Indexing is most of the work of an import. Storing the documents needs little of a core.
const WRITER_THREADS: usize = 2;

/// Memory for documents being indexed, per thread.
const WRITER_BYTES: usize = 48 * 1024 * 1024;

/// Number of changes in one page of a catch-up.
const CATCH_UP_ROWS: u32 = 2_000;

/// The file in which tantivy lists the segments of the last commit.
const META: &str = "meta.json";

/// Beginnings of the names of tantivy's own files: its list of files, and its locks.
const OWN_FILES: [&str; 2] = [".managed.json", ".tantivy-"];

/// Size of the file that shows whether the disk has room.
const PROBE_BYTES: usize = 1024 * 1024;

/// Why an index cannot be used.
pub enum Unusable {
    /// A rebuild replaces it, for this reason.
    Lost(String),
    /// It may be intact: the process lacks resources to open it.
    NoResources(Failure),
    /// It has writes up to this sequence, which its documents lack.
    Ahead(u64),
}

fn damaged() -> Unusable {
    Unusable::Lost("it is damaged".to_owned())
}

impl Unusable {
    fn from_error(error: impl Into<Failure>) -> Unusable {
        let failure = error.into();
        if failure.code == Code::NoResources { Unusable::NoResources(failure) } else { damaged() }
    }
}

/// Metadata stored with each commit.
#[derive(Serialize, Deserialize)]
struct CommitPayload {
    sequence: u64,
    fingerprint: String,
}

pub struct Indexer {
    folder: PathBuf,
    index: Index,
    reader: IndexReader,
    writer: Option<(IndexWriter<QueuedDocument>, WriterSlot)>,
    resting_merge: Option<RestingMerge>,
    /// Whether the folder has files of segments that were merged since it was last cleaned.
    has_old_files: bool,
    /// Sequence of the last write in the last commit.
    committed_sequence: u64,
    /// Sequence of the last write passed to the writer. Writes after `committed_sequence` are lost with the writer.
    indexed_sequence: u64,
}

impl Indexer {
    /// Opens the index at its last commit. Replaces a lost index with an empty one and returns the reason, unless no document was ever
    /// written. Fails if the process lacks resources, or if the index has later writes than the documents.
    pub fn open(folder: &Path, schema: &IndexSchema, store: &Store) -> Result<(Indexer, Option<String>)> {
        let last = store.last_sequence()?;
        let loss_reason = match Indexer::open_existing(folder, schema, last) {
            Ok(mut indexer) => {
                // Files that cannot be deleted now take space, and nothing else.
                indexer.delete_unused_files().ok();
                return Ok((indexer, None));
            }
            Err(Unusable::Ahead(sequence)) => return Err(Failure::documents_lost(last, sequence)),
            Err(Unusable::Lost(reason)) => reason,
            Err(Unusable::NoResources(failure)) => return Err(failure),
        };
        let indexer = Indexer::create(folder, schema)?;
        Ok((indexer, (last > 0).then_some(loss_reason)))
    }

    fn open_existing(folder: &Path, schema: &IndexSchema, stored_writes: u64) -> std::result::Result<Indexer, Unusable> {
        if !folder.join(META).exists() {
            return Err(Unusable::Lost("it is missing".to_owned()));
        }
        // With a damaged file tantivy may also panic.
        let result = catch_unwind(AssertUnwindSafe(|| {
            let index = Index::open_in_dir(folder).map_err(Unusable::from_error)?;
            let payload = index.load_metas().map_err(Unusable::from_error)?.payload;
            let payload = payload.ok_or_else(|| Unusable::Lost("its last build did not finish".to_owned()))?;
            let payload: CommitPayload = serde_json::from_str(&payload).map_err(|_| damaged())?;
            if payload.sequence > stored_writes {
                return Err(Unusable::Ahead(payload.sequence));
            }
            if payload.fingerprint != schema.fingerprint() || index.schema() != schema.schema {
                return Err(Unusable::Lost("it was built for other fields or by another version".to_owned()));
            }
            if !index.validate_checksum().map_err(Unusable::from_error)?.is_empty() {
                return Err(damaged());
            }
            Indexer::from_index(folder, index, payload.sequence).map_err(Unusable::from_error)
        }));
        result.unwrap_or_else(|_| Err(damaged()))
    }

    /// Deletes all files that the last commit does not list: an earlier process or writer ended during a commit or a merge, or before it
    /// deleted merged segments. A new writer repeats the commit, and could not create a file that exists. Call it before there is a
    /// writer. Searches may still read deleted files; where the system forbids that, they stay until the next call.
    fn delete_unused_files(&mut self) -> Result<()> {
        let metas = self.index.load_metas()?;
        let mut needed_files = metas.list_segment_files();
        for segment in &metas.segments {
            needed_files.remove(&segment.relative_path(SegmentComponent::TempStore));
            if !segment.has_deletes() {
                needed_files.remove(&segment.relative_path(SegmentComponent::Delete));
            }
        }
        needed_files.insert(META.into());
        let directory = self.index.directory_mut();
        if !directory.list_managed_files().is_subset(&needed_files) {
            directory.garbage_collect(|| needed_files.clone())?;
        }
        // Temporary files of a killed process are in no list.
        for entry in fs::read_dir(&self.folder)? {
            let name = entry?.file_name();
            let is_own = OWN_FILES.iter().any(|own| name.to_string_lossy().starts_with(own));
            if !is_own && !needed_files.contains(Path::new(&name)) {
                fs::remove_file(self.folder.join(&name)).ok();
            }
        }
        Ok(())
    }

    /// Checks the index on the disk. Returns the problem, or `None` if the index is intact or the check lacks resources.
    pub fn find_damage(&self, schema: &IndexSchema) -> Option<String> {
        match Indexer::open_existing(&self.folder, schema, u64::MAX) {
            Err(Unusable::Lost(reason)) => Some(reason),
            Ok(_) | Err(Unusable::NoResources(_) | Unusable::Ahead(_)) => None,
        }
    }

    /// Returns the reason for a rebuild if this failure to update the index is not caused by a lack of resources.
    pub fn rebuild_reason(&self, failure: &Failure) -> Option<String> {
        let may_help = failure.may_need_rebuild() && self.probe_resources().is_ok();
        may_help.then(|| format!("it cannot be updated ({})", failure.message))
    }

    /// Fails if the disk has no room, or no file can be opened: some failures of tantivy do not say why a thread ended.
    fn probe_resources(&self) -> Result<()> {
        let parent = self.folder.parent().unwrap_or(&self.folder);
        let path = parent.join(".probe");
        let result = fs::write(&path, vec![1; PROBE_BYTES]);
        fs::remove_file(&path).ok();
        Ok(result?)
    }

    /// Replaces the index with an empty one.
    pub fn recreate(&mut self, schema: &IndexSchema) -> Result<()> {
        self.discard_writer();
        *self = Indexer::create(&self.folder, schema)?;
        Ok(())
    }

    fn create(folder: &Path, schema: &IndexSchema) -> Result<Indexer> {
        if folder.exists() {
            fs::remove_dir_all(folder)?;
        }
        fs::create_dir_all(folder)?;
        Indexer::from_index(folder, Index::create_in_dir(folder, schema.schema.clone())?, 0)
    }

    fn from_index(folder: &Path, mut index: Index, committed_sequence: u64) -> Result<Indexer> {
        index.set_tokenizers(tokenizers());
        index.set_fast_field_tokenizers(tokenizers());
        let reader = index.reader_builder().reload_policy(ReloadPolicy::Manual).try_into()?;
        Ok(Indexer {
            folder: folder.to_owned(),
            index,
            reader,
            writer: None,
            resting_merge: None,
            has_old_files: false,
            committed_sequence,
            indexed_sequence: committed_sequence,
        })
    }

    /// Indexes all stored changes that the index lacks.
    pub fn catch_up(&mut self, schema: &Arc<IndexSchema>, store: &Store) -> Result<()> {
        let insert_only_until = if self.indexed_sequence == 0 { store.last_sequence()? } else { 0 };
        while self.catch_up_page(schema, store, insert_only_until)?.is_some() {}
        Ok(())
    }

    /// Indexes the next page of changes and returns the number of documents in it, or `None` when there are no more changes. Changes up to
    /// the sequence `insert_only_until` replace no document: skipping their deletions makes building an empty index much faster.
    pub fn catch_up_page(&mut self, schema: &Arc<IndexSchema>, store: &Store, insert_only_until: u64) -> Result<Option<u64>> {
        let last = store.last_sequence()?;
        if self.indexed_sequence >= last {
            return Ok(None);
        }
        let mut changes = store.changes_after(self.indexed_sequence, CATCH_UP_ROWS)?;
        changes.iter_mut().for_each(|change| change.replaces = change.sequence > insert_only_until);
        let end = if changes.len() < CATCH_UP_ROWS as usize { last } else { changes.last().map_or(last, |change| change.sequence) };
        self.index(schema, &changes)?;
        self.indexed_sequence = end;
        Ok(Some(changes.iter().filter(|change| change.entity.is_some()).count() as u64))
    }

    /// Passes changes to the writer. An error discards the writer, and `catch_up` starts again at the last commit.
    pub fn index(&mut self, schema: &Arc<IndexSchema>, changes: &[Change]) -> Result<()> {
        let result = self.try_index(schema, changes);
        if result.is_err() {
            self.discard_writer();
        }
        result
    }

    fn try_index(&mut self, schema: &Arc<IndexSchema>, changes: &[Change]) -> Result<()> {
        let writer = self.writer()?;
        for change in changes {
            if change.replaces {
                writer.delete_term(Term::from_field_text(schema.id, &change.id));
            }
            if let Some(entity) = &change.entity {
                writer.add_document(QueuedDocument::new(schema, &change.id, change.sequence, entity))?;
            }
        }
        if let Some(last) = changes.last() {
            self.indexed_sequence = last.sequence;
        }
        Ok(())
    }

    pub fn has_uncommitted(&self) -> bool {
        self.indexed_sequence > self.committed_sequence
    }

    pub fn indexed_sequence(&self) -> u64 {
        self.indexed_sequence
    }

    pub fn committed_sequence(&self) -> u64 {
        self.committed_sequence
    }

    /// Makes the indexed changes durable and visible to new searchers. Does nothing without uncommitted changes.
    pub fn commit(&mut self, schema: &IndexSchema) -> Result<()> {
        if !self.has_uncommitted() {
            return Ok(());
        }
        let result = self.try_commit(schema);
        if result.is_err() {
            self.discard_writer();
        }
        result
    }

    fn try_commit(&mut self, schema: &IndexSchema) -> Result<()> {
        let sequence = self.indexed_sequence;
        let payload = CommitPayload { sequence, fingerprint: schema.fingerprint().to_owned() };
        let payload = serde_json::to_string(&payload).map_err(|error| Failure::fault(error.to_string()))?;
        let mut commit = self.writer()?.prepare_commit()?;
        commit.set_payload(&payload);
        commit.commit()?;
        self.reader.reload()?;
        self.committed_sequence = sequence;
        Ok(())
    }

    /// Returns a hash of the file that lists the segments and their deletions. It changes with the index on the disk, and is valid in this
    /// process only.
    pub fn state_hash(&self) -> Result<u64> {
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

    /// Reloads the reader if segments were merged since the last reload. Returns whether that was the case.
    pub fn reload_merged_segments(&mut self) -> Result<bool> {
        let mut disk_segments: Vec<SegmentId> = self.index.searchable_segment_ids()?;
        let mut reader_segments: Vec<SegmentId> = self.searcher().segment_readers().iter().map(|segment| segment.segment_id()).collect();
        disk_segments.sort();
        reader_segments.sort();
        if disk_segments == reader_segments {
            return Ok(false);
        }
        self.reader.reload()?;
        self.has_old_files = true;
        Ok(true)
    }

    /// Deletes the files of merged segments, except those that a search still reads. Then starts to merge segments in another thread, if
    /// that makes searches faster. Call it while nobody writes.
    pub fn tidy_segments(&mut self) -> Result<()> {
        let searcher = self.searcher();
        let Some((writer, _)) = &mut self.writer else { return Ok(()) };
        if self.has_old_files {
            writer.garbage_collect_files().wait()?;
            self.has_old_files = false;
        }
        if self.resting_merge.is_none() {
            self.resting_merge = RestingMerge::start(writer, &searcher);
        }
        Ok(())
    }

    pub fn has_resting_merge(&mut self) -> bool {
        self.resting_merge.take_if(|merge| merge.is_done());
        self.resting_merge.is_some()
    }

    /// Waits for other running merges, closes the writer and releases its memory. A resting merge is abandoned.
    pub fn release_writer(&mut self) -> Result<()> {
        if self.resting_merge.take().is_some_and(|mut merge| !merge.is_done()) {
            self.writer = None;
        }
        if let Some((writer, _slot)) = self.writer.take() {
            run_waiting(|| writer.wait_merging_threads())?;
            release_free_memory();
        }
        Ok(())
    }

    /// Drops the writer and its changes since the last commit.
    pub fn discard_writer(&mut self) {
        self.writer = None;
        self.resting_merge = None;
        self.indexed_sequence = self.committed_sequence;
    }

    fn writer(&mut self) -> Result<&mut IndexWriter<QueuedDocument>> {
        let writer = match self.writer.take() {
            Some(writer) => writer,
            None => {
                let options = IndexWriterOptions::builder()
                    .num_worker_threads(WRITER_THREADS)
                    .num_merge_threads(1)
                    .memory_budget_per_thread(WRITER_BYTES)
                    .build();
                if !self.folder.exists() {
                    return Err(Failure::unavailable("the folder of the search index does not exist").suspect_damage());
                }
                self.delete_unused_files()?;
                let slot = WriterSlot::take();
                let writer = self.index.writer_with_options::<QueuedDocument>(options)?;
                writer.set_merge_policy(Box::new(writing_merge_policy()));
                // In tantivy 0.27 the first operation of a writer gets the stamp of the last commit. A merge can lose a deletion with that
                // stamp: segments from which the last commit deleted documents count it as applied. The empty batch uses up the stamp.
                writer.run([])?;
                (writer, slot)
            }
        };
        Ok(&mut self.writer.insert(writer).0)
    }
}

/// Returns freed memory to the operating system. glibc keeps it otherwise, and after an import that is a lot.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
fn release_free_memory() {
    // SAFETY: any thread may call malloc_trim at any time (malloc_trim(3)).
    unsafe {
        libc::malloc_trim(0);
    }
}

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
fn release_free_memory() {}
