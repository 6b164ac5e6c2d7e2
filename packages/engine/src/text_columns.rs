//! The texts of a field as columns of words, for an index outside of this engine. It needs no analysis of its own, so it has the same words.

use std::collections::HashSet;

use serde::Serialize;

use crate::analysis::{Analyzer, Word};
use crate::collation::sort_text;
use crate::collation::{SORT_CHARS_MAX, first_sort_chars};

/// A position without a word of the column. No word has this character.
pub const GAP: &str = "_";

/// Words are separated by spaces. Their positions count gaps.
#[derive(Debug, Serialize, PartialEq, Eq)]
#[serde(rename_all = "camelCase")]
pub struct TextColumns {
    pub words: String,
    pub stop_words: String,
    /// Each word as typed, once, in any order. Stop words are left out.
    pub typed: String,
    /// Further forms of words, each once, in any order.
    pub forms: String,
    /// Number of words, without gaps.
    pub length: usize,
    pub stop_length: usize,
    /// What documents are sorted by, one for each text.
    pub sort: Vec<String>,
    /// The words as typed of a single short text, to compare it with a whole query.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub whole: Option<String>,
}

impl TextColumns {
    /// `with_typed` is whether the field is completed and corrected.
    pub fn new(analyzer: &Analyzer, texts: &[String], with_typed: bool) -> TextColumns {
        let mut analyze = analyzer.reader();
        let (mut words, mut stop_words) = (PositionedWords::default(), PositionedWords::default());
        let (mut typed, mut forms) = (HashSet::new(), HashSet::new());
        let mut start = 0;
        for text in texts {
            forms.extend(analyzer.forms(text).into_iter().map(|word| word.text));
            let analyzed = analyze(text);
            words.add(start, analyzed.iter().filter(|word| !word.stop));
            stop_words.add(start, analyzed.iter().filter(|word| word.stop));
            // As in the embedded index, there is a gap after each text.
            start += analyzed.iter().map(|word| word.position + 1).max().unwrap_or(0) + 1;
            if with_typed {
                let stop_positions: HashSet<usize> = analyzed.iter().filter(|word| word.stop).map(|word| word.position).collect();
                let as_typed = analyzer.typed(text).into_iter().filter(|word| !stop_positions.contains(&word.position));
                typed.extend(as_typed.map(|word| word.text));
            }
        }
        let sort: Vec<String> = texts.iter().map(|text| sort_text(text)).collect();
        let whole = match texts {
            [single] => whole_text_words(analyzer, first_sort_chars(single)).map(|words| words.join(" ")),
            _ => None,
        };
        TextColumns {
            length: words.count,
            stop_length: stop_words.count,
            words: words.text,
            stop_words: stop_words.text,
            typed: typed.into_iter().collect::<Vec<_>>().join(" "),
            forms: forms.into_iter().collect::<Vec<_>>().join(" "),
            sort,
            whole,
        }
    }
}

/// Returns the words as typed, with their symbols, of the whole text that starts like this; `None` if it may have been cut off.
pub fn whole_text_words(analyzer: &Analyzer, first_chars: &str) -> Option<Vec<String>> {
    let is_whole = first_chars.chars().count() < SORT_CHARS_MAX;
    is_whole.then(|| analyzer.typed_with_symbols(first_chars).into_iter().map(|word| word.text).collect())
}

/// Writes words with a gap for each position between them, as a phrase or a text has them.
#[derive(Default)]
pub struct PositionedWords {
    text: String,
    count: usize,
    /// The number of positions that are written.
    written: usize,
}

impl PositionedWords {
    /// Adds the words of a text that begins at a position.
    fn add<'a>(&mut self, start: usize, words: impl Iterator<Item = &'a Word>) {
        for word in words {
            let position = start + word.position;
            while self.written < position {
                self.push(GAP);
            }
            self.push(&word.text);
            self.count += 1;
        }
    }

    fn push(&mut self, word: &str) {
        if !self.text.is_empty() {
            self.text.push(' ');
        }
        self.text.push_str(word);
        self.written += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn columns(language: &str, texts: &[&str]) -> TextColumns {
        let texts: Vec<String> = texts.iter().map(|text| (*text).to_owned()).collect();
        TextColumns::new(&Analyzer::for_language(language).unwrap(), &texts, true)
    }

    #[test]
    fn words_keep_their_positions_and_texts_are_a_position_apart() {
        let columns = columns("english", &["The wings of a bird, the", "!", "of Cats"]);
        assert_eq!(columns.words, "_ wing _ _ bird _ _ _ _ cat");
        assert_eq!(columns.stop_words, "the _ of a _ the _ _ of");
        assert_eq!((columns.length, columns.stop_length), (3, 5));
        let mut typed: Vec<&str> = columns.typed.split(' ').collect();
        typed.sort_unstable();
        assert_eq!(typed, ["bird", "cats", "wings"]);
        assert_eq!(columns.sort, ["The wings of a bird, the", "!", "of Cats"].map(sort_text));
        assert_eq!(columns.whole, None);
    }

    #[test]
    fn only_a_single_short_text_can_be_a_whole_query() {
        assert_eq!(columns("english", &["The Élan-vital!"]).whole.as_deref(), Some("the elan vital"));
        assert_eq!(columns("cjk", &["東京都"]).whole.as_deref(), Some("东京 京都"));
        assert_eq!(columns("english", &["a".repeat(100).as_str()]).whole, None);
        assert_eq!(columns("english", &["cat", "cat"]).whole, None);
    }

    #[test]
    fn a_text_without_words_has_empty_columns() {
        let columns = columns("none", &["_ _!"]);
        assert_eq!((columns.words.as_str(), columns.typed.as_str(), columns.length), ("", "", 0));
    }
}
