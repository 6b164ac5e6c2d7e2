//! The search of one segment: all conditions walk forward together, from one document that may satisfy them to the next.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use tantivy::fastfield::AliveBitSet;
use tantivy::query::Scorer;
use tantivy::{DocId, DocSet, SegmentReader, TERMINATED};

use crate::failure::{Failure, Result};

use super::condition::Conditions;
use super::document_set::DocumentSet;
use super::factor::SegmentFactor;
use super::matching::MatchScorer;
use super::placed::SegmentPlaced;

/// Documents looked at between two looks at the clock.
const DOCUMENTS_BETWEEN_CHECKS: u32 = 4_096;

/// What ends a search before it is done.
pub struct Clock {
    deadline: Option<Instant>,
    cancelled: Arc<AtomicBool>,
}

impl Clock {
    pub fn until(deadline: Instant, cancelled: Arc<AtomicBool>) -> Clock {
        Clock { deadline: Some(deadline), cancelled }
    }

    pub fn never() -> Clock {
        Clock { deadline: None, cancelled: Arc::default() }
    }

    pub fn check(&self) -> Result<()> {
        if self.cancelled.load(Ordering::Relaxed) {
            return Err(Failure::cancelled());
        }
        match self.deadline {
            Some(deadline) if Instant::now() >= deadline => Err(Failure::timeout()),
            _ => Ok(()),
        }
    }
}

enum Walker<'a> {
    Match(Box<MatchScorer>),
    /// What is left of a list of documents and their scores.
    Listed(&'a [(DocId, f32)]),
    /// The one of a set that it stands on.
    Visible(&'a DocumentSet, DocId),
    Other(Box<dyn Scorer>),
}

impl Walker<'_> {
    fn doc(&self) -> DocId {
        match self {
            Walker::Match(scorer) => scorer.doc(),
            Walker::Listed(rest) => rest.first().map_or(TERMINATED, |(document, _)| *document),
            Walker::Visible(_, document) => *document,
            Walker::Other(scorer) => scorer.doc(),
        }
    }

    fn advance(&mut self) -> DocId {
        match self {
            Walker::Match(scorer) => scorer.advance(),
            Walker::Listed(rest) => {
                *rest = rest.get(1..).unwrap_or_default();
                self.doc()
            }
            Walker::Visible(_, TERMINATED) => TERMINATED,
            Walker::Visible(set, document) => {
                *document = set.next_from(*document + 1);
                *document
            }
            Walker::Other(scorer) => scorer.advance(),
        }
    }

    fn seek(&mut self, target: DocId) -> DocId {
        match self {
            Walker::Match(scorer) => scorer.seek(target),
            Walker::Listed(rest) => {
                *rest = &rest[rest.partition_point(|(document, _)| *document < target)..];
                self.doc()
            }
            Walker::Visible(set, document) => {
                if *document < target {
                    *document = set.next_from(target);
                }
                *document
            }
            Walker::Other(scorer) if scorer.doc() < target => scorer.seek(target),
            Walker::Other(scorer) => scorer.doc(),
        }
    }

    fn size(&self) -> u32 {
        match self {
            Walker::Match(scorer) => scorer.size(),
            Walker::Listed(rest) => rest.len() as u32,
            Walker::Visible(set, _) => set.size(),
            Walker::Other(scorer) => scorer.size_hint(),
        }
    }

    /// Of the document that it stands on.
    fn score(&self) -> f32 {
        match self {
            Walker::Match(scorer) => scorer.score(),
            Walker::Listed(rest) => rest.first().map_or(0.0, |(_, score)| *score),
            Walker::Visible(..) | Walker::Other(_) => 0.0,
        }
    }
}

pub struct SegmentSearch<'a> {
    /// All must stand on a document for it to be found; the rarest leads.
    required: Vec<Walker<'a>>,
    /// Positions in `required` of those whose scores are added.
    scoring: Vec<usize>,
    excluded: Vec<Walker<'a>>,
    factors: Vec<SegmentFactor>,
    placed: Option<SegmentPlaced>,
    constant: f64,
    alive: Option<&'a AliveBitSet>,
    documents: DocId,
}

