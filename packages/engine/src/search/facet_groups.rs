//! Counts the documents with values in ranges, in intervals, or below a name of a hierarchy. A document with several values of a group counts
//! once.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Debug;

use smallvec::SmallVec;
use tantivy::columnar::Column;
use tantivy::{Searcher, SegmentReader};

use crate::failure::{Failure, Result};
use crate::plan::{CalendarUnit, FacetGroups, GroupRange};
use crate::schema::SearchField;
use crate::spec::FieldKind;
use crate::values::{DAY_MICROS, civil_from_days, days_from_civil};

use super::boost::ValueMatcher;
use super::cancel_token::CancelToken;
use super::document_set::DocumentSet;
use super::field_matcher::field_matcher;
use super::query_cache::MatchSet;

const SECOND_MICROS: i64 = 1_000_000;
const HOUR_MICROS: i64 = 60 * 60 * SECOND_MICROS;

/// Returns the number of documents by the key of the group. Ranges without documents are included.
pub fn count_groups(
    groups: &FacetGroups,
    search_field: &SearchField,
    name: &str,
    searcher: &Searcher,
    matches: &MatchSet,
    cancel_token: &CancelToken,
) -> Result<Vec<(String, u64)>> {
    let unsupported =
        || Failure::unsupported(format!("the embedded engine cannot group `{name}`, a {} field, so", search_field.kind.name()));
    let mut texts: BTreeMap<String, u64> = BTreeMap::new();
    let mut numbers: BTreeMap<i64, u64> = BTreeMap::new();
    let ranges = match groups {
        FacetGroups::Ranges { ranges } => {
            numbers.extend((0..ranges.len() as i64).map(|index| (index, 0)));
            read_ranges(ranges, search_field, name)?
        }
        _ => Vec::new(),
    };
    for (reader, documents) in searcher.segment_readers().iter().zip(matches.segments()) {
        let column = search_field.column.as_str();
        let columns = reader.fast_fields();
        match (groups, &search_field.kind) {
            (FacetGroups::Hierarchy { separator, parent }, FieldKind::Keyword) => {
                let counts = count_paths(reader, column, documents, separator, parent.as_deref(), cancel_token)?;
                counts.into_iter().for_each(|(path, count)| *texts.entry(path).or_default() += count);
            }
            (FacetGroups::Ranges { .. }, FieldKind::Number) => {
                let keys = |value: f64| range_indexes(&ranges, RangeValue::Number(value));
                count_values(columns.column_opt(column)?, documents, cancel_token, &mut numbers, keys)?;
            }
            (FacetGroups::Ranges { .. }, FieldKind::Date) => {
                let keys = |value: i64| range_indexes(&ranges, RangeValue::Moment(value));
                count_values(columns.column_opt(column)?, documents, cancel_token, &mut numbers, keys)?;
            }
            (FacetGroups::Interval { size }, FieldKind::Number) => {
                let keys = |value: f64| [(value / size).floor() as i64];
                count_values(columns.column_opt(column)?, documents, cancel_token, &mut numbers, keys)?;
            }
            (FacetGroups::Calendar { unit }, FieldKind::Date) => {
                let keys = |value: i64| [interval_start(value, *unit) / SECOND_MICROS];
                count_values(columns.column_opt(column)?, documents, cancel_token, &mut numbers, keys)?;
            }
            _ => return Err(unsupported()),
        }
    }
    Ok(numbers.into_iter().map(|(key, count)| (key.to_string(), count)).chain(texts).collect())
}

#[derive(Clone, Copy)]
enum RangeValue {
    Number(f64),
    Moment(i64),
}

struct ValueRange {
    from: Option<ValueMatcher>,
    before: Option<ValueMatcher>,
}

impl ValueRange {
    fn contains(&self, value: RangeValue) -> bool {
        let is_below = |end: &ValueMatcher| match (end, value) {
            (ValueMatcher::Number(bits), RangeValue::Number(number)) => number < f64::from_bits(*bits),
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
fn count_values<T: Copy + PartialOrd + Debug + Send + Sync + 'static, Keys: IntoIterator<Item = i64>>(
    column: Option<Column<T>>,
    documents: &DocumentSet,
    cancel_token: &CancelToken,
    counts: &mut BTreeMap<i64, u64>,
    keys: impl Fn(T) -> Keys,
) -> Result<()> {
    let Some(column) = column else { return Ok(()) };
    documents.for_each_batch(|batch| {
        for document in batch {
            count_document(column.values_for_doc(*document).flat_map(&keys), |key| *counts.entry(key).or_default() += 1);
        }
        cancel_token.check()
    })
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
    parent: Option<&str>,
    cancel_token: &CancelToken,
) -> Result<HashMap<String, u64>> {
    let Some(column) = reader.fast_fields().str(column)? else { return Ok(HashMap::new()) };
    // The index of the path of each value of the segment that the documents have.
    let mut path_by_ordinal: HashMap<u64, Option<usize>> = HashMap::new();
    let mut index_by_path: HashMap<String, usize> = HashMap::new();
    let mut counts: Vec<u64> = Vec::new();
    let mut value = String::new();
    documents.for_each_batch(|batch| {
        for document in batch {
            let mut paths: SmallVec<[usize; 4]> = SmallVec::new();
            for ordinal in column.term_ords(*document) {
                let path = match path_by_ordinal.get(&ordinal) {
                    Some(path) => *path,
                    None => {
                        value.clear();
                        column.ord_to_str(ordinal, &mut value)?;
                        let path = path_below(&value, separator, parent).map(|path| {
                            let next = index_by_path.len();
                            *index_by_path.entry(path.to_owned()).or_insert(next)
                        });
                        path_by_ordinal.insert(ordinal, path);
                        path
                    }
                };
                paths.extend(path);
            }
            counts.resize(index_by_path.len(), 0);
            count_document(paths.into_iter(), |path| counts[path] += 1);
        }
        cancel_token.check()
    })?;
    Ok(index_by_path.into_iter().map(|(path, index)| (path, counts[index])).collect())
}

/// Returns the beginning of a path that is one level below the parent, or the first level; `None` for other paths.
fn path_below<'a>(value: &'a str, separator: &str, parent: Option<&str>) -> Option<&'a str> {
    let start = match parent {
        Some(parent) => value.strip_prefix(parent)?.strip_prefix(separator).map(|rest| value.len() - rest.len())?,
        None => 0,
    };
    Some(value[start..].find(separator).map_or(value, |end| &value[..start + end]))
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
}
