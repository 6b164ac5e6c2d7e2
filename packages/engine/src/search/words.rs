//! A parsed text over fields → the terms and phrases that are looked for in the index.

use std::collections::{BTreeMap, BTreeSet};

use tantivy::Term;
use tantivy::schema::Field;

use crate::analysis::Word;
use crate::failure::{Failure, Result};
use crate::plan::{ParsedText, WeightedField};
use crate::schema::{IndexSchema, SearchField, TextField};
use crate::spec::FieldKind;

use super::Ground;
use super::expansion::expansions;

/// Words and phrases of one field's index with what their score is multiplied by. In order of field and word: sums of scores are then
/// the same however the query was written.
#[derive(Default)]
pub struct Wanted {
    pub terms: BTreeMap<Term, f32>,
    pub phrases: BTreeMap<Vec<(usize, Term)>, f32>,
    /// What else may stand for a word as typed; completed or not.
    pub groups: BTreeMap<(String, bool), Group>,
}

/// Completions and corrections of one word as typed. Only the one that scores best counts in a document.
#[derive(Default)]
pub struct Group {
    /// The word itself in each field, with the field's weight.
    pub exact: BTreeMap<Term, f32>,
    pub members: BTreeMap<Term, Member>,
    /// Fields whose words have been looked through.
    seen: BTreeSet<Field>,
}

pub struct Member {
    /// Weight of the field.
    pub weight: f32,
    /// 1/2 for each wrong letter; of a completion, times the share of its letters that were typed. Below 1.
    pub closeness: f32,
    pub distance: usize,
    /// Documents that have the word.
    pub frequency: u64,
}

/// A text is at most 16 KiB of URL; what goes beyond this many words is ignored.
const WORDS_MAX: usize = 1_000;

/// So many words of a text are completed or corrected; further ones are only taken as they are.
const GROUPS_MAX: usize = 32;

/// So many words of a field stand for a typed one: the closest, then the commonest.
const CORRECTIONS_MAX: usize = 50;
const COMPLETIONS_MAX: usize = 500;

pub fn wanted(ground: &Ground, text: &ParsedText, fields: &[WeightedField], typos: bool) -> Result<Wanted> {
    let mut wanted = Wanted::default();
    for weighted in fields {
        let (search_field, text_field) = text_field(ground.schema, &weighted.name)?;
        let typed: Vec<&str> = text.words.iter().take(WORDS_MAX).map(String::as_str).collect();
        let words: Vec<Vec<Word>> = typed.iter().map(|word| text_field.analyser.words(word)).collect();
        let unfinished = text.unfinished.as_deref().map(|word| (word, text_field.analyser.words(word)));
        let so_far_only_stop_words = text.phrases.is_empty() && words.iter().flatten().all(|word| word.stop);
        let only_stop_words = so_far_only_stop_words && unfinished.iter().flat_map(|(_, words)| words).all(|word| word.stop);
        let add_words = |wanted: &mut Wanted, words: &[Word]| {
            let kept = words.iter().filter(|word| only_stop_words || !word.stop);
            kept.for_each(|word| add_term(wanted, search_field, word, weighted.weight));
        };
        let query: Vec<(&str, &[Word])> = typed
            .iter()
            .copied()
            .zip(words.iter().map(Vec::as_slice))
            .chain(unfinished.iter().map(|(typed, words)| (*typed, words.as_slice())))
            .collect();
        query.iter().for_each(|(_, words)| add_words(&mut wanted, words));
        if !text_field.synonyms.is_empty() {
            for synonym in text_field.synonyms.find(&query) {
                add_phrase(&mut wanted, search_field, synonym.clone(), weighted.weight);
            }
        }
        for phrase in text.phrases.iter().take(WORDS_MAX) {
            add_phrase(&mut wanted, search_field, text_field.analyser.words(phrase), weighted.weight);
        }
        let expander = Expander { ground, search_field, text_field, weight: weighted.weight, typos, stop_words: so_far_only_stop_words };
        if let Some((typed, words)) = &unfinished {
            expander.add(&mut wanted, typed, words, true)?;
        }
        if typos {
            typed.iter().zip(&words).try_for_each(|(typed, words)| expander.add(&mut wanted, typed, words, false))?;
        }
    }
    Ok(wanted)
}

/// Adds to each word what may stand for it in one field.
struct Expander<'a> {
    ground: &'a Ground<'a>,
    search_field: &'a SearchField,
    text_field: &'a TextField,
    weight: f32,
    typos: bool,
    /// Stop words too may be completions: there is nothing else to look for.
    stop_words: bool,
}

impl Expander<'_> {
    /// `words` are those of `typed`, which may be several to the index: the last one is completed, if it is not finished.
    fn add(&self, wanted: &mut Wanted, typed: &str, words: &[Word], unfinished: bool) -> Result<()> {
        let Some(twin) = self.text_field.typed else { return Ok(()) };
        let of_twin = self.text_field.analyser.typed(typed);
        let last = of_twin.last().filter(|word| unfinished && word.end == typed.len()).map(|word| word.position);
        for word in &of_twin {
            let completed = Some(word.position) == last;
            let exact = words.iter().find(|exact| exact.position == word.position);
            let is_stop_word = exact.is_some_and(|exact| exact.stop);
            if !completed && (is_stop_word || !self.typos) {
                continue;
            }
            let key = (word.text.clone(), completed);
            if wanted.groups.len() >= GROUPS_MAX && !wanted.groups.contains_key(&key) {
                continue;
            }
            self.ground.clock.check()?;
            let group = wanted.groups.entry(key).or_default();
            if !group.seen.insert(twin) {
                continue;
            }
            if let Some(exact) = exact.filter(|exact| !exact.stop) {
                group.exact.insert(term(self.search_field, exact), self.weight);
            }
            let letters = word.text.chars().count();
            let mut read = self.text_field.analyser.reader();
            let is_other = |text: &str| {
                let same = |one: &Word| exact.is_some_and(|exact| !exact.stop && exact.text == one.text);
                // What has the same stem is found as the word itself.
                text != word.text && !read(text).iter().any(|one| if one.stop { !(completed && self.stop_words) } else { same(one) })
            };
            let max = if completed { COMPLETIONS_MAX } else { CORRECTIONS_MAX };
            for expansion in expansions(self.ground, twin, &word.text, completed, self.typos, max, is_other)? {
                let share = if completed { (letters as f32 / expansion.text.chars().count() as f32).min(1.0) } else { 1.0 };
                let member = Member {
                    weight: self.weight,
                    closeness: 0.5_f32.powi(expansion.distance as i32) * share,
                    distance: expansion.distance,
                    frequency: expansion.frequency,
                };
                group.members.insert(Term::from_field_text(twin, &expansion.text), member);
            }
        }
        Ok(())
    }
}

pub fn excluded(schema: &IndexSchema, text: &ParsedText, fields: &[WeightedField]) -> Result<Wanted> {
    let mut excluded = Wanted::default();
    for weighted in fields {
        let (search_field, text_field) = text_field(schema, &weighted.name)?;
        // A word may be several to the index (`state-of-the-art`): only where they stand together is it excluded.
        for typed in text.excluded_words.iter().chain(&text.excluded_phrases).take(WORDS_MAX) {
            add_phrase(&mut excluded, search_field, text_field.analyser.words(typed), 1.0);
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
