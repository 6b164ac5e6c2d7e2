//! The order of the documents found, and the pages of it.

pub mod hits;
pub mod position;
pub mod sort;
pub mod top_k;
