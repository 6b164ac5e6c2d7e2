//! Places on the globe: which documents have one within a circle, and how far off it is.
//!
//! A geo field is two columns of numbers, latitudes and longitudes, in the same order. Boxes around the circles are looked up in the
//! columns; only what is in a box is measured.

use std::ops::Bound;
use std::sync::Arc;

use tantivy::columnar::Column;
use tantivy::query::{BooleanQuery, EmptyScorer, EnableScoring, Explanation, Query, RangeQuery, Scorer, Weight};
use tantivy::schema::Field;
use tantivy::{DocId, DocSet, Score, Searcher, SegmentReader, TERMINATED, Term};

use crate::plan::{Circle, Point};
use crate::schema::longitude_column;

/// The mean radius of the earth by WGS84, as a sphere has it that distances are measured on.
const RADIUS_METRES: f64 = 6_371_008.8;

/// Boxes are this much larger than their circle: more than rounding can take from them.
const SLACK_DEGREES: f64 = 1e-5;

/// Great-circle distance by the haversine formula (R. W. Sinnott, "Virtues of the Haversine", 1984).
pub fn metres_between(from: Point, to: Point) -> f64 {
    let (south, north) = (from.lat.to_radians(), to.lat.to_radians());
    let across = ((north - south) / 2.0).sin();
    let along = ((to.lon - from.lon).to_radians() / 2.0).sin();
    let haversine = across * across + south.cos() * north.cos() * along * along;
    2.0 * RADIUS_METRES * haversine.sqrt().min(1.0).asin()
}

/// The places of a segment's documents.
pub struct Places {
    latitudes: Column<f64>,
    longitudes: Column<f64>,
}

impl Places {
    /// Nothing when no document of the segment has the field.
    pub fn in_segment(reader: &SegmentReader, column: &str) -> tantivy::Result<Option<Places>> {
        let columns = reader.fast_fields();
        let (latitudes, longitudes) = (columns.column_opt(column)?, columns.column_opt(&longitude_column(column))?);
        Ok(latitudes.zip(longitudes).map(|(latitudes, longitudes)| Places { latitudes, longitudes }))
    }

    pub fn of(&self, document: DocId) -> impl Iterator<Item = Point> {
        self.latitudes.values_for_doc(document).zip(self.longitudes.values_for_doc(document)).map(|(lat, lon)| Point { lat, lon })
    }
}

impl Circle {
    /// The rim belongs to it.
    pub fn holds(&self, point: Point) -> bool {
        metres_between(self.centre(), point) <= self.metres
    }

    fn centre(&self) -> Point {
        Point { lat: self.lat, lon: self.lon }
    }

    /// A range of latitudes, and one or two of longitudes, that it lies within.
    fn bounds(&self) -> ((f64, f64), Vec<(f64, f64)>) {
        let angle = self.metres / RADIUS_METRES;
        let reach = angle.to_degrees() + SLACK_DEGREES;
        let latitudes = (self.lat - reach, self.lat + reach);
        if latitudes.0 <= -90.0 || latitudes.1 >= 90.0 {
            // All meridians meet at a pole.
            return (latitudes, vec![(-180.0, 180.0)]);
        }
        let width = (angle.sin() / self.lat.to_radians().cos()).min(1.0).asin().to_degrees() + SLACK_DEGREES;
        let (west, east) = (self.lon - width, self.lon + width);
        let longitudes = if west < -180.0 {
            vec![(-180.0, east), (west + 360.0, 180.0)]
        } else if east > 180.0 {
            vec![(west, 180.0), (-180.0, east - 360.0)]
        } else {
            vec![(west, east)]
        };
        (latitudes, longitudes)
    }

    fn boxed(&self, latitude: Field, longitude: Field) -> Box<dyn Query> {
        let range = |field, (low, high): (f64, f64)| -> Box<dyn Query> {
            Box::new(RangeQuery::new(Bound::Included(Term::from_field_f64(field, low)), Bound::Included(Term::from_field_f64(field, high))))
        };
        let (latitudes, longitudes) = self.bounds();
        let longitudes = longitudes.into_iter().map(|bounds| range(longitude, bounds)).collect();
        Box::new(BooleanQuery::intersection(vec![range(latitude, latitudes), Box::new(BooleanQuery::union(longitudes))]))
    }
}

