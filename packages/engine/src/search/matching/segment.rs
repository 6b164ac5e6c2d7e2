//! Searches one segment: advances the iterators of all conditions together, from one candidate document to the next.

use tantivy::fastfield::AliveBitSet;
use tantivy::query::Scorer;
use tantivy::{DocId, DocSet, Searcher, SegmentReader, TERMINATED};

use super::conditions::{Conditions, Matched};
use super::windows::MatchWindows;
use crate::failure::Result;
use crate::search::boosts::boost::SegmentBoost;
use crate::search::boosts::pinning::SegmentPinning;
use crate::search::index::cancel_token::CancelToken;
use crate::search::index::document_set::DocumentSet;
use crate::search::index::match_set::MatchSet;
use crate::search::terms::match_weight::MatchScorer;
use crate::search::words::counted_scorer::CountedScorer;
use crate::typos::COST_LIMIT;

/// Number of documents between two checks of the cancel token.
const CHECK_INTERVAL_DOCUMENTS: u32 = 4_096;

enum DocIterator<'a> {
    Match(Box<MatchScorer>),
    Counted(Box<CountedScorer>),
    /// The rest of a list of documents and their scores.
    List(&'a [(DocId, f32)]),
    /// The visible documents, and the current one.
    Visible(&'a DocumentSet, DocId),
    Scorer(Box<dyn Scorer>),
}

impl DocIterator<'_> {
    fn from_match(matched: &Matched, segment: usize, reader: &SegmentReader, scored: bool) -> Result<Self> {
        Ok(match matched {
            Matched::Any(weight) => DocIterator::Match(Box::new(weight.scorer(segment, reader, scored)?)),
            Matched::Counted(words) => DocIterator::Counted(Box::new(words.scorer(segment, reader, words.needed, COST_LIMIT, scored)?)),
        })
    }

    fn doc(&self) -> DocId {
        match self {
            DocIterator::Match(scorer) => scorer.doc(),
            DocIterator::Counted(scorer) => scorer.doc(),
            DocIterator::List(rest) => rest.first().map_or(TERMINATED, |(document, _)| *document),
            DocIterator::Visible(_, document) => *document,
            DocIterator::Scorer(scorer) => scorer.doc(),
        }
    }

    fn advance(&mut self) -> DocId {
        match self {
            DocIterator::Match(scorer) => scorer.advance(),
            DocIterator::Counted(scorer) => scorer.advance(),
            DocIterator::List(rest) => {
                *rest = rest.get(1..).unwrap_or_default();
                self.doc()
            }
            DocIterator::Visible(_, TERMINATED) => TERMINATED,
            DocIterator::Visible(document_set, document) => {
                *document = document_set.next_at_or_after(*document + 1);
                *document
            }
            DocIterator::Scorer(scorer) => scorer.advance(),
        }
    }

    fn seek(&mut self, target: DocId) -> DocId {
        match self {
            DocIterator::Match(scorer) => scorer.seek(target),
            DocIterator::Counted(scorer) => scorer.seek(target),
            DocIterator::List(rest) => {
                *rest = &rest[rest.partition_point(|(document, _)| *document < target)..];
                self.doc()
            }
            DocIterator::Visible(document_set, document) => {
                if *document < target {
                    *document = document_set.next_at_or_after(target);
                }
                *document
            }
            DocIterator::Scorer(scorer) if scorer.doc() < target => scorer.seek(target),
            DocIterator::Scorer(scorer) => scorer.doc(),
        }
    }

    fn size(&self) -> u32 {
        match self {
            DocIterator::Match(scorer) => scorer.size(),
            DocIterator::Counted(scorer) => scorer.size(),
            DocIterator::List(rest) => rest.len() as u32,
            DocIterator::Visible(document_set, _) => document_set.size(),
            DocIterator::Scorer(scorer) => scorer.size_hint(),
        }
    }

    /// Returns the score of the current document.
    fn score(&mut self) -> f32 {
        match self {
            DocIterator::Match(scorer) => scorer.score(),
            DocIterator::Counted(scorer) => scorer.score(f64::NEG_INFINITY),
            DocIterator::List(rest) => rest.first().map_or(0.0, |(_, score)| *score),
            DocIterator::Visible(..) | DocIterator::Scorer(_) => 0.0,
        }
    }
}

/// Returns the documents that satisfy the conditions.
pub fn find_documents(conditions: &Conditions, searcher: &Searcher, cancel_token: &CancelToken) -> Result<MatchSet> {
    let documents = if conditions.accept_all() { 0 } else { conditions.documents_read(searcher) };
    let segments = conditions.segment_threads.run(searcher.segment_readers(), documents, &mut (), |(), segment, reader| {
        if conditions.accept_all() {
            return Ok(conditions.visible.as_ref().map_or_else(|| DocumentSet::all(reader), |visible| visible.segment(segment).clone()));
        }
        let mut document_set = DocumentSet::new(reader.max_doc());
        match MatchWindows::new(conditions, segment, reader, false)? {
            Some(windows) => windows.run(cancel_token, |window| document_set.add_words(window.start, window.present))?,
            None => {
                SegmentSearch::new(conditions, segment, reader, false)?.run(cancel_token, &mut |document, _| document_set.add(document))?
            }
        }
        Ok(document_set)
    })?;
    Ok(MatchSet::new(segments, conditions.relaxed.clone()))
}

