//! Vectors of few dimensions, which the index stores whole: two f32 in each word.

use crate::metric::Similarity;

/// Writes the bits of two numbers into each word, the first into the low half.
pub fn pack(vector: &[f32]) -> Vec<u64> {
    let bits = |number: Option<&f32>| number.map_or(0, |number| u64::from(number.to_bits()));
    vector.chunks(2).map(|pair| bits(pair.first()) | bits(pair.get(1)) << 32).collect()
}

/// Compares a vector with a packed one. Calculates in f64, because squares of large numbers would leave the range of f32.
pub fn compare(query: &[f32], words: &[u64]) -> Similarity {
    let stored = words.iter().flat_map(|word| [f32::from_bits(*word as u32), f32::from_bits((word >> 32) as u32)]);
    let (mut product, mut query_squares, mut squares, mut squared_distance) = (0.0, 0.0, 0.0, 0.0);
    for (query_number, number) in query.iter().zip(stored) {
        let (query_number, number) = (f64::from(*query_number), f64::from(number));
        product += query_number * number;
        query_squares += query_number * query_number;
        squares += number * number;
        squared_distance += (query_number - number) * (query_number - number);
    }
    let lengths = query_squares.sqrt() * squares.sqrt();
    let cosine = if lengths > 0.0 { (product / lengths).clamp(-1.0, 1.0) } else { 0.0 };
    Similarity { cosine, product, squared_distance }
}

/// Returns the length of a vector, at most the largest f32.
pub fn length(vector: &[f32]) -> f32 {
    let squares: f64 = vector.iter().map(|number| f64::from(*number) * f64::from(*number)).sum();
    squares.sqrt().min(f64::from(f32::MAX)) as f32
}
