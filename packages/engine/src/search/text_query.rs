//! Compiles a parsed text and its fields to the terms and phrases to search for.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

use serde::Deserialize;
use tantivy::Term;

use crate::analysis::Word;
use crate::failure::{Failure, Result};
use crate::plan::{Matching, ParsedText, TypoLengths, WeightedField};
use crate::schema::{IndexSchema, SearchField, TextField};
use crate::spec::FieldKind;
use crate::typos::{COST_OF_COMPLETION, allowed_typos};

use super::query_word::{QueryWord, WordSource};
use super::spellings::{Spellings, TypedWord};

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
const WORDS_MAX: usize = 1_000;

/// The most words of a text, of its synonyms and of its phrases, each in one field. Further ones are ignored.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TextLimits {
    pub words: usize,
    pub synonym_words: usize,
    pub phrase_words: usize,
    /// The most phrases that words may be split into.
    #[serde(default = "all_splits")]
    pub splits: usize,
    /// The most words that are completed or corrected. The unfinished word is completed anyway.
    pub expanded_words: usize,
}

impl TextLimits {
    /// Those of the embedded index.
    pub const EMBEDDED: TextLimits =
        TextLimits { words: usize::MAX, synonym_words: usize::MAX, phrase_words: usize::MAX, splits: usize::MAX, expanded_words: 32 };
}

fn all_splits() -> usize {
    usize::MAX
}

/// The words of a text in one field.
struct AnalyzedText<'a> {
    search_field: &'a SearchField,
    text_field: &'a TextField,
    weight: f32,
    /// Each word as typed with its analyzed words. The unfinished word comes last.
    words: Vec<(&'a str, Vec<Word>)>,
    has_unfinished: bool,
    splits_max: usize,
    /// The phrases with their analyzed words.
    phrases: Vec<(&'a str, Vec<Word>)>,
    /// The synonyms of the words, with the range of analyzed words that each may replace.
    synonyms: Vec<(Range<usize>, Vec<Word>)>,
    /// Whether all finished words are stop words, so that the unfinished one may be completed to a stop word.
    finished_are_stop_words: bool,
    /// Whether stop words are searched, because the text has no other words.
    searches_stop_words: bool,
}

impl<'a> AnalyzedText<'a> {
    fn new(schema: &'a IndexSchema, text: &'a ParsedText, weighted: &WeightedField, limits: TextLimits) -> Result<AnalyzedText<'a>> {
        let (search_field, text_field) = text_field(schema, &weighted.name)?;
        let typed = text.words.iter().take(WORDS_MAX).chain(&text.unfinished);
        let analyze = |typed: &'a String| (typed.as_str(), text_field.analyzer.words(typed));
        let mut words: Vec<(&str, Vec<Word>)> = typed.map(analyze).collect();
        let has_unfinished = text.unfinished.is_some();
        limit_words(&mut words, limits.words, has_unfinished);
        let mut phrases: Vec<(&str, Vec<Word>)> = text.phrases.iter().take(WORDS_MAX).map(analyze).collect();
        limit_phrases(&mut phrases, limits.phrase_words);
        let mut synonyms = find_synonyms(text_field, &words);
        limit_phrases(&mut synonyms, limits.synonym_words);
        let finished = &words[..words.len() - usize::from(has_unfinished)];
        let finished_are_stop_words = text.phrases.is_empty() && finished.iter().flat_map(|(_, words)| words).all(|word| word.stop);
        let searches_stop_words = finished_are_stop_words && words.iter().flat_map(|(_, words)| words).all(|word| word.stop);
        let weight = weighted.weight;
        Ok(AnalyzedText {
            search_field,
            text_field,
            weight,
            words,
            has_unfinished,
            splits_max: limits.splits,
            phrases,
            synonyms,
            finished_are_stop_words,
            searches_stop_words,
        })
    }

    fn spellings(&self) -> Spellings<'_> {
        Spellings { search_field: self.search_field, text_field: self.text_field, weight: self.weight, splits_max: self.splits_max }
    }

    /// All words as typed. They count the analyzed words that are searched.
    fn typed_words(&self) -> Vec<TypedWord> {
        let mut index = 0;
        let mut typed_words = Vec::new();
        for (typed, words) in &self.words {
            for as_typed in self.text_field.analyzer.typed(typed) {
                let place = words.iter().position(|word| word.position == as_typed.position);
                let searched = place.filter(|place| !words[*place].stop).map(|place| index + place);
                typed_words.push(TypedWord { text: as_typed.text, searched });
            }
            index += words.len();
        }
        typed_words
    }

    fn is_searched(&self, word: &Word) -> bool {
        !word.stop || self.searches_stop_words
    }

    /// Whether the last, unfinished word is a stop word or may become one, and the text has other words.
    fn is_optional(&self, last: &Word) -> bool {
        let unfinished = self.words.len() - 1;
        let is_other = |index: usize, word: &Word| !word.stop && (index < unfinished || word.position != last.position);
        let has_others = self.words.iter().enumerate().any(|(index, (_, words))| words.iter().any(|word| is_other(index, word)));
        (has_others || !self.phrases.is_empty()) && self.text_field.analyzer.begins_stop_word(&last.text)
    }
}

