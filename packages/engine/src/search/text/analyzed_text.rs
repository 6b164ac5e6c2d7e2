//! The words of a query in one field.

use std::ops::Range;
use std::sync::Arc;

use tantivy::Term;

use crate::accent_speller::AccentSpeller;
use crate::analysis::{Analyzer, Word};
use crate::codes::{CODE, CODE_CHARS_MAX, CODE_CHUNKS_MAX};
use crate::east_asian_words::is_segmented;
use crate::failure::Result;
use crate::fractions::as_part;
use crate::plan::{ParsedText, WeightedField};
use crate::schema::IndexSchema;
use crate::search::index::context::SearchContext;
use crate::search_field::{SearchField, TextField};
use crate::synonyms::{Member, QueryToken, Synonyms};
use crate::written_forms::with_symbols;

use super::compounds::CompoundSource;
use super::query_word::JoinedText;
use super::spellings::{SPLIT_WORDS_MAX, Spellings, TypedWord};
use super::text_limits::{TextLimits, WORDS_MAX, limit_phrases, limit_synonyms, limit_words};
use super::text_query::{TextQuery, symbol_term};

/// A text between two spaces, with its words as indexed and as typed.
pub struct Token<'a> {
    pub typed: &'a str,
    pub words: Vec<Word>,
    pub as_typed: Vec<Word>,
    /// The words with the symbols that belong to them, by position.
    symbols: Vec<(usize, String)>,
    /// The words of Chinese and Japanese text.
    pub segments: Vec<Word>,
    /// Whether it is a stop word of the collection in a text with other words.
    pub is_ignored: bool,
}

impl<'a> Token<'a> {
    pub fn new(analyzer: &Analyzer, (typed, words): (&'a str, Vec<Word>), is_ignored: bool) -> Token<'a> {
        let as_typed = analyzer.typed(typed);
        let symbols = as_typed.iter().filter_map(|word| Some((word.position, with_symbols(typed, &(word.start..word.end), &word.text)?)));
        let segments = analyzer.segments(typed);
        Token { typed, words, symbols: symbols.collect(), segments, as_typed, is_ignored }
    }

    pub fn for_synonyms(&self) -> QueryToken<'_> {
        QueryToken { typed: self.typed, words: &self.words, as_typed: &self.as_typed, symbols: &self.symbols }
    }

    /// The word as typed, with the symbols that belong to it, if there are any.
    pub fn symbols(&self, word: &Word) -> Option<&str> {
        self.symbols.iter().find(|(position, _)| *position == word.position).map(|(_, symbols)| symbols.as_str())
    }

    /// The word of Chinese or Japanese text that a pair of characters is a part of.
    pub fn segment(&self, word: &Word) -> Option<&Word> {
        self.segments.iter().find(|segment| segment.start <= word.start && word.end <= segment.end)
    }

    /// The words of Chinese and Japanese text that documents may have. A single character is one of them only if it stands alone.
    pub fn searched_segments(&self) -> impl Iterator<Item = &Word> {
        let is_alone = |segment: &Word| matches!(self.words.as_slice(), [word] if (word.start, word.end) == (segment.start, segment.end));
        self.segments.iter().filter(move |segment| is_alone(segment) || segment.text.chars().count() > 2)
    }

    /// Whether a pair of characters is the end of a word and the beginning of the next one, and others are in one word.
    pub fn is_between_segments(&self, word: &Word) -> bool {
        let is_between = word.text.chars().all(is_segmented) && self.segment(word).is_none();
        is_between && self.words.iter().any(|other| self.segment(other).is_some())
    }

    /// What tells the words of a query apart.
    pub fn key<'b>(&'b self, word: &'b Word) -> &'b str {
        let typed = || self.as_typed.iter().find(|other| other.position == word.position).map(|other| other.text.as_str());
        self.symbols(word).or_else(typed).unwrap_or(&word.text)
    }

    /// The word as it was typed.
    pub fn part(&self, word: &Word) -> &'a str {
        if self.words.len() > 1 { self.typed.get(word.start..word.end).unwrap_or(self.typed) } else { self.typed }
    }
}

