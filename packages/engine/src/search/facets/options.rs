//! The options of a facet, the most frequent first.

use std::cmp::Reverse;

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
