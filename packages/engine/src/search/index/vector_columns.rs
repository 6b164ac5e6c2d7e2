//! The vectors of a segment. Their signs are in memory, their numbers in a column of the index that the operating system maps. A segment never
//! changes, so the first search that needs its signs reads them once.

use std::collections::{HashMap, HashSet};
use std::hint::black_box;
use std::sync::{Arc, Mutex, PoisonError};

use tantivy::columnar::{Column, ColumnValues};
use tantivy::index::SegmentId;
use tantivy::{DocId, Searcher, SegmentReader};

use crate::failure::Result;
use crate::metric::Metric;
use crate::search_field::VectorField;
use crate::vector_code::{QueryVector, stored_length};

pub struct SegmentVectors {
    /// A bit of each dimension, in `sign_words` words of each vector.
    signs: Vec<u64>,
    sign_words: usize,
    /// The document of each vector; `None` if each document has exactly one.
    documents: Option<Vec<DocId>>,
    /// The length of each vector; `None` if the metric does not need it.
    lengths_in_memory: Option<Vec<f32>>,
    /// The numbers of each vector, and its lengths in the last of `number_words` words.
    numbers: Arc<dyn ColumnValues<u64>>,
    number_words: usize,
}

impl SegmentVectors {
    fn open(reader: &SegmentReader, field: &VectorField) -> Result<Option<SegmentVectors>> {
        let fast_fields = reader.fast_fields();
        let open = |column: &str| fast_fields.column_opt::<u64>(column);
        let (Some(signs), Some(numbers)) = (open(&field.signs_column)?, open(&field.numbers_column)?) else { return Ok(None) };
        let code = &field.code;
        let mut sign_values = vec![0; signs.values.num_vals() as usize];
        use_large_pages(&sign_values);
        signs.values.get_range(0, &mut sign_values);
        let number_words = code.number_words() + 1;
        let lengths_in_memory = (code.metric != Metric::Cosine).then(|| {
            let last_words = (number_words as u32 - 1..numbers.values.num_vals()).step_by(number_words);
            last_words.map(|word| stored_length(numbers.values.get_val(word))).collect()
        });
        Ok(Some(SegmentVectors {
            signs: sign_values,
            sign_words: code.sign_words(),
            documents: vector_documents(reader, &signs, code.sign_words()),
            lengths_in_memory,
            numbers: numbers.values,
            number_words,
        }))
    }

    pub fn len(&self) -> usize {
        self.signs.len() / self.sign_words
    }

    pub fn document(&self, vector: usize) -> DocId {
        self.documents.as_ref().map_or(vector as DocId, |documents| documents[vector])
    }

    /// Calls `process` with the vectors of the document.
    pub fn for_each_vector(&self, document: DocId, mut process: impl FnMut(usize)) {
        match &self.documents {
            None => process(document as usize),
            Some(documents) => {
                let start = documents.partition_point(|other| *other < document);
                documents[start..].iter().take_while(|other| **other == document).enumerate().for_each(|(index, _)| process(start + index));
            }
        }
    }

    /// Returns the length of a vector, for metrics that need it.
    pub fn length(&self, vector: usize) -> Option<f32> {
        self.lengths_in_memory.as_ref().map(|lengths| lengths[vector])
    }

    /// Writes the number of signs in which each vector differs from the query.
    pub fn sign_differences(&self, query: &QueryVector, differences: &mut Vec<u16>) {
        differences.clear();
        differences.reserve(self.len());
        count_differences(&self.signs, &query.signs, differences);
    }

    /// Calls `process` with each vector and its score, which its numbers give.
    pub fn score_each(&self, vectors: &[usize], query: &QueryVector, metric: Metric, mut process: impl FnMut(usize, f32)) {
        let mut words = vec![0; self.number_words];
        for chunk in vectors.chunks(FETCHED_VECTORS) {
            self.fetch(chunk);
            for vector in chunk {
                self.numbers.get_range((vector * self.number_words) as u64, &mut words);
                let Some((lengths, numbers)) = words.split_last() else { return };
                process(*vector, query.score(metric, numbers, *lengths));
            }
        }
    }

    /// Reads a word of each cache line of the vectors, so that the processor waits for all of them at once and not for one after the other.
    fn fetch(&self, vectors: &[usize]) {
        let lines = |vector: &usize| (vector * self.number_words..(vector + 1) * self.number_words).step_by(CACHE_LINE_WORDS);
        let words: Vec<u32> = vectors.iter().flat_map(lines).map(|word| word as u32).collect();
        let mut values = vec![0; words.len()];
        self.numbers.get_vals(&words, &mut values);
        black_box(values);
    }
}

/// Number of vectors that are fetched at once: few enough for the level 1 cache of a processor.
const FETCHED_VECTORS: usize = 32;

const CACHE_LINE_WORDS: usize = 8;

