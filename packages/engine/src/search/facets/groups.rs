//! Counts the documents with values in ranges, in intervals, or below a name of a hierarchy. A document with several values of a group counts
//! once.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Debug;

use smallvec::SmallVec;
use tantivy::columnar::Column;
use tantivy::{DocId, Searcher, SegmentReader};

use crate::failure::{Failure, Result};
use crate::numbers::{Number, NumberColumn, is_large};
use crate::plan::{CalendarUnit, FacetGroups, GroupRange, ZoneOffsets};
use crate::search::filters::field_matcher::{ValueMatcher, field_matcher};
use crate::search::index::cancel_token::CancelToken;
use crate::search::index::document_set::DocumentSet;
use crate::search::index::match_set::MatchSet;
use crate::search_field::SearchField;
use crate::spec::FieldKind;
use crate::values::{DAY_MICROS, civil_from_days, days_from_civil, number_text};

use super::units::{Tally, Units};

const SECOND_MICROS: i64 = 1_000_000;
const HOUR_MICROS: i64 = 60 * 60 * SECOND_MICROS;

/// Returns the number of documents, or of their units, by the key of the group. Ranges without documents are included.
pub fn count_groups(
    groups: &FacetGroups,
    search_field: &SearchField,
    name: &str,
    searcher: &Searcher,
    (matches, units): (&MatchSet, Option<&Units>),
    cancel_token: &CancelToken,
) -> Result<Vec<(String, u64)>> {
    let unsupported =
        || Failure::unsupported(format!("the embedded engine cannot group `{name}`, a {} field, so", search_field.kind.name()));
    let mut texts: BTreeMap<String, Tally> = BTreeMap::new();
    let mut numbers: BTreeMap<i64, Tally> = BTreeMap::new();
    let mut intervals: HashMap<u64, Tally> = HashMap::new();
    let ranges = match groups {
        FacetGroups::Ranges { ranges } => {
            numbers.extend((0..ranges.len() as i64).map(|index| (index, Tally::default())));
            read_ranges(ranges, search_field, name)?
        }
        _ => Vec::new(),
    };
    for (segment, (reader, documents)) in searcher.segment_readers().iter().zip(matches.segments()).enumerate() {
        let unit_at = |document| units.map(|units| units.unit(segment, document));
        let column = search_field.column.as_str();
        let columns = reader.fast_fields();
        match (groups, &search_field.kind) {
            (FacetGroups::Hierarchy { separator, parents }, FieldKind::Keyword) => {
                let counts = count_paths(reader, column, documents, separator, parents, unit_at, cancel_token)?;
                counts.into_iter().for_each(|(path, tally)| texts.entry(path).or_default().append(tally));
            }
            (FacetGroups::Ranges { .. }, FieldKind::Number) => {
                let keys = |value: Number| range_indexes(&ranges, RangeValue::Number(value));
                count_numbers(NumberColumn::open(columns, column)?, documents, unit_at, cancel_token, &mut numbers, keys)?;
            }
            (FacetGroups::Ranges { .. }, FieldKind::Date) => {
                let keys = |value: i64| range_indexes(&ranges, RangeValue::Moment(value));
                count_values(columns.column_opt(column)?, documents, unit_at, cancel_token, &mut numbers, keys)?;
            }
            (FacetGroups::Interval { size }, FieldKind::Number) => {
                let interval = Interval::new(*size);
                let keys = |value: Number| [interval.number(value).to_bits()];
                count_numbers(NumberColumn::open(columns, column)?, documents, unit_at, cancel_token, &mut intervals, keys)?;
            }
            (FacetGroups::Calendar { unit, zone }, FieldKind::Date) => {
                let keys = |value: i64| match zone {
                    Some(zone) => [local_interval_start(value.div_euclid(SECOND_MICROS), *unit, zone)],
                    None => [interval_start(value, *unit) / SECOND_MICROS],
                };
                count_values(columns.column_opt(column)?, documents, unit_at, cancel_token, &mut numbers, keys)?;
            }
            _ => return Err(unsupported()),
        }
    }
    let mut intervals: Vec<(f64, Tally)> = intervals.into_iter().map(|(key, tally)| (f64::from_bits(key), tally)).collect();
    intervals.sort_unstable_by(|(one, _), (other, _)| one.total_cmp(other));
    let intervals = intervals.into_iter().map(|(key, tally)| (interval_key(key), tally));
    let tallies = numbers.into_iter().map(|(key, tally)| (key.to_string(), tally)).chain(intervals).chain(texts);
    Ok(tallies.map(|(key, tally)| (key, tally.count())).collect())
}

