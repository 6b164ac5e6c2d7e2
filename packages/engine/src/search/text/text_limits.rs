//! The most words of a text that are searched.

use std::sync::Arc;

use serde::Deserialize;

use crate::analysis::Word;
use crate::synonyms::Member;

/// The most words of a text. Further ones are ignored; a text in a URL has at most 16 KiB anyway.
pub const WORDS_MAX: usize = 1_000;

/// The most words of a text, of its synonyms and of its phrases, each in one field. Further ones are ignored.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TextLimits {
    pub words: usize,
    pub synonym_words: usize,
    pub phrase_words: usize,
    /// The most phrases that words may be split into.
    #[serde(default = "all_splits")]
    pub splits: usize,
    /// The most words that are completed or corrected. The unfinished word is completed anyway.
    pub expanded_words: usize,
}

impl TextLimits {
    /// Those of the embedded index.
    pub const EMBEDDED: TextLimits =
        TextLimits { words: usize::MAX, synonym_words: usize::MAX, phrase_words: usize::MAX, splits: usize::MAX, expanded_words: 32 };
}

fn all_splits() -> usize {
    usize::MAX
}

/// Cuts off the words after the first `max`. The unfinished word comes last, but is cut off last too.
pub fn limit_words(words: &mut [(&str, Vec<Word>)], max: usize, has_unfinished: bool) {
    let mut rest = max;
    let (finished, unfinished) = words.split_at_mut(words.len() - usize::from(has_unfinished));
    for (_, words) in unfinished.iter_mut().chain(finished) {
        words.truncate(rest);
        rest -= words.len();
    }
}

/// Keeps the first phrases that have at most `max` words together.
pub fn limit_phrases<K>(phrases: &mut Vec<(K, Vec<Word>)>, max: usize) {
    let mut sum = 0;
    phrases.retain(|(_, words)| {
        sum += words.len();
        sum <= max
    });
}

/// Keeps the first synonyms that have at most `max` words together.
pub fn limit_synonyms<K>(synonyms: &mut Vec<(K, Arc<Member>)>, max: usize) {
    let mut sum = 0;
    synonyms.retain(|(_, member)| {
        sum += member.words.len();
        sum <= max
    });
}
