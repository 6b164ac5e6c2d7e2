//! Recognizes names that `&`, _and_ or _n_ joins, however they are written: R&B, R'n'B, `rnb` and `r and b`; Rock & Roll and `rock n roll`.

use crate::conjunctions::conjunction;

const SHORT_AND: &str = "n";
const AND: &str = "and";
/// The least letters of two names in one word, if they are longer than initials: `rocknroll` and `rnb`.
const NAME_CHARS_MIN: usize = 3;

/// Whether a word as typed is _and_ in its language, or what people write for it in names.
pub fn is_and(word: &str, language: &str) -> bool {
    word == SHORT_AND || word == AND || Some(word) == conjunction(language)
}

/// Two names with _n_ between them, written as one.
pub fn join_by_and(first: &str, second: &str) -> String {
    format!("{first}{SHORT_AND}{second}")
}

/// The two names that a word may consist of, with _n_ or _and_ between them.
pub fn split_at_and(text: &str) -> impl Iterator<Item = (&str, &str)> {
    let chars = |part: &str| part.chars().count();
    let are_names = move |(first, second): &(&str, &str)| {
        let are_initials = chars(first) == 1 && chars(second) == 1;
        are_initials || chars(first) >= NAME_CHARS_MIN && chars(second) >= NAME_CHARS_MIN
    };
    let split = move |and: &'static str| text.match_indices(and).map(move |(start, _)| (&text[..start], &text[start + and.len()..]));
    [SHORT_AND, AND].into_iter().flat_map(split).filter(are_names)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_split_into_initials_or_names() {
        let split = |text| split_at_and(text).collect::<Vec<_>>();
        assert_eq!(split("rnb"), [("r", "b")]);
        assert_eq!(split("rocknroll"), [("rock", "roll")]);
        assert_eq!(split("rockandroll"), [("rocka", "droll"), ("rock", "roll")]);
        assert!(split("dance").is_empty());
        assert!(split("n").is_empty());
    }
}
