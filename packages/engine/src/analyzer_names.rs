//! Names under which the analyzers of a language are registered.

/// Ends the name of the analyzer for a field of codes.
pub const CODES_SUFFIX: &str = "+codes";

/// The analyzer for the main field of a language.
pub fn tokenizer_name(language: &str) -> String {
    format!("querent-{language}")
}

/// The analyzer for the twin field with the stop words.
pub fn stop_words_name(language: &str) -> String {
    format!("querent-{language}-stop")
}

/// The analyzer for the twin field with the pairs of neighbouring stop words.
pub fn stop_word_pairs_name(language: &str) -> String {
    format!("querent-{language}-stop-pairs")
}

/// The analyzer for the twin field with the words as typed.
pub fn typed_name(language: &str) -> String {
    format!("querent-{language}-typed")
}

/// The analyzer for the twin field with the first letters of the words.
pub fn beginnings_name(language: &str) -> String {
    format!("querent-{language}-beginnings")
}

/// The analyzer for the twin field with further forms of words.
pub fn forms_name(language: &str, has_codes: bool) -> String {
    format!("querent-{language}-forms{}", if has_codes { CODES_SUFFIX } else { "" })
}
