//! The order of texts: without case and accents, as people sort (root collation of the Unicode Collation Algorithm), then by code point.

use std::sync::LazyLock;

use icu_collator::options::{CollatorOptions, Strength};
use icu_collator::{Collator, CollatorBorrowed};
use tantivy::tokenizer::{Token, TokenStream, Tokenizer};

/// Texts are sorted by this many of their first characters, then by id.
pub const SORT_CHARS_MAX: usize = 100;

/// Ends the sort key of a text. No sort key has this byte. After it stands how the text differs from the one that the key tells.
const END: char = '\0';

/// The next character is smaller than expected. Each character before it that is as expected adds 1.
const SMALLER: u32 = 1;
/// All further characters are as expected.
const EQUAL: u32 = SMALLER + SORT_CHARS_MAX as u32 + 1;
/// The next character is larger than expected. Each character before it that is as expected subtracts 1.
const LARGER: u32 = EQUAL + SORT_CHARS_MAX as u32 + 1;

static COLLATOR: LazyLock<Option<CollatorBorrowed<'static>>> = LazyLock::new(|| {
    let mut options = CollatorOptions::default();
    options.strength = Some(Strength::Primary);
    Collator::try_new(Default::default(), options).ok()
});

/// Returns the part of a text that documents are sorted by.
pub fn first_sort_chars(text: &str) -> &str {
    text.char_indices().nth(SORT_CHARS_MAX).map_or(text, |(end, _)| &text[..end])
}

/// The keys of the ASCII characters without capital letters, which tell most texts.
static KEYS: LazyLock<Keys> = LazyLock::new(Keys::new);

struct Keys {
    /// The character of each key of one byte.
    short: [Option<char>; 256],
    /// Longer keys with their characters.
    long: Vec<(Vec<u8>, char)>,
    /// The key of each ASCII character that has one of one byte. A text of such characters has their keys one after the other.
    bytes: [Option<u8>; 128],
}

impl Keys {
    fn new() -> Keys {
        let mut keys = Keys { short: [None; 256], long: Vec::new(), bytes: [None; 128] };
        let characters = (' '..='~').filter(|character| !character.is_ascii_uppercase());
        for (key, character) in characters.map(|character| (computed_key(character.encode_utf8(&mut [0; 4])), character)) {
            match key.as_slice() {
                [] => {}
                [byte] => {
                    keys.short[usize::from(*byte)] = Some(character);
                    keys.bytes[character as usize] = Some(*byte);
                    keys.bytes[character.to_ascii_uppercase() as usize] = Some(*byte);
                }
                _ => keys.long.push((key, character)),
            }
        }
        keys
    }

    /// Returns the key of a text of characters with keys of one byte, which most texts in English are.
    fn simple_key(&self, text: &str) -> Option<Vec<u8>> {
        text.bytes().map(|byte| *self.bytes.get(usize::from(byte))?).collect()
    }

    /// Returns the characters of a key, as far as they are known. Different keys have different characters.
    fn characters(&self, mut key: &[u8]) -> String {
        let mut characters = String::with_capacity(key.len());
        while let [first, rest @ ..] = key {
            if let Some(character) = self.short[usize::from(*first)] {
                characters.push(character);
                key = rest;
            } else if let Some((long, character)) = self.long.iter().find(|(long, _)| key.starts_with(long)) {
                characters.push(*character);
                key = &key[long.len()..];
            } else {
                break;
            }
        }
        characters
    }
}

/// Returns a text that sorts by code point as the first characters of the text should sort. These characters can be read back from it.
pub fn sort_text(text: &str) -> String {
    let text = first_sort_chars(text);
    if text.is_empty() {
        return String::new();
    }
    let key = sort_key(text);
    let mut sorted = String::with_capacity(key.len() + key.len() / 8 + 2);
    // The order of these characters is that of the bytes.
    sorted.extend(key.iter().copied().map(char::from));
    sorted.push(END);
    push_difference(&KEYS.characters(&key), text, &mut sorted);
    sorted
}

/// Returns the beginning of [`sort_text`] for the texts that begin with this one, without case and accents.
pub fn sort_beginning(text: &str) -> String {
    sort_key(text).into_iter().map(char::from).collect()
}

/// Returns the first characters of the text that sorts like this.
pub fn sorted_text(sorted: &str) -> String {
    let Some((key, difference)) = sorted.split_once(END) else { return String::new() };
    let key: Vec<u8> = key.chars().filter_map(|character| u8::try_from(character).ok()).collect();
    apply_difference(&KEYS.characters(&key), difference)
}

fn sort_key(text: &str) -> Vec<u8> {
    KEYS.simple_key(text).unwrap_or_else(|| computed_key(text))
}

