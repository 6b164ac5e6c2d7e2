//! Boxes and polygons on the sphere: finds the documents with a place inside.
//!
//! The search first looks up the latitudes and longitudes of the area in the columns of `distance.rs`, and tests only the places there. The
//! edges of a polygon are great circles, so a place is south of an edge on its meridian if it is on the south side of the edge's plane.

use std::ops::Bound;
use std::sync::Arc;

use tantivy::query::{BooleanQuery, EmptyScorer, EnableScoring, Explanation, Query, RangeQuery, Scorer, Weight};
use tantivy::schema::Field;
use tantivy::{DocId, DocSet, Score, Searcher, SegmentReader, TERMINATED, Term};

use crate::plan::{Area, GeoBox, Point, Polygon};

use super::distance::{GeoPoints, MARGIN_DEGREES, plain_longitude};

/// A place this close to an edge is on it: 6 mm, more than the rounding of vectors.
const EDGE_RADIANS: f64 = 1e-9;

type Vector = [f64; 3];

fn vector(point: Point) -> Vector {
    let (up, round) = (point.lat.to_radians(), point.lon.to_radians());
    [up.cos() * round.cos(), up.cos() * round.sin(), up.sin()]
}

fn dot(left: Vector, right: Vector) -> f64 {
    left[0] * right[0] + left[1] * right[1] + left[2] * right[2]
}

fn cross(left: Vector, right: Vector) -> Vector {
    [left[1] * right[2] - left[2] * right[1], left[2] * right[0] - left[0] * right[2], left[0] * right[1] - left[1] * right[0]]
}

/// Whether `lon` is in the range of longitudes, which crosses the antimeridian if `west` is greater than `east`.
fn is_between(lon: f64, west: f64, east: f64) -> bool {
    if west <= east { west <= lon && lon <= east } else { lon >= west || lon <= east }
}

impl GeoBox {
    fn contains(&self, point: Point) -> bool {
        let at_pole = point.lat.abs() == 90.0;
        let lon_is_inside =
            is_between(point.lon, self.west, self.east) || (point.lon.abs() == 180.0 && is_between(-point.lon, self.west, self.east));
        self.south <= point.lat && point.lat <= self.north && (at_pole || lon_is_inside)
    }
}

/// An edge between two meridians.
struct Edge {
    /// The edge spans the longitudes from `west` to `east`, over the antimeridian if `west` is greater.
    west: f64,
    east: f64,
    /// The unit vector at right angles to the plane of the edge, on its north side. `None` for an edge along the north pole.
    north: Option<Vector>,
}

/// An edge along a meridian.
struct MeridianEdge {
    lon: f64,
    south: f64,
    north: f64,
}

/// A polygon, with its edges by longitude.
pub struct PolygonEdges {
    has_north_pole: bool,
    /// Whether a corner is at the south and at the north pole.
    pole_corners: [bool; 2],
    edges: Vec<Edge>,
    meridian_edges: Vec<MeridianEdge>,
    /// The longitudes of the corners, ascending.
    slabs: Vec<f64>,
    /// The edges from each of these longitudes to the next one. The last one reaches over the antimeridian.
    slab_edges: Vec<Vec<usize>>,
    south: f64,
    north: f64,
}