/// Compiles a text whose documents contain any of its words, and score by all of them.
pub fn compile(schema: &IndexSchema, text: &ParsedText, fields: &[WeightedField], limits: TextLimits) -> Result<TextQuery> {
    let mut query = TextQuery::default();
    for weighted in fields {
        let analyzed = AnalyzedText::new(schema, text, weighted, limits)?;
        let searched = analyzed.words.iter().flat_map(|(_, words)| words).filter(|word| analyzed.is_searched(word));
        searched.for_each(|word| query.add_term(analyzed.search_field, word, weighted.weight));
        for (typed, words) in &analyzed.words {
            for word in words {
                let part = typed.get(word.start..word.end).unwrap_or(typed);
                query.add_plain(analyzed.search_field, analyzed.text_field, part, word, weighted.weight);
            }
        }
        analyzed.spellings().find(&analyzed.typed_words(), |_, spelling| query.add_spelling(spelling));
        let synonyms = analyzed.synonyms.into_iter().map(|(_, words)| words);
        for words in synonyms.chain(analyzed.phrases.into_iter().map(|(_, words)| words)) {
            query.add_phrase(analyzed.search_field, words, weighted.weight);
        }
    }
    Ok(query)
}

/// Compiles a text word by word, for plans that count which of the words a document has. Each phrase counts as one word.
pub fn compile_words(
    schema: &IndexSchema,
    text: &ParsedText,
    fields: &[WeightedField],
    typos: Option<TypoLengths>,
    matching: Matching,
    limits: TextLimits,
) -> Result<Vec<QueryWord>> {
    let mut words = QueryWords { needs_all: matching != Matching::Any, ..QueryWords::default() };
    for weighted in fields {
        let analyzed = AnalyzedText::new(schema, text, weighted, limits)?;
        words.add(&analyzed, typos, limits.expanded_words);
        for (phrase, phrase_words) in analyzed.phrases {
            words.word(&format!("\"{phrase}\""), phrase).query.add_phrase(analyzed.search_field, phrase_words, weighted.weight);
        }
    }
    for word in &mut words.words {
        word.is_optional &= !word.is_finished;
    }
    Ok(words.words)
}

/// Collects the words of a text from all fields.
#[derive(Default)]
struct QueryWords {
    words: Vec<QueryWord>,
    by_key: HashMap<String, usize>,
    /// Whether a document needs all words.
    needs_all: bool,
}

