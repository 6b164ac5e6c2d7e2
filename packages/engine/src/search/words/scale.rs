//! Makes a score out of the number of words of a document, their costs, and their BM25 scores.

use crate::plan::Ranking;
use crate::search::terms::match_weight::at_least_min_positive;
use crate::typos::{COST_MAX, COST_OF_CONTAINING, Cost};

/// The BM25 score that counts half of the largest possible one.
pub const MIDDLE_SCORE: f32 = 10.0;

/// More than the error of a score as a 32-bit number, in units of a gain.
const ROUNDING: f64 = 1e-4;

#[derive(Clone, Copy)]
pub struct Scale {
    pub words: u32,
    pub ranking: Ranking,
    pub exact_bonus: f32,
}

impl Scale {
    /// A word counts more than all typos and completions of the others, a whole text and all BM25 scores.
    fn unit(self) -> u32 {
        self.words * u32::from(COST_MAX) + 3
    }

    /// `gain` is the sum of `word_gain` over the words of a document, `sum` that of its BM25 scores.
    pub fn score(self, gain: u32, sum: f32, is_exact: bool) -> f32 {
        match self.ranking {
            Ranking::Score => at_least_min_positive(sum) + if is_exact { self.exact_bonus } else { 0.0 },
            Ranking::Words => {
                let share = f64::from(sum / (sum + MIDDLE_SCORE));
                ((f64::from(gain + u32::from(is_exact)) + share) / f64::from(self.unit())) as f32
            }
        }
    }

    /// Multiplies the sum by the factor of boosts. The logarithm keeps the order of very large products, and a share below 1 keeps boosts
    /// from lifting a document over one with a higher gain or an exact text.
    pub fn boosted_score(self, gain: u32, sum: f32, is_exact: bool, factor: Option<f64>) -> f32 {
        let Some(factor) = factor else { return self.score(gain, sum, is_exact) };
        let product = (f64::from(sum) * factor / f64::from(MIDDLE_SCORE)).ln_1p();
        let share = product / (product + 1.0);
        match self.ranking {
            Ranking::Score => at_least_min_positive((f64::from(u32::from(is_exact)) + share) as f32),
            Ranking::Words => ((f64::from(gain + u32::from(is_exact)) + share) / f64::from(self.unit())) as f32,
        }
    }

    /// A longer word that contains the word gains nothing, so that all other matches come first.
    pub fn word_gain(self, cost: Cost) -> u32 {
        if cost == COST_OF_CONTAINING { 0 } else { self.unit() - u32::from(cost) }
    }

    /// The gain of a document with this many words, one of them at this cost.
    pub fn gain(self, words: usize, cost: Cost) -> u32 {
        words as u32 * self.unit() - u32::from(cost)
    }

    /// The gain of a document with all words and without typos and completions.
    pub fn full_gain(self) -> u32 {
        self.words * self.unit()
    }

    /// A score that documents with up to this gain do not reach, unless their whole text is the query.
    pub fn limit(self, gain: u32) -> f64 {
        match self.ranking {
            Ranking::Score => f64::INFINITY,
            Ranking::Words => (f64::from(gain) + 1.0 + ROUNDING) / f64::from(self.unit()),
        }
    }

    /// The lowest BM25 score of a document with this gain that reaches a score. May be slightly too low.
    pub fn lowest_sum(self, gain: u32, score: f64) -> f32 {
        match self.ranking {
            Ranking::Score => score as f32,
            Ranking::Words => {
                let share = score * f64::from(self.unit()) - f64::from(gain) - ROUNDING;
                if share <= 0.0 {
                    0.0
                } else if share >= 1.0 {
                    f32::MAX
                } else {
                    (share / (1.0 - share)) as f32 * MIDDLE_SCORE
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCALE: Scale = Scale { words: 2, ranking: Ranking::Words, exact_bonus: 0.0 };
    const SUMS: [f32; 6] = [0.0, 0.5, 3.0, 10.0, 40.0, 1_000.0];

    #[test]
    fn among_documents_of_equal_gain_the_higher_sum_comes_first() {
        for factor in [None, Some(1.0), Some(25.0)] {
            let scores = SUMS.map(|sum| SCALE.boosted_score(7, sum, false, factor));
            assert!(scores.is_sorted_by(|low, high| low < high), "{scores:?}");
        }
    }

    #[test]
    fn no_sum_lifts_a_document_over_one_with_a_higher_gain_or_an_exact_text() {
        for factor in [None, Some(1e9)] {
            let best = SCALE.boosted_score(7, 1_000.0, false, factor);
            assert!(best < SCALE.score(8, 0.0, false));
            assert!(best < SCALE.score(7, 0.0, true));
        }
    }

    #[test]
    fn a_document_with_the_lowest_sum_for_a_score_nearly_reaches_it() {
        for sum in SUMS {
            let score = f64::from(SCALE.score(7, sum, false));
            let lowest = SCALE.lowest_sum(7, score);
            assert!(lowest <= sum);
            assert!(f64::from(SCALE.score(7, lowest, false)) > score - 2.0 * ROUNDING / f64::from(SCALE.unit()));
        }
    }
}
