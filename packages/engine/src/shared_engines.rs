//! The engines that threads of Node share, by folder.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use crate::engine::Engine;
use crate::failure::Result;

struct SharedEngine {
    data_dir: PathBuf,
    engine: Arc<Engine>,
    handles: usize,
}

static ENGINES: Mutex<Vec<SharedEngine>> = Mutex::new(Vec::new());

/// Returns the open engine of the folder, or opens it. Each handle must be closed.
pub fn open(data_dir: &Path, open: impl FnOnce() -> Result<Engine>) -> Result<Arc<Engine>> {
    let mut engines = ENGINES.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(shared) = engines.iter_mut().find(|shared| shared.data_dir == data_dir) {
        shared.handles += 1;
        return Ok(Arc::clone(&shared.engine));
    }
    let engine = Arc::new(open()?);
    engines.push(SharedEngine { data_dir: data_dir.to_owned(), engine: Arc::clone(&engine), handles: 1 });
    Ok(engine)
}

/// Closes a handle. Returns whether it was the last one, so that the engine must be closed.
pub fn is_last_handle(engine: &Engine) -> bool {
    let mut engines = ENGINES.lock().unwrap_or_else(PoisonError::into_inner);
    let Some(index) = engines.iter().position(|shared| std::ptr::eq(Arc::as_ptr(&shared.engine), engine)) else { return true };
    engines[index].handles -= 1;
    let is_last = engines[index].handles == 0;
    if is_last {
        engines.remove(index);
    }
    is_last
}
