//! Pinned documents come first and buried documents come last, whatever their score.
//!
//! Their final scores encode their positions, so the code for order, totals, statistics and facets does not handle them. In the reply,
//! pinned documents have the best score of the other documents (see `search`).

use std::collections::BTreeMap;

use tantivy::columnar::StrColumn;
use tantivy::{DocId, SegmentReader};

use crate::failure::Result;
use crate::schema::ID_COLUMN;

/// The lowest score of a pinned document. Other scores are far lower.
const PINNED_SCORE_MIN: f64 = 1e300;
/// The boost of buried documents.
const BURIED_BOOST: f64 = 1e-200;

#[derive(Default)]
pub struct Pinning {
    /// The position of each pinned document in its list; the lowest if it is in several lists.
    pinned: BTreeMap<String, usize>,
    buried: Vec<String>,
}

pub fn is_pinned(score: f64) -> bool {
    score >= PINNED_SCORE_MIN
}

impl Pinning {
    pub fn add(&mut self, pinned: &[String], buried: &[String]) {
        for (position, id) in pinned.iter().enumerate() {
            let lowest = self.pinned.entry(id.clone()).or_insert(position);
            *lowest = position.min(*lowest);
        }
        self.buried.extend_from_slice(buried);
    }

    pub fn is_empty(&self) -> bool {
        self.pinned.is_empty() && self.buried.is_empty()
    }

    /// Returns `None` if no document of the segment is pinned or buried.
    pub fn for_segment(&self, reader: &SegmentReader) -> Result<Option<SegmentPinning>> {
        if self.is_empty() {
            return Ok(None);
        }
        let Some(ids) = reader.fast_fields().str(ID_COLUMN)? else { return Ok(None) };
        let last = self.pinned.values().max().copied().unwrap_or(0);
        let mut placements = BTreeMap::new();
        for id in &self.buried {
            placements.extend(ids.dictionary().term_ord(id)?.map(|ordinal| (ordinal, Placement::Buried)));
        }
        for (id, position) in &self.pinned {
            let score = PINNED_SCORE_MIN * (1 + last - position) as f64;
            placements.extend(ids.dictionary().term_ord(id)?.map(|ordinal| (ordinal, Placement::Pinned(score))));
        }
        Ok((!placements.is_empty()).then_some(SegmentPinning { ids, placements }))
    }
}

enum Placement {
    /// With the score of the document.
    Pinned(f64),
    Buried,
}

pub struct SegmentPinning {
    ids: StrColumn,
    /// By the ordinal of the id.
    placements: BTreeMap<u64, Placement>,
}

impl SegmentPinning {
    pub fn score(&self, document: DocId, score: f64) -> f64 {
        match self.ids.term_ords(document).next().and_then(|ordinal| self.placements.get(&ordinal)) {
            Some(Placement::Pinned(pinned_score)) => *pinned_score,
            Some(Placement::Buried) => (score * BURIED_BOOST).max(f64::MIN_POSITIVE),
            None => score,
        }
    }
}
