//! Finds the two words that a mistyped word may be: Star Wars for `starwras`. One of them is spelled right.

use tantivy::Term;
use tantivy::schema::Field;

use crate::failure::Result;
use crate::search::index::context::SearchContext;
use crate::search::index::phrase_cache::SplitDocuments;
use crate::search_field::TextField;
use crate::typos::{COST_OF_COMPLETION, COST_OF_TYPO, Cost};

use super::compounds::HasWord;
use super::expansion::expand;
use super::single_word::single_word;
use super::text_query::TextQuery;

pub const COST: Cost = COST_OF_TYPO | COST_OF_COMPLETION;

const WORD_CHARS: std::ops::RangeInclusive<usize> = 7..=20;
const PART_CHARS_MIN: usize = 3;
/// The most parts that are corrected, and the most corrections of each.
const PARTS_MAX: usize = 6;
const CORRECTIONS_MAX: usize = 5;

/// A word that is split in two, of which one part is spelled right.
pub struct MistypedSplit<'a> {
    pub exact: Term,
    pub mistyped: &'a str,
    pub exact_is_first: bool,
}

/// Returns the splits of which some document has one part.
pub fn list<'a>(field: Field, text_field: &TextField, text: &'a str, has_word: &HasWord) -> Result<Vec<MistypedSplit<'a>>> {
    let mut splits = Vec::new();
    let chars = text.chars().count();
    if !WORD_CHARS.contains(&chars) || !text.chars().all(char::is_alphabetic) {
        return Ok(splits);
    }
    for (left_chars, end) in text.char_indices().map(|(end, _)| end).enumerate().skip(PART_CHARS_MIN) {
        let (left, right) = text.split_at(end);
        for (exact, mistyped, exact_is_first) in [(left, right, true), (right, left, false)] {
            if left_chars.min(chars - left_chars) < PART_CHARS_MIN || splits.len() == PARTS_MAX {
                continue;
            }
            let Some(word) = single_word(&text_field.analyzer, exact) else { continue };
            let exact = Term::from_field_text(field, &word.text);
            if has_word(&exact)? {
                splits.push(MistypedSplit { exact, mistyped, exact_is_first });
            }
        }
    }
    Ok(splits)
}

/// Returns the phrases that some document has.
pub fn find(context: &SearchContext, (field, text_field): (Field, &TextField), weight: f32, text: &str) -> Result<TextQuery> {
    let mut query = TextQuery::default();
    let Some(typed) = text_field.typed else { return Ok(query) };
    for MistypedSplit { exact, mistyped, exact_is_first } in list(field, text_field, text, &|term| Ok(context.frequency(term)? > 0))? {
        context.cancel_token.check()?;
        for correction in expand(context, typed, mistyped, false, 1, CORRECTIONS_MAX, |other| other != mistyped)? {
            let Some(word) = single_word(&text_field.analyzer, &correction.text) else { continue };
            let corrected = Term::from_field_text(field, &word.text);
            let pair = if exact_is_first { [exact.clone(), corrected] } else { [corrected, exact.clone()] };
            let phrase: Vec<(usize, Term)> = pair.into_iter().enumerate().collect();
            if !matches!(context.split_documents(&phrase)?, SplitDocuments::None) {
                query.phrases.insert(phrase, weight);
            }
        }
    }
    Ok(query)
}
