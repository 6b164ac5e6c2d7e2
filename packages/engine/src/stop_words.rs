//! A token filter that keeps only stop words: what tantivy's own filter takes away, for the twin field that a query of nothing but stop
//! words goes to.

use tantivy::tokenizer::{RawTokenizer, StopWordFilter, TextAnalyzer, Token, TokenFilter, TokenStream, Tokenizer};

/// No list has a longer one; in bytes.
const STOP_WORD_BYTES_MAX: usize = 32;

#[derive(Clone)]
pub struct OnlyStopWords {
    /// Gives a word back unless it is a stop word: tantivy's lists cannot be read otherwise.
    others: TextAnalyzer,
}

impl OnlyStopWords {
    pub fn new(stop_words: StopWordFilter) -> OnlyStopWords {
        OnlyStopWords { others: TextAnalyzer::builder(RawTokenizer::default()).filter(stop_words).build() }
    }
}

impl TokenFilter for OnlyStopWords {
    type Tokenizer<T: Tokenizer> = OnlyStopWordsOf<T>;

    fn transform<T: Tokenizer>(self, inner: T) -> OnlyStopWordsOf<T> {
        OnlyStopWordsOf { others: self.others, inner }
    }
}

#[derive(Clone)]
pub struct OnlyStopWordsOf<T> {
    others: TextAnalyzer,
    inner: T,
}

impl<T: Tokenizer> Tokenizer for OnlyStopWordsOf<T> {
    type TokenStream<'a> = StopWordStream<'a, T::TokenStream<'a>>;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> Self::TokenStream<'a> {
        StopWordStream { others: &mut self.others, tail: self.inner.token_stream(text) }
    }
}

pub struct StopWordStream<'a, T> {
    others: &'a mut TextAnalyzer,
    tail: T,
}

impl<T: TokenStream> TokenStream for StopWordStream<'_, T> {
    fn advance(&mut self) -> bool {
        while self.tail.advance() {
            let word = &self.tail.token().text;
            if word.len() <= STOP_WORD_BYTES_MAX && !self.others.token_stream(word).advance() {
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