/// A code that neighbouring words may be.
pub struct Code {
    pub text: String,
    /// The words, counted in all tokens.
    pub words: Range<usize>,
    pub is_unfinished: bool,
}

/// Longer texts describe what they look for.
const CODE_TOKENS_MAX: usize = 8;

/// The words of a text in one field.
pub struct AnalyzedText<'a> {
    pub search_field: &'a SearchField,
    pub text_field: &'a TextField,
    pub weight: f32,
    /// The words between spaces. The unfinished one comes last.
    pub tokens: Vec<Token<'a>>,
    pub has_unfinished: bool,
    /// Whether the unfinished word is a stop word of the collection, or may become one.
    may_lack_unfinished: bool,
    pub splits_max: usize,
    /// The index that is searched, if there is one.
    pub context: Option<&'a SearchContext<'a>>,
    accents: AccentSpeller,
    /// The phrases with their analyzed words.
    pub phrases: Vec<(&'a str, Vec<Word>)>,
    /// The synonyms of the collection.
    pub all_synonyms: Option<Arc<Synonyms>>,
    /// The synonyms of the words, with the range of analyzed words that each may replace.
    pub synonyms: Vec<(Range<usize>, Arc<Member>)>,
    /// Whether all finished words are stop words, so that the unfinished one may be completed to a stop word.
    pub finished_are_stop_words: bool,
    /// Whether stop words are searched, because the text has no other words.
    pub searches_stop_words: bool,
}

