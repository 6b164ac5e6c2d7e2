//! The inputs of a search.

use std::sync::Arc;

use tantivy::query::Bm25StatisticsProvider;
use tantivy::schema::Field;
use tantivy::{Searcher, SegmentReader, Term};

use crate::failure::Result;
use crate::schema::IndexSchema;
use crate::store::Readers;

use super::cancel_token::CancelToken;
use super::columns::Columns;
use super::expansion_cache::ExpansionCache;
use super::facet_values::FacetValueTables;
use super::fast_paths::FastPaths;
use super::phrase_cache::{PhraseCache, SplitDocuments};
use super::snapshot::Snapshot;
use super::sorted_lists::SortedLists;
use super::term_cache::{TermCache, TermInfos};
use super::vector_columns::VectorTables;
use super::visibility::{VisibleDocuments, VisibleSegment};
use super::vocabulary::VocabularyTables;

/// The parts of a generation that all its searches share, whatever snapshot they search.
pub struct SearchResources {
    pub schema: Arc<IndexSchema>,
    pub readers: Readers,
    pub facet_values: FacetValueTables,
    pub sorted_lists: SortedLists,
    pub vectors: VectorTables,
    pub vocabularies: VocabularyTables,
    pub expansions: ExpansionCache,
    pub fast_paths: FastPaths,
}

impl SearchResources {
    pub fn new(schema: impl Into<Arc<IndexSchema>>, readers: Readers) -> SearchResources {
        SearchResources {
            schema: schema.into(),
            readers,
            facet_values: FacetValueTables::default(),
            sorted_lists: SortedLists::default(),
            vectors: VectorTables::default(),
            vocabularies: VocabularyTables::default(),
            expansions: ExpansionCache::default(),
            fast_paths: FastPaths::MEASURED,
        }
    }
}

#[derive(Clone, Copy)]
pub struct SearchContext<'a> {
    pub searcher: &'a Searcher,
    pub schema: &'a IndexSchema,
    pub readers: &'a Readers,
    pub cancel_token: &'a CancelToken,
    pub columns: &'a Arc<Columns>,
    pub terms: &'a TermCache,
    pub phrases: &'a PhraseCache,
    pub sorted_lists: &'a SortedLists,
    pub vectors: &'a VectorTables,
    pub vocabularies: &'a VocabularyTables,
    pub expansions: &'a ExpansionCache,
    pub fast_paths: FastPaths,
    /// The documents that satisfy the restrictions of the plan, if it has any. No other document may affect the reply.
    pub visible: Option<&'a Arc<VisibleDocuments>>,
    /// Whether the search adds the variants of words itself, as far as it needs them.
    pub expands_later: bool,
}

impl<'a> SearchContext<'a> {
    /// All documents are visible.
    pub fn unrestricted(snapshot: &'a Snapshot, resources: &'a SearchResources, cancel_token: &'a CancelToken) -> SearchContext<'a> {
        SearchContext {
            searcher: &snapshot.searcher,
            schema: &resources.schema,
            readers: &resources.readers,
            cancel_token,
            columns: &snapshot.columns,
            terms: &snapshot.terms,
            phrases: &snapshot.phrases,
            sorted_lists: &resources.sorted_lists,
            vectors: &resources.vectors,
            vocabularies: &resources.vocabularies,
            expansions: &resources.expansions,
            fast_paths: resources.fast_paths,
            visible: None,
            expands_later: false,
        }
    }

    /// Looks up the term in each segment.
    pub fn term_infos(&self, term: &Term) -> Result<TermInfos> {
        self.terms.term_infos(self.searcher, term)
    }

    /// Returns the documents with a phrase that a word may be split into.
    pub fn split_documents(&self, words: &[(usize, Term)]) -> Result<SplitDocuments> {
        let first_field = words.first().map(|(_, term)| term.field());
        // A phrase in two fields cannot be read otherwise.
        let is_in_one_field = words.iter().all(|(_, term)| Some(term.field()) == first_field);
        let documents_max = if is_in_one_field { self.fast_paths.split_documents_max } else { usize::MAX };
        self.phrases.documents(self.searcher, self.cancel_token, words, documents_max)
    }

    /// Returns the number of visible documents.
    pub fn documents(&self) -> u64 {
        self.visible.map_or_else(|| self.searcher.num_docs(), |visible| visible.documents())
    }

    /// Returns the visible documents of a segment.
    pub fn visible_segment<'b>(&'b self, segment: usize, reader: &'b SegmentReader) -> VisibleSegment<'b> {
        VisibleSegment { alive: reader.alive_bitset(), visible: self.visible.map(|visible| visible.segment(segment)) }
    }

    /// Returns the number of visible documents with the term.
    pub fn frequency(&self, term: &Term) -> Result<u64> {
        match self.visible {
            Some(visible) => Ok(visible.doc_freq(term)?),
            None => Ok(self.term_infos(term)?.iter().flatten().map(|info| u64::from(info.doc_freq)).sum()),
        }
    }

    /// Returns the mean number of words of a field in the visible documents. Reads every segment.
    pub fn mean_length(&self, field: Field) -> Result<f32> {
        let statistics = self.statistics();
        Ok(statistics.total_num_tokens(field)? as f32 / statistics.total_num_docs()? as f32)
    }

    /// Returns the statistics for scores.
    pub fn statistics(&self) -> &'a dyn Bm25StatisticsProvider {
        match self.visible {
            Some(visible) => visible.as_ref(),
            None => self.searcher,
        }
    }
}
