//! The parts of words in camel case, such as `get`, `User` and `Name` of getUserName.

use std::ops::Range;

/// Shorter first parts are those of names: iPhone, eBay, McDonald.
const FIRST_CHARS_MIN: usize = 3;
const PART_CHARS_MIN: usize = 2;
/// Longer words are encoded data.
const WORD_BYTES_MAX: usize = 64;

/// Calls `add` with the range of each part of the words of a text. A word of one part has none.
pub fn read_parts(text: &str, mut add: impl FnMut(Range<usize>)) {
    let bytes = text.as_bytes();
    let has_capital = |pair: &[u8]| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase();
    if !bytes.windows(2).any(has_capital) {
        return;
    }
    let mut start = 0;
    for word in text.split(|character: char| !character.is_alphanumeric()) {
        let range = start..start + word.len();
        start = range.end + text[range.end..].chars().next().map_or(0, char::len_utf8);
        if !word.is_ascii() || word.len() > WORD_BYTES_MAX {
            continue;
        }
        let ends = find_ends(word.as_bytes());
        if ends.len() < 2 || ends[0] < FIRST_CHARS_MIN {
            continue;
        }
        let mut part_start = 0;
        for end in ends {
            if end - part_start >= PART_CHARS_MIN {
                add(range.start + part_start..range.start + end);
            }
            part_start = end;
        }
    }
}

/// The ends of the parts: before a capital that follows a small letter or precedes one, and around digits.
fn find_ends(word: &[u8]) -> Vec<usize> {
    let is_end = |index: &usize| {
        let (before, at) = (word[*index - 1], word[*index]);
        let starts_word = at.is_ascii_uppercase() && word.get(index + 1).is_some_and(u8::is_ascii_lowercase);
        before.is_ascii_lowercase() && at.is_ascii_uppercase()
            || before.is_ascii_uppercase() && starts_word
            || before.is_ascii_digit() != at.is_ascii_digit()
    };
    (1..word.len()).filter(is_end).chain([word.len()]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(text: &str) -> Vec<&str> {
        let mut parts = Vec::new();
        read_parts(text, |range| parts.push(&text[range]));
        parts
    }

    #[test]
    fn words_in_camel_case_have_parts() {
        assert_eq!(parts("getUserNameById"), ["get", "User", "Name", "By", "Id"]);
        assert_eq!(parts("XMLHttpRequest2"), ["XML", "Http", "Request"]);
        assert_eq!(parts("#ThrowbackThursday, GitHub"), ["Throwback", "Thursday", "Git", "Hub"]);
    }

    #[test]
    fn names_and_ordinary_words_have_no_parts() {
        for text in ["iPhone", "eBay", "McDonald", "LaTeX", "NASA", "Straße", "word", "MP3-Player 16GB", "naïveWord"] {
            assert!(parts(text).is_empty(), "{text}");
        }
    }
}
