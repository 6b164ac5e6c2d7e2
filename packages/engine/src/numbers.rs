//! Numbers as they compare: whole numbers of 64 bits exactly, all others as 64-bit floating-point numbers.
//!
//! Floats hold every whole number up to 2^53. Larger ones have a column of their own, which only segments with such numbers have. All numbers
//! are in the column of floats too. It has the same order, except that large neighbors may be equal there.

use std::cmp::Ordering;

use tantivy::DocId;
use tantivy::columnar::Column;
use tantivy::fastfield::FastFieldReaders;

use crate::values::{number_text, plain_zero};

/// From here on, floats skip whole numbers.
const LARGE_MIN: f64 = 9_007_199_254_740_992.0;
/// 2^63, the first number above those of an i64.
const LARGE_END: f64 = 9_223_372_036_854_775_808.0;

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Number {
    Float(f64),
    /// A whole number from 2^53 on, or down to -2^63.
    Large(i64),
}

/// A number as the key of a table.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct NumberKey {
    is_large: bool,
    bits: u64,
}

impl Number {
    /// A float from 2^53 on counts as the whole number that JavaScript writes for it.
    pub fn from_float(float: f64) -> Number {
        if is_large(float) {
            // JavaScript writes -2^63 with digits that are less.
            Number::Large(number_text(float).parse().unwrap_or(float as i64))
        } else {
            Number::Float(plain_zero(float))
        }
    }

    pub fn from_whole(whole: i64) -> Number {
        if whole.unsigned_abs() >= LARGE_MIN as u64 { Number::Large(whole) } else { Number::Float(whole as f64) }
    }

    pub fn from_json(value: &serde_json::Value) -> Option<Number> {
        let float = || value.as_f64().map(Number::from_float);
        value.as_i64().map(Number::from_whole).or_else(float)
    }

    /// Parses a number; `None` if the text is not a number.
    pub fn parse(text: &str) -> Option<Number> {
        let text = text.trim();
        let whole = text.split_once('.').filter(|(_, decimals)| decimals.bytes().all(|byte| byte == b'0')).map_or(text, |(whole, _)| whole);
        let float = || text.parse::<f64>().ok().filter(|number| number.is_finite()).map(Number::from_float);
        whole.parse().ok().map(Number::from_whole).or_else(float)
    }

    /// Returns the value in the column of floats.
    pub fn to_float(self) -> f64 {
        match self {
            Number::Float(float) => float,
            // The largest numbers would round to 2^63, which is another number.
            Number::Large(whole) => (whole as f64).min(LARGE_END.next_down()),
        }
    }

    /// Formats a number like JavaScript, but with all digits.
    pub fn text(self) -> String {
        match self {
            Number::Float(float) => number_text(float),
            Number::Large(whole) => whole.to_string(),
        }
    }

    /// Returns what is equal for equal numbers.
    pub fn key(self) -> NumberKey {
        match self {
            Number::Float(float) => NumberKey { is_large: false, bits: float.to_bits() },
            Number::Large(whole) => NumberKey { is_large: true, bits: whole.cast_unsigned() },
        }
    }

    pub fn from_key(NumberKey { is_large, bits }: NumberKey) -> Number {
        if is_large { Number::Large(bits.cast_signed()) } else { Number::Float(f64::from_bits(bits)) }
    }

    /// Returns the value in the column of large numbers.
    pub fn large(self) -> Option<i64> {
        match self {
            Number::Float(_) => None,
            Number::Large(whole) => Some(whole),
        }
    }
}

impl PartialOrd for Number {
    fn partial_cmp(&self, other: &Number) -> Option<Ordering> {
        // Only one of two equal floats is a large number, or both are.
        let by_whole = || self.large().cmp(&other.large());
        self.to_float().partial_cmp(&other.to_float()).map(|order| order.then_with(by_whole))
    }
}

/// Whether a float stands for a whole number that has a column of its own.
pub fn is_large(float: f64) -> bool {
    (LARGE_MIN..LARGE_END).contains(&float) || (-LARGE_END..=-LARGE_MIN).contains(&float)
}

/// The column with the large numbers of a field.
pub fn large_column(column: &str) -> String {
    format!("{column}-large")
}

/// The numbers of a segment.
pub struct NumberColumn {
    pub floats: Column<f64>,
    pub large: Option<Column<i64>>,
}

impl NumberColumn {
    /// Returns `None` if no document of the segment has the field.
    pub fn open(columns: &FastFieldReaders, column: &str) -> tantivy::Result<Option<NumberColumn>> {
        let Some(floats) = columns.column_opt(column)? else { return Ok(None) };
        Ok(Some(NumberColumn { floats, large: columns.column_opt(&large_column(column))? }))
    }

    /// Returns the different numbers of a document, the large ones last.
    pub fn values(&self, document: DocId) -> impl Iterator<Item = Number> {
        let has_large = self.large.is_some();
        let floats = self.floats.values_for_doc(document).filter(move |float| !has_large || !is_large(*float)).map(Number::Float);
        floats.chain(self.large.iter().flat_map(move |column| column.values_for_doc(document)).map(Number::Large))
    }

    /// Returns the first number, in the order of the document.
    pub fn first(&self, document: DocId) -> Option<Number> {
        let first = self.floats.first(document)?;
        let large = self.large.as_ref().filter(|_| is_large(first)).and_then(|column| column.first(document));
        Some(large.map_or(Number::Float(first), Number::Large))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn numbers_are_whole_up_to_64_bits() {
        for text in ["9007199254740993", "-9007199254740993", "9223372036854775807", "-9223372036854775808", "1610521604143693812"] {
            assert_eq!(Number::parse(text).unwrap().text(), text);
        }
        assert_eq!(Number::parse(" 9007199254740993.00 "), Some(Number::Large(9_007_199_254_740_993)));
        assert_eq!(Number::parse("9223372036854775808"), Some(Number::Float(LARGE_END)));
        assert_eq!(Number::parse("1e18"), Some(Number::Large(1_000_000_000_000_000_000)));
        assert_eq!(Number::parse("-0"), Some(Number::Float(0.0)));
        assert_eq!(Number::parse("9007199254740991"), Some(Number::Float(9_007_199_254_740_991.0)));
        assert_eq!(Number::parse("-9223372036854776000"), Some(Number::Large(i64::MIN)));
        assert_eq!(Number::parse("1e999"), None);
        assert_eq!(Number::parse("12."), Some(Number::Float(12.0)));
    }

    proptest! {
        #[test]
        fn numbers_have_the_order_of_their_values(left in any::<i64>(), near in -3000_i64..3000, float in -1e19..1e19_f64) {
            let right = left.saturating_add(near);
            prop_assert_eq!(Number::from_whole(left).partial_cmp(&Number::from_whole(right)), left.partial_cmp(&right));
            prop_assert!(Number::from_whole(left).to_float() <= Number::from_whole(left.saturating_add(near.abs())).to_float());
            prop_assert_eq!(Number::from_float(float).to_float(), float);
        }
    }
}
