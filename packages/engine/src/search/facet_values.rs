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

/// Tables by the names of the columns.
#[derive(Default)]
pub struct FacetValues(Mutex<HashMap<String, Arc<Mutex<Table>>>>);

#[derive(Default)]
pub struct Table {
    values: Vec<Arc<str>>,
    numbers: HashMap<Arc<str>, u32>,
    /// Of each segment the numbers of its ordinals.
    segments: HashMap<SegmentId, Arc<[u32]>>,
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
        if let Some(known) = self.segments.get(&reader.segment_id()) {
            return Ok(Some(Arc::clone(known)));
        }
        let ordinals: Vec<u64> = (0..column.num_terms() as u64).collect();
        let mut numbers = Vec::with_capacity(ordinals.len());
        column.dictionary().sorted_ords_to_term_cb(&ordinals, |bytes| numbers.push(self.number(&String::from_utf8_lossy(bytes))))?;
        let numbers: Arc<[u32]> = numbers.into();
        self.segments.insert(reader.segment_id(), Arc::clone(&numbers));
        Ok(Some(numbers))
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

    pub fn value(&self, number: usize) -> &str {
        &self.values[number]
    }
}
