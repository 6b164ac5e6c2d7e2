//! Collects the first documents in the order of a plan, then by the UTF-8 bytes of their ids.
//!
//! Within a segment, texts and ids are compared by their ordinals, which have the same order. Between segments the texts themselves are
//! compared: the sort texts of all candidates, and the ids only of candidates with equal sort values that may be on the page.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{self, AtomicU64};

use tantivy::columnar::StrColumn;
use tantivy::{DocId, Searcher, SegmentReader};

use crate::failure::Result;
use crate::plan::Plan;
use crate::search::index::columns::Columns;
use crate::search::index::segment_threads::SegmentState;

use super::hits::{Hit, ids, sort_by_id, texts, unify_text_values};
use super::position::{Position, SegmentPosition};
use super::sort::{Key, SegmentKey, SortValues, to_ordinal};

/// The smallest number of hits at which the worst are dropped. A small number finds the score threshold early.
const SHRINK_HITS_MIN: usize = 16;

/// A page of hits in order.
pub struct Page {
    pub hits: Vec<Hit>,
    /// The position of the last hit as JSON, if the plan continues after a position and more hits follow.
    pub next: Option<String>,
}

pub struct TopK<'a> {
    columns: &'a Columns,
    keys: Vec<Key>,
    /// The number of hits to collect; 0 without a page.
    limit: usize,
    /// The hits start after this position.
    after: Option<Position>,
    segment: usize,
    segment_after: Option<SegmentPosition>,
    segment_keys: Vec<SegmentKey>,
    ids: Option<&'a StrColumn>,
    segment_hits: Vec<Hit>,
    /// Sort values and id of the last hit of this segment that can still be among the first.
    segment_threshold: Option<(SortValues, u64)>,
    /// Hits of the finished segments.
    hits: Vec<Hit>,
    /// Documents with a lower score are not among the first. Set only if the order is by score.
    score_threshold: f64,
    /// The highest threshold of several threads, as bits. Scores are not negative, so the order of the bits is theirs.
    shared_threshold: Option<Arc<AtomicU64>>,
    /// Documents of later segments with higher sort values are not among the first. Set only if the values are comparable between segments.
    threshold: Option<SortValues>,
}

impl<'a> TopK<'a> {
    pub fn new(keys: Vec<Key>, plan: &Plan, columns: &'a Columns) -> Result<TopK<'a>> {
        Ok(TopK {
            // One more hit shows whether another page follows.
            limit: if plan.count == 0 { 0 } else { plan.offset.saturating_add(plan.count) + usize::from(plan.after.is_some()) },
            after: plan.after.as_deref().filter(|text| !text.is_empty()).map(Position::parse).transpose()?,
            ..TopK::empty(columns, keys)
        })
    }

    fn empty(columns: &'a Columns, keys: Vec<Key>) -> TopK<'a> {
        TopK {
            columns,
            keys,
            limit: 0,
            after: None,
            segment: 0,
            segment_after: None,
            segment_keys: Vec::new(),
            ids: None,
            segment_hits: Vec::new(),
            segment_threshold: None,
            hits: Vec::new(),
            score_threshold: 0.0,
            shared_threshold: None,
            threshold: None,
        }
    }

    /// Returns a collection of the document with the best score.
    pub fn best(&self) -> TopK<'a> {
        TopK { limit: 1, after: None, ..TopK::empty(self.columns, vec![Key::Score]) }
    }

    /// Returns this collection. An empty one of nothing stays behind.
    pub fn take(&mut self) -> TopK<'a> {
        let empty = TopK::empty(self.columns, Vec::new());
        std::mem::replace(self, empty)
    }

    /// Forgets all hits.
    pub fn clear(&mut self) {
        self.hits.clear();
        self.segment_hits.clear();
        (self.segment_threshold, self.threshold, self.score_threshold) = (None, None, 0.0);
        self.shared_threshold = None;
    }

    pub fn start_segment(&mut self, segment: usize, reader: &SegmentReader) -> Result<()> {
        self.segment = segment;
        self.segment_keys = self.keys.iter().map(|key| key.for_segment(reader)).collect::<Result<_>>()?;
        self.ids = Some(&self.columns.segment(segment, reader)?.ids);
        self.segment_after = self.after.as_ref().map(|position| position.for_segment(&self.keys, reader)).transpose()?;
        self.segment_threshold = None;
        Ok(())
    }

