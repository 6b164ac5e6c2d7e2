//! Finds the documents in which the text of a field begins with the text of the query, as typed, without case and accents.

use std::collections::HashMap;
use std::ops::Range;

use tantivy::columnar::{StrColumn, TermOrdHit};
use tantivy::index::SegmentId;
use tantivy::termdict::TermOrdinal;
use tantivy::{DocId, SegmentReader};

use crate::collation::{SORT_CHARS_MAX, sort_beginning};
use crate::failure::Result;
use crate::plan::{ParsedText, WeightedField};
use crate::schema::IndexSchema;
use crate::search::index::context::SearchContext;

/// Added to the sum of BM25 scores.
pub const BONUS: f32 = 4.0;

/// Too many texts begin with fewer characters, and the sorted texts have no more.
const CHARS: Range<usize> = 4..SORT_CHARS_MAX;

/// Greater than each character of a text that is sorted by.
const LAST: char = '\u{10FFFF}';

#[derive(Default)]
pub struct Beginning {
    /// The beginning of the sort key of such texts. Empty if there are none.
    text: String,
    sort_columns: Vec<String>,
    /// The texts of each segment that begin so.
    segments: HashMap<SegmentId, Vec<TextRange>>,
}

/// The sorted texts of a field, and those that begin with a text.
type TextRange = (StrColumn, Range<TermOrdinal>);

impl Beginning {
    pub fn new(schema: &IndexSchema, text: &ParsedText, fields: &[WeightedField]) -> Result<Beginning> {
        if !(text.phrases.is_empty() && text.excluded_words.is_empty() && text.excluded_phrases.is_empty()) {
            return Ok(Beginning::default());
        }
        let typed: Vec<&str> = text.words.iter().chain(&text.unfinished).map(String::as_str).collect();
        let typed = typed.join(" ");
        // A single word may be the stem of another: `chat` should find the cat before châtiment.
        if !typed.contains(' ') || !CHARS.contains(&typed.chars().count()) {
            return Ok(Beginning::default());
        }
        let column = |weighted: &WeightedField| Ok(schema.text_field(&weighted.name)?.0.sort_column());
        let sort_columns = fields.iter().map(column).collect::<Result<_>>()?;
        Ok(Beginning { text: sort_beginning(&typed), sort_columns, segments: HashMap::new() })
    }

    /// The beginning of the sort key of such texts.
    pub fn text(&self) -> &str {
        &self.text
    }

    pub fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// Forgets the text if none in the index begins with it.
    pub fn retain_known(&mut self, context: &SearchContext) -> Result<()> {
        if !self.is_empty() {
            for (segment, reader) in context.searcher.segment_readers().iter().enumerate() {
                let ranges = self.ranges(context, segment, reader)?;
                if !ranges.is_empty() {
                    self.segments.insert(reader.segment_id(), ranges);
                }
            }
            if self.segments.is_empty() {
                self.text.clear();
            }
        }
        Ok(())
    }

    fn ranges(&self, context: &SearchContext, segment: usize, reader: &SegmentReader) -> Result<Vec<TextRange>> {
        let mut ranges = Vec::new();
        for column in &self.sort_columns {
            if let Some(texts) = context.columns.sort_column(segment, reader, column)? {
                let first = |text: &str| -> Result<TermOrdinal> {
                    let (TermOrdHit::Exact(ordinal) | TermOrdHit::Next(ordinal)) = texts.dictionary().term_ord_or_next(text)?;
                    Ok(ordinal)
                };
                let range = first(&self.text)?..first(&format!("{}{LAST}", self.text))?;
                if !range.is_empty() {
                    ranges.push((texts, range));
                }
            }
        }
        Ok(ranges)
    }

    /// Returns `None` if no text of the segment begins with the text.
    pub fn for_segment(&self, reader: &SegmentReader) -> Option<SegmentBeginning> {
        self.segments.get(&reader.segment_id()).map(|ranges| SegmentBeginning(ranges.clone()))
    }
}

pub struct SegmentBeginning(Vec<TextRange>);

impl SegmentBeginning {
    pub fn matches(&self, document: DocId) -> bool {
        self.0.iter().any(|(texts, range)| texts.term_ords(document).any(|ordinal| range.contains(&ordinal)))
    }
}