impl<'a> AnalyzedText<'a> {
    pub fn new(schema: &'a IndexSchema, text: &'a ParsedText, weighted: &WeightedField, limits: TextLimits) -> Result<AnalyzedText<'a>> {
        let (search_field, text_field) = schema.text_field(&weighted.name)?;
        let typed = text.words.iter().take(WORDS_MAX).chain(&text.unfinished);
        let analyze = |typed: &'a String| (typed.as_str(), text_field.analyzer.words(typed));
        let mut words: Vec<(&str, Vec<Word>)> = typed.map(analyze).collect();
        let has_unfinished = text.unfinished.is_some();
        limit_words(&mut words, limits.words, has_unfinished);
        let phrases = text.phrases.iter().take(WORDS_MAX);
        let accents = AccentSpeller::default();
        let spell =
            |phrase: &'a String| accents.spell_phrase(&text_field.analyzer, phrase).into_iter().map(|words| (phrase.as_str(), words));
        let mut phrases: Vec<(&str, Vec<Word>)> = phrases.flat_map(spell).collect();
        limit_phrases(&mut phrases, limits.phrase_words);
        let are_ignored = |words: &[(&str, Vec<Word>)]| {
            let mut ignored =
                words.iter().map(|(typed, words)| text.ignored_words.iter().any(|word| word == typed) || are_stop_words(words));
            text.phrases.is_empty() && ignored.all(|is_ignored| is_ignored)
        };
        let finished_are_stop_words = are_ignored(&words[..words.len() - usize::from(has_unfinished)]);
        let searches_stop_words = finished_are_stop_words && are_ignored(&words);
        let tokens = words.into_iter().map(|(typed, words)| {
            let is_ignored = !searches_stop_words && text.ignored_words.iter().any(|word| word == typed);
            Token::new(&text_field.analyzer, (typed, words), is_ignored)
        });
        let tokens: Vec<Token> = tokens.collect();
        let all_synonyms = text.synonyms.as_ref().map(|synonyms| synonyms.analyzed(&text_field.analyzer));
        let mut synonyms = find_synonyms(all_synonyms.as_deref(), &tokens);
        limit_synonyms(&mut synonyms, limits.synonym_words);
        let weight = weighted.weight;
        Ok(AnalyzedText {
            search_field,
            text_field,
            weight,
            tokens,
            has_unfinished,
            may_lack_unfinished: text.may_lack_unfinished,
            splits_max: limits.splits,
            context: None,
            accents,
            phrases,
            all_synonyms,
            synonyms,
            finished_are_stop_words,
            searches_stop_words,
        })
    }

    pub fn with_context(self, context: Option<&'a SearchContext<'a>>) -> AnalyzedText<'a> {
        AnalyzedText { context, ..self }
    }

    pub fn spellings(&self) -> Spellings<'_> {
        let AnalyzedText { search_field, text_field, weight, splits_max, context, .. } = *self;
        Spellings { search_field, text_field, weight, splits_max, context }
    }

    /// Adds other spellings of a word, by people whose keyboard lacks letters of the language or who leave out accents, and other stems of
    /// the same word.
    pub fn add_respelled(&self, query: &mut TextQuery, typed: &str, word: &Word) {
        let AnalyzedText { search_field, text_field, weight, .. } = *self;
        query.add_respelled(search_field, text_field, typed, &word.text, weight);
        for stem in self.accents.accented_stems(&text_field.analyzer, typed, &word.text) {
            query.terms.entry(Term::from_field_text(search_field.field, &stem)).or_insert(weight);
        }
    }

    /// All words as typed. They count the analyzed words that are searched, and an unfinished one.
    pub fn typed_words(&self) -> Vec<TypedWord> {
        let mut index = 0;
        let mut typed_words = Vec::new();
        let mut follows_sign = false;
        for (number, token) in self.tokens.iter().enumerate() {
            let mut end = 0;
            for as_typed in &token.as_typed {
                follows_sign |= token.typed.get(end..as_typed.start) == Some("&");
                end = as_typed.end;
                let is_unfinished = self.has_unfinished && number + 1 == self.tokens.len() && end == token.typed.len();
                let place = token.words.iter().position(|word| word.position == as_typed.position);
                let is_stop = place.is_some_and(|place| token.words[place].stop);
                let searched = place.filter(|_| !is_stop || is_unfinished).map(|place| index + place);
                let text = as_typed.text.clone();
                typed_words.push(TypedWord {
                    text,
                    searched,
                    token: number,
                    follows_sign: std::mem::take(&mut follows_sign),
                    is_unfinished,
                });
            }
            follows_sign = token.typed == "&";
            index += token.words.len();
        }
        typed_words
    }

    /// The codes that up to six neighbouring words may be, in a field of codes.
    pub fn codes(&self) -> Vec<Code> {
        let mut codes = Vec::new();
        if !self.text_field.analyzer.has_codes || self.tokens.len() > CODE_TOKENS_MAX {
            return codes;
        }
        let mut start = 0;
        for (index, first) in self.tokens.iter().enumerate() {
            let (mut text, mut end) = (String::from(CODE), start);
            for (offset, token) in self.tokens[index..].iter().take(CODE_CHUNKS_MAX).enumerate() {
                token.as_typed.iter().for_each(|word| text.push_str(as_part(&word.text)));
                end += token.words.len();
                let is_unfinished = self.has_unfinished && index + offset + 1 == self.tokens.len();
                if text.len() > CODE.len_utf8() && text.chars().count() <= CODE_CHARS_MAX {
                    codes.push(Code { text: text.clone(), words: start..end, is_unfinished });
                }
            }
            start += first.words.len();
        }
        codes
    }

    /// The query for a synonym, and the one for other spellings of it.
    pub fn member_queries(&self, member: &Member, weight: f32) -> (TextQuery, TextQuery) {
        let AnalyzedText { search_field, text_field, .. } = *self;
        let mut query = TextQuery::default();
        match &member.symbols {
            Some(symbols) => _ = query.terms.insert(symbol_term(text_field, symbols), weight),
            None => query.add_phrase(search_field, member.words.clone(), weight),
        }
        if text_field.analyzer.has_codes && !member.joined.is_empty() {
            query.terms.insert(Term::from_field_text(text_field.forms, &format!("{CODE}{}", member.joined)), weight);
        }
        let spellings = if member.joined.is_empty() { TextQuery::default() } else { self.spellings().joined(&member.joined, member.parts) };
        (query, spellings)
    }

    /// The words that may be several ones, with their positions among the analyzed words. With an index, `spellings` knows them already.
    pub fn joined_texts(&self) -> Vec<(usize, JoinedText)> {
        let words = if self.context.is_none() { self.typed_words() } else { Vec::new() };
        let may_be_split = words.len() <= SPLIT_WORDS_MAX;
        let (field, weight) = (self.search_field.field, self.weight);
        let joined = words.into_iter().filter(|_| may_be_split);
        joined.filter_map(|word| Some((word.searched?, JoinedText { field, text: word.text, weight }))).collect()
    }

    /// Where the compounds of a word come from, if the language has any.
    pub fn compound_sources(&self, token: &Token, word: &Word) -> Vec<CompoundSource> {
        self.sources_for_word(word, token.part(word).to_lowercase(), false)
    }

    /// Where the compounds of a synonym come from, if it is one word: Schreibtischlampe for `leuchte`, a synonym of Lampe.
    pub fn synonym_compounds(&self, member: &Member) -> Vec<CompoundSource> {
        match member.words.as_slice() {
            [word] if member.symbols.is_none() => self.sources_for_word(word, member.written_form.clone(), true),
            _ => Vec::new(),
        }
    }

    fn sources_for_word(&self, word: &Word, typed: String, is_synonym: bool) -> Vec<CompoundSource> {
        if !self.text_field.analyzer.has_compounds() || word.stop {
            return Vec::new();
        }
        let (field, weight, analyzer) = (self.search_field.field, self.weight, self.text_field.analyzer.clone());
        let stem = word.text.clone();
        let grades = analyzer.grades(&stem);
        let source = CompoundSource { field, analyzer, stem, typed, weight, is_synonym };
        let graded = grades.into_iter().map(|(stem, typed)| CompoundSource { stem, typed, ..source.clone() });
        graded.chain([source.clone()]).flat_map(CompoundSource::with_long_stem).collect()
    }

    /// The stop word in its twin field, for a word that lacks its accents: `uber` for über.
    pub fn plain_stop_word(&self, token: &Token, word: &Word) -> Option<Term> {
        let field = self.text_field.stop_words.filter(|_| !word.stop && !token.is_ignored)?;
        let plain = token.as_typed.iter().find(|other| other.position == word.position)?;
        let typed = token.typed.get(word.start..word.end).unwrap_or(token.typed);
        let lacks_accents = typed.to_lowercase() == plain.text;
        let stop_word = self.text_field.analyzer.plain_stop_word(&plain.text).filter(|_| lacks_accents)?;
        Some(Term::from_field_text(field, &stop_word))
    }

    /// Whether all words are stop words, with or without their accents.
    pub fn has_only_stop_words(&self) -> bool {
        let mut words = self.tokens.iter().flat_map(|token| token.words.iter().map(move |word| (token, word)));
        self.phrases.is_empty() && words.all(|(token, word)| word.stop || self.plain_stop_word(token, word).is_some())
    }

    pub fn is_searched(&self, token: &Token, word: &Word) -> bool {
        !token.is_ignored && (!word.stop || self.searches_stop_words)
    }

    /// Whether the last, unfinished word is a stop word or may become one, and the text has other words.
    pub fn is_optional(&self, last: &Word) -> bool {
        let unfinished = self.tokens.len() - 1;
        let is_other = |index: usize, word: &Word| !word.stop && (index < unfinished || word.position != last.position);
        let tokens = self.tokens.iter().enumerate().filter(|(index, token)| !token.is_ignored || *index == unfinished);
        let has_others = tokens.into_iter().any(|(index, token)| token.words.iter().any(|word| is_other(index, word)));
        let may_be_stop_word = self.may_lack_unfinished || self.text_field.analyzer.begins_stop_word(&last.text);
        (has_others || !self.phrases.is_empty()) && may_be_stop_word
    }
}

fn are_stop_words(words: &[Word]) -> bool {
    words.iter().all(|word| word.stop)
}

fn find_synonyms(synonyms: Option<&Synonyms>, tokens: &[Token]) -> Vec<(Range<usize>, Arc<Member>)> {
    let Some(synonyms) = synonyms.filter(|synonyms| !synonyms.is_empty()) else { return Vec::new() };
    synonyms.find(&tokens.iter().map(Token::for_synonyms).collect::<Vec<_>>())
}
