//! The best documents by score, then by id in UTF-8 bytes.
//!
//! Within a segment ids are compared by their ordinals, whose order is theirs. Between segments the ids themselves are needed, but only
//! of documents with equal scores that may stand on the page.

use std::cmp::Ordering;

use tantivy::columnar::{Column, StrColumn};
use tantivy::{DocId, Searcher, SegmentReader};

use crate::failure::{Failure, Result};
use crate::schema::{ID_COLUMN, SEQUENCE_COLUMN};

pub struct Hit {
    pub score: f64,
    segment: usize,
    document: DocId,
    /// Of its id, in its segment.
    ordinal: u64,
}

pub struct Top {
    limit: usize,
    by_score: bool,
    segment: usize,
    ids: Option<StrColumn>,
    in_segment: Vec<Hit>,
    /// Score and ordinal of the worst that can still stay in this segment.
    threshold: Option<(f64, u64)>,
    kept: Vec<Hit>,
    /// Score below which nothing of later segments can be among the best.
    floor: f64,
}

impl Top {
    /// `wanted` false keeps nothing.
    pub fn new(limit: usize, wanted: bool, by_score: bool) -> Top {
        Top {
            limit: if wanted { limit } else { 0 },
            by_score,
            segment: 0,
            ids: None,
            in_segment: Vec::new(),
            threshold: None,
            kept: Vec::new(),
            floor: f64::NEG_INFINITY,
        }
    }

    pub fn enter(&mut self, segment: usize, reader: &SegmentReader) -> Result<()> {
        self.segment = segment;
        self.ids = reader.fast_fields().str(ID_COLUMN)?;
        self.threshold = None;
        Ok(())
    }

    pub fn take(&mut self, document: DocId, score: f64) {
        let rank = if self.by_score { score } else { 0.0 };
        if self.limit == 0 || rank < self.floor || self.threshold.is_some_and(|(worst, _)| rank < worst) {
            return;
        }
        let Some(ordinal) = self.ids.as_ref().and_then(|ids| ids.term_ords(document).next()) else { return };
        if self.threshold.is_some_and(|(worst, last)| rank == worst && ordinal > last) {
            return;
        }
        self.in_segment.push(Hit { score, segment: self.segment, document, ordinal });
        if self.in_segment.len() >= self.limit.saturating_mul(2).max(64) {
            self.shrink();
        }
    }

    /// Ends the segment.
    pub fn leave(&mut self) {
        self.shrink();
        self.kept.append(&mut self.in_segment);
        if self.by_score && self.limit > 0 && self.kept.len() >= self.limit {
            self.kept.sort_unstable_by(|left, right| right.score.total_cmp(&left.score));
            self.floor = self.kept[self.limit - 1].score;
            let floor = self.floor;
            self.kept.retain(|hit| hit.score >= floor);
        }
    }

    /// The hits from `offset` on, best first.
    pub fn into_page(self, searcher: &Searcher, offset: usize) -> Result<Vec<Hit>> {
        let by_score = self.by_score;
        let mut hits = self.kept;
        if by_score {
            hits.sort_by(|left, right| right.score.total_cmp(&left.score));
        }
        let end = self.limit.min(hits.len());
        let mut start = 0;
        while start < end {
            let same = |hit: &Hit| !by_score || hit.score == hits[start].score;
            let length = hits[start..].iter().take_while(|hit| same(hit)).count();
            if start + length > offset && length > 1 {
                sort_by_id(searcher, &mut hits[start..start + length])?;
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
        let by_score = self.by_score;
        let last = self.limit - 1;
        self.in_segment.select_nth_unstable_by(last, |left, right| in_order(by_score, left, right));
        self.in_segment.truncate(self.limit);
        let worst = &self.in_segment[last];
        self.threshold = Some((if by_score { worst.score } else { 0.0 }, worst.ordinal));
    }
}

fn in_order(by_score: bool, left: &Hit, right: &Hit) -> Ordering {
    let by_rank = if by_score { right.score.total_cmp(&left.score) } else { Ordering::Equal };
    by_rank.then(left.ordinal.cmp(&right.ordinal))
}

fn sort_by_id(searcher: &Searcher, hits: &mut [Hit]) -> Result<()> {
    if hits.iter().all(|hit| hit.segment == hits[0].segment) {
        hits.sort_unstable_by_key(|hit| hit.ordinal);
        return Ok(());
    }
    let ids = ids_by_ordinal(searcher, hits.iter().map(|hit| (hit.segment, hit.ordinal)))?;
    let mut order: Vec<usize> = (0..hits.len()).collect();
    order.sort_by(|left, right| ids[*left].cmp(&ids[*right]));
    // Puts hits[order[i]] at i.
    let mut places = vec![0; order.len()];
    for (place, from) in order.into_iter().enumerate() {
        places[from] = place;
    }
    for at in 0..hits.len() {
        while places[at] != at {
            let to = places[at];
            hits.swap(at, to);
            places.swap(at, to);
        }
    }
    Ok(())
}

/// The ids, in the order asked for; read in the order of each segment's dictionary.
fn ids_by_ordinal(searcher: &Searcher, wanted: impl Iterator<Item = (usize, u64)>) -> Result<Vec<String>> {
    let mut wanted: Vec<(usize, u64, usize)> = wanted.enumerate().map(|(at, (segment, ordinal))| (segment, ordinal, at)).collect();
    wanted.sort_unstable();
    let mut ids = vec![String::new(); wanted.len()];
    for of_segment in wanted.chunk_by(|left, right| left.0 == right.0) {
        let column = column(searcher, of_segment[0].0)?;
        let mut at = 0;
        let ordinals: Vec<u64> = of_segment.iter().map(|(_, ordinal, _)| *ordinal).collect();
        column.dictionary().sorted_ords_to_term_cb(&ordinals, |bytes| {
            ids[of_segment[at].2] = String::from_utf8_lossy(bytes).into_owned();
            at += 1;
        })?;
    }
    Ok(ids)
}

/// The ids of documents, in no particular order of theirs.
pub fn ids(searcher: &Searcher, documents: impl Iterator<Item = (usize, DocId)>) -> Result<Vec<String>> {
    let mut ordinals = Vec::new();
    let mut column_of: Option<(usize, StrColumn)> = None;
    for (segment, document) in documents {
        let known = column_of.take().filter(|(of, _)| *of == segment);
        let column = known.map_or_else(|| column(searcher, segment), |(_, column)| Ok(column))?;
        ordinals.extend(column.term_ords(document).next().map(|ordinal| (segment, ordinal)));
        column_of = Some((segment, column));
    }
    ids_by_ordinal(searcher, ordinals.into_iter())
}

/// The sequences of the revisions that were indexed.
pub fn sequences(searcher: &Searcher, hits: &[Hit]) -> Result<Vec<u64>> {
    hits.iter()
        .map(|hit| {
            let column: Column<u64> = searcher.segment_reader(hit.segment as u32).fast_fields().u64(SEQUENCE_COLUMN)?;
            column.first(hit.document).ok_or_else(|| Failure::fault("a document in the index has no sequence"))
        })
        .collect()
}

fn column(searcher: &Searcher, segment: usize) -> Result<StrColumn> {
    let column = searcher.segment_reader(segment as u32).fast_fields().str(ID_COLUMN)?;
    column.ok_or_else(|| Failure::fault("a segment of the index has no ids"))
}
