//! Scores the documents with a phrase that a word of the query may be split into. Scores are those of the words as a phrase.

use std::sync::Arc;

use tantivy::fieldnorm::FieldNormReader;
use tantivy::query::{Bm25Weight, BoostQuery, EnableScoring, PhraseQuery, Query, Scorer, Weight};
use tantivy::schema::Field;
use tantivy::{DocId, DocSet, SegmentReader, TERMINATED, Term};

use crate::failure::Result;
use crate::search::index::context::SearchContext;
use crate::search::index::phrase_cache::{PhraseDocuments, SplitDocuments};

use super::weighed_statistics::phrase_weight;

const FEW_DOCUMENTS: usize = 4_096;

pub enum SplitPhrase {
    Cached(CachedPhrase),
    /// Too many documents to cache.
    Read(Box<dyn Weight>),
}

pub struct CachedPhrase {
    documents: PhraseDocuments,
    field: Field,
    weight: Bm25Weight,
}

impl SplitPhrase {
    /// Returns `None` if no document has the phrase.
    pub fn new(context: &SearchContext, words: &[(usize, Term)], boost: f32) -> Result<Option<SplitPhrase>> {
        let documents = match context.split_documents(words)? {
            SplitDocuments::None => return Ok(None),
            SplitDocuments::Few(documents) => documents,
            SplitDocuments::Many => {
                let query = BoostQuery::new(Box::new(PhraseQuery::new_with_offset(words.to_vec())), boost);
                let scoring = EnableScoring::enabled_from_statistics_provider(context.statistics(), context.searcher);
                return Ok(Some(SplitPhrase::Read(query.weight(scoring)?)));
            }
        };
        // A stop word of the phrase is in another field, and short.
        let longest = words.iter().map(|(_, term)| term).max_by_key(|term| term.serialized_value_bytes().len());
        let Some(field) = longest.map(Term::field) else { return Ok(None) };
        let terms: Vec<Term> = words.iter().map(|(_, term)| term).filter(|term| term.field() == field).cloned().collect();
        let weight = phrase_weight(context, &terms, boost)?;
        Ok(Some(SplitPhrase::Cached(CachedPhrase { documents, field, weight })))
    }

    /// Whether the documents are known, and so few that looking up the other words in each of them is fast.
    pub fn has_few_documents(&self) -> bool {
        match self {
            SplitPhrase::Cached(phrase) => phrase.documents.iter().map(|documents| documents.len()).sum::<usize>() <= FEW_DOCUMENTS,
            SplitPhrase::Read(_) => false,
        }
    }

    /// Returns a score that no document exceeds; infinite if the documents are not known.
    pub fn score_max(&self) -> f32 {
        match self {
            SplitPhrase::Cached(phrase) => phrase.weight.score(0, u32::MAX / 2),
            SplitPhrase::Read(_) => f32::INFINITY,
        }
    }

    /// Returns `None` if no document of the segment has the phrase.
    pub fn scorer(&self, segment: usize, reader: &SegmentReader) -> Result<Option<Box<dyn Scorer>>> {
        Ok(match self {
            SplitPhrase::Cached(phrase) => phrase.scorer(segment, reader)?.map(|scorer| Box::new(scorer) as Box<dyn Scorer>),
            SplitPhrase::Read(weight) => Some(weight.scorer(reader, 1.0)?),
        })
    }
}

impl CachedPhrase {
    fn scorer(&self, segment: usize, reader: &SegmentReader) -> Result<Option<SplitPhraseScorer>> {
        if self.documents[segment].is_empty() {
            return Ok(None);
        }
        let lengths = reader.get_fieldnorms_reader(self.field)?;
        let documents = Arc::clone(&self.documents);
        Ok(Some(SplitPhraseScorer { documents, segment, index: 0, lengths, weight: self.weight.clone() }))
    }
}

struct SplitPhraseScorer {
    documents: PhraseDocuments,
    segment: usize,
    /// Index of the current document.
    index: usize,
    lengths: FieldNormReader,
    weight: Bm25Weight,
}

impl SplitPhraseScorer {
    fn documents(&self) -> &[(DocId, u32)] {
        &self.documents[self.segment]
    }
}

impl DocSet for SplitPhraseScorer {
    fn advance(&mut self) -> DocId {
        self.index = self.documents().len().min(self.index + 1);
        self.doc()
    }

    fn seek(&mut self, target: DocId) -> DocId {
        self.index += self.documents()[self.index..].partition_point(|(document, _)| *document < target);
        self.doc()
    }

    fn doc(&self) -> DocId {
        self.documents().get(self.index).map_or(TERMINATED, |(document, _)| *document)
    }

    fn size_hint(&self) -> u32 {
        self.documents().len() as u32
    }
}

impl Scorer for SplitPhraseScorer {
    fn score(&mut self) -> f32 {
        let frequency = self.documents().get(self.index).map_or(0, |(_, frequency)| *frequency);
        self.weight.score(self.lengths.fieldnorm_id(self.doc()), frequency)
    }
}
