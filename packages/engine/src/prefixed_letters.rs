//! Letters at the start of a word that do not belong to it: of the article in Irish, as in tAonach, and particles in Arabic.

use std::ops::Range;

/// Letters before the first vowel of a word that do not belong to it, and these vowels, by language: small letters before capitals, and
/// the particles of Arabic before a hamza.
const PREFIXES: [(&str, &[char], &[char]); 2] = [
    ("arabic", &['و', 'ف', 'ب', 'ك', 'ل'], &['أ', 'إ', 'آ']),
    ("irish", &['h', 'n', 't'], &['A', 'E', 'I', 'O', 'U', 'Á', 'É', 'Í', 'Ó', 'Ú']),
];
/// The shortest word after such a letter.
const LETTERS_MIN: usize = 3;

/// Returns where the word is without such a letter, if it has one. `text` may have punctuation around the word.
pub fn find_without_prefix(language: &str, text: &str) -> Option<Range<usize>> {
    let (_, prefixes, vowels) = PREFIXES.iter().find(|(known, ..)| *known == language)?;
    let word = text.trim_matches(|character: char| !character.is_alphanumeric());
    let rest = word.strip_prefix(*prefixes).filter(|rest| rest.starts_with(*vowels) && rest.chars().count() >= LETTERS_MIN)?;
    let start = text.find(rest)?;
    Some(start..start + rest.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_before_a_vowel_are_no_part_of_the_word() {
        let find = |language: &str, text: &str| find_without_prefix(language, text).map(|range| text[range].to_owned());
        assert_eq!(find("irish", "(tAonach)").as_deref(), Some("Aonach"));
        assert_eq!(find("irish", "hÉireann").as_deref(), Some("Éireann"));
        assert_eq!(find("arabic", "وإيمان").as_deref(), Some("إيمان"));
        for (language, text) in [("irish", "teach"), ("irish", "nua"), ("arabic", "ولد"), ("arabic", "فأر"), ("english", "tAonach")] {
            assert_eq!(find(language, text), None, "{text}");
        }
    }
}
