//! Finds the variants of a typed word in the index: its completions, and words that differ from it by one or two typos.

use std::cmp::Reverse;
use std::collections::{BTreeSet, HashMap};

use rustc_hash::FxHashMap;
use tantivy::query::{Bm25StatisticsProvider, DfaWrapper, FuzzyTermQuery};
use tantivy::schema::Field;
use tantivy::termdict::TermDictionary;
use tantivy::{SegmentReader, Term};
use tantivy_fst::Automaton;

use crate::failure::Result;
use crate::forms::JOINED;
use crate::search::index::context::SearchContext;
use crate::search::index::expansion_cache::{ExpandedWords, ExpansionKey};
use crate::typos::{COST_OF_COMPLETION, COST_OF_CONTAINING, COST_OF_TYPO, Cost, variant_cost};

/// The range of all words: no byte of UTF-8 is 255.
const ALL_WORDS: (&[u8], &[u8]) = (&[], &[u8::MAX]);

pub struct Expansion {
    pub text: String,
    pub cost: Cost,
    /// Number of visible documents with the word.
    pub frequency: u64,
}

/// A word of any documents.
struct Candidate<'a> {
    text: &'a str,
    cost: Cost,
    frequency: u64,
}

/// Returns up to `max` variants that some visible document has and that `is_variant` accepts: those of the lowest cost first, then the most
/// frequent. `word` must be split, lower-cased and folded, as the words of the field are. A typo is an insertion, a deletion, a substitution,
/// or a transposition of neighbors; a wrong first letter counts as two.
pub fn expand(
    context: &SearchContext,
    field: Field,
    word: &str,
    completed: bool,
    typos_max: u8,
    max: usize,
    mut is_variant: impl FnMut(&str) -> bool,
) -> Result<Vec<Expansion>> {
    let mut lists = Vec::new();
    let key = ExpansionKey { field, word: word.to_owned(), completed, typos_max };
    for reader in context.searcher.segment_readers() {
        let find = || find_words(reader, field, word, completed, typos_max);
        lists.push(expanded_words(context, &key, reader, find)?);
    }
    let mut candidates: FxHashMap<&str, Candidate> = FxHashMap::default();
    for (text, frequency, cost) in lists.iter().flat_map(|words| words.iter()) {
        let candidate = candidates.entry(text).or_insert(Candidate { text, cost: *cost, frequency: 0 });
        candidate.frequency += u64::from(*frequency);
    }
    let mut candidates: Vec<Candidate> = candidates.into_values().collect();
    candidates.sort_unstable_by(|left, right| (left.cost, right.frequency, left.text).cmp(&(right.cost, left.frequency, right.text)));
    let mut best = Vec::new();
    for equally_close in candidates.chunk_by(|left, right| left.cost == right.cost) {
        let most_frequent = keep_most_frequent(context, field, equally_close, max - best.len(), &mut is_variant)?;
        let cost = equally_close[0].cost;
        best.extend(most_frequent.into_iter().map(|(text, frequency)| Expansion { text, cost, frequency }));
    }
    Ok(best)
}

fn expanded_words(
    context: &SearchContext,
    key: &ExpansionKey,
    reader: &SegmentReader,
    find: impl FnOnce() -> Result<ExpandedWords>,
) -> Result<ExpandedWords> {
    if context.fast_paths.cached_expansions { context.expansions.get_or_find(key, reader.segment_id(), find) } else { find() }
}

