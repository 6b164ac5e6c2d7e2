//! Finds similar words for the words of a query that no visible document has.

use std::collections::{HashMap, HashSet};

use serde::Serialize;
use tantivy::schema::IndexRecordOption;
use tantivy::{DocSet, TERMINATED, Term};

use crate::analysis::{Analyzer, Word};
use crate::failure::Result;
use crate::plan::{Node, ParsedText, TypoLengths, WeightedField};
use crate::search::index::context::SearchContext;
use crate::search::order::hits;
use crate::search::similar::read_entity;
use crate::search::text::expansion::{Expansion, expand};
use crate::search_field::{SearchField, TextField};
use crate::typos::{COST_OF_TYPO, allowed_typos, variant_cost};

/// A word of a query, as typed, and similar words that visible documents have: the closest first, then the most frequent.
#[derive(Serialize)]
pub struct Correction {
    word: String,
    alternatives: Vec<String>,
}

/// The most words to correct, and the most alternatives of a word.
pub const WORDS_MAX: usize = 32;
pub const ALTERNATIVES_MAX: usize = 3;

/// More than a match allows, because a person decides about the correction.
const TYPO_LENGTHS: TypoLengths = TypoLengths { one: 3, two: 5 };

/// Returns the words of all matches that no visible document has, if there are similar words.
pub fn find(context: &SearchContext, nodes: &[Node]) -> Result<Vec<Correction>> {
    let mut corrections: Vec<Correction> = Vec::new();
    for node in nodes {
        match node {
            Node::Match { text, fields, .. } => add_text(context, text, fields, &mut corrections)?,
            Node::Mix { parts, .. } => {
                for part in parts {
                    if let Node::Match { text, fields, .. } = &part.node {
                        add_text(context, text, fields, &mut corrections)?;
                    }
                }
            }
            _ => {}
        }
    }
    Ok(corrections)
}

fn add_text(context: &SearchContext, text: &ParsedText, fields: &[WeightedField], corrections: &mut Vec<Correction>) -> Result<()> {
    for typed in text.words.iter().chain(&text.unfinished).take(WORDS_MAX) {
        if corrections.iter().any(|correction| correction.word == *typed) {
            continue;
        }
        let mut expansions = Vec::new();
        let mut is_known = false;
        for weighted in fields {
            let (search_field, text_field) = context.schema.text_field(&weighted.name)?;
            let words = text_field.analyzer.words(typed);
            for word in &words {
                let field = text_field.stop_words.filter(|_| word.stop).unwrap_or(search_field.field);
                is_known |= context.statistics().doc_freq(&Term::from_field_text(field, &word.text))? > 0;
            }
            if let ([word], [as_typed]) = (words.as_slice(), text_field.analyzer.typed(typed).as_slice()) {
                expansions.extend(similar_words(context, search_field, text_field, &weighted.name, word, as_typed)?);
            }
        }
        if is_known {
            continue;
        }
        expansions.sort_by(|left, right| (left.cost, right.frequency, &left.text).cmp(&(right.cost, left.frequency, &right.text)));
        let mut alternatives: Vec<String> = Vec::new();
        for expansion in expansions {
            if alternatives.len() < ALTERNATIVES_MAX && !alternatives.contains(&expansion.text) {
                alternatives.push(expansion.text);
            }
        }
        if !alternatives.is_empty() {
            corrections.push(Correction { word: typed.clone(), alternatives });
        }
    }
    Ok(())
}

/// Returns how many typos a word may have to be corrected.
pub fn correction_typos(word: &str) -> u8 {
    allowed_typos(word, TYPO_LENGTHS)
}

/// A word of a text that is similar to another.
#[derive(Debug, Serialize, PartialEq, Eq)]
pub struct SimilarForm {
    /// As it is compared: as typed, or as indexed.
    compared: String,
    /// As typed.
    text: String,
    typos: u8,
}

