//! The numbers by which documents are found and ranked. The OpenSearch engine of the server has them too, because it ranks in queries of its
//! own: a test there compares them with these.

use serde::Serialize;

use crate::beginnings::BEGINNING_CHARS_MAX;
use crate::search::reply::corrections;
use crate::search::text::text_limits::TextLimits;
use crate::search::text::{query_word, spellings, variant};
use crate::search::words::{as_typed, beginning, counted_words, proximity, scale};
use crate::search::{mix, similar};
use crate::typos::{COST_OF_COMPLETION, COST_OF_CONTAINING, COST_OF_TYPO, Cost};

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RankingRules {
    cost_of_typo: Cost,
    cost_of_completion: Cost,
    exact_beginning_max: usize,
    expanded_words_max: usize,
    ranked_words_max: usize,
    typo_factor: f32,
    completion_factor: f32,
    middle_score: f32,
    proximity_bonus: f32,
    as_typed_bonus: f32,
    beginning_bonus: f32,
    cost_of_containing: Cost,
    containing_factor: f32,
    unfinished_part_share: f32,
    spelling_share: f32,
    further_words_max: u32,
    significant_words_max: usize,
    corrected_words_max: usize,
    alternatives_max: usize,
    rank_offset: f64,
    distribution_size: usize,
    lowest_share: f64,
}

pub const RANKING_RULES: RankingRules = RankingRules {
    cost_of_typo: COST_OF_TYPO,
    cost_of_completion: COST_OF_COMPLETION,
    exact_beginning_max: BEGINNING_CHARS_MAX,
    expanded_words_max: TextLimits::EMBEDDED.expanded_words,
    ranked_words_max: counted_words::RANKED_WORDS_MAX,
    typo_factor: variant::TYPO_FACTOR,
    completion_factor: variant::COMPLETION_FACTOR,
    middle_score: scale::MIDDLE_SCORE,
    proximity_bonus: proximity::BONUS,
    as_typed_bonus: as_typed::BONUS,
    beginning_bonus: beginning::BONUS,
    cost_of_containing: COST_OF_CONTAINING,
    containing_factor: variant::CONTAINING_FACTOR,
    unfinished_part_share: query_word::UNFINISHED_PART_SHARE,
    spelling_share: spellings::SPELLING_SHARE,
    further_words_max: proximity::FURTHER_WORDS_MAX,
    significant_words_max: similar::INTERESTING_WORDS_MAX,
    corrected_words_max: corrections::WORDS_MAX,
    alternatives_max: corrections::ALTERNATIVES_MAX,
    rank_offset: mix::RANK_OFFSET,
    distribution_size: mix::DISTRIBUTION_SIZE,
    lowest_share: mix::LOWEST_SHARE,
};
