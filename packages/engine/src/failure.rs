//! The one error of this crate: a code that `EngineError` of the server knows, and a sentence for the operator.

use std::fmt;
use std::io;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Code {
    Unsupported,
    Unavailable,
    Overloaded,
    Timeout,
    Fault,
}

impl Code {
    pub fn name(self) -> &'static str {
        match self {
            Code::Unsupported => "unsupported",
            Code::Unavailable => "unavailable",
            Code::Overloaded => "overloaded",
            Code::Timeout => "timeout",
            Code::Fault => "fault",
        }
    }
}

#[derive(Debug, Clone)]
pub struct Failure {
    pub code: Code,
    pub message: String,
}

pub type Result<T> = std::result::Result<T, Failure>;

const DISK_FULL: &str = "the disk that holds the search engine's data is full";

impl Failure {
    pub fn unsupported(message: impl Into<String>) -> Failure {
        Failure { code: Code::Unsupported, message: message.into() }
    }

    pub fn unavailable(message: impl Into<String>) -> Failure {
        Failure { code: Code::Unavailable, message: message.into() }
    }

    pub fn overloaded(message: impl Into<String>) -> Failure {
        Failure { code: Code::Overloaded, message: message.into() }
    }

    pub fn timeout() -> Failure {
        Failure { code: Code::Timeout, message: "the query took longer than its deadline".into() }
    }

    pub fn fault(message: impl Into<String>) -> Failure {
        Failure { code: Code::Fault, message: message.into() }
    }

    /// What a caught panic left behind, as a fault.
    pub fn from_panic(payload: Box<dyn std::any::Any + Send>) -> Failure {
        let text = payload
            .downcast_ref::<&str>()
            .map(|text| (*text).to_owned())
            .or_else(|| payload.downcast_ref::<String>().cloned())
            .unwrap_or_default();
        Failure::fault(format!("the engine panicked: {text}"))
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: {}", self.code.name(), self.message)
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Failure {
        if error.kind() == io::ErrorKind::StorageFull {
            return Failure::unavailable(DISK_FULL);
        }
        Failure::unavailable(format!("the search engine's files cannot be used: {error}"))
    }
}

impl From<rusqlite::Error> for Failure {
    fn from(error: rusqlite::Error) -> Failure {
        use rusqlite::ErrorCode;
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
        if format!("{error:?}").contains("StorageFull") {
            return Failure::unavailable(DISK_FULL);
        }
        match &error {
            TantivyError::IoError(_)
            | TantivyError::LockFailure(..)
            | TantivyError::DataCorruption(_)
            | TantivyError::OpenReadError(_)
            | TantivyError::OpenWriteError(_)
            | TantivyError::OpenDirectoryError(_) => Failure::unavailable(format!("the search index cannot be used: {error}")),
            _ => Failure::fault(format!("the search index: {error}")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_disk_is_unavailable_and_says_so() {
        let failure = Failure::from(io::Error::from(io::ErrorKind::StorageFull));
        assert_eq!(failure.code, Code::Unavailable);
        assert!(failure.message.contains("full"));
    }
}
