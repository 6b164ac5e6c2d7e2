//! The documents of a generation in SQLite: the source of truth, durable when a transaction returns.
//!
//! `revisions` is append-only: each write adds a row under the next sequence number, and the row of a deletion has no entity. `current`
//! points to the last revision of each document. The entity of a revision is text, or bytes if it has packed vectors; both forms stay
//! readable. A search therefore returns each document as it was indexed. `purge` removes the superseded
//! revisions that no live searcher can find.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use rusqlite::config::DbConfig;
use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ToSql, ToSqlOutput, Value, ValueRef};
use rusqlite::{Connection, OpenFlags, OptionalExtension, params};

use crate::entity::Entity;
use crate::failure::{Failure, Result};

/// Stores the entity of a document, or deletes the document if there is no entity.
pub struct Write {
    pub id: String,
    pub entity: Option<Entity>,
}

impl Write {
    /// Returns the approximate size in bytes.
    pub fn size(&self) -> usize {
        self.id.len() + self.entity.as_ref().map_or(0, Entity::size)
    }
}

/// A stored write.
pub struct Change {
    pub sequence: u64,
    pub id: String,
    pub entity: Option<Entity>,
    /// Whether the index may hold an earlier revision, which has to be deleted.
    pub replaces: bool,
}

pub struct Document {
    pub id: String,
    pub entity: Entity,
}

/// Packs the vectors of attributes with these names.
pub fn pack_vectors(groups: &mut [Vec<Write>], names: &[String]) {
    groups.iter_mut().flatten().filter_map(|write| write.entity.as_mut()).for_each(|entity| entity.pack(names));
}

/// An entity is stored as text, or as bytes if it has packed vectors.
struct StoredEntity<'a>(Option<&'a Entity>);

impl ToSql for StoredEntity<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        let Some(entity) = self.0 else { return Ok(ToSqlOutput::Borrowed(ValueRef::Null)) };
        Ok(match entity.to_bytes() {
            Some(bytes) => ToSqlOutput::Owned(Value::Blob(bytes)),
            None => ToSqlOutput::Borrowed(ValueRef::Text(entity.packed_text().as_bytes())),
        })
    }
}

impl FromSql for Entity {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Entity> {
        match value {
            ValueRef::Blob(bytes) => Entity::from_bytes(bytes).ok_or_else(|| FromSqlError::Other("a damaged entity".into())),
            text => String::column_result(text).map(Entity::from),
        }
    }
}

