//! The documents that have any of some words or phrases, with the sum of their BM25 scores.
//!
//! tantivy's own union adds scores in an order that depends on which words are used up; two documents alike could then differ in the last
//! bit and be ranked by it. Here they are always added in the order of the terms.

use std::collections::BTreeMap;

use tantivy::fieldnorm::FieldNormReader;
use tantivy::postings::{Postings, SegmentPostings};
use tantivy::query::{Bm25StatisticsProvider, Bm25Weight, BoostQuery, EnableScoring, PhraseQuery, Query, Scorer, Weight};
use tantivy::schema::{Field, IndexRecordOption};
use tantivy::{DocId, DocSet, Searcher, SegmentReader, TERMINATED, Term};

use crate::failure::Result;

use super::words::Wanted;

/// Documents whose scores are summed up together.
const WINDOW: u32 = 2_048;
const WINDOW_WORDS: usize = WINDOW as usize / 64;

/// Words and phrases with the statistics of all segments.
pub struct Matching {
    terms: Vec<(Term, Bm25Weight)>,
    phrases: Vec<Box<dyn Weight>>,
}

impl Matching {
    pub fn new(searcher: &Searcher, wanted: Wanted) -> Result<Matching> {
        let documents = searcher.total_num_docs()?;
        let mut lengths: BTreeMap<Field, f32> = BTreeMap::new();
        let mut terms = Vec::with_capacity(wanted.terms.len());
        for (term, weight) in wanted.terms {
            let frequency = searcher.doc_freq(&term)?;
            if frequency == 0 {
                continue;
            }
            let length = match lengths.get(&term.field()) {
                Some(length) => *length,
                None => {
                    let length = searcher.total_num_tokens(term.field())? as f32 / documents as f32;
                    lengths.insert(term.field(), length);
                    length
                }
            };
            let bm25 = Bm25Weight::for_one_term_without_explain(frequency, documents, length).boost_by(weight);
            terms.push((term, bm25));
        }
        let scoring = EnableScoring::enabled_from_searcher(searcher);
        let phrases = wanted
            .phrases
            .into_iter()
            .map(|(terms, weight)| BoostQuery::new(Box::new(PhraseQuery::new_with_offset(terms)), weight).weight(scoring))
            .collect::<tantivy::Result<_>>()?;
        Ok(Matching { terms, phrases })
    }

    pub fn is_empty(&self) -> bool {
        self.terms.is_empty() && self.phrases.is_empty()
    }

    pub fn scorer(&self, reader: &SegmentReader) -> Result<MatchScorer> {
        let mut parts = Vec::with_capacity(self.terms.len() + self.phrases.len());
        for (term, weight) in &self.terms {
            let index = reader.inverted_index(term.field())?;
            if let Some(postings) = index.read_postings(term, IndexRecordOption::WithFreqs)? {
                let lengths = reader.get_fieldnorms_reader(term.field())?;
                parts.push(Part::Term(Box::new(TermPart { postings, lengths, weight: weight.clone() })));
            }
        }
        for phrase in &self.phrases {
            parts.push(Part::Phrase(phrase.scorer(reader, 1.0)?));
        }
        Ok(MatchScorer::new(parts))
    }
}

struct TermPart {
    postings: SegmentPostings,
    lengths: FieldNormReader,
    weight: Bm25Weight,
}

enum Part {
    Term(Box<TermPart>),
    Phrase(Box<dyn Scorer>),
}

impl Part {
    fn doc(&self) -> DocId {
        match self {
            Part::Term(term) => term.postings.doc(),
            Part::Phrase(scorer) => scorer.doc(),
        }
    }

    fn seek(&mut self, target: DocId) {
        if self.doc() < target {
            match self {
                Part::Term(term) => term.postings.seek(target),
                Part::Phrase(scorer) => scorer.seek(target),
            };
        }
    }

    fn size(&self) -> u32 {
        match self {
            Part::Term(term) => term.postings.size_hint(),
            Part::Phrase(scorer) => scorer.size_hint(),
        }
    }

    /// Calls with every document before `end` and its score.
    fn drain(&mut self, end: DocId, mut take: impl FnMut(DocId, f32)) {
        match self {
            Part::Term(term) => {
                let TermPart { postings, lengths, weight } = term.as_mut();
                let mut doc = postings.doc();
                while doc < end {
                    take(doc, weight.score(lengths.fieldnorm_id(doc), postings.term_freq()));
                    doc = postings.advance();
                }
            }
            Part::Phrase(scorer) => {
                let mut doc = scorer.doc();
                while doc < end {
                    take(doc, scorer.score());
                    doc = scorer.advance();
                }
            }
        }
    }
}

pub struct MatchScorer {
    parts: Vec<Part>,
    start: DocId,
    doc: DocId,
    present: [u64; WINDOW_WORDS],
    sums: Box<[f32]>,
}

impl MatchScorer {
    fn new(parts: Vec<Part>) -> MatchScorer {
        let sums = vec![0.0; WINDOW as usize].into_boxed_slice();
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
        self.sums[(self.doc - self.start) as usize].max(f32::MIN_POSITIVE)
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
        for part in parts {
            part.drain(first + WINDOW, |doc, score| {
                let offset = (doc - first) as usize;
                present[offset / 64] |= 1 << (offset % 64);
                sums[offset] += score;
            });
        }
    }
}
