//! Keeps the analyzers with which a thread reads the words of short texts. A query reads dozens of them, such as each two of its words written as
//! one, and a new copy takes as long as reading one.

use std::cell::RefCell;

use tantivy::tokenizer::TextAnalyzer;

use crate::analysis::Word;

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
pub fn read_with(
    language: &'static str,
    create: impl FnOnce() -> ReusedAnalyzers,
    read: impl FnOnce(&mut ReusedAnalyzers) -> Vec<Word>,
) -> Vec<Word> {
    COPIES.with_borrow_mut(|copies| {
        let known = copies.iter().position(|(copy, _)| copy.language == language);
        let place = known.unwrap_or_else(|| {
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

#[cfg(test)]
mod tests {
    use crate::analysis::Analyzer;

    #[test]
    fn a_copy_that_is_used_again_reads_the_same_words() {
        let texts = ["The Cafés, running", "", "to be", "a-b c++", "Ævar 3.5", "ﬁne 東京 wing"];
        for language in ["english", "german", "cjk"] {
            let analyzer = Analyzer::for_language(language).unwrap();
            for text in texts.iter().cycle().take(400) {
                assert_eq!(analyzer.words(text), analyzer.reader()(text), "{language} {text}");
                let typed = analyzer.typed(text);
                assert_eq!(typed, std::thread::scope(|scope| scope.spawn(|| analyzer.typed(text)).join().unwrap()), "{language} {text}");
            }
        }
    }
}
