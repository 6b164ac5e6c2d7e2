//! The two columns that nearly every search reads, of each segment: opened once for a state of the index. Opening one reads the segment's
//! directory of columns, and ten documents found took longer to be opened than to be looked for.

use std::sync::OnceLock;

use tantivy::columnar::{Column, StrColumn};
use tantivy::{Searcher, SegmentReader};

use crate::failure::{Failure, Result};
use crate::schema::{ID_COLUMN, SEQUENCE_COLUMN};

/// By segment.
pub struct Columns(Vec<OnceLock<OfSegment>>);

pub struct OfSegment {
    pub ids: StrColumn,
    /// Of the revisions that were indexed.
    pub sequences: Column<u64>,
}

impl Columns {
    /// Opens nothing yet.
    pub fn new(searcher: &Searcher) -> Columns {
        Columns(searcher.segment_readers().iter().map(|_| OnceLock::new()).collect())
    }

    pub fn of_segment(&self, segment: usize, reader: &SegmentReader) -> Result<&OfSegment> {
        let known = &self.0[segment];
        if let Some(opened) = known.get() {
            return Ok(opened);
        }
        let columns = reader.fast_fields();
        let ids = columns.str(ID_COLUMN)?.ok_or_else(|| Failure::fault(format!("a segment of the index has no column `{ID_COLUMN}`")))?;
        let opened = OfSegment { ids, sequences: columns.u64(SEQUENCE_COLUMN)? };
        Ok(known.get_or_init(|| opened))
    }
}
