//! A token filter that stems words with Snowball. tantivy's own filter lacks half of the languages.

use std::mem;

use frostem::Stemmer;
use tantivy::tokenizer::{Token, TokenFilter, TokenStream, Tokenizer};

use crate::languages::Language;
use crate::stem_cache::StemCache;
use crate::word_endings::{
    LONG_BEGINNING, PREFIX, end_of_lost_infix, has_lost_prefix, is_stem, may_need_typed, prepare, shorten, without_kept_article,
};

#[derive(Clone)]
pub struct Stemming {
    language: &'static str,
    stemmers: Vec<Stemmer>,
}

impl Stemming {
    pub fn new(language: &Language) -> Stemming {
        let stemmers = language.stemmers.iter().map(|algorithm| Stemmer::new(*algorithm)).collect();
        Stemming { language: language.name, stemmers }
    }
}

impl TokenFilter for Stemming {
    type Tokenizer<T: Tokenizer> = StemmingTokenizer<T>;

    fn transform<T: Tokenizer>(self, inner: T) -> StemmingTokenizer<T> {
        StemmingTokenizer { stemming: self, inner, buffer: String::new(), cache: StemCache::default() }
    }
}

#[derive(Clone)]
pub struct StemmingTokenizer<T> {
    stemming: Stemming,
    inner: T,
    buffer: String,
    cache: StemCache,
}

impl<T: Tokenizer> Tokenizer for StemmingTokenizer<T> {
    type TokenStream<'a> = StemmedStream<'a, T::TokenStream<'a>>;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> Self::TokenStream<'a> {
        StemmedStream { stemming: &self.stemming, tail: self.inner.token_stream(text), buffer: &mut self.buffer, cache: &mut self.cache }
    }
}

/// Stems what follows each `ge` in the middle of a word that the stemmer would take out.
fn stem_parts(language: &str, word: &str, stem: &mut impl FnMut(&mut String)) -> String {
    let mut stemmed = word.to_owned();
    stem(&mut stemmed);
    let Some(end) = end_of_lost_infix(language, word, &stemmed) else { return stemmed };
    let (first, last) = word.split_at(end);
    let rest = stem_parts(language, &format!("{LONG_BEGINNING}{last}"), stem);
    rest.strip_prefix(LONG_BEGINNING).map_or_else(|| word.to_owned(), |rest| format!("{first}{rest}"))
}

pub struct StemmedStream<'a, T> {
    stemming: &'a Stemming,
    tail: T,
    buffer: &'a mut String,
    cache: &'a mut StemCache,
}

impl<T: TokenStream> TokenStream for StemmedStream<'_, T> {
    fn advance(&mut self) -> bool {
        if !self.tail.advance() {
            return false;
        }
        if self.stemming.stemmers.is_empty() {
            return true;
        }
        self.cache.stem(&mut self.tail.token_mut().text, |word| {
            let language = self.stemming.language;
            prepare(language, word);
            if is_stem(language, word) {
                return;
            }
            let mut stem = |word: &mut String| {
                for stemmer in &self.stemming.stemmers {
                    self.buffer.clear();
                    self.buffer.push_str(&stemmer.stem(word));
                    mem::swap(word, self.buffer);
                }
            };
            let typed = may_need_typed(language, word).then(|| word.clone());
            stem(word);
            shorten(language, word, &mut stem);
            let Some(typed) = typed else { return };
            if let Some(rest) = without_kept_article(language, &typed, word) {
                *word = rest.to_owned();
                stem(word);
            }
            if end_of_lost_infix(language, &typed, word).is_some() {
                *word = stem_parts(language, &typed, &mut stem);
            } else if has_lost_prefix(language, &typed, word) {
                word.insert_str(0, PREFIX);
            }
        });
        true
    }

    fn token(&self) -> &Token {
        self.tail.token()
    }

    fn token_mut(&mut self) -> &mut Token {
        self.tail.token_mut()
    }
}
