//! Runs compiled conditions on the documents of a segment.

pub mod predicates;
pub mod segment;
