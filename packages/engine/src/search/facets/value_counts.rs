//! How many documents have each value of a field. Several threads count the documents of different segments: of 10,000,000 documents in ten
//! segments, a page of two words with its total and three facets took 15.7 ms instead of 20.3 on average. These were two cores with other work on
//! them, and processor time fell too, from 16.0 to 13.7 ms.

use std::collections::HashMap;
use std::fmt::Debug;
use std::hash::Hash;

use tantivy::columnar::Column;

use crate::failure::Result;
use crate::search::index::cancel_token::CancelToken;
use crate::search::index::document_set::DocumentSet;
use crate::search::index::segment_threads::SegmentState;

use super::value_reader::ValueReader;

#[derive(Default)]
pub struct ValueCounts {
    /// Counts of the values without ids.
    pub by_text: HashMap<String, u64>,
    /// Counts by the value ids of a table.
    pub by_id: Vec<u64>,
}

impl SegmentState for ValueCounts {
    fn fork(&mut self) -> ValueCounts {
        ValueCounts::default()
    }

    fn join(&mut self, fork: ValueCounts) {
        let counts = self.by_id(fork.by_id.len());
        counts.iter_mut().zip(fork.by_id).for_each(|(count, other)| *count += other);
        fork.by_text.iter().for_each(|(value, count)| self.add_text(value, *count));
    }
}

impl ValueCounts {
    /// Returns the counts by value id, for at least `values` ids.
    pub fn by_id(&mut self, values: usize) -> &mut [u64] {
        self.by_id.resize(values.max(self.by_id.len()), 0);
        &mut self.by_id
    }

    pub fn add_text(&mut self, value: &str, count: u64) {
        add(&mut self.by_text, value, count);
    }

    /// Counts the values of a numeric column. `key` makes a value hashable, `text` converts a key to text.
    pub fn add_values<T: Copy + PartialOrd + Debug + Send + Sync + 'static, K: Eq + Hash>(
        &mut self,
        column: Option<Column<T>>,
        documents: &DocumentSet,
        cancel_token: &CancelToken,
        key: fn(T) -> K,
        text: fn(K) -> String,
    ) -> Result<()> {
        self.add_some_values(column, documents, cancel_token, (|_| true, key), text)
    }

    pub fn add_some_values<T: Copy + PartialOrd + Debug + Send + Sync + 'static, K: Eq + Hash>(
        &mut self,
        column: Option<Column<T>>,
        documents: &DocumentSet,
        cancel_token: &CancelToken,
        (counts_value, key): (impl Fn(T) -> bool, fn(T) -> K),
        text: impl Fn(K) -> String,
    ) -> Result<()> {
        let Some(column) = column else { return Ok(()) };
        let mut reader = ValueReader::new(&column);
        let mut counts: HashMap<K, u64> = HashMap::new();
        documents.for_each_batch(|batch| {
            reader.read(batch).filter(|value| counts_value(*value)).for_each(|value| *counts.entry(key(value)).or_default() += 1);
            cancel_token.check()
        })?;
        counts.into_iter().for_each(|(key, count)| self.add_text(&text(key), count));
        Ok(())
    }
}

pub fn add(counts: &mut HashMap<String, u64>, value: &str, count: u64) {
    match counts.get_mut(value) {
        Some(sum) => *sum += count,
        None => drop(counts.insert(value.to_owned(), count)),
    }
}
