//! Finds phrases, also those of stop words and other words, which are in two fields. Scores are those of the other words as a phrase.

use tantivy::fieldnorm::FieldNormReader;
use tantivy::query::{Bm25Weight, Scorer};
use tantivy::schema::Field;
use tantivy::{DocId, DocSet, SegmentReader, Term};

use crate::failure::Result;
use crate::search::index::context::SearchContext;
use crate::search::index::phrase_postings::{PhrasePostings, PhraseWord};
use crate::stop_word_pairs::pair;

use super::weighed_statistics::phrase_weight;

pub struct QuotedPhrase {
    /// The words, with pairs instead of neighbouring stop words. Words that are no stop words are scored.
    words: Vec<PhraseWord>,
    /// The field of the scored words.
    field: Field,
    weight: Bm25Weight,
}

/// Replaces neighbouring stop words by their pairs: fewer documents have them, and less often.
fn with_pairs(context: &SearchContext, words: Vec<(u32, Term)>) -> Vec<(u32, Term)> {
    let find_pair = |(position, first): &(u32, Term), (next, second): &(u32, Term)| {
        let field = context.schema.stop_word_pairs(first.field()).filter(|_| position + 1 == *next && first.field() == second.field())?;
        let pair = pair(first.value().as_str()?, second.value().as_str()?);
        Some((*position, Term::from_field_text(field, &pair)))
    };
    let pairs: Vec<Option<(u32, Term)>> = words.windows(2).map(|pair| find_pair(&pair[0], &pair[1])).collect();
    let has_pair = |index: usize| pairs.get(index).is_some_and(Option::is_some);
    let is_alone = |index: usize| !has_pair(index) && !index.checked_sub(1).is_some_and(has_pair);
    let alone = words.into_iter().enumerate().filter(|(index, _)| is_alone(*index)).map(|(_, word)| word);
    alone.chain(pairs.iter().flatten().cloned()).collect()
}

impl QuotedPhrase {
    /// Expects words of a field and stop words of its twin field. Returns `None` if no segment has all words.
    pub fn new(context: &SearchContext, words: &[(usize, Term)], boost: f32) -> Result<Option<QuotedPhrase>> {
        let words: Vec<(u32, Term)> = words.iter().map(|(position, term)| (*position as u32, term.clone())).collect();
        let is_stop_word = |term: &Term| context.schema.stop_word_pairs(term.field()).is_some();
        // Stop words are scored if there are no other words.
        let field_of_words = words.iter().map(|(_, term)| term).find(|term| !is_stop_word(term)).map(Term::field);
        let Some(field) = field_of_words.or(words.first().map(|(_, term)| term.field())) else { return Ok(None) };
        let scored: Vec<Term> = words.iter().map(|(_, term)| term).filter(|term| term.field() == field).cloned().collect();
        let weight = phrase_weight(context, &scored, boost)?;
        let open = |(offset, term): (u32, Term)| {
            let is_scored = term.field() == field;
            Ok(PhraseWord { offset, infos: context.term_infos(&term)?, term, is_scored })
        };
        let words = if field_of_words.is_some() { with_pairs(context, words) } else { words };
        let words = words.into_iter().map(open).collect::<Result<Vec<_>>>()?;
        let has_all = |segment: usize| words.iter().all(|word| word.infos[segment].is_some());
        let may_stand = (0..context.searcher.segment_readers().len()).any(has_all);
        Ok(may_stand.then_some(QuotedPhrase { words, field, weight }))
    }

    /// Goes to the first document that may have the phrase. Returns `None` if the segment lacks one of the words.
    pub fn candidates(&self, segment: usize, reader: &SegmentReader) -> Result<Option<PhraseCandidates>> {
        let Some(postings) = PhrasePostings::open(&self.words, segment, reader)? else { return Ok(None) };
        let lengths = reader.get_fieldnorms_reader(self.field)?;
        Ok(Some(PhraseCandidates { postings, lengths, weight: self.weight.clone() }))
    }

    /// Goes to the first document with the phrase. Returns `None` if the segment lacks one of the words.
    pub fn scorer(&self, segment: usize, reader: &SegmentReader) -> Result<Option<PhraseScorer>> {
        let Some(mut candidates) = self.candidates(segment, reader)? else { return Ok(None) };
        candidates.postings.find(0);
        Ok(Some(PhraseScorer(candidates)))
    }
}

/// Documents that may have a phrase. Knowing whether they have it takes far longer than knowing how high they may score.
pub struct PhraseCandidates {
    postings: PhrasePostings,
    lengths: FieldNormReader,
    weight: Bm25Weight,
}

impl PhraseCandidates {
    pub fn doc(&self) -> DocId {
        self.postings.doc()
    }

    pub fn advance(&mut self) {
        self.postings.next_candidate();
    }

    /// Returns a score that the current document does not exceed: the words may stand elsewhere.
    pub fn score_max(&self) -> f32 {
        self.weight.score(self.lengths.fieldnorm_id(self.doc()), self.postings.frequency_max())
    }

    /// Returns the score of the current document if it has the stop words at their positions too; `None` if it lacks the other words.
    pub fn score_without_stop_words(&mut self) -> Option<f32> {
        self.postings.has_scored_parts().then(|| self.score())
    }

    /// Whether the current document has the stop words at their positions too. Expects `score_without_stop_words` before.
    pub fn has_stop_words(&mut self) -> bool {
        self.postings.has_unscored_parts()
    }

    fn score(&self) -> f32 {
        self.weight.score(self.lengths.fieldnorm_id(self.doc()), self.postings.frequency())
    }
}

/// The documents with a phrase.
pub struct PhraseScorer(PhraseCandidates);

impl DocSet for PhraseScorer {
    fn advance(&mut self) -> DocId {
        self.0.postings.advance()
    }

    fn seek(&mut self, target: DocId) -> DocId {
        self.0.postings.seek(target)
    }

    fn doc(&self) -> DocId {
        self.0.doc()
    }

    fn size_hint(&self) -> u32 {
        self.0.postings.size_hint()
    }
}

impl Scorer for PhraseScorer {
    fn score(&mut self) -> f32 {
        self.0.score()
    }
}