/// The documents that have a place within any of the circles.
pub struct Within {
    column: String,
    circles: Arc<[Circle]>,
    boxes: Box<dyn Weight>,
}

impl Within {
    /// `latitude` and `longitude` are the fields of the two columns.
    pub fn new(searcher: &Searcher, column: &str, [latitude, longitude]: [Field; 2], circles: Vec<Circle>) -> tantivy::Result<Within> {
        let boxes = BooleanQuery::union(circles.iter().map(|circle| circle.boxed(latitude, longitude)).collect());
        let boxes = boxes.weight(EnableScoring::disabled_from_searcher(searcher))?;
        Ok(Within { column: column.to_owned(), circles: circles.into(), boxes })
    }
}

impl Weight for Within {
    fn scorer(&self, reader: &SegmentReader, boost: Score) -> tantivy::Result<Box<dyn Scorer>> {
        let Some(places) = Places::in_segment(reader, &self.column)? else { return Ok(Box::new(EmptyScorer)) };
        let mut scorer = WithinScorer { boxes: self.boxes.scorer(reader, boost)?, places, circles: Arc::clone(&self.circles) };
        scorer.settle();
        Ok(Box::new(scorer))
    }

    fn explain(&self, _: &SegmentReader, _: DocId) -> tantivy::Result<Explanation> {
        Ok(Explanation::new("within a circle", 1.0))
    }
}

struct WithinScorer {
    boxes: Box<dyn Scorer>,
    places: Places,
    circles: Arc<[Circle]>,
}

impl WithinScorer {
    /// Goes on to the first document that is in a circle, if it is not on one.
    fn settle(&mut self) -> DocId {
        let mut document = self.boxes.doc();
        while document != TERMINATED && !self.places.of(document).any(|point| self.circles.iter().any(|circle| circle.holds(point))) {
            document = self.boxes.advance();
        }
        document
    }
}

impl DocSet for WithinScorer {
    fn advance(&mut self) -> DocId {
        self.boxes.advance();
        self.settle()
    }

    fn seek(&mut self, target: DocId) -> DocId {
        self.boxes.seek(target);
        self.settle()
    }

    fn doc(&self) -> DocId {
        self.boxes.doc()
    }

    fn size_hint(&self) -> u32 {
        self.boxes.size_hint()
    }
}

impl Scorer for WithinScorer {
    fn score(&mut self) -> Score {
        1.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(lat: f64, lon: f64) -> Point {
        Point { lat, lon }
    }

    #[test]
    fn distances_are_those_of_the_sphere() {
        let quarter = RADIUS_METRES * std::f64::consts::FRAC_PI_2;
        for (from, to, metres) in [
            (point(0.0, 0.0), point(0.0, 0.0), 0.0),
            (point(0.0, 0.0), point(90.0, 123.0), quarter),
            (point(0.0, -180.0), point(0.0, 180.0), 0.0),
            (point(0.0, 179.0), point(0.0, -179.0), quarter / 45.0),
            (point(-90.0, 0.0), point(90.0, 0.0), 2.0 * quarter),
        ] {
            assert!((metres_between(from, to) - metres).abs() < 1e-3, "{from:?} {to:?}");
        }
    }

    #[test]
    fn a_box_holds_its_whole_circle() {
        for lat in [-90.0, -89.99, -60.0, 0.0, 45.5, 89.0, 90.0] {
            for lon in [-180.0, -179.999, -1.0, 0.0, 90.0, 180.0] {
                for metres in [0.0, 1.0, 1e3, 1e5, 5e6, 1.9e7, 3e7] {
                    let circle = Circle { lat, lon, metres };
                    let ((south, north), longitudes) = circle.bounds();
                    for step in 0..2_592 {
                        let other = point(f64::from(step / 72) * 5.0 - 90.0, f64::from(step % 72) * 5.0 - 180.0);
                        // Points all over the globe, and as many close to the centre.
                        let near = point(
                            (lat + other.lat * metres / 2e7).clamp(-90.0, 90.0),
                            (lon + other.lon * metres / 2e7).clamp(-180.0, 180.0),
                        );
                        for place in [other, near] {
                            let boxed = (south..=north).contains(&place.lat)
                                && longitudes.iter().any(|(west, east)| (*west..=*east).contains(&place.lon));
                            assert!(boxed || !circle.holds(place), "{circle:?} {place:?}");
                        }
                    }
                }
            }
        }
    }
}
