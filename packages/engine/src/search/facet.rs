//! Counts of a field's values over the documents found.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::fmt::Debug;
use std::hash::Hash;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde::Serialize;
use tantivy::columnar::{Column, ColumnIndex, ColumnValues, StrColumn};
use tantivy::{DocId, Searcher, SegmentReader};

use crate::failure::{Failure, Result};
use crate::plan::FacetRequest;
use crate::schema::IndexSchema;
use crate::spec::FieldKind;
use crate::values::{date_text, number_text, parse_date, parse_number};

use super::document_set::DocumentSet;
use super::facet_days::Days;
use super::facet_values::{FacetValues, Table};
use super::matched::Matched;
use super::segment::Clock;
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

pub struct FacetCounts<'a> {
    request: &'a FacetRequest,
    kind: FieldKind,
    column: String,
    counts: HashMap<String, u64>,
    table: Arc<Mutex<Table>>,
    /// Counts by the numbers of the table.
    by_number: Vec<u64>,
}

impl<'a> FacetCounts<'a> {
    pub fn new(schema: &IndexSchema, values: &FacetValues, request: &'a FacetRequest) -> Result<FacetCounts<'a>> {
        let search_field = schema.field(&request.field)?;
        if matches!(search_field.kind, FieldKind::Text { .. } | FieldKind::Geo) {
            return Err(Failure::unsupported(format!(
                "the embedded engine has no options for `{}`, a {} field",
                request.field,
                search_field.kind.name()
            )));
        }
        Ok(FacetCounts {
            request,
            kind: search_field.kind.clone(),
            column: search_field.column.clone(),
            counts: HashMap::new(),
            table: values.of_column(&search_field.column),
            by_number: Vec::new(),
        })
    }

    /// Of all the documents.
    pub fn into_reply(mut self, searcher: &Searcher, matched: &Matched, statistics: bool, clock: &Clock) -> Result<FacetReply> {
        for (reader, documents) in searcher.segment_readers().iter().zip(matched.segments()) {
            self.add(reader, documents, clock)?;
        }
        let selected: &'a [String] = if matches!(self.kind, FieldKind::Date) { &self.request.selected } else { &[] };
        let mut days = Days::new(selected, &self.counts);
        days.count(&self.column, searcher, matched, clock)?;
        Ok(self.reply(&days, statistics))
    }

    fn add(&mut self, reader: &SegmentReader, documents: &DocumentSet, clock: &Clock) -> Result<()> {
        clock.check()?;
        if documents.size() == 0 {
            return Ok(());
        }
        let columns = reader.fast_fields();
        match self.kind {
            FieldKind::Keyword => match columns.str(&self.column)? {
                Some(column) => self.add_texts(reader, &column, documents, clock),
                None => Ok(()),
            },
            FieldKind::Number => {
                let column: Option<Column<f64>> = columns.column_opt(&self.column)?;
                self.add_values(column, documents, clock, f64::to_bits, |bits| number_text(f64::from_bits(bits)))
            }
            FieldKind::Boolean => {
                let column: Option<Column<bool>> = columns.column_opt(&self.column)?;
                self.add_values(column, documents, clock, |truth| truth, |truth| truth.to_string())
            }
            FieldKind::Date => {
                let column: Option<Column<i64>> = columns.column_opt(&self.column)?;
                self.add_values(column, documents, clock, |moment| moment, date_text)
            }
            FieldKind::Text { .. } | FieldKind::Geo => Ok(()),
        }
    }

    /// `key` of a value, which can be counted, and the text of a key.
    fn add_values<T: Copy + PartialOrd + Debug + Send + Sync + 'static, K: Eq + Hash>(
        &mut self,
        column: Option<Column<T>>,
        documents: &DocumentSet,
        clock: &Clock,
        key: fn(T) -> K,
        text: fn(K) -> String,
    ) -> Result<()> {
        let Some(column) = column else { return Ok(()) };
        let mut values = Values::of(&column);
        let mut counts: HashMap<K, u64> = HashMap::new();
        documents.in_batches(|batch| {
            values.read(batch).for_each(|value| *counts.entry(key(value)).or_default() += 1);
            clock.check()
        })?;
        counts.into_iter().for_each(|(key, count)| add(&mut self.counts, &text(key), count));
        Ok(())
    }

    fn add_texts(&mut self, reader: &SegmentReader, column: &StrColumn, documents: &DocumentSet, clock: &Clock) -> Result<()> {
        let numbers = self.table().numbers(reader, column)?;
        let mut values = Values::of(column.ords());
        let Some(numbers) = numbers else {
            let mut counts: HashMap<u64, u64> = HashMap::new();
            documents.in_batches(|batch| {
                values.read(batch).for_each(|ordinal| *counts.entry(ordinal).or_default() += 1);
                clock.check()
            })?;
            let mut counts: Vec<(u64, u64)> = counts.into_iter().collect();
            counts.sort_unstable();
            let (ordinals, counts): (Vec<u64>, Vec<u64>) = counts.into_iter().unzip();
            let mut counts = counts.into_iter();
            column.dictionary().sorted_ords_to_term_cb(&ordinals, |bytes| {
                add(&mut self.counts, &String::from_utf8_lossy(bytes), counts.next().unwrap_or(0));
            })?;
            return Ok(());
        };
        let known = self.table().size();
        self.by_number.resize(known.max(self.by_number.len()), 0);
        let of_value = &mut self.by_number;
        let others = reader.max_doc() - documents.size();
        if others < documents.size() {
            // Fewer documents are to be taken from all than to be counted.
            let mut counts = self.table.lock().unwrap_or_else(PoisonError::into_inner).totals(reader, column)?.to_vec();
            documents.others_in_batches(reader.max_doc(), |batch| {
                values.read(batch).for_each(|ordinal| counts[ordinal as usize] -= 1);
                clock.check()
            })?;
            numbers.iter().zip(counts).for_each(|(number, count)| of_value[*number as usize] += u64::from(count));
        } else if documents.size() as usize > numbers.len() {
            let mut counts = vec![0_u32; numbers.len()];
            documents.in_batches(|batch| {
                values.read(batch).for_each(|ordinal| counts[ordinal as usize] += 1);
                clock.check()
            })?;
            numbers.iter().zip(counts).for_each(|(number, count)| of_value[*number as usize] += u64::from(count));
        } else {
            documents.in_batches(|batch| {
                values.read(batch).for_each(|ordinal| of_value[numbers[ordinal as usize] as usize] += 1);
                clock.check()
            })?;
        }
        Ok(())
    }

