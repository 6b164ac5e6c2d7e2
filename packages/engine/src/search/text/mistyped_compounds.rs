//! Finds the words that a mistyped part of compounds may be: `maschine` for `maschne`, which finds Nähmaschine, and `wasserkocher` for
//! `wasserkochr`, which finds Wasserkocherdeckel.

use crate::typos::variant_cost;
use crate::word_lists::find_alike;

use super::compounds::CompoundSource;
use super::single_word::single_word;

const WORD_CHARS: std::ops::RangeInclusive<usize> = 5..=24;
/// The least letters of a part with a typo, and of one without.
const MISTYPED_CHARS_MIN: usize = 4;
const EXACT_CHARS_MIN: usize = 3;
/// The most places at which a word is split.
const SPLITS_MAX: usize = 6;
const CORRECTIONS_MAX: usize = 8;

/// Returns where the compounds of the words come from that are in the word list, or made of two of its words, and have one typo less. Nobody mistyped
/// a synonym, or a word of the list: `leuchte` is not the leicht of pflegeleicht.
pub fn list(source: &CompoundSource) -> Vec<CompoundSource> {
    if source.is_synonym || source.is_listed() {
        return Vec::new();
    }
    let typed = source.analyzer.typed(&source.typed);
    let [typed] = typed.as_slice() else { return Vec::new() };
    let text = typed.text.as_str();
    if !text.is_ascii() || !WORD_CHARS.contains(&text.len()) {
        return Vec::new();
    }
    let language = source.analyzer.language();
    let mut corrections: Vec<String> = find_close(language, text).into_iter().map(str::to_owned).collect();
    let mut splits = 0;
    for (left, right) in (EXACT_CHARS_MIN..=text.len() - EXACT_CHARS_MIN).map(|place| text.split_at(place)) {
        if splits < SPLITS_MAX && right.len() >= MISTYPED_CHARS_MIN && source.analyzer.is_listed_part(left) {
            splits += 1;
            corrections.extend(find_close(language, right).into_iter().map(|right| format!("{left}{right}")));
        }
        if splits < SPLITS_MAX && left.len() >= MISTYPED_CHARS_MIN && source.analyzer.is_listed_part(right) {
            splits += 1;
            corrections.extend(find_close(language, left).into_iter().map(|left| format!("{left}{right}")));
        }
    }
    let mut sources: Vec<CompoundSource> = Vec::new();
    for typed in corrections {
        let Some(word) = single_word(&source.analyzer, &typed) else { continue };
        if sources.len() < CORRECTIONS_MAX && sources.iter().all(|known| known.stem != word.text) {
            sources.push(CompoundSource { stem: word.text, typed, ..source.clone() });
        }
    }
    sources
}

/// Returns the words of the list with one typo less.
fn find_close(language: &str, word: &str) -> Vec<&'static str> {
    let typed: Vec<char> = word.chars().collect();
    find_alike(language, word, |listed| variant_cost(&typed, listed, false, 1).is_some())
}

#[cfg(test)]
mod tests {
    use tantivy::schema::Field;

    use super::*;
    use crate::analysis::Analyzer;

    fn corrections(language: &str, typed: &str, is_synonym: bool) -> Vec<String> {
        let analyzer = Analyzer::for_language(language).unwrap();
        let source = CompoundSource {
            field: Field::from_field_id(0),
            analyzer,
            stem: typed.to_owned(),
            typed: typed.to_owned(),
            weight: 1.0,
            is_synonym,
        };
        list(&source).into_iter().map(|source| source.stem).collect()
    }

    #[test]
    fn a_word_of_the_list_or_one_part_is_corrected() {
        assert!(corrections("german", "maschne", false).contains(&"maschin".to_owned()));
        assert!(corrections("german", "wasserkochr", false).contains(&"wasserkoch".to_owned()));
        assert!(corrections("dutch", "koekr", false).contains(&"koker".to_owned()));
        assert!(corrections("german", "xqzvw", false).is_empty() && corrections("german", "koc", false).is_empty());
    }

    #[test]
    fn a_synonym_and_a_word_of_the_list_are_no_typos() {
        assert!(corrections("german", "leuchte", false).is_empty());
        assert!(corrections("german", "maschne", true).is_empty());
    }
}
