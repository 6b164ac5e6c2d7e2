//! Other spellings of the words of a query: joined, apart, and without accents.

// Over 400 lines: all of them are found in one pass over the words.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use tantivy::Term;
use tantivy::schema::Field;

use crate::analysis::Word;
use crate::characters::read_fraction;
use crate::failure::Result;
use crate::forms::JOINED;
use crate::fractions::push_word;
use crate::search::index::context::SearchContext;
use crate::search::index::phrase_cache::{AbsentSplits, SplitDocuments};
use crate::search_field::{SearchField, TextField};

use super::joined_by_and::{is_and, join_by_and, split_at_and};
use super::single_word::single_word;
use super::text_query::{JoinedWeight, TextQuery};
use super::unusual_splits::{self, PART_CHARS_MIN, SPLIT_CHARS};

/// Longer texts describe what they look for. Their words are not joined or split.
const JOINED_WORDS_MAX: usize = 8;
pub const SPLIT_WORDS_MAX: usize = 4;
/// The most words that are written as one.
const PARTS_MAX: usize = 3;
const JOINED_CHARS_MAX: usize = 40;
/// The least digits of a telephone number.
const NUMBER_DIGITS_MIN: usize = 7;
/// The least digits of a number of an account, such as an IBAN.
const ACCOUNT_DIGITS_MIN: usize = 12;
/// The most groups of digits of a number, and the most letters-to-digits boundaries of a word that are split.
const GROUPS_MAX: usize = 6;
const BOUNDARIES_MAX: usize = 4;
/// The digits of a number with thousands.
const THOUSANDS_DIGITS: std::ops::RangeInclusive<usize> = 4..=12;
/// The most letters before the digits of a model.
const MODEL_LETTERS_MAX: usize = 2;

/// The most words of one text between spaces that are written as one, such as the parts of an address of a network card.
const TOKEN_PARTS_MAX: usize = 6;

/// The words of a query that a spelling stands for.
pub struct Joint {
    pub words: usize,
    /// The words as typed, if only the caller's index can show how rare they are.
    parts: Vec<Term>,
}

impl Joint {
    const ONE: Joint = Joint { words: 1, parts: Vec::new() };
}

/// A word of a query as typed, and its position among the analyzed words if it is searched or unfinished.
pub struct TypedWord {
    pub text: String,
    pub searched: Option<usize>,
    /// The number of the text between spaces that it is a part of.
    pub token: usize,
    /// Whether `&` stands between it and the word before.
    pub follows_sign: bool,
    pub is_unfinished: bool,
}

/// The spellings of a text in one field.
pub struct Spellings<'a> {
    pub search_field: &'a SearchField,
    pub text_field: &'a TextField,
    pub weight: f32,
    /// The most phrases that words may be split into.
    pub splits_max: usize,
    /// The index, if there is one. Without it, words are split into phrases that no document may have.
    pub context: Option<&'a SearchContext<'a>>,
}

