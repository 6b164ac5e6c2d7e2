//! Boosts multiply the score of a document: by the highest score among the alternatives of a filter that it has, or by a curve over its
//! values (query-service.md, boost). A document without a value keeps its score.

use tantivy::columnar::{Column, StrColumn};
use tantivy::{DocId, SegmentReader};

use crate::failure::{Failure, Result};
use crate::numbers::NumberColumn;
use crate::plan::{BoostRule, Circle, Node, Point};
use crate::schema::IndexSchema;
use crate::search::filters::field_matcher::{ValueMatcher, field_matcher};
use crate::search::places::distance::{GeoPoints, meters_between};
use crate::spec::FieldKind;

/// Larger numbers would leave the range of scores (`boostNumberMax` in the server's engine.ts).
const NUMBER_MAX: f64 = 1e9;

pub struct Boost {
    column: String,
    /// The highest score comes first. The first alternative that a document has decides.
    alternatives: Alternatives,
}

#[derive(Debug)]
enum Alternatives {
    Values(Vec<(ValueMatcher, f64)>),
    Circles(Vec<(Circle, f64)>),
    Curve(Curve),
}

/// A factor that depends on the most favorable value of the document: the largest number, the latest date, the nearest point.
#[derive(Debug, Clone)]
pub enum Curve {
    /// 1 + log10(1 + number); negative numbers count as 0.
    Log,
    /// 1 + number.
    Linear,
    /// Falls from 2 to 1, half of it in each half-life; dates after `now_ms` have age 0.
    Age { now_ms: f64, half_life_ms: f64 },
    /// Falls from 2 to 1, half of it in each half distance.
    Distance { from: Point, half_meters: f64 },
}

impl Boost {
    pub fn new(schema: &IndexSchema, name: &str, rule: &BoostRule) -> Result<Boost> {
        let search_field = schema.field(name)?;
        let column = &search_field.column;
        Ok(match (rule, &search_field.kind) {
            (BoostRule::Value { values, factor }, _) => {
                let matchers = values.iter().map(|value| field_matcher(search_field, name, value)).collect::<Result<Vec<_>>>()?;
                Boost::from_values(column, matchers.into_iter().flatten().map(|matcher| (matcher, *factor)).collect())
            }
            (BoostRule::Log, FieldKind::Number) => Boost::from_curve(column, Curve::Log),
            (BoostRule::Linear, FieldKind::Number) => Boost::from_curve(column, Curve::Linear),
            (BoostRule::Age { now_ms, half_life_ms }, FieldKind::Date) => {
                Boost::from_curve(column, Curve::Age { now_ms: *now_ms, half_life_ms: *half_life_ms })
            }
            (BoostRule::Distance { lat, lon, half_meters }, FieldKind::Geo) => {
                let from = Point { lat: *lat, lon: *lon };
                Boost::from_curve(column, Curve::Distance { from, half_meters: *half_meters })
            }
            (_, kind) => {
                let kind = kind.name();
                return Err(Failure::unsupported(format!("the embedded engine cannot boost by this rule of `{name}`, a {kind} field")));
            }
        })
    }

    /// The boosts of a match, in an order that does not depend on that of the nodes.
    pub fn from_nodes(schema: &IndexSchema, nodes: &[Node]) -> Result<Vec<Boost>> {
        let mut boosts = Vec::new();
        for node in nodes {
            let Node::Boost { field, rule } = node else {
                return Err(Failure::unsupported("the embedded engine boosts a match by boosts only".to_owned()));
            };
            boosts.push(Boost::new(schema, field, rule)?);
        }
        boosts.sort_by_cached_key(Boost::key);
        Ok(boosts)
    }

    pub fn from_values(column: &str, mut scored: Vec<(ValueMatcher, f64)>) -> Boost {
        scored.sort_by(|(left_matcher, left), (right_matcher, right)| right.total_cmp(left).then_with(|| left_matcher.cmp(right_matcher)));
        Boost { column: column.to_owned(), alternatives: Alternatives::Values(scored) }
    }

    pub fn from_circles(column: &str, mut scored: Vec<(Circle, f64)>) -> Boost {
        let circle_key = |circle: &Circle| format!("{circle:?}");
        scored.sort_by(|(left_circle, left), (right_circle, right)| {
            right.total_cmp(left).then_with(|| circle_key(left_circle).cmp(&circle_key(right_circle)))
        });
        Boost { column: column.to_owned(), alternatives: Alternatives::Circles(scored) }
    }

    pub fn from_curve(column: &str, curve: Curve) -> Boost {
        Boost { column: column.to_owned(), alternatives: Alternatives::Curve(curve) }
    }

    /// Sort key of boosts, so that their order does not depend on the order of the nodes.
    pub fn key(&self) -> String {
        format!("{} {:?}", self.column, self.alternatives)
    }