    fn table(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn reply(mut self, days: &Days, statistics: bool) -> FacetReply {
        let request = self.request;
        let table = Arc::clone(&self.table);
        let table = table.lock().unwrap_or_else(PoisonError::into_inner);
        let numbered = std::mem::take(&mut self.by_number);
        let mut values: Vec<&str> = Vec::new();
        let mut counted: Vec<Counted> = Vec::new();
        let numbered = (0..).zip(&numbered).filter(|(_, count)| **count > 0).map(|(value, count)| Counted { value, count: *count });
        if self.counts.is_empty() {
            counted.extend(numbered);
        } else {
            // Some segments had too many values to be numbered: theirs may be the same ones.
            numbered.for_each(|of_value| add(&mut self.counts, table.value(of_value.value), of_value.count));
            for ((value, count), at) in self.counts.iter().zip(0..) {
                values.push(value);
                counted.push(Counted { value: at, count: *count });
            }
        }
        let text = |value: usize| values.get(value).copied().unwrap_or_else(|| table.value(value));
        let selected = request.selected.iter().map(|value| {
            if let Some(day) = days.get(value) {
                let value = if day.options == 1 { &day.option } else { value };
                return FacetOption { value: value.clone(), count: day.documents };
            }
            let value = self.written(value);
            let count = counted.iter().find(|counted| text(counted.value) == value).map_or(0, |counted| counted.count);
            FacetOption { value, count }
        });
        let selected = selected.collect();
        let largest = counted.iter().map(|counted| counted.count).max().unwrap_or(0);
        if request.cutoff > 0.0 {
            counted.retain(|counted| counted.count as f64 / largest as f64 >= request.cutoff);
        }
        let distinct = counted.len() as u64;
        let statistics = statistics.then(|| steps(counted.iter().map(|counted| counted.count as f64), largest as f64));
        FacetReply { options: page(counted, text, request), selected, distinct, largest, statistics }
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

/// What stands for a value, and how often it was found.
#[derive(Clone, Copy)]
struct Counted {
    value: usize,
    count: u64,
}

fn page<'a>(mut counted: Vec<Counted>, text: impl Fn(usize) -> &'a str, request: &FacetRequest) -> Vec<FacetOption> {
    let end = request.offset.saturating_add(request.count).min(counted.len());
    if end == 0 {
        return Vec::new();
    }
    // Texts are compared only where counts are the same, at the end of the page.
    let (_, last, _) = counted.select_nth_unstable_by_key(end - 1, |counted| Reverse(counted.count));
    let least = last.count;
    counted.retain(|counted| counted.count >= least);
    let mut counted: Vec<(Reverse<u64>, &str)> = counted.into_iter().map(|counted| (Reverse(counted.count), text(counted.value))).collect();
    if end < counted.len() {
        counted.select_nth_unstable(end - 1);
    }
    counted.truncate(end);
    counted.sort_unstable();
    let options = counted.into_iter().skip(request.offset);
    options.map(|(Reverse(count), value)| FacetOption { value: value.to_owned(), count }).collect()
}

/// Reads the values of many documents at once.
struct Values<'a, T> {
    column: &'a Column<T>,
    /// Where each document's values begin, when every document has some and not all have one.
    starts: Option<&'a Arc<dyn ColumnValues<u32>>>,
    begin: Vec<u32>,
    end: Vec<u32>,
    rows: Vec<u32>,
    values: Vec<T>,
}

impl<'a, T: Copy + PartialOrd + Debug + Send + Sync + 'static> Values<'a, T> {
    fn of(column: &'a Column<T>) -> Values<'a, T> {
        let starts = match &column.index {
            ColumnIndex::Multivalued(index) => {
                Some(index.get_start_index_column()).filter(|starts| starts.num_vals() == index.num_docs() + 1)
            }
            _ => None,
        };
        Values { column, starts, begin: Vec::new(), end: Vec::new(), rows: Vec::new(), values: Vec::new() }
    }

    /// The values of documents, given in order.
    fn read(&mut self, documents: &[DocId]) -> impl Iterator<Item = T> + '_ {
        let Values { column, starts, begin, end, rows, values } = self;
        rows.clear();
        let rows = match (&column.index, starts) {
            (ColumnIndex::Full, _) => documents,
            (_, Some(starts)) => {
                begin.resize(documents.len(), 0);
                starts.get_vals(documents, begin);
                rows.extend(documents.iter().map(|document| document + 1));
                end.resize(documents.len(), 0);
                starts.get_vals(rows, end);
                rows.clear();
                begin.iter().zip(end.iter()).for_each(|(begin, end)| rows.extend(*begin..*end));
                rows
            }
            (_, None) => {
                begin.clear();
                column.row_ids_for_docs(documents, begin, rows);
                rows
            }
        };
        values.clear();
        if let Some(first) = rows.first() {
            values.resize(rows.len(), column.values.get_val(*first));
            column.values.get_vals(rows, values);
        }
        values.iter().copied()
    }
}