/// Returns the words of a segment that are variants, if some visible document has them.
fn find_words(reader: &SegmentReader, field: Field, word: &str, completed: bool, typos_max: u8) -> Result<ExpandedWords> {
    let typed: Vec<char> = word.chars().collect();
    let cost = |text: &str| if typos_max == 0 { Some(COST_OF_COMPLETION) } else { variant_cost(&typed, text, completed, typos_max) };
    let mut words = Vec::new();
    let mut add = |bytes: &[u8], frequency: u32| {
        if let Ok(text) = std::str::from_utf8(bytes)
            && let Some(cost) = cost(text)
        {
            words.push((Box::from(text), frequency, cost));
        }
    };
    let index = reader.inverted_index(field)?;
    let (lower, upper) = first_letter_range(word);
    if typos_max > 0 {
        let automaton = FuzzyTermQuery::new(Term::from_field_text(field, word), typos_max, true).automaton()?;
        visit(index.terms(), automaton, completed, (&lower, &upper), &mut add)?;
    }
    if typos_max > 1 {
        // With a wrong first letter, only one more letter may be wrong.
        let automaton = FuzzyTermQuery::new(Term::from_field_text(field, word), typos_max - 1, true).automaton()?;
        visit(index.terms(), automaton, completed, ALL_WORDS, &mut |bytes: &[u8], frequency| {
            if !(lower.as_slice()..upper.as_slice()).contains(&bytes) {
                add(bytes, frequency);
            }
        })?;
    }
    if typos_max == 0 && completed {
        let mut terms = index.terms().range().ge(word).into_stream()?;
        while terms.advance() && terms.key().starts_with(word.as_bytes()) {
            add(terms.key(), terms.value().doc_freq);
        }
    }
    Ok(words.into())
}

/// Returns the words with the most visible documents, the most frequent first. `candidates` start with those that have the most documents.
fn keep_most_frequent(
    context: &SearchContext,
    field: Field,
    candidates: &[Candidate],
    count: usize,
    is_variant: &mut impl FnMut(&str) -> bool,
) -> Result<Vec<(String, u64)>> {
    let mut most_frequent: BTreeSet<(Reverse<u64>, &str)> = BTreeSet::new();
    for Candidate { text, frequency, .. } in candidates {
        // A word is at most as frequent in the visible documents as in all. So no further word can precede the last one.
        if most_frequent.len() >= count && most_frequent.last().is_none_or(|last| (Reverse(*frequency), *text) > *last) {
            break;
        }
        context.cancel_token.check()?;
        if !is_variant(text) {
            continue;
        }
        let frequency = match context.visible {
            Some(visible) => visible.doc_freq(&Term::from_field_text(field, text))?,
            None => *frequency,
        };
        if frequency > 0 {
            most_frequent.insert((Reverse(frequency), text));
            if most_frequent.len() > count {
                most_frequent.pop_last();
            }
        }
    }
    Ok(most_frequent.into_iter().map(|(Reverse(frequency), text)| (text.to_owned(), frequency)).collect())
}

/// The most longer words that contain a word in a field: the most frequent.
const CONTAINING_MAX: usize = 200;
/// Shorter words are in too many.
const CONTAINED_CHARS_MIN: usize = 3;

/// Returns the longer words that contain `word` and that some visible document has.
pub fn expand_containing(context: &SearchContext, field: Field, word: &str) -> Result<Vec<(Term, u64)>> {
    let mut frequencies: HashMap<String, u64> = HashMap::new();
    if word.chars().count() >= CONTAINED_CHARS_MIN {
        for reader in context.searcher.segment_readers() {
            context.cancel_token.check()?;
            context.vocabularies.read(reader, field)?.containing(word, |longer, frequency| {
                if longer.len() > word.len() {
                    *frequencies.entry(longer.to_owned()).or_default() += u64::from(frequency);
                }
            });
        }
    }
    let candidate = |(text, frequency)| Candidate { text, cost: COST_OF_CONTAINING, frequency };
    let mut candidates: Vec<Candidate> = frequencies.iter().map(|(text, frequency)| candidate((text.as_str(), *frequency))).collect();
    candidates.sort_unstable_by(|left, right| (right.frequency, left.text).cmp(&(left.frequency, right.text)));
    let words = keep_most_frequent(context, field, &candidates, CONTAINING_MAX, &mut |_| true)?;
    Ok(words.into_iter().map(|(text, frequency)| (Term::from_field_text(field, &text), frequency)).collect())
}

