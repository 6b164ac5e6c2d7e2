//! A token filter that stems words with Snowball. tantivy's own filter lacks half of the languages.

use std::mem;

use frostem::Stemmer;
use tantivy::tokenizer::{Token, TokenFilter, TokenStream, Tokenizer};

use crate::languages::Language;

#[derive(Clone)]
pub struct Stemming(Vec<Stemmer>);

impl Stemming {
    pub fn new(language: &Language) -> Stemming {
        Stemming(language.stemmers.iter().map(|algorithm| Stemmer::new(*algorithm)).collect())
    }
}

impl TokenFilter for Stemming {
    type Tokenizer<T: Tokenizer> = StemmingTokenizer<T>;

    fn transform<T: Tokenizer>(self, inner: T) -> StemmingTokenizer<T> {
        StemmingTokenizer { stemmers: self.0, inner, buffer: String::new() }
    }
}

#[derive(Clone)]
pub struct StemmingTokenizer<T> {
    stemmers: Vec<Stemmer>,
    inner: T,
    buffer: String,
}

impl<T: Tokenizer> Tokenizer for StemmingTokenizer<T> {
    type TokenStream<'a> = StemmedStream<'a, T::TokenStream<'a>>;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> Self::TokenStream<'a> {
        StemmedStream { stemmers: &self.stemmers, tail: self.inner.token_stream(text), buffer: &mut self.buffer }
    }
}

pub struct StemmedStream<'a, T> {
    stemmers: &'a [Stemmer],
    tail: T,
    buffer: &'a mut String,
}

impl<T: TokenStream> TokenStream for StemmedStream<'_, T> {
    fn advance(&mut self) -> bool {
        if !self.tail.advance() {
            return false;
        }
        let token = self.tail.token_mut();
        for stemmer in self.stemmers {
            self.buffer.clear();
            self.buffer.push_str(&stemmer.stem(&token.text));
            mem::swap(&mut token.text, self.buffer);
        }
        true
    }

    fn token(&self) -> &Token {
        self.tail.token()
    }

    fn token_mut(&mut self) -> &mut Token {
        self.tail.token_mut()
    }
}
