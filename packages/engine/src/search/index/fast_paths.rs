//! From which sizes on a search takes its fast paths.

use super::segment_threads::SegmentThreads;

/// The least numbers of documents for which a fast path takes less time than visiting all documents that match.
#[derive(Clone, Copy)]
pub struct FastPaths {
    /// Documents that satisfy the conditions beside a match.
    pub candidates_min: u64,
    /// Documents of all words of a union together.
    pub union_documents_min: u64,
    /// Documents of the rarest word, if a document needs several. Below, looking up the other words in each of them is faster.
    pub union_rarest_min: u64,
    /// Documents of the rarest word, if a document needs all words, for the scores of its words to leave out documents before they are intersected.
    pub score_intersection_rarest_min: u64,
    /// Whether that is also done for plans without restrictions in which at most one word has many terms. It takes a little more time then.
    pub intersects_few_terms: bool,
    /// Documents of all words of a match together, for its page to be found before its documents are counted.
    pub counted_apart_min: u64,
    /// The most documents of a phrase that a word is split into, to keep in memory.
    pub split_documents_max: usize,
    /// Documents whose values are counted, for the counts to be cached.
    pub cached_counts_min: u64,
    /// The share of the documents of a segment whose values searches read, for the values of all of them to be kept in memory.
    pub dense_values_percent: u32,
    /// Documents of the most common word, if the page is sorted by the values of a field.
    pub sorted_documents_min: u64,
    /// Whether a search of all documents reads whole windows of a match.
    pub windows: bool,
    /// Terms of the words of a query, if a document needs all words, for their documents to be read into sets.
    pub candidate_set_terms_min: usize,
    /// Whether the words of a text are looked up before it is compared with the query.
    pub exact_words: bool,
    /// Whether the completions and corrections of typed words are cached.
    pub cached_expansions: bool,
    /// When a query searches its segments on several threads.
    pub segment_threads: SegmentThreads,
}

impl FastPaths {
    pub const MEASURED: FastPaths = FastPaths {
        candidates_min: 2_000,
        union_documents_min: 10_000,
        union_rarest_min: 10_000,
        score_intersection_rarest_min: 10_000,
        intersects_few_terms: false,
        counted_apart_min: 100_000,
        split_documents_max: 65_536,
        cached_counts_min: 20_000,
        dense_values_percent: 25,
        sorted_documents_min: 20_000,
        windows: true,
        candidate_set_terms_min: 16,
        exact_words: true,
        cached_expansions: true,
        segment_threads: SegmentThreads { documents_min: 300_000, ignores_load: false },
    };
}

#[cfg(test)]
impl FastPaths {
    pub const ALWAYS: FastPaths = FastPaths {
        candidates_min: 0,
        union_documents_min: 0,
        union_rarest_min: 0,
        score_intersection_rarest_min: 0,
        intersects_few_terms: true,
        counted_apart_min: 0,
        split_documents_max: 4_096,
        cached_counts_min: 0,
        dense_values_percent: 0,
        sorted_documents_min: 0,
        windows: true,
        candidate_set_terms_min: 0,
        exact_words: true,
        cached_expansions: true,
        segment_threads: SegmentThreads { documents_min: 0, ignores_load: true },
    };
    /// Fast paths that look up words instead of reading unions.
    pub const WITHOUT_UNIONS: FastPaths = FastPaths {
        union_documents_min: u64::MAX,
        union_rarest_min: u64::MAX,
        score_intersection_rarest_min: u64::MAX,
        split_documents_max: 0,
        ..FastPaths::ALWAYS
    };
    /// Visits all documents.
    pub const NEVER: FastPaths = FastPaths {
        candidates_min: u64::MAX,
        counted_apart_min: u64::MAX,
        cached_counts_min: u64::MAX,
        dense_values_percent: u32::MAX,
        sorted_documents_min: u64::MAX,
        windows: false,
        candidate_set_terms_min: usize::MAX,
        exact_words: false,
        cached_expansions: false,
        segment_threads: SegmentThreads::NEVER,
        ..FastPaths::WITHOUT_UNIONS
    };
}
