//! The error type of this crate: a code of the server's `EngineError` and a sentence for the operator.

use std::fmt;
use std::io;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Code {
    Unsupported,
    Unavailable,
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
}

impl fmt::Display for Failure {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: {}", self.code.name(), self.message)
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Failure {
        if DISK_FULL_KINDS.contains(&error.kind()) {
            return Failure::unavailable(DISK_FULL);
        }
        Failure::unavailable(format!("cannot use the search engine's files: {error}")).suspect_damage()
    }
}

/// The disk or a quota is full, or a file has reached its size limit (RLIMIT_FSIZE).
const DISK_FULL_KINDS: [io::ErrorKind; 3] = [io::ErrorKind::StorageFull, io::ErrorKind::QuotaExceeded, io::ErrorKind::FileTooLarge];

/// The same errors in a message, because threads of tantivy report nothing else: ENOSPC, EDQUOT (Linux, macOS), EFBIG.
#[cfg(unix)]
const DISK_FULL_MESSAGES: [&str; 4] = ["(os error 28)", "(os error 122)", "(os error 69)", "(os error 27)"];
/// ERROR_DISK_FULL, ERROR_HANDLE_DISK_FULL.
#[cfg(not(unix))]
const DISK_FULL_MESSAGES: [&str; 2] = ["(os error 112)", "(os error 39)"];

impl From<rusqlite::Error> for Failure {
    fn from(error: rusqlite::Error) -> Failure {
        use rusqlite::{ErrorCode, ffi};
        // SQLite reports "full" for ENOSPC only. With a full quota or a file at its size limit, a write fails.
        if matches!(&error, rusqlite::Error::SqliteFailure(ffi::Error { extended_code: ffi::SQLITE_IOERR_WRITE, .. }, _)) {
            return Failure::unavailable(format!("{DISK_FULL} or not writable"));
        }
        match error.sqlite_error_code() {
            Some(ErrorCode::DiskFull) => Failure::unavailable(DISK_FULL),
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
        // Not every wrapper gives access to the cause, but all of them print it.
        let details = format!("{error:?}");
        if DISK_FULL_KINDS.iter().any(|kind| details.contains(&format!("{kind:?}")))
            || DISK_FULL_MESSAGES.iter().any(|message| details.contains(message))
        {
            return Failure::unavailable(DISK_FULL);
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

    #[cfg(unix)]
    #[test]
    fn a_full_disk_is_unavailable_and_says_so() {
        let failure = Failure::from(io::Error::from(io::ErrorKind::StorageFull));
        assert_eq!(failure.code, Code::Unavailable);
        assert!(failure.message.contains("full"));
        let wrapped = tantivy::TantivyError::IoError(std::sync::Arc::new(io::Error::from_raw_os_error(EFBIG)));
        assert!(Failure::from(wrapped).message.contains("full"));
        let reported = tantivy::TantivyError::InternalError("No space left on device (os error 28)".into());
        assert!(Failure::from(reported).message.contains("full"));
        let hidden = "An index writer was killed.. A worker thread encountered an error (io::Error most likely) or panicked.";
        let killed = Failure::from(tantivy::TantivyError::ErrorInThread(hidden.into()));
        assert!(killed.code == Code::Unavailable && killed.message.contains("full") && killed.may_be_damage);
        let sqlite = rusqlite::Error::SqliteFailure(rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_IOERR_WRITE), None);
        assert!(Failure::from(sqlite).message.contains("full"));
    }
}
