//! Terms and phrases of the index with their BM25 scores.

pub mod match_weight;
pub mod quoted_phrase;
pub mod split_phrase;
pub mod stop_phrase;
pub mod term_scorer;
pub mod term_weight;
pub mod weighed_statistics;
pub mod window;
