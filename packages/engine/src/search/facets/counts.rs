//! Counts the values of a field in the documents found.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde::Serialize;
use tantivy::columnar::{Column, StrColumn};
use tantivy::{Searcher, SegmentReader};

use crate::failure::{Failure, Result};
use crate::numbers::{Number, NumberColumn, is_large};
use crate::plan::{FacetRequest, Plan};
use crate::search::index::cancel_token::CancelToken;
use crate::search::index::context::SearchResources;
use crate::search::index::document_set::DocumentSet;
use crate::search::index::facet_cache::CachedCounts;
use crate::search::index::facet_values::ValueTable;
use crate::search::index::match_set::MatchSet;
use crate::search::index::query_cache::documents_key;
use crate::search::index::segment_threads::SegmentThreads;
use crate::search::index::snapshot::Snapshot;
use crate::search::probability::{probability_steps, reaches};
use crate::search_field::SearchField;
use crate::spec::FieldKind;
use crate::values::{date_text, number_text, parse_date};

use super::days::Days;
use super::groups::count_groups;
use super::missing::count_missing;
use super::option_filter::OptionFilter;
use super::options::{FacetOption, FirstCounts, MISSING, ValueCount, first_counts, needs_first_only, page};
use super::summary::{FacetSummary, summarize};
use super::units::{Units, count_values};
use super::value_counts::{ValueCounts, add};
use super::value_reader::ValueReader;

/// Number of options that are filtered between checks of the deadline.
const FILTERED_BATCH: usize = 4_096;

#[derive(Serialize)]
pub struct FacetReply {
    options: Vec<FacetOption>,
    selected: Vec<FacetOption>,
    distinct: u64,
    largest: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    statistics: Option<[u64; 10]>,
    /// Number of documents without a value, if requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    missing: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    summary: Option<FacetSummary>,
}

impl FacetReply {
    fn empty() -> FacetReply {
        FacetReply::from_groups(Vec::new())
    }

    fn from_groups(counts: Vec<(String, u64)>) -> FacetReply {
        FacetReply {
            distinct: counts.len() as u64,
            largest: counts.iter().map(|(_, count)| *count).max().unwrap_or(0),
            options: counts.into_iter().map(|(value, count)| FacetOption { value, count }).collect(),
            selected: Vec::new(),
            statistics: None,
            missing: None,
            summary: None,
        }
    }
}

pub struct FacetCounts<'a> {
    plan: &'a Plan,
    request: &'a FacetRequest,
    search_field: &'a SearchField,
    kind: FieldKind,
    column: String,
    table: Arc<Mutex<ValueTable>>,
    counts: ValueCounts,
    cached_counts_min: u64,
    dense_percent: u32,
    segment_threads: SegmentThreads,
}

