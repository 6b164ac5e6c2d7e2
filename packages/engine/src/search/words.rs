//! A parsed text over fields → the terms and phrases that are looked for in the index.

use std::collections::BTreeMap;

use tantivy::Term;

use crate::analysis::Word;
use crate::failure::{Failure, Result};
use crate::generation::Synonyms;
use crate::plan::{ParsedText, WeightedField};
use crate::schema::{IndexSchema, SearchField};
use crate::spec::FieldKind;

/// Words and phrases of one field's index with what their score is multiplied by. In order of field and word: sums of scores are then
/// the same however the query was written.
#[derive(Default)]
pub struct Wanted {
    pub terms: BTreeMap<Term, f32>,
    pub phrases: BTreeMap<Vec<(usize, Term)>, f32>,
}

/// A text is at most 16 KiB of URL; what goes beyond this many words is ignored.
const WORDS_MAX: usize = 1_000;

pub fn wanted(schema: &IndexSchema, synonyms: &Synonyms, text: &ParsedText, fields: &[WeightedField]) -> Result<Wanted> {
    let mut wanted = Wanted::default();
    for weighted in fields {
        let search_field = text_field(schema, &weighted.name)?;
        let words: Vec<Vec<Word>> = text.words.iter().take(WORDS_MAX).map(|word| words_in(search_field, word)).collect();
        let only_stop_words = text.phrases.is_empty() && words.iter().flatten().all(|word| word.stop);
        for (typed, word) in text.words.iter().zip(&words) {
            let kept = word.iter().filter(|word| only_stop_words || !word.stop);
            kept.for_each(|word| add_term(&mut wanted, search_field, word, weighted.weight));
            for other in synonyms.get(&typed.to_lowercase()).into_iter().flatten() {
                add_phrase(&mut wanted, search_field, words_in(search_field, other), weighted.weight);
            }
        }
        for phrase in text.phrases.iter().take(WORDS_MAX) {
            add_phrase(&mut wanted, search_field, words_in(search_field, phrase), weighted.weight);
        }
    }
    Ok(wanted)
}

pub fn excluded(schema: &IndexSchema, text: &ParsedText, fields: &[WeightedField]) -> Result<Wanted> {
    let mut excluded = Wanted::default();
    for weighted in fields {
        let search_field = text_field(schema, &weighted.name)?;
        // A word may be several to the index (`state-of-the-art`): only where they stand together is it excluded.
        for typed in text.excluded_words.iter().chain(&text.excluded_phrases).take(WORDS_MAX) {
            add_phrase(&mut excluded, search_field, words_in(search_field, typed), 1.0);
        }
    }
    Ok(excluded)
}

fn text_field<'a>(schema: &'a IndexSchema, name: &str) -> Result<&'a SearchField> {
    let search_field = schema.field(name)?;
    match search_field.kind {
        FieldKind::Text { .. } => Ok(search_field),
        _ => Err(Failure::unsupported(format!(
            "the embedded engine can match only text, and `{name}` is a {} field",
            search_field.kind.name()
        ))),
    }
}

fn words_in(search_field: &SearchField, text: &str) -> Vec<Word> {
    search_field.text.as_ref().map_or_else(Vec::new, |field| field.analyser.words(text))
}

fn add_term(wanted: &mut Wanted, search_field: &SearchField, word: &Word, weight: f32) {
    *wanted.terms.entry(term(search_field, word)).or_default() += weight;
}

/// Stop words inside a phrase stand for any word; a phrase of nothing else goes to their own field.
fn add_phrase(wanted: &mut Wanted, search_field: &SearchField, mut words: Vec<Word>, weight: f32) {
    if words.iter().any(|word| !word.stop) {
        words.retain(|word| !word.stop);
    }
    match words.as_slice() {
        [] => {}
        [word] => add_term(wanted, search_field, word, weight),
        words => {
            let terms = words.iter().map(|word| (word.position, term(search_field, word))).collect();
            *wanted.phrases.entry(terms).or_default() += weight;
        }
    }
}

fn term(search_field: &SearchField, word: &Word) -> Term {
    let twin = search_field.text.as_ref().and_then(|text| text.stop_words).filter(|_| word.stop);
    Term::from_field_text(twin.unwrap_or(search_field.field), &word.text)
}
