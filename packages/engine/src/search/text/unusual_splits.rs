//! Finds the words that a word may be written from, which the usual splits leave out: two words of which one is a stop word or a letter, and
//! three words. Los Ángeles for `losangeles` in Spanish, Vitamin C for `vitaminc`, and Van der Waals for `vanderwaals`.

use tantivy::Term;
use tantivy::schema::Field;

use crate::failure::Result;
use crate::search_field::TextField;

use super::compounds::HasWord;
use super::single_word::single_word;

pub const SPLIT_CHARS: std::ops::RangeInclusive<usize> = 4..=20;
/// The least letters of a part, unless digits follow letters or letters digits.
pub const PART_CHARS_MIN: usize = 2;

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
            // Vitamin C and Ó Briain, but not three words.
            let is_letter = |part: &str| part.chars().nth(1).is_none();
            let has_letter = index == 0 || is_letter(&text[*first..*second]) || is_letter(&text[*second..]);
            if has_letter && *second < text.len() {
                continue;
            }
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
    if let Some(typed) = text_field.typed
        && !text_field.analyzer.is_plain_stop_word(part)
        && !has_word(&Term::from_field_text(typed, part))?
    {
        return Ok(None);
    }
    let mut words = text_field.analyzer.words(part);
    let Some(word) = words.pop().filter(|word| words.is_empty() && word.end == part.len()) else { return Ok(None) };
    // A stop word may lack its accents, as in `saopaulo`.
    let plain_stop_word = text_field.analyzer.plain_stop_word(part).filter(|_| !word.stop);
    let as_word = (!word.stop).then(|| Term::from_field_text(field, &word.text));
    let stop_word = if word.stop { Some(word.text) } else { plain_stop_word };
    let as_stop_word = text_field.stop_words.zip(stop_word).map(|(field, text)| Term::from_field_text(field, &text));
    for term in as_word.into_iter().chain(as_stop_word) {
        if has_word(&term)? {
            return Ok(Some(term));
        }
    }
    Ok(None)
}
