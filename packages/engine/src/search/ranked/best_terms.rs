//! Finds the documents of one segment in which any of several terms has a high score. A document scores by its best term.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

use tantivy::{DocId, SegmentReader};

use crate::failure::Result;
use crate::search::terms::term_scorer::{TermScorer, WeightedTerm};
use crate::search::words::scale::Scale;

use super::block_max::score_slack;

pub struct BestTerms {
    /// The best score of each document that may be among the first.
    scores: HashMap<DocId, f32>,
    /// The highest first scores of different documents, as bits, lowest on top.
    highest: BinaryHeap<Reverse<u32>>,
    limit: usize,
    /// Documents with a lower score, and its bonus, are not among the first.
    lowest_score: f32,
    bonus_max: f32,
    /// Scores of different sums may be equal: they are rounded.
    scale: Scale,
    gain: u32,
}

impl BestTerms {
    /// Finds the first `limit` documents with at least `lowest_score`, and perhaps others. The caller adds a bonus of at most `bonus_max` to
    /// the score of each.
    pub fn new(limit: usize, lowest_score: f32, bonus_max: f32, (scale, gain): (Scale, u32)) -> BestTerms {
        BestTerms { scores: HashMap::new(), highest: BinaryHeap::new(), limit, lowest_score, bonus_max, scale, gain }
    }

    fn lowest_without_bonus(&self) -> f32 {
        self.lowest_score - self.bonus_max
    }

    /// Adds the documents of a term that `accepts` accepts.
    pub fn add_term(&mut self, segment: usize, reader: &SegmentReader, term: &WeightedTerm, accepts: impl Fn(DocId) -> bool) -> Result<()> {
        if term.highest_score() < self.lowest_without_bonus() {
            return Ok(());
        }
        let Some(mut scorer) = TermScorer::new(segment, reader, term, true)? else { return Ok(()) };
        // The bounds of blocks are computed with the lengths of the term's own field.
        let has_bounds = term.has_own_lengths();
        let slack = score_slack(reader, term.lengths, term.mean_length)?;
        loop {
            if !has_bounds || scorer.block_max_score() * slack >= self.lowest_without_bonus() {
                scorer.read_block(|document, score| {
                    if score >= self.lowest_without_bonus() && accepts(document) {
                        self.add(document, score);
                    }
                });
            }
            if !scorer.next_block() {
                return Ok(());
            }
        }
    }

    fn add(&mut self, document: DocId, score: f32) {
        if let Some(known) = self.scores.get_mut(&document) {
            *known = known.max(score);
            return;
        }
        self.scores.insert(document, score);
        // Scores are not negative, so their bits have the same order.
        self.highest.push(Reverse(score.to_bits()));
        if self.highest.len() > self.limit {
            self.highest.pop();
        }
        if self.highest.len() == self.limit
            && let Some(Reverse(lowest)) = self.highest.peek()
        {
            let score = self.scale.score(self.gain, f32::from_bits(*lowest), false);
            self.lowest_score = self.lowest_score.max(self.scale.lowest_sum(self.gain, f64::from(score)));
        }
    }

    /// Returns the documents in order, with their scores.
    pub fn into_documents(self) -> Vec<(DocId, f32)> {
        let lowest = self.lowest_without_bonus();
        let mut documents: Vec<_> = self.scores.into_iter().filter(|(_, score)| *score >= lowest).collect();
        documents.sort_unstable_by_key(|(document, _)| *document);
        documents
    }
}