impl Spellings<'_> {
    /// Calls `add` with each searched word, other spellings of it, and the words that these stand for.
    pub fn find(&self, words: &[TypedWord], mut add: impl FnMut(usize, &TextQuery, &Joint)) {
        let repeats_word = |pair: &[TypedWord]| pair[0].text == pair[1].text && !is_number(&pair[0].text);
        if words.len() > JOINED_WORDS_MAX || words.windows(2).any(|pair| repeats_word(pair) && pair[0].token != pair[1].token) {
            return;
        }
        let mut splits = 0;
        for start in 0..words.len() {
            for count in 1..=GROUPS_MAX.min(words.len() - start) {
                let parts = &words[start..start + count];
                if count > PARTS_MAX && !may_be_one(parts) {
                    break;
                }
                let joined = join(parts);
                if joined.chars().count() > JOINED_CHARS_MAX {
                    break;
                }
                let mut query = self.joined(&joined, count);
                if let Some(dialed) = without_trunk_zero(parts) {
                    query.merge(&self.joined(&dialed, count));
                }
                if let [first, by, second] = parts
                    && by.text == "x"
                {
                    self.add_size(&mut query, &first.text, &second.text);
                }
                // The first number of a version.
                if let Some(number) = joined.strip_prefix('v').filter(|number| words.len() > 1 && is_number(number)) {
                    query.terms.insert(Term::from_field_text(self.search_field.field, number), self.weight);
                }
                if count == 1 {
                    self.add_present_splits(&mut query, &joined, words.len() <= SPLIT_WORDS_MAX);
                    splits += query.phrases.len();
                    if splits > self.splits_max {
                        query.phrases.clear();
                    }
                }
                if let ([first, second], true) = (parts, words.len() <= SPLIT_WORDS_MAX) {
                    self.add_moved_parts(&mut query, &first.text, &second.text);
                }
                if let Some(context) = self.context {
                    query.terms.retain(|term, _| may_be_present(context, term));
                }
                if query.terms.is_empty() && query.phrases.is_empty() {
                    continue;
                }
                let mut joint = Joint { words: count, ..Joint::ONE };
                if let Some(typed) = self.text_field.typed.filter(|_| count > 1) {
                    let parts: Vec<Term> = parts.iter().map(|word| self.part_term(typed, &word.text)).collect();
                    match self.context {
                        Some(context) => weigh_joined(context, &mut query, &parts),
                        None => joint.parts = parts,
                    }
                }
                parts.iter().filter_map(|word| word.searched).for_each(|searched| add(searched, &query, &joint));
            }
        }
        self.find_joined_by_and(words, add);
    }

    /// The term that tells how many documents have a word as typed. Stop words are in their twin field.
    fn part_term(&self, typed: Field, text: &str) -> Term {
        let stop_words = self.text_field.stop_words.filter(|_| self.text_field.analyzer.is_plain_stop_word(text));
        Term::from_field_text(stop_words.unwrap_or(typed), text)
    }

    /// Adds the phrases of two words between which letters or digits are on the other side: RTX4080 Ti for `rtx 4080ti`.
    fn add_moved_parts(&self, query: &mut TextQuery, first: &str, second: &str) {
        let has_digits = |text: &str| text.bytes().any(|byte| byte.is_ascii_digit());
        if !has_digits(first) && !has_digits(second) {
            return;
        }
        let mut moved = TextQuery::default();
        for boundary in find_boundaries(second) {
            self.add_parts(&mut moved, [format!("{first}{}", &second[..boundary]).as_str(), &second[boundary..]].into_iter());
        }
        for boundary in find_boundaries(first) {
            self.add_parts(&mut moved, [&first[..boundary], format!("{}{second}", &first[boundary..]).as_str()].into_iter());
        }
        if let Some(context) = self.context {
            // A later search reports errors.
            moved.phrases.retain(|phrase, _| !matches!(context.split_documents(phrase), Ok(SplitDocuments::None)));
        }
        query.merge(&moved);
    }

    /// Calls `add` with a word for _and_, and with what documents may have in its place; and with the words beside `&` or _and_, both written
    /// as one with _n_.
    fn find_joined_by_and(&self, words: &[TypedWord], mut add: impl FnMut(usize, &TextQuery, &Joint)) {
        let language = self.text_field.analyzer.language();
        let mut add_joined = |first: &TypedWord, last: &TypedWord, and: Option<usize>| {
            let joined = self.joined(&join_by_and(&first.text, &last.text), 3);
            [first, last].iter().filter_map(|word| word.searched).for_each(|searched| add(searched, &joined, &Joint::ONE));
            if let Some(searched) = and {
                add(searched, &self.without_and(first, last), &Joint::ONE);
            }
        };
        for (place, pair) in words.windows(2).enumerate() {
            let [first, second] = pair else { continue };
            if second.follows_sign {
                add_joined(first, second, None);
            }
            if let Some(last) = words.get(place + 2).filter(|_| is_and(&second.text, language)) {
                add_joined(first, last, second.searched);
            }
        }
    }

    /// Two words next to each other, or with any word between them.
    fn without_and(&self, first: &TypedWord, last: &TypedWord) -> TextQuery {
        let mut query = TextQuery::default();
        if last.is_unfinished
            && let Some(word) = single_word(&self.text_field.analyzer, &first.text)
        {
            query.terms.insert(Term::from_field_text(self.search_field.field, &word.text), self.weight);
        }
        self.add_pair(&mut query, &first.text, &last.text);
        query
    }

    /// Adds the phrases of two words next to each other, or with any word between them.
    fn add_pair(&self, query: &mut TextQuery, first: &str, second: &str) {
        let term = |text: &str| {
            let word = single_word(&self.text_field.analyzer, text)?;
            Some(Term::from_field_text(self.search_field.field, &word.text))
        };
        if let (Some(first), Some(second)) = (term(first), term(second)) {
            for distance in [1, 2] {
                query.phrases.insert(vec![(0, first.clone()), (distance, second.clone())], self.weight);
            }
        }
    }

    /// Finds words written as one, or one word that documents write with punctuation inside.
    pub fn joined(&self, text: &str, parts: usize) -> TextQuery {
        let mut query = TextQuery::default();
        let mut add_form = |text: &str| {
            query.terms.insert(Term::from_field_text(self.text_field.forms, &format!("{JOINED}{text}")), self.weight);
        };
        add_form(text);
        // A telephone number with the zeros that replace the country code or begin it.
        if text.starts_with('0') && text.len() >= NUMBER_DIGITS_MIN && is_number(text) {
            add_form(text.trim_start_matches('0'));
        }
        // The digits of a number of an account, which documents write in groups.
        let digits = text.trim_start_matches(|character: char| character.is_ascii_lowercase());
        if digits.len() < text.len() && digits.len() >= ACCOUNT_DIGITS_MIN && is_number(digits) {
            add_form(digits);
        }
        let word = single_word(&self.text_field.analyzer, text);
        if let Some(word) = word.as_ref().filter(|word| word.text != text) {
            add_form(&word.text);
        }
        if let Some(word) = word.filter(|_| parts > 1) {
            query.terms.insert(Term::from_field_text(self.search_field.field, &word.text), self.weight);
        }
        query
    }

    /// Adds the phrases that the word may be split into, as far as documents have them.
    fn add_present_splits(&self, query: &mut TextQuery, text: &str, splits_letters: bool) {
        let Some(context) = self.context else { return self.add_splits(query, text, splits_letters) };
        let word = Term::from_field_text(self.search_field.field, text);
        let absent_splits = context.phrases.absent_splits(&word);
        if absent_splits.is_none() {
            self.add_splits(query, text, splits_letters);
            // A later search reports errors.
            query.phrases.retain(|phrase, _| !matches!(context.split_documents(phrase), Ok(SplitDocuments::None)));
        }
        if !splits_letters || !query.phrases.is_empty() {
            return;
        }
        // The unusual ones depend on the documents that are visible, which the cache does not.
        let is_restricted = context.visible.is_some();
        let mut now_absent = absent_splits.unwrap_or(AbsentSplits::Usual);
        if (is_restricted || now_absent != AbsentSplits::Unrestricted)
            && let Ok(phrases) = self.find_unusual_splits(context, text)
        {
            if phrases.is_empty() && !is_restricted {
                now_absent = AbsentSplits::Unrestricted;
            }
            query.phrases.extend(phrases.into_iter().map(|phrase| (phrase, self.weight)));
        }
        if absent_splits != Some(now_absent) {
            context.phrases.add_absent_splits(word, now_absent);
        }
    }

    fn find_unusual_splits(&self, context: &SearchContext, text: &str) -> Result<Vec<Vec<(usize, Term)>>> {
        let has_term = |term: &Term| Ok(context.frequency(term)? > 0);
        let phrases = unusual_splits::find(self.search_field.field, self.text_field, text, &has_term)?.into_iter();
        let present = phrases.map(|phrase| Ok((!matches!(context.split_documents(&phrase)?, SplitDocuments::None)).then_some(phrase)));
        present.filter_map(Result::transpose).collect()
    }

    /// Returns the phrases of two words of which the word may consist, whether documents have them or not.
    pub fn usual_splits(&self, text: &str) -> BTreeMap<Vec<(usize, Term)>, f32> {
        let mut query = TextQuery::default();
        self.add_splits(&mut query, text, true);
        query.phrases
    }

    /// Adds the phrases of two words, or of more with digits, of which the word may consist.
    fn add_splits(&self, query: &mut TextQuery, text: &str, splits_letters: bool) {
        if splits_letters {
            split_at_and(text).for_each(|(first, second)| self.add_pair(query, first, second));
        }
        let characters: Vec<(usize, char)> = text.char_indices().collect();
        let boundaries = find_boundaries(text);
        if characters.len() > *SPLIT_CHARS.end() {
            return;
        }
        if boundaries.len() > BOUNDARIES_MAX {
            if is_size(text) {
                self.add_phrase(query, text, &boundaries);
            }
            return;
        }
        if let Some((place, (above, below))) = characters.last().and_then(|(place, last)| Some((*place, read_fraction(*last)?))) {
            let whole = Some(&text[..place]).filter(|whole| !whole.is_empty());
            self.add_parts(query, whole.into_iter().chain([above.as_str(), below.as_str()]));
            if let Some(whole) = whole {
                self.add_parts(query, [whole, &text[place..]].into_iter());
            }
        }
        if let Some(splits) = split_thousands(text) {
            self.add_phrase(query, text, &splits);
        }
        if let ([boundary], true) = (boundaries.as_slice(), splits_letters) {
            model_splits(text, *boundary).for_each(|split| self.add_phrase(query, text, &[split]));
        }
        let has_digits = characters.iter().any(|(_, character)| character.is_numeric());
        if !has_digits && splits_letters && characters.len() >= *SPLIT_CHARS.start() {
            for (split, _) in &characters[PART_CHARS_MIN..=characters.len() - PART_CHARS_MIN] {
                self.add_phrase(query, text, &[*split]);
            }
        }
        if boundaries.len() > 2 && is_size(text) {
            self.add_phrase(query, text, &boundaries);
        }
        for (index, first) in boundaries.iter().enumerate() {
            self.add_phrase(query, text, &[*first]);
            for second in &boundaries[index + 1..] {
                self.add_phrase(query, text, &[*first, *second]);
                if &text[*first..*second] == "x" {
                    self.add_size(query, &text[..*first], &text[*second..]);
                }
            }
        }
    }

    /// Adds the phrase of a text that is split at these places.
    fn add_phrase(&self, query: &mut TextQuery, text: &str, splits: &[usize]) {
        let ends = splits.iter().copied().chain([text.len()]);
        let parts = ends.scan(0, |start, end| Some(&text[std::mem::replace(start, end)..end]));
        self.add_parts(query, parts);
    }

    fn add_parts<'a>(&self, query: &mut TextQuery, parts: impl Iterator<Item = &'a str>) {
        let words: Option<Vec<Word>> = parts.map(|part| single_word(&self.text_field.analyzer, part)).collect();
        let term = |word: Word| Term::from_field_text(self.search_field.field, &word.text);
        if let Some(words) = words {
            query.phrases.insert(words.into_iter().map(term).enumerate().collect(), self.weight);
        }
    }

    /// Adds the phrase of two numbers with a sign between them: `3840×2160` for 3840x2160.
    fn add_size(&self, query: &mut TextQuery, first: &str, second: &str) {
        if is_number(first) && is_number(second) {
            self.add_parts(query, [first, second].into_iter());
        }
    }
}

