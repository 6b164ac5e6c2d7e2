//! Counts of a field's values over the documents found.

use std::collections::HashMap;

use serde::Serialize;
use tantivy::columnar::{Column, StrColumn};
use tantivy::{DocId, SegmentReader};

use crate::failure::{Failure, Result};
use crate::plan::FacetRequest;
use crate::schema::IndexSchema;
use crate::spec::FieldKind;
use crate::values::{date_text, number_text, parse_date, parse_number};

use super::steps;

#[derive(Serialize)]
pub struct FacetReply {
    options: Vec<FacetOption>,
    selected: Vec<FacetOption>,
    distinct: u64,
    largest: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    statistics: Option<[u64; 10]>,
}

#[derive(Serialize)]
struct FacetOption {
    value: String,
    count: u64,
}

pub struct FacetCounts {
    kind: FieldKind,
    column: String,
    counts: HashMap<String, u64>,
    in_segment: InSegment,
}

/// Counts within a segment: by ordinal or by the value itself, turned into text when the segment is left.
enum InSegment {
    Nothing,
    Text { column: StrColumn, counts: Vec<u32> },
    Number { column: Column<f64>, counts: HashMap<u64, u64> },
    Boolean { column: Column<bool>, counts: [u64; 2] },
    Date { column: Column<i64>, counts: HashMap<i64, u64> },
}

impl FacetCounts {
    pub fn new(schema: &IndexSchema, request: &FacetRequest) -> Result<FacetCounts> {
        let search_field = schema.field(&request.field)?;
        if matches!(search_field.kind, FieldKind::Text { .. } | FieldKind::Geo) {
            return Err(Failure::unsupported(format!(
                "the embedded engine has no options for `{}`, a {} field",
                request.field,
                search_field.kind.name()
            )));
        }
        Ok(FacetCounts {
            kind: search_field.kind.clone(),
            column: search_field.column.clone(),
            counts: HashMap::new(),
            in_segment: InSegment::Nothing,
        })
    }

    pub fn enter(&mut self, reader: &SegmentReader) -> Result<()> {
        let columns = reader.fast_fields();
        let name = &self.column;
        self.in_segment = match self.kind {
            FieldKind::Keyword => columns.str(name)?.map(|column| InSegment::Text { counts: vec![0; column.num_terms()], column }),
            FieldKind::Number => columns.column_opt(name)?.map(|column| InSegment::Number { column, counts: HashMap::new() }),
            FieldKind::Boolean => columns.column_opt(name)?.map(|column| InSegment::Boolean { column, counts: [0; 2] }),
            FieldKind::Date => columns.column_opt(name)?.map(|column| InSegment::Date { column, counts: HashMap::new() }),
            FieldKind::Text { .. } | FieldKind::Geo => None,
        }
        .unwrap_or(InSegment::Nothing);
        Ok(())
    }

    pub fn take(&mut self, document: DocId) {
        match &mut self.in_segment {
            InSegment::Nothing => {}
            InSegment::Text { column, counts } => {
                column.ords().values_for_doc(document).for_each(|ordinal| counts[ordinal as usize] += 1);
            }
            InSegment::Number { column, counts } => {
                column.values_for_doc(document).for_each(|number| *counts.entry(number.to_bits()).or_default() += 1);
            }
            InSegment::Boolean { column, counts } => {
                column.values_for_doc(document).for_each(|truth| counts[usize::from(truth)] += 1);
            }
            InSegment::Date { column, counts } => {
                column.values_for_doc(document).for_each(|moment| *counts.entry(moment).or_default() += 1);
            }
        }
    }

    /// Ends the segment.
    pub fn leave(&mut self) -> Result<()> {
        let counted = &mut self.counts;
        let mut add = |value: &str, count: u64| match counted.get_mut(value) {
            Some(sum) => *sum += count,
            None => drop(counted.insert(value.to_owned(), count)),
        };
        match std::mem::replace(&mut self.in_segment, InSegment::Nothing) {
            InSegment::Nothing => {}
            InSegment::Text { column, counts } => {
                let (ordinals, counts): (Vec<u64>, Vec<u32>) =
                    counts.into_iter().enumerate().filter(|(_, count)| *count > 0).map(|(ordinal, count)| (ordinal as u64, count)).unzip();
                let mut counts = counts.into_iter();
                column.dictionary().sorted_ords_to_term_cb(&ordinals, |bytes| {
                    add(&String::from_utf8_lossy(bytes), counts.next().unwrap_or(0).into());
                })?;
            }
            InSegment::Number { counts, .. } => {
                counts.into_iter().for_each(|(bits, count)| add(&number_text(f64::from_bits(bits)), count));
            }
            InSegment::Boolean { counts, .. } => {
                for (value, count) in ["false", "true"].into_iter().zip(counts).filter(|(_, count)| *count > 0) {
                    add(value, count);
                }
            }
            InSegment::Date { counts, .. } => counts.into_iter().for_each(|(moment, count)| add(&date_text(moment), count)),
        }
        Ok(())
    }

    pub fn into_reply(mut self, request: &FacetRequest, statistics: bool) -> FacetReply {
        let selected = request
            .selected
            .iter()
            .map(|value| FacetOption { value: value.clone(), count: self.counts.get(&self.written(value)).copied().unwrap_or(0) })
            .collect();
        let largest = self.counts.values().copied().max().unwrap_or(0);
        if request.cutoff > 0.0 {
            self.counts.retain(|_, count| *count as f64 / largest as f64 >= request.cutoff);
        }
        let distinct = self.counts.len() as u64;
        let statistics = statistics.then(|| steps(self.counts.values().map(|count| *count as f64), largest as f64));
        FacetReply { options: page(self.counts, request), selected, distinct, largest, statistics }
    }

    /// The value as options are written: `1.0` is `1`, a date in another zone is the same moment.
    fn written(&self, value: &str) -> String {
        let written = match self.kind {
            FieldKind::Number => parse_number(value).map(number_text),
            FieldKind::Date => parse_date(value).map(|(moment, _)| date_text(moment)),
            _ => None,
        };
        written.unwrap_or_else(|| value.to_owned())
    }
}

fn page(counts: HashMap<String, u64>, request: &FacetRequest) -> Vec<FacetOption> {
    let mut options: Vec<FacetOption> = counts.into_iter().map(|(value, count)| FacetOption { value, count }).collect();
    let in_order = |left: &FacetOption, right: &FacetOption| right.count.cmp(&left.count).then_with(|| left.value.cmp(&right.value));
    let end = request.offset.saturating_add(request.count).min(options.len());
    if end < options.len() && end > 0 {
        options.select_nth_unstable_by(end - 1, in_order);
    }
    options.truncate(end);
    options.sort_unstable_by(in_order);
    options.split_off(request.offset.min(end))
}
