//! The order of texts: without case and accents, as people sort (root collation of the Unicode Collation Algorithm), then by code point.

use std::sync::LazyLock;

use icu_collator::options::{CollatorOptions, Strength};
use icu_collator::{Collator, CollatorBorrowed};
use tantivy::tokenizer::{Token, TokenStream, Tokenizer};

/// Texts are sorted by this many of their first characters, then by id.
pub const SORT_CHARS_MAX: usize = 100;

/// Ends the sort key of a text. No sort key has this byte.
const END: char = '\0';

static COLLATOR: LazyLock<Option<CollatorBorrowed<'static>>> = LazyLock::new(|| {
    let mut options = CollatorOptions::default();
    options.strength = Some(Strength::Primary);
    Collator::try_new(Default::default(), options).ok()
});

/// Returns the part of a text that documents are sorted by.
pub fn first_sort_chars(text: &str) -> &str {
    text.char_indices().nth(SORT_CHARS_MAX).map_or(text, |(end, _)| &text[..end])
}

/// Returns a text that sorts by code point as the first characters of the text should sort. It ends with these characters.
pub fn sort_text(text: &str) -> String {
    let text = first_sort_chars(text);
    if text.is_empty() {
        return String::new();
    }
    let mut key: Vec<u8> = Vec::with_capacity(text.len());
    if let Some(collator) = COLLATOR.as_ref() {
        let Ok(()) = collator.write_sort_key_to(text, &mut key);
    }
    let mut sorted = String::with_capacity(2 * text.len() + 1);
    // The order of these characters is that of the bytes.
    sorted.extend(key.into_iter().map(char::from));
    sorted.push(END);
    sorted.push_str(text);
    sorted
}

/// Returns the first characters of the text that sorts like this.
pub fn sorted_text(sorted: &str) -> &str {
    sorted.split_once(END).map_or(sorted, |(_, text)| text)
}

/// Makes one token of a text: what it sorts by.
#[derive(Clone, Default)]
pub struct SortTokenizer(Token);

impl Tokenizer for SortTokenizer {
    type TokenStream<'a> = SortStream<'a>;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> SortStream<'a> {
        self.0.reset();
        self.0.text = sort_text(text);
        self.0.offset_to = text.len();
        SortStream { token: &mut self.0, is_read: false }
    }
}

pub struct SortStream<'a> {
    token: &'a mut Token,
    is_read: bool,
}

impl TokenStream for SortStream<'_> {
    fn advance(&mut self) -> bool {
        let is_first = !self.is_read;
        self.is_read = true;
        self.token.position = 0;
        is_first
    }

    fn token(&self) -> &Token {
        self.token
    }

    fn token_mut(&mut self) -> &mut Token {
        self.token
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_sort_without_case_and_accents_and_then_by_code_point() {
        let sorted = ["", " x", "10", "9", "apple", "Banana", "banana", "éclair", "Eclairs", "Zebra", "zoo", "Ёлка", "Яблоко"];
        let mut keys: Vec<(String, &str)> = sorted.iter().rev().map(|text| (sort_text(text), *text)).collect();
        keys.sort();
        assert_eq!(keys.iter().map(|(_, text)| *text).collect::<Vec<_>>(), sorted);
    }

    #[test]
    fn the_text_can_be_read_back() {
        for text in ["", "Los Ángeles", "C++"] {
            assert_eq!(sorted_text(&sort_text(text)), text);
        }
        assert_eq!(sorted_text(&sort_text(&"ä".repeat(200))).chars().count(), 100);
    }
}