impl QueryWords {
    fn word(&mut self, key: &str, typed: &str) -> &mut QueryWord {
        let index = *self.by_key.entry(key.to_owned()).or_insert_with(|| {
            self.words.push(QueryWord { typed: typed.to_owned(), ..QueryWord::default() });
            self.words.len() - 1
        });
        &mut self.words[index]
    }

    fn add(&mut self, analyzed: &AnalyzedText, typos: Option<TypoLengths>, expanded_max: usize) {
        // The key of the query word for each analyzed word, if it is searched.
        let mut keys: Vec<Option<(String, &str)>> = Vec::new();
        for (index, (typed, words)) in analyzed.words.iter().enumerate() {
            let is_unfinished = analyzed.has_unfinished && index + 1 == analyzed.words.len();
            let as_typed = analyzed.text_field.analyzer.typed(typed);
            let last = as_typed.last().filter(|word| is_unfinished && word.end == typed.len());
            let last_position = last.map(|word| word.position);
            let is_optional = self.needs_all && last.is_some_and(|last| analyzed.is_optional(last));
            let part = |word: &Word| if words.len() > 1 { typed.get(word.start..word.end).unwrap_or(typed) } else { typed };
            keys.extend(words.iter().map(|word| {
                let key = as_typed.iter().find(|other| other.position == word.position).map(|other| other.text.clone());
                analyzed.is_searched(word).then(|| (key.unwrap_or_else(|| word.text.clone()), part(word)))
            }));
            for word in words {
                let may_lack = is_optional && Some(word.position) == last_position;
                if !analyzed.is_searched(word) && !may_lack {
                    continue;
                }
                let key = as_typed.iter().find(|other| other.position == word.position).map_or(&word.text, |other| &other.text);
                let query_word = self.word(key, part(word));
                query_word.query.add_term(analyzed.search_field, word, analyzed.weight);
                query_word.query.add_plain(analyzed.search_field, analyzed.text_field, part(word), word, analyzed.weight);
                query_word.is_optional |= may_lack;
                query_word.is_finished |= Some(word.position) != last_position;
            }
            for word in &as_typed {
                let completed = Some(word.position) == last_position;
                // A limit may have cut off the word.
                let Some(indexed) = words.iter().find(|other| other.position == word.position) else { continue };
                let may_have_typos = !indexed.stop && typos.is_some_and(|lengths| allowed_typos(&word.text, lengths) > 0);
                if !completed && !may_have_typos {
                    continue;
                }
                self.add_source(
                    analyzed,
                    (part(word), word),
                    expanded_max,
                    WordSource {
                        field: analyzed.search_field.field,
                        text_field: analyzed.text_field.clone(),
                        weight: analyzed.weight,
                        completed,
                        typos,
                        stem: (!indexed.stop).then(|| indexed.text.clone()),
                        completes_stop_words: analyzed.finished_are_stop_words || completed && is_optional,
                    },
                );
            }
        }
        analyzed.spellings().find(&analyzed.typed_words(), |index, spelling| {
            if let Some((key, typed)) = keys.get(index).cloned().flatten() {
                self.word(&key, typed).add_alternative(COST_OF_COMPLETION, spelling);
            }
        });
        self.add_close_synonyms(analyzed);
        for (range, synonym) in &analyzed.synonyms {
            // A synonym of several words stands for each of them.
            let replaced: Vec<(String, &str)> = keys[range.clone()].iter().flatten().cloned().collect();
            for (key, typed) in &replaced {
                let weight = analyzed.weight / replaced.len() as f32;
                self.word(key, typed).query.add_phrase(analyzed.search_field, synonym.clone(), weight);
            }
        }
    }

