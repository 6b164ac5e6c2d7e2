//! Recognizes documents in which the whole text of a field is the query, without case, accents and punctuation.

use std::collections::HashMap;

use tantivy::columnar::StrColumn;
use tantivy::fieldnorm::FieldNormReader;
use tantivy::schema::Field;
use tantivy::{DocId, SegmentReader};

use crate::analysis::Analyzer;
use crate::failure::Result;
use crate::plan::{ParsedText, WeightedField};
use crate::schema::{IndexSchema, SORT_CHARS_MAX};

use super::term_scorer::WeightedTerm;
use super::text_query::text_field;

pub struct ExactText(Vec<ExactField>);

struct ExactField {
    analyzer: Analyzer,
    /// The words of the query as typed.
    words: Vec<String>,
    sort_column: String,
    field: Field,
    /// The number of words of the text that are not stop words.
    length: u32,
}

impl ExactText {
    /// Returns `None` for a text with phrases or exclusions: it is not written as it would stand in a field.
    pub fn new(schema: &IndexSchema, text: &ParsedText, fields: &[WeightedField]) -> Result<Option<ExactText>> {
        if !(text.phrases.is_empty() && text.excluded_words.is_empty() && text.excluded_phrases.is_empty()) {
            return Ok(None);
        }
        let typed: Vec<&str> = text.words.iter().chain(&text.unfinished).map(String::as_str).collect();
        let typed = typed.join(" ");
        if typed.chars().count() >= SORT_CHARS_MAX {
            return Ok(None);
        }
        let mut exact_fields = Vec::new();
        for weighted in fields {
            let (search_field, text_field) = text_field(schema, &weighted.name)?;
            let analyzer = text_field.analyzer.clone();
            exact_fields.push(ExactField {
                words: analyzer.typed(&typed).into_iter().map(|word| word.text).collect(),
                length: analyzer.words(&typed).iter().filter(|word| !word.stop).count() as u32,
                analyzer,
                sort_column: search_field.sort_column(),
                field: search_field.field,
            });
        }
        Ok(Some(ExactText(exact_fields)))
    }

    /// Returns a BM25 score that no document whose whole text is the query falls below, if the query is one of these terms.
    pub fn lowest_sum(&self, terms: &[&WeightedTerm]) -> f32 {
        let in_exact_fields = terms.iter().filter(|term| self.0.iter().any(|exact_field| exact_field.field == term.term.field()));
        // Documents with one word have the field norm 1.
        in_exact_fields.map(|term| term.weight.score(1, 1)).fold(f32::MAX, f32::min)
    }

    pub fn for_segment(&self, reader: &SegmentReader) -> Result<SegmentExactText> {
        let mut fields = Vec::new();
        for exact_field in &self.0 {
            if let Some(texts) = reader.fast_fields().str(&exact_field.sort_column)? {
                fields.push(SegmentExactField {
                    analyzer: exact_field.analyzer.clone(),
                    words: exact_field.words.clone(),
                    lengths: reader.get_fieldnorms_reader(exact_field.field)?,
                    length: exact_field.length,
                    texts,
                    known: HashMap::new(),
                });
            }
        }
        Ok(SegmentExactText(fields))
    }
}

pub struct SegmentExactText(Vec<SegmentExactField>);

struct SegmentExactField {
    analyzer: Analyzer,
    words: Vec<String>,
    lengths: FieldNormReader,
    length: u32,
    texts: StrColumn,
    /// Whether the text with this ordinal is the query.
    known: HashMap<u64, bool>,
}

impl SegmentExactText {
    pub fn matches(&mut self, document: DocId) -> bool {
        self.0.iter_mut().any(|field| field.matches(document))
    }
}

impl SegmentExactField {
    fn matches(&mut self, document: DocId) -> bool {
        // Reading a text costs far more than its length. Lengths up to 40 words are stored exactly.
        if self.length <= 40 && self.lengths.fieldnorm(document) != self.length {
            return false;
        }
        let mut ordinals = self.texts.term_ords(document);
        let (Some(ordinal), None) = (ordinals.next(), ordinals.next()) else { return false };
        if let Some(known) = self.known.get(&ordinal) {
            return *known;
        }
        let mut text = String::new();
        let is_read = self.texts.ord_to_str(ordinal, &mut text).unwrap_or(false);
        // A text with the most characters may have been cut off.
        let is_whole = is_read && text.chars().count() < SORT_CHARS_MAX;
        let is_equal = is_whole && self.analyzer.typed(&text).iter().map(|word| &word.text).eq(&self.words);
        self.known.insert(ordinal, is_equal);
        is_equal
    }
}
