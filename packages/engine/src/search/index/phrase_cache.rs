//! Caches which documents have the phrases that words of queries may be split into: `any one` for `anyone`. Most words cannot be split, and
//! the parts of a word are common words, so that looking for their phrase takes longer than the rest of a search.
//!
//! With it, the slowest searches for one word of a million documents take a third of the time, and those for two words a tenth less.

use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use lru::LruCache;
use tantivy::{DocId, DocSet, Searcher, SegmentReader, TERMINATED, Term};

use crate::failure::Result;

use super::cancel_token::CancelToken;
use super::phrase_postings::PhrasePostings;

/// The words of a phrase with their positions.
type Words = [(usize, Term)];

/// The most phrases in the cache, the most documents of all of them, and the most phrases that no document has.
const CACHED_PHRASES_MAX: NonZeroUsize = NonZeroUsize::new(256).unwrap();
const CACHED_DOCUMENTS_MAX: usize = 1_000_000;
const CACHED_ABSENT_PHRASES_MAX: NonZeroUsize = NonZeroUsize::new(16_384).unwrap();
/// The most words in the cache whose parts no document has as a phrase.
const CACHED_WHOLE_WORDS_MAX: NonZeroUsize = NonZeroUsize::new(16_384).unwrap();

/// The documents that have a phrase, by segment, each with the number of times that it has the phrase.
pub type PhraseDocuments = Arc<[Box<[(DocId, u32)]>]>;

#[derive(Clone)]
pub enum SplitDocuments {
    None,
    Few(PhraseDocuments),
    /// They take more memory than reading them takes time.
    Many,
}

impl SplitDocuments {
    fn count(&self) -> usize {
        match self {
            SplitDocuments::Few(segments) => segments.iter().map(|documents| documents.len()).sum(),
            SplitDocuments::None | SplitDocuments::Many => 0,
        }
    }
}

/// The splits of a word that no document has as a phrase.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum AbsentSplits {
    /// The usual ones.
    Usual,
    /// The usual ones, and in a search of all documents the unusual ones too, which depend on the words of visible documents.
    Unrestricted,
}

/// The documents of the most recently searched phrases.
pub struct PhraseCache(Mutex<CachedPhrases>);

struct CachedPhrases {
    present: LruCache<Box<Words>, SplitDocuments>,
    /// The number of documents of all present phrases.
    documents: usize,
    absent: LruCache<Box<Words>, ()>,
    whole_words: LruCache<Term, AbsentSplits>,
}

impl Default for PhraseCache {
    fn default() -> PhraseCache {
        // Sparse: each snapshot of each index has its own cache, which allocates memory only for the phrases in it.
        PhraseCache(Mutex::new(CachedPhrases {
            present: LruCache::sparse(CACHED_PHRASES_MAX),
            documents: 0,
            absent: LruCache::sparse(CACHED_ABSENT_PHRASES_MAX),
            whole_words: LruCache::sparse(CACHED_WHOLE_WORDS_MAX),
        }))
    }
}

impl PhraseCache {
    /// Returns the documents with the phrase, if there are up to `documents_max`.
    pub fn documents(
        &self,
        searcher: &Searcher,
        cancel_token: &CancelToken,
        words: &Words,
        documents_max: usize,
    ) -> Result<SplitDocuments> {
        if let Some(documents) = self.lock().get(words) {
            return Ok(documents);
        }
        let documents = find(searcher, cancel_token, words, documents_max)?;
        self.lock().put(words, &documents);
        Ok(documents)
    }

    /// Returns the splits of a word, as typed, that no document has; `None` if nothing is known.
    pub fn absent_splits(&self, word: &Term) -> Option<AbsentSplits> {
        self.lock().whole_words.get(word).copied()
    }

    pub fn add_absent_splits(&self, word: Term, absent: AbsentSplits) {
        self.lock().whole_words.put(word, absent);
    }

    fn lock(&self) -> MutexGuard<'_, CachedPhrases> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl CachedPhrases {
    fn get(&mut self, words: &Words) -> Option<SplitDocuments> {
        let absent = self.absent.get(words).map(|()| SplitDocuments::None);
        absent.or_else(|| self.present.get(words).cloned())
    }

    fn put(&mut self, words: &Words, documents: &SplitDocuments) {
        match documents {
            SplitDocuments::None => _ = self.absent.put(words.into(), ()),
            documents => {
                self.documents += documents.count();
                if let Some((_, replaced)) = self.present.push(words.into(), documents.clone()) {
                    self.documents -= replaced.count();
                }
                while self.documents > CACHED_DOCUMENTS_MAX
                    && let Some((_, oldest)) = self.present.pop_lru()
                {
                    self.documents -= oldest.count();
                }
            }
        }
    }
}

fn find(searcher: &Searcher, cancel_token: &CancelToken, words: &Words, documents_max: usize) -> Result<SplitDocuments> {
    let mut segments = Vec::with_capacity(searcher.segment_readers().len());
    let mut count = 0;
    for reader in searcher.segment_readers() {
        cancel_token.check()?;
        let mut documents = Vec::new();
        if let Some(mut postings) = open_postings(reader, words)? {
            while postings.doc() != TERMINATED {
                count += 1;
                if count > documents_max {
                    return Ok(SplitDocuments::Many);
                }
                documents.push((postings.doc(), postings.frequency()));
                postings.advance();
            }
        }
        segments.push(documents.into_boxed_slice());
    }
    Ok(if count == 0 { SplitDocuments::None } else { SplitDocuments::Few(segments.into()) })
}

fn open_postings(reader: &SegmentReader, words: &Words) -> Result<Option<PhrasePostings>> {
    // A longer word is rarer, and often absent.
    let mut terms: Vec<(u32, &Term)> = words.iter().map(|(position, term)| (*position as u32, term)).collect();
    terms.sort_by_key(|(_, term)| std::cmp::Reverse(term.serialized_value_bytes().len()));
    PhrasePostings::new(reader, terms.into_iter())
}