#[derive(Clone, Copy)]
enum RangeValue {
    Number(Number),
    Moment(i64),
}

struct ValueRange {
    from: Option<ValueMatcher>,
    before: Option<ValueMatcher>,
}

impl ValueRange {
    fn contains(&self, value: RangeValue) -> bool {
        let is_below = |end: &ValueMatcher| match (end, value) {
            (end, RangeValue::Number(number)) => end.number().is_some_and(|end| number < end),
            (ValueMatcher::Moments(first, _), RangeValue::Moment(moment)) => moment < *first,
            _ => false,
        };
        !self.from.as_ref().is_some_and(is_below) && self.before.as_ref().is_none_or(is_below)
    }
}

fn range_indexes(ranges: &[ValueRange], value: RangeValue) -> SmallVec<[i64; 4]> {
    (0..).zip(ranges).filter(|(_, range)| range.contains(value)).map(|(index, _)| index).collect()
}

fn read_ranges(ranges: &[GroupRange], search_field: &SearchField, name: &str) -> Result<Vec<ValueRange>> {
    let end = |value: &Option<_>| value.as_ref().map(|value| field_matcher(search_field, name, value)).transpose();
    ranges.iter().map(|range| Ok(ValueRange { from: end(&range.from)?.flatten(), before: end(&range.before)?.flatten() })).collect()
}

/// Counts each document once for each different key of its values.
fn count_values<T: Copy + PartialOrd + Debug + Send + Sync + 'static, K: PartialEq + Copy, Keys: IntoIterator<Item = K>>(
    column: Option<Column<T>>,
    documents: &DocumentSet,
    unit: impl Fn(DocId) -> Option<u32>,
    cancel_token: &CancelToken,
    counts: &mut impl Counts<K>,
    keys: impl Fn(T) -> Keys,
) -> Result<()> {
    let Some(column) = column else { return Ok(()) };
    documents.for_each_batch(|batch| {
        for document in batch {
            count_document(column.values_for_doc(*document).flat_map(&keys), |key| counts.count(key, unit(*document)));
        }
        cancel_token.check()
    })
}

/// Counts each document once for each different key of its numbers.
fn count_numbers<K: PartialEq + Copy, Keys: IntoIterator<Item = K>>(
    column: Option<NumberColumn>,
    documents: &DocumentSet,
    unit: impl Fn(DocId) -> Option<u32>,
    cancel_token: &CancelToken,
    counts: &mut impl Counts<K>,
    keys: impl Fn(Number) -> Keys,
) -> Result<()> {
    let Some(column) = column else { return Ok(()) };
    if column.large.is_none() {
        return count_values(Some(column.floats), documents, unit, cancel_token, counts, |float| keys(Number::Float(float)));
    }
    documents.for_each_batch(|batch| {
        for document in batch {
            count_document(column.values(*document).flat_map(&keys), |key| counts.count(key, unit(*document)));
        }
        cancel_token.check()
    })
}

trait Counts<K> {
    fn count(&mut self, key: K, unit: Option<u32>);
}

impl Counts<i64> for BTreeMap<i64, Tally> {
    fn count(&mut self, key: i64, unit: Option<u32>) {
        self.entry(key).or_default().add(unit);
    }
}

impl Counts<u64> for HashMap<u64, Tally> {
    fn count(&mut self, key: u64, unit: Option<u32>) {
        self.entry(key).or_default().add(unit);
    }
}

/// Intervals of decimal numbers: 0.3 is in the third interval of 0.1, although 0.3 / 0.1 is less than 3 in binary floating point. The same
/// bounds are in the labels and filters of options (facet-groups.ts), and OpenSearch computes them in the same way.
struct Interval {
    size: f64,
    /// The size in millionths, a whole number.
    millionths: f64,
}

/// Beyond it, whole numbers are not exact.
const EXACT_MAX: f64 = 9_007_199_254_740_992.0;

impl Interval {
    fn new(size: f64) -> Interval {
        Interval { size, millionths: (size * 1e6).round() }
    }

    /// Returns the lower bound of an interval: the number that is nearest to the decimal one.
    fn bound(&self, number: f64) -> f64 {
        if number.abs() < EXACT_MAX { number * self.millionths / 1e6 } else { number * self.size }
    }

