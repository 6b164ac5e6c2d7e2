//! The words of a query: analysis, spellings, completions and corrections. Nothing here reads documents.

pub mod analyzed_text;
pub mod compile_text;
pub mod compounds;
pub mod expansion;
pub mod joined_by_and;
pub mod mistyped_compounds;
pub mod mistyped_pairs;
pub mod mistyped_splits;
pub mod query_word;
pub mod query_words;
pub mod single_word;
pub mod spellings;
pub mod text_limits;
pub mod text_query;
pub mod unfinished_splits;
pub mod unusual_splits;
pub mod variant;
