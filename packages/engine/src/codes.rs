//! Codes, such as part numbers, in one spelling: `=ax100b` for `AX-100/B`, `AX100B` and `ax 100 b`.

use std::ops::Range;

use tantivy::tokenizer::{TextAnalyzer, Token, TokenStream};

use crate::fractions::as_part;

/// Begins a code. No other form has it.
pub const CODE: char = '=';

/// The most parts that spaces separate in a code, and the most characters of a code.
pub const CODE_CHUNKS_MAX: usize = 6;
pub const CODE_CHARS_MAX: usize = 40;

/// The letters and digits of the text between two spaces.
struct Chunk {
    text: String,
    range: Range<usize>,
}

/// Calls `add` with each code that the text may contain, and its range: up to six neighbouring parts of the text.
pub fn read_codes(typed: &mut TextAnalyzer, text: &str, mut add: impl FnMut(String, Range<usize>)) {
    let chunks = read_chunks(typed, text);
    for (index, first) in chunks.iter().enumerate() {
        let mut code = String::from(CODE);
        for last in chunks[index..].iter().take(CODE_CHUNKS_MAX) {
            code.push_str(&last.text);
            if code.chars().count() > CODE_CHARS_MAX {
                break;
            }
            add(code.clone(), first.range.start..last.range.end);
        }
    }
}

fn read_chunks(typed: &mut TextAnalyzer, text: &str) -> Vec<Chunk> {
    let mut chunks: Vec<Chunk> = Vec::new();
    let mut stream = typed.token_stream(text);
    let mut previous_end = None;
    while stream.advance() {
        let token: &Token = stream.token();
        let is_next = previous_end.is_some_and(|end: usize| {
            // The pairs of scripts without spaces overlap.
            token.offset_from < end || !text[end..token.offset_from].contains(char::is_whitespace)
        });
        previous_end = Some(token.offset_to);
        match chunks.last_mut().filter(|_| is_next) {
            Some(chunk) if token.offset_from < chunk.range.end => {
                chunk.text.extend(token.text.chars().skip(1));
                chunk.range.end = token.offset_to;
            }
            Some(chunk) => {
                chunk.text.push_str(as_part(&token.text));
                chunk.range.end = token.offset_to;
            }
            None => chunks.push(Chunk { text: as_part(&token.text).to_owned(), range: token.offset_from..token.offset_to }),
        }
    }
    chunks
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::Analyzer;

    fn codes(text: &str) -> Vec<String> {
        let forms = Analyzer::by_name("english+codes").unwrap().forms(text);
        forms.into_iter().filter(|form| form.text.starts_with(CODE)).map(|form| form.text).collect()
    }

    #[test]
    fn separators_and_case_do_not_tell_codes_apart() {
        for text in ["AX-100/B", "AX100B", "ax100/b", "(Ax_100.b)"] {
            assert_eq!(codes(text), ["=ax100b"], "{text}");
        }
        assert_eq!(codes("ax 100 b"), ["=ax", "=ax100", "=ax100b", "=100", "=100b", "=b"]);
    }

    #[test]
    fn only_fields_of_codes_have_codes() {
        let forms = Analyzer::for_language("english").unwrap().forms("AX-100/B");
        assert!(forms.iter().all(|form| !form.text.starts_with(CODE)));
    }

    #[test]
    fn codes_have_a_longest_length() {
        assert!(codes(&"x".repeat(41)).is_empty());
        assert_eq!(codes("a b c d e f g").len(), 6 + 6 + 5 + 4 + 3 + 2 + 1);
    }
}