/// Returns the words of texts that may correct a word, each in its first form, for an engine that cannot list the words of its index. Leaves
/// out stop words.
pub fn find_similar_forms(analyzer: &Analyzer, word: &str, compares_typed: bool, texts: &[String]) -> Vec<SimilarForm> {
    let typos_max = if analyzer.has_codes { 0 } else { correction_typos(word) };
    let characters: Vec<char> = word.chars().collect();
    let mut analyze = analyzer.reader();
    let mut known = HashSet::new();
    let mut forms = Vec::new();
    for text in texts {
        let typed: HashMap<usize, String> = analyzer.typed(text).into_iter().map(|word| (word.position, word.text)).collect();
        for indexed in analyze(text).into_iter().filter(|word| !word.stop) {
            let Some(form) = typed.get(&indexed.position) else { continue };
            let compared = if compares_typed { form.clone() } else { indexed.text };
            if known.contains(&compared) {
                continue;
            }
            if let Some(cost) = variant_cost(&characters, &compared, false, typos_max) {
                forms.push(SimilarForm { compared: compared.clone(), text: form.clone(), typos: cost / COST_OF_TYPO });
            }
            known.insert(compared);
        }
    }
    forms
}

fn similar_words(
    context: &SearchContext,
    search_field: &SearchField,
    text_field: &TextField,
    name: &str,
    word: &Word,
    as_typed: &Word,
) -> Result<Vec<Expansion>> {
    let similar = |field, text: &str| {
        let typos = correction_typos(text);
        if typos == 0 || text_field.analyzer.has_codes {
            Ok(Vec::new())
        } else {
            expand(context, field, text, false, typos, ALTERNATIVES_MAX, |_| true)
        }
    };
    if let Some(typed_field) = text_field.typed {
        return similar(typed_field, &as_typed.text);
    }
    let mut expansions = similar(search_field.field, &word.text)?;
    for expansion in &mut expansions {
        if let Some(text) = find_form(context, search_field, text_field, name, &expansion.text)? {
            expansion.text = text;
        }
    }
    Ok(expansions)
}

/// Returns a form of an indexed word, as it stands in the first visible document by id.
fn find_form(
    context: &SearchContext,
    search_field: &SearchField,
    text_field: &TextField,
    name: &str,
    indexed: &str,
) -> Result<Option<String>> {
    let term = Term::from_field_text(search_field.field, indexed);
    let mut firsts = Vec::new();
    for (segment, reader) in context.searcher.segment_readers().iter().enumerate() {
        context.cancel_token.check()?;
        let Some(mut postings) = reader.inverted_index(search_field.field)?.read_postings(&term, IndexRecordOption::Basic)? else {
            continue;
        };
        let Some(ids) = reader.fast_fields().str(crate::schema::ID_COLUMN)? else { continue };
        let visible = context.visible_segment(segment, reader);
        let mut first = None;
        while postings.doc() != TERMINATED {
            let document = postings.doc();
            if visible.contains(document) {
                let id = ids.term_ords(document).next();
                first = first.into_iter().chain(id.map(|id| (id, document))).min();
            }
            postings.advance();
        }
        firsts.extend(first.map(|(_, document)| (segment, document)));
    }
    let ids = hits::ids(context.searcher, &firsts)?;
    let Some((_, (segment, document))) = ids.into_iter().zip(firsts).min() else { return Ok(None) };
    let Some(entity) = read_entity(context, segment, document)? else { return Ok(None) };
    let texts = context.schema.texts(&entity);
    let texts = texts.iter().filter(|(attribute, _)| attribute == name).flat_map(|(_, texts)| texts);
    let form = |text: &String| {
        let position = text_field.analyzer.words(text).into_iter().find(|word| !word.stop && word.text == indexed)?.position;
        text_field.analyzer.typed(text).into_iter().find(|word| word.position == position).map(|word| word.text)
    };
    Ok(texts.filter_map(form).next())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn similar_forms_are_compared_as_typed_or_as_indexed() {
        let analyzer = Analyzer::for_language("english").unwrap();
        let texts = ["The Wings of wing".to_owned(), "winds, WINGS".to_owned()];
        let find = |word, compares_typed| {
            let forms = find_similar_forms(&analyzer, word, compares_typed, &texts);
            forms.into_iter().map(|form| (form.compared, form.text, form.typos)).collect::<Vec<_>>()
        };
        let form = |compared: &str, text: &str, typos| (compared.to_owned(), text.to_owned(), typos);
        assert_eq!(find("wingz", true), [form("wings", "wings", 1), form("wing", "wing", 1), form("winds", "winds", 2)]);
        assert_eq!(find("wimg", false), [form("wing", "wings", 1)]);
        assert_eq!(find("th", true), []);
    }
}
