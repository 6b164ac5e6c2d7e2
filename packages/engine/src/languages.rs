//! The languages of text fields. Stop words are in `stop-words.json`, by which the server detects the language of texts too.
//!
//! The lists come from the Snowball project (BSD, <https://snowballstem.org>) and Lucene (Apache-2.0; arabic and hindi BSD, by Jacques
//! Savoy). Romanian and Turkish are selected from stopwords-iso 1.1.0 (MIT, by Gene Diaz, <https://github.com/stopwords-iso>): articles,
//! pronouns, prepositions, conjunctions and auxiliaries. The elided articles of Catalan and Irish are added.

use std::collections::HashMap;
use std::sync::LazyLock;

use frostem::Algorithm;

/// When accents are removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Folding {
    /// After stemming, because the stemmer needs the accents of endings.
    Last,
    /// Before stemming, because the stemmer ignores accents: résumé and resume become the same word.
    First,
    /// Before stemming, and in all scripts.
    AnyScript,
}

/// The scripts whose texts are split into overlapping pairs of characters, because they have no spaces between words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pairs {
    None,
    /// Chinese, Japanese and Korean.
    EastAsian,
    /// Also Thai, Lao and Khmer.
    All,
}

pub struct Language {
    pub name: &'static str,
    /// Applied one after the other.
    pub stemmers: &'static [Algorithm],
    pub folding: Folding,
    pub pairs: Pairs,
}

const fn stemmed(name: &'static str, stemmers: &'static [Algorithm]) -> Language {
    Language { name, stemmers, folding: Folding::Last, pairs: Pairs::None }
}

const fn folded(name: &'static str, stemmers: &'static [Algorithm]) -> Language {
    Language { name, stemmers, folding: Folding::AnyScript, pairs: Pairs::None }
}

pub static LANGUAGES: [Language; 28] = [
    folded("arabic", &[Algorithm::Arabic]),
    folded("armenian", &[Algorithm::Armenian]),
    stemmed("basque", &[Algorithm::Basque]),
    stemmed("catalan", &[Algorithm::Catalan]),
    stemmed("danish", &[Algorithm::Danish]),
    // Kraaij-Pohlmann knows that bomen is the plural of boom, and Porter that groene is a form of groen.
    stemmed("dutch", &[Algorithm::Dutch, Algorithm::DutchPorter]),
    Language { name: "english", stemmers: &[Algorithm::English], folding: Folding::First, pairs: Pairs::None },
    stemmed("estonian", &[Algorithm::Estonian]),
    stemmed("finnish", &[Algorithm::Finnish]),
    stemmed("french", &[Algorithm::French]),
    stemmed("german", &[Algorithm::German]),
    folded("greek", &[Algorithm::Greek]),
    folded("hindi", &[Algorithm::Hindi]),
    stemmed("hungarian", &[Algorithm::Hungarian]),
    stemmed("indonesian", &[Algorithm::Indonesian]),
    stemmed("irish", &[Algorithm::Irish]),
    stemmed("italian", &[Algorithm::Italian]),
    stemmed("lithuanian", &[Algorithm::Lithuanian]),
    stemmed("norwegian", &[Algorithm::Norwegian]),
    stemmed("portuguese", &[Algorithm::Portuguese]),
    stemmed("romanian", &[Algorithm::Romanian]),
    stemmed("russian", &[Algorithm::Russian]),
    stemmed("spanish", &[Algorithm::Spanish]),
    stemmed("swedish", &[Algorithm::Swedish]),
    stemmed("turkish", &[Algorithm::Turkish]),
    Language { name: "cjk", stemmers: &[], folding: Folding::AnyScript, pairs: Pairs::EastAsian },
    Language { name: "general", stemmers: &[], folding: Folding::AnyScript, pairs: Pairs::All },
    folded("none", &[]),
];

/// Stop words by language, in lower case, separated by spaces.
pub static STOP_LISTS: LazyLock<HashMap<String, String>> =
    LazyLock::new(|| serde_json::from_str(include_str!("stop-words.json")).expect("stop-words.json is an object of texts"));
