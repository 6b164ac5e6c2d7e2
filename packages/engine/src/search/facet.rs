//! Counts of a field's values over the documents found.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use serde::Serialize;
use tantivy::columnar::{Column, StrColumn};
use tantivy::{DocId, SegmentReader};

use crate::failure::{Failure, Result};
use crate::plan::FacetRequest;
use crate::schema::IndexSchema;
use crate::spec::FieldKind;
use crate::values::{date_text, number_text, parse_date, parse_number};

use super::facet_values::{FacetValues, Table};
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
    table: Arc<Mutex<Table>>,
    /// Counts by the numbers of the table.
    by_number: Vec<u64>,
    in_segment: InSegment,
}

/// Counts within a segment: by ordinal or by the value itself, turned into text when the segment is left.
enum InSegment {
    Nothing,
    Text { column: StrColumn, counts: Vec<u32>, numbers: Option<Arc<[u32]>> },
    Number { column: Column<f64>, counts: HashMap<u64, u64> },
    Boolean { column: Column<bool>, counts: [u64; 2] },
    Date { column: Column<i64>, counts: HashMap<i64, u64> },
}

impl FacetCounts {
    pub fn new(schema: &IndexSchema, values: &FacetValues, request: &FacetRequest) -> Result<FacetCounts> {
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
            table: values.of_column(&search_field.column),
            by_number: Vec::new(),
            in_segment: InSegment::Nothing,
        })
    }

    pub fn enter(&mut self, reader: &SegmentReader) -> Result<()> {
        let columns = reader.fast_fields();
        let name = &self.column;
        self.in_segment = match self.kind {
            FieldKind::Keyword => match columns.str(name)? {
                Some(column) => {
                    let numbers = self.table.lock().unwrap_or_else(PoisonError::into_inner).numbers(reader, &column)?;
                    Some(InSegment::Text { counts: vec![0; column.num_terms()], column, numbers })
                }
                None => None,
            },
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
            InSegment::Text { column, counts, .. } => {
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
        let counts = &mut self.counts;
        let mut add = |value: &str, count| add(counts, value, count);
        match std::mem::replace(&mut self.in_segment, InSegment::Nothing) {
            InSegment::Nothing => {}
            InSegment::Text { numbers: Some(numbers), counts, .. } => {
                let end = numbers.iter().max().map_or(0, |last| *last as usize + 1);
                self.by_number.resize(end.max(self.by_number.len()), 0);
                numbers.iter().zip(counts).for_each(|(number, count)| self.by_number[*number as usize] += u64::from(count));
            }
            InSegment::Text { column, counts, numbers: None } => {
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
        let table = Arc::clone(&self.table);
        let table = table.lock().unwrap_or_else(PoisonError::into_inner);
        let numbered = std::mem::take(&mut self.by_number);
        let numbered = numbered.into_iter().enumerate().filter(|(_, count)| *count > 0).map(|(number, count)| (table.value(number), count));
        let mut counted: Vec<(&str, u64)> = if self.counts.is_empty() {
            numbered.collect()
        } else {
            // Some segments had too many values to be numbered: theirs may be the same ones.
            numbered.for_each(|(value, count)| add(&mut self.counts, value, count));
            self.counts.iter().map(|(value, count)| (value.as_str(), *count)).collect()
        };
        let selected = request
            .selected
            .iter()
            .map(|value| {
                let written = self.written(value);
                let count = counted.iter().find(|(counted, _)| *counted == written).map_or(0, |(_, count)| *count);
                FacetOption { value: value.clone(), count }
            })
            .collect();
        let largest = counted.iter().map(|(_, count)| *count).max().unwrap_or(0);
        if request.cutoff > 0.0 {
            counted.retain(|(_, count)| *count as f64 / largest as f64 >= request.cutoff);
        }
        let distinct = counted.len() as u64;
        let statistics = statistics.then(|| steps(counted.iter().map(|(_, count)| *count as f64), largest as f64));
        FacetReply { options: page(counted, request), selected, distinct, largest, statistics }
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

fn add(counts: &mut HashMap<String, u64>, value: &str, count: u64) {
    match counts.get_mut(value) {
        Some(sum) => *sum += count,
        None => drop(counts.insert(value.to_owned(), count)),
    }
}

fn page(mut counted: Vec<(&str, u64)>, request: &FacetRequest) -> Vec<FacetOption> {
    let in_order = |left: &(&str, u64), right: &(&str, u64)| right.1.cmp(&left.1).then_with(|| left.0.cmp(right.0));
    let end = request.offset.saturating_add(request.count).min(counted.len());
    if end < counted.len() && end > 0 {
        counted.select_nth_unstable_by(end - 1, in_order);
    }
    counted.truncate(end);
    counted.sort_unstable_by(in_order);
    let options = counted.into_iter().skip(request.offset);
    options.map(|(value, count)| FacetOption { value: value.to_owned(), count }).collect()
}
