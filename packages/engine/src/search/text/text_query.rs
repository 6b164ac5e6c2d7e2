//! Terms and phrases to search for.

use std::collections::BTreeMap;

use tantivy::Term;

use crate::analysis::Word;
use crate::search_field::{SearchField, TextField};
use crate::written_forms::SYMBOL;

/// Terms and phrases with the weights of their scores. They are sorted by field and word, so that sums of scores do not depend on the order
/// of the words in the query.
#[derive(Default, Clone)]
pub struct TextQuery {
    pub terms: BTreeMap<Term, f32>,
    pub phrases: BTreeMap<Vec<(usize, Term)>, f32>,
    /// Phrases of the parts of words, of which a document has few.
    pub splits: BTreeMap<Vec<(usize, Term)>, f32>,
    /// The parts of the weights of terms that are several words written as one. Only without an index, which would show how rare these are.
    pub joined: BTreeMap<Term, Vec<JoinedWeight>>,
}

/// A weight that becomes less if the words written as one are rarer than the words themselves.
#[derive(Clone)]
pub struct JoinedWeight {
    pub weight: f32,
    /// The words as typed. Stop words are in their twin field.
    pub parts: Vec<Term>,
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

    /// Adds other spellings of a word, by people whose keyboard lacks letters of the language, and other stems of the same word.
    pub fn add_respelled(&mut self, search_field: &SearchField, text_field: &TextField, typed: &str, stem: &str, weight: f32) {
        for (word, _) in text_field.analyzer.respelled(typed) {
            self.terms.entry(term(search_field, &word)).or_insert(weight);
        }
        for (stem, _) in text_field.analyzer.grades(stem) {
            self.terms.entry(Term::from_field_text(search_field.field, &stem)).or_insert(weight);
        }
    }

    /// Adds the weights of another query.
    pub fn add(&mut self, other: &TextQuery) {
        other.terms.iter().for_each(|(term, weight)| *self.terms.entry(term.clone()).or_default() += weight);
        other.phrases.iter().for_each(|(phrase, weight)| *self.phrases.entry(phrase.clone()).or_default() += weight);
    }

    pub fn add_term(&mut self, search_field: &SearchField, word: &Word, weight: f32) {
        *self.terms.entry(term(search_field, word)).or_default() += weight;
    }

    /// Adds a phrase. A stop word in it matches any word; a phrase that consists of stop words searches their twin field.
    pub fn add_phrase(&mut self, search_field: &SearchField, mut words: Vec<Word>, weight: f32) {
        if words.iter().any(|word| !word.stop) {
            words.retain(|word| !word.stop);
        }
        self.add_quoted(search_field, words, weight);
    }

    /// Adds a phrase of which each word counts, also its stop words.
    pub fn add_quoted(&mut self, search_field: &SearchField, words: Vec<Word>, weight: f32) {
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

/// The form of a word with the symbols that belong to it.
pub fn symbol_term(text_field: &TextField, symbols: &str) -> Term {
    Term::from_field_text(text_field.forms, &format!("{SYMBOL}{symbols}"))
}
