//! Places on the sphere: circles, boxes and polygons.

pub mod area;
pub mod distance;
