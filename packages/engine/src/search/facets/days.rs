//! Counts the documents of whole days. The options of a date facet are moments, but its selected values may be days.

use std::collections::HashMap;

use tantivy::columnar::Column;
use tantivy::{DocId, Searcher, SegmentReader};

use crate::failure::Result;
use crate::search::index::cancel_token::CancelToken;
use crate::search::index::document_set::DocumentSet;
use crate::search::index::match_set::MatchSet;
use crate::values::{DAY_MICROS, parse_date};

use super::units::{Tally, Units};

/// The selected days by their text, which is a prefix of their moments.
pub struct Days<'a>(HashMap<&'a str, Day>);

#[derive(Default)]
pub struct Day {
    /// Number of options on this day.
    pub options: u64,
    /// One of these options.
    pub option: String,
    /// Number of documents with any of these options.
    pub documents: u64,
}

impl<'a> Days<'a> {
    /// Finds the days among the `selected` values, and their options.
    pub fn new(selected: &'a [String], options: &HashMap<String, u64>) -> Days<'a> {
        let is_day = |value: &str| parse_date(value).is_some_and(|(from, to)| from != to);
        let mut days: HashMap<&str, Day> =
            selected.iter().filter(|value| is_day(value)).map(|value| (value.as_str(), Day::default())).collect();
        if !days.is_empty() {
            for (option, count) in options {
                if let Some(day) = option.get(..option.find('T').unwrap_or(0)).and_then(|day| days.get_mut(day)) {
                    *day = Day { options: day.options + 1, option: option.clone(), documents: *count };
                }
            }
        }
        Days(days)
    }

    pub fn get(&self, selected: &str) -> Option<&Day> {
        self.0.get(selected)
    }

    /// Counts the documents of each day with several options. Adding up the options would count a document with several of them twice.
    pub fn count(
        &mut self,
        column: &str,
        searcher: &Searcher,
        (matches, units): (&MatchSet, Option<&Units>),
        cancel_token: &CancelToken,
    ) -> Result<()> {
        let mut counts: HashMap<i64, DayCount> = HashMap::new();
        for (text, day) in self.0.iter_mut().filter(|(_, day)| day.options > 1) {
            if let Some((from, _)) = parse_date(text) {
                counts.insert(from, DayCount { day, tally: Tally::default(), last: u32::MAX });
            }
        }
        if counts.is_empty() {
            return Ok(());
        }
        for (segment, (reader, documents)) in searcher.segment_readers().iter().zip(matches.segments()).enumerate() {
            counts.values_mut().for_each(|count| count.last = u32::MAX);
            let unit = |document| units.map(|units| units.unit(segment, document));
            count_segment(reader, column, documents, unit, cancel_token, &mut counts)?;
        }
        counts.into_values().for_each(|count| count.day.documents = count.tally.count());
        Ok(())
    }
}

/// The count of a day, with the last document that was counted.
struct DayCount<'a> {
    day: &'a mut Day,
    tally: Tally,
    last: DocId,
}

/// Adds the documents of a segment to `counts`, by the start of the day.
fn count_segment(
    reader: &SegmentReader,
    column: &str,
    documents: &DocumentSet,
    unit: impl Fn(DocId) -> Option<u32>,
    cancel_token: &CancelToken,
    counts: &mut HashMap<i64, DayCount>,
) -> Result<()> {
    let column: Option<Column<i64>> = reader.fast_fields().column_opt(column)?;
    let Some(column) = column else { return Ok(()) };
    documents.for_each_batch(|batch| {
        for document in batch {
            for moment in column.values_for_doc(*document) {
                if let Some(count) = counts.get_mut(&(moment - moment.rem_euclid(DAY_MICROS)))
                    && count.last != *document
                {
                    count.tally.add(unit(*document));
                    count.last = *document;
                }
            }
        }
        cancel_token.check()
    })
}
