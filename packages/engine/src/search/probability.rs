//! Probabilities: scores as shares of the best one.

/// Whether a score is at least this share of the best one. The cutoff of a plan drops all other documents, that of a facet all other options.
pub fn reaches(score: f64, best: f64, cutoff: f64) -> bool {
    score / best >= cutoff
}

/// Returns the best score of a reply. Pinned documents get the best score of the other documents, whose probabilities therefore stay the same.
/// Without other documents, and without scores, it is 1.
pub fn best_score(best: f64, documents: u64) -> f64 {
    if best == 0.0 && documents > 0 { 1.0 } else { best }
}

/// The steps of statistics.
pub const STEPS: [f64; 10] = [0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1, 0.0];

/// Counts how many values are at least 0.9, 0.8, … 0.0 of the largest.
pub fn probability_steps(values: impl Iterator<Item = f64>, largest: f64) -> [u64; STEPS.len()] {
    let mut counts = [0; STEPS.len()];
    for value in values {
        let probability = value / largest;
        for (count, step) in counts.iter_mut().zip(STEPS) {
            *count += u64::from(probability >= step);
        }
    }
    counts
}