impl<'a> SegmentSearch<'a> {
    /// Unless `scored`, the documents are found with any scores.
    pub fn new(conditions: &'a Conditions, segment: usize, reader: &'a SegmentReader, scored: bool) -> Result<SegmentSearch<'a>> {
        let mut required = Vec::new();
        if let Some(visible) = &conditions.visible {
            let set = visible.in_segment(segment);
            required.push((Walker::Visible(set, set.next_from(0)), false));
        }
        for (matching, scores) in &conditions.matches {
            required.push((Walker::Match(Box::new(matching.scorer(segment, reader, scored && *scores)?)), *scores));
        }
        for (segments, scores) in &conditions.mixes {
            required.push((Walker::Listed(segments.get(segment).map_or(&[], Vec::as_slice)), *scores));
        }
        for weight in &conditions.required {
            required.push((Walker::Other(weight.scorer(reader, 1.0)?), false));
        }
        let mut excluded = Vec::new();
        for matching in &conditions.excluded {
            excluded.push(Walker::Match(Box::new(matching.scorer(segment, reader, false)?)));
        }
        for weight in &conditions.excluded_others {
            excluded.push(Walker::Other(weight.scorer(reader, 1.0)?));
        }
        required.sort_by_key(|(walker, _)| walker.size());
        let scoring = required.iter().enumerate().filter(|(_, (_, scores))| *scores).map(|(at, _)| at).collect();
        Ok(SegmentSearch {
            required: required.into_iter().map(|(walker, _)| walker).collect(),
            scoring,
            excluded,
            factors: conditions.factors.iter().map(|factor| factor.for_segment(reader)).collect::<Result<_>>()?,
            placed: conditions.placed.for_segment(reader)?,
            constant: conditions.constant,
            alive: reader.alive_bitset(),
            documents: if conditions.impossible { 0 } else { reader.max_doc() },
        })
    }

    /// Calls with every document found and its score, in order of document.
    pub fn run(mut self, clock: &Clock, take: &mut impl FnMut(DocId, f64)) -> Result<()> {
        clock.check()?;
        let mut until_check = DOCUMENTS_BETWEEN_CHECKS;
        let mut document = self.align(0);
        while document < self.documents {
            until_check -= 1;
            if until_check == 0 {
                clock.check()?;
                until_check = DOCUMENTS_BETWEEN_CHECKS;
            }
            if self.alive.is_none_or(|alive| alive.is_alive(document))
                && !self.excluded.iter_mut().any(|walker| walker.seek(document) == document)
            {
                take(document, self.score(document));
            }
            document = match self.required.as_mut_slice() {
                [] => document + 1,
                [only] => only.advance(),
                [leader, ..] => {
                    let next = leader.advance();
                    self.align(next)
                }
            };
        }
        Ok(())
    }

    /// The first document at or after `target` on which all that is required stands.
    fn align(&mut self, mut target: DocId) -> DocId {
        let Some((leader, others)) = self.required.split_first_mut() else { return target };
        'candidate: loop {
            target = leader.seek(target);
            if target == TERMINATED {
                return TERMINATED;
            }
            for other in others.iter_mut() {
                let at = other.seek(target);
                if at > target {
                    target = at;
                    continue 'candidate;
                }
            }
            debug_assert!(self.required.iter().all(|walker| walker.doc() == target));
            return target;
        }
    }

    fn score(&self, document: DocId) -> f64 {
        let mut score = 0.0;
        for at in &self.scoring {
            score += f64::from(self.required[*at].score());
        }
        if self.scoring.is_empty() {
            score = 1.0;
        }
        let score = self.factors.iter().fold(score * self.constant, |score, factor| score * factor.of(document));
        self.placed.as_ref().map_or(score, |placed| placed.score(document, score))
    }
}
