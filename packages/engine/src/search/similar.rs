//! Finds documents similar to a given one: those that share its most interesting words, as Lucene's MoreLikeThis does.

use std::collections::BTreeMap;

use tantivy::columnar::Column;
use tantivy::schema::IndexRecordOption;
use tantivy::{DocId, DocSet, TERMINATED, Term};

use crate::analysis::Analyzer;
use crate::entity::Entity;
use crate::failure::Result;
use crate::plan::WeightedField;
use crate::schema::SEQUENCE_COLUMN;
use crate::search::index::context::SearchContext;
use crate::search::text::text_query::TextQuery;

/// The most words to search for.
pub const INTERESTING_WORDS_MAX: usize = 25;

/// The most words of a field to rate. Each one costs a lookup in the index.
const WORDS_MAX: usize = 5_000;

/// Returns the words to search for, each weighted by its number of occurrences in the document. Returns `None` if no visible document has
/// this id: similar documents must not reveal what a row filter hides.
pub fn interesting_words(context: &SearchContext, id: &str, fields: &[WeightedField]) -> Result<Option<TextQuery>> {
    let fields = fields.iter().map(|weighted| Ok((weighted, context.schema.text_field(&weighted.name)?))).collect::<Result<Vec<_>>>()?;
    let Some(entity) = find_visible_entity(context, id)? else { return Ok(None) };
    let documents = context.documents() as f32;
    let mut rated_terms = Vec::new();
    let attributes = context.schema.texts(&entity);
    for (weighted, (search_field, text_field)) in fields {
        let texts = attributes.iter().filter(|(name, _)| *name == weighted.name).flat_map(|(_, texts)| texts);
        let counts = count_words(&text_field.analyzer, texts);
        context.cancel_token.check()?;
        for (word, count) in counts {
            let term = Term::from_field_text(search_field.field, &word);
            let frequency = context.statistics().doc_freq(&term)? as f32;
            // A word of this document alone finds no other document.
            if frequency > 1.0 {
                let weight = weighted.weight * count as f32;
                rated_terms.push((weight * (1.0 + documents / frequency).ln(), term, weight));
            }
        }
    }
    rated_terms.sort_unstable_by(|left, right| right.0.total_cmp(&left.0).then_with(|| left.1.cmp(&right.1)));
    rated_terms.truncate(INTERESTING_WORDS_MAX);
    let mut text_query = TextQuery::default();
    rated_terms.into_iter().for_each(|(_, term, weight)| *text_query.terms.entry(term).or_default() += weight);
    Ok(Some(text_query))
}

/// Counts the words of the texts of a field that are not stop words, up to a limit.
pub fn count_words<'a>(analyzer: &Analyzer, texts: impl Iterator<Item = &'a String>) -> BTreeMap<String, u32> {
    let mut counts = BTreeMap::new();
    let words = texts.flat_map(|text| analyzer.words(text)).filter(|word| !word.stop);
    words.take(WORDS_MAX).for_each(|word| *counts.entry(word.text).or_default() += 1);
    counts
}

/// Returns the entity of a visible document as it was indexed.
pub fn find_visible_entity(context: &SearchContext, id: &str) -> Result<Option<Entity>> {
    let term = Term::from_field_text(context.schema.id, id);
    for (segment, reader) in context.searcher.segment_readers().iter().enumerate() {
        let Some(mut postings) = reader.inverted_index(term.field())?.read_postings(&term, IndexRecordOption::Basic)? else { continue };
        let visible = context.visible_segment(segment, reader);
        // Earlier revisions of the document are deleted.
        while postings.doc() != TERMINATED {
            if visible.contains(postings.doc()) {
                return read_entity(context, segment, postings.doc());
            }
            postings.advance();
        }
    }
    Ok(None)
}

/// Returns the entity of a document as it was indexed.
pub fn read_entity(context: &SearchContext, segment: usize, document: DocId) -> Result<Option<Entity>> {
    let column: Column<u64> = context.searcher.segment_reader(segment as u32).fast_fields().u64(SEQUENCE_COLUMN)?;
    let Some(sequence) = column.first(document) else { return Ok(None) };
    Ok(context.readers.entities(&[sequence])?.pop())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_of_a_word_count_together_and_stop_words_do_not() {
        let analyzer = Analyzer::for_language("english").unwrap();
        let texts = ["The wings of a bird".to_owned(), "a wing".to_owned()];
        let counts: Vec<(String, u32)> = count_words(&analyzer, texts.iter()).into_iter().collect();
        assert_eq!(counts, [("bird".to_owned(), 1), ("wing".to_owned(), 2)]);
    }
}
