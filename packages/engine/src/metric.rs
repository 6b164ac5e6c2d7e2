//! The metrics of vector fields.

use serde::Deserialize;

/// Maps the similarity of two vectors to a score in (0, 1].
#[derive(Debug, Clone, Copy, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum Metric {
    /// (1 + cosine) / 2.
    #[default]
    Cosine,
    /// Rises with the inner product p: 1 - 1 / (2 + 2p) from 0.5 on, 1 / (2 - 2p) below.
    Dot,
    /// 1 / (1 + d²) of the distance d.
    Euclidean,
}

impl Metric {
    /// Maps the cosine of two vectors and their lengths to a score.
    pub fn score(self, cosine: f32, query_length: f32, length: f32) -> f32 {
        let (cosine, query_length, length) = (f64::from(cosine.clamp(-1.0, 1.0)), f64::from(query_length), f64::from(length));
        let product = cosine * query_length * length;
        let squared_distance = (query_length * query_length + length * length - 2.0 * product).max(0.0);
        self.score_similarity(&Similarity { cosine, product, squared_distance })
    }

    /// Maps a similarity to a score.
    pub fn score_similarity(self, &Similarity { cosine, product, squared_distance }: &Similarity) -> f32 {
        let score = match self {
            Metric::Cosine => (1.0 + cosine) / 2.0,
            Metric::Dot if product >= 0.0 => 1.0 - 1.0 / (2.0 + 2.0 * product),
            Metric::Dot => 1.0 / (2.0 - 2.0 * product),
            Metric::Euclidean => 1.0 / (1.0 + squared_distance),
        };
        (score as f32).clamp(f32::MIN_POSITIVE, 1.0)
    }
}

/// How similar two vectors are.
pub struct Similarity {
    /// 0 if a vector has no direction.
    pub cosine: f64,
    /// The inner product.
    pub product: f64,
    pub squared_distance: f64,
}
