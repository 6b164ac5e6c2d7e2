//! Geo points: finds the documents with a point in a circle, and measures distances.
//!
//! A geo field has two numeric columns, latitudes and longitudes, in the same order. The search first looks up the bounding boxes of the
//! circles, and measures only the points in a box.

use std::ops::Bound;
use std::sync::Arc;

use tantivy::columnar::Column;
use tantivy::query::{BooleanQuery, EmptyScorer, EnableScoring, Explanation, Query, RangeQuery, Scorer, Weight};
use tantivy::schema::Field;
use tantivy::{DocId, DocSet, Score, Searcher, SegmentReader, TERMINATED, Term};

use crate::failure::{Failure, Result};
use crate::plan::{Circle, Point};
use crate::schema::IndexSchema;
use crate::search_field::{SearchField, longitude_column};

/// The mean radius of the earth (WGS84). Distances are measured on a sphere of this radius.
const RADIUS_METERS: f64 = 6_371_008.8;

/// Margin of bounding boxes, larger than any rounding error.
pub const MARGIN_DEGREES: f64 = 1e-5;

/// Great-circle distance by the haversine formula (R. W. Sinnott, "Virtues of the Haversine", 1984).
pub fn meters_between(from: Point, to: Point) -> f64 {
    let (south, north) = (from.lat.to_radians(), to.lat.to_radians());
    let across = ((north - south) / 2.0).sin();
    let along = ((plain_longitude(to.lon) - plain_longitude(from.lon)).to_radians() / 2.0).sin();
    let haversine = across * across + south.cos() * north.cos() * along * along;
    2.0 * RADIUS_METERS * haversine.sqrt().min(1.0).asin()
}

/// The longitudes 180 and -180 are the same: their distances must not differ by a rounding error.
pub fn plain_longitude(lon: f64) -> f64 {
    if lon == 180.0 { -180.0 } else { lon }
}

/// The points of the documents of a segment.
pub struct GeoPoints {
    latitudes: Column<f64>,
    longitudes: Column<f64>,
}

impl GeoPoints {
    /// Returns `None` if no document of the segment has the field.
    pub fn open(reader: &SegmentReader, column: &str) -> tantivy::Result<Option<GeoPoints>> {
        let columns = reader.fast_fields();
        let (latitudes, longitudes) = (columns.column_opt(column)?, columns.column_opt(&longitude_column(column))?);
        Ok(latitudes.zip(longitudes).map(|(latitudes, longitudes)| GeoPoints { latitudes, longitudes }))
    }

    pub fn points(&self, document: DocId) -> impl Iterator<Item = Point> {
        self.latitudes.values_for_doc(document).zip(self.longitudes.values_for_doc(document)).map(|(lat, lon)| Point { lat, lon })
    }
}

impl Circle {
    /// Whether the point is in the circle or on its edge.
    pub fn contains(&self, point: Point) -> bool {
        meters_between(self.center(), point) <= self.meters
    }

    fn center(&self) -> Point {
        Point { lat: self.lat, lon: self.lon }
    }

    /// Returns the range of latitudes and the one or two ranges of longitudes that contain the circle.
    fn bounds(&self) -> ((f64, f64), Vec<(f64, f64)>) {
        let angle = self.meters / RADIUS_METERS;
        let reach = angle.to_degrees() + MARGIN_DEGREES;
        let latitudes = (self.lat - reach, self.lat + reach);
        if latitudes.0 <= -90.0 || latitudes.1 >= 90.0 {
            // The circle contains a pole, where all meridians meet.
            return (latitudes, vec![(-180.0, 180.0)]);
        }
        let width = (angle.sin() / self.lat.to_radians().cos()).min(1.0).asin().to_degrees() + MARGIN_DEGREES;
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

    fn bounding_box(&self, latitude: Field, longitude: Field) -> Box<dyn Query> {
        let range = |field, (low, high): (f64, f64)| -> Box<dyn Query> {
            Box::new(RangeQuery::new(Bound::Included(Term::from_field_f64(field, low)), Bound::Included(Term::from_field_f64(field, high))))
        };
        let (latitudes, longitudes) = self.bounds();
        let longitudes = longitudes.into_iter().map(|bounds| range(longitude, bounds)).collect();
        Box::new(BooleanQuery::intersection(vec![range(latitude, latitudes), Box::new(BooleanQuery::union(longitudes))]))
    }
}

/// Finds the documents with a point in any of the circles.
pub struct CircleWeight {
    column: String,
    circles: Arc<[Circle]>,
    boxes: Box<dyn Weight>,
}

impl CircleWeight {
    /// `latitude` and `longitude` are the fields of the two columns.
    pub fn new(
        searcher: &Searcher,
        column: &str,
        [latitude, longitude]: [Field; 2],
        circles: Vec<Circle>,
    ) -> tantivy::Result<CircleWeight> {
        let boxes = BooleanQuery::union(circles.iter().map(|circle| circle.bounding_box(latitude, longitude)).collect());
        let boxes = boxes.weight(EnableScoring::disabled_from_searcher(searcher))?;
        Ok(CircleWeight { column: column.to_owned(), circles: circles.into(), boxes })
    }
}

impl Weight for CircleWeight {
    fn scorer(&self, reader: &SegmentReader, boost: Score) -> tantivy::Result<Box<dyn Scorer>> {
        let Some(points) = GeoPoints::open(reader, &self.column)? else { return Ok(Box::new(EmptyScorer)) };
        let mut scorer = CircleScorer { boxes: self.boxes.scorer(reader, boost)?, points, circles: Arc::clone(&self.circles) };
        scorer.skip_to_circle();
        Ok(Box::new(scorer))
    }

