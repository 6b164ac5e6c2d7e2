//! A token filter that keeps only stop words. It feeds the twin field for queries that consist of stop words.

use std::sync::Arc;

use rustc_hash::FxHashSet;
use tantivy::tokenizer::{Token, TokenFilter, TokenStream, Tokenizer};

/// Clones share the list.
#[derive(Clone)]
pub struct OnlyStopWords {
    list: Arc<FxHashSet<String>>,
    /// The length of the longest word of the list. Most words of a text are longer, and need not be looked up.
    bytes_max: usize,
}

impl OnlyStopWords {
    pub fn new(list: Arc<FxHashSet<String>>) -> OnlyStopWords {
        OnlyStopWords { bytes_max: list.iter().map(String::len).max().unwrap_or(0), list }
    }

    fn has(&self, word: &str) -> bool {
        word.len() <= self.bytes_max && self.list.contains(word)
    }
}

impl TokenFilter for OnlyStopWords {
    type Tokenizer<T: Tokenizer> = OnlyStopWordsTokenizer<T>;

    fn transform<T: Tokenizer>(self, inner: T) -> OnlyStopWordsTokenizer<T> {
        OnlyStopWordsTokenizer { stop_words: self, inner }
    }
}

#[derive(Clone)]
pub struct OnlyStopWordsTokenizer<T> {
    stop_words: OnlyStopWords,
    inner: T,
}

impl<T: Tokenizer> Tokenizer for OnlyStopWordsTokenizer<T> {
    type TokenStream<'a> = StopWordStream<'a, T::TokenStream<'a>>;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> Self::TokenStream<'a> {
        StopWordStream { stop_words: &self.stop_words, tail: self.inner.token_stream(text) }
    }
}

pub struct StopWordStream<'a, T> {
    stop_words: &'a OnlyStopWords,
    tail: T,
}

impl<T: TokenStream> TokenStream for StopWordStream<'_, T> {
    fn advance(&mut self) -> bool {
        while self.tail.advance() {
            if self.stop_words.has(&self.tail.token().text) {
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
