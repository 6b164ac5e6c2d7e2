//! Opens the id and sequence columns of each segment once per snapshot, and the columns that texts are sorted by. Nearly every search needs them,
//! and opening a column reads the column directory of the segment: for ten hits this took longer than the search.

use std::collections::HashMap;
use std::sync::{Mutex, OnceLock, PoisonError};

use tantivy::columnar::{Column, StrColumn};
use tantivy::{Searcher, SegmentReader};

use crate::failure::{Failure, Result};
use crate::schema::{ID_COLUMN, SEQUENCE_COLUMN};

/// The columns by segment.
pub struct Columns(Vec<OpenColumns>);

#[derive(Default)]
struct OpenColumns {
    columns: OnceLock<SegmentColumns>,
    /// The sort columns by name; `None` if the segment has none.
    sort_columns: Mutex<HashMap<String, Option<StrColumn>>>,
}

pub struct SegmentColumns {
    pub ids: StrColumn,
    /// Sequences of the indexed revisions.
    pub sequences: Column<u64>,
}

impl Columns {
    /// Does not open any columns yet.
    pub fn new(searcher: &Searcher) -> Columns {
        Columns(searcher.segment_readers().iter().map(|_| OpenColumns::default()).collect())
    }

    pub fn segment(&self, segment: usize, reader: &SegmentReader) -> Result<&SegmentColumns> {
        let cell = &self.0[segment].columns;
        if let Some(columns) = cell.get() {
            return Ok(columns);
        }
        let fast_fields = reader.fast_fields();
        let ids =
            fast_fields.str(ID_COLUMN)?.ok_or_else(|| Failure::fault(format!("a segment of the index has no column `{ID_COLUMN}`")))?;
        let columns = SegmentColumns { ids, sequences: fast_fields.u64(SEQUENCE_COLUMN)? };
        Ok(cell.get_or_init(|| columns))
    }
    /// Returns the column that the texts of a field are sorted by; `None` if no document of the segment has a text.
    pub fn sort_column(&self, segment: usize, reader: &SegmentReader, name: &str) -> Result<Option<StrColumn>> {
        let mut sort_columns = self.0[segment].sort_columns.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(column) = sort_columns.get(name) {
            return Ok(column.clone());
        }
        let column = reader.fast_fields().str(name)?;
        sort_columns.insert(name.to_owned(), column.clone());
        Ok(column)
    }
}
