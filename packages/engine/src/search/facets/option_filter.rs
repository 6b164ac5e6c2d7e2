//! Filters the options of a facet by the start of a word.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

pub struct OptionFilter(String);

impl OptionFilter {
    /// Returns `None` for a blank text, which every option passes.
    pub fn new(text: &str) -> Option<OptionFilter> {
        let folded = fold(text).trim().to_owned();
        (!folded.is_empty()).then_some(OptionFilter(folded))
    }

    /// Whether a word of the option starts with the text. A word starts with a letter or digit after something else, or after white space.
    pub fn accepts(&self, option: &str) -> bool {
        let option = fold(option);
        let mut previous = ' ';
        option.char_indices().any(|(start, letter)| {
            let starts_word = previous.is_whitespace() || (letter.is_alphanumeric() && !previous.is_alphanumeric());
            previous = letter;
            starts_word && option[start..].starts_with(&self.0)
        })
    }
}

/// Removes case and accents.
fn fold(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    let mut folded = String::with_capacity(text.len());
    for letter in text.nfkd().filter(|letter| !is_combining_mark(*letter)).flat_map(char::to_lowercase) {
        match letter {
            'ß' => folded.push_str("ss"),
            'æ' => folded.push_str("ae"),
            'œ' => folded.push_str("oe"),
            'þ' => folded.push_str("th"),
            'ø' => folded.push('o'),
            'đ' | 'ð' => folded.push('d'),
            'ł' => folded.push('l'),
            'ħ' => folded.push('h'),
            'ŧ' => folded.push('t'),
            'ı' => folded.push('i'),
            'ς' => folded.push('σ'),
            _ => folded.push(letter),
        }
    }
    folded
}
