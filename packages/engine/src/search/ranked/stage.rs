//! A stage of a ranked search, and the sum of BM25 scores that its documents need.

use crate::search::words::counted_words::CountedWords;
use crate::search::words::scale::Scale;
use crate::typos::Cost;

/// The documents with at least `needed` words, at up to this cost.
#[derive(Clone, Copy)]
pub struct Stage {
    pub needed: usize,
    pub cost: Cost,
}

/// The sum of BM25 scores that a document needs to be among the first. It holds for documents that no stage visited yet: none of them has a higher gain. It does not hold for documents that a field with stop words
/// only makes equal to the query.
pub struct SumLimit {
    scale: Scale,
    gain: u32,
    bonus_max: f32,
    /// A document whose whole text is the query has a short text, and so at least this sum. Set if one may be found.
    exact_sum: Option<f32>,
}

impl SumLimit {
    pub fn new(words: &CountedWords, Stage { needed, cost }: Stage) -> SumLimit {
        let scale = words.scale();
        let gain = words.gain_max(needed, cost);
        let exact = words.exact.as_ref().filter(|_| gain == scale.full_gain());
        let exact_sum = exact.map(|exact| exact.lowest_sum(&words.words));
        SumLimit { scale, gain, bonus_max: words.bonus_max(needed), exact_sum }
    }

    /// `threshold` is a score without the constant boost. The result may be slightly too low.
    pub fn lowest_sum(&self, threshold: f64) -> f32 {
        let lowest_sum = |gain| self.scale.lowest_sum(gain, threshold) - self.bonus_max;
        let sum = lowest_sum(self.gain);
        self.exact_sum.map_or(sum, |exact_sum| sum.min(exact_sum.max(lowest_sum(self.gain + 1))))
    }
}

/// Returns a function for the sum of BM25 scores that a document needs for a score. It holds for documents that no stage visited yet: none of
/// them has a higher gain. A document whose whole text is the query may need less.
pub fn lowest_sum(words: &CountedWords, Stage { needed, cost }: Stage) -> impl Fn(f64) -> f32 {
    let scale = words.scale();
    let gain = words.gain_max(needed, cost);
    let bonus_max = words.bonus_max(needed);
    let is_limited = gain < scale.full_gain() && words.boosts.is_empty();
    move |threshold| if is_limited { scale.lowest_sum(gain, threshold) - bonus_max } else { 0.0 }
}