    fn explain(&self, _: &SegmentReader, _: DocId) -> tantivy::Result<Explanation> {
        Ok(Explanation::new("in a circle", 1.0))
    }
}

struct CircleScorer {
    boxes: Box<dyn Scorer>,
    points: GeoPoints,
    circles: Arc<[Circle]>,
}

impl CircleScorer {
    /// Advances to the next document in a circle, unless the current one is.
    fn skip_to_circle(&mut self) -> DocId {
        let mut document = self.boxes.doc();
        while document != TERMINATED && !self.points.points(document).any(|point| self.circles.iter().any(|circle| circle.contains(point)))
        {
            document = self.boxes.advance();
        }
        document
    }
}

impl DocSet for CircleScorer {
    fn advance(&mut self) -> DocId {
        self.boxes.advance();
        self.skip_to_circle()
    }

    fn seek(&mut self, target: DocId) -> DocId {
        self.boxes.seek(target);
        self.skip_to_circle()
    }

    fn doc(&self) -> DocId {
        self.boxes.doc()
    }

    fn size_hint(&self) -> u32 {
        self.boxes.size_hint()
    }
}

impl Scorer for CircleScorer {
    fn score(&mut self) -> Score {
        1.0
    }
}

/// Returns the searchable field of places, and its field of longitudes.
pub fn geo_field<'a>(schema: &'a IndexSchema, name: &str) -> Result<(&'a SearchField, Field)> {
    let search_field = schema.field(name)?;
    let kind = search_field.kind.name();
    let missing = || Failure::unsupported(format!("the embedded engine has no places for `{name}`, a {kind} field"));
    search_field.longitude.map(|longitude| (search_field, longitude)).ok_or_else(missing)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(lat: f64, lon: f64) -> Point {
        Point { lat, lon }
    }

    #[test]
    fn distances_are_measured_on_the_sphere() {
        let quarter = RADIUS_METERS * std::f64::consts::FRAC_PI_2;
        for (from, to, meters) in [
            (point(0.0, 0.0), point(0.0, 0.0), 0.0),
            (point(0.0, 0.0), point(90.0, 123.0), quarter),
            (point(0.0, -180.0), point(0.0, 180.0), 0.0),
            (point(0.0, 179.0), point(0.0, -179.0), quarter / 45.0),
            (point(-90.0, 0.0), point(90.0, 0.0), 2.0 * quarter),
        ] {
            assert!((meters_between(from, to) - meters).abs() < 1e-3, "{from:?} {to:?}");
        }
    }

    #[test]
    fn a_bounding_box_contains_its_circle() {
        for lat in [-90.0, -89.99, -60.0, 0.0, 45.5, 89.0, 90.0] {
            for lon in [-180.0, -179.999, -1.0, 0.0, 90.0, 180.0] {
                for meters in [0.0, 1.0, 1e3, 1e5, 5e6, 1.9e7, 3e7] {
                    let circle = Circle { lat, lon, meters };
                    let ((south, north), longitudes) = circle.bounds();
                    for step in 0..2_592 {
                        let global = point(f64::from(step / 72) * 5.0 - 90.0, f64::from(step % 72) * 5.0 - 180.0);
                        // Points all over the globe, and as many close to the center.
                        let nearby = point(
                            (lat + global.lat * meters / 2e7).clamp(-90.0, 90.0),
                            (lon + global.lon * meters / 2e7).clamp(-180.0, 180.0),
                        );
                        for tested in [global, nearby] {
                            let is_in_box = (south..=north).contains(&tested.lat)
                                && longitudes.iter().any(|(west, east)| (*west..=*east).contains(&tested.lon));
                            assert!(is_in_box || !circle.contains(tested), "{circle:?} {tested:?}");
                        }
                    }
                }
            }
        }
    }
}
