//! How text becomes searchable words: split, lower-cased, folded to ASCII letters, stemmed in its language.
//!
//! Stop words go to a twin field of their own. A query drops them, unless it has nothing else: `to be or not to be` goes to the twin. Kept
//! among the others they would make texts seem longer than they are, which costs relevance (nDCG@10 .389 for .393 on cranfield, .365 for
//! .377 on cisi).
//!
//! Completions and typos are looked for among the words as typed (`typed`): split, lower-cased and folded only, stop words among them.

use std::sync::LazyLock;

use tantivy::tokenizer::{
    AsciiFoldingFilter, Language, LowerCaser, RawTokenizer, RemoveLongFilter, Stemmer, StopWordFilter, TextAnalyzer, Token, TokenStream,
    Tokenizer, TokenizerManager,
};

use crate::failure::{Failure, Result};
use crate::stop_lists;
use crate::stop_words::OnlyStopWords;

/// Raised with every change to what a text is split into, and when indexes made until then may be wrong: the index is then built again.
pub const ANALYSER_VERSION: u32 = 5;

/// Longer words are noise (encoded data); in bytes.
const WORD_BYTES_MAX: usize = 255;

const LANGUAGES: [(&str, Option<Language>); 16] = [
    ("none", None),
    ("danish", Some(Language::Danish)),
    ("dutch", Some(Language::Dutch)),
    ("english", Some(Language::English)),
    ("finnish", Some(Language::Finnish)),
    ("french", Some(Language::French)),
    ("german", Some(Language::German)),
    ("hungarian", Some(Language::Hungarian)),
    ("italian", Some(Language::Italian)),
    ("norwegian", Some(Language::Norwegian)),
    ("portuguese", Some(Language::Portuguese)),
    ("romanian", Some(Language::Romanian)),
    ("russian", Some(Language::Russian)),
    ("spanish", Some(Language::Spanish)),
    ("swedish", Some(Language::Swedish)),
    ("turkish", Some(Language::Turkish)),
];

/// Made once: the lists of stop words are thousands of small strings, which cost each open index most of its memory and of its opening.
static ANALYSERS: LazyLock<Vec<(&str, Analyser)>> =
    LazyLock::new(|| LANGUAGES.iter().map(|(name, language)| (*name, Analyser::new(*language))).collect());

static TOKENIZERS: LazyLock<TokenizerManager> = LazyLock::new(|| {
    let manager = TokenizerManager::default();
    manager.register(SORT_TOKENIZER, TextAnalyzer::builder(RawTokenizer::default()).filter(LowerCaser).filter(AsciiFoldingFilter).build());
    for (name, analyser) in ANALYSERS.iter() {
        manager.register(&tokenizer_name(name), analyser.words.clone());
        manager.register(&typed_name(name), analyser.typed.clone());
        if let Some(stop_words) = &analyser.stop_words {
            manager.register(&stop_words_name(name), stop_words.clone());
        }
    }
    manager
});

/// One word of a text as the index knows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word {
    pub text: String,
    pub position: usize,
    pub stop: bool,
    /// Where it stands in the text, in bytes.
    pub start: usize,
    pub end: usize,
}

/// Its copies share the list of stop words.
#[derive(Clone)]
pub struct Analyser {
    words: TextAnalyzer,
    stop_words: Option<TextAnalyzer>,
    typed: TextAnalyzer,
}

impl Analyser {
    pub fn for_language(name: &str) -> Result<Analyser> {
        ANALYSERS
            .iter()
            .find(|(known, _)| *known == name)
            .map(|(_, analyser)| analyser.clone())
            .ok_or_else(|| Failure::unsupported(format!("the embedded engine does not know the language `{name}`")))
    }

    fn new(language: Option<Language>) -> Analyser {
        Analyser { words: indexing(language), stop_words: indexing_stop_words(language), typed: indexing_typed(language) }
    }

    /// The words of a text, in order.
    pub fn words(&self, text: &str) -> Vec<Word> {
        self.reader()(text)
    }

    /// The same for many texts: what reads them is made once.
    pub fn reader(&self) -> impl FnMut(&str) -> Vec<Word> + use<> {
        let (mut words, mut stop_words) = (self.words.clone(), self.stop_words.clone());
        move |text| {
            let mut found = words_by(&mut words, text, false);
            if let Some(stop_words) = &mut stop_words {
                found.extend(words_by(stop_words, text, true));
                found.sort_by_key(|word| word.position);
            }
            found
        }
    }

    /// The words of a text as typed, in order.
    pub fn typed(&self, text: &str) -> Vec<Word> {
        words_by(&mut self.typed.clone(), text, false)
    }

    pub fn has_stop_words(&self) -> bool {
        self.stop_words.is_some()
    }
}

