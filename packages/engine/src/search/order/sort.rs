//! Converts the values of each sort key to numbers: documents with smaller numbers come first. Ids break ties.

use smallvec::SmallVec;
use tantivy::columnar::{Column, StrColumn};
use tantivy::{DocId, SegmentReader};

use crate::failure::{Failure, Result};
use crate::numbers::{is_large, large_column};
use crate::plan::{Direction, Plan, Point, SortKey};
use crate::schema::IndexSchema;
use crate::search::places::distance::{GeoPoints, meters_between};
use crate::spec::FieldKind;

/// The sort values of a document, one per key. Values of text keys are ordinals, comparable only within a segment. Few plans have more than
/// three keys.
pub type SortValues = SmallVec<[u64; 3]>;

/// Documents without a value come last in both directions.
const MISSING: u64 = u64::MAX;

#[derive(Clone, PartialEq)]
pub enum Key {
    Score,
    Field {
        column: String,
        kind: FieldKind,
        direction: Direction,
    },
    Distance {
        column: String,
        from: Point,
        direction: Direction,
    },
    /// Orders the documents whose key before this one is equal, because floats cannot hold their numbers.
    Large {
        column: String,
        direction: Direction,
    },
}

impl Key {
    /// A number field has two keys if some segment has large numbers.
    pub fn from_plan(schema: &IndexSchema, plan: &Plan, readers: &[SegmentReader]) -> Result<Vec<Key>> {
        let mut keys = Vec::new();
        for key in &plan.order {
            let key = Key::new(schema, key)?;
            let large = key.large(readers)?;
            keys.push(key);
            keys.extend(large);
        }
        Ok(keys)
    }

    fn large(&self, readers: &[SegmentReader]) -> Result<Option<Key>> {
        let Key::Field { column, kind: FieldKind::Number, direction } = self else { return Ok(None) };
        for reader in readers {
            let large: Option<Column<i64>> = reader.fast_fields().column_opt(&large_column(column))?;
            if large.is_some() {
                return Ok(Some(Key::Large { column: column.clone(), direction: *direction }));
            }
        }
        Ok(None)
    }

    fn new(schema: &IndexSchema, key: &SortKey) -> Result<Key> {
        let (field, from, order) = match key {
            SortKey::Score => return Ok(Key::Score),
            SortKey::Field { field, order } => (field, None, *order),
            SortKey::Distance { field, lat, lon, order } => (field, Some(Point { lat: *lat, lon: *lon }), *order),
        };
        let search_field = schema.field(field)?;
        match (from, &search_field.kind) {
            (Some(from), FieldKind::Geo) => Ok(Key::Distance { column: search_field.column.clone(), from, direction: order }),
            (None, kind) if !matches!(kind, FieldKind::Geo | FieldKind::Vector { .. }) => {
                Ok(Key::Field { column: search_field.sort_column(), kind: kind.clone(), direction: order })
            }
            (_, kind) => {
                let prefix = if from.is_some() { "the distance to " } else { "" };
                Err(Failure::unsupported(format!("the embedded engine cannot sort by {prefix}`{field}`, a {} field", kind.name())))
            }
        }
    }

    /// Returns the column and the direction of a text key, whose values are ordinals.
    pub fn text_column(&self) -> Option<(&str, Direction)> {
        match self {
            Key::Field { column, kind: FieldKind::Text { .. } | FieldKind::Keyword, direction } => Some((column, *direction)),
            _ => None,
        }
    }

    /// Returns the column of a key among large numbers.
    pub fn large_column(&self) -> Option<&str> {
        match self {
            Key::Large { column, .. } => Some(column),
            _ => None,
        }
    }

    pub fn for_segment(&self, reader: &SegmentReader) -> Result<SegmentKey> {
        let (column, kind, direction) = match self {
            Key::Score => return Ok(SegmentKey::Score),
            Key::Field { column, kind, direction } => (column, kind, *direction),
            Key::Large { column, direction } => {
                let columns = reader.fast_fields();
                let large = columns.column_opt(column)?.zip(columns.column_opt(&large_column(column))?);
                return Ok(large.map_or(SegmentKey::Missing, |(floats, large)| SegmentKey::Large(floats, large, *direction)));
            }
            Key::Distance { column, from, direction } => {
                let points = GeoPoints::open(reader, column)?;
                return Ok(points.map_or(SegmentKey::Missing, |points| SegmentKey::Distance(points, *from, *direction)));
            }
        };
        let columns = reader.fast_fields();
        Ok(match kind {
            FieldKind::Text { .. } | FieldKind::Keyword => columns.str(column)?.map(|column| SegmentKey::Text(column, direction)),
            FieldKind::Number => columns.column_opt(column)?.map(|column| SegmentKey::Number(column, direction)),
            FieldKind::Date => columns.column_opt(column)?.map(|column| SegmentKey::Date(column, direction)),
            FieldKind::Boolean => columns.column_opt(column)?.map(|column| SegmentKey::Boolean(column, direction)),
            FieldKind::Geo | FieldKind::Vector { .. } => None,
        }
        .unwrap_or(SegmentKey::Missing))
    }
}

