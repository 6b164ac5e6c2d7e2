//! Finds the documents of one segment in which several words stand at given positions.

use tantivy::postings::{Postings, SegmentPostings};
use tantivy::schema::IndexRecordOption;
use tantivy::{DocId, DocSet, SegmentReader, TERMINATED, Term};

use crate::failure::Result;

use super::term_cache::TermInfos;

/// A word, its position in the phrase, and its entry in each segment.
pub struct PhraseWord {
    pub offset: u32,
    pub term: Term,
    pub infos: TermInfos,
    /// Whether it adds to the score. The phrase needs the unscored words too, at their positions.
    pub is_scored: bool,
}

impl PhraseWord {
    pub fn open(&self, segment: usize, reader: &SegmentReader) -> Result<Option<SegmentPostings>> {
        let Some(info) = &self.infos[segment] else { return Ok(None) };
        let index = reader.inverted_index(self.term.field())?;
        Ok(Some(index.read_postings_from_terminfo(info, IndexRecordOption::WithFreqsAndPositions)?))
    }
}

/// Words that are this many times as frequent as the rarest scored one are looked up last.
const COMMON_SHARE: u32 = 2;

struct Part {
    /// Its position in the phrase.
    offset: u32,
    postings: SegmentPostings,
    is_scored: bool,
}

pub struct PhrasePostings {
    /// The rarest part comes first.
    parts: Vec<Part>,
    /// Common unscored parts. They are looked up only in documents with the scored parts at their positions.
    common: Vec<Part>,
    /// The positions at which the phrase starts, by its scored parts, in the current document.
    starts: Vec<u32>,
    positions: Vec<u32>,
    frequency: u32,
}

impl PhrasePostings {
    /// Goes to the first document with the phrase. Returns `None` if the segment lacks one of the terms.
    pub fn new<'a>(reader: &SegmentReader, terms: impl Iterator<Item = (u32, &'a Term)>) -> Result<Option<PhrasePostings>> {
        let mut parts = Vec::new();
        for (offset, term) in terms {
            let index = reader.inverted_index(term.field())?;
            let Some(postings) = index.read_postings(term, IndexRecordOption::WithFreqsAndPositions)? else { return Ok(None) };
            parts.push(Part { offset, postings, is_scored: true });
        }
        let mut postings = PhrasePostings::from_parts(parts);
        postings.find(0);
        Ok(Some(postings))
    }

    /// Goes to the first document that may have the phrase. Returns `None` if the segment lacks one of the words.
    pub fn open(words: &[PhraseWord], segment: usize, reader: &SegmentReader) -> Result<Option<PhrasePostings>> {
        let mut parts = Vec::with_capacity(words.len());
        for word in words {
            let Some(postings) = word.open(segment, reader)? else { return Ok(None) };
            parts.push(Part { offset: word.offset, postings, is_scored: word.is_scored });
        }
        let mut postings = PhrasePostings::from_parts(parts);
        postings.find_candidate(0);
        Ok(Some(postings))
    }

    fn from_parts(mut parts: Vec<Part>) -> PhrasePostings {
        parts.sort_by_key(|part| part.postings.size_hint());
        let rarest_scored = parts.iter().find(|part| part.is_scored).map_or(u32::MAX, |part| part.postings.size_hint());
        let is_common = |part: &Part| !part.is_scored && part.postings.size_hint() / COMMON_SHARE > rarest_scored;
        let (common, parts) = parts.into_iter().partition(is_common);
        PhrasePostings { parts, common, starts: Vec::new(), positions: Vec::new(), frequency: 0 }
    }

    /// Returns how often the current document has the scored parts at their positions.
    pub fn frequency(&self) -> u32 {
        self.frequency
    }

    /// Returns a frequency that the current document does not exceed.
    pub fn frequency_max(&self) -> u32 {
        self.parts.iter().filter(|part| part.is_scored).map(|part| part.postings.term_freq()).min().unwrap_or(0)
    }

    /// Goes to the first document with the phrase at or after `target`.
    pub fn find(&mut self, target: DocId) -> DocId {
        let mut document = self.find_candidate(target);
        while document != TERMINATED && !self.has_phrase() {
            document = self.next_candidate();
        }
        document
    }

    /// Goes to the first document at or after `target` that has all parts but the common ones, wherever they stand.
    fn find_candidate(&mut self, target: DocId) -> DocId {
        let document = seek(&mut self.parts[0].postings, target);
        self.align(document)
    }

    /// Goes to the next document that has all parts but the common ones.
    pub fn next_candidate(&mut self) -> DocId {
        let document = self.parts[0].postings.advance();
        self.align(document)
    }

    fn align(&mut self, mut document: DocId) -> DocId {
        let Some((rarest, other_parts)) = self.parts.split_first_mut() else { return TERMINATED };
        while document != TERMINATED {
            let next = other_parts.iter_mut().map(|part| seek(&mut part.postings, document)).find(|next| *next > document);
            let Some(next) = next else { return document };
            document = seek(&mut rarest.postings, next);
        }
        TERMINATED
    }

    pub fn has_phrase(&mut self) -> bool {
        self.has_scored_parts() && self.has_unscored_parts()
    }

    /// Whether the current document has the scored parts at their positions.
    pub fn has_scored_parts(&mut self) -> bool {
        let PhrasePostings { parts, starts, positions, .. } = self;
        let mut scored = parts.iter_mut().filter(|part| part.is_scored);
        starts.clear();
        if let Some(Part { offset, postings, .. }) = scored.next() {
            postings.positions(positions);
            starts.extend(positions.iter().filter_map(|position| position.checked_sub(*offset)));
        }
        scored.for_each(|part| part.keep_starts(starts, positions));
        self.frequency = starts.len() as u32;
        !starts.is_empty()
    }

    /// Whether the current document has the unscored parts at their positions too. Expects `has_scored_parts` before.
    pub fn has_unscored_parts(&mut self) -> bool {
        let PhrasePostings { parts, common, starts, positions, .. } = self;
        let Some(document) = parts.first().map(|part| part.postings.doc()) else { return false };
        let unscored = parts.iter_mut().filter(|part| !part.is_scored).chain(common);
        for part in unscored {
            if seek(&mut part.postings, document) != document {
                return false;
            }
            part.keep_starts(starts, positions);
            if starts.is_empty() {
                return false;
            }
        }
        true
    }
}

impl Part {
    /// Keeps the starts of the phrase from which this part has its position too.
    fn keep_starts(&mut self, starts: &mut Vec<u32>, positions: &mut Vec<u32>) {
        if !starts.is_empty() {
            self.postings.positions(positions);
            starts.retain(|start| positions.binary_search(&(start + self.offset)).is_ok());
        }
    }
}

/// Goes to the first document at or after `target`.
fn seek(postings: &mut SegmentPostings, target: DocId) -> DocId {
    if postings.doc() < target { postings.seek(target) } else { postings.doc() }
}

impl DocSet for PhrasePostings {
    fn advance(&mut self) -> DocId {
        match self.doc() {
            TERMINATED => TERMINATED,
            document => self.find(document + 1),
        }
    }

    fn seek(&mut self, target: DocId) -> DocId {
        if self.doc() < target { self.find(target) } else { self.doc() }
    }

    fn doc(&self) -> DocId {
        self.parts[0].postings.doc()
    }

    fn size_hint(&self) -> u32 {
        self.parts[0].postings.size_hint()
    }
}
