//! The groups of collapsed results: each document belongs to its first value of a field. An empty text is no value.

use std::collections::HashMap;

use tantivy::columnar::StrColumn;
use tantivy::{DocId, SegmentReader};

use crate::failure::{Failure, Result};
use crate::numbers::{Number, NumberColumn, NumberKey};
use crate::schema::IndexSchema;
use crate::search::facets::units::Units;
use crate::search::reply::GroupValue;
use crate::search_field::SearchField;
use crate::spec::FieldKind;

/// The group of a document without a value.
pub const ALONE: u32 = u32::MAX;

/// Assigns documents to groups, which have numbers from 0 on across segments.
pub struct GroupTable<'a> {
    search_field: &'a SearchField,
    texts: HashMap<Box<[u8]>, u32>,
    numbers: HashMap<NumberKey, u32>,
}

enum Values {
    Missing,
    /// The ordinal of the empty text, if the segment has it.
    Texts(StrColumn, Option<u64>),
    Numbers(NumberColumn),
}

impl<'a> GroupTable<'a> {
    pub fn new(schema: &'a IndexSchema, name: &str) -> Result<GroupTable<'a>> {
        let search_field = schema.field(name)?;
        if !matches!(search_field.kind, FieldKind::Keyword | FieldKind::Number) {
            let kind = search_field.kind.name();
            return Err(Failure::unsupported(format!("the embedded engine cannot collapse by `{name}`, a {kind} field")));
        }
        Ok(GroupTable { search_field, texts: HashMap::new(), numbers: HashMap::new() })
    }

    /// Returns the group of each document of a segment.
    pub fn assign(&mut self, reader: &SegmentReader, documents: impl Iterator<Item = DocId>) -> Result<Vec<u32>> {
        match self.values(reader)? {
            Values::Missing => Ok(documents.map(|_| ALONE).collect()),
            Values::Numbers(column) => Ok(documents
                .map(|document| {
                    let next = self.numbers.len() as u32;
                    column.first(document).map_or(ALONE, |number| *self.numbers.entry(number.key()).or_insert(next))
                })
                .collect()),
            Values::Texts(column, empty) => {
                let first = |document| column.term_ords(document).find(|ordinal| Some(*ordinal) != empty);
                let ordinals: Vec<Option<u64>> = documents.map(first).collect();
                let mut distinct: Vec<u64> = ordinals.iter().flatten().copied().collect();
                distinct.sort_unstable();
                distinct.dedup();
                let mut groups = Vec::with_capacity(distinct.len());
                column.dictionary().sorted_ords_to_term_cb(&distinct, |text| groups.push(self.text_group(text)))?;
                let group = |ordinal: u64| distinct.binary_search(&ordinal).ok().and_then(|index| groups.get(index).copied());
                Ok(ordinals.into_iter().map(|ordinal| ordinal.and_then(group).unwrap_or(ALONE)).collect())
            }
        }
    }

    /// Returns the number of groups.
    pub fn len(&self) -> usize {
        self.texts.len() + self.numbers.len()
    }

    /// Returns the value of the group of a document, or `None` without a value.
    pub fn value(&self, reader: &SegmentReader, document: DocId) -> Result<Option<GroupValue>> {
        Ok(match self.values(reader)? {
            Values::Missing => None,
            Values::Numbers(column) => column.first(document).map(|number| match number {
                Number::Float(float) => GroupValue::Number(float),
                Number::Large(whole) => GroupValue::Large { large: whole.to_string() },
            }),
            Values::Texts(column, empty) => {
                let Some(ordinal) = column.term_ords(document).find(|ordinal| Some(*ordinal) != empty) else { return Ok(None) };
                let mut text = String::new();
                column.ord_to_str(ordinal, &mut text)?;
                Some(GroupValue::Text(text))
            }
        })
    }

    fn text_group(&mut self, text: &[u8]) -> u32 {
        if let Some(group) = self.texts.get(text) {
            return *group;
        }
        let group = self.texts.len() as u32;
        self.texts.insert(text.into(), group);
        group
    }

    fn values(&self, reader: &SegmentReader) -> Result<Values> {
        let columns = reader.fast_fields();
        let column = &self.search_field.column;
        if matches!(self.search_field.kind, FieldKind::Number) {
            return Ok(NumberColumn::open(columns, column)?.map_or(Values::Missing, Values::Numbers));
        }
        let Some(column) = columns.str(column)? else { return Ok(Values::Missing) };
        let mut first = String::new();
        let has_empty = column.num_terms() > 0 && column.ord_to_str(0, &mut first)? && first.is_empty();
        Ok(Values::Texts(column, has_empty.then_some(0)))
    }
}

/// The documents of a segment that were found.
pub struct SegmentHits {
    pub documents: Vec<(DocId, f64)>,
    /// The group of each of them.
    pub groups: Vec<u32>,
}

/// The number of documents and the best score of each group.
pub struct GroupSummary {
    counts: Vec<u64>,
    scores: Vec<f64>,
    /// The scores of documents without a value.
    alone: Vec<f64>,
}

impl GroupSummary {
    pub fn new(groups: usize, segments: &[SegmentHits]) -> GroupSummary {
        let mut summary = GroupSummary { counts: vec![0; groups], scores: vec![0.0; groups], alone: Vec::new() };
        for ((_, score), group) in segments.iter().flat_map(SegmentHits::iter) {
            match (summary.counts.get_mut(group as usize), summary.scores.get_mut(group as usize)) {
                (Some(count), Some(best)) => {
                    *count += 1;
                    *best = best.max(score);
                }
                _ => summary.alone.push(score),
            }
        }
        summary
    }

    pub fn total(&self) -> u64 {
        (self.counts.len() + self.alone.len()) as u64
    }

    pub fn count(&self, group: u32) -> u64 {
        self.counts.get(group as usize).copied().unwrap_or(1)
    }

    pub fn best_scores(&self) -> impl Iterator<Item = f64> {
        self.scores.iter().chain(&self.alone).copied()
    }

    /// A document without a value is a unit of its own.
    pub fn units(&self, readers: &[SegmentReader], segments: &[SegmentHits]) -> Units {
        let mut next_alone = self.counts.len() as u32;
        let units = readers.iter().zip(segments).map(|(reader, segment)| {
            let mut units = vec![ALONE; reader.max_doc() as usize];
            for ((document, _), group) in segment.iter() {
                units[document as usize] = group;
                if group == ALONE {
                    units[document as usize] = next_alone;
                    next_alone += 1;
                }
            }
            units
        });
        Units::new(units.collect())
    }
}

impl SegmentHits {
    pub fn iter(&self) -> impl Iterator<Item = ((DocId, f64), u32)> {
        self.documents.iter().copied().zip(self.groups.iter().copied())
    }
}
