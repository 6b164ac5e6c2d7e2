//! What a fast path found.

/// If fewer documents satisfy the other conditions, checking each of them is faster than a fast path.
pub const CANDIDATES_MIN: u64 = 2_000;

/// The result of a fast path, apart from the hits.
#[derive(Default)]
pub struct Found {
    /// The number of documents visited; 0 only if none matches.
    pub total: u64,
    pub best: f64,
}