    /// Whether a value is below an interval. Among large numbers, the bound is the one that its label has.
    fn is_below(&self, value: Number, number: f64) -> bool {
        let bound = self.bound(number);
        match value {
            Number::Float(float) => float < bound,
            large if is_large(bound) => large < Number::from_float(bound),
            large => large.to_float() < bound,
        }
    }

    /// Returns the number of the interval with the value.
    fn number(&self, value: Number) -> f64 {
        let mut number = (value.to_float() / self.size).floor();
        while self.is_below(value, number) {
            number = if number.abs() < EXACT_MAX { number - 1.0 } else { number.next_down() };
        }
        loop {
            let next = if number.abs() < EXACT_MAX { number + 1.0 } else { number.next_up() };
            if number == f64::INFINITY || self.is_below(value, next) {
                return number + 0.0;
            }
            number = next;
        }
    }
}

fn interval_key(number: f64) -> String {
    if number.is_finite() {
        number_text(number)
    } else if number > 0.0 {
        "Infinity".to_owned()
    } else {
        "-Infinity".to_owned()
    }
}

/// Calls `count` once for each different key.
fn count_document<K: PartialEq + Copy>(keys: impl Iterator<Item = K>, mut count: impl FnMut(K)) {
    let mut counted: SmallVec<[K; 4]> = SmallVec::new();
    for key in keys {
        if !counted.contains(&key) {
            counted.push(key);
            count(key);
        }
    }
}

/// Counts the documents below each path.
fn count_paths(
    reader: &SegmentReader,
    column: &str,
    documents: &DocumentSet,
    separator: &str,
    parents: &[String],
    unit: impl Fn(DocId) -> Option<u32>,
    cancel_token: &CancelToken,
) -> Result<HashMap<String, Tally>> {
    let Some(column) = reader.fast_fields().str(column)? else { return Ok(HashMap::new()) };
    // The indexes of the paths of each value of the segment that the documents have.
    let mut paths_by_ordinal: HashMap<u64, SmallVec<[usize; 2]>> = HashMap::new();
    let mut index_by_path: HashMap<String, usize> = HashMap::new();
    let mut tallies: Vec<Tally> = Vec::new();
    let mut value = String::new();
    documents.for_each_batch(|batch| {
        for document in batch {
            let mut paths: SmallVec<[usize; 4]> = SmallVec::new();
            for ordinal in column.term_ords(*document) {
                if let Some(indexes) = paths_by_ordinal.get(&ordinal) {
                    paths.extend_from_slice(indexes);
                    continue;
                }
                value.clear();
                column.ord_to_str(ordinal, &mut value)?;
                let mut indexes = SmallVec::new();
                for path in paths_below(&value, separator, parents) {
                    let next = index_by_path.len();
                    indexes.push(*index_by_path.entry(path.to_owned()).or_insert(next));
                }
                paths.extend_from_slice(&indexes);
                paths_by_ordinal.insert(ordinal, indexes);
            }
            tallies.resize_with(index_by_path.len(), Tally::default);
            count_document(paths.into_iter(), |path| tallies[path].add(unit(*document)));
        }
        cancel_token.check()
    })?;
    Ok(index_by_path.into_iter().map(|(path, index)| (path, std::mem::take(&mut tallies[index]))).collect())
}

/// Returns the beginnings of a path that are one level below one of the parents.
fn paths_below<'a>(value: &'a str, separator: &str, parents: &[String]) -> SmallVec<[&'a str; 2]> {
    if parents.is_empty() {
        return path_below(value, separator, None).into_iter().collect();
    }
    parents.iter().filter_map(|parent| path_below(value, separator, Some(parent))).collect()
}

/// Returns the beginning of a path that is one level below the parent, or the first level; `None` for other paths.
fn path_below<'a>(value: &'a str, separator: &str, parent: Option<&str>) -> Option<&'a str> {
    let start = match parent {
        Some(parent) => value.strip_prefix(parent)?.strip_prefix(separator).map(|rest| value.len() - rest.len())?,
        None => 0,
    };
    Some(value[start..].find(separator).map_or(value, |end| &value[..start + end]))
}

/// The first and the last second that dates have.
const FIRST_SECOND: i64 = -62_167_219_200;
const LAST_SECOND: i64 = 253_402_300_799;
const HOUR_SECONDS: i64 = 60 * 60;
/// The days of the calendar, and so the offsets of zones, repeat after 400 years.
const CYCLE_SECONDS: i64 = 146_097 * 24 * HOUR_SECONDS;

