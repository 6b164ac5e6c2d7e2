//! Reads texts that are a single word.

use crate::analysis::{Analyzer, Word};
use crate::fractions::FRACTION;

/// The word of a text that is a single one and no stop word. It may be the decimals of a number.
pub fn single_word(analyzer: &Analyzer, text: &str) -> Option<Word> {
    if let Some(digits) = text.strip_prefix(FRACTION) {
        let word = single_word(analyzer, digits)?;
        return Some(Word { text: format!("{FRACTION}{}", word.text), end: text.len(), ..word });
    }
    let mut words = analyzer.words(text);
    let word = words.pop().filter(|word| !word.stop)?;
    (words.is_empty() && word.start == 0 && word.end == text.len()).then_some(word)
}