    /// Adds the synonyms of the words that a mistyped or unfinished word may be.
    fn add_close_synonyms(&mut self, analyzed: &AnalyzedText) {
        if analyzed.text_field.synonyms.is_empty() {
            return;
        }
        for word in &mut self.words {
            let source = word.sources.iter().find(|source| source.field == analyzed.search_field.field);
            let Some((typos, completed)) = source.map(|source| (source.typos_max(&word.text), source.completed)) else { continue };
            for (cost, synonym) in analyzed.text_field.synonyms.find_close(&word.text, typos, completed) {
                let mut query = TextQuery::default();
                query.add_phrase(analyzed.search_field, synonym.clone(), analyzed.weight);
                word.add_alternative(cost, &query);
            }
        }
    }

    fn add_source(&mut self, analyzed: &AnalyzedText, (typed, word): (&str, &Word), expanded_max: usize, source: WordSource) {
        let expanded = self.words.iter().filter(|word| !word.sources.is_empty()).count();
        let is_expanded = self.by_key.get(&word.text).is_some_and(|index| !self.words[*index].sources.is_empty());
        if source.typed_field().is_none() || expanded >= expanded_max && !is_expanded && !source.completed {
            return;
        }
        let query_word = self.word(&word.text, typed);
        query_word.text.clone_from(&word.text);
        let is_new =
            query_word.sources.iter().all(|other| other.field != analyzed.search_field.field || other.completed != source.completed);
        if is_new {
            query_word.sources.push(source);
        }
    }
}

fn find_synonyms(text_field: &TextField, words: &[(&str, Vec<Word>)]) -> Vec<(Range<usize>, Vec<Word>)> {
    if text_field.synonyms.is_empty() {
        return Vec::new();
    }
    let query: Vec<(&str, &[Word])> = words.iter().map(|(typed, words)| (*typed, words.as_slice())).collect();
    text_field.synonyms.find(&query).into_iter().map(|(range, words)| (range, words.clone())).collect()
}

/// Cuts off the words after the first `max`. The unfinished word comes last, but is cut off last too.
fn limit_words(words: &mut [(&str, Vec<Word>)], max: usize, has_unfinished: bool) {
    let mut rest = max;
    let (finished, unfinished) = words.split_at_mut(words.len() - usize::from(has_unfinished));
    for (_, words) in unfinished.iter_mut().chain(finished) {
        words.truncate(rest);
        rest -= words.len();
    }
}

/// Keeps the first phrases that have at most `max` words together.
fn limit_phrases<K>(phrases: &mut Vec<(K, Vec<Word>)>, max: usize) {
    let mut sum = 0;
    phrases.retain(|(_, words)| {
        sum += words.len();
        sum <= max
    });
}

/// Compiles the excluded words and phrases of a text.
pub fn compile_excluded(schema: &IndexSchema, text: &ParsedText, fields: &[WeightedField]) -> Result<TextQuery> {
    let mut excluded = TextQuery::default();
    for weighted in fields {
        let (search_field, text_field) = text_field(schema, &weighted.name)?;
        // Analysis may split a word into several (`state-of-the-art`). They are excluded as a phrase.
        for typed in text.excluded_words.iter().chain(&text.excluded_phrases).take(WORDS_MAX) {
            excluded.add_phrase(search_field, text_field.analyzer.words(typed), 1.0);
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
    fn add_plain(&mut self, search_field: &SearchField, text_field: &TextField, typed: &str, word: &Word, weight: f32) {
        let Some(plain) = text_field.analyzer.plain_stem(typed).filter(|_| !word.stop) else { return };
        self.terms.entry(Term::from_field_text(text_field.forms, &plain)).or_insert(weight);
        if plain != word.text {
            self.terms.entry(Term::from_field_text(search_field.field, &plain)).or_insert(weight);
        }
    }

    fn add_term(&mut self, search_field: &SearchField, word: &Word, weight: f32) {
        *self.terms.entry(term(search_field, word)).or_default() += weight;
    }

    /// Adds a phrase. A stop word in it matches any word; a phrase that consists of stop words searches their twin field.
    fn add_phrase(&mut self, search_field: &SearchField, mut words: Vec<Word>, weight: f32) {
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
