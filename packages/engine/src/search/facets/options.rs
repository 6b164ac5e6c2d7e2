//! The options of a facet, the most frequent first.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use serde::Serialize;

use crate::plan::FacetRequest;

#[derive(Serialize)]
pub struct FacetOption {
    pub value: String,
    pub count: u64,
}

/// The id of the option for documents without a value.
pub const MISSING: usize = usize::MAX;

#[derive(Clone, Copy)]
pub struct ValueCount {
    /// Id in the value table, or index in the list of values.
    pub id: usize,
    pub count: u64,
}

/// The most options to find by their counts, before others are left out. With more, sorting all is faster.
const FIRST_MAX: usize = 1_000;

/// Whether no option behind the page matters for the options of a reply.
pub fn needs_first_only(request: &FacetRequest) -> bool {
    let has_page = request.offset.saturating_add(request.count) <= FIRST_MAX;
    has_page && request.selected.is_empty() && request.query.is_none() && request.cutoff == 0.0
}

/// The values with the highest counts, the number of values, and the largest count.
pub struct FirstCounts {
    pub first: Vec<ValueCount>,
    pub distinct: u64,
    pub largest: u64,
}

/// Finds the `limit` highest counts, with all that are equal to the lowest of them. `counts` has the count of each value id.
pub fn first_counts(counts: &[u64], limit: usize) -> FirstCounts {
    let mut highest: BinaryHeap<Reverse<u64>> = BinaryHeap::new();
    let (mut distinct, mut largest, mut lowest) = (0, 0, 0);
    for count in counts.iter().copied() {
        distinct += u64::from(count > 0);
        largest = largest.max(count);
        if count > lowest {
            highest.push(Reverse(count));
            if highest.len() > limit {
                highest.pop();
            }
            if highest.len() == limit {
                lowest = highest.peek().map_or(u64::MAX, |Reverse(lowest)| *lowest);
            }
        }
    }
    let is_first = |(_, count): &(usize, &u64)| **count >= lowest.max(1);
    let first = counts.iter().enumerate().filter(is_first).map(|(id, count)| ValueCount { id, count: *count }).collect();
    FirstCounts { first, distinct, largest }
}

/// Returns the options of the page that a facet asks for.
pub fn page<'a>(mut value_counts: Vec<ValueCount>, text: impl Fn(usize) -> &'a str, request: &FacetRequest) -> Vec<FacetOption> {
    let end = request.offset.saturating_add(request.count).min(value_counts.len());
    if end == 0 {
        return Vec::new();
    }
    // Selecting by count first avoids looking up the texts of values behind the page.
    let (_, last, _) = value_counts.select_nth_unstable_by_key(end - 1, |value_count| Reverse(value_count.count));
    let count_min = last.count;
    value_counts.retain(|value_count| value_count.count >= count_min);
    let mut options: Vec<(Reverse<u64>, &str)> =
        value_counts.into_iter().map(|value_count| (Reverse(value_count.count), text(value_count.id))).collect();
    if end < options.len() {
        options.select_nth_unstable(end - 1);
    }
    options.truncate(end);
    options.sort_unstable();
    let options = options.into_iter().skip(request.offset);
    options.map(|(Reverse(count), value)| FacetOption { value: value.to_owned(), count }).collect()
}