    pub fn collect(&mut self, document: DocId, score: f64) {
        if self.limit == 0 || score < self.score_threshold {
            return;
        }
        // The first value alone rules out most documents, and much faster.
        let first = self.segment_keys.first().map(|key| key.sort_value(document, score));
        if first.is_some_and(|first| self.is_behind(first)) {
            return;
        }
        let sort_values: SortValues = self.segment_keys.iter().map(|key| key.sort_value(document, score)).collect();
        let is_behind_segment = self.segment_threshold.as_ref().is_some_and(|(last, _)| sort_values > *last);
        if is_behind_segment || self.threshold.as_ref().is_some_and(|last| sort_values > *last) {
            return;
        }
        let place = self.segment_after.as_ref().map_or(Ordering::Greater, |after| after.compare(&sort_values));
        if place == Ordering::Less {
            return;
        }
        let Some(id) = self.ids.as_ref().and_then(|ids| ids.term_ords(document).next()) else { return };
        if place == Ordering::Equal && !self.segment_after.as_ref().is_some_and(|after| after.precedes_id(id)) {
            return;
        }
        if self.segment_threshold.as_ref().is_some_and(|(last, last_id)| (&sort_values, id) > (last, *last_id)) {
            return;
        }
        self.segment_hits.push(Hit { score, sort_values, segment: self.segment, document, id });
        if self.segment_hits.len() >= self.limit.saturating_mul(2).max(SHRINK_HITS_MIN) {
            self.shrink();
        }
    }

    /// Whether documents whose first sort value is this one cannot be among the first.
    fn is_behind(&self, first: u64) -> bool {
        let is_behind = |last: &SortValues| last.first().is_some_and(|last| first > *last);
        self.segment_threshold.as_ref().is_some_and(|(last, _)| is_behind(last)) || self.threshold.as_ref().is_some_and(is_behind)
    }

    /// The number of hits to collect.
    pub fn limit(&self) -> usize {
        self.limit
    }

    /// Documents with a lower score cannot be among the first.
    pub fn score_threshold(&self) -> f64 {
        self.shared_threshold.as_ref().map_or(self.score_threshold, |shared| self.score_threshold.max(read_score(shared)))
    }

    /// Documents with a lower score are not among the first, in no thread.
    fn raise_score_threshold(&mut self, score: f64) {
        self.score_threshold = self.score_threshold.max(score);
        if let Some(shared) = &self.shared_threshold {
            shared.fetch_max(self.score_threshold.to_bits(), atomic::Ordering::Relaxed);
            self.score_threshold = read_score(shared);
        }
    }

    pub fn finish_segment(&mut self) {
        self.shrink();
        self.hits.append(&mut self.segment_hits);
        self.shrink_hits();
    }

    /// Drops hits of the finished segments that are not among the first.
    fn shrink_hits(&mut self) {
        let are_comparable = self.keys.iter().all(|key| key.text_column().is_none());
        if are_comparable && self.limit > 0 && self.hits.len() >= self.limit {
            let (_, last, _) = self.hits.select_nth_unstable_by(self.limit - 1, |left, right| left.sort_values.cmp(&right.sort_values));
            let threshold = last.sort_values.clone();
            let score = last.score;
            if self.keys.as_slice() == [Key::Score] {
                self.raise_score_threshold(score);
            }
            self.hits.retain(|hit| hit.sort_values <= threshold);
            self.threshold = Some(threshold);
        }
    }

    /// Returns the hits of the page.
    pub fn into_page(mut self, searcher: &Searcher, plan: &Plan) -> Result<Page> {
        let offset = plan.offset;
        for (key_index, key) in self.keys.iter().enumerate() {
            if let Some((column, direction)) = key.text_column() {
                unify_text_values(searcher, &mut self.hits, key_index, column, direction)?;
            }
        }
        let mut hits = std::mem::take(&mut self.hits);
        hits.sort_unstable_by(|left, right| left.sort_values.cmp(&right.sort_values));
        let end = self.limit.min(hits.len());
        let mut start = 0;
        for length in hits.chunk_by(|left, right| left.sort_values == right.sort_values).map(<[Hit]>::len).collect::<Vec<_>>() {
            if start < end && start + length > offset {
                sort_by_id(self.columns, searcher, &mut hits[start..start + length], end - start)?;
            }
            start += length;
        }
        hits.truncate(end);
        let mut hits = hits.split_off(offset.min(end));
        let has_more = plan.after.is_some() && hits.len() > plan.count;
        hits.truncate(plan.count);
        let next = hits.last().filter(|_| has_more).map(|hit| position_json(&self.keys, searcher, hit)).transpose()?;
        Ok(Page { hits, next })
    }

