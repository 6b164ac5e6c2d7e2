//! The words of an index that one typed word may stand for: those it begins, and those that differ from it by a letter or two.

use std::cmp::Reverse;
use std::collections::{BTreeSet, HashMap};

use tantivy::Term;
use tantivy::query::{Bm25StatisticsProvider, DfaWrapper, FuzzyTermQuery};
use tantivy::schema::Field;
use tantivy_fst::Automaton;

use crate::failure::Result;

use super::Ground;

/// From so many letters on one may be wrong, and from so many two.
const LETTERS_FOR_ONE_TYPO: usize = 3;
const LETTERS_FOR_TWO_TYPOS: usize = 6;

/// A longer word is no word that somebody mistyped.
const LETTERS_FOR_TYPOS_MAX: usize = 64;

pub struct Expansion {
    pub text: String,
    /// Letters wrong: added, left out, exchanged for another or for their neighbour. Of a completion: in its beginning.
    pub distance: usize,
    /// Documents that have the word.
    pub frequency: u64,
}

/// At most `max` of those that are wanted and may be seen: the closest first, then the commonest. `word` is as the field's words are:
/// split, lower-cased and folded.
pub fn expansions(
    ground: &Ground,
    field: Field,
    word: &str,
    completed: bool,
    typos: bool,
    max: usize,
    mut is_wanted: impl FnMut(&str) -> bool,
) -> Result<Vec<Expansion>> {
    let typos = if typos { typos_allowed(word) } else { 0 };
    let mut frequencies: HashMap<String, u64> = HashMap::new();
    for reader in ground.searcher.segment_readers() {
        let index = reader.inverted_index(field)?;
        let mut add = |bytes: &[u8], frequency: u32| {
            if let Ok(text) = std::str::from_utf8(bytes) {
                match frequencies.get_mut(text) {
                    Some(sum) => *sum += u64::from(frequency),
                    None => drop(frequencies.insert(text.to_owned(), u64::from(frequency))),
                }
            }
        };
        if typos > 0 {
            let automaton = FuzzyTermQuery::new(Term::from_field_text(field, word), typos, true).automaton()?;
            if completed {
                // Not FuzzyTermQuery::new_prefix: it misses words whose beginning is near enough, but grows farther letter by letter.
                let mut found = index.terms().search(Beginning(automaton)).into_stream()?;
                while found.advance() {
                    add(found.key(), found.value().doc_freq);
                }
            } else {
                let mut found = index.terms().search(automaton).into_stream()?;
                while found.advance() {
                    add(found.key(), found.value().doc_freq);
                }
            }
        } else if completed {
            let mut found = index.terms().range().ge(word).into_stream()?;
            while found.advance() && found.key().starts_with(word.as_bytes()) {
                add(found.key(), found.value().doc_freq);
            }
        }
    }
    let typed: Vec<char> = word.chars().collect();
    let mut expansions: Vec<Expansion> = frequencies
        .into_iter()
        .map(|(text, frequency)| Expansion { distance: if typos == 0 { 0 } else { distance(&typed, &text, completed) }, text, frequency })
        .collect();
    expansions
        .sort_unstable_by(|left, right| (left.distance, right.frequency, &left.text).cmp(&(right.distance, left.frequency, &right.text)));
    let mut chosen = Vec::new();
    for equally_close in expansions.chunk_by(|left, right| left.distance == right.distance) {
        let wanted = max - chosen.len();
        let mut commonest: BTreeSet<(Reverse<u64>, &str)> = BTreeSet::new();
        for Expansion { text, frequency, .. } in equally_close {
            // Among the documents that may be seen a word is at most as common as in all, so none of the rest comes before the last one.
            if commonest.len() >= wanted && commonest.last().is_none_or(|last| (Reverse(*frequency), text.as_str()) > *last) {
                break;
            }
            ground.clock.check()?;
            if !is_wanted(text) {
                continue;
            }
            let frequency = match ground.visible {
                Some(visible) => visible.doc_freq(&Term::from_field_text(field, text))?,
                None => *frequency,
            };
            if frequency > 0 {
                commonest.insert((Reverse(frequency), text));
                if commonest.len() > wanted {
                    commonest.pop_last();
                }
            }
        }
        let distance = equally_close[0].distance;
        chosen.extend(commonest.into_iter().map(|(Reverse(frequency), text)| Expansion { text: text.to_owned(), distance, frequency }));
    }
    Ok(chosen)
}

/// Matches every word that begins with what the automaton matches. No state: the beginning has matched.
struct Beginning(DfaWrapper);

impl Automaton for Beginning {
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

/// One wrong digit makes another number, so numbers have none.
fn typos_allowed(word: &str) -> u8 {
    match word.chars().count() {
        _ if !word.contains(char::is_alphabetic) => 0,
        LETTERS_FOR_TWO_TYPOS..=LETTERS_FOR_TYPOS_MAX => 2,
        LETTERS_FOR_ONE_TYPO..LETTERS_FOR_TWO_TYPOS => 1,
        _ => 0,
    }
}

/// Optimal string alignment: each letter changes once at most. With `completed`, to the beginning of the word that is nearest.
fn distance(typed: &[char], word: &str, completed: bool) -> usize {
    let word: Vec<char> = word.chars().collect();
    // Row i, column j: between the first i letters of the word and the first j typed.
    let mut rows: Vec<Vec<usize>> = vec![(0..=typed.len()).collect()];
    for (at, letter) in word.iter().enumerate() {
        let above = &rows[at];
        let mut row = vec![at + 1];
        for (place, other) in typed.iter().enumerate() {
            let mut least = (above[place] + usize::from(letter != other)).min(above[place + 1] + 1).min(row[place] + 1);
            if at > 0 && place > 0 && *letter == typed[place - 1] && word[at - 1] == *other {
                least = least.min(rows[at - 1][place - 1] + 1);
            }
            row.push(least);
        }
        rows.push(row);
    }
    let mut lasts = rows.iter().map(|row| row[typed.len()]);
    if completed { lasts.min() } else { lasts.next_back() }.unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_letter_too_many_too_few_another_or_two_exchanged_are_one_typo() {
        let between = |typed: &str, word: &str| distance(&typed.chars().collect::<Vec<_>>(), word, false);
        for (typed, word, expected) in
            [("wing", "wing", 0), ("wng", "wing", 1), ("wiing", "wing", 1), ("wang", "wing", 1), ("wnig", "wing", 1), ("", "ab", 2)]
        {
            assert_eq!(between(typed, word), expected, "{typed} {word}");
        }
        assert_eq!(between("ca", "abc"), 3);
        assert_eq!(between("été", "ete"), 2);
    }

    #[test]
    fn a_completion_counts_the_typos_of_its_beginning() {
        let to = |typed: &str, word: &str| distance(&typed.chars().collect::<Vec<_>>(), word, true);
        assert_eq!((to("dict", "dictionary"), to("dcit", "dictionary"), to("dixt", "dictionary")), (0, 1, 1));
    }

    #[test]
    fn long_words_may_have_more_typos_and_numbers_none() {
        for (word, expected) in [("ab", 0), ("abc", 1), ("abcde", 1), ("abcdef", 2), ("1984", 0), ("b2b", 1), ("éé", 0)] {
            assert_eq!(typos_allowed(word), expected, "{word}");
        }
        assert_eq!(typos_allowed(&"x".repeat(65)), 0);
    }
}