const SCHEMA: &str = "
    CREATE TABLE IF NOT EXISTS revisions (sequence INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL, entity TEXT);
    CREATE TABLE IF NOT EXISTS current (id TEXT PRIMARY KEY, sequence INTEGER NOT NULL) WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS superseded (at INTEGER NOT NULL, sequence INTEGER NOT NULL, PRIMARY KEY (at, sequence)) WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS counters (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
    INSERT OR IGNORE INTO counters VALUES ('epoch', 0);
";

/// The most revisions that one purge removes, so that no write waits long for it.
const PURGE_ROWS_MAX: u32 = 20_000;

/// The only connection that writes. The writer of the generation owns it.
pub struct Store {
    connection: Connection,
    /// Whether the write-ahead log may hold pages.
    has_log: bool,
}

/// Size of the pages of a file, by what its documents have. Each page costs system calls, and few documents with vectors fit a small one.
pub const TEXT_PAGE_BYTES: u32 = 4_096;
pub const VECTOR_PAGE_BYTES: u32 = 16_384;

/// The size of the write-ahead log at which its pages move to the file.
const LOG_BYTES: u32 = 16 * 1024 * 1024;

/// How long a statement waits for other connections.
const BUSY_MS: u32 = 5_000;

impl Store {
    /// Opens the file, or creates it with pages of this size. A file that exists keeps the size of its pages.
    pub fn open(path: &Path, new_page_bytes: u32) -> Result<Store> {
        let has_log = path.with_extension("db-wal").metadata().is_ok_and(|log| log.len() > 0);
        let connection = Connection::open(path).map_err(|error| explain_open(path, error))?;
        connection.pragma_update(None, "page_size", new_page_bytes)?;
        // With synchronous FULL in WAL mode, each commit syncs to the disk before it returns (sqlite.org/pragma.html#pragma_synchronous).
        connection.execute_batch(
            "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA cache_size = -8192;
             PRAGMA journal_size_limit = 33554432; PRAGMA temp_store = MEMORY;",
        )?;
        connection.pragma_update(None, "busy_timeout", BUSY_MS)?;
        let page_bytes: u32 = connection.pragma_query_value(None, "page_size", |row| row.get(0))?;
        connection.pragma_update(None, "wal_autocheckpoint", LOG_BYTES / page_bytes)?;
        connection.execute_batch(SCHEMA)?;
        connection.set_prepared_statement_cache_capacity(32);
        Ok(Store { connection, has_log })
    }

    /// Applies groups of writes in one transaction.
    pub fn apply(&mut self, groups: &[Vec<Write>]) -> Result<Vec<Change>> {
        self.has_log = true;
        let transaction = self.connection.transaction()?;
        let mut changes = Vec::with_capacity(groups.iter().map(Vec::len).sum());
        {
            let mut select_current = transaction.prepare_cached("SELECT sequence FROM current WHERE id = ?")?;
            let mut insert_revision = transaction.prepare_cached("INSERT INTO revisions (id, entity) VALUES (?, ?)")?;
            let mut set_current = transaction.prepare_cached("INSERT OR REPLACE INTO current VALUES (?, ?)")?;
            let mut delete_current = transaction.prepare_cached("DELETE FROM current WHERE id = ?")?;
            let mut insert_superseded = transaction.prepare_cached("INSERT INTO superseded VALUES (?, ?)")?;
            for write in groups.iter().flatten() {
                let previous: Option<i64> = select_current.query_row([&write.id], |row| row.get(0)).optional()?;
                if write.entity.is_none() && previous.is_none() {
                    continue;
                }
                let sequence = insert_revision.insert(params![write.id, StoredEntity(write.entity.as_ref())])?;
                if write.entity.is_some() {
                    set_current.execute(params![write.id, sequence])?;
                } else {
                    delete_current.execute([&write.id])?;
                    insert_superseded.execute([sequence, sequence])?;
                }
                if let Some(previous) = previous {
                    insert_superseded.execute([sequence, previous])?;
                }
                changes.push(Change {
                    sequence: sequence.unsigned_abs(),
                    id: write.id.clone(),
                    entity: write.entity.clone(),
                    replaces: previous.is_some(),
                });
            }
        }
        transaction.commit()?;
        Ok(changes)
    }

    /// Returns up to `count` changes after the sequence `after`, in order: the current revisions and the deletions.
    pub fn changes_after(&self, after: u64, count: u32) -> Result<Vec<Change>> {
        let mut statement = self.connection.prepare_cached(
            "SELECT sequence, id, entity FROM revisions WHERE sequence > ?1
               AND (entity IS NULL OR sequence = (SELECT sequence FROM current WHERE current.id = revisions.id))
             ORDER BY sequence LIMIT ?2",
        )?;
        let rows = statement.query_map(params![after.cast_signed(), count], |row| {
            Ok(Change { sequence: row.get::<_, i64>(0)?.unsigned_abs(), id: row.get(1)?, entity: row.get(2)?, replaces: true })
        })?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    /// Returns the number of documents.
    pub fn count(&self) -> Result<u64> {
        let count: i64 = self.connection.query_row("SELECT count(*) FROM current", [], |row| row.get(0))?;
        Ok(count.unsigned_abs())
    }

    /// Returns the sequence of the last write, even if its revision was purged.
    pub fn last_sequence(&self) -> Result<u64> {
        let last: Option<i64> =
            self.connection.query_row("SELECT seq FROM sqlite_sequence WHERE name = 'revisions'", [], |row| row.get(0)).optional()?;
        Ok(last.unwrap_or(0).unsigned_abs())
    }

    /// Whether the log may hold pages that the file of the documents lacks.
    pub fn has_log(&self) -> bool {
        self.has_log
    }

    /// Moves the log into the file of the documents and empties it. If another connection reads, waits up to `busy_ms`, and then leaves the
    /// log as it is (sqlite.org/wal.html).
    pub fn empty_log(&mut self, busy_ms: u32) -> Result<()> {
        self.connection.pragma_update(None, "busy_timeout", busy_ms)?;
        let result = self.connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0));
        self.connection.pragma_update(None, "busy_timeout", BUSY_MS)?;
        self.has_log = result?;
        Ok(())
    }

    /// Closes the file without moving its log into it: the log may be all that is left of other documents.
    pub fn close_unchanged(self) {
        self.connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true).ok();
    }

    /// Returns a number that is higher than all earlier ones, across restarts too.
    pub fn next_epoch(&self) -> Result<u64> {
        let epoch: i64 =
            self.connection
                .query_row("UPDATE counters SET value = value + 1 WHERE name = 'epoch' RETURNING value", [], |row| row.get(0))?;
        Ok(epoch.unsigned_abs())
    }

    /// Removes revisions that were superseded at or before `sequence`.
    pub fn purge(&mut self, sequence: u64) -> Result<()> {
        let transaction = self.connection.transaction()?;
        let bounds = params![sequence.cast_signed(), PURGE_ROWS_MAX];
        let removed = transaction
            .prepare_cached(
                "DELETE FROM revisions WHERE sequence IN (SELECT sequence FROM superseded WHERE at <= ?1 ORDER BY at, sequence LIMIT ?2)",
            )?
            .execute(bounds)?;
        if removed > 0 {
            self.has_log = true;
            transaction.prepare_cached(
                "DELETE FROM superseded WHERE (at, sequence) IN (SELECT at, sequence FROM superseded WHERE at <= ?1 ORDER BY at, sequence LIMIT ?2)",
            )?.execute(bounds)?;
        }
        Ok(transaction.commit()?)
    }
}