/// What documents are split by: all words but stop words, which leave their positions empty.
fn indexing(language: Option<Language>) -> TextAnalyzer {
    let mut words =
        TextAnalyzer::builder(WordTokenizer::of(language)).filter(RemoveLongFilter::limit(WORD_BYTES_MAX)).filter_dynamic(LowerCaser);
    if let Some(stop_words) = stop_words(language) {
        words = words.filter_dynamic(stop_words);
    }
    match language {
        None => words.filter(AsciiFoldingFilter).build(),
        // The English stemmer knows no accents: folded first, résumé and resume become the same word.
        Some(Language::English) => words.filter(AsciiFoldingFilter).filter(Stemmer::new(Language::English)).build(),
        // The others read endings by their accents.
        Some(language) => words.filter(Stemmer::new(language)).filter(AsciiFoldingFilter).build(),
    }
}

/// What the twin field of stop words is split by.
fn indexing_stop_words(language: Option<Language>) -> Option<TextAnalyzer> {
    let words = TextAnalyzer::builder(WordTokenizer::of(language)).filter(LowerCaser);
    Some(words.filter(OnlyStopWords::new(stop_words(language)?)).filter(AsciiFoldingFilter).build())
}

/// What the twin field of words as typed is split by.
fn indexing_typed(language: Option<Language>) -> TextAnalyzer {
    let words = TextAnalyzer::builder(WordTokenizer::of(language)).filter(RemoveLongFilter::limit(WORD_BYTES_MAX));
    words.filter(LowerCaser).filter(AsciiFoldingFilter).build()
}

fn stop_words(language: Option<Language>) -> Option<StopWordFilter> {
    match language? {
        Language::Romanian => Some(StopWordFilter::remove(stop_lists::ROMANIAN.split_whitespace().map(str::to_owned))),
        Language::Turkish => Some(StopWordFilter::remove(stop_lists::TURKISH.split_whitespace().map(str::to_owned))),
        language => StopWordFilter::new(language),
    }
}

/// The name under which an index knows the analyser of a language.
pub fn tokenizer_name(language: &str) -> String {
    format!("querent-{language}")
}

/// The same for the twin field of its stop words.
pub fn stop_words_name(language: &str) -> String {
    format!("querent-{language}-stop")
}

/// The same for the twin field of its words as typed.
pub fn typed_name(language: &str) -> String {
    format!("querent-{language}-typed")
}

/// What a text is sorted by: itself, in small letters without accents.
pub const SORT_TOKENIZER: &str = "querent-sort";

/// All analysers, by name.
pub fn tokenizers() -> TokenizerManager {
    TOKENIZERS.clone()
}

fn words_by(analyser: &mut TextAnalyzer, text: &str, stop: bool) -> Vec<Word> {
    let mut words = Vec::new();
    analyser.token_stream(text).process(&mut |token: &Token| {
        words.push(Word { text: token.text.clone(), position: token.position, stop, start: token.offset_from, end: token.offset_to });
    });
    words
}

/// Splits into runs of letters and digits. A combining accent belongs to its letter and is dropped, as folding drops the accent of é.
#[derive(Clone)]
struct WordTokenizer {
    language: Option<Language>,
    token: Token,
}

impl WordTokenizer {
    fn of(language: Option<Language>) -> WordTokenizer {
        WordTokenizer { language, token: Token::default() }
    }
}

struct Words<'a> {
    language: Option<Language>,
    text: &'a str,
    at: usize,
    token: &'a mut Token,
}

impl Tokenizer for WordTokenizer {
    type TokenStream<'a> = Words<'a>;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> Words<'a> {
        self.token.reset();
        Words { language: self.language, text, at: 0, token: &mut self.token }
    }
}

impl TokenStream for Words<'_> {
    fn advance(&mut self) -> bool {
        self.token.text.clear();
        self.token.position = self.token.position.wrapping_add(1);
        let rest = &self.text[self.at..];
        let Some(start) = rest.find(char::is_alphanumeric) else {
            self.at = self.text.len();
            return false;
        };
        let word = &rest[start..];
        let length = word.find(|letter: char| !letter.is_alphanumeric() && !is_accent(letter)).unwrap_or(word.len());
        let language = self.language;
        self.token.text.extend(word[..length].chars().filter(|letter| !is_accent(*letter)).map(|letter| spelt(letter, language)));
        self.token.offset_from = self.at + start;
        self.token.offset_to = self.at + start + length;
        self.at = self.token.offset_to;
        true
    }

    fn token(&self) -> &Token {
        self.token
    }

    fn token_mut(&mut self) -> &mut Token {
        self.token
    }
}

/// A letter as the stemmers and lists of stop words know it.
fn spelt(letter: char, language: Option<Language>) -> char {
    match (letter, language) {
        // Lower-cased, the capital i with a dot would fall into two characters.
        ('İ', _) => 'i',
        ('I', Some(Language::Turkish)) => 'ı',
        // Today's letters with a comma below for the older ones with a cedilla.
        ('ș' | 'Ș', Some(Language::Romanian)) => 'ş',
        ('ț' | 'Ț', Some(Language::Romanian)) => 'ţ',
        (letter, _) => letter,
    }
}

