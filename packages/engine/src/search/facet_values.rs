//! The values of keyword columns, numbered over all segments, so that a facet adds up numbers instead of texts. A segment never changes:
//! its dictionary is read once, by the first search that needs it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use tantivy::SegmentReader;
use tantivy::columnar::StrColumn;
use tantivy::index::SegmentId;

use crate::failure::Result;

/// Dictionaries of more values are read anew by each search, for what it finds: most of them would not be used twice.
const VALUES_OF_SEGMENT_MAX: usize = 100_000;

/// A table that has grown beyond this is left to the searches that use it, and begun again: it may hold what is long gone.
const VALUES_MAX: usize = 200_000;
const SEGMENTS_MAX: usize = 64;

/// Values of a column read at once.
const VALUES_AT_ONCE: usize = 1_024;

/// Tables by the names of the columns.
#[derive(Default)]
pub struct FacetValues(Mutex<HashMap<String, Arc<Mutex<Table>>>>);

#[derive(Default)]
pub struct Table {
    values: Vec<Arc<str>>,
    numbers: HashMap<Arc<str>, u32>,
    segments: HashMap<SegmentId, Numbered>,
}

/// The values of a segment.
struct Numbered {
    /// By ordinal, as the table has them.
    numbers: Arc<[u32]>,
    /// By ordinal, how often the segment's documents have it, deleted ones included; once somebody needed that.
    totals: Option<Arc<[u32]>>,
}

impl FacetValues {
    pub fn of_column(&self, column: &str) -> Arc<Mutex<Table>> {
        let mut tables = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let table = tables.entry(column.to_owned()).or_default();
        let is_full = {
            let table = table.lock().unwrap_or_else(PoisonError::into_inner);
            table.values.len() > VALUES_MAX || table.segments.len() > SEGMENTS_MAX
        };
        if is_full {
            *table = Arc::default();
        }
        Arc::clone(table)
    }
}

impl Table {
    /// By ordinal the numbers of the segment's values; nothing where there are too many of them.
    pub fn numbers(&mut self, reader: &SegmentReader, column: &StrColumn) -> Result<Option<Arc<[u32]>>> {
        if column.num_terms() > VALUES_OF_SEGMENT_MAX {
            return Ok(None);
        }
        Ok(Some(Arc::clone(&self.numbered(reader, column)?.numbers)))
    }

    /// Of a segment whose values have numbers: by ordinal the number of documents that have it, deleted ones included.
    pub fn totals(&mut self, reader: &SegmentReader, column: &StrColumn) -> Result<Arc<[u32]>> {
        let numbered = self.numbered(reader, column)?;
        let totals = numbered.totals.get_or_insert_with(|| totals(column));
        Ok(Arc::clone(totals))
    }

    fn numbered(&mut self, reader: &SegmentReader, column: &StrColumn) -> Result<&mut Numbered> {
        let segment = reader.segment_id();
        let numbered = match self.segments.remove(&segment) {
            Some(known) => known,
            None => {
                let ordinals: Vec<u64> = (0..column.num_terms() as u64).collect();
                let mut numbers = Vec::with_capacity(ordinals.len());
                column
                    .dictionary()
                    .sorted_ords_to_term_cb(&ordinals, |bytes| numbers.push(self.number(&String::from_utf8_lossy(bytes))))?;
                Numbered { numbers: numbers.into(), totals: None }
            }
        };
        Ok(self.segments.entry(segment).or_insert(numbered))
    }

    fn number(&mut self, value: &str) -> u32 {
        if let Some(known) = self.numbers.get(value) {
            return *known;
        }
        let (value, number): (Arc<str>, u32) = (value.into(), self.values.len() as u32);
        self.values.push(Arc::clone(&value));
        self.numbers.insert(value, number);
        number
    }

    /// So many values have numbers.
    pub fn size(&self) -> usize {
        self.values.len()
    }

    pub fn value(&self, number: usize) -> &str {
        &self.values[number]
    }
}

fn totals(column: &StrColumn) -> Arc<[u32]> {
    let mut totals = vec![0; column.num_terms()];
    let values = &column.ords().values;
    let mut ordinals = [0; VALUES_AT_ONCE];
    for start in (0..values.num_vals()).step_by(VALUES_AT_ONCE) {
        let read = &mut ordinals[..VALUES_AT_ONCE.min((values.num_vals() - start) as usize)];
        values.get_range(start.into(), read);
        read.iter().for_each(|ordinal| totals[*ordinal as usize] += 1);
    }
    totals.into()
}
