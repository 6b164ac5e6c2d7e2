//! The text form of values as functions of the addon, for engines with an index elsewhere.

use napi::bindgen_prelude::BigInt;
use napi_derive::napi;

use crate::numbers::Number;
use crate::values;

/// Microseconds since 1970, both inclusive.
#[napi(object)]
pub struct NativeMoments {
    pub from: BigInt,
    pub to: BigInt,
}

/// The moments that a date or a date-time stands for.
#[napi]
pub fn parse_date(text: String) -> Option<NativeMoments> {
    values::parse_date(&text).map(|(from, to)| NativeMoments { from: from.into(), to: to.into() })
}

/// Formats a moment in UTC.
#[napi]
pub fn date_text(micros: BigInt) -> String {
    values::date_text(micros.get_i64().0)
}

/// A number as engines compare it.
#[napi(object)]
pub struct NativeNumber {
    /// The nearest float. Whole numbers just below 2^63 get the largest float below it.
    pub float: f64,
    /// Set for a whole number of 64 bits that a float may not hold.
    pub large: Option<String>,
}

/// Parses a number.
#[napi]
pub fn parse_number(text: String) -> Option<NativeNumber> {
    let native = |number: Number| NativeNumber { float: number.to_float(), large: number.large().map(|whole| whole.to_string()) };
    Number::parse(&text).map(native)
}
