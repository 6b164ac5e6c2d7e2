//! Finds the variants of a typed word in the index: its completions, and words that differ from it by one or two typos.

use std::cmp::Reverse;
use std::collections::{BTreeSet, HashMap};

use tantivy::Term;
use tantivy::query::{Bm25StatisticsProvider, DfaWrapper, FuzzyTermQuery};
use tantivy::schema::Field;
use tantivy_fst::Automaton;

use crate::failure::Result;

use super::context::SearchContext;

/// The length from which a word may have one typo, and two.
const ONE_TYPO_CHARS_MIN: usize = 3;
const TWO_TYPOS_CHARS_MIN: usize = 6;

/// Longer words are not corrected.
const TYPO_CHARS_MAX: usize = 64;

pub struct Expansion {
    pub text: String,
    /// Number of typos: an insertion, a deletion, a substitution, or a transposition of neighbors. For a completion, in its prefix.
    pub distance: usize,
    /// Number of visible documents with the word.
    pub frequency: u64,
}

/// Returns up to `max` variants that some visible document has and that `is_variant` accepts: the closest first, then the most frequent.
/// `word` must be split, lower-cased and folded, as the words of the field are.
pub fn expand(
    context: &SearchContext,
    field: Field,
    word: &str,
    completed: bool,
    typos: bool,
    max: usize,
    mut is_variant: impl FnMut(&str) -> bool,
) -> Result<Vec<Expansion>> {
    let typos_max = if typos { allowed_typos(word) } else { 0 };
    let mut frequencies: HashMap<String, u64> = HashMap::new();
    for reader in context.searcher.segment_readers() {
        let index = reader.inverted_index(field)?;
        let mut add = |bytes: &[u8], frequency: u32| {
            if let Ok(text) = std::str::from_utf8(bytes) {
                match frequencies.get_mut(text) {
                    Some(sum) => *sum += u64::from(frequency),
                    None => drop(frequencies.insert(text.to_owned(), u64::from(frequency))),
                }
            }
        };
        if typos_max > 0 {
            let automaton = FuzzyTermQuery::new(Term::from_field_text(field, word), typos_max, true).automaton()?;
            if completed {
                // FuzzyTermQuery::new_prefix would miss words with a close prefix whose distance grows with each further character.
                let mut terms = index.terms().search(PrefixAutomaton(automaton)).into_stream()?;
                while terms.advance() {
                    add(terms.key(), terms.value().doc_freq);
                }
            } else {
                let mut terms = index.terms().search(automaton).into_stream()?;
                while terms.advance() {
                    add(terms.key(), terms.value().doc_freq);
                }
            }
        } else if completed {
            let mut terms = index.terms().range().ge(word).into_stream()?;
            while terms.advance() && terms.key().starts_with(word.as_bytes()) {
                add(terms.key(), terms.value().doc_freq);
            }
        }
    }
    let typed: Vec<char> = word.chars().collect();
    let mut expansions: Vec<Expansion> = frequencies
        .into_iter()
        .map(|(text, frequency)| Expansion {
            distance: if typos_max == 0 { 0 } else { edit_distance(&typed, &text, completed) },
            text,
            frequency,
        })
        .collect();
    expansions
        .sort_unstable_by(|left, right| (left.distance, right.frequency, &left.text).cmp(&(right.distance, left.frequency, &right.text)));
    let mut best = Vec::new();
    for equally_close in expansions.chunk_by(|left, right| left.distance == right.distance) {
        let count = max - best.len();
        let mut most_frequent: BTreeSet<(Reverse<u64>, &str)> = BTreeSet::new();
        for Expansion { text, frequency, .. } in equally_close {
            // A word is at most as frequent in the visible documents as in all. So no further word can precede the last one.
            if most_frequent.len() >= count && most_frequent.last().is_none_or(|last| (Reverse(*frequency), text.as_str()) > *last) {
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
        let distance = equally_close[0].distance;
        best.extend(most_frequent.into_iter().map(|(Reverse(frequency), text)| Expansion { text: text.to_owned(), distance, frequency }));
    }
    Ok(best)
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

/// Returns how many typos a word may have. Numbers may have none, because one wrong digit makes another number.
fn allowed_typos(word: &str) -> u8 {
    match word.chars().count() {
        _ if !word.contains(char::is_alphabetic) => 0,
        TWO_TYPOS_CHARS_MIN..=TYPO_CHARS_MAX => 2,
        ONE_TYPO_CHARS_MIN..TWO_TYPOS_CHARS_MIN => 1,
        _ => 0,
    }
}

/// Returns the optimal string alignment distance, which edits each character at most once. With `completed`, the distance to the closest
/// prefix of the word.
fn edit_distance(typed: &[char], word: &str, completed: bool) -> usize {
    let word: Vec<char> = word.chars().collect();
    // Row i, column j: the distance between the first i characters of the word and the first j typed ones.
    let mut rows: Vec<Vec<usize>> = vec![(0..=typed.len()).collect()];
    for (i, word_char) in word.iter().enumerate() {
        let previous_row = &rows[i];
        let mut row = vec![i + 1];
        for (j, typed_char) in typed.iter().enumerate() {
            let mut distance = (previous_row[j] + usize::from(word_char != typed_char)).min(previous_row[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && *word_char == typed[j - 1] && word[i - 1] == *typed_char {
                distance = distance.min(rows[i - 1][j - 1] + 1);
            }
            row.push(distance);
        }
        rows.push(row);
    }
    let mut distances = rows.iter().map(|row| row[typed.len()]);
    if completed { distances.min() } else { distances.next_back() }.unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_insertion_deletion_substitution_or_transposition_is_one_typo() {
        let distance = |typed: &str, word: &str| edit_distance(&typed.chars().collect::<Vec<_>>(), word, false);
        for (typed, word, expected) in
            [("wing", "wing", 0), ("wng", "wing", 1), ("wiing", "wing", 1), ("wang", "wing", 1), ("wnig", "wing", 1), ("", "ab", 2)]
        {
            assert_eq!(distance(typed, word), expected, "{typed} {word}");
        }
        assert_eq!(distance("ca", "abc"), 3);
        assert_eq!(distance("été", "ete"), 2);
    }

    #[test]
    fn a_completion_counts_the_typos_in_its_prefix() {
        let prefix_distance = |typed: &str, word: &str| edit_distance(&typed.chars().collect::<Vec<_>>(), word, true);
        assert_eq!(prefix_distance("dict", "dictionary"), 0);
        assert_eq!(prefix_distance("dcit", "dictionary"), 1);
        assert_eq!(prefix_distance("dixt", "dictionary"), 1);
    }

    #[test]
    fn long_words_may_have_more_typos_and_numbers_none() {
        for (word, expected) in [("ab", 0), ("abc", 1), ("abcde", 1), ("abcdef", 2), ("1984", 0), ("b2b", 1), ("éé", 0)] {
            assert_eq!(allowed_typos(word), expected, "{word}");
        }
        assert_eq!(allowed_typos(&"x".repeat(65)), 0);
    }
}
