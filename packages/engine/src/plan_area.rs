//! The JSON form of areas in a query plan.

use serde::Deserialize;
#[cfg(test)]
use ts_rs::TS;

#[derive(Debug, Clone, Copy, Deserialize, PartialEq)]
#[cfg_attr(test, derive(TS))]
#[serde(deny_unknown_fields)]
pub struct Point {
    pub lat: f64,
    pub lon: f64,
}

/// A part of the surface of the earth, edges included.
#[derive(Debug, Clone, Deserialize)]
#[cfg_attr(test, derive(TS))]
#[serde(rename_all = "lowercase")]
pub enum Area {
    Box(GeoBox),
    Polygon(Polygon),
}

/// If `west` is greater than `east`, the box crosses the antimeridian.
#[derive(Debug, Clone, Copy, Deserialize)]
#[cfg_attr(test, derive(TS), ts(rename = "Box"))]
#[serde(deny_unknown_fields)]
pub struct GeoBox {
    pub south: f64,
    pub west: f64,
    pub north: f64,
    pub east: f64,
}

/// Each edge is the shorter arc of a great circle, and the last corner is joined to the first. An edge of a half turn between two corners at
/// a pole leads east. A place is inside if an odd number of edges is north of it on its meridian; with `hasNorthPole`, an even number.
#[derive(Debug, Clone, Deserialize)]
#[cfg_attr(test, derive(TS))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Polygon {
    /// Longitudes are at least -180 and less than 180. A corner at a pole stands twice, with the longitudes of its neighbors.
    pub corners: Vec<Point>,
    pub has_north_pole: bool,
}
