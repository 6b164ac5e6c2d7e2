//! Positions in the order of a plan: a page may continue after a position instead of an offset, so that later pages cost no more.
//!
//! A position holds the sort values and the id of a document in a form that does not depend on segments. So it stays valid when segments
//! are merged, and when the document itself is deleted.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use smallvec::SmallVec;
use tantivy::SegmentReader;
use tantivy::columnar::{StrColumn, TermOrdHit};

use crate::failure::{Failure, Result};
use crate::plan::Direction;
use crate::schema::ID_COLUMN;

use super::sort::{Key, SortValues, from_ordinal};

#[derive(Clone, Serialize, Deserialize)]
pub struct Position {
    /// The text of a text key, and the decimal sort value of any other; `None` for a missing text.
    pub values: Vec<Option<String>>,
    pub id: String,
    /// The sort values among large numbers, by column. Whether there are any may change between two pages.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub large: BTreeMap<String, String>,
}

/// A position as it compares with the documents of one segment.
pub struct SegmentPosition {
    values: SmallVec<[Bound; 3]>,
    id: Bound,
}

/// A number in an order of numbers. If it is not exact, the position lies just before it.
struct Bound {
    value: u64,
    is_exact: bool,
}

const MISSING: Bound = Bound { value: u64::MAX, is_exact: true };

impl Position {
    pub fn parse(text: &str) -> Result<Position> {
        serde_json::from_str(text).map_err(|_| Failure::unsupported("the position of the page is malformed"))
    }

    pub fn to_json(&self) -> String {
        serde_json::json!(self).to_string()
    }

    pub fn for_segment(&self, keys: &[Key], reader: &SegmentReader) -> Result<SegmentPosition> {
        if keys.iter().filter(|key| key.large_column().is_none()).count() != self.values.len() {
            return Err(Failure::unsupported("the position of the page belongs to another order"));
        }
        let columns = reader.fast_fields();
        let mut values = self.values.iter();
        let values = keys.iter().map(|key| {
            let value = match key.large_column() {
                Some(column) => self.large.get(column),
                None => values.next().and_then(Option::as_ref),
            };
            (key, value)
        });
        let values = values.map(|(key, value)| match (key.text_column(), value) {
            (_, None) => Ok(MISSING),
            (None, Some(number)) => {
                let value = number.parse().map_err(|_| Failure::unsupported("the position of the page is malformed"))?;
                Ok(Bound { value, is_exact: true })
            }
            (Some((column, direction)), Some(text)) => match columns.str(column)? {
                Some(column) => text_bound(&column, text, direction),
                // All documents of the segment come later, because their texts are missing.
                None => Ok(Bound { value: 0, is_exact: false }),
            },
        });
        let values = values.collect::<Result<_>>()?;
        let ids = columns.str(ID_COLUMN)?.ok_or_else(|| Failure::fault("a segment of the index has no ids"))?;
        Ok(SegmentPosition { values, id: text_bound(&ids, &self.id, Direction::Ascending)? })
    }
}

impl SegmentPosition {
    /// Compares a document with the position: `Equal` if the ids decide.
    pub fn compare(&self, sort_values: &SortValues) -> Ordering {
        for (value, bound) in sort_values.iter().zip(&self.values) {
            match value.cmp(&bound.value) {
                Ordering::Equal if bound.is_exact => {}
                Ordering::Equal => return Ordering::Greater,
                decided => return decided,
            }
        }
        Ordering::Equal
    }

    /// Whether the position comes before the id with this ordinal, among equal sort values.
    pub fn precedes_id(&self, ordinal: u64) -> bool {
        if self.id.is_exact { ordinal > self.id.value } else { ordinal >= self.id.value }
    }
}

/// Finds the place of a text among the ordinals of a column, which may not have it.
fn text_bound(column: &StrColumn, text: &str, direction: Direction) -> Result<Bound> {
    Ok(match (column.dictionary().term_ord_or_next(text)?, direction) {
        (TermOrdHit::Exact(ordinal), _) => Bound { value: from_ordinal(ordinal, direction), is_exact: true },
        (TermOrdHit::Next(next), Direction::Ascending) => Bound { value: next, is_exact: false },
        // Descending, the first ordinal after the position is the one before `next`.
        (TermOrdHit::Next(next), Direction::Descending) => Bound { value: u64::MAX - next, is_exact: false },
    })
}
