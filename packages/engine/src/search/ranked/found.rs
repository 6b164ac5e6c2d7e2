//! What a fast path found.

/// The result of a fast path, apart from the hits.
#[derive(Default)]
pub struct Found {
    /// The number of documents visited; 0 only if none matches.
    pub total: u64,
    pub best: f64,
}
