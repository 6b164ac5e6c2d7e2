//! Reads the values of many documents from a column.

use std::fmt::Debug;
use std::sync::Arc;

use tantivy::DocId;
use tantivy::columnar::{Column, ColumnIndex, ColumnValues};

/// Reads the values of many documents at once.
pub struct ValueReader<'a, T> {
    column: &'a Column<T>,
    /// The index of the first value of each document, for a multivalued column with values in every document.
    starts: Option<&'a Arc<dyn ColumnValues<u32>>>,
    begin: Vec<u32>,
    end: Vec<u32>,
    rows: Vec<u32>,
    values: Vec<T>,
}

impl<'a, T: Copy + PartialOrd + Debug + Send + Sync + 'static> ValueReader<'a, T> {
    pub fn new(column: &'a Column<T>) -> ValueReader<'a, T> {
        let starts = match &column.index {
            ColumnIndex::Multivalued(index) => {
                Some(index.get_start_index_column()).filter(|starts| starts.num_vals() == index.num_docs() + 1)
            }
            _ => None,
        };
        ValueReader { column, starts, begin: Vec::new(), end: Vec::new(), rows: Vec::new(), values: Vec::new() }
    }

    /// Reads the values of documents, which must be in order.
    pub fn read(&mut self, documents: &[DocId]) -> impl Iterator<Item = T> + '_ {
        let ValueReader { column, starts, begin, end, rows, values } = self;
        rows.clear();
        let rows = match (&column.index, starts) {
            (ColumnIndex::Full, _) => documents,
            (_, Some(starts)) => {
                begin.resize(documents.len(), 0);
                starts.get_vals(documents, begin);
                rows.extend(documents.iter().map(|document| document + 1));
                end.resize(documents.len(), 0);
                starts.get_vals(rows, end);
                rows.clear();
                begin.iter().zip(end.iter()).for_each(|(begin, end)| rows.extend(*begin..*end));
                rows
            }
            (_, None) => {
                begin.clear();
                column.row_ids_for_docs(documents, begin, rows);
                rows
            }
        };
        values.clear();
        if let Some(first) = rows.first() {
            values.resize(rows.len(), column.values.get_val(*first));
            column.values.get_vals(rows, values);
        }
        values.iter().copied()
    }
}
