//! The error type of this crate: a code of the server's `EngineError` and a sentence for the operator.

use std::fmt;
use std::io;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Code {
    Unsupported,
    Unavailable,
    /// The machine lacks something that it may have again later: room on the disk, open files, memory, threads.
    NoResources,
    /// Stored documents are older than writes that were acknowledged.
    DocumentsLost,
    Overloaded,
    Timeout,
    Cancelled,
    Fault,
}

impl Code {
    pub fn name(self) -> &'static str {
        match self {
            Code::Unsupported => "unsupported",
            Code::Unavailable => "unavailable",
            Code::NoResources => "no-resources",
            Code::DocumentsLost => "documents-lost",
            Code::Overloaded => "overloaded",
            Code::Timeout => "timeout",
            Code::Cancelled => "cancelled",
            Code::Fault => "fault",
        }
    }
}

#[derive(Debug, Clone)]
pub struct Failure {
    pub code: Code,
    pub message: String,
    /// Whether a damaged index may be the cause.
    pub may_be_damage: bool,
}

pub type Result<T> = std::result::Result<T, Failure>;

const DISK_FULL: &str = "the disk that holds the search engine's data is full";

impl Failure {
    fn new(code: Code, message: impl Into<String>) -> Failure {
        Failure { code, message: message.into(), may_be_damage: false }
    }

    pub fn unsupported(message: impl Into<String>) -> Failure {
        Failure::new(Code::Unsupported, message)
    }

    pub fn unavailable(message: impl Into<String>) -> Failure {
        Failure::new(Code::Unavailable, message)
    }

    pub fn no_resources(message: impl Into<String>) -> Failure {
        Failure::new(Code::NoResources, message)
    }

    /// `stored` and `known` are numbers of the last write: the one that is stored, and the one that is known to have been.
    pub fn documents_lost(stored: u64, known: u64) -> Failure {
        let message = format!(
            "documents of this collection are missing: the last stored write is number {stored}, but write {known} was acknowledged; restore a \
             backup or the lost files, or import all documents with replace=true"
        );
        Failure::new(Code::DocumentsLost, message)
    }

    /// Converts the failure to start a thread.
    pub fn no_thread(error: &io::Error) -> Failure {
        Failure::no_resources(format!("{NO_THREADS} ({error})"))
    }

    pub fn is_lack_of_threads(&self) -> bool {
        self.code == Code::NoResources && self.message.starts_with(NO_THREADS)
    }

    pub fn overloaded(message: impl Into<String>) -> Failure {
        Failure::new(Code::Overloaded, message)
    }

    pub fn timeout() -> Failure {
        Failure::new(Code::Timeout, "the query took longer than its deadline")
    }

    pub fn cancelled() -> Failure {
        Failure::new(Code::Cancelled, "the caller canceled the query")
    }

    pub fn fault(message: impl Into<String>) -> Failure {
        Failure::new(Code::Fault, message)
    }

    /// Converts the payload of a caught panic to a fault.
    pub fn from_panic(payload: Box<dyn std::any::Any + Send>) -> Failure {
        let text = payload
            .downcast_ref::<&str>()
            .map(|text| (*text).to_owned())
            .or_else(|| payload.downcast_ref::<String>().cloned())
            .unwrap_or_default();
        Failure::fault(format!("the engine panicked: {text}")).suspect_damage()
    }

    /// Marks the failure as one that a damaged index may cause.
    pub fn suspect_damage(self) -> Failure {
        Failure { may_be_damage: true, ..self }
    }

    /// Whether a rebuild of the index may help: something other than a lack of resources made the index unusable.
    pub fn may_need_rebuild(&self) -> bool {
        self.may_be_damage && self.code != Code::NoResources
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: {}", self.code.name(), self.message)
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Failure {
        match find_lack(&error) {
            Some(lack) => Failure::no_resources(lack),
            None => Failure::unavailable(format!("cannot use the search engine's files: {error}")).suspect_damage(),
        }
    }
}

const NO_FILES: &str = "the server has too many open files: raise the limit (ulimit -n, LimitNOFILE) or lower openCollections";
const NO_MEMORY: &str = "the server has no memory or memory maps left: raise its limit (memory, vm.max_map_count) or lower openCollections";
const NO_THREADS: &str = "the server cannot start a thread: raise its limit of tasks (pids, ulimit -u, TasksMax)";

/// Returns the resource that an operation lacked, if that is why it failed.
fn find_lack(error: &io::Error) -> Option<&'static str> {
    let by_number = error.raw_os_error().and_then(|number| OS_LACKS.iter().find(|lack| lack.0 == number));
    match error.kind() {
        // The disk or a quota is full, or a file has reached its size limit (RLIMIT_FSIZE).
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge => Some(DISK_FULL),
        io::ErrorKind::OutOfMemory => Some(NO_MEMORY),
        _ => by_number.map(|lack| lack.1),
    }
}

/// Numbers of errno(3): ENOSPC, EDQUOT (Linux, macOS), EFBIG, EMFILE, ENFILE, ENOMEM, EAGAIN (Linux, macOS). Files and maps of this crate
/// never block, so EAGAIN comes from starting a thread.
#[cfg(unix)]
const OS_LACKS: [(i32, &str); 9] = [
    (28, DISK_FULL),
    (122, DISK_FULL),
    (69, DISK_FULL),
    (27, DISK_FULL),
    (24, NO_FILES),
    (23, NO_FILES),
    (12, NO_MEMORY),
    (11, NO_THREADS),
    (35, NO_THREADS),
];
/// ERROR_DISK_FULL, ERROR_HANDLE_DISK_FULL, ERROR_TOO_MANY_OPEN_FILES, ERROR_NOT_ENOUGH_MEMORY, ERROR_MAX_THRDS_REACHED.
#[cfg(not(unix))]
const OS_LACKS: [(i32, &str); 5] = [(112, DISK_FULL), (39, DISK_FULL), (4, NO_FILES), (8, NO_MEMORY), (164, NO_THREADS)];

