//! Finds the two words that an unfinished word may be the beginning of: New York for `newyo`. The first one is spelled right.

use tantivy::Term;
use tantivy::schema::Field;

use crate::failure::Result;
use crate::search::index::context::SearchContext;
use crate::search::index::phrase_cache::SplitDocuments;
use crate::search_field::TextField;

use super::expansion::expand;
use super::single_word::single_word;
use super::text_query::TextQuery;
use super::unusual_splits::SPLIT_CHARS;

const FIRST_CHARS_MIN: usize = 3;
/// The most completions of the second word.
const COMPLETIONS_MAX: usize = 50;

/// Returns the phrases that some document has.
pub fn find(context: &SearchContext, (field, text_field): (Field, &TextField), weight: f32, text: &str) -> Result<TextQuery> {
    let mut query = TextQuery::default();
    let Some(typed) = text_field.typed.filter(|_| SPLIT_CHARS.contains(&text.chars().count())) else { return Ok(query) };
    for (place, _) in text.char_indices().skip(FIRST_CHARS_MIN) {
        context.cancel_token.check()?;
        let (first, beginning) = text.split_at(place);
        // Fewer words are as typed than have the same stem.
        if context.frequency(&Term::from_field_text(typed, first))? == 0 {
            continue;
        }
        let Some(first) = single_word(&text_field.analyzer, first) else { continue };
        let first = Term::from_field_text(field, &first.text);
        for completion in expand(context, typed, beginning, true, 0, COMPLETIONS_MAX, |_| true)? {
            let Some(second) = single_word(&text_field.analyzer, &completion.text) else { continue };
            let phrase = vec![(0, first.clone()), (1, Term::from_field_text(field, &second.text))];
            if !matches!(context.split_documents(&phrase)?, SplitDocuments::None) {
                query.phrases.insert(phrase, weight);
            }
        }
    }
    Ok(query)
}
