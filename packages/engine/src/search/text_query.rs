//! Compiles a parsed text and its fields to the terms and phrases to search for.

use std::collections::{BTreeMap, BTreeSet};

use tantivy::Term;
use tantivy::schema::Field;

use crate::analysis::Word;
use crate::failure::{Failure, Result};
use crate::plan::{ParsedText, WeightedField};
use crate::schema::{IndexSchema, SearchField, TextField};
use crate::spec::FieldKind;

use super::context::SearchContext;
use super::expansion::expand;

/// Terms and phrases with the weights of their scores. They are sorted by field and word, so that sums of scores do not depend on the order
/// of the words in the query.
#[derive(Default)]
pub struct TextQuery {
    pub terms: BTreeMap<Term, f32>,
    pub phrases: BTreeMap<Vec<(usize, Term)>, f32>,
    /// The variants of a word as typed, by the word and whether it is completed.
    pub groups: BTreeMap<(String, bool), VariantGroup>,
}

/// Completions and corrections of one word as typed. In each document, only the best-scoring variant counts.
#[derive(Default)]
pub struct VariantGroup {
    /// The word itself in each field, with the field's weight.
    pub exact: BTreeMap<Term, f32>,
    pub variants: BTreeMap<Term, Variant>,
    /// Fields whose variants have been added.
    expanded_fields: BTreeSet<Field>,
}

pub struct Variant {
    /// Weight of the field.
    pub weight: f32,
    /// 1/2 for each wrong character, and for a completion the share of its characters that were typed. At most 1.
    pub closeness: f32,
    pub distance: usize,
    /// Number of documents with the word.
    pub frequency: u64,
}

/// The most words of a text. Further ones are ignored; a text in a URL has at most 16 KiB anyway.
const WORDS_MAX: usize = 1_000;

/// The most words of a text that are completed or corrected.
const GROUPS_MAX: usize = 32;

/// The most variants of a typed word in a field: the closest first, then the most frequent.
const CORRECTIONS_MAX: usize = 50;
const COMPLETIONS_MAX: usize = 500;

pub fn compile(context: &SearchContext, text: &ParsedText, fields: &[WeightedField], typos: bool) -> Result<TextQuery> {
    let mut query = TextQuery::default();
    for weighted in fields {
        let (search_field, text_field) = text_field(context.schema, &weighted.name)?;
        let typed: Vec<&str> = text.words.iter().take(WORDS_MAX).map(String::as_str).collect();
        let words: Vec<Vec<Word>> = typed.iter().map(|word| text_field.analyzer.words(word)).collect();
        let unfinished = text.unfinished.as_deref().map(|word| (word, text_field.analyzer.words(word)));
        let finished_are_stop_words = text.phrases.is_empty() && words.iter().flatten().all(|word| word.stop);
        let all_are_stop_words = finished_are_stop_words && unfinished.iter().flat_map(|(_, words)| words).all(|word| word.stop);
        let add_words = |query: &mut TextQuery, words: &[Word]| {
            let searched = words.iter().filter(|word| all_are_stop_words || !word.stop);
            searched.for_each(|word| add_term(query, search_field, word, weighted.weight));
        };
        let analyzed: Vec<(&str, &[Word])> = typed
            .iter()
            .copied()
            .zip(words.iter().map(Vec::as_slice))
            .chain(unfinished.iter().map(|(typed, words)| (*typed, words.as_slice())))
            .collect();
        analyzed.iter().for_each(|(_, words)| add_words(&mut query, words));
        if !text_field.synonyms.is_empty() {
            for synonym in text_field.synonyms.find(&analyzed) {
                add_phrase(&mut query, search_field, synonym.clone(), weighted.weight);
            }
        }
        for phrase in text.phrases.iter().take(WORDS_MAX) {
            add_phrase(&mut query, search_field, text_field.analyzer.words(phrase), weighted.weight);
        }
        let expander =
            Expander { context, search_field, text_field, weight: weighted.weight, typos, completes_stop_words: finished_are_stop_words };
        if let Some((typed, words)) = &unfinished {
            expander.add(&mut query, typed, words, true)?;
        }
        if typos {
            typed.iter().zip(&words).try_for_each(|(typed, words)| expander.add(&mut query, typed, words, false))?;
        }
    }
    Ok(query)
}

/// Adds the variants of words in one field.
struct Expander<'a> {
    context: &'a SearchContext<'a>,
    search_field: &'a SearchField,
    text_field: &'a TextField,
    weight: f32,
    typos: bool,
    /// Whether stop words may be completions, because the text has no other words.
    completes_stop_words: bool,
}