/// Like `find_lack` for an error of tantivy. Not every wrapper gives access to the cause, but all of them print it, as a kind or a number.
fn find_lack_in_text(details: &str) -> Option<&'static str> {
    let kinds = [("StorageFull", DISK_FULL), ("QuotaExceeded", DISK_FULL), ("FileTooLarge", DISK_FULL), ("OutOfMemory", NO_MEMORY)];
    let has_number = |number: i32| details.contains(&format!("(os error {number})")) || details.contains(&format!("Os {{ code: {number},"));
    kinds
        .iter()
        .find(|(kind, _)| details.contains(kind))
        .map(|(_, lack)| *lack)
        .or_else(|| OS_LACKS.iter().find(|(number, _)| has_number(*number)).map(|(_, lack)| *lack))
        .or_else(|| details.contains("Failed to spawn").then_some(NO_THREADS))
}

impl From<rusqlite::Error> for Failure {
    fn from(error: rusqlite::Error) -> Failure {
        use rusqlite::{ErrorCode, ffi};
        if let rusqlite::Error::SqliteFailure(ffi::Error { extended_code, .. }, _) = &error {
            match *extended_code {
                // SQLite reports "full" for ENOSPC only. With a full quota or a file at its size limit, a write fails.
                ffi::SQLITE_IOERR_WRITE | ffi::SQLITE_IOERR_SHMSIZE => {
                    return Failure::no_resources(format!("{DISK_FULL} or not writable"));
                }
                ffi::SQLITE_IOERR_NOMEM | ffi::SQLITE_IOERR_SHMMAP => return Failure::no_resources(NO_MEMORY),
                _ => {}
            }
        }
        match error.sqlite_error_code() {
            Some(ErrorCode::DiskFull) => Failure::no_resources(DISK_FULL),
            Some(ErrorCode::OutOfMemory) => Failure::no_resources(NO_MEMORY),
            Some(
                ErrorCode::DatabaseCorrupt
                | ErrorCode::NotADatabase
                | ErrorCode::SystemIoFailure
                | ErrorCode::CannotOpen
                | ErrorCode::ReadOnly
                | ErrorCode::PermissionDenied
                | ErrorCode::DatabaseBusy
                | ErrorCode::DatabaseLocked,
            ) => Failure::unavailable(format!("cannot use the stored documents: {error}")),
            _ => Failure::fault(format!("the stored documents: {error}")),
        }
    }
}

impl From<tantivy::TantivyError> for Failure {
    fn from(error: tantivy::TantivyError) -> Failure {
        use tantivy::TantivyError;
        if let Some(lack) = find_lack_in_text(&format!("{error:?}")) {
            return Failure::no_resources(lack);
        }
        match &error {
            // A thread of tantivy ended because it could not write. The error does not contain the cause.
            TantivyError::ErrorInThread(text) if text.contains("io::Error most likely") => {
                Failure::unavailable(format!("{DISK_FULL}, or the search index is not writable"))
            }
            TantivyError::IoError(_)
            | TantivyError::LockFailure(..)
            | TantivyError::DataCorruption(_)
            | TantivyError::OpenReadError(_)
            | TantivyError::OpenWriteError(_)
            | TantivyError::OpenDirectoryError(_) => Failure::unavailable(format!("cannot use the search index: {error}")),
            _ => Failure::fault(format!("the search index: {error}")),
        }
        .suspect_damage()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// errno(3), the same on Linux and macOS.
    const EFBIG: i32 = 27;
    const EMFILE: i32 = 24;

    #[cfg(unix)]
    #[test]
    fn a_lack_of_resources_has_its_own_code_and_names_the_resource() {
        let check = |failure: Failure, word: &str| {
            assert_eq!(failure.code, Code::NoResources, "{}", failure.message);
            assert!(failure.message.contains(word) && !failure.may_need_rebuild(), "{}", failure.message);
        };
        check(Failure::from(io::Error::from(io::ErrorKind::StorageFull)), "full");
        check(Failure::from(io::Error::from_raw_os_error(EMFILE)), "open files");
        check(Failure::from(io::Error::from_raw_os_error(12)), "memory");
        let wrapped = |number| tantivy::TantivyError::IoError(std::sync::Arc::new(io::Error::from_raw_os_error(number)));
        check(Failure::from(wrapped(EFBIG)), "full");
        check(Failure::from(wrapped(EMFILE)), "open files");
        check(Failure::from(wrapped(11)), "thread");
        let map_error = tantivy::directory::error::OpenReadError::IoError {
            io_error: std::sync::Arc::new(io::Error::from_raw_os_error(12)),
            filepath: "x".into(),
        };
        check(Failure::from(tantivy::TantivyError::from(map_error)), "memory");
        check(Failure::from(tantivy::TantivyError::SystemError("Failed to spawn segment updater thread".into())), "thread");
        check(Failure::from(tantivy::TantivyError::InternalError("No space left on device (os error 28)".into())), "full");
        let sqlite = rusqlite::Error::SqliteFailure(rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_IOERR_WRITE), None);
        check(Failure::from(sqlite), "full");
    }

    #[test]
    fn a_thread_that_ended_for_an_unknown_reason_may_have_met_a_full_disk_or_damage() {
        let hidden = "An index writer was killed.. A worker thread encountered an error (io::Error most likely) or panicked.";
        let killed = Failure::from(tantivy::TantivyError::ErrorInThread(hidden.into()));
        assert!(killed.code == Code::Unavailable && killed.message.contains("full") && killed.may_be_damage);
    }
}
