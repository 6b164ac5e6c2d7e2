//! Finds phrases that consist of stop words by the pairs of neighbouring stop words in the index. Scores are those of the words as a phrase.

use tantivy::fieldnorm::FieldNormReader;
use tantivy::query::{Bm25Weight, Scorer};
use tantivy::schema::Field;
use tantivy::{DocId, DocSet, SegmentReader, Term};

use crate::failure::Result;
use crate::search::index::context::SearchContext;
use crate::search::index::phrase_postings::PhrasePostings;
use crate::stop_word_pairs::pair;

use super::term_scorer::WeightedTerm;
use super::weighed_statistics::phrase_weight;

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
        let weight = phrase_weight(context, &terms, boost)?;
        Ok(Some(match &pairs[..] {
            [term] => StopPhrase::Pair(WeightedTerm {
                infos: context.term_infos(term)?,
                term: term.clone(),
                weight,
                lengths: stop_words,
                mean_length: context.mean_length(stop_words)?,
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
    if words.iter().any(|(_, word)| word.field() != first.field()) {
        return None;
    }
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
        let Some(postings) = PhrasePostings::new(reader, (0..).zip(&self.pairs))? else { return Ok(None) };
        let lengths = reader.get_fieldnorms_reader(self.stop_words)?;
        Ok(Some(LongStopPhraseScorer { postings, lengths, weight: self.weight.clone() }))
    }
}

pub struct LongStopPhraseScorer {
    postings: PhrasePostings,
    lengths: FieldNormReader,
    weight: Bm25Weight,
}

impl DocSet for LongStopPhraseScorer {
    fn advance(&mut self) -> DocId {
        self.postings.advance()
    }

    fn seek(&mut self, target: DocId) -> DocId {
        self.postings.seek(target)
    }

    fn doc(&self) -> DocId {
        self.postings.doc()
    }

    fn size_hint(&self) -> u32 {
        self.postings.size_hint()
    }
}

impl Scorer for LongStopPhraseScorer {
    fn score(&mut self) -> f32 {
        self.weight.score(self.lengths.fieldnorm_id(self.doc()), self.postings.frequency())
    }
}
