//! Finds quoted phrases of stop words and other words, which are in two fields. Scores are those of the other words as a phrase.

use tantivy::fieldnorm::FieldNormReader;
use tantivy::postings::{Postings, SegmentPostings};
use tantivy::query::{Bm25Weight, Scorer};
use tantivy::schema::{Field, IndexRecordOption};
use tantivy::{DocId, DocSet, SegmentReader, TERMINATED, Term};

use crate::failure::Result;
use crate::search::index::context::SearchContext;
use crate::search::index::phrase_postings::{PhrasePostings, seek};
use crate::stop_word_pairs::pair;

pub struct QuotedPhrase {
    /// The words, with pairs in place of neighbouring stop words.
    words: Vec<(u32, Term)>,
    /// The words that are no stop words.
    scored: Vec<(u32, Term)>,
    /// The field of the scored words.
    field: Field,
    weight: Bm25Weight,
}

pub fn is_in_several_fields(words: &[(usize, Term)]) -> bool {
    words.windows(2).any(|pair| pair[0].1.field() != pair[1].1.field())
}

/// Puts the pairs of neighbouring stop words in their places: fewer documents have them, and less often.
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
    /// Expects words of a field and stop words of its twin field.
    pub fn new(context: &SearchContext, words: &[(usize, Term)], boost: f32) -> Result<QuotedPhrase> {
        let words: Vec<(u32, Term)> = words.iter().map(|(position, term)| (*position as u32, term.clone())).collect();
        let is_stop_word = |term: &Term| context.schema.stop_word_pairs(term.field()).is_some();
        let scored: Vec<(u32, Term)> = words.iter().filter(|(_, term)| !is_stop_word(term)).cloned().collect();
        let terms: Vec<Term> = scored.iter().map(|(_, term)| term.clone()).collect();
        let weight = Bm25Weight::for_terms(context.statistics(), &terms)?.boost_by(boost);
        Ok(QuotedPhrase { field: terms[0].field(), words: with_pairs(context, words), scored, weight })
    }

    /// Returns `None` if the segment lacks one of the words.
    pub fn scorer(&self, reader: &SegmentReader) -> Result<Option<QuotedPhraseScorer>> {
        let open = |words: &[(u32, Term)]| PhrasePostings::new(reader, words.iter().map(|(position, term)| (*position, term)));
        let (Some(phrase), Some(scored)) = (open(&self.words)?, open(&self.scored)?) else { return Ok(None) };
        let lengths = reader.get_fieldnorms_reader(self.field)?;
        Ok(Some(QuotedPhraseScorer { phrase, scored, lengths, weight: self.weight.clone() }))
    }
}

impl QuotedPhrase {
    /// Returns the documents of a segment with all words of the phrase that are no stop words; `None` if the segment lacks one of the words.
    pub fn candidates(&self, reader: &SegmentReader) -> Result<Option<PhraseCandidates>> {
        let open = |words: &[(u32, Term)]| PhrasePostings::open(reader, words.iter().map(|(position, term)| (*position, term)));
        let (Some(phrase), Some(scored)) = (open(&self.words)?, open(&self.scored)?) else { return Ok(None) };
        let mut words = Vec::with_capacity(self.scored.len());
        for (_, term) in &self.scored {
            words.extend(reader.inverted_index(term.field())?.read_postings(term, IndexRecordOption::WithFreqs)?);
        }
        words.sort_by_key(DocSet::size_hint);
        let lengths = reader.get_fieldnorms_reader(self.field)?;
        let mut candidates = PhraseCandidates { words, phrase, scored, lengths, weight: self.weight.clone() };
        candidates.find(candidates.doc());
        Ok(Some(candidates))
    }
}

/// Documents that may have a quoted phrase. Knowing whether they have it takes far longer than knowing how high they may score.
pub struct PhraseCandidates {
    /// The words that are no stop words, the rarest first.
    words: Vec<SegmentPostings>,
    phrase: PhrasePostings,
    scored: PhrasePostings,
    lengths: FieldNormReader,
    weight: Bm25Weight,
}

impl PhraseCandidates {
    pub fn doc(&self) -> DocId {
        self.words[0].doc()
    }

    pub fn advance(&mut self) {
        let next = self.words[0].advance();
        self.find(next);
    }

    /// Goes to the first document with all words, from a document of the rarest word on.
    fn find(&mut self, mut document: DocId) {
        let (rarest, others) = self.words.split_at_mut(1);
        while document != TERMINATED {
            let Some(next) = others.iter_mut().map(|word| seek(word, document)).find(|next| *next > document) else { return };
            document = seek(&mut rarest[0], next);
        }
    }

    /// Returns a score that the current document does not exceed: the words may stand elsewhere.
    pub fn score_max(&self) -> f32 {
        let frequency = self.words.iter().map(Postings::term_freq).min().unwrap_or(0);
        self.weight.score(self.lengths.fieldnorm_id(self.doc()), frequency)
    }

    /// Returns the score of the current document; `None` if it does not have the phrase. Documents must be requested in ascending order.
    pub fn score(&mut self) -> Option<f32> {
        let document = self.doc();
        let has_phrase = self.phrase.is_in(document) && self.scored.is_in(document);
        has_phrase.then(|| self.weight.score(self.lengths.fieldnorm_id(document), self.scored.frequency()))
    }
}

pub struct QuotedPhraseScorer {
    phrase: PhrasePostings,
    /// How often a document has the scored words, with any words in the places of the stop words.
    scored: PhrasePostings,
    lengths: FieldNormReader,
    weight: Bm25Weight,
}

impl DocSet for QuotedPhraseScorer {
    fn advance(&mut self) -> DocId {
        self.phrase.advance()
    }

    fn seek(&mut self, target: DocId) -> DocId {
        self.phrase.seek(target)
    }

    fn doc(&self) -> DocId {
        self.phrase.doc()
    }

    fn size_hint(&self) -> u32 {
        self.phrase.size_hint()
    }
}

impl Scorer for QuotedPhraseScorer {
    fn score(&mut self) -> f32 {
        let document = self.phrase.doc();
        self.scored.seek(document);
        self.weight.score(self.lengths.fieldnorm_id(document), self.scored.frequency())
    }
}
