//! A token filter that replaces each word with its first letter, its first two and its first three letters, each once per text. It feeds
//! the twin field for words that a person has just begun to type.

use rustc_hash::FxHashSet;
use tantivy::tokenizer::{Token, TokenFilter, TokenStream, Tokenizer};

/// Beginnings of words up to this number of characters are terms of the index.
pub const BEGINNING_CHARS_MAX: usize = 3;

#[derive(Clone)]
pub struct Beginnings;

impl TokenFilter for Beginnings {
    type Tokenizer<T: Tokenizer> = BeginningsTokenizer<T>;

    fn transform<T: Tokenizer>(self, inner: T) -> BeginningsTokenizer<T> {
        BeginningsTokenizer { inner, known: FxHashSet::default(), token: Token::default() }
    }
}

#[derive(Clone)]
pub struct BeginningsTokenizer<T> {
    inner: T,
    /// The beginnings in the text so far.
    known: FxHashSet<[char; BEGINNING_CHARS_MAX]>,
    token: Token,
}

impl<T: Tokenizer> Tokenizer for BeginningsTokenizer<T> {
    type TokenStream<'a> = BeginningStream<'a, T::TokenStream<'a>>;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> Self::TokenStream<'a> {
        self.known.clear();
        self.token.reset();
        BeginningStream { tail: self.inner.token_stream(text), known: &mut self.known, token: &mut self.token, chars: BEGINNING_CHARS_MAX }
    }
}

pub struct BeginningStream<'a, T> {
    tail: T,
    known: &'a mut FxHashSet<[char; BEGINNING_CHARS_MAX]>,
    token: &'a mut Token,
    /// The length of the current beginning. At the maximum, the next word follows.
    chars: usize,
}

impl<T: TokenStream> TokenStream for BeginningStream<'_, T> {
    fn advance(&mut self) -> bool {
        loop {
            if self.chars == BEGINNING_CHARS_MAX {
                if !self.tail.advance() {
                    return false;
                }
                self.chars = 0;
            }
            let text = &self.tail.token().text;
            let Some((start, character)) = text.char_indices().nth(self.chars) else {
                self.chars = BEGINNING_CHARS_MAX;
                continue;
            };
            self.chars += 1;
            let mut key = ['\0'; BEGINNING_CHARS_MAX];
            key.iter_mut().zip(text.chars().take(self.chars)).for_each(|(slot, letter)| *slot = letter);
            if self.known.insert(key) {
                self.token.text.clear();
                self.token.text.push_str(&text[..start + character.len_utf8()]);
                self.token.position = self.token.position.wrapping_add(1);
                self.token.offset_from = self.tail.token().offset_from;
                self.token.offset_to = self.tail.token().offset_to;
                return true;
            }
        }
    }

    fn token(&self) -> &Token {
        self.token
    }

    fn token_mut(&mut self) -> &mut Token {
        self.token
    }
}