impl PolygonEdges {
    pub fn new(polygon: &Polygon) -> PolygonEdges {
        let corners = &polygon.corners;
        let mut edges = Vec::new();
        let mut meridian_edges = Vec::new();
        let mut slabs: Vec<f64> = corners.iter().map(|corner| corner.lon).collect();
        slabs.sort_by(f64::total_cmp);
        slabs.dedup();
        let (mut south, mut north) = (90.0f64, -90.0f64);
        for (index, &from) in corners.iter().enumerate() {
            let next_corner = corners[(index + 1) % corners.len()];
            south = south.min(from.lat);
            north = north.max(from.lat);
            if from.lon == next_corner.lon {
                meridian_edges.push(MeridianEdge {
                    lon: from.lon,
                    south: from.lat.min(next_corner.lat),
                    north: from.lat.max(next_corner.lat),
                });
                continue;
            }
            // An edge of a half turn is at a pole, and leads east.
            let difference = next_corner.lon - from.lon;
            let leads_east = (0.0 < difference && difference <= 180.0) || difference <= -180.0;
            let (west, east) = if leads_east { (from, next_corner) } else { (next_corner, from) };
            let edge = |normal: Option<Vector>| Edge { west: west.lon, east: east.lon, north: normal };
            if from.lat == -90.0 && next_corner.lat == -90.0 {
                // No place is south of it.
                continue;
            }
            if from.lat == 90.0 && next_corner.lat == 90.0 {
                edges.push(edge(None));
                continue;
            }
            let normal = cross(vector(west), vector(east));
            let length = dot(normal, normal).sqrt();
            let normal = normal.map(|part| part / length);
            edges.push(edge(Some(normal)));
            // The most northern and the most southern place of the great circle, if the edge has them.
            let reach = normal[2].clamp(-1.0, 1.0).acos().to_degrees();
            if is_between((-normal[1]).atan2(-normal[0]).to_degrees(), west.lon, east.lon) {
                north = north.max(reach);
            }
            if is_between(normal[1].atan2(normal[0]).to_degrees(), west.lon, east.lon) {
                south = south.min(-reach);
            }
        }
        let pole_corners = [-90.0, 90.0].map(|pole| corners.iter().any(|corner| corner.lat == pole));
        let mut polygon_edges = PolygonEdges {
            has_north_pole: polygon.has_north_pole,
            pole_corners,
            edges,
            meridian_edges,
            slab_edges: Vec::new(),
            slabs,
            south,
            north,
        };
        polygon_edges.slab_edges = polygon_edges
            .slabs
            .iter()
            .map(|start| (0..polygon_edges.edges.len()).filter(|index| polygon_edges.edges[*index].starts_at(*start)).collect())
            .collect();
        if polygon.has_north_pole {
            polygon_edges.north = 90.0;
        }
        if polygon_edges.contains_south_pole() {
            polygon_edges.south = -90.0;
        }
        polygon_edges
    }

    fn contains_south_pole(&self) -> bool {
        self.pole_corners[0] || (self.slab_edges.last().map_or(0, Vec::len) % 2 == 1) != self.has_north_pole
    }

    fn contains(&self, point: Point) -> bool {
        if point.lat == 90.0 {
            return self.has_north_pole || self.pole_corners[1];
        }
        if point.lat == -90.0 {
            return self.contains_south_pole();
        }
        let lon = plain_longitude(point.lon);
        let place = vector(point);
        let slab = match self.slabs.partition_point(|start| *start <= lon) {
            0 => self.slabs.len() - 1,
            index => index - 1,
        };
        let mut is_inside = self.has_north_pole;
        for &index in &self.slab_edges[slab] {
            let Some(north) = self.edges[index].north else {
                is_inside = !is_inside;
                continue;
            };
            let height = dot(north, place);
            if height.abs() <= EDGE_RADIANS {
                return true;
            }
            is_inside ^= height < 0.0;
        }
        is_inside || (self.slabs[slab] == lon && self.is_on_edge(slab, lon, point.lat, place))
    }

    /// Whether a place on the meridian of a corner is on an edge that ends there, or along that meridian.
    fn is_on_edge(&self, slab: usize, lon: f64, lat: f64, place: Vector) -> bool {
        let western_slab = if slab == 0 { self.slabs.len() - 1 } else { slab - 1 };
        let ends_here = |index: &usize| {
            let edge = &self.edges[*index];
            edge.east == lon && edge.north.is_some_and(|north| dot(north, place).abs() <= EDGE_RADIANS)
        };
        self.slab_edges[western_slab].iter().any(ends_here)
            || self.meridian_edges.iter().any(|edge| edge.lon == lon && edge.south <= lat && lat <= edge.north)
    }
}

impl Edge {
    /// Whether the edge is at the longitude, or starts there.
    fn starts_at(&self, lon: f64) -> bool {
        lon != self.east && is_between(lon, self.west, self.east)
    }
}

/// An area that is ready to test places.
pub enum AreaTest {
    Box(GeoBox),
    Polygon(PolygonEdges),
}

impl AreaTest {
    pub fn new(area: &Area) -> AreaTest {
        match area {
            Area::Box(geo_box) => AreaTest::Box(*geo_box),
            Area::Polygon(polygon) => AreaTest::Polygon(PolygonEdges::new(polygon)),
        }
    }

    pub fn contains(&self, point: Point) -> bool {
        match self {
            AreaTest::Box(geo_box) => geo_box.contains(point),
            AreaTest::Polygon(polygon) => polygon.contains(point),
        }
    }

