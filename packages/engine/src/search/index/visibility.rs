//! The documents that satisfy the restrictions of a plan. No other document may affect the reply: BM25 statistics count only visible
//! documents, and completions and corrections are words of visible documents. Otherwise scores would reveal hidden documents.
//!
//! There are few different restrictions (such as the row filter of a member), and they repeat. So each snapshot of the index caches their
//! documents and statistics.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use lru::LruCache;
use tantivy::fastfield::AliveBitSet;
use tantivy::query::Bm25StatisticsProvider;
use tantivy::schema::{Field, IndexRecordOption};
use tantivy::{DocId, DocSet, Searcher, TERMINATED, Term};

use crate::failure::Result;
use crate::plan::Node;

use super::document_set::DocumentSet;
use super::match_set::MatchSet;

/// The most restrictions in the cache, and the memory for their documents.
const RESTRICTIONS_MAX: usize = 64;
const BYTES_MAX: usize = 16 * 1024 * 1024;

/// The most words with cached frequencies, per restriction.
const FREQUENCIES_MAX: NonZeroUsize = NonZeroUsize::new(4_096).unwrap();

/// A seek in the postings of a word costs about as much as advancing over this many documents.
const SEEK_COST_DOCUMENTS: u32 = 16;

/// The documents that satisfy some restrictions, with their BM25 statistics.
pub struct VisibleDocuments {
    searcher: Searcher,
    matches: MatchSet,
    documents: u64,
    /// Number of words by field.
    token_counts: Mutex<BTreeMap<Field, u64>>,
    frequencies: Mutex<LruCache<Term, u64>>,
}

impl VisibleDocuments {
    fn new(searcher: &Searcher, matches: MatchSet) -> VisibleDocuments {
        VisibleDocuments {
            searcher: searcher.clone(),
            documents: matches.documents(),
            matches,
            token_counts: Mutex::default(),
            // Sparse: allocates memory only for the words in it.
            frequencies: Mutex::new(LruCache::sparse(FREQUENCIES_MAX)),
        }
    }

    pub fn documents(&self) -> u64 {
        self.documents
    }

    pub fn segment(&self, segment: usize) -> &DocumentSet {
        self.matches.segment(segment)
    }
}

/// The documents of a segment that a search may find.
pub struct VisibleSegment<'a> {
    pub alive: Option<&'a AliveBitSet>,
    pub visible: Option<&'a DocumentSet>,
}

impl VisibleSegment<'_> {
    #[inline]
    pub fn contains(&self, document: DocId) -> bool {
        self.alive.is_none_or(|alive| alive.is_alive(document)) && self.visible.is_none_or(|visible| visible.contains(document))
    }
}

impl Bm25StatisticsProvider for VisibleDocuments {
    /// Adds up field norms, as scores do: they round the length of longer texts down by up to an eighth.
    fn total_num_tokens(&self, field: Field) -> tantivy::Result<u64> {
        if let Some(count) = lock(&self.token_counts).get(&field) {
            return Ok(*count);
        }
        let mut sum = 0;
        for (reader, document_set) in self.searcher.segment_readers().iter().zip(self.matches.segments()) {
            let lengths = reader.get_fieldnorms_reader(field)?;
            let mut document = document_set.next_at_or_after(0);
            while document != TERMINATED {
                sum += u64::from(lengths.fieldnorm(document));
                document = document_set.next_at_or_after(document + 1);
            }
        }
        lock(&self.token_counts).insert(field, sum);
        Ok(sum)
    }

    fn total_num_docs(&self) -> tantivy::Result<u64> {
        Ok(self.documents)
    }

