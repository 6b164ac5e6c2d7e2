//! Scores single documents by the words that they have.

use tantivy::DocId;

use crate::typos::Cost;

use super::bonuses::Bonuses;
use super::counted_scorer::WordScorer;
use super::scale::Scale;

/// A word that is looked up in single documents.
struct LookedUpWord {
    word: WordScorer,
    /// The next document of each variant: a word may have a hundred of them, and few have a document.
    documents: Vec<DocId>,
}

impl LookedUpWord {
    fn new(word: WordScorer) -> LookedUpWord {
        let documents = word.variants.iter().map(|(_, variant)| variant.doc()).collect();
        LookedUpWord { word, documents }
    }

    /// Returns the cost and the BM25 score of the word in a document. Documents must be requested in ascending order.
    fn evaluate(&mut self, document: DocId) -> Option<(Cost, f32)> {
        let mut sum = None;
        for scorer in &mut self.word.whole {
            scorer.seek(document);
            if scorer.doc() == document {
                sum = Some(sum.unwrap_or(0.0) + scorer.score());
            }
        }
        if let Some(sum) = sum {
            return Some((0, sum));
        }
        let mut best: Option<(Cost, f32)> = None;
        for (next, (cost, variant)) in self.documents.iter_mut().zip(&mut self.word.variants) {
            if *next > document {
                continue;
            }
            if best.is_some_and(|(best_cost, _)| best_cost < *cost) {
                break;
            }
            if *next < document {
                variant.seek(document);
                *next = variant.doc();
            }
            if *next == document {
                best = Some((*cost, best.map_or(0.0, |(_, score)| score).max(variant.score())));
            }
        }
        best
    }
}

/// Scores single documents. Computes the same scores as a [`super::counted_scorer::CountedScorer`], to the bit.
pub struct DocumentScorer {
    words: Vec<LookedUpWord>,
    scale: Scale,
    bonuses: Bonuses,
}

impl DocumentScorer {
    pub fn new(words: Vec<WordScorer>, scale: Scale, bonuses: Bonuses) -> DocumentScorer {
        DocumentScorer { words: words.into_iter().map(LookedUpWord::new).collect(), scale, bonuses }
    }

    /// Returns the score of a document; `None` if it has fewer than `needed` words. A score below `threshold` may be too low. Documents must
    /// be requested in ascending order.
    pub fn score(&mut self, document: DocId, needed: usize, threshold: f64) -> Option<f32> {
        let (mut count, mut gain, mut sum) = (0, 0, 0.0);
        let words = self.words.len();
        for (index, word) in self.words.iter_mut().enumerate() {
            if let Some((cost, score)) = word.evaluate(document) {
                count += 1;
                gain += self.scale.word_gain(cost);
                sum += score;
            } else if count + (words - index - 1) < needed {
                return None;
            }
        }
        (count >= needed).then(|| self.bonuses.score(self.scale, document, gain, sum, threshold))
    }
}
