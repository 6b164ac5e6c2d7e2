//! How far words are from what a person typed: typos, and completions of an unfinished word. Both engines of the server count like this.

use crate::plan::TypoLengths;

/// How far a variant is from the word: two for each typo, and one more for a completion. 0 for the word itself.
pub type Cost = u8;
pub const COST_OF_COMPLETION: Cost = 1;
pub const COST_OF_TYPO: Cost = 2;
/// Two typos in a completion.
pub const COST_MAX: Cost = 2 * COST_OF_TYPO + COST_OF_COMPLETION;

/// A longer word that contains the typed one: after all other matches.
pub const COST_OF_CONTAINING: Cost = COST_MAX + 1;
/// No variant has a higher cost.
pub const COST_LIMIT: Cost = COST_OF_CONTAINING;

/// Longer words are not corrected.
const TYPO_CHARS_MAX: usize = 64;

/// Returns how many typos a word may have. Numbers and codes, such as 1RG5, may have none: one wrong character makes another of them.
pub fn allowed_typos(word: &str, lengths: TypoLengths) -> u8 {
    let chars = word.chars().count();
    if chars > TYPO_CHARS_MAX || word.chars().any(char::is_numeric) {
        0
    } else {
        u8::from(chars >= lengths.one) + u8::from(chars >= lengths.two)
    }
}

/// Returns the cost of a word that is typed like this; `None` if it has too many typos.
pub fn variant_cost(typed: &[char], word: &str, completed: bool, typos_max: u8) -> Option<Cost> {
    let penalty = usize::from(word.chars().next() != typed.first().copied());
    let (whole, beginning) = edit_distances(typed, word);
    let cost = |distance: usize, completion: Cost| {
        let typos = u8::try_from(distance + penalty).ok().filter(|typos| *typos <= typos_max)?;
        Some(typos * COST_OF_TYPO + completion)
    };
    let whole_cost = cost(whole, 0).filter(|cost| *cost > 0);
    let completion_cost = if completed { cost(beginning, COST_OF_COMPLETION) } else { None };
    whole_cost.into_iter().chain(completion_cost).min()
}

/// Returns the optimal string alignment distance, which edits each character at most once, to the word and to its closest beginning.
fn edit_distances(typed: &[char], word: &str) -> (usize, usize) {
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
    let distances: Vec<usize> = rows.iter().map(|row| row[typed.len()]).collect();
    (distances.last().copied().unwrap_or(0), distances.iter().copied().min().unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chars(text: &str) -> Vec<char> {
        text.chars().collect()
    }

    #[test]
    fn an_insertion_deletion_substitution_or_transposition_is_one_typo() {
        for (typed, word, expected) in
            [("wing", "wing", 0), ("wng", "wing", 1), ("wiing", "wing", 1), ("wang", "wing", 1), ("wnig", "wing", 1), ("", "ab", 2)]
        {
            assert_eq!(edit_distances(&chars(typed), word).0, expected, "{typed} {word}");
        }
        assert_eq!(edit_distances(&chars("ca"), "abc").0, 3);
        assert_eq!(edit_distances(&chars("été"), "ete").0, 2);
    }

    #[test]
    fn a_completion_counts_the_typos_in_its_beginning() {
        for (typed, expected) in [("dict", 0), ("dcit", 1), ("dixt", 1)] {
            assert_eq!(edit_distances(&chars(typed), "dictionary").1, expected, "{typed}");
        }
    }

    #[test]
    fn a_wrong_first_letter_costs_as_much_as_two_typos() {
        let cost = |typed: &str, word: &str, completed, typos| variant_cost(&chars(typed), word, completed, typos);
        assert_eq!(cost("wimg", "wing", false, 1), Some(2));
        assert_eq!(cost("ving", "wing", false, 1), None);
        assert_eq!(cost("vings", "wings", false, 2), Some(4));
        assert_eq!(cost("dcit", "dictionary", true, 1), Some(3));
        assert_eq!(cost("dict", "dictionary", true, 1), Some(1));
        assert_eq!(cost("dicct", "dict", true, 1), Some(2));
    }

    #[test]
    fn long_words_may_have_more_typos_and_numbers_none() {
        let lengths = TypoLengths { one: 4, two: 8 };
        for (word, expected) in [("abc", 0), ("abcd", 1), ("abcdefg", 1), ("abcdefgh", 2), ("198419", 0), ("b2bb", 0), ("ééé", 0)] {
            assert_eq!(allowed_typos(word, lengths), expected, "{word}");
        }
        assert_eq!(allowed_typos(&"x".repeat(65), lengths), 0);
    }
}