    fn doc_freq(&self, term: &Term) -> tantivy::Result<u64> {
        if let Some(frequency) = lock(&self.frequencies).get(term) {
            return Ok(*frequency);
        }
        let mut frequency = 0;
        for (reader, document_set) in self.searcher.segment_readers().iter().zip(self.matches.segments()) {
            let index = reader.inverted_index(term.field())?;
            let Some(info) = index.get_term_info(term)? else { continue };
            if document_set.size().saturating_mul(SEEK_COST_DOCUMENTS) < info.doc_freq {
                let mut postings = index.read_postings_from_terminfo(&info, IndexRecordOption::Basic)?;
                let mut document = document_set.next_at_or_after(0);
                while document != TERMINATED {
                    let posting = if postings.doc() < document { postings.seek(document) } else { postings.doc() };
                    frequency += u64::from(posting == document);
                    document = document_set.next_at_or_after(posting.max(document + 1));
                }
                continue;
            }
            let mut block = index.read_block_postings_from_terminfo(&info, IndexRecordOption::Basic)?;
            while block.block_len() > 0 {
                frequency += u64::from(document_set.count_among(block.docs()));
                block.advance();
            }
        }
        lock(&self.frequencies).put(term.clone(), frequency);
        Ok(frequency)
    }
}

/// The visible documents of the most recent restrictions.
#[derive(Default)]
pub struct VisibilityCache(Mutex<Option<LruCache<String, Arc<VisibleDocuments>>>>);

impl VisibilityCache {
    /// Returns the documents that satisfy the restrictions; `None` if there are no restrictions. Calls `find` if they are not cached.
    pub fn get_or_find(
        &self,
        searcher: &Searcher,
        restrictions: &[Node],
        find: impl FnOnce() -> Result<MatchSet>,
    ) -> Result<Option<Arc<VisibleDocuments>>> {
        if restrictions.is_empty() {
            return Ok(None);
        }
        let key = format!("{restrictions:?}");
        if let Some(visible) = lock(&self.0).as_mut().and_then(|cache| cache.get(&key)) {
            return Ok(Some(Arc::clone(visible)));
        }
        let visible = Arc::new(VisibleDocuments::new(searcher, find()?));
        let mut cache = lock(&self.0);
        cache.get_or_insert_with(|| LruCache::new(capacity(&visible))).put(key, Arc::clone(&visible));
        Ok(Some(visible))
    }
}

/// Returns how many entries the cache may have. All sets of one snapshot have the same size.
fn capacity(visible: &VisibleDocuments) -> NonZeroUsize {
    NonZeroUsize::new((BYTES_MAX / visible.matches.bytes().max(1)).min(RESTRICTIONS_MAX)).unwrap_or(NonZeroUsize::MIN)
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::sync::LazyLock;

    use proptest::prelude::*;
    use serde_json::json;

    use crate::search::test_index::{CATALOG, TestDocument, TestIndex, catalog_fields, few_conditions, match_nodes, nodes};

    static DOCUMENTS: LazyLock<Vec<TestDocument>> = LazyLock::new(|| CATALOG.documents.iter().step_by(20).cloned().collect());
    static SMALL: LazyLock<TestIndex> = LazyLock::new(|| {
        let (first, second) = DOCUMENTS.split_at(80);
        TestIndex::new(&catalog_fields(), &[first.to_vec(), second.to_vec()], |document| document.id.ends_with('3'))
    });

    proptest! {
        #![proptest_config(ProptestConfig { cases: 40, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn a_restricted_search_answers_as_if_there_were_no_other_documents(
            match_node in match_nodes(),
            restrictions in few_conditions(),
            total in any::<bool>(),
        ) {
            let visible = SMALL.documents.iter().filter(|document| restrictions.iter().all(|condition| condition.accepts(&document.attributes)));
            let alone = TestIndex::new(&catalog_fields(), &[visible.cloned().collect()], |_| false);
            let plan = json!({
                "nodes": [match_node], "order": [{ "by": "score" }], "count": 20, "total": total, "statistics": total,
            });
            let mut restricted = plan.clone();
            restricted["restrictions"] = json!(nodes(&restrictions));
            // Without restrictions, statistics count deleted documents.
            if restrictions.is_empty() {
                restricted["restrictions"] = json!([{ "kind": "present", "field": "title", "not": false }]);
            }
            prop_assert_eq!(SMALL.find(&restricted), alone.find(&plan));
        }
    }
}