    /// Returns the range of latitudes and the ranges of longitudes that contain the area; no longitudes for all.
    fn bounds(&self) -> ((f64, f64), Vec<(f64, f64)>) {
        let (south, north, longitudes) = match self {
            AreaTest::Box(GeoBox { south, west, north, east }) => (*south, *north, Some((*west, *east))),
            AreaTest::Polygon(polygon) => (polygon.south, polygon.north, polygon.longitudes()),
        };
        let latitudes = (south - MARGIN_DEGREES, north + MARGIN_DEGREES);
        // At a pole a place may have any longitude, and 180 and -180 are the same.
        let Some((west, east)) = longitudes.filter(|_| latitudes.0 > -90.0 && latitudes.1 < 90.0) else {
            return (latitudes, Vec::new());
        };
        let (from, to) = (west - MARGIN_DEGREES, east + MARGIN_DEGREES);
        if west > east {
            return (latitudes, vec![(-180.0, to), (from, 180.0)]);
        }
        let antimeridian = [-180.0, 180.0].map(|lon| (lon, lon));
        let touches = from <= -180.0 || to >= 180.0;
        (latitudes, [(from, to)].into_iter().chain(antimeridian.into_iter().filter(|_| touches)).collect())
    }
}

impl PolygonEdges {
    /// The longitudes from the east end of the widest gap between the edges to its west end. `None` if there is no gap.
    fn longitudes(&self) -> Option<(f64, f64)> {
        let count = self.slabs.len();
        if self.has_north_pole || self.contains_south_pole() {
            return None;
        }
        let width = |slab: usize| {
            if slab + 1 == count { self.slabs[0] + 360.0 - self.slabs[slab] } else { self.slabs[slab + 1] - self.slabs[slab] }
        };
        let gap =
            (0..count).filter(|slab| self.slab_edges[*slab].is_empty()).max_by(|left, right| width(*left).total_cmp(&width(*right)))?;
        Some((self.slabs[(gap + 1) % count], self.slabs[gap]))
    }
}

/// Finds the documents with a place in the area.
pub struct AreaWeight {
    column: String,
    area: Arc<AreaTest>,
    bounds: Box<dyn Weight>,
}

impl AreaWeight {
    /// `latitude` and `longitude` are the fields of the two columns.
    pub fn new(searcher: &Searcher, column: &str, [latitude, longitude]: [Field; 2], area: &Area) -> tantivy::Result<AreaWeight> {
        let area = AreaTest::new(area);
        let (latitudes, longitudes) = area.bounds();
        let range = |field, (low, high): (f64, f64)| -> Box<dyn Query> {
            Box::new(RangeQuery::new(Bound::Included(Term::from_field_f64(field, low)), Bound::Included(Term::from_field_f64(field, high))))
        };
        let mut queries = vec![range(latitude, latitudes)];
        if !longitudes.is_empty() {
            queries.push(Box::new(BooleanQuery::union(longitudes.into_iter().map(|bounds| range(longitude, bounds)).collect())));
        }
        let bounds = BooleanQuery::intersection(queries).weight(EnableScoring::disabled_from_searcher(searcher))?;
        Ok(AreaWeight { column: column.to_owned(), area: Arc::new(area), bounds })
    }
}

impl Weight for AreaWeight {
    fn scorer(&self, reader: &SegmentReader, boost: Score) -> tantivy::Result<Box<dyn Scorer>> {
        let Some(points) = GeoPoints::open(reader, &self.column)? else { return Ok(Box::new(EmptyScorer)) };
        let mut scorer = AreaScorer { bounds: self.bounds.scorer(reader, boost)?, points, area: Arc::clone(&self.area) };
        scorer.skip_to_area();
        Ok(Box::new(scorer))
    }

    fn explain(&self, _: &SegmentReader, _: DocId) -> tantivy::Result<Explanation> {
        Ok(Explanation::new("in an area", 1.0))
    }
}

struct AreaScorer {
    bounds: Box<dyn Scorer>,
    points: GeoPoints,
    area: Arc<AreaTest>,
}

impl AreaScorer {
    /// Advances to the next document with a place in the area, unless the current one has.
    fn skip_to_area(&mut self) -> DocId {
        let mut document = self.bounds.doc();
        while document != TERMINATED && !self.points.points(document).any(|point| self.area.contains(point)) {
            document = self.bounds.advance();
        }
        document
    }
}

impl DocSet for AreaScorer {
    fn advance(&mut self) -> DocId {
        self.bounds.advance();
        self.skip_to_area()
    }

    fn seek(&mut self, target: DocId) -> DocId {
        self.bounds.seek(target);
        self.skip_to_area()
    }

    fn doc(&self) -> DocId {
        self.bounds.doc()
    }

    fn size_hint(&self) -> u32 {
        self.bounds.size_hint()
    }
}

impl Scorer for AreaScorer {
    fn score(&mut self) -> Score {
        1.0
    }
}