impl<'a> FacetCounts<'a> {
    /// Returns `None` for a plan without a facet.
    pub fn from_plan(resources: &'a SearchResources, plan: &'a Plan) -> Result<Option<FacetCounts<'a>>> {
        plan.facet.as_ref().map(|request| FacetCounts::new(resources, plan, request)).transpose()
    }

    fn new(resources: &'a SearchResources, plan: &'a Plan, request: &'a FacetRequest) -> Result<FacetCounts<'a>> {
        let search_field = resources.schema.field(&request.field)?;
        if matches!(search_field.kind, FieldKind::Text { .. } | FieldKind::Geo | FieldKind::Vector { .. }) {
            return Err(Failure::unsupported(format!(
                "the embedded engine has no options for `{}`, a {} field",
                request.field,
                search_field.kind.name()
            )));
        }
        Ok(FacetCounts {
            plan,
            request,
            search_field,
            kind: search_field.kind.clone(),
            column: search_field.column.clone(),
            table: resources.facet_values.table(&search_field.column),
            counts: ValueCounts::default(),
            cached_counts_min: resources.fast_paths.cached_counts_min,
            dense_percent: resources.fast_paths.dense_values_percent,
            segment_threads: resources.fast_paths.segment_threads,
        })
    }

    /// Counts the values in all matches, or in their units.
    pub fn into_reply(
        mut self,
        snapshot: &Snapshot,
        matches: &MatchSet,
        units: Option<&Units>,
        cancel_token: &CancelToken,
    ) -> Result<FacetReply> {
        let searcher = &snapshot.searcher;
        let FacetRequest { field, groups, .. } = self.request;
        let missing = match self.request.missing {
            true => Some(count_missing(self.search_field, searcher, matches, units, cancel_token)?),
            false => None,
        };
        let summary = match self.request.summary {
            true => Some(summarize(self.search_field, field, searcher, matches, cancel_token)?),
            false => None,
        };
        if let Some(groups) = groups {
            let counts = count_groups(groups, self.search_field, field, searcher, (matches, units), cancel_token)?;
            return Ok(FacetReply { missing, summary, ..FacetReply::from_groups(counts) });
        }
        if let Some(units) = units {
            self.counts.by_text = count_values(self.search_field, searcher, matches, units, cancel_token)?;
        } else {
            self.count_documents(snapshot, matches, cancel_token)?;
        }
        let selected: &'a [String] = if matches!(self.kind, FieldKind::Date) { &self.request.selected } else { &[] };
        let mut days = Days::new(selected, &self.counts.by_text);
        days.count(&self.column, searcher, (matches, units), cancel_token)?;
        Ok(FacetReply { summary, ..self.reply(&days, missing, cancel_token)? })
    }

    /// Counts the values in all matches, or takes the counts from the cache.
    fn count_documents(&mut self, snapshot: &Snapshot, matches: &MatchSet, cancel_token: &CancelToken) -> Result<()> {
        let Snapshot { searcher, facet_cache, .. } = snapshot;
        let is_cached = !self.plan.has_cutoff() && matches.documents() >= self.cached_counts_min;
        let key = is_cached.then(|| format!("{} {}", self.column, documents_key(self.plan)));
        if let Some(cached) = key.as_deref().and_then(|key| facet_cache.get(key)) {
            self.table = Arc::clone(&cached.table);
            let values = self.table().size();
            self.counts.by_id.resize(values, 0);
            cached.counts.iter().for_each(|(id, count)| self.counts.by_id[*id as usize] = u64::from(*count));
            return Ok(());
        }
        let readers = searcher.segment_readers();
        let documents_read = readers.iter().zip(matches.segments()).map(|(reader, documents)| u64::from(values_read(reader, documents)));
        let mut counts = ValueCounts::default();
        self.segment_threads.run(readers, documents_read.sum(), &mut counts, |counts, segment, reader| {
            self.add(counts, (searcher, reader), matches.segment(segment), cancel_token)
        })?;
        self.counts = counts;
        // Values without ids are not cached.
        if let Some(key) = key.filter(|_| self.counts.by_text.is_empty())
            && let Some(counts) = CachedCounts::new(&self.table, &self.counts.by_id)
        {
            facet_cache.insert(key, counts);
        }
        Ok(())
    }

    fn add(
        &self,
        counts: &mut ValueCounts,
        (searcher, reader): (&Searcher, &SegmentReader),
        documents: &DocumentSet,
        cancel_token: &CancelToken,
    ) -> Result<()> {
        cancel_token.check()?;
        if documents.size() == 0 {
            return Ok(());
        }
        let columns = reader.fast_fields();
        match self.kind {
            FieldKind::Keyword => match columns.str(&self.column)? {
                Some(column) => self.add_texts(counts, (searcher, reader), &column, documents, cancel_token),
                None => Ok(()),
            },
            FieldKind::Number => {
                let Some(NumberColumn { floats, large }) = NumberColumn::open(columns, &self.column)? else { return Ok(()) };
                let text = |bits| number_text(f64::from_bits(bits));
                if large.is_none() {
                    return counts.add_values(Some(floats), documents, cancel_token, f64::to_bits, text);
                }
                counts.add_values(large, documents, cancel_token, |whole| whole, |whole| whole.to_string())?;
                counts.add_some_values(Some(floats), documents, cancel_token, (|float| !is_large(float), f64::to_bits), text)
            }
            FieldKind::Boolean => {
                let column: Option<Column<bool>> = columns.column_opt(&self.column)?;
                counts.add_values(column, documents, cancel_token, |truth| truth, |truth| truth.to_string())
            }
            FieldKind::Date => {
                let column: Option<Column<i64>> = columns.column_opt(&self.column)?;
                counts.add_values(column, documents, cancel_token, |moment| moment, date_text)
            }
            FieldKind::Text { .. } | FieldKind::Geo | FieldKind::Vector { .. } => Ok(()),
        }
    }

    fn add_texts(
        &self,
        value_counts: &mut ValueCounts,
        (searcher, reader): (&Searcher, &SegmentReader),
        column: &StrColumn,
        documents: &DocumentSet,
        cancel_token: &CancelToken,
    ) -> Result<()> {
        let value_ids = self.table().value_ids(reader, column)?;
        let mut values = ValueReader::new(column.ords());
        let Some(value_ids) = value_ids else {
            let mut counts: HashMap<u64, u64> = HashMap::new();
            documents.for_each_batch(|batch| {
                values.read(batch).for_each(|ordinal| *counts.entry(ordinal).or_default() += 1);
                cancel_token.check()
            })?;
            let mut counts: Vec<(u64, u64)> = counts.into_iter().collect();
            counts.sort_unstable();
            let (ordinals, counts): (Vec<u64>, Vec<u64>) = counts.into_iter().unzip();
            let mut counts = counts.into_iter();
            column.dictionary().sorted_ords_to_term_cb(&ordinals, |bytes| {
                value_counts.add_text(&String::from_utf8_lossy(bytes), counts.next().unwrap_or(0));
            })?;
            return Ok(());
        };
        let table_size = self.table().size();
        let counts_by_id = value_counts.by_id(table_size);
        let missing_documents = reader.max_doc() - documents.size();
        let read = u64::from(values_read(reader, documents));
        let dense =
            self.table.lock().unwrap_or_else(PoisonError::into_inner).dense((searcher, reader), column, read, self.dense_percent)?;
        if let Some(dense) = dense {
            if missing_documents >= documents.size() {
                return dense.count(documents, counts_by_id, || cancel_token.check());
            }
            let mut missing = vec![0; table_size];
            dense.count_missing(documents, reader.max_doc(), &mut missing, || cancel_token.check())?;
            let totals = self.table.lock().unwrap_or_else(PoisonError::into_inner).totals(reader, column)?;
            value_ids.iter().zip(totals.iter()).for_each(|(value_id, count)| counts_by_id[*value_id as usize] += u64::from(*count));
            counts_by_id.iter_mut().zip(missing).for_each(|(count, missing)| *count -= missing);
        } else if missing_documents < documents.size() {
            // It is faster to subtract the few missing documents from the totals than to count the others.
            let mut counts = self.table.lock().unwrap_or_else(PoisonError::into_inner).totals(reader, column)?.to_vec();
            documents.for_each_missing_batch(reader.max_doc(), |batch| {
                values.read(batch).for_each(|ordinal| counts[ordinal as usize] -= 1);
                cancel_token.check()
            })?;
            value_ids.iter().zip(counts).for_each(|(value_id, count)| counts_by_id[*value_id as usize] += u64::from(count));
        } else if documents.size() as usize > value_ids.len() {
            let mut counts = vec![0_u32; value_ids.len()];
            documents.for_each_batch(|batch| {
                values.read(batch).for_each(|ordinal| counts[ordinal as usize] += 1);
                cancel_token.check()
            })?;
            value_ids.iter().zip(counts).for_each(|(value_id, count)| counts_by_id[*value_id as usize] += u64::from(count));
        } else {
            documents.for_each_batch(|batch| {
                values.read(batch).for_each(|ordinal| counts_by_id[value_ids[ordinal as usize] as usize] += 1);
                cancel_token.check()
            })?;
        }
        Ok(())
    }

    fn table(&self) -> MutexGuard<'_, ValueTable> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn reply(mut self, days: &Days, missing: Option<u64>, cancel_token: &CancelToken) -> Result<FacetReply> {
        let request = self.request;
        let table = Arc::clone(&self.table);
        let table = table.lock().unwrap_or_else(PoisonError::into_inner);
        let ValueCounts { mut by_text, by_id: counts_by_id } = std::mem::take(&mut self.counts);
        let mut values: Vec<&str> = Vec::new();
        let mut value_counts: Vec<ValueCount> = Vec::new();
        let table_counts = (0..).zip(&counts_by_id).filter(|(_, count)| **count > 0).map(|(id, count)| ValueCount { id, count: *count });
        if by_text.is_empty() && missing.is_none() && needs_first_only(request) && !self.plan.statistics {
            let FirstCounts { first, distinct, largest } = first_counts(&counts_by_id, request.offset.saturating_add(request.count));
            let options = page(first, |id| table.value(id), request);
            return Ok(FacetReply { options, distinct, largest, ..FacetReply::empty() });
        }
        if by_text.is_empty() {
            value_counts.extend(table_counts);
        } else {
            // Some segments have too many values for the table. Their values may also be in the table.
            table_counts.for_each(|value_count| add(&mut by_text, table.value(value_count.id), value_count.count));
            for ((value, count), id) in by_text.iter().zip(0..) {
                values.push(value);
                value_counts.push(ValueCount { id, count: *count });
            }
        }
        if let Some(missing) = missing {
            // An empty text is no value. Its documents are missing ones, unless they have other values.
            let without_text = |id: usize| values.get(id).copied().unwrap_or_else(|| table.value(id)).is_empty();
            value_counts.retain(|value_count| !without_text(value_count.id));
            if missing > 0 {
                value_counts.push(ValueCount { id: MISSING, count: missing });
            }
        }
        let text = |id: usize| if id == MISSING { "" } else { values.get(id).copied().unwrap_or_else(|| table.value(id)) };
        let selected = request.selected.iter().map(|value| {
            if let Some(day) = days.get(value) {
                let value = if day.options == 1 { &day.option } else { value };
                return FacetOption { value: value.clone(), count: day.documents };
            }
            let value = self.canonical_value(value);
            let count = value_counts.iter().find(|value_count| text(value_count.id) == value).map_or(0, |value_count| value_count.count);
            FacetOption { value, count }
        });
        let selected = selected.collect();
        let largest = value_counts.iter().map(|value_count| value_count.count).max().unwrap_or(0);
        if request.cutoff > 0.0 {
            value_counts.retain(|value_count| reaches(value_count.count as f64, largest as f64, request.cutoff));
        }
        if let Some(filter) = request.query.as_deref().and_then(OptionFilter::new) {
            let mut kept = Vec::new();
            for chunk in value_counts.chunks(FILTERED_BATCH) {
                kept.extend(chunk.iter().filter(|value_count| filter.accepts(text(value_count.id))).copied());
                cancel_token.check()?;
            }
            value_counts = kept;
        }
        let distinct = value_counts.len() as u64;
        let statistics = self
            .plan
            .statistics
            .then(|| probability_steps(value_counts.iter().map(|value_count| value_count.count as f64), largest as f64));
        let options = page(value_counts, text, request);
        Ok(FacetReply { options, selected, distinct, largest, statistics, missing, summary: None })
    }

    /// Converts a selected value to the form of the options: `1.0` becomes `1`, a date in another zone becomes UTC.
    fn canonical_value(&self, value: &str) -> String {
        let canonical = match self.kind {
            FieldKind::Number => Number::parse(value).map(Number::text),
            FieldKind::Date => parse_date(value).map(|(moment, _)| date_text(moment)),
            _ => None,
        };
        canonical.unwrap_or_else(|| value.to_owned())
    }
}

/// Returns the number of documents of a segment whose values are read: those found, or the others, whose counts are subtracted from the totals.
fn values_read(reader: &SegmentReader, documents: &DocumentSet) -> u32 {
    documents.size().min(reader.max_doc() - documents.size())
}
