//! What decides the order of documents before their ids do: each key of a plan's order as a number, the smaller the earlier.

use smallvec::SmallVec;
use tantivy::columnar::{Column, StrColumn};
use tantivy::{DocId, SegmentReader};

use crate::failure::{Failure, Result};
use crate::plan::{Direction, Plan, Point, SortKey};
use crate::schema::IndexSchema;
use crate::spec::FieldKind;

use super::distance::{Places, metres_between};

/// Place of a document by each key. Those of text are ordinals, comparable only within a segment. Few orders have more keys than fit.
pub type Rank = SmallVec<[u64; 3]>;

/// Documents without a value come last whatever the direction.
const MISSING: u64 = u64::MAX;

#[derive(PartialEq)]
pub enum Key {
    Score,
    Field { column: String, kind: FieldKind, direction: Direction },
    Distance { column: String, from: Point, direction: Direction },
}

impl Key {
    pub fn of_plan(schema: &IndexSchema, plan: &Plan) -> Result<Vec<Key>> {
        plan.order.iter().map(|key| Key::new(schema, key)).collect()
    }

    fn new(schema: &IndexSchema, key: &SortKey) -> Result<Key> {
        let (field, from, order) = match key {
            SortKey::Score => return Ok(Key::Score),
            SortKey::Field { field, order } => (field, None, *order),
            SortKey::Distance { field, from, order } => (field, Some(*from), *order),
        };
        let search_field = schema.field(field)?;
        match (from, &search_field.kind) {
            (Some(from), FieldKind::Geo) => Ok(Key::Distance { column: search_field.column.clone(), from, direction: order }),
            (None, kind) if *kind != FieldKind::Geo => {
                Ok(Key::Field { column: search_field.sort_column(), kind: kind.clone(), direction: order })
            }
            (_, kind) => {
                let by = if from.is_some() { "the distance to " } else { "" };
                Err(Failure::unsupported(format!("the embedded engine cannot sort by {by}`{field}`, a {} field", kind.name())))
            }
        }
    }

    /// The column of a key whose ranks are ordinals, with its direction.
    pub fn text(&self) -> Option<(&str, Direction)> {
        match self {
            Key::Field { column, kind: FieldKind::Text { .. } | FieldKind::Keyword, direction } => Some((column, *direction)),
            _ => None,
        }
    }

    pub fn for_segment(&self, reader: &SegmentReader) -> Result<SegmentKey> {
        let (column, kind, direction) = match self {
            Key::Score => return Ok(SegmentKey::Score),
            Key::Field { column, kind, direction } => (column, kind, *direction),
            Key::Distance { column, from, direction } => {
                let places = Places::in_segment(reader, column)?;
                return Ok(places.map_or(SegmentKey::Missing, |places| SegmentKey::Distance(places, *from, *direction)));
            }
        };
        let columns = reader.fast_fields();
        Ok(match kind {
            FieldKind::Text { .. } | FieldKind::Keyword => columns.str(column)?.map(|column| SegmentKey::Text(column, direction)),
            FieldKind::Number => columns.column_opt(column)?.map(|column| SegmentKey::Number(column, direction)),
            FieldKind::Date => columns.column_opt(column)?.map(|column| SegmentKey::Date(column, direction)),
            FieldKind::Boolean => columns.column_opt(column)?.map(|column| SegmentKey::Boolean(column, direction)),
            FieldKind::Geo => None,
        }
        .unwrap_or(SegmentKey::Missing))
    }
}

pub enum SegmentKey {
    Score,
    Text(StrColumn, Direction),
    Number(Column<f64>, Direction),
    Date(Column<i64>, Direction),
    Boolean(Column<bool>, Direction),
    Distance(Places, Point, Direction),
    /// No document of the segment has the field.
    Missing,
}

impl SegmentKey {
    pub fn place(&self, document: DocId, score: f64) -> u64 {
        match self {
            SegmentKey::Score => place(std::iter::once(ordered(score)), Direction::Descending),
            SegmentKey::Text(column, direction) => place(column.term_ords(document), *direction),
            SegmentKey::Number(column, direction) => place(column.values_for_doc(document).map(ordered), *direction),
            SegmentKey::Date(column, direction) => {
                place(column.values_for_doc(document).map(|moment| moment.cast_unsigned() ^ (1 << 63)), *direction)
            }
            SegmentKey::Boolean(column, direction) => place(column.values_for_doc(document).map(u64::from), *direction),
            SegmentKey::Distance(places, from, direction) => {
                place(places.of(document).map(|point| ordered(metres_between(*from, point))), *direction)
            }
            SegmentKey::Missing => MISSING,
        }
    }
}

/// Of several values the one that comes first in the direction counts.
fn place(values: impl Iterator<Item = u64>, direction: Direction) -> u64 {
    match direction {
        Direction::Ascending => values.min(),
        Direction::Descending => values.max().map(|value| MISSING - 1 - value),
    }
    .unwrap_or(MISSING)
}

/// The ordinal behind a place, nothing when the value is missing.
pub fn ordinal(place: u64, direction: Direction) -> Option<u64> {
    match (place, direction) {
        (MISSING, _) => None,
        (place, Direction::Ascending) => Some(place),
        (place, Direction::Descending) => Some(MISSING - 1 - place),
    }
}

/// The place of an ordinal.
pub fn place_of(ordinal: u64, direction: Direction) -> u64 {
    place(std::iter::once(ordinal), direction)
}

/// Numbers in the order of the floats, never the highest.
fn ordered(number: f64) -> u64 {
    let bits = number.to_bits();
    let ordered = if bits >> 63 == 1 { !bits } else { bits ^ (1 << 63) };
    ordered.min(MISSING - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_follow_the_values_and_missing_is_last() {
        let places: Vec<u64> = [-1e300, -1.0, 0.0, 1e-300, 2.5, 1e300].into_iter().map(ordered).collect();
        assert!(places.is_sorted());
        for direction in [Direction::Ascending, Direction::Descending] {
            assert_eq!(place(std::iter::empty(), direction), MISSING);
            assert!(place([ordered(f64::MAX), ordered(f64::MIN)].into_iter(), direction) < MISSING);
            assert_eq!(ordinal(place_of(7, direction), direction), Some(7));
        }
        assert!(place([3, 9].into_iter(), Direction::Descending) < place([8].into_iter(), Direction::Descending));
        assert!(place([3, 9].into_iter(), Direction::Ascending) < place([4].into_iter(), Direction::Ascending));
    }
}