pub struct SegmentSearch<'a> {
    /// A document is found if all of these have it. The iterator with the fewest documents comes first.
    required: Vec<DocIterator<'a>>,
    /// Indexes in `required` of the iterators whose scores are added.
    scoring: Vec<usize>,
    excluded: Vec<DocIterator<'a>>,
    boosts: Vec<SegmentBoost>,
    pinning: Option<SegmentPinning>,
    constant_boost: f64,
    alive: Option<&'a AliveBitSet>,
    documents: DocId,
}

impl<'a> SegmentSearch<'a> {
    /// Without `scored`, the scores are arbitrary.
    pub fn new(conditions: &'a Conditions, segment: usize, reader: &'a SegmentReader, scored: bool) -> Result<SegmentSearch<'a>> {
        let mut required = Vec::new();
        if let Some(visible) = &conditions.visible {
            let document_set = visible.segment(segment);
            required.push((DocIterator::Visible(document_set, document_set.next_at_or_after(0)), false));
        }
        for (weight, scores) in &conditions.matches {
            required.push((DocIterator::from_match(weight, segment, reader, scored && *scores)?, *scores));
        }
        for (segments, scores) in &conditions.score_lists {
            required.push((DocIterator::List(segments.get(segment).map_or(&[], Vec::as_slice)), *scores));
        }
        for weight in &conditions.required {
            required.push((DocIterator::Scorer(weight.scorer(reader, 1.0)?), false));
        }
        let mut excluded = Vec::new();
        for weight in &conditions.excluded {
            excluded.push(DocIterator::Match(Box::new(weight.scorer(segment, reader, false)?)));
        }
        for weight in &conditions.excluded_weights {
            excluded.push(DocIterator::Scorer(weight.scorer(reader, 1.0)?));
        }
        required.sort_by_key(|(iterator, _)| iterator.size());
        let scoring = required.iter().enumerate().filter(|(_, (_, scores))| *scores).map(|(index, _)| index).collect();
        Ok(SegmentSearch {
            required: required.into_iter().map(|(iterator, _)| iterator).collect(),
            scoring,
            excluded,
            boosts: conditions.boosts.iter().map(|boost| boost.for_segment(reader)).collect::<Result<_>>()?,
            pinning: conditions.pinning.for_segment(reader)?,
            constant_boost: conditions.constant_boost,
            alive: reader.alive_bitset(),
            documents: if conditions.impossible { 0 } else { reader.max_doc() },
        })
    }

    /// Calls `collect` with each document found and its score, in the order of the documents.
    pub fn run(mut self, cancel_token: &CancelToken, collect: &mut impl FnMut(DocId, f64)) -> Result<()> {
        cancel_token.check()?;
        let mut documents_until_check = CHECK_INTERVAL_DOCUMENTS;
        let mut document = self.align(0);
        while document < self.documents {
            documents_until_check -= 1;
            if documents_until_check == 0 {
                cancel_token.check()?;
                documents_until_check = CHECK_INTERVAL_DOCUMENTS;
            }
            if self.alive.is_none_or(|alive| alive.is_alive(document))
                && !self.excluded.iter_mut().any(|iterator| iterator.seek(document) == document)
            {
                collect(document, self.score(document));
            }
            document = match self.required.as_mut_slice() {
                [] => document + 1,
                [single] => single.advance(),
                [leader, ..] => {
                    let next = leader.advance();
                    self.align(next)
                }
            };
        }
        Ok(())
    }

    /// Moves all required iterators to their first common document at or after `target`.
    fn align(&mut self, mut target: DocId) -> DocId {
        let Some((leader, followers)) = self.required.split_first_mut() else { return target };
        'candidate: loop {
            target = leader.seek(target);
            if target == TERMINATED {
                return TERMINATED;
            }
            for follower in followers.iter_mut() {
                let document = follower.seek(target);
                if document > target {
                    target = document;
                    continue 'candidate;
                }
            }
            debug_assert!(self.required.iter().all(|iterator| iterator.doc() == target));
            return target;
        }
    }

    fn score(&mut self, document: DocId) -> f64 {
        let mut score = 0.0;
        for index in &self.scoring {
            score += f64::from(self.required[*index].score());
        }
        if self.scoring.is_empty() {
            score = 1.0;
        }
        let score = self.boosts.iter().fold(score * self.constant_boost, |score, boost| score * boost.value(document));
        self.pinning.as_ref().map_or(score, |pinning| pinning.score(document, score))
    }
}
