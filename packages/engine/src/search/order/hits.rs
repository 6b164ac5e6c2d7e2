//! Documents found, in any segments: their order, their ids, and the texts of their values.

use std::collections::BTreeMap;

use tantivy::columnar::StrColumn;
use tantivy::{DocId, Searcher};

use crate::failure::{Failure, Result};
use crate::plan::Direction;
use crate::schema::ID_COLUMN;
use crate::search::index::columns::Columns;
use crate::search::index::snapshot::Snapshot;

use super::sort::{Key, SortValues, from_ordinal, to_ordinal};

pub struct Hit {
    pub score: f64,
    pub sort_values: SortValues,
    pub segment: usize,
    pub document: DocId,
    /// Ordinal of the id in the segment.
    pub id: u64,
}

/// Puts hits of any segments in their order.
pub fn sort_hits(keys: &[Key], Snapshot { searcher, columns, .. }: &Snapshot, hits: &mut [Hit]) -> Result<()> {
    for (key_index, key) in keys.iter().enumerate() {
        if let Some((column, direction)) = key.text_column() {
            unify_text_values(searcher, hits, key_index, column, direction)?;
        }
    }
    hits.sort_unstable_by(|left, right| left.sort_values.cmp(&right.sort_values));
    for equal_hits in hits.chunk_by_mut(|left, right| left.sort_values == right.sort_values) {
        let count = equal_hits.len();
        sort_by_id(columns, searcher, equal_hits, count)?;
    }
    Ok(())
}

/// Replaces the sort values of a text key, which are ordinals of segments, by values that are comparable between all hits.
pub fn unify_text_values(searcher: &Searcher, hits: &mut [Hit], key_index: usize, column: &str, direction: Direction) -> Result<()> {
    let ordinals: Vec<(usize, usize, u64)> = hits
        .iter()
        .enumerate()
        .filter_map(|(index, hit)| to_ordinal(hit.sort_values[key_index], direction).map(|ordinal| (index, hit.segment, ordinal)))
        .collect();
    let texts = texts(searcher, column, ordinals.iter().map(|(_, segment, ordinal)| (*segment, *ordinal)))?;
    let mut unified: BTreeMap<&str, u64> = texts.iter().map(|text| (text.as_str(), 0)).collect();
    unified.values_mut().zip(0..).for_each(|(ordinal, position)| *ordinal = position);
    for ((index, _, _), text) in ordinals.iter().zip(&texts) {
        hits[*index].sort_values[key_index] = from_ordinal(unified.get(text.as_str()).copied().unwrap_or_default(), direction);
    }
    Ok(())
}

/// Sorts the first `count` hits by their ids. The order of the other hits is arbitrary.
pub fn sort_by_id(columns: &Columns, searcher: &Searcher, hits: &mut [Hit], count: usize) -> Result<()> {
    if hits.len() < 2 {
        return Ok(());
    }
    if hits.iter().any(|hit| hit.segment != hits[0].segment) {
        let id_column = |segment: usize| Ok(columns.segment(segment, searcher.segment_reader(segment as u32))?.ids.clone());
        let ids = read_texts(hits.iter().map(|hit| (hit.segment, hit.id)), id_column)?;
        let mut order: Vec<usize> = (0..hits.len()).collect();
        let by_id = |left: &usize, right: &usize| ids[*left].cmp(&ids[*right]);
        if count < order.len() {
            order.select_nth_unstable_by(count, by_id);
            order[..count].sort_unstable_by(by_id);
        } else {
            order.sort_unstable_by(by_id);
        }
        order.into_iter().zip(0..).for_each(|(index, position)| hits[index].id = position);
    }
    hits.sort_unstable_by_key(|hit| hit.id);
    Ok(())
}

/// Returns the texts of ordinals of a column, in the given order. Reads them in the order of each segment's dictionary.
pub fn texts(searcher: &Searcher, column: &str, ordinals: impl Iterator<Item = (usize, u64)>) -> Result<Vec<String>> {
    read_texts(ordinals, |segment| text_column(searcher, segment, column))
}

/// `column` returns the column of a segment.
fn read_texts(ordinals: impl Iterator<Item = (usize, u64)>, column: impl Fn(usize) -> Result<StrColumn>) -> Result<Vec<String>> {
    let mut lookups: Vec<(usize, u64, usize)> = ordinals.enumerate().map(|(index, (segment, ordinal))| (segment, ordinal, index)).collect();
    lookups.sort_unstable();
    let mut texts = vec![String::new(); lookups.len()];
    for segment_lookups in lookups.chunk_by(|left, right| left.0 == right.0) {
        let column = column(segment_lookups[0].0)?;
        let mut targets = segment_lookups.iter();
        let ordinals: Vec<u64> = segment_lookups.iter().map(|(_, ordinal, _)| *ordinal).collect();
        column.dictionary().sorted_ords_to_term_cb(&ordinals, |bytes| {
            if let Some((_, _, index)) = targets.next() {
                texts[*index] = String::from_utf8_lossy(bytes).into_owned();
            }
        })?;
    }
    Ok(texts)
}

/// Returns the ids of documents, grouped by segment as the documents are.
pub fn ids(searcher: &Searcher, documents: &[(usize, DocId)]) -> Result<Vec<String>> {
    let mut ordinals = Vec::with_capacity(documents.len());
    for segment_documents in documents.chunk_by(|left, right| left.0 == right.0) {
        let column = text_column(searcher, segment_documents[0].0, ID_COLUMN)?;
        ordinals.extend(segment_documents.iter().filter_map(|(segment, document)| Some((*segment, column.term_ords(*document).next()?))));
    }
    texts(searcher, ID_COLUMN, ordinals.into_iter())
}

/// Returns the sequences of the indexed revisions of the hits.
pub fn sequences(Snapshot { searcher, columns, .. }: &Snapshot, hits: &[Hit]) -> Result<Vec<u64>> {
    hits.iter()
        .map(|hit| {
            let columns = columns.segment(hit.segment, searcher.segment_reader(hit.segment as u32))?;
            columns.sequences.first(hit.document).ok_or_else(|| Failure::fault("a document in the index has no sequence"))
        })
        .collect()
}

fn text_column(searcher: &Searcher, segment: usize, name: &str) -> Result<StrColumn> {
    let column = searcher.segment_reader(segment as u32).fast_fields().str(name)?;
    column.ok_or_else(|| Failure::fault(format!("a segment of the index has no column `{name}`")))
}
