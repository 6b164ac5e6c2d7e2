//! A token filter that joins each two neighbouring stop words of a text (`of the`). It feeds the twin field for phrases of stop words:
//! most documents have each of the words, few have them side by side.

use tantivy::tokenizer::{Token, TokenFilter, TokenStream, Tokenizer};

/// The term of two neighbouring stop words. No word has a space.
pub fn pair(first: &str, second: &str) -> String {
    format!("{first} {second}")
}

/// Expects a stream of stop words. The position of a pair is that of its first word.
#[derive(Clone)]
pub struct StopWordPairs;

impl TokenFilter for StopWordPairs {
    type Tokenizer<T: Tokenizer> = StopWordPairsTokenizer<T>;

    fn transform<T: Tokenizer>(self, inner: T) -> StopWordPairsTokenizer<T> {
        StopWordPairsTokenizer { inner, previous: Token::default(), token: Token::default() }
    }
}

#[derive(Clone)]
pub struct StopWordPairsTokenizer<T> {
    inner: T,
    previous: Token,
    token: Token,
}

impl<T: Tokenizer> Tokenizer for StopWordPairsTokenizer<T> {
    type TokenStream<'a> = StopWordPairsStream<'a, T::TokenStream<'a>>;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> Self::TokenStream<'a> {
        self.previous.reset();
        StopWordPairsStream { tail: self.inner.token_stream(text), previous: &mut self.previous, token: &mut self.token }
    }
}

pub struct StopWordPairsStream<'a, T> {
    tail: T,
    /// The previous stop word; at the start a token whose position has no successor.
    previous: &'a mut Token,
    token: &'a mut Token,
}

impl<T: TokenStream> TokenStream for StopWordPairsStream<'_, T> {
    fn advance(&mut self) -> bool {
        while self.tail.advance() {
            let word = self.tail.token();
            let is_neighbour = self.previous.position != usize::MAX && word.position == self.previous.position + 1;
            if is_neighbour {
                self.token.clone_from(self.previous);
                self.token.text.push(' ');
                self.token.text.push_str(&word.text);
                self.token.offset_to = word.offset_to;
            }
            self.previous.clone_from(word);
            if is_neighbour {
                return true;
            }
        }
        false
    }

    fn token(&self) -> &Token {
        self.token
    }

    fn token_mut(&mut self) -> &mut Token {
        self.token
    }
}
