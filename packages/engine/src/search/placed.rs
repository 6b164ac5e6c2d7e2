//! Documents that stand first or last whatever they score: pinned and buried ones.
//!
//! Their places are written into their final scores, so that order, totals, statistics and facets need to know nothing of them. What is
//! pinned counts as good as the best of the others: see `search`.

use std::collections::BTreeMap;

use tantivy::columnar::StrColumn;
use tantivy::{DocId, SegmentReader};

use crate::failure::Result;
use crate::schema::ID_COLUMN;

/// Scores of pinned documents begin here; others never come near.
const PINNED: f64 = 1e300;
/// What scores of buried documents are multiplied by.
const BURIED: f64 = 1e-200;

#[derive(Default)]
pub struct Placed {
    /// How many of a list of pinned documents stand before this one; the least where several lists have it.
    pinned: BTreeMap<String, usize>,
    buried: Vec<String>,
}

pub fn is_pinned(score: f64) -> bool {
    score >= PINNED
}

impl Placed {
    pub fn add(&mut self, pinned: &[String], buried: &[String]) {
        for (place, id) in pinned.iter().enumerate() {
            let known = self.pinned.entry(id.clone()).or_insert(place);
            *known = place.min(*known);
        }
        self.buried.extend_from_slice(buried);
    }

    pub fn is_empty(&self) -> bool {
        self.pinned.is_empty() && self.buried.is_empty()
    }

    /// Nothing where no document of the segment is placed.
    pub fn for_segment(&self, reader: &SegmentReader) -> Result<Option<SegmentPlaced>> {
        if self.is_empty() {
            return Ok(None);
        }
        let Some(ids) = reader.fast_fields().str(ID_COLUMN)? else { return Ok(None) };
        let last = self.pinned.values().max().copied().unwrap_or(0);
        let mut places = BTreeMap::new();
        for id in &self.buried {
            places.extend(ids.dictionary().term_ord(id)?.map(|ordinal| (ordinal, Place::Last)));
        }
        for (id, place) in &self.pinned {
            places.extend(ids.dictionary().term_ord(id)?.map(|ordinal| (ordinal, Place::First(PINNED * (1 + last - place) as f64))));
        }
        Ok((!places.is_empty()).then_some(SegmentPlaced { ids, places }))
    }
}

enum Place {
    First(f64),
    Last,
}

pub struct SegmentPlaced {
    ids: StrColumn,
    /// By the ordinal of the id.
    places: BTreeMap<u64, Place>,
}

impl SegmentPlaced {
    pub fn score(&self, document: DocId, score: f64) -> f64 {
        match self.ids.term_ords(document).next().and_then(|ordinal| self.places.get(&ordinal)) {
            Some(Place::First(pinned)) => *pinned,
            Some(Place::Last) => (score * BURIED).max(f64::MIN_POSITIVE),
            None => score,
        }
    }
}