/// Returns the stop words that start with `beginning` and that some visible document has, with the number of documents.
pub fn expand_stop_words(context: &SearchContext, field: Field, beginning: &str) -> Result<Vec<(Term, u64)>> {
    let mut words: BTreeSet<String> = BTreeSet::new();
    for reader in context.searcher.segment_readers() {
        let index = reader.inverted_index(field)?;
        let mut terms = index.terms().range().ge(beginning).into_stream()?;
        while terms.advance() && terms.key().starts_with(beginning.as_bytes()) {
            words.extend(std::str::from_utf8(terms.key()).map(str::to_owned));
        }
    }
    let with_frequency = words.into_iter().map(|word| {
        let term = Term::from_field_text(field, &word);
        let frequency = context.statistics().doc_freq(&term)?;
        Ok((term, frequency))
    });
    let with_frequency: Vec<_> = with_frequency.collect::<Result<_>>()?;
    Ok(with_frequency.into_iter().filter(|(_, frequency)| *frequency > 0).collect())
}

/// The most completions among joined words.
pub const JOINED_MAX: usize = 20;

/// Returns the first forms of words that start with `beginning` and that some visible document has, with the number of documents.
pub fn expand_forms(context: &SearchContext, field: Field, beginning: &str, max: usize) -> Result<Vec<(Term, u64)>> {
    let mut present_terms = Vec::new();
    let mut lower = beginning.to_owned();
    loop {
        let mut words: BTreeSet<String> = BTreeSet::new();
        for reader in context.searcher.segment_readers() {
            let index = reader.inverted_index(field)?;
            let mut terms = index.terms().range().ge(&lower).into_stream()?;
            let mut count = 0;
            while count < max && terms.advance() && terms.key().starts_with(beginning.as_bytes()) {
                words.extend(std::str::from_utf8(terms.key()).map(str::to_owned));
                count += 1;
            }
        }
        // A segment may have further words after the first ones of another.
        let is_last = words.len() < max;
        for word in words.into_iter().take(max) {
            let term = Term::from_field_text(field, &word);
            let frequency = context.frequency(&term)?;
            if frequency > 0 {
                present_terms.push((term, frequency));
                if present_terms.len() == max {
                    return Ok(present_terms);
                }
            }
            lower = format!("{word}\0");
        }
        if is_last {
            return Ok(present_terms);
        }
        // The words of hidden and deleted documents leave room for more.
        context.cancel_token.check()?;
    }
}

/// Returns the joined words with typos that some visible document has: Spider-Man for `spidreman`. Their first letters are equal. Each also
/// costs as much as a completion. The closest come first.
pub fn expand_mistyped_joined(
    context: &SearchContext,
    forms: Field,
    word: &str,
    completed: bool,
    typos_max: u8,
) -> Result<Vec<(Term, Cost, u64)>> {
    let key = ExpansionKey { field: forms, word: word.to_owned(), completed, typos_max };
    let mut words: BTreeSet<(Cost, String)> = BTreeSet::new();
    for reader in context.searcher.segment_readers() {
        context.cancel_token.check()?;
        let joined = expanded_words(context, &key, reader, || find_mistyped_joined(reader, forms, word, completed, typos_max))?;
        words.extend(joined.iter().map(|(text, _, cost)| (*cost, format!("{JOINED}{text}"))));
    }
    let mut present_terms = Vec::new();
    for (cost, word) in words {
        if present_terms.len() == JOINED_MAX {
            break;
        }
        context.cancel_token.check()?;
        let term = Term::from_field_text(forms, &word);
        let frequency = context.frequency(&term)?;
        if frequency > 0 {
            present_terms.push((term, cost, frequency));
        }
    }
    Ok(present_terms)
}

/// Returns the joined words of a segment that are variants with typos, with their frequencies in all documents.
fn find_mistyped_joined(reader: &SegmentReader, forms: Field, word: &str, completed: bool, typos_max: u8) -> Result<ExpandedWords> {
    let joined = format!("{JOINED}{word}");
    let (lower, upper) = first_letter_range(word);
    let range = |bound: Vec<u8>| [JOINED.to_string().into_bytes(), bound].concat();
    let (lower, upper) = (range(lower), range(upper));
    let typed: Vec<char> = word.chars().collect();
    let mut words = Vec::new();
    let automaton = FuzzyTermQuery::new(Term::from_field_text(forms, &joined), typos_max, true).automaton()?;
    visit(reader.inverted_index(forms)?.terms(), automaton, completed, (&lower, &upper), &mut |bytes: &[u8], frequency| {
        let text = std::str::from_utf8(bytes).ok().and_then(|form| form.strip_prefix(JOINED));
        let cost = text.and_then(|text| variant_cost(&typed, text, completed, typos_max));
        if let (Some(text), Some(cost)) = (text, cost.filter(|cost| *cost >= COST_OF_TYPO)) {
            words.push((Box::from(text), frequency, cost | COST_OF_COMPLETION));
        }
    })?;
    Ok(words.into())
}