/// Asks for large pages of memory, so that reading all of it looks up fewer addresses. Without them it is only slower. Call it before the
/// memory is written.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
fn use_large_pages(words: &[u64]) {
    const PAGE_BYTES: usize = 4_096;
    let bytes = words.as_ptr_range();
    let start = (bytes.start as usize).next_multiple_of(PAGE_BYTES);
    let length = (bytes.end as usize).saturating_sub(start);
    // SAFETY: the range lies within `words`, and the advice does not change what is there (madvise(2)).
    unsafe {
        libc::madvise(start as *mut libc::c_void, length, libc::MADV_HUGEPAGE);
    }
}

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
fn use_large_pages(_: &[u64]) {}

/// Returns the document of each vector, or `None` if each document has exactly one.
fn vector_documents(reader: &SegmentReader, signs: &Column<u64>, sign_words: usize) -> Option<Vec<DocId>> {
    let documents = reader.max_doc();
    let count = |document| signs.index.value_row_ids(document).len() / sign_words;
    if (0..documents).all(|document| count(document) == 1) {
        return None;
    }
    Some((0..documents).flat_map(|document| std::iter::repeat_n(document, count(document))).collect())
}

fn count_differences(signs: &[u64], query: &[u64], differences: &mut Vec<u16>) {
    #[cfg(target_arch = "x86_64")]
    {
        if std::arch::is_x86_feature_detected!("avx512vpopcntdq") && std::arch::is_x86_feature_detected!("avx512f") {
            // SAFETY: this processor has these features.
            return unsafe { count_differences_avx512(signs, query, differences) };
        }
        if std::arch::is_x86_feature_detected!("popcnt") {
            // SAFETY: this processor has the feature.
            return unsafe { count_differences_popcnt(signs, query, differences) };
        }
    }
    count_differences_plain(signs, query, differences);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vpopcntdq,popcnt")]
fn count_differences_avx512(signs: &[u64], query: &[u64], differences: &mut Vec<u16>) {
    count_differences_plain(signs, query, differences);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "popcnt")]
fn count_differences_popcnt(signs: &[u64], query: &[u64], differences: &mut Vec<u16>) {
    count_differences_plain(signs, query, differences);
}

#[inline(always)]
fn count_differences_plain(signs: &[u64], query: &[u64], differences: &mut Vec<u16>) {
    // Usual numbers of dimensions, with loops of a known length.
    match query.len() {
        6 => count_in_chunks::<6>(signs, query, differences),
        8 => count_in_chunks::<8>(signs, query, differences),
        12 => count_in_chunks::<12>(signs, query, differences),
        16 => count_in_chunks::<16>(signs, query, differences),
        24 => count_in_chunks::<24>(signs, query, differences),
        words => differences.extend(signs.chunks_exact(words).map(|vector| difference(vector, query))),
    }
}

#[inline(always)]
fn count_in_chunks<const WORDS: usize>(signs: &[u64], query: &[u64], differences: &mut Vec<u16>) {
    let Ok(query) = <&[u64; WORDS]>::try_from(query) else { return };
    let (vectors, _) = signs.as_chunks::<WORDS>();
    differences.extend(vectors.iter().map(|vector| difference(vector, query)));
}

#[inline(always)]
fn difference(vector: &[u64], query: &[u64]) -> u16 {
    vector.iter().zip(query).map(|(left, right)| (left ^ right).count_ones()).sum::<u32>() as u16
}

/// The vectors of segments, by field.
#[derive(Default)]
pub struct VectorTables(Mutex<HashMap<String, HashMap<SegmentId, Slot>>>);

/// Locked while one search reads the vectors. Other searches wait for the lock. `None` inside: the segment has none.
type Slot = Arc<Mutex<Option<Option<Arc<SegmentVectors>>>>>;

impl VectorTables {
    /// Returns the vectors of each segment. Forgets those of segments that the searcher does not have.
    pub fn segments(&self, searcher: &Searcher, field: &VectorField) -> Result<Vec<Option<Arc<SegmentVectors>>>> {
        let slots: Vec<Slot> = {
            let mut tables = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            let table = tables.entry(field.signs_column.clone()).or_default();
            let ids: HashSet<SegmentId> = searcher.segment_readers().iter().map(SegmentReader::segment_id).collect();
            table.retain(|id, _| ids.contains(id));
            searcher.segment_readers().iter().map(|reader| Arc::clone(table.entry(reader.segment_id()).or_default())).collect()
        };
        let vectors = slots.iter().zip(searcher.segment_readers()).map(|(slot, reader)| {
            let mut entry = slot.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(vectors) = &*entry {
                return Ok(vectors.clone());
            }
            let vectors = SegmentVectors::open(reader, field)?.map(Arc::new);
            Ok(entry.insert(vectors).clone())
        });
        vectors.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_are_counted_alike_for_all_numbers_of_words() {
        for words in [1, 2, 5, 6, 8, 12, 16, 24, 64] {
            let signs: Vec<u64> = (0..words as u64 * 10).map(|index| index.wrapping_mul(0x9E37_79B9_7F4A_7C15)).collect();
            let query = &signs[..words];
            let expected: Vec<u16> = signs
                .chunks(words)
                .map(|vector| vector.iter().zip(query).map(|(left, right)| (left ^ right).count_ones() as u16).sum())
                .collect();
            let mut differences = Vec::new();
            count_differences(&signs, query, &mut differences);
            assert_eq!(differences, expected);
            assert_eq!(differences[0], 0);
        }
    }
}
