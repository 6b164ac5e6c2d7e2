//! The documents of one segment that have one word, read by the block.

use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use lru::LruCache;
use tantivy::fieldnorm::FieldNormReader;
use tantivy::postings::{BlockSegmentPostings, TermInfo};
use tantivy::query::Bm25Weight;
use tantivy::schema::IndexRecordOption;
use tantivy::{DocId, Searcher, SegmentReader, TERMINATED, Term};

use crate::failure::Result;

/// Documents that one block of postings holds, but the last of a term.
const BLOCK_DOCUMENTS: usize = 128;

/// A word with the weight of its score, and where each segment has it: looked up once, which takes as long as reading a few blocks.
pub struct WeightedTerm {
    pub term: Term,
    pub entries: Entries,
    pub weight: Bm25Weight,
}

impl WeightedTerm {
    /// Documents that have it, deleted ones included.
    pub fn frequency(&self) -> u64 {
        self.entries.iter().flatten().map(|entry| u64::from(entry.doc_freq)).sum()
    }
}

/// Where each segment has a term; nothing where no document of it does.
pub type Entries = Arc<[Option<TermInfo>]>;

/// Terms whose entries are kept: people ask for few words again and again, and each is looked up in the dictionary of every segment.
const KNOWN_MAX: NonZeroUsize = NonZeroUsize::new(4_096).unwrap();

/// The entries of the terms that one state of the index was last asked for.
pub struct KnownTerms(Mutex<LruCache<Term, Entries>>);

impl Default for KnownTerms {
    fn default() -> KnownTerms {
        // Room comes with the terms: there is one of these for each state of each index.
        KnownTerms(Mutex::new(LruCache::sparse(KNOWN_MAX)))
    }
}

impl KnownTerms {
    pub fn entries(&self, searcher: &Searcher, term: &Term) -> Result<Entries> {
        if let Some(known) = self.locked().get(term) {
            return Ok(Arc::clone(known));
        }
        let read = searcher.segment_readers().iter().map(|reader| Ok(reader.inverted_index(term.field())?.get_term_info(term)?));
        let entries: Entries = read.collect::<Result<_>>()?;
        self.locked().put(term.clone(), Arc::clone(&entries));
        Ok(entries)
    }

    fn locked(&self) -> MutexGuard<'_, LruCache<Term, Entries>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

pub struct TermPart {
    block: BlockSegmentPostings,
    /// Place in the block.
    at: usize,
    /// Nothing where no scores are wanted.
    scoring: Option<(FieldNormReader, Bm25Weight)>,
}

impl TermPart {
    /// Nothing where the segment does not have the term.
    pub fn new(segment: usize, reader: &SegmentReader, term: &WeightedTerm, scored: bool) -> Result<Option<TermPart>> {
        let Some(entry) = &term.entries[segment] else { return Ok(None) };
        let option = if scored { IndexRecordOption::WithFreqs } else { IndexRecordOption::Basic };
        let block = reader.inverted_index(term.term.field())?.read_block_postings_from_terminfo(entry, option)?;
        let scoring = if scored { Some((reader.get_fieldnorms_reader(term.term.field())?, term.weight.clone())) } else { None };
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
