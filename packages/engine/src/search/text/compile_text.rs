//! Compiles a parsed text and its fields to the terms and phrases to search for.

use tantivy::Term;

use crate::accent_speller::AccentSpeller;
use crate::failure::Result;
use crate::plan::{ParsedText, WeightedField};
use crate::schema::IndexSchema;
use crate::search::index::context::SearchContext;

use super::analyzed_text::{AnalyzedText, Token};
use super::compounds::CompoundSource;
use super::query_word::JoinedText;
use super::text_limits::{TextLimits, WORDS_MAX};
use super::text_query::{TextQuery, symbol_term};

/// Longer texts describe what they look for. Their further words find no compounds.
const COMPOUND_WORDS_MAX: usize = 8;

/// Compiles a text whose documents contain any of its words, and score by all of them.
///
/// With a context, leaves out phrases of the parts of words that no document has.
pub fn compile_text(
    schema: &IndexSchema,
    text: &ParsedText,
    fields: &[WeightedField],
    limits: TextLimits,
    context: Option<&SearchContext>,
) -> Result<TextQuery> {
    let mut query = TextQuery::default();
    for weighted in fields {
        let analyzed = AnalyzedText::new(schema, text, weighted, limits)?.with_context(context);
        let AnalyzedText { search_field, text_field, .. } = analyzed;
        // Beside other words, stop words say little.
        let finds_plain_stop_words = analyzed.has_only_stop_words();
        for token in &analyzed.tokens {
            for word in &token.words {
                if let Some(symbols) = token.symbols(word).filter(|_| !token.is_ignored) {
                    query.terms.insert(symbol_term(text_field, symbols), weighted.weight);
                }
                if analyzed.is_searched(token, word) {
                    query.add_term(search_field, word, weighted.weight);
                }
                if word.stop && finds_plain_stop_words && !token.is_ignored {
                    query.terms.entry(Term::from_field_text(search_field.field, &word.text)).or_insert(weighted.weight);
                }
                query.add_plain(search_field, text_field, token.part(word), word, weighted.weight);
                if !word.stop && !token.is_ignored {
                    analyzed.add_respelled(&mut query, token.part(word), word);
                }
                if let Some(term) = analyzed.plain_stop_word(token, word).filter(|_| finds_plain_stop_words) {
                    query.terms.entry(term).or_insert(weighted.weight);
                }
            }
        }
        for segment in analyzed.tokens.iter().flat_map(Token::searched_segments) {
            query.terms.insert(Term::from_field_text(text_field.forms, &segment.text), weighted.weight);
        }
        let mut spellings = TextQuery::default();
        analyzed.spellings().find(&analyzed.typed_words(), |_, spelling, joint| spellings.add_for_word(spelling, joint));
        query.add_for_words(spellings);
        for code in analyzed.codes() {
            query.terms.insert(Term::from_field_text(text_field.forms, &code.text), weighted.weight);
        }
        for (_, member) in &analyzed.synonyms {
            let (synonym, spellings) = analyzed.member_queries(member, weighted.weight);
            query.add(&synonym);
            query.add_spelling(&spellings);
        }
        for (_, words) in analyzed.phrases {
            query.add_quoted(search_field, words, weighted.weight);
        }
    }
    Ok(query)
}

/// Returns where the compounds of the words and of their synonyms come from.
pub fn compound_sources(schema: &IndexSchema, text: &ParsedText, fields: &[WeightedField]) -> Result<Vec<CompoundSource>> {
    let mut sources = Vec::new();
    for weighted in fields {
        if schema.text_field(&weighted.name)?.1.analyzer.has_compounds() {
            let analyzed = AnalyzedText::new(schema, text, weighted, TextLimits::EMBEDDED)?;
            let words = analyzed.tokens.iter().flat_map(|token| token.words.iter().map(move |word| (token, word)));
            let searched = words.filter(|(token, word)| analyzed.is_searched(token, word)).take(COMPOUND_WORDS_MAX);
            sources.extend(searched.flat_map(|(token, word)| analyzed.compound_sources(token, word)));
            sources.extend(analyzed.synonyms.iter().take(COMPOUND_WORDS_MAX).flat_map(|(_, member)| analyzed.synonym_compounds(member)));
        }
    }
    Ok(sources)
}

/// Returns the words that may be several ones.
pub fn joined_texts(schema: &IndexSchema, text: &ParsedText, fields: &[WeightedField]) -> Result<Vec<JoinedText>> {
    let mut texts = Vec::new();
    for weighted in fields {
        let analyzed = AnalyzedText::new(schema, text, weighted, TextLimits::EMBEDDED)?;
        texts.extend(analyzed.joined_texts().into_iter().map(|(_, joined)| joined));
    }
    Ok(texts)
}

/// Compiles the excluded words and phrases of a text.
pub fn compile_excluded(schema: &IndexSchema, text: &ParsedText, fields: &[WeightedField]) -> Result<TextQuery> {
    let mut excluded = TextQuery::default();
    for weighted in fields {
        let (search_field, text_field) = schema.text_field(&weighted.name)?;
        let accents = AccentSpeller::default();
        // Analysis may split a word into several (`state-of-the-art`). They are excluded as a phrase.
        for typed in text.excluded_words.iter().chain(&text.excluded_phrases).take(WORDS_MAX) {
            match text_field.analyzer.typed_with_symbols(typed).as_slice() {
                [word] if word.text.len() > word.end - word.start => {
                    excluded.terms.insert(symbol_term(text_field, &word.text), 1.0);
                }
                _ => accents
                    .spell_phrase(&text_field.analyzer, typed)
                    .into_iter()
                    .for_each(|words| excluded.add_quoted(search_field, words, 1.0)),
            }
        }
    }
    Ok(excluded)
}