pub enum SegmentKey {
    Score,
    Text(StrColumn, Direction),
    Number(Column<f64>, Direction),
    Large(Column<f64>, Column<i64>, Direction),
    Date(Column<i64>, Direction),
    Boolean(Column<bool>, Direction),
    Distance(GeoPoints, Point, Direction),
    /// No document of the segment has the field.
    Missing,
}

impl SegmentKey {
    pub fn sort_value(&self, document: DocId, score: f64) -> u64 {
        match self {
            SegmentKey::Score => sort_value(std::iter::once(order_preserving_bits(score)), Direction::Descending),
            SegmentKey::Text(column, direction) => sort_value(column.term_ords(document), *direction),
            SegmentKey::Number(column, direction) => sort_value(column.values_for_doc(document).map(order_preserving_bits), *direction),
            SegmentKey::Large(floats, large, direction) => {
                let floats = floats.values_for_doc(document);
                let first = match direction {
                    Direction::Ascending => floats.reduce(f64::min),
                    Direction::Descending => floats.reduce(f64::max),
                };
                let large = first.filter(|float| is_large(*float)).map(|_| large.values_for_doc(document));
                sort_value(large.into_iter().flatten().map(large_bits), *direction)
            }
            SegmentKey::Date(column, direction) => {
                sort_value(column.values_for_doc(document).map(|moment| moment.cast_unsigned() ^ (1 << 63)), *direction)
            }
            SegmentKey::Boolean(column, direction) => sort_value(column.values_for_doc(document).map(u64::from), *direction),
            SegmentKey::Distance(points, from, direction) => {
                sort_value(points.points(document).map(|point| order_preserving_bits(meters_between(*from, point))), *direction)
            }
            SegmentKey::Missing => MISSING,
        }
    }
}

/// Returns the sort value of a document: among several values, the first in the direction counts.
fn sort_value(values: impl Iterator<Item = u64>, direction: Direction) -> u64 {
    match direction {
        Direction::Ascending => values.min(),
        Direction::Descending => values.max().map(|value| MISSING - 1 - value),
    }
    .unwrap_or(MISSING)
}

/// Converts a sort value back to an ordinal; `None` if the value is missing.
pub fn to_ordinal(sort_value: u64, direction: Direction) -> Option<u64> {
    match (sort_value, direction) {
        (MISSING, _) => None,
        (value, Direction::Ascending) => Some(value),
        (value, Direction::Descending) => Some(MISSING - 1 - value),
    }
}

/// Converts an ordinal to a sort value.
pub fn from_ordinal(ordinal: u64, direction: Direction) -> u64 {
    sort_value(std::iter::once(ordinal), direction)
}

/// Maps large numbers to integers in the same order, below `MISSING`. There are none around zero.
fn large_bits(whole: i64) -> u64 {
    (whole.cast_unsigned() ^ (1 << 63)) - u64::from(whole > 0)
}

/// Maps floats to integers in the same order, below `MISSING`.
fn order_preserving_bits(number: f64) -> u64 {
    let bits = number.to_bits();
    let ordered = if bits >> 63 == 1 { !bits } else { bits ^ (1 << 63) };
    ordered.min(MISSING - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sort_values_have_the_order_of_the_values_and_missing_is_last() {
        let values: Vec<u64> = [-1e300, -1.0, 0.0, 1e-300, 2.5, 1e300].into_iter().map(order_preserving_bits).collect();
        assert!(values.is_sorted());
        for direction in [Direction::Ascending, Direction::Descending] {
            assert_eq!(sort_value(std::iter::empty(), direction), MISSING);
            assert!(sort_value([order_preserving_bits(f64::MAX), order_preserving_bits(f64::MIN)].into_iter(), direction) < MISSING);
            assert_eq!(to_ordinal(from_ordinal(7, direction), direction), Some(7));
        }
        assert!(sort_value([3, 9].into_iter(), Direction::Descending) < sort_value([8].into_iter(), Direction::Descending));
        assert!(sort_value([3, 9].into_iter(), Direction::Ascending) < sort_value([4].into_iter(), Direction::Ascending));
    }
}
