//! Visits all documents of a single match, 2,048 at a time. It reads from the scorer which of them match, and their sums of scores. Of two words
//! in 10,000,000 documents, finding all documents with scores and counting the values of three fields took 21 ms of a core, and 24 ms one after
//! another.

use tantivy::fastfield::AliveBitSet;
use tantivy::{DocId, SegmentReader};

use crate::failure::Result;
use crate::search::index::cancel_token::CancelToken;
use crate::search::index::document_set::DocumentSet;
use crate::search::terms::match_weight::{MatchScorer, at_least_min_positive};
use crate::search::terms::window::{WINDOW_WORDS, for_each_bit};

use super::conditions::Conditions;

pub struct MatchWindows<'a> {
    scorer: MatchScorer,
    visible: Option<&'a DocumentSet>,
    alive: Option<&'a AliveBitSet>,
    constant_boost: f64,
}

/// The documents of a window that match.
pub struct Window<'a> {
    pub start: DocId,
    pub present: &'a [u64; WINDOW_WORDS],
    /// The sums of scores of the documents of the window, also of those that are not present. Empty without scores.
    pub sums: &'a [f32],
    constant_boost: f64,
}

impl<'a> MatchWindows<'a> {
    /// Returns `None` if there are conditions beside the match and the visibility of documents, or other parts of the score.
    pub fn new(conditions: &'a Conditions, segment: usize, reader: &'a SegmentReader, scored: bool) -> Result<Option<MatchWindows<'a>>> {
        let Some(weight) = conditions.only_match().filter(|_| conditions.visits_windows) else { return Ok(None) };
        Ok(Some(MatchWindows {
            scorer: weight.scorer(segment, reader, scored)?,
            visible: conditions.visible.as_ref().map(|visible| visible.segment(segment)),
            alive: reader.alive_bitset(),
            constant_boost: conditions.constant_boost,
        }))
    }

    /// Whether all documents that match are present.
    pub fn has_all_documents(&self) -> bool {
        self.visible.is_none() && self.alive.is_none()
    }

    /// Calls `process` with each window, in the order of the documents.
    pub fn run(mut self, cancel_token: &CancelToken, mut process: impl FnMut(Window)) -> Result<()> {
        let MatchWindows { visible, alive, constant_boost, .. } = self;
        cancel_token.check()?;
        self.scorer.for_each_window(|start, present, sums| {
            if let Some(visible) = visible {
                visible.keep_common(start, present);
            }
            if let Some(alive) = alive {
                for_each_bit(present.clone().as_slice(), |offset| {
                    if !alive.is_alive(start + offset) {
                        present[offset as usize / 64] &= !(1 << (offset % 64));
                    }
                });
            }
            process(Window { start, present, sums, constant_boost });
            cancel_token.check()
        })
    }
}

impl Window<'_> {
    /// Calls `process` with the sum of scores of each document.
    pub fn for_each_sum(&self, mut process: impl FnMut(f32)) {
        for_each_bit(self.present, |offset| process(self.sums.get(offset as usize).copied().unwrap_or(0.0)));
    }

    /// Calls `process` with each document and its score. Without scores, they are arbitrary.
    pub fn for_each(&self, mut process: impl FnMut(DocId, f64)) {
        for_each_bit(self.present, |offset| {
            let sum = self.sums.get(offset as usize).copied().unwrap_or(0.0);
            process(self.start + offset, f64::from(at_least_min_positive(sum)) * self.constant_boost);
        });
    }
}
