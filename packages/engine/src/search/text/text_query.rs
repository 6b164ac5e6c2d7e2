//! Compiles a parsed text and its fields to the terms and phrases to search for.

use std::collections::BTreeMap;

use tantivy::Term;

use crate::analysis::Word;
use crate::failure::{Failure, Result};
use crate::plan::{ParsedText, WeightedField};
use crate::schema::{IndexSchema, SearchField, TextField};
use crate::search::index::context::SearchContext;
use crate::search::terms::term_weight::COMPLETION_FACTOR;
use crate::spec::FieldKind;
use crate::written_forms::SYMBOL;

use super::analyzed_text::AnalyzedText;
use super::compounds::CompoundSource;
use super::text_limits::TextLimits;

/// Terms and phrases with the weights of their scores. They are sorted by field and word, so that sums of scores do not depend on the order
/// of the words in the query.
#[derive(Default, Clone)]
pub struct TextQuery {
    pub terms: BTreeMap<Term, f32>,
    pub phrases: BTreeMap<Vec<(usize, Term)>, f32>,
    /// Phrases of the parts of words, of which a document has few.
    pub splits: BTreeMap<Vec<(usize, Term)>, f32>,
}

/// The most words of a text. Further ones are ignored; a text in a URL has at most 16 KiB anyway.
pub const WORDS_MAX: usize = 1_000;

/// Longer texts describe what they look for. Their further words find no compounds.
const COMPOUND_WORDS_MAX: usize = 8;

/// Compiles a text whose documents contain any of its words, and score by all of them.
pub fn compile(schema: &IndexSchema, text: &ParsedText, fields: &[WeightedField], limits: TextLimits) -> Result<TextQuery> {
    let mut query = TextQuery::default();
    for weighted in fields {
        let analyzed = AnalyzedText::new(schema, text, weighted, limits)?;
        let AnalyzedText { search_field, text_field, .. } = analyzed;
        for token in &analyzed.tokens {
            for word in &token.words {
                if let Some(symbols) = token.symbols(word).filter(|_| !token.is_ignored) {
                    query.terms.insert(symbol_term(text_field, symbols), weighted.weight);
                }
                if analyzed.is_searched(token, word) {
                    query.add_term(search_field, word, weighted.weight);
                }
                query.add_plain(search_field, text_field, token.part(word), word, weighted.weight);
            }
        }
        analyzed.spellings().find(&analyzed.typed_words(), |_, spelling| query.add_spelling(spelling));
        for code in analyzed.codes() {
            query.terms.insert(Term::from_field_text(text_field.forms, &code.text), weighted.weight);
        }
        let synonyms = analyzed.synonyms.into_iter().map(|(_, words)| words);
        for words in synonyms.chain(analyzed.phrases.into_iter().map(|(_, words)| words)) {
            query.add_phrase(search_field, words, weighted.weight);
        }
    }
    Ok(query)
}

/// Returns where the compounds of the words come from.
pub fn compound_sources(schema: &IndexSchema, text: &ParsedText, fields: &[WeightedField]) -> Result<Vec<CompoundSource>> {
    let mut sources = Vec::new();
    for weighted in fields {
        if text_field(schema, &weighted.name)?.1.analyzer.has_compounds() {
            let analyzed = AnalyzedText::new(schema, text, weighted, TextLimits::EMBEDDED)?;
            let words = analyzed.tokens.iter().flat_map(|token| token.words.iter().filter(|word| analyzed.is_searched(token, word)));
            sources.extend(words.take(COMPOUND_WORDS_MAX).filter_map(|word| analyzed.compound_source(word)));
        }
    }
    Ok(sources)
}

/// The form of a word with the symbols that belong to it.
pub fn symbol_term(text_field: &TextField, symbols: &str) -> Term {
    Term::from_field_text(text_field.forms, &format!("{SYMBOL}{symbols}"))
}

/// Compiles the excluded words and phrases of a text.
pub fn compile_excluded(schema: &IndexSchema, text: &ParsedText, fields: &[WeightedField]) -> Result<TextQuery> {
    let mut excluded = TextQuery::default();
    for weighted in fields {
        let (search_field, text_field) = text_field(schema, &weighted.name)?;
        // Analysis may split a word into several (`state-of-the-art`). They are excluded as a phrase.
        for typed in text.excluded_words.iter().chain(&text.excluded_phrases).take(WORDS_MAX) {
            match text_field.analyzer.typed_with_symbols(typed).as_slice() {
                [word] if word.text.len() > word.end - word.start => {
                    excluded.terms.insert(symbol_term(text_field, &word.text), 1.0);
                }
                _ => excluded.add_phrase(search_field, text_field.analyzer.words(typed), 1.0),
            }
        }
    }
    Ok(excluded)
}

pub fn text_field<'a>(schema: &'a IndexSchema, name: &str) -> Result<(&'a SearchField, &'a TextField)> {
    let search_field = schema.field(name)?;
    match (&search_field.kind, &search_field.text) {
        (FieldKind::Text { .. }, Some(text)) => Ok((search_field, text)),
        _ => Err(Failure::unsupported(format!("the engine can match only text, and `{name}` is a {} field", search_field.kind.name()))),
    }
}

impl TextQuery {
    /// Adds the forms of a word that differ from it by accents only.
    pub fn add_plain(&mut self, search_field: &SearchField, text_field: &TextField, typed: &str, word: &Word, weight: f32) {
        let Some(plain) = text_field.analyzer.plain_stem(typed).filter(|_| !word.stop) else { return };
        self.terms.entry(Term::from_field_text(text_field.forms, &plain)).or_insert(weight);
        if plain != word.text {
            self.terms.entry(Term::from_field_text(search_field.field, &plain)).or_insert(weight);
        }
    }

    /// Adds the compounds of a word. Terms that the query has already stay as they are.
    pub fn add_compounds(&mut self, context: &SearchContext, source: &CompoundSource) -> Result<()> {
        for (term, _) in source.find(context)? {
            self.terms.entry(term).or_insert(source.weight * COMPLETION_FACTOR);
        }
        Ok(())
    }

    pub fn add_term(&mut self, search_field: &SearchField, word: &Word, weight: f32) {
        *self.terms.entry(term(search_field, word)).or_default() += weight;
    }

    /// Adds a phrase. A stop word in it matches any word; a phrase that consists of stop words searches their twin field.
    pub fn add_phrase(&mut self, search_field: &SearchField, mut words: Vec<Word>, weight: f32) {
        if words.iter().any(|word| !word.stop) {
            words.retain(|word| !word.stop);
        }
        match words.as_slice() {
            [] => {}
            [word] => self.add_term(search_field, word, weight),
            words => {
                let terms = words.iter().map(|word| (word.position, term(search_field, word))).collect();
                *self.phrases.entry(terms).or_default() += weight;
            }
        }
    }
}

fn term(search_field: &SearchField, word: &Word) -> Term {
    let twin = search_field.text.as_ref().and_then(|text| text.stop_words).filter(|_| word.stop);
    Term::from_field_text(twin.unwrap_or(search_field.field), &word.text)
}
