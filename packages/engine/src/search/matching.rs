//! The documents that have any of some words or phrases, with the sum of their BM25 scores.
//!
//! tantivy's own union adds scores in an order that depends on which words are used up; two documents alike could then differ in the last
//! bit and be ranked by it. Here they are always added in the order of the terms.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use tantivy::query::{Bm25StatisticsProvider, Bm25Weight, BoostQuery, EnableScoring, PhraseQuery, Query, Scorer, Weight};
use tantivy::schema::Field;
use tantivy::{DocId, DocSet, SegmentReader, TERMINATED, Term};

use crate::failure::Result;

use super::Ground;
use super::term_part::{TermPart, WeightedTerm};
use super::words::{Group, Wanted};

/// Documents whose scores are summed up together.
const WINDOW: u32 = 2_048;
const WINDOW_WORDS: usize = WINDOW as usize / 64;

/// Words and phrases with the statistics of all segments: of all that may be seen in them.
pub struct Matching {
    terms: Vec<WeightedTerm>,
    phrases: Vec<Box<dyn Weight>>,
    /// Of each group the best score counts.
    groups: Vec<Vec<WeightedTerm>>,
    /// Documents that are found without any of the words.
    documents: Option<Box<dyn Weight>>,
}

impl Matching {
    pub fn new(ground: &Ground, wanted: &Wanted) -> Result<Matching> {
        let documents = ground.statistics().total_num_docs()?;
        let mut statistics = Statistics { ground, documents, lengths: BTreeMap::new() };
        let mut terms = Vec::with_capacity(wanted.terms.len());
        for (term, weight) in &wanted.terms {
            terms.extend(statistics.term(term, *weight)?);
        }
        let groups = wanted.groups.values().filter(|group| !group.members.is_empty());
        let groups = groups.map(|group| statistics.group(group)).collect::<Result<_>>()?;
        let scoring = EnableScoring::enabled_from_statistics_provider(ground.statistics(), ground.searcher);
        let phrases = wanted
            .phrases
            .iter()
            .map(|(terms, weight)| BoostQuery::new(Box::new(PhraseQuery::new_with_offset(terms.clone())), *weight).weight(scoring))
            .collect::<tantivy::Result<_>>()?;
        Ok(Matching { terms, phrases, groups, documents: None })
    }

    /// Documents that are found too, whatever words they have, which adds nothing to their scores.
    pub fn add_documents(&mut self, documents: Box<dyn Weight>) {
        self.documents = Some(documents);
    }

    pub fn is_empty(&self) -> bool {
        self.terms.is_empty() && self.phrases.is_empty() && self.groups.is_empty() && self.documents.is_none()
    }

    /// Unless `scored`, every document has some score above 0.
    pub fn scorer(&self, segment: usize, reader: &SegmentReader, scored: bool) -> Result<MatchScorer> {
        let mut parts = Vec::with_capacity(self.terms.len() + self.phrases.len());
        for weighted in &self.terms {
            parts.extend(TermPart::new(segment, reader, weighted, scored)?.map(|part| Part::Term(Box::new(part))));
        }
        for phrase in &self.phrases {
            parts.push(Part::Other(phrase.scorer(reader, 1.0)?));
        }
        if let Some(documents) = &self.documents {
            parts.push(Part::Other(documents.scorer(reader, 0.0)?));
        }
        for group in &self.groups {
            let members = group.iter().map(|weighted| TermPart::new(segment, reader, weighted, scored)).collect::<Result<Vec<_>>>()?;
            let members = members.into_iter().flatten();
            if scored {
                parts.push(Part::Best(members.collect()));
            } else {
                parts.extend(members.map(|part| Part::Term(Box::new(part))));
            }
        }
        Ok(MatchScorer::new(parts, scored))
    }

    /// Neither phrases nor what else may stand for a word, nor documents that are found whatever they say.
    pub fn is_only_words(&self) -> bool {
        !self.terms.is_empty() && self.phrases.is_empty() && self.groups.is_empty() && self.documents.is_none()
    }

    /// The words that some document has.
    pub fn words(&self) -> &[WeightedTerm] {
        &self.terms
    }

    /// The scores of single documents, as far as they are made by words.
    pub fn exact(&self, segment: usize, reader: &SegmentReader) -> Result<ExactScorer> {
        let terms = self.terms.iter().map(|weighted| TermPart::new(segment, reader, weighted, true)).collect::<Result<Vec<_>>>()?;
        Ok(ExactScorer(terms.into_iter().flatten().collect()))
    }
}

/// Scores as those of a [`MatchScorer`], to the bit.
pub struct ExactScorer(Vec<TermPart>);

