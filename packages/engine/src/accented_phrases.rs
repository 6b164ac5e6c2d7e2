//! Phrases that say the same as a typed one: with `&` for `and`, and with or without the accents that people leave out. The index has no forms
//! without accents that phrases could use, so these are tried one by one.

use crate::accents::{add_accents, stop_words_with_accents};
use crate::analysis::{Analyzer, Word};
use crate::conjunctions::swap_conjunction;

/// The most phrases whose ordinary words differ by accents only, with the phrase itself.
const PHRASES_MAX: usize = 9;
/// The most phrases, with those whose stop words differ too. Most stop words are meant as they are typed.
const PHRASES_WITH_STOP_WORDS_MAX: usize = 24;
/// Longer phrases are found as they are typed only: people quote a sentence at most, and each word takes time.
const WORDS_MAX: usize = 12;
/// The most spellings that are tried for all words of a phrase together. A long word has up to 256.
const SPELLINGS_MAX: usize = 1_024;

/// Returns the words of a phrase, those of the same phrase with `&` for `and` or the other way around, and those of phrases that differ by
/// accents only, as far as their words are indexed in another form.
pub fn spell_phrase(analyzer: &Analyzer, phrase: &str) -> Vec<Vec<Word>> {
    let swapped = swap_conjunction(analyzer.language(), phrase);
    let words = analyzer.words(phrase);
    let accented = if words.len() <= WORDS_MAX { accent_phrase(analyzer, phrase, &words) } else { Vec::new() };
    std::iter::once(words).chain(swapped.map(|phrase| analyzer.words(&phrase))).chain(accented).collect()
}

fn accent_phrase(analyzer: &Analyzer, phrase: &str, words: &[Word]) -> Vec<Vec<Word>> {
    let typed = analyzer.typed(phrase);
    let mut spellings_max = SPELLINGS_MAX;
    let mut find_forms = |word: &Word| {
        let plain = typed.iter().find(|other| other.position == word.position);
        plain.map_or_else(Vec::new, |plain| accent_word(analyzer, &phrase[word.start..word.end], &plain.text, word, &mut spellings_max))
    };
    let forms: Vec<Vec<Word>> = words.iter().map(&mut find_forms).collect();
    let mut phrases = vec![words.to_vec()];
    for (place, forms) in forms.iter().enumerate().filter(|(place, _)| !words[*place].stop) {
        phrases = replace(&phrases, place, forms, PHRASES_MAX);
    }
    // Phrases with one changed stop word come first, then those with two.
    for _ in 0..2 {
        let base = phrases.clone();
        for (place, forms) in forms.iter().enumerate().filter(|(place, _)| words[*place].stop) {
            for phrase in replace(&base, place, forms, PHRASES_WITH_STOP_WORDS_MAX) {
                if phrases.len() < PHRASES_WITH_STOP_WORDS_MAX && !phrases.contains(&phrase) {
                    phrases.push(phrase);
                }
            }
        }
    }
    phrases.split_off(1)
}

/// Returns phrases as they are and with each form of the word at a place.
fn replace(phrases: &[Vec<Word>], place: usize, forms: &[Word], max: usize) -> Vec<Vec<Word>> {
    let with_form = |words: &Vec<Word>, form: &Word| {
        let mut words = words.clone();
        words[place] = form.clone();
        words
    };
    let changed = forms.iter().flat_map(|form| phrases.iter().map(move |words| with_form(words, form)));
    phrases.iter().cloned().chain(changed).take(max).collect()
}

/// Returns a word of a phrase as it is indexed with accents that it lacks, or without those that it has.
fn accent_word(analyzer: &Analyzer, typed: &str, plain: &str, word: &Word, spellings_max: &mut usize) -> Vec<Word> {
    let typed = typed.to_lowercase();
    let mut forms: Vec<Word> = Vec::new();
    let mut add = |text: String, stop: bool| {
        let is_new = (text != word.text || stop != word.stop) && !forms.iter().any(|form| form.text == text && form.stop == stop);
        if is_new {
            forms.push(Word { text, stop, ..word.clone() });
        }
    };
    let read = |text: &str| analyzer.words(text).into_iter().filter(|word| !word.stop).map(|word| word.text);
    if typed != plain {
        if word.stop {
            read(plain).for_each(|text| add(text, false));
            return forms;
        }
        if let Some(text) = analyzer.plain_stem(&typed) {
            add(text, false);
        }
        if analyzer.is_plain_stop_word(plain) {
            add(plain.to_owned(), true);
        }
        return forms;
    }
    if word.stop {
        stop_words_with_accents(analyzer.language(), plain).for_each(|accented| read(accented).for_each(|text| add(text, false)));
        return forms;
    }
    if let Some(text) = analyzer.plain_stop_word(plain) {
        add(text, true);
    }
    if analyzer.has_plain_stems() {
        let mut spellings = add_accents(analyzer.language(), plain);
        spellings.truncate(*spellings_max);
        *spellings_max -= spellings.len();
        // One text needs one pass of the stemmer.
        read(&spellings.join(" ")).for_each(|text| add(text, false));
    }
    forms
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The words of all phrases, with a dot after stop words.
    fn spell(language: &str, phrase: &str) -> Vec<String> {
        let text = |word: &Word| if word.stop { format!("{}.", word.text) } else { word.text.clone() };
        let phrases = spell_phrase(&Analyzer::for_language(language).unwrap(), phrase);
        phrases.iter().map(|words| words.iter().map(text).collect::<Vec<_>>().join(" ")).collect()
    }

    #[test]
    fn stop_words_may_be_other_words_with_accents() {
        assert!(spell("french", "ou vivre").contains(&"ou vivr".to_owned()));
        assert!(spell("french", "où vivre").contains(&"ou. vivr".to_owned()));
        assert!(spell("french", "la ou je suis").iter().any(|phrase| phrase.starts_with("la ou je.")));
        assert!(spell("german", "fur immer").contains(&"fur. imm".to_owned()));
        assert!(spell("german", "für immer").contains(&"fur imm".to_owned()));
    }

    #[test]
    fn phrases_are_few() {
        let stop_words = "ou la des sur du ne ou la des sur du ne";
        assert_eq!(spell("french", stop_words).len(), PHRASES_WITH_STOP_WORDS_MAX);
        assert_eq!(spell("french", &format!("{stop_words} la")).len(), 1);
    }
}
