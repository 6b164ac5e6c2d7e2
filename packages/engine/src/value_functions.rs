//! The text form of values as functions of the addon, for engines with an index elsewhere.

use napi::bindgen_prelude::BigInt;
use napi_derive::napi;

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

/// Parses a number.
#[napi]
pub fn parse_number(text: String) -> Option<f64> {
    values::parse_number(&text)
}
