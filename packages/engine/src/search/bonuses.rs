//! Bonuses that a document gains beside the scores of its words.

use tantivy::DocId;

use super::boost::SegmentBoost;
use super::exact_text::SegmentExactText;
use super::proximity::SegmentProximity;
use super::scale::Scale;

/// Everything that raises the score of a document beyond its words.
#[derive(Default)]
pub struct Bonuses {
    pub exact: Option<SegmentExactText>,
    pub proximity: Option<SegmentProximity>,
    pub boosts: Vec<SegmentBoost>,
}

impl Bonuses {
    /// Returns the score of a document. A score below `threshold` may be too low, because reading positions takes long. Documents must be
    /// requested in ascending order.
    pub fn score(&mut self, scale: Scale, document: DocId, gain: u32, sum: f32, threshold: f64) -> f32 {
        let is_exact = gain == scale.full_gain() && self.exact.as_mut().is_some_and(|exact| exact.matches(document));
        let factor = if self.boosts.is_empty() { None } else { Some(self.boosts.iter().map(|boost| boost.value(document)).product()) };
        if let Some(proximity) = &mut self.proximity
            && f64::from(scale.boosted_score(gain, sum + proximity.bonus_max, is_exact, factor)) >= threshold
        {
            return scale.boosted_score(gain, sum + proximity.bonus(document), is_exact, factor);
        }
        scale.boosted_score(gain, sum, is_exact, factor)
    }
}
