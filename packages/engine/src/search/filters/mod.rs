//! Conditions on the values of fields.

pub mod field_matcher;
pub mod presence;
pub mod together;
pub mod value_query;