/// Combining Diacritical Marks of Unicode.
fn is_accent(letter: char) -> bool {
    ('\u{300}'..='\u{36f}').contains(&letter)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(language: &str, text: &str) -> Vec<String> {
        Analyser::for_language(language).unwrap().words(text).into_iter().map(|word| word.text).collect()
    }

    #[test]
    fn english_words_are_lower_cased_folded_and_stemmed() {
        assert_eq!(texts("english", "The Cafés, running"), ["the", "cafe", "run"]);
        assert_eq!(texts("english", "résumés"), texts("english", "resume"));
    }

    #[test]
    fn an_accent_is_the_same_composed_or_not() {
        assert_eq!(texts("none", "cafe\u{301}s"), texts("none", "cafés"));
    }

    #[test]
    fn stop_words_are_marked_not_lost() {
        let words = Analyser::for_language("english").unwrap().words("the wing of a bird");
        assert_eq!(words.iter().map(|word| word.stop).collect::<Vec<_>>(), [true, false, true, true, false]);
        assert_eq!(words[4].position, 4);
    }

    /// Of each language: two forms of one word, and stop words.
    const SAMPLES: [(&str, [&str; 2], &str); 15] = [
        ("danish", ["Husene", "huset"], "og det er ikke"),
        ("dutch", ["Lichamelijk", "lichamelijke"], "de het een en"),
        ("english", ["Résumés", "resume"], "the and of"),
        ("finnish", ["Talossa", "talon"], "ja että on"),
        ("french", ["Chevaux", "chevaux"], "le les et dans"),
        ("german", ["Häuser", "HÄUSERN"], "der die und nicht"),
        ("hungarian", ["Házak", "házakat"], "a az és nem"),
        ("italian", ["Ragazzo", "ragazzi"], "il della e non"),
        ("norwegian", ["Husene", "huset"], "og det er ikke"),
        ("portuguese", ["Meninos", "menino"], "o e não uma"),
        ("romanian", ["Copiilor", "copii"], "și în nu este"),
        ("russian", ["Книги", "книгу"], "и в не на"),
        ("spanish", ["Niños", "niño"], "el la y de"),
        ("swedish", ["Husen", "huset"], "och det är inte"),
        ("turkish", ["KİTAPLAR", "kitap"], "ve bir bu için"),
    ];

    #[test]
    fn every_language_knows_its_word_forms_and_stop_words() {
        for (language, [one, other], stop_words) in SAMPLES {
            let analyser = Analyser::for_language(language).unwrap();
            assert_eq!(texts(language, one), texts(language, other), "{language}");
            assert!(analyser.words(one).iter().all(|word| !word.stop), "{language}");
            let words = analyser.words(stop_words);
            assert!(words.len() == stop_words.split(' ').count() && words.iter().all(|word| word.stop), "{language}: {words:?}");
            let typed: Vec<String> = analyser.typed(stop_words).into_iter().map(|word| word.text).collect();
            assert_eq!(typed.len(), words.len(), "{language}");
        }
        assert_eq!(SAMPLES.map(|(language, ..)| language).as_slice(), &LANGUAGES.map(|(language, _)| language)[1..]);
    }

    #[test]
    fn turkish_and_romanian_letters_are_read_as_their_stemmers_know_them() {
        assert_eq!(texts("turkish", "IŞIK"), texts("turkish", "ışık"));
        assert_eq!(texts("none", "İstanbul"), ["istanbul"]);
        assert_eq!(texts("romanian", "știință"), texts("romanian", "ştiinţă"));
    }

    #[test]
    fn words_as_typed_are_folded_and_keep_their_endings() {
        let typed = Analyser::for_language("english").unwrap().typed("The Résumés-running");
        assert_eq!(typed.iter().map(|word| word.text.as_str()).collect::<Vec<_>>(), ["the", "resumes", "running"]);
        assert_eq!((typed[1].start, typed[1].end), (4, 13));
    }

    #[test]
    fn lists_of_stop_words_are_lower_case_and_each_word_is_there_once() {
        for list in [stop_lists::ROMANIAN, stop_lists::TURKISH] {
            let words: Vec<&str> = list.split_whitespace().collect();
            assert!(words.iter().all(|word| word.chars().all(|letter| letter.is_lowercase())));
            assert_eq!(words.iter().collect::<std::collections::HashSet<_>>().len(), words.len());
        }
    }

    #[test]
    fn an_unknown_language_is_named() {
        assert!(Analyser::for_language("klingon").is_err_and(|failure| failure.message.contains("klingon")));
    }
}
