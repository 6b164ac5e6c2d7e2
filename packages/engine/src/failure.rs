//! The one error of this crate: a code that `EngineError` of the server knows, and a sentence for the operator.

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
    /// A damaged index may be the cause.
    pub suspect: bool,
}

pub type Result<T> = std::result::Result<T, Failure>;

const DISK_FULL: &str = "the disk that holds the search engine's data is full";

impl Failure {
    fn new(code: Code, message: impl Into<String>) -> Failure {
        Failure { code, message: message.into(), suspect: false }
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
        Failure::new(Code::Cancelled, "whoever asked has given the query up")
    }

    pub fn fault(message: impl Into<String>) -> Failure {
        Failure::new(Code::Fault, message)
    }

    /// What a caught panic left behind, as a fault.
    pub fn from_panic(payload: Box<dyn std::any::Any + Send>) -> Failure {
        let text = payload
            .downcast_ref::<&str>()
            .map(|text| (*text).to_owned())
            .or_else(|| payload.downcast_ref::<String>().cloned())
            .unwrap_or_default();
        Failure::fault(format!("the engine panicked: {text}")).suspect()
    }

    pub fn suspect(self) -> Failure {
        Failure { suspect: true, ..self }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: {}", self.code.name(), self.message)
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Failure {
        if FULL.contains(&error.kind()) {
            return Failure::unavailable(DISK_FULL);
        }
        Failure::unavailable(format!("the search engine's files cannot be used: {error}")).suspect()
    }
}

/// No room left: on the disk, in a quota, or for a file that may not grow (RLIMIT_FSIZE).
const FULL: [io::ErrorKind; 3] = [io::ErrorKind::StorageFull, io::ErrorKind::QuotaExceeded, io::ErrorKind::FileTooLarge];

/// The same in a message, where a thread of tantivy passes nothing else on: ENOSPC, EDQUOT (Linux, macOS), EFBIG.
#[cfg(unix)]
const FULL_NUMBERS: [&str; 4] = ["(os error 28)", "(os error 122)", "(os error 69)", "(os error 27)"];
/// ERROR_DISK_FULL, ERROR_HANDLE_DISK_FULL.
#[cfg(not(unix))]
const FULL_NUMBERS: [&str; 2] = ["(os error 112)", "(os error 39)"];

impl From<rusqlite::Error> for Failure {
    fn from(error: rusqlite::Error) -> Failure {
        use rusqlite::{ErrorCode, ffi};
        // SQLite says "full" for ENOSPC alone; a quota or a limit on the size of files shows as a write that failed.
        if matches!(&error, rusqlite::Error::SqliteFailure(ffi::Error { extended_code: ffi::SQLITE_IOERR_WRITE, .. }, _)) {
            return Failure::unavailable(format!("{DISK_FULL}, or cannot be written"));
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
            ) => Failure::unavailable(format!("the stored documents cannot be used: {error}")),
            _ => Failure::fault(format!("the stored documents: {error}")),
        }
    }
}

impl From<tantivy::TantivyError> for Failure {
    fn from(error: tantivy::TantivyError) -> Failure {
        use tantivy::TantivyError;
        // The cause is wrapped in different ways, and not every one lets it be reached; all of them show it.
        let shown = format!("{error:?}");
        if FULL.iter().any(|kind| shown.contains(&format!("{kind:?}"))) || FULL_NUMBERS.iter().any(|number| shown.contains(number)) {
            return Failure::unavailable(DISK_FULL);
        }
        match &error {
            // A thread that could not write ended before: tantivy says so, and keeps the cause to itself.
            TantivyError::ErrorInThread(text) if text.contains("io::Error most likely") => {
                Failure::unavailable(format!("{DISK_FULL}, or the search index cannot be written"))
            }
            TantivyError::IoError(_)
            | TantivyError::LockFailure(..)
            | TantivyError::DataCorruption(_)
            | TantivyError::OpenReadError(_)
            | TantivyError::OpenWriteError(_)
            | TantivyError::OpenDirectoryError(_) => Failure::unavailable(format!("the search index cannot be used: {error}")),
            _ => Failure::fault(format!("the search index: {error}")),
        }
        .suspect()
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
        let told = tantivy::TantivyError::InternalError("No space left on device (os error 28)".into());
        assert!(Failure::from(told).message.contains("full"));
        let hidden = "An index writer was killed.. A worker thread encountered an error (io::Error most likely) or panicked.";
        let killed = Failure::from(tantivy::TantivyError::ErrorInThread(hidden.into()));
        assert!(killed.code == Code::Unavailable && killed.message.contains("full") && killed.suspect);
        let sqlite = rusqlite::Error::SqliteFailure(rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_IOERR_WRITE), None);
        assert!(Failure::from(sqlite).message.contains("full"));
    }
}
