//! Finds words that a query may mean with other accents: people leave them out. Stems may depend on accents, so the spellings of a word are stemmed
//! one by one. All words of a query share the bounds of this work.

use std::cell::Cell;

use crate::accents::{add_accents, stop_words_with_accents};
use crate::analysis::{Analyzer, Word};
use crate::conjunctions::swap_conjunction;

/// The most phrases whose ordinary words differ by accents only, with the phrase itself.
const PHRASES_MAX: usize = 9;
/// The most phrases, with those whose stop words differ too. Most stop words are meant as they are typed.
const PHRASES_WITH_STOP_WORDS_MAX: usize = 24;
/// Longer phrases are found as they are typed only: people quote a sentence at most, and each word takes time.
const PHRASE_WORDS_MAX: usize = 12;
/// The most words of all phrases of a query in one field that have other accents, and the most of its other words.
const ALL_PHRASE_WORDS_MAX: usize = 24;
const SINGLE_WORDS_MAX: usize = 12;
/// The most spellings of all words of a query, and of a word outside phrases. A long word has up to 256; those with one accent come first.
const SPELLINGS_MAX: usize = 1_024;
const SINGLE_SPELLINGS_MAX: usize = 48;

/// Spells the words of a query in one field.
pub struct AccentSpeller {
    spellings_left: Cell<usize>,
    phrase_words_left: Cell<usize>,
    single_words_left: Cell<usize>,
}

impl Default for AccentSpeller {
    fn default() -> AccentSpeller {
        AccentSpeller {
            spellings_left: Cell::new(SPELLINGS_MAX),
            phrase_words_left: Cell::new(ALL_PHRASE_WORDS_MAX),
            single_words_left: Cell::new(SINGLE_WORDS_MAX),
        }
    }
}

impl AccentSpeller {
    /// Returns the words of a phrase, those of the same phrase with `&` for `and` or the other way around, and those of phrases that differ by
    /// accents only, as far as their words are indexed in another form.
    pub fn spell_phrase(&self, analyzer: &Analyzer, phrase: &str) -> Vec<Vec<Word>> {
        let swapped = swap_conjunction(analyzer.language(), phrase);
        let words = analyzer.words(phrase);
        let may_spell = words.len() <= PHRASE_WORDS_MAX && take(&self.phrase_words_left, words.len());
        let accented = if may_spell { self.accent_phrase(analyzer, phrase, &words) } else { Vec::new() };
        std::iter::once(words).chain(swapped.map(|phrase| analyzer.words(&phrase))).chain(accented).collect()
    }

    /// Returns the stems of a word with accents that it lacks, without its own stem.
    pub fn accented_stems(&self, analyzer: &Analyzer, typed: &str, stem: &str) -> Vec<String> {
        let typed = typed.to_lowercase();
        let mut stems: Vec<String> = Vec::new();
        if typed.is_ascii() && analyzer.has_plain_stems() && take(&self.single_words_left, 1) {
            for text in self.read_accented(analyzer, &typed, SINGLE_SPELLINGS_MAX) {
                if text != stem && !stems.contains(&text) {
                    stems.push(text);
                }
            }
        }
        stems
    }

    /// Returns the stems of spellings of a word that are no stop words.
    fn read_accented(&self, analyzer: &Analyzer, plain: &str, max: usize) -> Vec<String> {
        let mut spellings = add_accents(analyzer.language(), plain);
        spellings.truncate(max.min(self.spellings_left.get()));
        self.spellings_left.set(self.spellings_left.get() - spellings.len());
        // One text needs one pass of the stemmer.
        read(analyzer, &spellings.join(" ")).collect()
    }

    fn accent_phrase(&self, analyzer: &Analyzer, phrase: &str, words: &[Word]) -> Vec<Vec<Word>> {
        let typed = analyzer.typed(phrase);
        let find_forms = |word: &Word| {
            let plain = typed.iter().find(|other| other.position == word.position);
            plain.map_or_else(Vec::new, |plain| self.accent_word(analyzer, &phrase[word.start..word.end], &plain.text, word))
        };
        let forms: Vec<Vec<Word>> = words.iter().map(find_forms).collect();
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

    /// Returns a word of a phrase as it is indexed with accents that it lacks, or without those that it has.
    fn accent_word(&self, analyzer: &Analyzer, typed: &str, plain: &str, word: &Word) -> Vec<Word> {
        let typed = typed.to_lowercase();
        let mut forms: Vec<Word> = Vec::new();
        let mut add = |text: String, stop: bool| {
            let is_new = (text != word.text || stop != word.stop) && !forms.iter().any(|form| form.text == text && form.stop == stop);
            if is_new {
                forms.push(Word { text, stop, ..word.clone() });
            }
        };
        if typed != plain {
            if word.stop {
                read(analyzer, plain).for_each(|text| add(text, false));
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
            let accented = stop_words_with_accents(analyzer.language(), plain);
            accented.for_each(|accented| read(analyzer, accented).for_each(|text| add(text, false)));
            return forms;
        }
        if let Some(text) = analyzer.plain_stop_word(plain) {
            add(text, true);
        }
        if analyzer.has_plain_stems() {
            self.read_accented(analyzer, plain, SPELLINGS_MAX).into_iter().for_each(|text| add(text, false));
        }
        forms
    }
}

/// Takes an amount from what is left, if there is enough.
fn take(left: &Cell<usize>, amount: usize) -> bool {
    let rest = left.get().checked_sub(amount);
    left.set(rest.unwrap_or(left.get()));
    rest.is_some()
}

/// Returns the words of a text that are no stop words, as they are indexed.
fn read(analyzer: &Analyzer, text: &str) -> impl Iterator<Item = String> {
    analyzer.words(text).into_iter().filter(|word| !word.stop).map(|word| word.text)
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

#[cfg(test)]
mod tests {
    use super::*;

    /// The words of all phrases, with a dot after stop words.
    fn spell(language: &str, phrase: &str) -> Vec<String> {
        let text = |word: &Word| if word.stop { format!("{}.", word.text) } else { word.text.clone() };
        let phrases = AccentSpeller::default().spell_phrase(&Analyzer::for_language(language).unwrap(), phrase);
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

    #[test]
    fn words_have_the_stems_of_their_accents() {
        let analyzer = Analyzer::for_language("portuguese").unwrap();
        let speller = AccentSpeller::default();
        assert!(speller.accented_stems(&analyzer, "pao", "pao").contains(&"pa".to_owned()));
        assert!(speller.accented_stems(&analyzer, "pão", "pa").is_empty());
    }

    #[test]
    fn the_words_of_a_query_share_their_bounds() {
        let analyzer = Analyzer::for_language("french").unwrap();
        let speller = AccentSpeller::default();
        let spell = || speller.spell_phrase(&analyzer, "ou vivre").len();
        assert!((0..ALL_PHRASE_WORDS_MAX / 2).all(|_| spell() > 1));
        assert_eq!(spell(), 1);
    }
}
