//! The documents of one segment that have one word, read by the block.

use tantivy::fieldnorm::FieldNormReader;
use tantivy::postings::BlockSegmentPostings;
use tantivy::query::Bm25Weight;
use tantivy::schema::IndexRecordOption;
use tantivy::{DocId, SegmentReader, TERMINATED, Term};

use crate::failure::Result;

/// Documents that one block of postings holds, but the last of a term.
const BLOCK_DOCUMENTS: usize = 128;

pub struct TermPart {
    block: BlockSegmentPostings,
    /// Place in the block.
    at: usize,
    /// Nothing where no scores are wanted.
    scoring: Option<(FieldNormReader, Bm25Weight)>,
}

impl TermPart {
    /// Nothing where the segment does not have the term.
    pub fn new(reader: &SegmentReader, (term, weight): &(Term, Bm25Weight), scored: bool) -> Result<Option<TermPart>> {
        let option = if scored { IndexRecordOption::WithFreqs } else { IndexRecordOption::Basic };
        let Some(block) = reader.inverted_index(term.field())?.read_block_postings(term, option)? else { return Ok(None) };
        let scoring = if scored { Some((reader.get_fieldnorms_reader(term.field())?, weight.clone())) } else { None };
        Ok(Some(TermPart { block, at: 0, scoring }))
    }

    /// The last block is filled up with `TERMINATED`.
    pub fn doc(&self) -> DocId {
        self.block.doc(self.at)
    }

    pub fn size(&self) -> u32 {
        self.block.doc_freq()
    }

    /// Of the document that it stands on.
    pub fn score(&self) -> f32 {
        self.scoring.as_ref().map_or(1.0, |(lengths, weight)| weight.score(lengths.fieldnorm_id(self.doc()), self.block.freq(self.at)))
    }

    pub fn seek(&mut self, target: DocId) {
        if self.doc() < target {
            self.at = self.block.seek(target);
        }
    }

    /// Calls with every document before `end` and its score.
    pub fn drain(&mut self, end: DocId, mut take: impl FnMut(DocId, f32)) {
        loop {
            let docs = &self.block.docs()[self.at..];
            let taken = if docs.last().is_some_and(|last| *last < end) { docs.len() } else { docs.partition_point(|doc| *doc < end) };
            match &self.scoring {
                Some((lengths, weight)) => {
                    let freqs = &self.block.freqs()[self.at..];
                    docs[..taken].iter().zip(freqs).for_each(|(doc, freq)| take(*doc, weight.score(lengths.fieldnorm_id(*doc), *freq)));
                }
                None => docs[..taken].iter().for_each(|doc| take(*doc, 1.0)),
            }
            self.at += taken;
            if self.at < BLOCK_DOCUMENTS {
                return;
            }
            self.block.advance();
            self.at = 0;
        }
    }

    pub fn drain_all(mut self, take: impl FnMut(DocId, f32)) {
        self.drain(TERMINATED, take);
    }
}
