//! What a filter with scores multiplies the score of a document by: the highest score among the alternatives that it has.

use tantivy::columnar::{Column, StrColumn};
use tantivy::{DocId, SegmentReader};

use crate::failure::Result;
use crate::plan::Circle;

use super::distance::Places;

/// What a column holds where a value matches.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Keys {
    Text(String),
    /// Bits of an f64.
    Number(u64),
    Boolean(bool),
    /// Microseconds since 1970, both ends inclusive.
    Moments(i64, i64),
}

pub struct Factor {
    column: String,
    /// The highest first: the first that a document has decides.
    scored: Scored,
}

#[derive(Debug)]
enum Scored {
    Values(Vec<(Keys, f64)>),
    Circles(Vec<(Circle, f64)>),
}

impl Factor {
    pub fn of_values(column: &str, mut scored: Vec<(Keys, f64)>) -> Factor {
        scored.sort_by(|(left_key, left), (right_key, right)| right.total_cmp(left).then_with(|| left_key.cmp(right_key)));
        Factor { column: column.to_owned(), scored: Scored::Values(scored) }
    }

    pub fn of_circles(column: &str, mut scored: Vec<(Circle, f64)>) -> Factor {
        let written = |circle: &Circle| format!("{circle:?}");
        scored.sort_by(|(left_circle, left), (right_circle, right)| {
            right.total_cmp(left).then_with(|| written(left_circle).cmp(&written(right_circle)))
        });
        Factor { column: column.to_owned(), scored: Scored::Circles(scored) }
    }

    /// Orders factors the same way however the plan was written.
    pub fn key(&self) -> String {
        format!("{} {:?}", self.column, self.scored)
    }

    pub fn for_segment(&self, reader: &SegmentReader) -> Result<SegmentFactor> {
        let columns = reader.fast_fields();
        let name = &self.column;
        let scored = match &self.scored {
            Scored::Values(scored) => scored,
            Scored::Circles(scored) => {
                let places = Places::in_segment(reader, name)?;
                return Ok(places.map_or(SegmentFactor::Nothing, |places| SegmentFactor::Place { places, scores: scored.clone() }));
            }
        };
        Ok(match scored.first().map(|(key, _)| key) {
            Some(Keys::Text(_)) => match columns.str(name)? {
                Some(column) => SegmentFactor::Text { scores: ordinals(scored, &column)?, column },
                None => SegmentFactor::Nothing,
            },
            Some(Keys::Number(_)) => column(columns.column_opt(name)?, |column| SegmentFactor::Number { column, scores: scored.clone() }),
            Some(Keys::Boolean(_)) => column(columns.column_opt(name)?, |column| SegmentFactor::Boolean { column, scores: scored.clone() }),
            Some(Keys::Moments(..)) => column(columns.column_opt(name)?, |column| SegmentFactor::Date { column, scores: scored.clone() }),
            None => SegmentFactor::Nothing,
        })
    }
}

fn ordinals(scored: &[(Keys, f64)], column: &StrColumn) -> Result<Vec<(u64, f64)>> {
    let mut scores = Vec::new();
    for (key, score) in scored {
        if let Keys::Text(text) = key
            && let Some(ordinal) = column.dictionary().term_ord(text)?
        {
            scores.push((ordinal, *score));
        }
    }
    Ok(scores)
}

fn column<T>(column: Option<Column<T>>, factor: impl FnOnce(Column<T>) -> SegmentFactor) -> SegmentFactor {
    column.map_or(SegmentFactor::Nothing, factor)
}

pub enum SegmentFactor {
    Text {
        column: StrColumn,
        scores: Vec<(u64, f64)>,
    },
    Number {
        column: Column<f64>,
        scores: Vec<(Keys, f64)>,
    },
    Boolean {
        column: Column<bool>,
        scores: Vec<(Keys, f64)>,
    },
    Date {
        column: Column<i64>,
        scores: Vec<(Keys, f64)>,
    },
    Place {
        places: Places,
        scores: Vec<(Circle, f64)>,
    },
    /// No document of the segment has the field.
    Nothing,
}

impl SegmentFactor {
    pub fn of(&self, document: DocId) -> f64 {
        match self {
            SegmentFactor::Text { column, scores } => {
                highest(scores, column.ords().values_for_doc(document), |ordinal, value| ordinal == value)
            }
            SegmentFactor::Number { column, scores } => {
                highest(scores, column.values_for_doc(document), |key, value| matches!(key, Keys::Number(bits) if *bits == value.to_bits()))
            }
            SegmentFactor::Boolean { column, scores } => {
                highest(scores, column.values_for_doc(document), |key, value| matches!(key, Keys::Boolean(truth) if truth == value))
            }
            SegmentFactor::Date { column, scores } => highest(
                scores,
                column.values_for_doc(document),
                |key, value| matches!(key, Keys::Moments(from, to) if (from..=to).contains(&value)),
            ),
            SegmentFactor::Place { places, scores } => highest(scores, places.of(document), |circle, point| circle.holds(*point)),
            SegmentFactor::Nothing => 1.0,
        }
    }
}

fn highest<K, V>(scores: &[(K, f64)], values: impl Iterator<Item = V>, same: impl Fn(&K, &V) -> bool) -> f64 {
    values.filter_map(|value| scores.iter().position(|(key, _)| same(key, &value))).min().map_or(1.0, |first| scores[first].1)
}
