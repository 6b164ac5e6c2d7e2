//! The variants of a word: its completions, corrections and other spellings.

use crate::plan::Ranking;
use crate::typos::{COST_OF_COMPLETION, COST_OF_CONTAINING, COST_OF_TYPO, Cost};

pub const TYPO_FACTOR: f32 = 0.5;
pub const COMPLETION_FACTOR: f32 = 0.8;
/// So little that all other matches come first.
pub const CONTAINING_FACTOR: f32 = 0.001;

/// A term that stands for a word, at a cost.
#[derive(Clone, Copy)]
pub struct Variant {
    /// Weight of the field.
    pub weight: f32,
    pub cost: Cost,
    /// Number of documents with the word.
    pub frequency: u64,
}

/// Returns the factor of the score of a variant, if scores alone decide the order.
pub fn variant_factor(cost: Cost, ranking: Ranking) -> f32 {
    match ranking {
        Ranking::Words => 1.0,
        Ranking::Score if cost == COST_OF_CONTAINING => CONTAINING_FACTOR,
        Ranking::Score => {
            let typos = i32::from(cost / COST_OF_TYPO);
            let is_completion = cost % COST_OF_TYPO == COST_OF_COMPLETION;
            TYPO_FACTOR.powi(typos) * if is_completion { COMPLETION_FACTOR } else { 1.0 }
        }
    }
}