/// Files that a connection needs: the documents, their log, its index, and one more.
const CONNECTION_FILES: usize = 4;

/// Finds out why SQLite cannot open a file, because its error does not say.
fn explain_open(path: &Path, error: rusqlite::Error) -> Failure {
    if error.sqlite_error_code() != Some(rusqlite::ErrorCode::CannotOpen) {
        return error.into();
    }
    let files: std::io::Result<Vec<File>> = (0..CONNECTION_FILES).map(|_| File::options().read(true).write(true).open(path)).collect();
    files.err().map_or_else(|| error.into(), |cause| Failure { may_be_damage: false, ..cause.into() })
}

/// A pool of read-only connections. It opens one per concurrent reader and keeps it for the next.
pub struct Readers {
    path: PathBuf,
    idle: Mutex<Vec<Connection>>,
}

impl Readers {
    pub fn new(path: PathBuf) -> Readers {
        Readers { path, idle: Mutex::new(Vec::new()) }
    }

    /// Closes the connections that nobody uses now.
    pub fn close_idle(&self) {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    /// Returns the current entity of a document.
    pub fn get(&self, id: &str) -> Result<Option<Entity>> {
        self.with_connection(|connection| {
            let mut statement =
                connection.prepare_cached("SELECT entity FROM current JOIN revisions USING (sequence) WHERE current.id = ?")?;
            Ok(statement.query_row([id], |row| row.get(0)).optional()?)
        })
    }

    /// Lists documents in the order of their ids (SQLite compares text by its UTF-8 bytes).
    pub fn list(&self, after: Option<&str>, count: u32) -> Result<Vec<Document>> {
        self.with_connection(|connection| {
            // Two statements, because one with `?1 IS NULL OR` could not start in the middle of the index.
            let mut statement = connection.prepare_cached(match after {
                Some(_) => {
                    "SELECT current.id, entity FROM current JOIN revisions USING (sequence)
                     WHERE current.id > ?1 ORDER BY current.id LIMIT ?2"
                }
                None => {
                    "SELECT current.id, entity FROM current JOIN revisions USING (sequence)
                     WHERE ?1 IS NULL ORDER BY current.id LIMIT ?2"
                }
            })?;
            let rows = statement.query_map(params![after, count], |row| Ok(Document { id: row.get(0)?, entity: row.get(1)? }))?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
    }

    /// Returns the entities of the revisions that a searcher found.
    pub fn entities(&self, sequences: &[u64]) -> Result<Vec<Entity>> {
        self.with_connection(|connection| {
            // A single transaction, because each one locks and unlocks the file.
            connection.prepare_cached("BEGIN")?.execute([])?;
            let mut statement = connection.prepare_cached("SELECT entity FROM revisions WHERE sequence = ?")?;
            let entities = sequences
                .iter()
                .map(|sequence| {
                    statement.query_row([sequence.cast_signed()], |row| row.get(0)).optional()?.ok_or_else(|| {
                        Failure::unavailable(format!("revision {sequence} was purged: the generation was reopened during the search"))
                    })
                })
                .collect::<Result<_>>()?;
            // An error above skips the commit: `with_connection` then drops the connection.
            connection.prepare_cached("COMMIT")?.execute([])?;
            Ok(entities)
        })
    }

    fn with_connection<T>(&self, read: impl FnOnce(&Connection) -> Result<T>) -> Result<T> {
        let idle_connection = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let connection = match idle_connection {
            Some(connection) => connection,
            None => self.connect()?,
        };
        let result = read(&connection);
        if result.is_ok() {
            self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(connection);
        }
        result
    }

    fn connect(&self) -> Result<Connection> {
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(&self.path, flags).map_err(|error| explain_open(&self.path, error))?;
        connection.execute_batch("PRAGMA cache_size = -1024; PRAGMA busy_timeout = 5000;")?;
        Ok(connection)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn upsert(id: &str, entity: &str) -> Write {
        Write { id: id.into(), entity: Some(Entity::from(entity.to_owned())) }
    }

    fn delete(id: &str) -> Write {
        Write { id: id.into(), entity: None }
    }

    #[test]
    fn each_commit_waits_for_the_disk() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(&folder.path().join("documents.db"), TEXT_PAGE_BYTES).unwrap();
        let synchronous: u32 = store.connection.pragma_query_value(None, "synchronous", |row| row.get(0)).unwrap();
        // FULL (https://sqlite.org/pragma.html#pragma_synchronous).
        assert_eq!(synchronous, 2);
    }

    #[test]
    fn revisions_stay_readable_until_purged_and_sequences_never_fall() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("documents.db");
        let mut store = Store::open(&path, TEXT_PAGE_BYTES).unwrap();
        let readers = Readers::new(path.clone());
        let texts = |sequences| readers.entities(sequences).unwrap().into_iter().map(Entity::into_text).collect::<Vec<_>>();
        store.apply(&[vec![upsert("a", "1"), upsert("b", "2")], vec![upsert("a", "3"), delete("b"), delete("absent")]]).unwrap();
        assert_eq!(readers.get("a").unwrap().map(Entity::into_text).as_deref(), Some("3"));
        assert_eq!(readers.get("b").unwrap(), None);
        assert_eq!(texts(&[1, 2]), ["1", "2"]);
        let pending: Vec<_> = store.changes_after(0, 10).unwrap().iter().map(|change| change.sequence).collect();
        assert_eq!(pending, [3, 4]);
        store.purge(3).unwrap();
        assert!(readers.entities(&[1]).is_err());
        assert_eq!(texts(&[2]), ["2"]);
        store.purge(4).unwrap();
        drop(store);
        let mut store = Store::open(&path, TEXT_PAGE_BYTES).unwrap();
        assert_eq!(store.last_sequence().unwrap(), 4);
        assert_eq!(store.apply(&[vec![upsert("c", "4")]]).unwrap()[0].sequence, 5);
        assert!(store.next_epoch().unwrap() < store.next_epoch().unwrap());
    }

    #[test]
    fn lists_by_the_bytes_of_the_id() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("documents.db");
        let mut store = Store::open(&path, TEXT_PAGE_BYTES).unwrap();
        store.apply(&[["é", "z", "a", "B"].iter().map(|id| upsert(id, "{}")).collect()]).unwrap();
        let readers = Readers::new(path);
        let ids = |after| readers.list(after, 2).unwrap().into_iter().map(|document| document.id).collect::<Vec<_>>();
        assert_eq!(ids(None), ["B", "a"]);
        assert_eq!(ids(Some("a")), ["z", "é"]);
    }
}
