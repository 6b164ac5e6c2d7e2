//! Opens the id and sequence columns of each segment once per snapshot. Nearly every search needs them, and opening a column reads the
//! column directory of the segment: for ten hits this took longer than the search.

use std::sync::OnceLock;

use tantivy::columnar::{Column, StrColumn};
use tantivy::{Searcher, SegmentReader};

use crate::failure::{Failure, Result};
use crate::schema::{ID_COLUMN, SEQUENCE_COLUMN};

/// The columns by segment.
pub struct Columns(Vec<OnceLock<SegmentColumns>>);

pub struct SegmentColumns {
    pub ids: StrColumn,
    /// Sequences of the indexed revisions.
    pub sequences: Column<u64>,
}

impl Columns {
    /// Does not open any columns yet.
    pub fn new(searcher: &Searcher) -> Columns {
        Columns(searcher.segment_readers().iter().map(|_| OnceLock::new()).collect())
    }

    pub fn segment(&self, segment: usize, reader: &SegmentReader) -> Result<&SegmentColumns> {
        let cell = &self.0[segment];
        if let Some(columns) = cell.get() {
            return Ok(columns);
        }
        let fast_fields = reader.fast_fields();
        let ids =
            fast_fields.str(ID_COLUMN)?.ok_or_else(|| Failure::fault(format!("a segment of the index has no column `{ID_COLUMN}`")))?;
        let columns = SegmentColumns { ids, sequences: fast_fields.u64(SEQUENCE_COLUMN)? };
        Ok(cell.get_or_init(|| columns))
    }
}