impl ExactScorer {
    /// Of a document after the last one asked for that has any of the words.
    pub fn score(&mut self, document: DocId) -> f32 {
        let mut sum = 0.0;
        for term in &mut self.0 {
            term.seek(document);
            if term.doc() == document {
                sum += term.score();
            }
        }
        least_positive(sum)
    }
}

fn least_positive(score: f32) -> f32 {
    score.max(f32::MIN_POSITIVE)
}

/// What BM25 needs to know of all that may be seen.
struct Statistics<'a> {
    ground: &'a Ground<'a>,
    documents: u64,
    /// Mean number of words in each field.
    lengths: BTreeMap<Field, f32>,
}

impl Statistics<'_> {
    /// Nothing where no document that may be seen has the term.
    fn term(&mut self, term: &Term, boost: f32) -> Result<Option<WeightedTerm>> {
        let entries = self.ground.entries(term)?;
        let frequency = match self.ground.visible {
            Some(visible) => visible.doc_freq(term)?,
            None => entries.iter().flatten().map(|entry| u64::from(entry.doc_freq)).sum(),
        };
        if frequency == 0 {
            return Ok(None);
        }
        Ok(Some(WeightedTerm { term: term.clone(), entries, weight: self.weight(term, frequency)?.boost_by(boost) }))
    }

    fn weight(&mut self, term: &Term, frequency: u64) -> Result<Bm25Weight> {
        let length = match self.lengths.get(&term.field()) {
            Some(length) => *length,
            None => {
                let length = self.ground.statistics().total_num_tokens(term.field())? as f32 / self.documents as f32;
                self.lengths.insert(term.field(), length);
                length
            }
        };
        Ok(Bm25Weight::for_one_term_without_explain(frequency, self.documents, length))
    }

    /// What stands for a word scores as if all its variants were as frequent as the commonest of the closest ones: else a rare slip
    /// would rank above the word that was meant. Where documents have the word itself, the variants share out the least score that one
    /// of those has for it, so that every document with the word ranks above those with only a variant of it.
    fn group(&mut self, group: &Group) -> Result<Vec<WeightedTerm>> {
        let closest = group.members.values().map(|member| member.distance).min();
        let closest = group.members.values().filter(|member| Some(member.distance) == closest);
        let frequency = closest.map(|member| member.frequency).max().unwrap_or(1).min(self.documents);
        let best_weight = group.members.values().map(|member| member.weight).fold(f32::MIN_POSITIVE, f32::max);
        let share = self.least_score(&group.exact)?.map(|least| least / best_weight / highest_score(frequency, self.documents));
        let mut of_fields: BTreeMap<Field, Bm25Weight> = BTreeMap::new();
        let mut members = Vec::with_capacity(group.members.len());
        for (term, member) in &group.members {
            let of_field = match of_fields.entry(term.field()) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(new) => new.insert(self.weight(term, frequency)?),
            };
            let boost = member.weight * member.closeness * share.unwrap_or(1.0);
            members.push(WeightedTerm { term: term.clone(), entries: self.ground.entries(term)?, weight: of_field.boost_by(boost) });
        }
        Ok(members)
    }

    /// The least score that any of the terms has in any document; nothing where there are no such documents.
    fn least_score(&mut self, terms: &BTreeMap<Term, f32>) -> Result<Option<f32>> {
        let mut least: Option<f32> = None;
        for (term, weight) in terms {
            let Some(weighted) = self.term(term, *weight)? else { continue };
            for (segment, reader) in self.ground.searcher.segment_readers().iter().enumerate() {
                let visible = self.ground.visible.map(|visible| visible.in_segment(segment));
                if let Some(part) = TermPart::new(segment, reader, &weighted, true)? {
                    part.drain_all(|document, score| {
                        if visible.is_none_or(|visible| visible.contains(document)) {
                            least = Some(least.map_or(score, |least| least.min(score)));
                        }
                    });
                }
            }
        }
        Ok(least)
    }
}

/// What a BM25 score with weight 1 comes near to in a short text that has the word many times.
fn highest_score(frequency: u64, documents: u64) -> f32 {
    const K1: f32 = 1.2;
    (1.0 + ((documents - frequency) as f32 + 0.5) / (frequency as f32 + 0.5)).ln() * (1.0 + K1)
}

enum Part {
    Term(Box<TermPart>),
    /// A phrase, or documents.
    Other(Box<dyn Scorer>),
    /// The best score of several terms.
    Best(Vec<TermPart>),
}

impl Part {
    fn doc(&self) -> DocId {
        match self {
            Part::Term(term) => term.doc(),
            Part::Other(scorer) => scorer.doc(),
            Part::Best(terms) => terms.iter().map(|term| term.doc()).min().unwrap_or(TERMINATED),
        }
    }

