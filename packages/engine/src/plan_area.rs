//! The JSON form of areas in a query plan (`Area` in the server's area.ts).

use serde::Deserialize;

#[derive(Debug, Clone, Copy, Deserialize, PartialEq)]
pub struct Point {
    pub lat: f64,
    pub lon: f64,
}

/// A part of the surface of the earth, edges included.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Area {
    Box(GeoBox),
    Polygon(Polygon),
}

/// If `west` is greater than `east`, the box crosses the antimeridian.
#[derive(Debug, Clone, Copy, Deserialize)]
pub struct GeoBox {
    pub south: f64,
    pub west: f64,
    pub north: f64,
    pub east: f64,
}

/// Edges are great circles. A place is inside if an odd number of edges is north of it on its meridian; with `has_north_pole`, an even number.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Polygon {
    /// Longitudes are at least -180 and less than 180. A corner at a pole stands twice, with the longitudes of its neighbors.
    pub corners: Vec<Point>,
    pub has_north_pole: bool,
}
