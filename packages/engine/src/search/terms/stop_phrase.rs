//! Finds phrases that consist of stop words by the pairs of neighbouring stop words in the index. Scores are those of the words as a phrase.

use tantivy::fieldnorm::FieldNormReader;
use tantivy::postings::{Postings, SegmentPostings};
use tantivy::query::{Bm25Weight, Scorer};
use tantivy::schema::{Field, IndexRecordOption};
use tantivy::{DocId, DocSet, SegmentReader, TERMINATED, Term};

use crate::failure::Result;
use crate::search::index::context::SearchContext;
use crate::stop_word_pairs::pair;

use super::term_scorer::WeightedTerm;

pub enum StopPhrase {
    /// A phrase of two words is a term of the index.
    Pair(WeightedTerm),
    Longer(LongStopPhrase),
}

pub struct LongStopPhrase {
    /// The pairs of the phrase, in order.
    pairs: Vec<Term>,
    /// The field with the stop words, whose lengths the scores depend on.
    stop_words: Field,
    weight: Bm25Weight,
}

impl StopPhrase {
    /// Returns `None` for a phrase with other words.
    pub fn new(context: &SearchContext, words: &[(usize, Term)], boost: f32) -> Result<Option<StopPhrase>> {
        let Some((stop_words, pairs)) = find_pairs(context, words) else { return Ok(None) };
        let terms: Vec<Term> = words.iter().map(|(_, term)| term.clone()).collect();
        let weight = Bm25Weight::for_terms(context.statistics(), &terms)?.boost_by(boost);
        Ok(Some(match &pairs[..] {
            [term] => StopPhrase::Pair(WeightedTerm {
                infos: context.term_infos(term)?,
                term: term.clone(),
                weight,
                lengths: stop_words,
                boost,
                // The words weigh it, not the documents with the pair.
                weighed_frequency: 0,
            }),
            _ => StopPhrase::Longer(LongStopPhrase { pairs, stop_words, weight }),
        }))
    }
}

/// Returns the field with the stop words, and the pairs.
fn find_pairs(context: &SearchContext, words: &[(usize, Term)]) -> Option<(Field, Vec<Term>)> {
    let (_, first) = words.first()?;
    let field = context.schema.stop_word_pairs(first.field())?;
    let join = |neighbours: &[(usize, Term)]| {
        let [(position, first), (next, second)] = neighbours else { return None };
        let pair = pair(first.value().as_str()?, second.value().as_str()?);
        (position + 1 == *next).then(|| Term::from_field_text(field, &pair))
    };
    Some((first.field(), words.windows(2).map(join).collect::<Option<_>>()?))
}

impl LongStopPhrase {
    /// Returns `None` if the segment lacks one of the pairs.
    pub fn scorer(&self, reader: &SegmentReader) -> Result<Option<LongStopPhraseScorer>> {
        let mut pairs = Vec::with_capacity(self.pairs.len());
        for (offset, term) in (0..).zip(&self.pairs) {
            let index = reader.inverted_index(term.field())?;
            let Some(postings) = index.read_postings(term, IndexRecordOption::WithFreqsAndPositions)? else { return Ok(None) };
            pairs.push(Pair { offset, postings });
        }
        pairs.sort_by_key(|pair| pair.postings.size_hint());
        let lengths = reader.get_fieldnorms_reader(self.stop_words)?;
        let mut scorer = LongStopPhraseScorer { pairs, lengths, weight: self.weight.clone(), starts: Vec::new(), positions: Vec::new() };
        scorer.find(0);
        Ok(Some(scorer))
    }
}

struct Pair {
    /// The position of the pair in the phrase.
    offset: u32,
    postings: SegmentPostings,
}

pub struct LongStopPhraseScorer {
    /// The rarest pair comes first.
    pairs: Vec<Pair>,
    lengths: FieldNormReader,
    weight: Bm25Weight,
    /// The positions at which the phrase starts in the current document.
    starts: Vec<u32>,
    positions: Vec<u32>,
}

impl LongStopPhraseScorer {
    /// Goes to the first document with the phrase at or after `target`.
    fn find(&mut self, target: DocId) -> DocId {
        let mut document = seek(&mut self.pairs[0].postings, target);
        while document != TERMINATED {
            let next_document =
                self.pairs[1..].iter_mut().map(|pair| seek(&mut pair.postings, document)).find(|candidate| *candidate > document);
            match next_document {
                None if self.has_phrase() => break,
                None => document = self.pairs[0].postings.advance(),
                Some(next_document) => document = seek(&mut self.pairs[0].postings, next_document),
            }
        }
        document
    }

    /// Whether the pairs stand at the positions of the phrase in the current document.
    fn has_phrase(&mut self) -> bool {
        let LongStopPhraseScorer { pairs, starts, positions, .. } = self;
        starts.clear();
        for (index, Pair { offset, postings }) in pairs.iter_mut().enumerate() {
            postings.positions(positions);
            if index == 0 {
                starts.extend(positions.iter().filter_map(|position| position.checked_sub(*offset)));
            } else {
                starts.retain(|start| positions.binary_search(&(start + *offset)).is_ok());
            }
        }
        !starts.is_empty()
    }
}

/// Goes to the first document at or after `target`.
fn seek(postings: &mut SegmentPostings, target: DocId) -> DocId {
    if postings.doc() < target { postings.seek(target) } else { postings.doc() }
}

impl DocSet for LongStopPhraseScorer {
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
        self.pairs[0].postings.doc()
    }

    fn size_hint(&self) -> u32 {
        self.pairs[0].postings.size_hint()
    }
}

impl Scorer for LongStopPhraseScorer {
    fn score(&mut self) -> f32 {
        self.weight.score(self.lengths.fieldnorm_id(self.doc()), self.starts.len() as u32)
    }
}
