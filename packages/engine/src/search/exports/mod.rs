//! The rules of this engine for an engine with an index elsewhere (`text_functions.rs`).

pub mod lookups;
pub mod match_words;
pub mod ranking_rules;