/// Calls `add` with the words in the range that the automaton matches, and with `completed` those that start with such a word.
fn visit(
    terms: &TermDictionary,
    automaton: DfaWrapper,
    completed: bool,
    (lower, upper): (&[u8], &[u8]),
    add: &mut impl FnMut(&[u8], u32),
) -> Result<()> {
    if completed {
        // FuzzyTermQuery::new_prefix would miss words with a close prefix whose distance grows with each further character.
        let mut stream = terms.search(PrefixAutomaton(automaton)).ge(lower).lt(upper).into_stream()?;
        while stream.advance() {
            add(stream.key(), stream.value().doc_freq);
        }
    } else {
        let mut stream = terms.search(automaton).ge(lower).lt(upper).into_stream()?;
        while stream.advance() {
            add(stream.key(), stream.value().doc_freq);
        }
    }
    Ok(())
}

/// Returns the range of the words with the same first letter. The last byte of a character is never the highest one.
fn first_letter_range(word: &str) -> (Vec<u8>, Vec<u8>) {
    let first = word.chars().next().map(String::from).unwrap_or_default();
    let lower = first.into_bytes();
    let mut upper = lower.clone();
    if let Some(last) = upper.last_mut() {
        *last += 1;
    }
    (lower, upper)
}

/// Matches every word with a prefix that the inner automaton matches. The state is `None` after such a prefix.
struct PrefixAutomaton(DfaWrapper);

impl Automaton for PrefixAutomaton {
    type State = Option<u32>;

    fn start(&self) -> Option<u32> {
        Some(self.0.start()).filter(|state| !self.0.is_match(state))
    }

    fn is_match(&self, state: &Option<u32>) -> bool {
        state.is_none()
    }

    fn can_match(&self, state: &Option<u32>) -> bool {
        state.is_none_or(|state| self.0.can_match(&state))
    }

    fn accept(&self, state: &Option<u32>, byte: u8) -> Option<u32> {
        state.map(|state| self.0.accept(&state, byte)).filter(|state| !self.0.is_match(state))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;
    use crate::search::index::cancel_token::CancelToken;
    use crate::search::test_index::{CATALOG, WORDS};

    proptest! {
        #![proptest_config(ProptestConfig { cases: 80, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn the_automaton_finds_the_words_that_differ_by_few_typos(word in "[a-z]{1,2}(ing|ir|in|ed)[a-z]{0,2}", typos in 0..3_u8, completed in any::<bool>()) {
            let cancel_token = CancelToken::never();
            let context = SearchContext::unrestricted(&CATALOG.snapshot, &CATALOG.resources, &cancel_token);
            let typed = context.schema.text_field("text").unwrap().1.typed.unwrap();
            let typos = if typos == 0 && !completed { 1 } else { typos };
            let expansions = expand(&context, typed, &word, completed, typos, 1_000, |_| true).unwrap();
            let found: BTreeSet<(Cost, String)> = expansions.into_iter().map(|expansion| (expansion.cost, expansion.text)).collect();
            let characters: Vec<char> = word.chars().collect();
            let expected = WORDS.iter().filter_map(|other| {
                let cost = match typos {
                    0 => other.starts_with(&word).then_some(COST_OF_COMPLETION),
                    _ => variant_cost(&characters, other, completed, typos),
                };
                Some((cost?, (*other).to_owned()))
            });
            prop_assert_eq!(found, expected.collect::<BTreeSet<_>>());
        }
    }
}
