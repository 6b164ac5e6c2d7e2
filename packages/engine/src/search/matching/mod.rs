//! Compiled conditions, and the documents of each segment that satisfy them.

pub mod conditions;
pub mod predicates;
pub mod scored_hits;
pub mod segment;
