//! The parts of a reply beside its documents.

pub mod corrections;
pub mod highlight;