    pub fn for_segment(&self, reader: &SegmentReader) -> Result<SegmentBoost> {
        let columns = reader.fast_fields();
        let name = &self.column;
        let scored = match &self.alternatives {
            Alternatives::Values(scored) => scored,
            Alternatives::Circles(scored) => {
                let points = GeoPoints::open(reader, name)?;
                return Ok(points.map_or(SegmentBoost::Missing, |points| SegmentBoost::Distance { points, scores: scored.clone() }));
            }
            Alternatives::Curve(curve) => return curve.for_segment(reader, name),
        };
        Ok(match scored.first().map(|(matcher, _)| matcher) {
            Some(ValueMatcher::Text(_)) => match columns.str(name)? {
                Some(column) => SegmentBoost::Text { scores: ordinals(scored, &column)?, column },
                None => SegmentBoost::Missing,
            },
            Some(ValueMatcher::Number(_) | ValueMatcher::Large(_)) => NumberColumn::open(columns, name)?
                .map_or(SegmentBoost::Missing, |column| SegmentBoost::Number { column, scores: scored.clone() }),
            Some(ValueMatcher::Boolean(_)) => {
                column(columns.column_opt(name)?, |column| SegmentBoost::Boolean { column, scores: scored.clone() })
            }
            Some(ValueMatcher::Moments(..)) => {
                column(columns.column_opt(name)?, |column| SegmentBoost::Date { column, scores: scored.clone() })
            }
            None => SegmentBoost::Missing,
        })
    }
}

impl Curve {
    fn for_segment(&self, reader: &SegmentReader, name: &str) -> Result<SegmentBoost> {
        let columns = reader.fast_fields();
        Ok(match *self {
            Curve::Log => column(columns.column_opt(name)?, SegmentBoost::Log),
            Curve::Linear => column(columns.column_opt(name)?, SegmentBoost::Linear),
            Curve::Age { now_ms, half_life_ms } => {
                column(columns.column_opt(name)?, |column| SegmentBoost::Age { column, now_ms, half_life_ms })
            }
            Curve::Distance { from, half_meters } => {
                GeoPoints::open(reader, name)?.map_or(SegmentBoost::Missing, |points| SegmentBoost::Proximity { points, from, half_meters })
            }
        })
    }
}

/// The largest number of a document, from 0 to the maximum.
fn largest(column: &Column<f64>, document: DocId) -> f64 {
    column.values_for_doc(document).fold(0.0, |largest, value| value.min(NUMBER_MAX).max(largest))
}

/// Falls from 2 to 1, half of it each time that `value` grows by `half`; 1 without a value.
fn fading(value: Option<f64>, half: f64) -> f64 {
    value.map_or(1.0, |value| 1.0 + 0.5_f64.powf(value.max(0.0) / half))
}

fn ordinals(scored: &[(ValueMatcher, f64)], column: &StrColumn) -> Result<Vec<(u64, f64)>> {
    let mut scores = Vec::new();
    for (matcher, score) in scored {
        if let ValueMatcher::Text(text) = matcher
            && let Some(ordinal) = column.dictionary().term_ord(text)?
        {
            scores.push((ordinal, *score));
        }
    }
    Ok(scores)
}

fn column<T>(column: Option<Column<T>>, boost: impl FnOnce(Column<T>) -> SegmentBoost) -> SegmentBoost {
    column.map_or(SegmentBoost::Missing, boost)
}

pub enum SegmentBoost {
    Text {
        column: StrColumn,
        scores: Vec<(u64, f64)>,
    },
    Number {
        column: NumberColumn,
        scores: Vec<(ValueMatcher, f64)>,
    },
    Boolean {
        column: Column<bool>,
        scores: Vec<(ValueMatcher, f64)>,
    },
    Date {
        column: Column<i64>,
        scores: Vec<(ValueMatcher, f64)>,
    },
    Distance {
        points: GeoPoints,
        scores: Vec<(Circle, f64)>,
    },
    Log(Column<f64>),
    Linear(Column<f64>),
    Age {
        column: Column<i64>,
        now_ms: f64,
        half_life_ms: f64,
    },
    Proximity {
        points: GeoPoints,
        from: Point,
        half_meters: f64,
    },
    /// No document of the segment has the field.
    Missing,
}

impl SegmentBoost {
    pub fn value(&self, document: DocId) -> f64 {
        match self {
            SegmentBoost::Text { column, scores } => {
                highest(scores, column.ords().values_for_doc(document), |ordinal, value| ordinal == value)
            }
            SegmentBoost::Number { column, scores } => {
                highest(scores, column.values(document), |matcher, value| matcher.number() == Some(*value))
            }
            SegmentBoost::Boolean { column, scores } => highest(
                scores,
                column.values_for_doc(document),
                |matcher, value| matches!(matcher, ValueMatcher::Boolean(truth) if truth == value),
            ),
            SegmentBoost::Date { column, scores } => highest(
                scores,
                column.values_for_doc(document),
                |matcher, value| matches!(matcher, ValueMatcher::Moments(from, to) if (from..=to).contains(&value)),
            ),
            SegmentBoost::Distance { points, scores } => highest(scores, points.points(document), |circle, point| circle.contains(*point)),
            SegmentBoost::Log(column) => 1.0 + (1.0 + largest(column, document)).log10(),
            SegmentBoost::Linear(column) => 1.0 + largest(column, document),
            SegmentBoost::Age { column, now_ms, half_life_ms } => {
                let latest = column.values_for_doc(document).max();
                fading(latest.map(|moment| now_ms - moment as f64 / 1000.0), *half_life_ms)
            }
            SegmentBoost::Proximity { points, from, half_meters } => {
                let nearest = points.points(document).map(|point| meters_between(*from, point)).reduce(f64::min);
                fading(nearest, *half_meters)
            }
            SegmentBoost::Missing => 1.0,
        }
    }
}

fn highest<M, V>(scores: &[(M, f64)], values: impl Iterator<Item = V>, matches: impl Fn(&M, &V) -> bool) -> f64 {
    values.filter_map(|value| scores.iter().position(|(matcher, _)| matches(matcher, &value))).min().map_or(1.0, |first| scores[first].1)
}
