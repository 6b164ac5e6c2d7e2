//! Keeps the analyzers with which a thread reads the words of short texts. A query reads dozens of them, such as each two of its words written as
//! one, and a new copy takes as long as reading one.

use std::cell::RefCell;

use tantivy::tokenizer::TextAnalyzer;

/// The most words that a copy reads. With more, it would keep a cache of stems, which takes more memory.
const WORDS_MAX: usize = 256;

/// Copies of the analyzers of a language.
pub struct ReusedAnalyzers {
    pub language: &'static str,
    pub words: TextAnalyzer,
    pub stop_words: Option<TextAnalyzer>,
    pub typed: TextAnalyzer,
}

thread_local! {
    /// The copies by language, each with the number of words that it has read.
    static COPIES: RefCell<Vec<(ReusedAnalyzers, usize)>> = const { RefCell::new(Vec::new()) };
}

/// Calls `read` with the copy of this thread, which `create` creates if it is missing.
pub fn read_with<Word>(
    language: &'static str,
    create: impl FnOnce() -> ReusedAnalyzers,
    read: impl FnOnce(&mut ReusedAnalyzers) -> Vec<Word>,
) -> Vec<Word> {
    COPIES.with_borrow_mut(|copies| {
        let existing = copies.iter().position(|(copy, _)| copy.language == language);
        let place = existing.unwrap_or_else(|| {
            copies.push((create(), 0));
            copies.len() - 1
        });
        let (copy, words_read) = &mut copies[place];
        let words = read(copy);
        *words_read += words.len();
        if *words_read > WORDS_MAX {
            copies.swap_remove(place);
        }
        words
    })
}
