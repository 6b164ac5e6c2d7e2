//! Whole days among the values selected of a date facet, whose options are moments.

use std::collections::HashMap;

use tantivy::columnar::Column;
use tantivy::{Searcher, SegmentReader};

use crate::failure::Result;
use crate::values::{DAY_MICROS, parse_date};

use super::document_set::DocumentSet;
use super::matched::Matched;
use super::segment::Clock;

/// By their text, which moments of that day begin with.
pub struct Days<'a>(HashMap<&'a str, Day>);

/// How many of the options are moments of the day; of these one, and the number of documents that have any.
#[derive(Default)]
pub struct Day {
    pub options: u64,
    pub option: String,
    pub documents: u64,
}

impl<'a> Days<'a> {
    /// Of the `selected` values, among the options that were counted.
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

    /// A document may have several moments of a day: where that has several options, the documents are counted.
    pub fn count(&mut self, column: &str, searcher: &Searcher, matched: &Matched, clock: &Clock) -> Result<()> {
        let mut counts: HashMap<i64, (&mut u64, u32)> = HashMap::new();
        for (text, day) in self.0.iter_mut().filter(|(_, day)| day.options > 1) {
            if let Some((from, _)) = parse_date(text) {
                day.documents = 0;
                counts.insert(from, (&mut day.documents, u32::MAX));
            }
        }
        if counts.is_empty() {
            return Ok(());
        }
        for (reader, documents) in searcher.segment_readers().iter().zip(matched.segments()) {
            counts.values_mut().for_each(|(_, last)| *last = u32::MAX);
            in_segment(reader, column, documents, clock, &mut counts)?;
        }
        Ok(())
    }
}

/// By where a day begins the number of documents, and the one counted last.
fn in_segment(
    reader: &SegmentReader,
    column: &str,
    documents: &DocumentSet,
    clock: &Clock,
    counts: &mut HashMap<i64, (&mut u64, u32)>,
) -> Result<()> {
    let column: Option<Column<i64>> = reader.fast_fields().column_opt(column)?;
    let Some(column) = column else { return Ok(()) };
    documents.in_batches(|batch| {
        for document in batch {
            for moment in column.values_for_doc(*document) {
                if let Some((count, last)) = counts.get_mut(&(moment - moment.rem_euclid(DAY_MICROS)))
                    && *last != *document
                {
                    **count += 1;
                    *last = *document;
                }
            }
        }
        clock.check()
    })
}
