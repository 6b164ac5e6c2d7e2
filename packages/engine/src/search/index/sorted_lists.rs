//! The first documents of each segment by the values of a field. A segment never changes, so the first search that sorts by the field reads the
//! values of all documents once.

use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, PoisonError};

use lru::LruCache;
use tantivy::DocId;
use tantivy::index::SegmentId;

use crate::failure::Result;
use crate::plan::Direction;

/// The most documents of a list, and the most lists in memory: 8 MB.
const DOCUMENTS_MAX: usize = 2_048;
const LISTS_MAX: NonZeroUsize = NonZeroUsize::new(256).unwrap();

/// The first documents of a segment, with their sort values in order. Deleted documents are among them.
pub struct SortedList {
    pub documents: Box<[(u64, DocId)]>,
    /// Whether these are all documents of the segment.
    pub is_complete: bool,
}

impl SortedList {
    pub fn new(values: impl Iterator<Item = (u64, DocId)>) -> SortedList {
        let mut documents: Vec<(u64, DocId)> = Vec::with_capacity(2 * DOCUMENTS_MAX);
        let mut last = u64::MAX;
        let mut is_complete = true;
        for (value, document) in values {
            if value > last {
                is_complete = false;
                continue;
            }
            documents.push((value, document));
            if documents.len() == 2 * DOCUMENTS_MAX {
                documents.select_nth_unstable(DOCUMENTS_MAX - 1);
                documents.truncate(DOCUMENTS_MAX);
                last = documents[DOCUMENTS_MAX - 1].0;
                is_complete = false;
            }
        }
        documents.sort_unstable();
        if documents.len() > DOCUMENTS_MAX {
            documents.truncate(DOCUMENTS_MAX);
            is_complete = false;
        }
        SortedList { documents: documents.into(), is_complete }
    }

    /// Returns the sort value below which the first `count` documents of the list are all of the segment.
    pub fn bound(&self, count: usize) -> u64 {
        match self.documents.get(count) {
            Some((value, _)) => *value,
            None if self.is_complete => u64::MAX,
            None => self.documents.last().map_or(0, |(value, _)| *value),
        }
    }

    /// Returns the documents with sort values from `start` to before `end`, in the order of the documents.
    pub fn range(&self, start: u64, end: u64) -> Vec<DocId> {
        let position = |value: u64| self.documents.partition_point(|(other, _)| *other < value);
        let mut documents: Vec<DocId> = self.documents[position(start)..position(end)].iter().map(|(_, document)| *document).collect();
        documents.sort_unstable();
        documents
    }
}

/// A segment, a column, and whether the order is descending.
type ListKey = (SegmentId, String, bool);

/// The lists of the most recent orders.
pub struct SortedLists(Mutex<LruCache<ListKey, Arc<SortedList>>>);

impl Default for SortedLists {
    fn default() -> SortedLists {
        SortedLists(Mutex::new(LruCache::new(LISTS_MAX)))
    }
}

impl SortedLists {
    pub fn get_or_make(
        &self,
        segment: SegmentId,
        (column, direction): (&str, Direction),
        make: impl FnOnce() -> Result<SortedList>,
    ) -> Result<Arc<SortedList>> {
        let key = (segment, column.to_owned(), matches!(direction, Direction::Descending));
        let lists = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(list) = lists().get(&key) {
            return Ok(Arc::clone(list));
        }
        let list = Arc::new(make()?);
        lists().put(key, Arc::clone(&list));
        Ok(list)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_has_all_documents_below_its_bounds() {
        for (count, distinct) in [(0, 1), (5, 3), (2_048, 50), (2_049, 50), (9_000, 700), (9_000, 2)] {
            let values: Vec<(u64, DocId)> = (0..count).map(|document| (u64::from(document * 7_919 % distinct), document)).collect();
            let list = SortedList::new(values.iter().copied());
            assert_eq!(list.is_complete, count <= 2_048);
            for prefix in [0, 1, 100, 2_047, 2_048, 5_000] {
                let bound = list.bound(prefix);
                let expected: Vec<DocId> = values.iter().filter(|(value, _)| *value < bound).map(|(_, document)| *document).collect();
                assert_eq!(list.range(0, bound), expected, "{count} {distinct} {prefix}");
            }
        }
    }
}
