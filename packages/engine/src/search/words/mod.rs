//! Matches that count the words of a query: how many a document has, at which cost, and how they stand.

pub mod as_typed;
pub mod bonuses;
pub mod counted_scorer;
pub mod counted_word;
pub mod counted_words;
pub mod exact_text;
pub mod proximity;
pub mod scale;
