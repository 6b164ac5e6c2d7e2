//! Converts the values of filters and ranges to matchers for the columns of fields.

use crate::failure::{Failure, Result};
use crate::numbers::Number;
use crate::plan::Value;
use crate::search_field::SearchField;
use crate::spec::FieldKind;
use crate::values::{number_text, parse_date};

/// Matches the values of a column.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum ValueMatcher {
    Text(String),
    /// Bits of an f64.
    Number(u64),
    /// A whole number that a float cannot hold.
    Large(i64),
    Boolean(bool),
    /// A range of microseconds since 1970, both ends inclusive.
    Moments(i64, i64),
}

/// Converts a value to a matcher for the column of the field; `None` if no document can have the value.
pub fn field_matcher(search_field: &SearchField, name: &str, value: &Value) -> Result<Option<ValueMatcher>> {
    Ok(match (&search_field.kind, value) {
        (FieldKind::Keyword, value) => Some(ValueMatcher::from_text(value)),
        (FieldKind::Number, Value::Number(number)) => Some(ValueMatcher::from_number(Number::from_float(*number))),
        (FieldKind::Number, Value::Text(text)) => Number::parse(text).map(ValueMatcher::from_number),
        (FieldKind::Boolean, Value::Boolean(truth)) => Some(ValueMatcher::Boolean(*truth)),
        (FieldKind::Boolean, Value::Text(text)) => text.parse().ok().map(ValueMatcher::Boolean),
        (FieldKind::Date, Value::Text(text)) => parse_date(text).map(|(from, to)| ValueMatcher::Moments(from, to)),
        (FieldKind::Number | FieldKind::Boolean | FieldKind::Date, _) => None,
        (FieldKind::Text { .. } | FieldKind::Geo | FieldKind::Vector { .. }, _) => {
            let kind = search_field.kind.name();
            return Err(Failure::unsupported(format!("the embedded engine cannot filter `{name}`, a {kind} field")));
        }
    })
}

impl ValueMatcher {
    fn from_number(number: Number) -> ValueMatcher {
        match number {
            Number::Float(float) => ValueMatcher::Number(float.to_bits()),
            Number::Large(whole) => ValueMatcher::Large(whole),
        }
    }

    pub fn number(&self) -> Option<Number> {
        match self {
            ValueMatcher::Number(bits) => Some(Number::Float(f64::from_bits(*bits))),
            ValueMatcher::Large(whole) => Some(Number::Large(*whole)),
            _ => None,
        }
    }

    pub fn from_text(value: &Value) -> ValueMatcher {
        ValueMatcher::Text(match value {
            Value::Text(text) => text.clone(),
            Value::Number(number) => number_text(*number),
            Value::Boolean(truth) => truth.to_string(),
        })
    }
}
