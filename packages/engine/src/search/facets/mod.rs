//! Facets: counts of the values of a field in the documents found.

pub mod counts;
pub mod days;
pub mod groups;
pub mod missing;
pub mod option_filter;
pub mod summary;
pub mod units;