fn computed_key(text: &str) -> Vec<u8> {
    let mut key = Vec::with_capacity(text.len());
    if let Some(collator) = COLLATOR.as_ref() {
        let Ok(()) = collator.write_sort_key_to(text, &mut key);
    }
    key
}

/// Writes how a text differs from the one that is expected. Of two texts with the same expected one, the differences sort by code point as
/// the texts do: a smaller character sorts first where it comes early, a larger one where it comes late.
fn push_difference(expected: &str, text: &str, difference: &mut String) {
    let push = |difference: &mut String, step: u32| difference.extend(char::from_u32(step));
    let mut expected = expected.chars();
    let mut equal = 0;
    for (index, character) in text.char_indices() {
        match expected.next() {
            Some(next) if next == character => equal += 1,
            Some(next) if next.to_ascii_uppercase() == character => {
                push(difference, SMALLER + equal);
                difference.push(character);
                equal = 0;
            }
            next => {
                let is_smaller = next.is_some_and(|next| character < next);
                push(difference, if is_smaller { SMALLER + equal } else { LARGER - equal });
                difference.push_str(&text[index..]);
                return;
            }
        }
    }
    push(difference, if expected.next().is_some() { SMALLER + equal } else { EQUAL });
}

/// Returns the text that differs like this from the expected one.
fn apply_difference(expected: &str, difference: &str) -> String {
    let mut text = String::with_capacity(expected.len());
    let (mut expected, mut difference) = (expected.chars(), difference.chars());
    while let Some(step) = difference.next().map(u32::from) {
        let equal = if step < EQUAL { step - SMALLER } else { LARGER.saturating_sub(step) };
        text.extend(expected.by_ref().take(if step == EQUAL { usize::MAX } else { equal as usize }));
        let Some(character) = difference.next() else { break };
        text.push(character);
        let is_capital = step < EQUAL && expected.next().is_some_and(|next| next.to_ascii_uppercase() == character);
        if !is_capital {
            text.extend(difference);
            break;
        }
    }
    text
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
    fn texts_with_equal_keys_sort_by_code_point() {
        let texts = [
            "Eclair au Café",
            "eclair au café",
            "éclair au cafe",
            "eclair Au cafe",
            "eclair au cafe",
            "ECLAIR AU CAFE",
            "Éclair au cafe",
            "eclair\u{ad} au cafe",
            "\u{ad}eclair au cafe",
            "eclair au cafe\u{ad}",
            "eclair\u{a0}au cafe",
            "Eclair\u{ad} au cafe",
            "ecLaïr au cafe",
        ];
        let mut sorted = texts.map(|text| (sort_text(text), text));
        sorted.sort();
        let (mut equal, mut expected) = (sorted.map(|(_, text)| text).to_vec(), texts.to_vec());
        expected.sort_unstable();
        equal.retain(|text| sort_key(text) == sort_key(texts[0]));
        expected.retain(|text| sort_key(text) == sort_key(texts[0]));
        assert!(equal.len() > 10, "{equal:?}");
        assert_eq!(equal, expected);
    }

    #[test]
    fn a_text_in_english_takes_little_more_than_its_key() {
        let text = "The quick brown fox jumps over the lazy dog, twice (in 2026).";
        assert!(sort_text(text).len() <= sort_key(text).len() + 6, "{:?}", sort_text(text));
        assert!(sort_text(text).len() <= text.len() + 10, "{:?}", sort_text(text));
    }

    #[test]
    fn keys_of_simple_characters_are_those_of_the_collation() {
        let simple: Vec<char> = ('\0'..='\u{7f}').filter(|character| KEYS.bytes[*character as usize].is_some()).collect();
        assert!(simple.len() >= 52, "{simple:?}");
        let mut seed = 1_u64;
        let mut draw = || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            simple[(seed >> 33) as usize % simple.len()]
        };
        for length in (1..40).cycle().take(2_000) {
            let text: String = (0..length).map(|_| draw()).collect();
            assert_eq!(KEYS.simple_key(&text), Some(computed_key(&text)), "{text}");
        }
        assert_eq!(KEYS.simple_key("é"), None);
    }

    #[test]
    fn the_text_can_be_read_back() {
        for text in ["", "Los Ángeles", "C++", "The Wings", "Æon", "ABC", "a\u{ad}b", "Ёлка 2", "ﬁne", "a\tb", "日本", "ǅ", "a\0b\u{1}"]
        {
            assert_eq!(sorted_text(&sort_text(text)), text);
        }
        assert_eq!(sorted_text(&sort_text(&"ä".repeat(200))).chars().count(), 100);
    }
}