/// Whether some document may have the term. Most spellings of a word are no words.
fn may_be_present(context: &SearchContext, term: &Term) -> bool {
    // A later search reports errors.
    context.term_infos(term).map_or(true, |infos| infos.iter().any(Option::is_some))
}

/// Lowers the weights of joined words that are rarer than their parts.
fn weigh_joined(context: &SearchContext, query: &mut TextQuery, parts: &[Term]) {
    // A later search reports errors.
    let frequency = |term: &Term| context.frequency(term).unwrap_or_default();
    let mut part_frequencies = None;
    for (term, weight) in &mut query.terms {
        let joined = frequency(term);
        if joined > 0 {
            let parts = part_frequencies.get_or_insert_with(|| parts.iter().map(frequency).collect::<Vec<_>>());
            *weight *= joined_share(context.documents(), joined, parts);
        }
    }
}

/// Returns the share of its weight that a joined word has. It is less than 1 if it is rarer than its parts, so that it ranks below the words
/// as typed.
pub fn joined_share(documents: u64, joined: u64, parts: &[u64]) -> f32 {
    if joined == 0 || parts.is_empty() || parts.contains(&0) {
        return 1.0;
    }
    let mean = parts.iter().map(|frequency| rarity(documents, *frequency)).sum::<f32>() / parts.len() as f32;
    (mean / rarity(documents, joined)).min(1.0)
}

