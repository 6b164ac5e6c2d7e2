//! How text becomes searchable words: split, lower-cased, folded to ASCII letters, stemmed in its language.
//!
//! Stop words go to a twin field of their own. A query drops them, unless it has nothing else: `to be or not to be` goes to the twin. Kept
//! among the others they would make texts seem longer than they are, which costs relevance (nDCG@10 .389 for .393 on cranfield, .365 for
//! .377 on cisi).

use tantivy::tokenizer::{
    AsciiFoldingFilter, Language, LowerCaser, RawTokenizer, RemoveLongFilter, Stemmer, StopWordFilter, TextAnalyzer, Token, TokenStream,
    Tokenizer, TokenizerManager,
};

use crate::failure::{Failure, Result};
use crate::stop_words::OnlyStopWords;

/// Raised with every change to what a text is split into: the index is then built again.
pub const ANALYSER_VERSION: u32 = 3;

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

/// One word of a query as the index knows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word {
    pub text: String,
    pub position: usize,
    pub stop: bool,
}

#[derive(Clone)]
pub struct Analyser {
    language: Option<Language>,
}

impl Analyser {
    pub fn for_language(name: &str) -> Result<Analyser> {
        LANGUAGES
            .iter()
            .find(|(known, _)| *known == name)
            .map(|(_, language)| Analyser { language: *language })
            .ok_or_else(|| Failure::unsupported(format!("the embedded engine does not know the language `{name}`")))
    }

    /// The words of a query's text, in order.
    pub fn words(&self, text: &str) -> Vec<Word> {
        let word = |stop| move |token: Token| Word { text: token.text, position: token.position, stop };
        let mut words: Vec<Word> = tokens(&mut self.indexing(), text).into_iter().map(word(false)).collect();
        if let Some(mut stop_words) = self.indexing_stop_words() {
            words.extend(tokens(&mut stop_words, text).into_iter().map(word(true)));
            words.sort_by_key(|word| word.position);
        }
        words
    }

    pub fn has_stop_words(&self) -> bool {
        self.stop_words().is_some()
    }

    /// What documents are split by: all words but stop words, which leave their positions empty.
    fn indexing(&self) -> TextAnalyzer {
        let mut words =
            TextAnalyzer::builder(WordTokenizer::default()).filter(RemoveLongFilter::limit(WORD_BYTES_MAX)).filter_dynamic(LowerCaser);
        if let Some(stop_words) = self.stop_words() {
            words = words.filter_dynamic(stop_words);
        }
        match self.language {
            None => words.filter(AsciiFoldingFilter).build(),
            // The English stemmer knows no accents: folded first, résumé and resume become the same word.
            Some(Language::English) => words.filter(AsciiFoldingFilter).filter(Stemmer::new(Language::English)).build(),
            // The others read endings by their accents.
            Some(language) => words.filter(Stemmer::new(language)).filter(AsciiFoldingFilter).build(),
        }
    }

    /// What the twin field of stop words is split by.
    fn indexing_stop_words(&self) -> Option<TextAnalyzer> {
        let words = TextAnalyzer::builder(WordTokenizer::default()).filter(LowerCaser);
        Some(words.filter(OnlyStopWords::new(self.stop_words()?)).filter(AsciiFoldingFilter).build())
    }

    fn stop_words(&self) -> Option<StopWordFilter> {
        self.language.and_then(StopWordFilter::new)
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

/// What a text is sorted by: itself, in small letters without accents.
pub const SORT_TOKENIZER: &str = "querent-sort";

/// All analysers, by name.
pub fn tokenizers() -> TokenizerManager {
    let manager = TokenizerManager::default();
    manager.register(SORT_TOKENIZER, TextAnalyzer::builder(RawTokenizer::default()).filter(LowerCaser).filter(AsciiFoldingFilter).build());
    for (name, language) in LANGUAGES {
        let analyser = Analyser { language };
        manager.register(&tokenizer_name(name), analyser.indexing());
        if let Some(stop_words) = analyser.indexing_stop_words() {
            manager.register(&stop_words_name(name), stop_words);
        }
    }
    manager
}

fn tokens(analyser: &mut TextAnalyzer, text: &str) -> Vec<Token> {
    let mut found = Vec::new();
    analyser.token_stream(text).process(&mut |token| found.push(token.clone()));
    found
}

/// Splits into runs of letters and digits. A combining accent belongs to its letter and is dropped, as folding drops the accent of é.
#[derive(Clone, Default)]
struct WordTokenizer {
    token: Token,
}

struct Words<'a> {
    text: &'a str,
    at: usize,
    token: &'a mut Token,
}

impl Tokenizer for WordTokenizer {
    type TokenStream<'a> = Words<'a>;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> Words<'a> {
        self.token.reset();
        Words { text, at: 0, token: &mut self.token }
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
        self.token.text.extend(word[..length].chars().filter(|letter| !is_accent(*letter)));
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

    #[test]
    fn every_language_analyses_and_an_unknown_one_is_named() {
        for (language, _) in LANGUAGES {
            assert_eq!(texts(language, "1984").len(), 1);
        }
        assert!(Analyser::for_language("klingon").is_err_and(|failure| failure.message.contains("klingon")));
    }
}
