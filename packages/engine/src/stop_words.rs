//! The stop words of a language.

use std::sync::Arc;

use rustc_hash::FxHashSet;

/// Clones share the list.
#[derive(Clone)]
pub struct StopWords {
    list: Arc<FxHashSet<String>>,
    /// The length of the longest word of the list. Most words of a text are longer, and need not be looked up.
    bytes_max: usize,
}

impl StopWords {
    pub fn new(list: FxHashSet<String>) -> StopWords {
        StopWords { bytes_max: list.iter().map(String::len).max().unwrap_or(0), list: Arc::new(list) }
    }

    pub fn has(&self, word: &str) -> bool {
        word.len() <= self.bytes_max && self.list.contains(word)
    }
}