/// Returns the start in local time of the interval that contains a moment, in seconds since 1970. When clocks go back, a day goes on: it does
/// not begin again. Hours are repeated, so their start is in UTC.
fn local_interval_start(moment: i64, unit: CalendarUnit, zone: &ZoneOffsets) -> i64 {
    let shift = if moment < zone.until { 0 } else { ((moment - zone.until) / CYCLE_SECONDS + 1) * CYCLE_SECONDS };
    let shifted = moment - shift;
    let place = zone.starts.partition_point(|start| *start <= shifted).saturating_sub(1);
    let (Some(start), Some(offset), Some(floor)) = (zone.starts.get(place), zone.offsets.get(place), zone.floors.get(place)) else {
        return interval_start(moment * SECOND_MICROS, unit) / SECOND_MICROS;
    };
    let local = moment + offset;
    if unit == CalendarUnit::Hour {
        let hour = local.clamp(FIRST_SECOND, LAST_SECOND);
        return (hour - hour.rem_euclid(HOUR_SECONDS) - offset).max(start + shift);
    }
    let local_start = local.max(floor + shift - 1).clamp(FIRST_SECOND, LAST_SECOND);
    interval_start(local_start * SECOND_MICROS, unit) / SECOND_MICROS
}

/// Returns the start of the interval in UTC that contains a moment, in microseconds since 1970.
fn interval_start(moment: i64, unit: CalendarUnit) -> i64 {
    let days = moment.div_euclid(DAY_MICROS);
    let start = match unit {
        CalendarUnit::Hour => return moment - moment.rem_euclid(HOUR_MICROS),
        CalendarUnit::Day => days,
        // 1970-01-01 was a Thursday.
        CalendarUnit::Week => days - (days + 3).rem_euclid(7),
        CalendarUnit::Month | CalendarUnit::Year => {
            let (year, month, _) = civil_from_days(days);
            days_from_civil(year, if unit == CalendarUnit::Year { 1 } else { month }, 1)
        }
    };
    start * DAY_MICROS
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::values::parse_date;

    #[test]
    fn intervals_start_in_utc_and_weeks_on_monday() {
        let micros = |date: &str| parse_date(date).unwrap().0;
        let cases = [
            (CalendarUnit::Hour, "2024-02-29T23:59:59.5Z", "2024-02-29T23:00:00Z"),
            (CalendarUnit::Day, "1969-12-31T23:59:59Z", "1969-12-31T00:00:00Z"),
            (CalendarUnit::Week, "1970-01-01T00:00:00Z", "1969-12-29T00:00:00Z"),
            (CalendarUnit::Week, "2024-05-13T00:00:00Z", "2024-05-13T00:00:00Z"),
            (CalendarUnit::Week, "2024-05-12T23:00:00Z", "2024-05-06T00:00:00Z"),
            (CalendarUnit::Month, "2024-02-29T12:00:00Z", "2024-02-01T00:00:00Z"),
            (CalendarUnit::Year, "2024-12-31T23:59:59Z", "2024-01-01T00:00:00Z"),
        ];
        for (unit, moment, expected) in cases {
            assert_eq!(interval_start(micros(moment), unit), micros(expected), "{moment}");
        }
    }

    #[test]
    fn a_path_is_cut_one_level_below_its_parent() {
        assert_eq!(path_below("Books > Fiction > Crime", " > ", None), Some("Books"));
        assert_eq!(path_below("Books > Fiction > Crime", " > ", Some("Books")), Some("Books > Fiction"));
        assert_eq!(path_below("Books > Fiction", " > ", Some("Books > Fiction")), None);
        assert_eq!(path_below("Bookshelves", " > ", Some("Books")), None);
        assert_eq!(path_below("Music", " > ", None), Some("Music"));
    }

    #[test]
    fn numbers_are_in_the_interval_of_their_decimals() {
        for (size, value, expected) in [
            (0.1, 0.3, 3.0),
            (0.1, 0.7, 7.0),
            (0.2, 0.6, 3.0),
            (0.01, 0.29, 29.0),
            (0.1, -0.3, -3.0),
            (0.1, 0.1f64.next_down(), 0.0),
            (2.5, -0.5, -1.0),
            (1.0, 1e300, 1e300),
            (1e-6, -1e308, f64::NEG_INFINITY),
        ] {
            assert_eq!(Interval::new(size).number(Number::from_float(value)), expected, "{value} by {size}");
        }
    }
}
