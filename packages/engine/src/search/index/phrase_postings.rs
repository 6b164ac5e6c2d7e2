//! Finds the documents of one segment in which several words stand at given positions.

use tantivy::postings::{Postings, SegmentPostings};
use tantivy::schema::IndexRecordOption;
use tantivy::{DocId, DocSet, SegmentReader, TERMINATED, Term};

use crate::failure::Result;

struct Part {
    /// Its position in the phrase.
    offset: u32,
    postings: SegmentPostings,
}

pub struct PhrasePostings {
    /// The rarest part comes first.
    parts: Vec<Part>,
    /// The positions at which the phrase starts in the current document.
    starts: Vec<u32>,
    positions: Vec<u32>,
}

impl PhrasePostings {
    /// Goes to the first document. Returns `None` if the segment lacks one of the terms.
    pub fn new<'a>(reader: &SegmentReader, terms: impl Iterator<Item = (u32, &'a Term)>) -> Result<Option<PhrasePostings>> {
        let mut postings = PhrasePostings::open(reader, terms)?;
        if let Some(postings) = &mut postings {
            postings.find(0);
        }
        Ok(postings)
    }

    /// Goes to no document yet, to ask for single ones.
    pub fn open<'a>(reader: &SegmentReader, terms: impl Iterator<Item = (u32, &'a Term)>) -> Result<Option<PhrasePostings>> {
        let mut parts = Vec::new();
        for (offset, term) in terms {
            let index = reader.inverted_index(term.field())?;
            let Some(postings) = index.read_postings(term, IndexRecordOption::WithFreqsAndPositions)? else { return Ok(None) };
            parts.push(Part { offset, postings });
        }
        parts.sort_by_key(|part| part.postings.size_hint());
        Ok(Some(PhrasePostings { parts, starts: Vec::new(), positions: Vec::new() }))
    }

    /// Whether a document has the phrase, which is then the current one. Documents must be requested in ascending order.
    pub fn is_in(&mut self, document: DocId) -> bool {
        self.parts.iter_mut().all(|part| seek(&mut part.postings, document) == document) && self.has_phrase()
    }

    /// Returns how often the current document has the phrase.
    pub fn frequency(&self) -> u32 {
        self.starts.len() as u32
    }

    /// Goes to the first document with the phrase at or after `target`.
    fn find(&mut self, target: DocId) -> DocId {
        let mut document = seek(&mut self.parts[0].postings, target);
        while document != TERMINATED {
            let next_document =
                self.parts[1..].iter_mut().map(|part| seek(&mut part.postings, document)).find(|candidate| *candidate > document);
            match next_document {
                None if self.has_phrase() => break,
                None => document = self.parts[0].postings.advance(),
                Some(next_document) => document = seek(&mut self.parts[0].postings, next_document),
            }
        }
        document
    }

    /// Whether the parts stand at the positions of the phrase in the current document.
    fn has_phrase(&mut self) -> bool {
        let PhrasePostings { parts, starts, positions } = self;
        starts.clear();
        for (index, Part { offset, postings }) in parts.iter_mut().enumerate() {
            postings.positions(positions);
            if index == 0 {
                starts.extend(positions.iter().filter_map(|position| position.checked_sub(*offset)));
            } else {
                starts.retain(|start| positions.binary_search(&(start + *offset)).is_ok());
            }
            if starts.is_empty() {
                return false;
            }
        }
        true
    }
}

/// Goes to the first document at or after `target`.
pub fn seek(postings: &mut SegmentPostings, target: DocId) -> DocId {
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
