//! Finds the words and phrases that a search marks in the texts of its hits.

use std::collections::BTreeMap;

use tantivy::Term;
use tantivy::schema::Field;

use crate::entity::Entity;
use crate::plan::HighlightRequest;
use crate::schema::IndexSchema;
use crate::search::matching::conditions::Conditions;
use crate::search::text::query_word::QueryWord;
use crate::search::text::text_query::TextQuery;
use crate::search_field::TextField;
use crate::snippets::{MarkedPhrase, MarkedVariants, MarkedWord, SnippetLimits, cut_snippets};

/// Snippets by field, for the fields with matches.
pub type Snippets = BTreeMap<String, Vec<String>>;

pub struct Highlighter<'a> {
    schema: &'a IndexSchema,
    fields: Vec<(&'a str, FieldHighlighter<'a>)>,
    limits: SnippetLimits,
}

/// The words and phrases to mark in one field.
struct FieldHighlighter<'a> {
    text_field: &'a TextField,
    words: Vec<MarkedWord>,
}

impl<'a> Highlighter<'a> {
    /// Ignores fields that are not text fields of this generation.
    pub fn new(schema: &'a IndexSchema, conditions: &Conditions, request: &'a HighlightRequest) -> Highlighter<'a> {
        let fields = request.fields.iter().filter_map(|name| {
            let search_field = schema.field(name).ok()?;
            let text_field = search_field.text.as_ref()?;
            Some((name.as_str(), FieldHighlighter::new(search_field.field, text_field, conditions)))
        });
        let limits = SnippetLimits { snippets: request.snippets, chars: request.chars };
        Highlighter { schema, fields: fields.collect(), limits }
    }

    pub fn highlights(&self, entity: &Entity) -> Snippets {
        let attributes = self.schema.texts(entity);
        let mut highlights = BTreeMap::new();
        for (name, FieldHighlighter { text_field, words }) in &self.fields {
            let texts = attributes.iter().filter(|(attribute, _)| attribute == name).flat_map(|(_, texts)| texts);
            let snippets = cut_snippets(&text_field.analyzer, words, texts, self.limits);
            if !snippets.is_empty() {
                highlights.insert((*name).to_owned(), snippets);
            }
        }
        highlights
    }
}

impl<'a> FieldHighlighter<'a> {
    fn new(field: Field, text_field: &'a TextField, conditions: &Conditions) -> FieldHighlighter<'a> {
        let plain = conditions.text_queries.iter().map(|query| marked_word(field, text_field, query, None));
        let counted = conditions.counted_words().flat_map(|counted| &counted.words).map(|counted| &counted.word);
        let words = plain.chain(counted.map(|word| marked_word(field, text_field, &word.query, Some(word)))).collect();
        FieldHighlighter { text_field, words }
    }
}

/// `variants` is the word that the query is for, if words are counted.
fn marked_word(field: Field, text_field: &TextField, query: &TextQuery, variants: Option<&QueryWord>) -> MarkedWord {
    let text = |term: &Term| term.value().as_str().unwrap_or_default().to_owned();
    let in_field = |field: Option<Field>| query.terms.keys().filter(move |term| Some(term.field()) == field).map(text);
    let alternatives = variants.into_iter().flat_map(|word| &word.alternatives);
    let queries: Vec<&TextQuery> = std::iter::once(query).chain(alternatives.map(|(_, query)| query)).collect();
    let in_all = |field: Field| {
        let terms = queries.iter().flat_map(|query| query.terms.keys()).filter(|term| term.field() == field);
        terms.map(text).collect()
    };
    let all_phrases = queries.iter().flat_map(|query| query.phrases.keys().chain(query.splits.keys()));
    let phrases = all_phrases.filter_map(|phrase| {
        let (start, first) = phrase.first()?;
        let is_stop = |term: &Term| Some(term.field()) == text_field.stop_words;
        let is_in_field = is_stop(first) || first.field() == field;
        let words = || phrase.iter().map(|(position, term)| (position - start, text(term), is_stop(term))).collect();
        is_in_field.then(|| MarkedPhrase { words: words() })
    });
    let variants_in = |field: Option<Field>| {
        let all = variants.into_iter().flat_map(|word| &word.variants);
        all.filter(move |(term, _)| Some(term.field()) == field).map(|(term, variant)| (text(term), variant.cost))
    };
    let beginnings = variants.into_iter().flat_map(|word| &word.form_beginnings).filter(|beginning| beginning.field == text_field.forms);
    MarkedWord {
        is_single: variants.is_some(),
        words: in_all(field),
        forms: in_all(text_field.forms),
        form_beginnings: beginnings.map(|beginning| beginning.text.clone()).collect(),
        stop_words: in_field(text_field.stop_words).collect(),
        phrases: phrases.collect(),
        variants: MarkedVariants {
            typed: variants_in(text_field.typed).collect(),
            stop_words: variants_in(text_field.stop_words).collect(),
            beginnings: variants_in(text_field.beginnings).collect(),
            indexed: variants_in(Some(field)).collect(),
            forms: variants_in(Some(text_field.forms)).collect(),
        },
        variant_rules: Vec::new(),
    }
}
