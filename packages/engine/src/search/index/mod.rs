//! The state that searches read: a snapshot of the index with its caches, and sets of documents.

pub mod cancel_token;
pub mod columns;
pub mod context;
pub mod dense_values;
pub mod document_set;
pub mod expansion_cache;
pub mod facet_cache;
pub mod facet_values;
pub mod fast_paths;
pub mod found_term;
pub mod match_set;
pub mod phrase_cache;
pub mod phrase_postings;
pub mod query_cache;
pub mod segment_threads;
pub mod snapshot;
pub mod sorted_lists;
pub mod term_cache;
pub mod vector_columns;
pub mod visibility;
pub mod vocabulary;
