//! Bonuses that a document gains beside the scores of its words.

use tantivy::DocId;

use crate::search::boosts::boost::SegmentBoost;

use super::as_typed::SegmentAsTyped;
use super::exact_text::SegmentExactText;
use super::proximity::SegmentProximity;
use super::scale::Scale;

/// Everything that raises the score of a document beyond its words.
#[derive(Default)]
pub struct Bonuses {
    pub exact: Option<SegmentExactText>,
    pub proximity: Option<SegmentProximity>,
    pub as_typed: Option<SegmentAsTyped>,
    pub boosts: Vec<SegmentBoost>,
}

impl Bonuses {
    /// Returns the score of a document. A score below `threshold` may be too low, because reading positions takes long. Documents must be
    /// requested in ascending order.
    pub fn score(&mut self, scale: Scale, document: DocId, gain: u32, sum: f32, threshold: f64) -> f32 {
        let is_exact = gain == scale.full_gain() && self.exact.as_mut().is_some_and(|exact| exact.matches(document));
        let factor = if self.boosts.is_empty() { None } else { Some(self.boosts.iter().map(|boost| boost.value(document)).product()) };
        let score = |sum| scale.boosted_score(gain, sum, is_exact, factor);
        let reaches = |sum| f64::from(score(sum)) >= threshold;
        let proximity_max = self.proximity.as_ref().map_or(0.0, |proximity| proximity.bonus_max);
        let typed_max = self.as_typed.as_ref().map_or(0.0, |as_typed| as_typed.bonus_max);
        if proximity_max + typed_max == 0.0 || !reaches(sum + proximity_max + typed_max) {
            return score(sum);
        }
        // Looking up words as typed is faster than reading positions.
        let as_typed = match &mut self.as_typed {
            None => Some(0.0),
            Some(as_typed) => as_typed.bonus(document, |bonus_max| reaches(sum + proximity_max + bonus_max)),
        };
        let Some(as_typed) = as_typed else { return score(sum) };
        let proximity = self.proximity.as_mut().map_or(0.0, |proximity| proximity.bonus(document));
        score(sum + proximity + as_typed)
    }
}
