//! Reads the documents of one segment that have a term, block by block.

use tantivy::fieldnorm::FieldNormReader;
use tantivy::postings::BlockSegmentPostings;
use tantivy::query::Bm25Weight;
use tantivy::schema::{Field, IndexRecordOption};
use tantivy::{DocId, SegmentReader, Term};

use crate::failure::Result;
use crate::search::index::term_cache::TermInfos;

/// Number of documents in a block of postings. The last block of a term may have fewer.
const BLOCK_DOCUMENTS: usize = 128;

/// A term with its BM25 weight and its entry in each segment. A lookup costs as much as reading a few blocks, so it happens once.
pub struct WeightedTerm {
    pub term: Term,
    pub infos: TermInfos,
    pub weight: Bm25Weight,
    /// The field whose lengths the scores depend on, and its mean length in the visible documents.
    pub lengths: Field,
    pub mean_length: f32,
    pub boost: f32,
    /// The number of documents by which the term was weighed.
    pub weighed_frequency: u64,
}

impl WeightedTerm {
    /// Returns the number of documents with the term, including deleted ones.
    pub fn frequency(&self) -> u64 {
        self.infos.iter().flatten().map(|info| u64::from(info.doc_freq)).sum()
    }

    /// Whether scores depend on the lengths of the term's own field. Those of further forms depend on the lengths of the field of words.
    pub fn has_own_lengths(&self) -> bool {
        self.lengths == self.term.field()
    }

    /// Returns a score that no document exceeds, however short it is and however often it has the term.
    pub fn highest_score(&self) -> f32 {
        self.weight.score(0, u32::MAX / 2)
    }
}

pub struct TermScorer {
    block: BlockSegmentPostings,
    /// Index of the current document in the block.
    index: usize,
    /// `None` without scores.
    scoring: Option<(FieldNormReader, Bm25Weight)>,
}

impl TermScorer {
    /// Returns `None` if the segment does not have the term.
    pub fn new(segment: usize, reader: &SegmentReader, term: &WeightedTerm, scored: bool) -> Result<Option<TermScorer>> {
        let Some(info) = &term.infos[segment] else { return Ok(None) };
        let option = if scored { IndexRecordOption::WithFreqs } else { IndexRecordOption::Basic };
        let block = reader.inverted_index(term.term.field())?.read_block_postings_from_terminfo(info, option)?;
        let scoring = if scored { Some((reader.get_fieldnorms_reader(term.lengths)?, term.weight.clone())) } else { None };
        Ok(Some(TermScorer { block, index: 0, scoring }))
    }

    /// Returns the current document. The last block is padded with `TERMINATED`.
    pub fn doc(&self) -> DocId {
        self.block.doc(self.index)
    }

    pub fn size(&self) -> u32 {
        self.block.doc_freq()
    }

    /// Returns how often the current document has the term, if scores are read.
    pub fn frequency(&self) -> u32 {
        self.block.freq(self.index)
    }

    /// Returns the score of the current document.
    pub fn score(&self) -> f32 {
        self.scoring.as_ref().map_or(1.0, |(lengths, weight)| weight.score(lengths.fieldnorm_id(self.doc()), self.block.freq(self.index)))
    }

    /// Returns a score that no document exceeds, however short it is and however often it has the term.
    pub fn highest_score(&self) -> f32 {
        self.scoring.as_ref().map_or(1.0, |(_, weight)| weight.score(0, u32::MAX / 2))
    }

    pub fn seek(&mut self, target: DocId) {
        if self.doc() < target {
            self.index = self.block.seek(target);
        }
    }

    /// Calls `collect` with each document before `end` and its score.
    pub fn drain(&mut self, end: DocId, mut collect: impl FnMut(DocId, f32)) {
        loop {
            let docs = &self.block.docs()[self.index..];
            let count = if docs.last().is_some_and(|last| *last < end) { docs.len() } else { docs.partition_point(|doc| *doc < end) };
            match &self.scoring {
                Some((lengths, weight)) => {
                    let freqs = &self.block.freqs()[self.index..];
                    docs[..count].iter().zip(freqs).for_each(|(doc, freq)| collect(*doc, weight.score(lengths.fieldnorm_id(*doc), *freq)));
                }
                None => docs[..count].iter().for_each(|doc| collect(*doc, 1.0)),
            }
            self.index += count;
            if self.index < BLOCK_DOCUMENTS {
                return;
            }
            self.block.advance();
            self.index = 0;
        }
    }

    /// Calls `collect` with each document before `end` whose score is at least `score_min`. With `slack`, blocks are left out whose highest
    /// score, multiplied by it, is lower. For a term with scores.
    pub fn drain_high_scores(&mut self, end: DocId, score_min: f32, slack: Option<f32>, mut collect: impl FnMut(DocId)) {
        while self.doc() < end {
            if slack.is_some_and(|slack| self.block_max_score() * slack < score_min) {
                self.block.advance();
                self.index = 0;
                continue;
            }
            let Some((lengths, weight)) = &self.scoring else { return };
            let docs = &self.block.docs()[self.index..];
            let count = if docs.last().is_some_and(|last| *last < end) { docs.len() } else { docs.partition_point(|doc| *doc < end) };
            if score_min > 0.0 {
                let freqs = &self.block.freqs()[self.index..];
                for (doc, freq) in docs[..count].iter().zip(freqs) {
                    if weight.score(lengths.fieldnorm_id(*doc), *freq) >= score_min {
                        collect(*doc);
                    }
                }
            } else {
                docs[..count].iter().for_each(|doc| collect(*doc));
            }
            self.index += count;
            if self.index < BLOCK_DOCUMENTS {
                return;
            }
            self.block.advance();
            self.index = 0;
        }
    }

    /// Returns a bound for the scores in the current block, by the mean field length of the segment. Only for a term with its own lengths.
    pub fn block_max_score(&mut self) -> f32 {
        self.scoring.as_ref().map_or(f32::MAX, |(lengths, weight)| self.block.block_max_score(lengths, weight))
    }

    /// Calls `collect` with each document of the current block and its score.
    pub fn read_block(&self, mut collect: impl FnMut(DocId, f32)) {
        let Some((lengths, weight)) = &self.scoring else { return };
        let documents = self.block.docs().iter().zip(self.block.freqs());
        documents.for_each(|(doc, freq)| collect(*doc, weight.score(lengths.fieldnorm_id(*doc), *freq)));
    }

    /// Goes to the next block. Returns false if there is none.
    pub fn next_block(&mut self) -> bool {
        self.block.advance();
        self.index = 0;
        !self.block.docs().is_empty()
    }
}