    fn seek(&mut self, target: DocId) {
        match self {
            Part::Term(term) => term.seek(target),
            Part::Other(scorer) if scorer.doc() < target => drop(scorer.seek(target)),
            Part::Other(_) => {}
            Part::Best(terms) => terms.iter_mut().for_each(|term| term.seek(target)),
        }
    }

    fn size(&self) -> u32 {
        match self {
            Part::Term(term) => term.size(),
            Part::Other(scorer) => scorer.size_hint(),
            Part::Best(terms) => terms.iter().fold(0, |sum, term| sum.saturating_add(term.size())),
        }
    }

    /// Calls with documents before `end` and what adds to their scores; anything unless `scored`.
    fn drain(&mut self, end: DocId, scored: bool, mut take: impl FnMut(DocId, f32)) {
        match self {
            Part::Term(term) => term.drain(end, take),
            Part::Other(scorer) => {
                let mut doc = scorer.doc();
                while doc < end {
                    take(doc, if scored { scorer.score() } else { 1.0 });
                    doc = scorer.advance();
                }
            }
            Part::Best(terms) => {
                let start = end - WINDOW;
                let mut best = [0.0_f32; WINDOW as usize];
                for term in terms {
                    term.drain(end, |doc, score| {
                        let best = &mut best[(doc - start) as usize];
                        // A document that has the term is found, however little that adds.
                        *best = best.max(score).max(f32::MIN_POSITIVE);
                    });
                }
                (start..end).zip(best).filter(|(_, score)| *score > 0.0).for_each(|(doc, score)| take(doc, score));
            }
        }
    }
}

pub struct MatchScorer {
    parts: Vec<Part>,
    start: DocId,
    doc: DocId,
    present: [u64; WINDOW_WORDS],
    /// Empty where no scores are wanted.
    sums: Box<[f32]>,
}

impl MatchScorer {
    fn new(parts: Vec<Part>, scored: bool) -> MatchScorer {
        let sums = vec![0.0; if scored { WINDOW as usize } else { 0 }].into_boxed_slice();
        let mut scorer = MatchScorer { parts, start: 0, doc: 0, present: [0; WINDOW_WORDS], sums };
        scorer.fill();
        scorer
    }

    pub fn doc(&self) -> DocId {
        self.doc
    }

    pub fn size(&self) -> u32 {
        self.parts.iter().fold(0, |sum, part| sum.saturating_add(part.size()))
    }

    /// Score of the current document, above 0.
    pub fn score(&self) -> f32 {
        least_positive(self.sums.get((self.doc - self.start) as usize).copied().unwrap_or(0.0))
    }

    pub fn advance(&mut self) -> DocId {
        if self.doc != TERMINATED {
            self.next_from(self.doc - self.start + 1);
        }
        self.doc
    }

    /// Goes to the first document at or after `target`.
    pub fn seek(&mut self, target: DocId) -> DocId {
        if self.doc >= target {
            return self.doc;
        }
        if target < self.start + WINDOW {
            self.next_from(target - self.start);
        } else {
            self.parts.iter_mut().for_each(|part| part.seek(target));
            self.fill();
        }
        self.doc
    }

    /// Goes to the first document of the window at or after the offset, else on to the next window.
    fn next_from(&mut self, offset: u32) {
        if offset < WINDOW {
            let mut word = offset as usize / 64;
            let mut bits = self.present[word] & (u64::MAX << (offset % 64));
            loop {
                if bits != 0 {
                    self.doc = self.start + word as u32 * 64 + bits.trailing_zeros();
                    return;
                }
                word += 1;
                if word == WINDOW_WORDS {
                    break;
                }
                bits = self.present[word];
            }
        }
        self.fill();
    }

    /// Sums up the window that begins with the next document of any part.
    fn fill(&mut self) {
        let first = self.parts.iter().map(Part::doc).min().unwrap_or(TERMINATED);
        self.start = first;
        self.doc = first;
        if first == TERMINATED {
            return;
        }
        let MatchScorer { parts, present, sums, .. } = self;
        present.fill(0);
        sums.fill(0.0);
        let scored = !sums.is_empty();
        for part in parts {
            let mut mark = |doc: DocId| {
                let offset = (doc - first) as usize;
                present[offset / 64] |= 1 << (offset % 64);
                offset
            };
            if scored {
                part.drain(first + WINDOW, scored, |doc, score| sums[mark(doc)] += score);
            } else {
                part.drain(first + WINDOW, scored, |doc, _| {
                    mark(doc);
                });
            }
        }
    }
}
