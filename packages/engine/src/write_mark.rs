//! The number of the last stored write of a generation, outside of its documents: it shows that a database or its log was lost or replaced
//! by an older one. It is in the file `lock`, which is open anyway.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::sync::{Mutex, PoisonError};

/// Distinguishes a mark from an empty or damaged file.
const MAGIC: u64 = 0x5155_4552_454e_5401;

/// The mark may be behind the documents, never ahead: it is written after each write is durable, and never synced.
pub struct WriteMark(Mutex<File>);

impl WriteMark {
    pub fn new(file: File) -> WriteMark {
        WriteMark(Mutex::new(file))
    }

    /// Returns 0 if there is no mark.
    pub fn read(&self) -> u64 {
        let mut file = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut bytes = [0; 16];
        let result = file.seek(SeekFrom::Start(0)).and_then(|_| file.read_exact(&mut bytes));
        let [sequence, check] = [0, 8].map(|at| bytes[at..at + 8].iter().rev().fold(0, |number, byte| (number << 8) | u64::from(*byte)));
        if result.is_ok() && check == sequence ^ MAGIC { sequence } else { 0 }
    }

    /// A mark that cannot be written stays behind.
    pub fn write(&self, sequence: u64) {
        let mut file = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut bytes = [0; 16];
        bytes[..8].copy_from_slice(&sequence.to_le_bytes());
        bytes[8..].copy_from_slice(&(sequence ^ MAGIC).to_le_bytes());
        file.seek(SeekFrom::Start(0)).and_then(|_| file.write_all(&bytes)).ok();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_is_read_back_and_anything_else_is_none() {
        let mark = WriteMark::new(tempfile::tempfile().unwrap());
        assert_eq!(mark.read(), 0);
        mark.write(41);
        mark.write(42);
        assert_eq!(mark.read(), 42);
        let mut damaged = tempfile::tempfile().unwrap();
        damaged.write_all(&[7; 16]).unwrap();
        assert_eq!(WriteMark::new(damaged).read(), 0);
    }
}
