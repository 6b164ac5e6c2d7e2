//! What makes a word a variant of a typed one, for an engine that cannot list the words of its index.

use serde::Deserialize;

use crate::beginnings::BEGINNING_CHARS_MAX;
use crate::typos::{COST_OF_COMPLETION, COST_OF_CONTAINING, Cost, variant_cost};

/// A word is a variant if it is a completion of the typed word, or the typed word with typos.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct VariantRule {
    /// Lower-cased and folded.
    pub typed: String,
    pub is_completed: bool,
    /// 0 to 2.
    pub typos: u8,
    pub includes_stop_words: bool,
    /// Whether longer words that contain the typed word are variants.
    #[serde(default)]
    pub contains: bool,
}

impl VariantRule {
    /// Returns the cost of a word, unless it is the typed word itself or no variant.
    pub fn cost(&self, word: &str, is_stop_word: bool) -> Option<Cost> {
        if word == self.typed || is_stop_word && !self.includes_stop_words {
            return None;
        }
        let typed: Vec<char> = self.typed.chars().collect();
        // The first letters must be right.
        let is_long = typed.len() > BEGINNING_CHARS_MAX;
        let completion = (self.is_completed && word.starts_with(&self.typed)).then_some(COST_OF_COMPLETION);
        let may_have_typos = self.typos > 0 && (is_long || !is_stop_word);
        let misspelled = if may_have_typos { variant_cost(&typed, word, self.is_completed && is_long, self.typos) } else { None };
        let containing = (self.contains && !is_stop_word && word.contains(&self.typed)).then_some(COST_OF_CONTAINING);
        completion.into_iter().chain(misspelled).chain(containing).min()
    }
}
