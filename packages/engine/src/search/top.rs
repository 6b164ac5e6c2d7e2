//! The first documents by the order of a plan, then by id in UTF-8 bytes.
//!
//! Within a segment texts and ids are compared by their ordinals, whose order is theirs. Between segments the texts themselves are needed:
//! those of the sort keys of all that was kept, and the ids only of documents that are otherwise equal and may stand on the page.

use std::collections::BTreeMap;

use tantivy::columnar::StrColumn;
use tantivy::{DocId, Searcher, SegmentReader};

use crate::failure::{Failure, Result};
use crate::plan::Plan;
use crate::schema::{ID_COLUMN, IndexSchema};
use crate::snapshot::Snapshot;

use super::columns::Columns;
use super::sort::{Key, Rank, SegmentKey, ordinal, place_of};

/// So many hits are kept at least before the worst are dropped. The sooner that is, the sooner it is known what need not be looked at.
const KEPT_BEFORE_SHRINKING: usize = 16;

pub struct Hit {
    pub score: f64,
    rank: Rank,
    segment: usize,
    document: DocId,
    /// Of its id, in its segment.
    id: u64,
}

pub struct Top<'a> {
    columns: &'a Columns,
    keys: Vec<Key>,
    /// So many are kept; 0 when no page is wanted.
    limit: usize,
    segment: usize,
    segment_keys: Vec<SegmentKey>,
    ids: Option<&'a StrColumn>,
    in_segment: Vec<Hit>,
    /// Rank and id of the last that can still stay in this segment.
    threshold: Option<(Rank, u64)>,
    kept: Vec<Hit>,
    /// What scores less is not among the first; only where nothing but scores and ids decides.
    least: f64,
    /// Rank after which nothing of later segments can be among the first; only where ranks can be compared between segments.
    floor: Option<Rank>,
}

