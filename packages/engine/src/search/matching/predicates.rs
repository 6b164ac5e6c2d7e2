//! Checks single documents of a segment against the conditions that do not score. Unlike a [`crate::search::matching::segment::SegmentSearch`], it never
//! looks for the next document that satisfies them.

use tantivy::fastfield::AliveBitSet;
use tantivy::query::{Scorer, Weight};
use tantivy::{DocId, SeekDangerResult, SegmentReader};

use super::conditions::Conditions;
use crate::failure::Result;
use crate::search::index::document_set::DocumentSet;
use crate::search::terms::match_weight::MatchScorer;

pub struct Predicates<'a> {
    alive: Option<&'a AliveBitSet>,
    visible: Option<&'a DocumentSet>,
    required: Vec<Probe>,
    excluded: Vec<MatchScorer>,
    excluded_probes: Vec<Probe>,
    documents: DocId,
}

/// Asks a scorer about single documents, in ascending order.
struct Probe {
    scorer: Box<dyn Scorer>,
    /// No document before this one is in the set, after the last one that was asked for. Asking for it again would not be allowed.
    next: DocId,
}

impl Probe {
    fn new(scorer: Box<dyn Scorer>) -> Probe {
        let next = scorer.doc();
        Probe { scorer, next }
    }

    fn contains(&mut self, document: DocId) -> bool {
        if document < self.next {
            return false;
        }
        match self.scorer.seek_danger(document) {
            SeekDangerResult::Found => {
                self.next = document + 1;
                true
            }
            SeekDangerResult::SeekLowerBound(next) => {
                self.next = next;
                false
            }
        }
    }
}

impl<'a> Predicates<'a> {
    pub fn new(conditions: &'a Conditions, segment: usize, reader: &'a SegmentReader) -> Result<Predicates<'a>> {
        let probes = |weights: &[Box<dyn Weight>]| {
            weights.iter().map(|weight| Ok(Probe::new(weight.scorer(reader, 1.0)?))).collect::<Result<Vec<_>>>()
        };
        Ok(Predicates {
            alive: reader.alive_bitset(),
            visible: conditions.visible.as_ref().map(|visible| visible.segment(segment)),
            required: probes(&conditions.required)?,
            excluded: conditions.excluded.iter().map(|weight| weight.scorer(segment, reader, false)).collect::<Result<_>>()?,
            excluded_probes: probes(&conditions.excluded_weights)?,
            documents: reader.max_doc(),
        })
    }

    /// About how many documents of the segment satisfy the conditions.
    pub fn size(&self) -> u32 {
        let visible = self.visible.map_or(self.documents, DocumentSet::size);
        self.required.iter().map(|probe| probe.scorer.size_hint()).fold(visible, u32::min)
    }

    /// Whether the restrictions of the plan show the document. Knowing this takes less time than its score.
    pub fn is_shown(&self, document: DocId) -> bool {
        self.visible.is_none_or(|visible| visible.contains(document))
    }

    /// Whether the document satisfies all conditions. Documents must be requested in ascending order, each once.
    pub fn accepts(&mut self, document: DocId) -> bool {
        self.alive.is_none_or(|alive| alive.is_alive(document))
            && self.visible.is_none_or(|visible| visible.contains(document))
            && self.required.iter_mut().all(|probe| probe.contains(document))
            && !self.excluded.iter_mut().any(|scorer| scorer.seek(document) == document)
            && !self.excluded_probes.iter_mut().any(|probe| probe.contains(document))
    }
}
