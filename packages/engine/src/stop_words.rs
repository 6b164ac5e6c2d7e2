//! A token filter that keeps only the words that tantivy's `StopWordFilter` removes. It feeds the twin field for queries that consist of
//! stop words.

use tantivy::tokenizer::{RawTokenizer, StopWordFilter, TextAnalyzer, Token, TokenFilter, TokenStream, Tokenizer};

/// No list has a longer stop word; in bytes.
const STOP_WORD_BYTES_MAX: usize = 32;

#[derive(Clone)]
pub struct OnlyStopWords {
    /// Emits a word unless it is a stop word. tantivy offers no other access to its lists.
    stop_word_remover: TextAnalyzer,
}

impl OnlyStopWords {
    pub fn new(stop_words: StopWordFilter) -> OnlyStopWords {
        OnlyStopWords { stop_word_remover: TextAnalyzer::builder(RawTokenizer::default()).filter(stop_words).build() }
    }
}

impl TokenFilter for OnlyStopWords {
    type Tokenizer<T: Tokenizer> = OnlyStopWordsTokenizer<T>;

    fn transform<T: Tokenizer>(self, inner: T) -> OnlyStopWordsTokenizer<T> {
        OnlyStopWordsTokenizer { stop_word_remover: self.stop_word_remover, inner }
    }
}

#[derive(Clone)]
pub struct OnlyStopWordsTokenizer<T> {
    stop_word_remover: TextAnalyzer,
    inner: T,
}

impl<T: Tokenizer> Tokenizer for OnlyStopWordsTokenizer<T> {
    type TokenStream<'a> = StopWordStream<'a, T::TokenStream<'a>>;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> Self::TokenStream<'a> {
        StopWordStream { stop_word_remover: &mut self.stop_word_remover, tail: self.inner.token_stream(text) }
    }
}

pub struct StopWordStream<'a, T> {
    stop_word_remover: &'a mut TextAnalyzer,
    tail: T,
}

impl<T: TokenStream> TokenStream for StopWordStream<'_, T> {
    fn advance(&mut self) -> bool {
        while self.tail.advance() {
            let word = &self.tail.token().text;
            if word.len() <= STOP_WORD_BYTES_MAX && !self.stop_word_remover.token_stream(word).advance() {
                return true;
            }
        }
        false
    }

    fn token(&self) -> &Token {
        self.tail.token()
    }

    fn token_mut(&mut self) -> &mut Token {
        self.tail.token_mut()
    }
}
