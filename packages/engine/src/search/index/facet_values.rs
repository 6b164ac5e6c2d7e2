//! Assigns ids to the values of keyword columns across all segments, so that facets count by id instead of text. A segment never changes,
//! so the first search that needs its dictionary reads it once.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};

use tantivy::columnar::StrColumn;
use tantivy::index::SegmentId;
use tantivy::{Searcher, SegmentReader};

use crate::failure::Result;

use super::dense_values::DenseValues;

/// Larger dictionaries get no ids. Each search reads the values that it finds, because most of them are used only once.
const SEGMENT_VALUES_MAX: usize = 100_000;

/// A larger table is replaced by a new one, because it may hold values of old segments. Running searches keep the old table.
const VALUES_MAX: usize = 200_000;
const SEGMENTS_MAX: usize = 64;

/// Number of values read in one batch.
const BATCH_VALUES: usize = 1_024;

/// Tables by the names of the columns.
#[derive(Default)]
pub struct FacetValueTables(Mutex<HashMap<String, Arc<Mutex<ValueTable>>>>);

#[derive(Default)]
pub struct ValueTable {
    values: Vec<Arc<str>>,
    ids: HashMap<Arc<str>, u32>,
    segments: HashMap<SegmentId, SegmentValues>,
}

/// The values of a segment.
struct SegmentValues {
    /// Value ids by ordinal.
    ids: Arc<[u32]>,
    /// Number of documents by ordinal, including deleted ones. Counted when a search needs it.
    totals: Option<Arc<[u32]>>,
    dense: Dense,
}

/// The value ids of all documents of a segment.
enum Dense {
    /// Not read yet. Searches have read the values of this number of documents from the column.
    Unread(u64),
    Read(Arc<DenseValues>),
    TooLarge,
}

impl FacetValueTables {
    pub fn table(&self, column: &str) -> Arc<Mutex<ValueTable>> {
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

impl ValueTable {
    /// Returns the value ids of the segment by ordinal; `None` if the segment has too many values.
    pub fn value_ids(&mut self, reader: &SegmentReader, column: &StrColumn) -> Result<Option<Arc<[u32]>>> {
        if column.num_terms() > SEGMENT_VALUES_MAX {
            return Ok(None);
        }
        Ok(Some(Arc::clone(&self.segment(reader, column)?.ids)))
    }

    /// Returns the number of documents by ordinal, including deleted ones. The values of the segment must have ids.
    pub fn totals(&mut self, reader: &SegmentReader, column: &StrColumn) -> Result<Arc<[u32]>> {
        let segment_values = self.segment(reader, column)?;
        let totals = segment_values.totals.get_or_insert_with(|| totals(column));
        Ok(Arc::clone(totals))
    }

    /// Returns the value ids of all documents of the segment, which must have ids. Reads them once searches have read the values of
    /// `percent` of the documents, and this one is about to read those of `documents`.
    pub fn dense(
        &mut self,
        (searcher, reader): (&Searcher, &SegmentReader),
        column: &StrColumn,
        documents: u64,
        percent: u32,
    ) -> Result<Option<Arc<DenseValues>>> {
        let segment_values = self.segment(reader, column)?;
        match &mut segment_values.dense {
            Dense::Read(dense) => return Ok(Some(Arc::clone(dense))),
            Dense::TooLarge => return Ok(None),
            Dense::Unread(read) => {
                *read += documents;
                if read.saturating_mul(100) < u64::from(reader.max_doc()) * u64::from(percent) {
                    return Ok(None);
                }
            }
        }
        let ids = Arc::clone(&segment_values.ids);
        self.drop_old(searcher);
        let dense = DenseValues::new(column.ords(), reader.max_doc(), &ids).map(Arc::new);
        self.segment(reader, column)?.dense = dense.clone().map_or(Dense::TooLarge, Dense::Read);
        Ok(dense)
    }

    /// Gives back the memory of segments that new searches do not read.
    fn drop_old(&mut self, searcher: &Searcher) {
        let current: HashSet<SegmentId> = searcher.segment_readers().iter().map(SegmentReader::segment_id).collect();
        for (segment, values) in &mut self.segments {
            if !current.contains(segment) {
                values.dense = Dense::Unread(0);
            }
        }
    }

    fn segment(&mut self, reader: &SegmentReader, column: &StrColumn) -> Result<&mut SegmentValues> {
        let segment = reader.segment_id();
        let segment_values = match self.segments.remove(&segment) {
            Some(values) => values,
            None => {
                let ordinals: Vec<u64> = (0..column.num_terms() as u64).collect();
                let mut ids = Vec::with_capacity(ordinals.len());
                column.dictionary().sorted_ords_to_term_cb(&ordinals, |bytes| ids.push(self.id(&String::from_utf8_lossy(bytes))))?;
                SegmentValues { ids: ids.into(), totals: None, dense: Dense::Unread(0) }
            }
        };
        Ok(self.segments.entry(segment).or_insert(segment_values))
    }

    /// Returns the id of a value. A new value gets a new id.
    fn id(&mut self, value: &str) -> u32 {
        if let Some(id) = self.ids.get(value) {
            return *id;
        }
        let (value, id): (Arc<str>, u32) = (value.into(), self.values.len() as u32);
        self.values.push(Arc::clone(&value));
        self.ids.insert(value, id);
        id
    }

    /// Returns the number of values with ids.
    pub fn size(&self) -> usize {
        self.values.len()
    }

    pub fn value(&self, id: usize) -> &str {
        &self.values[id]
    }
}

fn totals(column: &StrColumn) -> Arc<[u32]> {
    let mut totals = vec![0; column.num_terms()];
    let values = &column.ords().values;
    let mut ordinals = [0; BATCH_VALUES];
    for start in (0..values.num_vals()).step_by(BATCH_VALUES) {
        let read = &mut ordinals[..BATCH_VALUES.min((values.num_vals() - start) as usize)];
        values.get_range(start.into(), read);
        read.iter().for_each(|ordinal| totals[*ordinal as usize] += 1);
    }
    totals.into()
}
