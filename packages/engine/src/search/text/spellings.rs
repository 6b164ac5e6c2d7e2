//! Other spellings of the words of a query: joined, apart, and without accents.

use tantivy::Term;

use crate::analysis::{Analyzer, Word};
use crate::forms::JOINED;
use crate::search_field::{SearchField, TextField};

use super::text_query::TextQuery;

/// Longer texts describe what they look for. Their words are not joined or split.
const JOINED_WORDS_MAX: usize = 8;
const SPLIT_WORDS_MAX: usize = 4;
/// The most words that are written as one.
const PARTS_MAX: usize = 3;
const JOINED_CHARS_MAX: usize = 40;
const SPLIT_CHARS: std::ops::RangeInclusive<usize> = 4..=20;
/// The least letters of a part of a short word and of a long one, unless digits follow letters or letters digits.
const PART_CHARS_MIN: usize = 2;
const LONG_PART_CHARS_MIN: usize = 3;
const SHORT_WORD_CHARS_MAX: usize = 5;

/// A word of a query as typed, and its position among the words that are searched.
pub struct TypedWord {
    pub text: String,
    pub searched: Option<usize>,
}

/// The spellings of a text in one field.
pub struct Spellings<'a> {
    pub search_field: &'a SearchField,
    pub text_field: &'a TextField,
    pub weight: f32,
    /// The most phrases that words may be split into.
    pub splits_max: usize,
}

impl Spellings<'_> {
    /// Calls `add` with each searched word and other spellings of it.
    pub fn find(&self, words: &[TypedWord], mut add: impl FnMut(usize, &TextQuery)) {
        if words.len() > JOINED_WORDS_MAX || words.windows(2).any(|pair| pair[0].text == pair[1].text) {
            return;
        }
        let mut splits = 0;
        for start in 0..words.len() {
            for count in 1..=PARTS_MAX.min(words.len() - start) {
                let parts = &words[start..start + count];
                let joined: String = parts.iter().map(|word| word.text.as_str()).collect();
                if joined.chars().count() > JOINED_CHARS_MAX {
                    break;
                }
                let mut query = TextQuery::default();
                let form = Term::from_field_text(self.text_field.forms, &format!("{JOINED}{joined}"));
                query.terms.insert(form, self.weight);
                if count > 1 {
                    self.add_word(&mut query, &joined);
                } else if words.len() <= SPLIT_WORDS_MAX {
                    self.add_splits(&mut query, &joined);
                    splits += query.phrases.len();
                    if splits > self.splits_max {
                        query.phrases.clear();
                    }
                }
                parts.iter().filter_map(|word| word.searched).for_each(|searched| add(searched, &query));
            }
        }
    }

    fn add_word(&self, query: &mut TextQuery, text: &str) {
        if let Some(word) = single_word(&self.text_field.analyzer, text) {
            query.terms.insert(Term::from_field_text(self.search_field.field, &word.text), self.weight);
        }
    }

    /// Adds the phrases of two words of which the word may consist.
    fn add_splits(&self, query: &mut TextQuery, text: &str) {
        let characters: Vec<char> = text.chars().collect();
        let has_digits = characters.iter().any(|character| character.is_numeric());
        if characters.len() > *SPLIT_CHARS.end() || !has_digits && characters.len() < *SPLIT_CHARS.start() {
            return;
        }
        for (count, (index, _)) in text.char_indices().enumerate().skip(1) {
            let is_boundary = characters[count - 1].is_numeric() != characters[count].is_numeric();
            let part_chars_min = if characters.len() <= SHORT_WORD_CHARS_MAX { PART_CHARS_MIN } else { LONG_PART_CHARS_MIN };
            let is_long = count >= part_chars_min && characters.len() - count >= part_chars_min;
            if !is_boundary && (has_digits || !is_long) {
                continue;
            }
            let (first, second) = text.split_at(index);
            let analyzer = &self.text_field.analyzer;
            if let (Some(first), Some(second)) = (single_word(analyzer, first), single_word(analyzer, second)) {
                let term = |word: Word| Term::from_field_text(self.search_field.field, &word.text);
                query.phrases.insert(vec![(0, term(first)), (1, term(second))], self.weight);
            }
        }
    }
}

/// The word of a text that is a single one and no stop word.
fn single_word(analyzer: &Analyzer, text: &str) -> Option<Word> {
    let mut words = analyzer.words(text);
    let word = words.pop().filter(|word| !word.stop)?;
    (words.is_empty() && word.start == 0 && word.end == text.len()).then_some(word)
}

/// The share of the score of a word that other spellings of it have, in queries whose words are not counted.
const SPELLING_SHARE: f32 = 0.5;

impl TextQuery {
    /// Keeps the higher weight of each term and phrase.
    pub fn merge(&mut self, other: &TextQuery) {
        let raise = |known: &mut f32, weight: f32| *known = known.max(weight);
        other.terms.iter().for_each(|(term, weight)| raise(self.terms.entry(term.clone()).or_default(), *weight));
        other.phrases.iter().for_each(|(phrase, weight)| raise(self.phrases.entry(phrase.clone()).or_default(), *weight));
        other.splits.iter().for_each(|(phrase, weight)| raise(self.splits.entry(phrase.clone()).or_default(), *weight));
    }

    /// Returns the phrases alone, of which a document has few.
    pub fn as_splits(&self) -> TextQuery {
        TextQuery { splits: self.phrases.clone(), ..TextQuery::default() }
    }

    /// Adds another spelling of a word. Spellings that the query has already stay as they are.
    pub fn add_spelling(&mut self, spelling: &TextQuery) {
        for (term, weight) in &spelling.terms {
            self.terms.entry(term.clone()).or_insert(weight * SPELLING_SHARE);
        }
        for (phrase, weight) in &spelling.phrases {
            if !self.phrases.contains_key(phrase) {
                self.splits.entry(phrase.clone()).or_insert(weight * SPELLING_SHARE);
            }
        }
    }
}
