//! Collects the first documents in the order of a plan, then by the UTF-8 bytes of their ids.
//!
//! Within a segment, texts and ids are compared by their ordinals, which have the same order. Between segments the texts themselves are
//! compared: the sort texts of all candidates, and the ids only of candidates with equal sort values that may be on the page.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use tantivy::columnar::StrColumn;
use tantivy::{DocId, Searcher, SegmentReader};

use crate::failure::{Failure, Result};
use crate::plan::{Direction, Plan};
use crate::schema::ID_COLUMN;
use crate::search::index::columns::Columns;
use crate::search::index::snapshot::Snapshot;

use super::position::{Position, SegmentPosition};
use super::sort::{Key, SegmentKey, SortValues, from_ordinal, to_ordinal};

/// The smallest number of hits at which the worst are dropped. A small number finds the score threshold early.
const SHRINK_HITS_MIN: usize = 16;

pub struct Hit {
    pub score: f64,
    pub sort_values: SortValues,
    pub segment: usize,
    pub document: DocId,
    /// Ordinal of the id in the segment.
    pub id: u64,
}

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
            threshold: None,
        }
    }

    /// Returns a collection of the document with the best score.
    pub fn best(&self) -> TopK<'a> {
        TopK { limit: 1, after: None, ..TopK::empty(self.columns, vec![Key::Score]) }
    }

    /// Forgets all hits.
    pub fn clear(&mut self) {
        self.hits.clear();
        self.segment_hits.clear();
        (self.segment_threshold, self.threshold, self.score_threshold) = (None, None, 0.0);
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
        self.score_threshold
    }

    pub fn finish_segment(&mut self) {
        self.shrink();
        self.hits.append(&mut self.segment_hits);
        let are_comparable = self.keys.iter().all(|key| key.text_column().is_none());
        if are_comparable && self.limit > 0 && self.hits.len() >= self.limit {
            let (_, last, _) = self.hits.select_nth_unstable_by(self.limit - 1, |left, right| left.sort_values.cmp(&right.sort_values));
            let threshold = last.sort_values.clone();
            if self.keys.as_slice() == [Key::Score] {
                self.score_threshold = last.score;
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
                sort_by_id(searcher, &mut hits[start..start + length], end - start)?;
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
        self.segment_threshold = Some((last.sort_values.clone(), last.id));
        if self.keys.as_slice() == [Key::Score] {
            self.score_threshold = self.score_threshold.max(last.score);
        }
        self.segment_hits.truncate(self.limit);
    }
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

/// Puts hits of any segments in their order.
pub fn sort_hits(keys: &[Key], searcher: &Searcher, hits: &mut [Hit]) -> Result<()> {
    for (key_index, key) in keys.iter().enumerate() {
        if let Some((column, direction)) = key.text_column() {
            unify_text_values(searcher, hits, key_index, column, direction)?;
        }
    }
    hits.sort_unstable_by(|left, right| left.sort_values.cmp(&right.sort_values));
    for equal_hits in hits.chunk_by_mut(|left, right| left.sort_values == right.sort_values) {
        let count = equal_hits.len();
        sort_by_id(searcher, equal_hits, count)?;
    }
    Ok(())
}

/// Replaces the sort values of a text key, which are ordinals of segments, by values that are comparable between all hits.
fn unify_text_values(searcher: &Searcher, hits: &mut [Hit], key_index: usize, column: &str, direction: Direction) -> Result<()> {
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
fn sort_by_id(searcher: &Searcher, hits: &mut [Hit], count: usize) -> Result<()> {
    if hits.len() < 2 {
        return Ok(());
    }
    if hits.iter().any(|hit| hit.segment != hits[0].segment) {
        let ids = texts(searcher, ID_COLUMN, hits.iter().map(|hit| (hit.segment, hit.id)))?;
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
fn texts(searcher: &Searcher, column: &str, ordinals: impl Iterator<Item = (usize, u64)>) -> Result<Vec<String>> {
    let mut lookups: Vec<(usize, u64, usize)> = ordinals.enumerate().map(|(index, (segment, ordinal))| (segment, ordinal, index)).collect();
    lookups.sort_unstable();
    let mut texts = vec![String::new(); lookups.len()];
    for segment_lookups in lookups.chunk_by(|left, right| left.0 == right.0) {
        let column = text_column(searcher, segment_lookups[0].0, column)?;
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
