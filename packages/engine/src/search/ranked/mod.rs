//! Fast paths to the first documents by score or by id, which leave out documents that cannot be among them.

pub mod best_terms;
pub mod block_max;
pub mod first_by_id;
pub mod ranked_search;
