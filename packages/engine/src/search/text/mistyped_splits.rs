//! Finds the two words that a mistyped word may be: Star Wars for `starwras`. One of them is spelled right.

use tantivy::Term;
use tantivy::schema::Field;

use crate::failure::Result;
use crate::search::index::context::SearchContext;
use crate::search::index::phrase_cache::SplitDocuments;
use crate::search_field::TextField;
use crate::typos::{COST_OF_COMPLETION, COST_OF_TYPO, Cost};

use super::expansion::expand;
use super::spellings::single_word;
use super::text_query::TextQuery;

pub const COST: Cost = COST_OF_TYPO | COST_OF_COMPLETION;

const WORD_CHARS: std::ops::RangeInclusive<usize> = 7..=20;
const PART_CHARS_MIN: usize = 3;
/// The most parts that are corrected, and the most corrections of each.
const PARTS_MAX: usize = 6;
const CORRECTIONS_MAX: usize = 5;

/// Returns the phrases that some document has.
pub fn find(context: &SearchContext, (field, text_field): (Field, &TextField), weight: f32, text: &str) -> Result<TextQuery> {
    let mut query = TextQuery::default();
    let (Some(typed), ends) = (text_field.typed, text.char_indices().map(|(end, _)| end)) else { return Ok(query) };
    let chars = text.chars().count();
    if !WORD_CHARS.contains(&chars) || !text.chars().all(char::is_alphabetic) {
        return Ok(query);
    }
    let term = |part: &str| {
        let word = single_word(&text_field.analyzer, part)?;
        Some(Term::from_field_text(field, &word.text))
    };
    let mut corrected = 0;
    for (left_chars, end) in ends.enumerate().skip(PART_CHARS_MIN) {
        let (left, right) = text.split_at(end);
        for (exact, exact_chars, mistyped, mistyped_chars) in
            [(left, left_chars, right, chars - left_chars), (right, chars - left_chars, left, left_chars)]
        {
            if exact_chars.min(mistyped_chars) < PART_CHARS_MIN || corrected == PARTS_MAX {
                continue;
            }
            context.cancel_token.check()?;
            let Some(exact_term) = term(exact) else { continue };
            if context.frequency(&exact_term)? == 0 {
                continue;
            }
            corrected += 1;
            for correction in expand(context, typed, mistyped, false, 1, CORRECTIONS_MAX, |other| other != mistyped)? {
                let Some(corrected_term) = term(&correction.text) else { continue };
                let pair = if exact == left { [exact_term.clone(), corrected_term] } else { [corrected_term, exact_term.clone()] };
                let phrase: Vec<(usize, Term)> = pair.into_iter().enumerate().collect();
                if !matches!(context.split_documents(&phrase)?, SplitDocuments::None) {
                    query.phrases.insert(phrase, weight);
                }
            }
        }
    }
    Ok(query)
}
