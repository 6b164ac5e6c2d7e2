//! What the restrictions of a plan let through: for that plan there is nothing else. Statistics that scores are made of count these
//! documents alone, and only words that they have are completions and corrections; else scores would tell what is hidden.
//!
//! Restrictions are few and come again (a member's row filter), so what was found out about them is kept as long as the index stays as
//! it is, within bounds.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use lru::LruCache;
use tantivy::query::Bm25StatisticsProvider;
use tantivy::schema::{Field, IndexRecordOption};
use tantivy::{DocSet, Searcher, TERMINATED, Term};

use crate::failure::Result;
use crate::plan::Node;

use super::Ground;
use super::condition::Conditions;
use super::document_set::DocumentSet;
use super::matched::Matched;

/// Restrictions that are remembered, at most, and the memory for their documents.
const REMEMBERED_MAX: usize = 64;
const REMEMBERED_BYTES_MAX: usize = 16 * 1024 * 1024;

/// Words whose frequencies are remembered, for each restriction.
const FREQUENCIES_MAX: NonZeroUsize = NonZeroUsize::new(4_096).unwrap();

/// Looking a document up among those of a word costs about as much as walking past so many.
const SEEK_COSTS: u32 = 16;

/// The documents of an index that some restrictions let through.
pub struct Visible {
    searcher: Searcher,
    matched: Matched,
    documents: u64,
    /// Number of words in each field that was asked for.
    lengths: Mutex<BTreeMap<Field, u64>>,
    frequencies: Mutex<LruCache<Term, u64>>,
}

impl Visible {
    fn new(ground: &Ground, restrictions: &[Node]) -> Result<Visible> {
        let conditions = Conditions::new(ground, &[], &restrictions.iter().collect::<Vec<_>>())?;
        let matched = Matched::of(&conditions, ground.searcher, ground.clock)?;
        // Room comes with the words.
        let frequencies = Mutex::new(LruCache::sparse(FREQUENCIES_MAX));
        Ok(Visible { searcher: ground.searcher.clone(), documents: matched.documents(), matched, lengths: Mutex::default(), frequencies })
    }

    pub fn documents(&self) -> u64 {
        self.documents
    }

    pub fn in_segment(&self, segment: usize) -> &DocumentSet {
        self.matched.in_segment(segment)
    }
}

impl Bm25StatisticsProvider for Visible {
    /// Of longer texts the number of words is known as scores know it: rounded down by up to an eighth.
    fn total_num_tokens(&self, field: Field) -> tantivy::Result<u64> {
        if let Some(known) = locked(&self.lengths).get(&field) {
            return Ok(*known);
        }
        let mut sum = 0;
        for (reader, set) in self.searcher.segment_readers().iter().zip(self.matched.segments()) {
            let lengths = reader.get_fieldnorms_reader(field)?;
            let mut document = set.next_from(0);
            while document != TERMINATED {
                sum += u64::from(lengths.fieldnorm(document));
                document = set.next_from(document + 1);
            }
        }
        locked(&self.lengths).insert(field, sum);
        Ok(sum)
    }

    fn total_num_docs(&self) -> tantivy::Result<u64> {
        Ok(self.documents)
    }

    fn doc_freq(&self, term: &Term) -> tantivy::Result<u64> {
        if let Some(known) = locked(&self.frequencies).get(term) {
            return Ok(*known);
        }
        let mut frequency = 0;
        for (reader, set) in self.searcher.segment_readers().iter().zip(self.matched.segments()) {
            let Some(mut postings) = reader.inverted_index(term.field())?.read_postings(term, IndexRecordOption::Basic)? else { continue };
            if set.size().saturating_mul(SEEK_COSTS) < postings.doc_freq() {
                let mut document = set.next_from(0);
                while document != TERMINATED {
                    let found = if postings.doc() < document { postings.seek(document) } else { postings.doc() };
                    frequency += u64::from(found == document);
                    document = set.next_from(found.max(document + 1));
                }
                continue;
            }
            let mut document = postings.doc();
            while document != TERMINATED {
                frequency += u64::from(set.contains(document));
                document = postings.advance();
            }
        }
        locked(&self.frequencies).put(term.clone(), frequency);
        Ok(frequency)
    }
}

/// What is remembered of the restrictions that one state of the index was searched with.
#[derive(Default)]
pub struct Remembered(Mutex<Option<LruCache<String, Arc<Visible>>>>);

impl Remembered {
    /// What the restrictions let through; nothing where there are none. `ground` is that of the whole index.
    pub fn visible(&self, ground: &Ground, restrictions: &[Node]) -> Result<Option<Arc<Visible>>> {
        if restrictions.is_empty() {
            return Ok(None);
        }
        let key = format!("{restrictions:?}");
        if let Some(known) = locked(&self.0).as_mut().and_then(|remembered| remembered.get(&key)) {
            return Ok(Some(Arc::clone(known)));
        }
        let visible = Arc::new(Visible::new(ground, restrictions)?);
        let mut remembered = locked(&self.0);
        remembered.get_or_insert_with(|| LruCache::new(remembered_max(&visible))).put(key, Arc::clone(&visible));
        Ok(Some(visible))
    }
}

fn remembered_max(visible: &Visible) -> NonZeroUsize {
    NonZeroUsize::new((REMEMBERED_BYTES_MAX / visible.matched.bytes().max(1)).min(REMEMBERED_MAX)).unwrap_or(NonZeroUsize::MIN)
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