    fn shrink(&mut self) {
        if self.segment_hits.len() <= self.limit || self.limit == 0 {
            return;
        }
        let by_value_and_id = |left: &Hit, right: &Hit| (&left.sort_values, left.id).cmp(&(&right.sort_values, right.id));
        let (_, last, _) = self.segment_hits.select_nth_unstable_by(self.limit - 1, by_value_and_id);
        let score = last.score;
        self.segment_threshold = Some((last.sort_values.clone(), last.id));
        if self.keys.as_slice() == [Key::Score] {
            self.raise_score_threshold(score);
        }
        self.segment_hits.truncate(self.limit);
    }
}

/// Threads share their score threshold.
impl SegmentState for TopK<'_> {
    fn fork(&mut self) -> Self {
        let shared = self.shared_threshold.get_or_insert_with(|| Arc::new(AtomicU64::new(self.score_threshold.max(0.0).to_bits())));
        TopK {
            limit: self.limit,
            after: self.after.clone(),
            score_threshold: self.score_threshold,
            shared_threshold: Some(Arc::clone(shared)),
            threshold: self.threshold.clone(),
            ..TopK::empty(self.columns, self.keys.clone())
        }
    }

    fn join(&mut self, mut fork: Self) {
        self.hits.append(&mut fork.hits);
        self.shrink_hits();
    }
}

fn read_score(threshold: &AtomicU64) -> f64 {
    f64::from_bits(threshold.load(atomic::Ordering::Relaxed))
}

/// Returns the position of a hit. Reads its sort values again, because they may be comparable among the collected hits only.
pub fn position_json(keys: &[Key], searcher: &Searcher, hit: &Hit) -> Result<String> {
    let reader = searcher.segment_reader(hit.segment as u32);
    let value = |key: &Key| -> Result<Option<String>> {
        let sort_value = key.for_segment(reader)?.sort_value(hit.document, hit.score);
        let Some((column, direction)) = key.text_column() else { return Ok(Some(sort_value.to_string())) };
        let Some(ordinal) = to_ordinal(sort_value, direction) else { return Ok(None) };
        Ok(texts(searcher, column, std::iter::once((hit.segment, ordinal)))?.pop())
    };
    let mut values = Vec::new();
    let mut large = BTreeMap::new();
    for key in keys {
        match key.large_column() {
            Some(column) => large.extend(value(key)?.map(|value| (column.to_owned(), value))),
            None => values.push(value(key)?),
        }
    }
    let id = ids(searcher, &[(hit.segment, hit.document)])?.pop().unwrap_or_default();
    Ok(Position { values, id, large }.to_json())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use crate::search::test_index::{CATALOG, few_conditions, nodes};

    proptest! {
        #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn pages_are_those_of_the_documents_in_order(
            conditions in few_conditions(),
            field in prop_oneof![Just("price"), Just("day")],
            descending in any::<bool>(),
            count in 1..40_usize,
        ) {
            let accepts = |attributes: &Value| conditions.iter().all(|condition| condition.accepts(attributes));
            let mut expected: Vec<(Option<String>, &str)> = Vec::new();
            for document in CATALOG.documents.iter().filter(|document| accepts(&document.attributes)) {
                let value = match &document.attributes[field] {
                    Value::Number(number) => Some(format!("{:0>2}", number.to_string())),
                    value => value.as_str().map(str::to_owned),
                };
                expected.push((value, &document.id));
            }
            expected.sort_unstable_by(|(left, left_id), (right, right_id)| {
                let by_value = if descending { right.cmp(left) } else { left.cmp(right) };
                left.is_none().cmp(&right.is_none()).then(by_value).then(left_id.cmp(right_id))
            });
            let mut plan = json!({
                "nodes": nodes(&conditions), "offset": 0, "count": count, "after": "",
                "order": [{ "by": "field", "field": field, "order": if descending { "descending" } else { "ascending" } }],
            });
            let mut ids: Vec<String> = Vec::new();
            for _ in 0..4 {
                let page = CATALOG.find(&plan);
                prop_assert_eq!(page.total, expected.len() as u64);
                ids.extend(page.hits.into_iter().map(|(id, _)| id));
                let Some(next) = page.next else { break };
                plan["after"] = json!(next);
            }
            let first: Vec<&str> = expected.iter().take(4 * count).map(|(_, id)| *id).collect();
            prop_assert_eq!(ids, first);
        }
    }
}
