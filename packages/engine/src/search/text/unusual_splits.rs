//! Finds the words that a word may be written from, which the usual splits leave out: two words of which one is a stop word, and three words.
//! Los Ángeles for `losangeles` in Spanish, and Van der Waals for `vanderwaals`.

use tantivy::Term;
use tantivy::schema::Field;

use crate::failure::Result;
use crate::search_field::TextField;

use super::compounds::HasWord;
use super::spellings::{PART_CHARS_MIN, SPLIT_CHARS, single_word};

/// Returns phrases of words that documents have, for a word that no document has. At least one is no stop word.
pub fn find(field: Field, text_field: &TextField, text: &str, has_word: &HasWord) -> Result<Vec<Vec<(usize, Term)>>> {
    let mut phrases = Vec::new();
    // Nearly all words are known. Analyzing them again would take a tenth of a search.
    let as_typed = Term::from_field_text(text_field.typed.unwrap_or(field), text);
    if !SPLIT_CHARS.contains(&text.chars().count()) || !text.chars().all(char::is_alphabetic) || has_word(&as_typed)? {
        return Ok(phrases);
    }
    let Some(stem) = single_word(&text_field.analyzer, text) else { return Ok(phrases) };
    if has_word(&Term::from_field_text(field, &stem.text))? {
        return Ok(phrases);
    }
    let part = |part: &str| present_part(field, text_field, part, has_word);
    let places: Vec<usize> = text.char_indices().map(|(place, _)| place).skip(1).chain([text.len()]).collect();
    for (index, first) in places.iter().enumerate() {
        let Some(beginning) = part(&text[..*first])? else { continue };
        for second in &places[index + 1..] {
            let Some(middle) = part(&text[*first..*second])? else { continue };
            let mut terms = vec![(0, beginning.clone()), (1, middle)];
            if *second < text.len() {
                let Some(end) = part(&text[*second..])? else { continue };
                terms.push((2, end));
            }
            if terms.iter().any(|(_, term)| term.field() == field) {
                phrases.push(terms);
            }
        }
    }
    Ok(phrases)
}

/// A part of a word, if some document has it as a word. It may be a stop word.
fn present_part(field: Field, text_field: &TextField, part: &str, has_word: &HasWord) -> Result<Option<Term>> {
    if part.chars().nth(PART_CHARS_MIN - 1).is_none() {
        return Ok(None);
    }
    if let Some(typed) = text_field.typed
        && !has_word(&Term::from_field_text(typed, part))?
    {
        return Ok(None);
    }
    let mut words = text_field.analyzer.words(part);
    let Some(word) = words.pop().filter(|word| words.is_empty() && word.end == part.len()) else { return Ok(None) };
    let field = if word.stop { text_field.stop_words } else { Some(field) };
    let Some(term) = field.map(|field| Term::from_field_text(field, &word.text)) else { return Ok(None) };
    Ok(has_word(&term)?.then_some(term))
}
