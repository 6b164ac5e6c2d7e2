//! Scores beside those of words: boosts of values, and pinned and buried documents.

pub mod boost;
pub mod pinning;