impl Expander<'_> {
    /// Adds the variants of `typed`. `words` are its analyzed words; only the last one can be `unfinished`.
    fn add(&self, query: &mut TextQuery, typed: &str, words: &[Word], unfinished: bool) -> Result<()> {
        let Some(twin) = self.text_field.typed else { return Ok(()) };
        let typed_words = self.text_field.analyzer.typed(typed);
        let unfinished_position = typed_words.last().filter(|word| unfinished && word.end == typed.len()).map(|word| word.position);
        for word in &typed_words {
            let completed = Some(word.position) == unfinished_position;
            let exact = words.iter().find(|exact| exact.position == word.position);
            let is_stop_word = exact.is_some_and(|exact| exact.stop);
            if !completed && (is_stop_word || !self.typos) {
                continue;
            }
            let key = (word.text.clone(), completed);
            if query.groups.len() >= GROUPS_MAX && !query.groups.contains_key(&key) {
                continue;
            }
            self.context.cancel_token.check()?;
            let group = query.groups.entry(key).or_default();
            if !group.expanded_fields.insert(twin) {
                continue;
            }
            if let Some(exact) = exact.filter(|exact| !exact.stop) {
                group.exact.insert(term(self.search_field, exact), self.weight);
            }
            let chars = word.text.chars().count();
            let mut analyze = self.text_field.analyzer.reader();
            let is_variant = |text: &str| {
                let has_same_stem = |candidate: &Word| exact.is_some_and(|exact| !exact.stop && exact.text == candidate.text);
                let is_excluded = |candidate: &Word| {
                    if candidate.stop { !(completed && self.completes_stop_words) } else { has_same_stem(candidate) }
                };
                // Searching the word itself finds all words with the same stem.
                text != word.text && !analyze(text).iter().any(is_excluded)
            };
            let max = if completed { COMPLETIONS_MAX } else { CORRECTIONS_MAX };
            for expansion in expand(self.context, twin, &word.text, completed, self.typos, max, is_variant)? {
                let share = if completed { (chars as f32 / expansion.text.chars().count() as f32).min(1.0) } else { 1.0 };
                let variant = Variant {
                    weight: self.weight,
                    closeness: 0.5_f32.powi(expansion.distance as i32) * share,
                    distance: expansion.distance,
                    frequency: expansion.frequency,
                };
                group.variants.insert(Term::from_field_text(twin, &expansion.text), variant);
            }
        }
        Ok(())
    }
}

/// Compiles the excluded words and phrases of a text.
pub fn compile_excluded(schema: &IndexSchema, text: &ParsedText, fields: &[WeightedField]) -> Result<TextQuery> {
    let mut excluded = TextQuery::default();
    for weighted in fields {
        let (search_field, text_field) = text_field(schema, &weighted.name)?;
        // Analysis may split a word into several (`state-of-the-art`). They are excluded as a phrase.
        for typed in text.excluded_words.iter().chain(&text.excluded_phrases).take(WORDS_MAX) {
            add_phrase(&mut excluded, search_field, text_field.analyzer.words(typed), 1.0);
        }
    }
    Ok(excluded)
}

pub fn text_field<'a>(schema: &'a IndexSchema, name: &str) -> Result<(&'a SearchField, &'a TextField)> {
    let search_field = schema.field(name)?;
    match (&search_field.kind, &search_field.text) {
        (FieldKind::Text { .. }, Some(text)) => Ok((search_field, text)),
        _ => Err(Failure::unsupported(format!(
            "the embedded engine can match only text, and `{name}` is a {} field",
            search_field.kind.name()
        ))),
    }
}

fn add_term(query: &mut TextQuery, search_field: &SearchField, word: &Word, weight: f32) {
    *query.terms.entry(term(search_field, word)).or_default() += weight;
}

/// Adds a phrase. A stop word in it matches any word; a phrase that consists of stop words searches their twin field.
fn add_phrase(query: &mut TextQuery, search_field: &SearchField, mut words: Vec<Word>, weight: f32) {
    if words.iter().any(|word| !word.stop) {
        words.retain(|word| !word.stop);
    }
    match words.as_slice() {
        [] => {}
        [word] => add_term(query, search_field, word, weight),
        words => {
            let terms = words.iter().map(|word| (word.position, term(search_field, word))).collect();
            *query.phrases.entry(terms).or_default() += weight;
        }
    }
}

fn term(search_field: &SearchField, word: &Word) -> Term {
    let twin = search_field.text.as_ref().and_then(|text| text.stop_words).filter(|_| word.stop);
    Term::from_field_text(twin.unwrap_or(search_field.field), &word.text)
}