impl<'a> Top<'a> {
    pub fn new(schema: &IndexSchema, plan: &Plan, columns: &'a Columns) -> Result<Top<'a>> {
        Ok(Top {
            columns,
            keys: Key::of_plan(schema, plan)?,
            limit: if plan.count == 0 { 0 } else { plan.offset.saturating_add(plan.count) },
            segment: 0,
            segment_keys: Vec::new(),
            ids: None,
            in_segment: Vec::new(),
            threshold: None,
            kept: Vec::new(),
            least: 0.0,
            floor: None,
        })
    }

    pub fn enter(&mut self, segment: usize, reader: &SegmentReader) -> Result<()> {
        self.segment = segment;
        self.segment_keys = self.keys.iter().map(|key| key.for_segment(reader)).collect::<Result<_>>()?;
        self.ids = Some(&self.columns.of_segment(segment, reader)?.ids);
        self.threshold = None;
        Ok(())
    }

    pub fn take(&mut self, document: DocId, score: f64) {
        if self.limit == 0 || score < self.least {
            return;
        }
        let rank: Rank = self.segment_keys.iter().map(|key| key.place(document, score)).collect();
        if self.floor.as_ref().is_some_and(|floor| rank > *floor) || self.threshold.as_ref().is_some_and(|(last, _)| rank > *last) {
            return;
        }
        let Some(id) = self.ids.as_ref().and_then(|ids| ids.term_ords(document).next()) else { return };
        if self.threshold.as_ref().is_some_and(|(last, last_id)| (&rank, id) > (last, *last_id)) {
            return;
        }
        self.in_segment.push(Hit { score, rank, segment: self.segment, document, id });
        if self.in_segment.len() >= self.limit.saturating_mul(2).max(KEPT_BEFORE_SHRINKING) {
            self.shrink();
        }
    }

    /// What scores less than this cannot be among the first.
    pub fn least(&self) -> f64 {
        self.least
    }

    /// Ends the segment.
    pub fn leave(&mut self) {
        self.shrink();
        self.kept.append(&mut self.in_segment);
        let comparable = self.keys.iter().all(|key| key.text().is_none());
        if comparable && self.limit > 0 && self.kept.len() >= self.limit {
            let (_, last, _) = self.kept.select_nth_unstable_by(self.limit - 1, |left, right| left.rank.cmp(&right.rank));
            let floor = last.rank.clone();
            if self.keys.as_slice() == [Key::Score] {
                self.least = last.score;
            }
            self.kept.retain(|hit| hit.rank <= floor);
            self.floor = Some(floor);
        }
    }

    /// The hits from `offset` on, first to last.
    pub fn into_page(mut self, searcher: &Searcher, offset: usize) -> Result<Vec<Hit>> {
        for (at, key) in self.keys.iter().enumerate() {
            if let Some((column, direction)) = key.text() {
                rank_across_segments(searcher, &mut self.kept, at, column, direction)?;
            }
        }
        let mut hits = self.kept;
        hits.sort_unstable_by(|left, right| left.rank.cmp(&right.rank));
        let end = self.limit.min(hits.len());
        let mut start = 0;
        for length in hits.chunk_by(|left, right| left.rank == right.rank).map(<[Hit]>::len).collect::<Vec<_>>() {
            if start < end && start + length > offset {
                sort_by_id(searcher, &mut hits[start..start + length], end - start)?;
            }
            start += length;
        }
        hits.truncate(end);
        Ok(hits.split_off(offset.min(end)))
    }

    fn shrink(&mut self) {
        if self.in_segment.len() <= self.limit || self.limit == 0 {
            return;
        }
        let (_, last, _) =
            self.in_segment.select_nth_unstable_by(self.limit - 1, |left, right| (&left.rank, left.id).cmp(&(&right.rank, right.id)));
        self.threshold = Some((last.rank.clone(), last.id));
        if self.keys.as_slice() == [Key::Score] {
            self.least = self.least.max(last.score);
        }
        self.in_segment.truncate(self.limit);
    }
}

/// Replaces places within segments by places among all the hits.
fn rank_across_segments(searcher: &Searcher, hits: &mut [Hit], at: usize, column: &str, direction: crate::plan::Direction) -> Result<()> {
    let with_text: Vec<(usize, usize, u64)> = hits
        .iter()
        .enumerate()
        .filter_map(|(number, hit)| ordinal(hit.rank[at], direction).map(|ordinal| (number, hit.segment, ordinal)))
        .collect();
    let texts = texts(searcher, column, with_text.iter().map(|(_, segment, ordinal)| (*segment, *ordinal)))?;
    let mut places: BTreeMap<&str, u64> = texts.iter().map(|text| (text.as_str(), 0)).collect();
    places.values_mut().zip(0..).for_each(|(place, number)| *place = number);
    for ((number, _, _), text) in with_text.iter().zip(&texts) {
        hits[*number].rank[at] = place_of(places.get(text.as_str()).copied().unwrap_or_default(), direction);
    }
    Ok(())
}

/// Brings the first `wanted` hits into the order of their ids; those behind stay in any.
fn sort_by_id(searcher: &Searcher, hits: &mut [Hit], wanted: usize) -> Result<()> {
    if hits.len() < 2 {
        return Ok(());
    }
    if hits.iter().any(|hit| hit.segment != hits[0].segment) {
        let ids = texts(searcher, ID_COLUMN, hits.iter().map(|hit| (hit.segment, hit.id)))?;
        let mut order: Vec<usize> = (0..hits.len()).collect();
        let by_id = |left: &usize, right: &usize| ids[*left].cmp(&ids[*right]);
        if wanted < order.len() {
            order.select_nth_unstable_by(wanted, by_id);
            order[..wanted].sort_unstable_by(by_id);
        } else {
            order.sort_unstable_by(by_id);
        }
        order.into_iter().zip(0..).for_each(|(number, place)| hits[number].id = place);
    }
    hits.sort_unstable_by_key(|hit| hit.id);
    Ok(())
}

/// The texts of a column's ordinals, in the order asked for; read in the order of each segment's dictionary.
fn texts(searcher: &Searcher, column: &str, wanted: impl Iterator<Item = (usize, u64)>) -> Result<Vec<String>> {
    let mut wanted: Vec<(usize, u64, usize)> = wanted.enumerate().map(|(at, (segment, ordinal))| (segment, ordinal, at)).collect();
    wanted.sort_unstable();
    let mut texts = vec![String::new(); wanted.len()];
    for of_segment in wanted.chunk_by(|left, right| left.0 == right.0) {
        let column = text_column(searcher, of_segment[0].0, column)?;
        let mut targets = of_segment.iter();
        let ordinals: Vec<u64> = of_segment.iter().map(|(_, ordinal, _)| *ordinal).collect();
        column.dictionary().sorted_ords_to_term_cb(&ordinals, |bytes| {
            if let Some((_, _, at)) = targets.next() {
                texts[*at] = String::from_utf8_lossy(bytes).into_owned();
            }
        })?;
    }
    Ok(texts)
}

/// The ids of documents, in no particular order of theirs.
pub fn ids(searcher: &Searcher, documents: &[(usize, DocId)]) -> Result<Vec<String>> {
    let mut ordinals = Vec::with_capacity(documents.len());
    for of_segment in documents.chunk_by(|left, right| left.0 == right.0) {
        let column = text_column(searcher, of_segment[0].0, ID_COLUMN)?;
        ordinals.extend(of_segment.iter().filter_map(|(segment, document)| Some((*segment, column.term_ords(*document).next()?))));
    }
    texts(searcher, ID_COLUMN, ordinals.into_iter())
}

/// The sequences of the revisions that were indexed.
pub fn sequences(Snapshot { searcher, columns, .. }: &Snapshot, hits: &[Hit]) -> Result<Vec<u64>> {
    hits.iter()
        .map(|hit| {
            let columns = columns.of_segment(hit.segment, searcher.segment_reader(hit.segment as u32))?;
            columns.sequences.first(hit.document).ok_or_else(|| Failure::fault("a document in the index has no sequence"))
        })
        .collect()
}

fn text_column(searcher: &Searcher, segment: usize, name: &str) -> Result<StrColumn> {
    let column = searcher.segment_reader(segment as u32).fast_fields().str(name)?;
    column.ok_or_else(|| Failure::fault(format!("a segment of the index has no column `{name}`")))
}
