//! The JSON form of a facet in a query plan.

use serde::Deserialize;
#[cfg(test)]
use ts_rs::TS;

/// The value of a filter, a range or a boost.
#[derive(Debug, Clone, Deserialize, PartialEq)]
#[cfg_attr(test, derive(TS))]
#[serde(untagged)]
pub enum Value {
    Boolean(bool),
    Number(f64),
    Text(String),
}

/// Options of a keyword, number, boolean or date field over the documents that the plan finds.
#[derive(Debug, Clone, Deserialize)]
#[cfg_attr(test, derive(TS))]
#[serde(deny_unknown_fields)]
pub struct FacetRequest {
    pub field: String,
    /// The requested page of options: by descending count, then by ascending value (UTF-8 bytes).
    pub offset: usize,
    pub count: usize,
    /// Values to count whatever page they are on.
    #[serde(default)]
    pub selected: Vec<String>,
    /// Minimum of count / largest, 0 to 1: options below it are absent from `options`, `distinct` and `statistics`.
    #[serde(default)]
    #[cfg_attr(test, ts(optional, as = "Option<_>"))]
    pub cutoff: f64,
    /// Keeps only options with a word that starts with this text, without case and accents. The others are absent from `options`, `distinct`
    /// and `statistics`. A blank text keeps all options.
    #[serde(default)]
    #[cfg_attr(test, ts(optional))]
    pub query: Option<String>,
    /// If false, the caller ignores the number of different options, so an engine need not count the options of other pages.
    #[serde(default)]
    #[cfg_attr(test, ts(optional))]
    #[expect(dead_code, reason = "it helps another engine")]
    distinct: Option<bool>,
    /// Counts groups of values instead of values. Then the other members except `field` have no effect, and the reply has all groups by key,
    /// in any order, as far as documents have them.
    #[serde(default)]
    #[cfg_attr(test, ts(optional))]
    pub groups: Option<FacetGroups>,
    /// Counts the documents without a value. Without groups, they are also counted as the option ''. Then no document has the option '' for
    /// an empty text, which is no value.
    #[serde(default)]
    #[cfg_attr(test, ts(optional, as = "Option<_>"))]
    pub missing: bool,
    /// Requests a summary of numbers or dates.
    #[serde(default)]
    #[cfg_attr(test, ts(optional, as = "Option<_>"))]
    pub summary: bool,
    /// Counts the values of `collapse` that have a document with the option; a document without a value counts as one.
    #[serde(default)]
    #[cfg_attr(test, ts(optional, as = "Option<_>"))]
    pub collapsed: bool,
}

/// Groups of values. A document with several values of a group counts once.
#[derive(Debug, Clone, Deserialize)]
#[cfg_attr(test, derive(TS))]
#[serde(tag = "by", rename_all = "lowercase", deny_unknown_fields)]
pub enum FacetGroups {
    /// Ranges of numbers and dates. The key is the index of the range.
    Ranges { ranges: Vec<GroupRange> },
    /// Intervals of numbers. The key is the number of the interval, which starts at the decimal product of the number and `size`. It may be
    /// `-Infinity` or `Infinity`.
    Interval { size: f64 },
    /// Intervals of dates in UTC. The key is the start in seconds since 1970. With `zone`, they begin in local time. Then the key is in local
    /// time too, except for hours, which clocks may repeat.
    Calendar {
        unit: CalendarUnit,
        #[serde(default)]
        #[cfg_attr(test, ts(optional))]
        zone: Option<ZoneOffsets>,
    },
    /// Paths of names. The key is a path one level below one of the parents, or of the first level if there are none.
    Hierarchy {
        separator: String,
        #[serde(default)]
        #[cfg_attr(test, ts(optional, type = "readonly string[]"))]
        parents: Vec<String>,
    },
}

/// The offsets of a time zone from UTC (`ZoneOffsets` in the contract's time-zone.ts). All numbers are seconds; times count from 1970.
#[derive(Debug, Clone, Deserialize)]
#[cfg_attr(test, derive(TS))]
#[serde(deny_unknown_fields)]
pub struct ZoneOffsets {
    /// When each offset starts.
    #[cfg_attr(test, ts(type = "number[]"))]
    pub starts: Vec<i64>,
    #[cfg_attr(test, ts(type = "number[]"))]
    pub offsets: Vec<i64>,
    /// The local time that was reached before each start.
    #[cfg_attr(test, ts(type = "number[]"))]
    pub floors: Vec<i64>,
    /// From then on, offsets are those of 400 years earlier.
    #[cfg_attr(test, ts(type = "number"))]
    pub until: i64,
}

/// Values from `from` to before `before`.
#[derive(Debug, Clone, Deserialize)]
#[cfg_attr(test, derive(TS))]
#[serde(deny_unknown_fields)]
pub struct GroupRange {
    #[serde(default)]
    #[cfg_attr(test, ts(optional, type = "string | number"))]
    pub from: Option<Value>,
    #[serde(default)]
    #[cfg_attr(test, ts(optional, type = "string | number"))]
    pub before: Option<Value>,
}

/// Weeks start on Monday.
#[derive(Debug, Clone, Copy, Deserialize, PartialEq, Eq)]
#[cfg_attr(test, derive(TS))]
#[serde(rename_all = "lowercase")]
pub enum CalendarUnit {
    Year,
    Month,
    Week,
    Day,
    Hour,
}