/// Returns how much a word counts that this number of documents have (the inverse document frequency of BM25).
fn rarity(documents: u64, frequency: u64) -> f32 {
    // Deleted documents count until their segment is merged.
    let (documents, frequency) = (documents.max(frequency) as f32, frequency as f32);
    (1.0 + (documents - frequency + 0.5) / (frequency + 0.5)).ln()
}

/// Returns the places between letters and digits.
fn find_boundaries(text: &str) -> Vec<usize> {
    let is_boundary =
        |((_, first), (place, second)): ((usize, char), (usize, char))| (first.is_numeric() != second.is_numeric()).then_some(place);
    text.char_indices().zip(text.char_indices().skip(1)).filter_map(is_boundary).collect()
}

fn join(parts: &[TypedWord]) -> String {
    let mut joined = String::new();
    parts.iter().for_each(|word| push_word(&mut joined, &word.text));
    joined
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Returns the places of the separators in a number with thousands, such as 10,000.
fn split_thousands(text: &str) -> Option<Vec<usize>> {
    let has_thousands = is_number(text) && THOUSANDS_DIGITS.contains(&text.len()) && !text.starts_with('0');
    has_thousands.then(|| (1..text.len()).filter(|place| (text.len() - place).is_multiple_of(3)).collect())
}

/// Returns where a name may end before a model with letters and digits: `galaxys23` for Galaxy S23.
fn model_splits(text: &str, boundary: usize) -> impl Iterator<Item = usize> {
    let letters = if text.is_ascii() && !text.starts_with(|first: char| first.is_ascii_digit()) { boundary } else { 0 };
    (1..=MODEL_LETTERS_MAX).filter_map(move |count| letters.checked_sub(count)).filter(|name| *name > MODEL_LETTERS_MAX)
}

/// Whether more than three words may be written as one: numbers, sizes such as `30 x 20 x 10 cm`, and the parts of one text between spaces.
fn may_be_one(parts: &[TypedWord]) -> bool {
    let is_part_of_size = |(index, word): (usize, &TypedWord)| if index % 2 == 1 { word.text == "x" } else { is_number(&word.text) };
    let (last, first_parts) = parts.split_last().expect("there are several parts");
    let is_unit = parts.len().is_multiple_of(2) && !is_number(&last.text);
    parts.iter().all(|word| is_number(&word.text))
        || parts.iter().enumerate().all(is_part_of_size)
        || is_unit && first_parts.iter().enumerate().all(is_part_of_size)
        || parts.len() <= TOKEN_PARTS_MAX && parts.iter().all(|word| word.token == parts[0].token)
}

/// Whether a text is a size such as `30x20x10cm`.
fn is_size(text: &str) -> bool {
    let numbers = text.trim_end_matches(|character: char| character.is_ascii_lowercase());
    numbers.split('x').count() > 1 && numbers.split('x').all(is_number)
}

/// Groups of digits without the zero in `+49 (0)30`, which nobody dials from abroad.
fn without_trunk_zero(parts: &[TypedWord]) -> Option<String> {
    let (first, others) = parts.split_first()?;
    let has_zero = others.iter().any(|word| word.text == "0") && parts.iter().all(|word| is_number(&word.text));
    let dialed = others.iter().filter(|word| word.text != "0").fold(first.text.clone(), |text, word| text + &word.text);
    (has_zero && dialed.len() >= NUMBER_DIGITS_MIN).then_some(dialed)
}

/// The share of the score of a word that other spellings of it have, in queries whose words are not counted.
pub const SPELLING_SHARE: f32 = 0.5;
/// The share for words that are written as one. A document with one of them comes after it.
const JOINED_SHARE: f32 = 0.8;

impl TextQuery {
    /// Keeps the higher weight of each term and phrase.
    pub fn merge(&mut self, other: &TextQuery) {
        let raise = |known: &mut f32, weight: f32| *known = known.max(weight);
        other.terms.iter().for_each(|(term, weight)| raise(self.terms.entry(term.clone()).or_default(), *weight));
        other.phrases.iter().for_each(|(phrase, weight)| raise(self.phrases.entry(phrase.clone()).or_default(), *weight));
        other.splits.iter().for_each(|(phrase, weight)| raise(self.splits.entry(phrase.clone()).or_default(), *weight));
    }

    /// Adds a spelling of one of the words of a query. Several words that are written as one count for each of them.
    pub fn add_for_word(&mut self, spelling: &TextQuery, joint: &Joint) {
        let share = if joint.words > 1 { JOINED_SHARE } else { SPELLING_SHARE };
        for (term, weight) in &spelling.terms {
            *self.terms.entry(term.clone()).or_default() += weight * share;
            if !joint.parts.is_empty() {
                let joined = JoinedWeight { weight: weight * share, parts: joint.parts.clone() };
                self.joined.entry(term.clone()).or_default().push(joined);
            }
        }
        self.merge(&TextQuery { terms: BTreeMap::new(), ..spelling.clone() });
    }

    /// Adds the other spellings of all words.
    pub fn add_for_words(&mut self, mut spellings: TextQuery) {
        for (term, weight) in std::mem::take(&mut spellings.terms) {
            if let Entry::Vacant(entry) = self.terms.entry(term.clone()) {
                entry.insert(weight);
                self.joined.extend(spellings.joined.remove_entry(&term));
            }
        }
        self.add_spelling(&spellings);
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
                // All words of a phrase add to its score, but they stand for one.
                self.splits.entry(phrase.clone()).or_insert(weight * SPELLING_SHARE / phrase.len() as f32);
            }
        }
    }
}
