//! Encodes vectors for the index: one bit of each dimension for a first pass over all vectors, and a byte of each dimension to score the
//! best ones.
//!
//! Vectors are rotated first, at random but always in the same way. A rotation keeps lengths and angles, and spreads the information evenly
//! over the dimensions, so that the signs of two vectors differ in proportion to their angle, whatever model made them (J. Gao and C. Long,
//! "RaBitQ", SIGMOD 2024; M. Charikar, "Similarity Estimation Techniques from Rounding Algorithms", STOC 2002).
//!
//! Vectors of few dimensions are stored whole instead, so that their scores are exact.

use crate::metric::Metric;
use crate::whole_vector;

/// Vectors of fewer dimensions are stored whole. Their signs say too little for a first pass.
pub const ENCODED_DIMENSIONS_MIN: usize = 64;

/// The largest absolute value of a byte of a stored vector.
const BYTE_MAX: f32 = 127.0;

/// The largest absolute value of a number of a query. With it, sums of 4,096 products stay below 2^31.
const QUERY_MAX: f32 = 2_047.0;

/// Each round mixes two halves that overlap, so four rounds mix all dimensions.
const ROUNDS: usize = 4;

/// Encodes the vectors of one field.
#[derive(Clone)]
pub struct VectorCode {
    pub dimensions: usize,
    pub metric: Metric,
    /// 1 or -1 by round and dimension.
    flips: Vec<Vec<f32>>,
}

/// A vector as the index stores it.
#[derive(Debug, PartialEq)]
pub struct EncodedVector {
    /// A bit of each dimension, 1 for positive.
    pub signs: Vec<u64>,
    /// A signed byte of each dimension, eight in each word, the first in the lowest byte; or the bits of two f32 in each word.
    pub numbers: Vec<u64>,
    /// The lengths of the bytes (low half) and of the vector (high half), as bits of f32.
    pub lengths: u64,
}

/// A vector to search for.
pub struct QueryVector {
    pub signs: Vec<u64>,
    pub length: f32,
    numbers: QueryNumbers,
}

enum QueryNumbers {
    /// For vectors that are stored whole.
    Whole(Vec<f32>),
    /// Rotated, scaled to integers, with their length.
    Scaled(Vec<i16>, f32),
}

impl VectorCode {
    pub fn new(dimensions: usize, metric: Metric) -> VectorCode {
        // SplitMix64 (G. Steele and others, OOPSLA 2014). Changing the seed changes the meaning of stored vectors.
        let mut state = dimensions as u64;
        let mut random = || {
            state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
            let mixed = (state ^ (state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
            let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
            mixed ^ (mixed >> 31)
        };
        let flips = (0..ROUNDS).map(|_| (0..dimensions).map(|_| if random() & 1 == 0 { 1.0 } else { -1.0 }).collect()).collect();
        VectorCode { dimensions, metric, flips }
    }

    pub fn sign_words(&self) -> usize {
        self.dimensions.div_ceil(64)
    }

    /// True if vectors are stored as they are, so that scores are exact.
    pub fn is_whole(&self) -> bool {
        self.dimensions < ENCODED_DIMENSIONS_MIN
    }

    /// Number of words of [`EncodedVector::numbers`].
    pub fn number_words(&self) -> usize {
        self.dimensions.div_ceil(if self.is_whole() { 2 } else { 8 })
    }

    /// `vector` has as many numbers as the field has dimensions.
    pub fn encode(&self, mut vector: Vec<f32>) -> EncodedVector {
        if self.is_whole() {
            let lengths = u64::from(whole_vector::length(&vector).to_bits()) << 32;
            return EncodedVector { signs: signs(&vector), numbers: whole_vector::pack(&vector), lengths };
        }
        let length = self.rotate(&mut vector);
        let mut numbers = vec![0; self.number_words()];
        let bytes_length = quantize(&vector, &mut numbers);
        EncodedVector { signs: signs(&vector), numbers, lengths: u64::from(bytes_length.to_bits()) | u64::from(length.to_bits()) << 32 }
    }

    pub fn query(&self, mut vector: Vec<f32>) -> QueryVector {
        if self.is_whole() {
            return QueryVector { signs: signs(&vector), length: whole_vector::length(&vector), numbers: QueryNumbers::Whole(vector) };
        }
        let length = self.rotate(&mut vector);
        let largest = largest(&vector);
        let scale = if largest > 0.0 { QUERY_MAX / largest } else { 0.0 };
        let mut numbers: Vec<i16> = vector.iter().map(|number| (number * scale).round() as i16).collect();
        let numbers_length = numbers.iter().map(|number| f32::from(*number) * f32::from(*number)).sum::<f32>().sqrt();
        // The bytes of a stored vector fill whole words.
        numbers.resize(self.number_words() * 8, 0);
        QueryVector { signs: signs(&vector), length, numbers: QueryNumbers::Scaled(numbers, numbers_length) }
    }

    /// Rotates the vector, scales it to a length of 1, and returns its length before.
    fn rotate(&self, vector: &mut [f32]) -> f32 {
        #[cfg(target_arch = "x86_64")]
        if std::arch::is_x86_feature_detected!("avx2") {
            // SAFETY: this processor has AVX2.
            return unsafe { self.rotate_avx2(vector) };
        }
        self.rotate_plain(vector)
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    fn rotate_avx2(&self, vector: &mut [f32]) -> f32 {
        self.rotate_plain(vector)
    }

    #[inline(always)]
    fn rotate_plain(&self, vector: &mut [f32]) -> f32 {
        // In f64, because squares of large numbers would leave the range of f32.
        let squares = in_lanes(vector, 0.0, |sum, number| sum + f64::from(number) * f64::from(number));
        let length = squares.iter().sum::<f64>().sqrt();
        if length > 0.0 {
            vector.iter_mut().for_each(|number| *number = (f64::from(*number) / length) as f32);
        }
        let window = 1 << self.dimensions.ilog2();
        for (round, flips) in self.flips.iter().enumerate() {
            vector.iter_mut().zip(flips).for_each(|(number, flip)| *number *= flip);
            let start = if round % 2 == 0 { 0 } else { self.dimensions - window };
            hadamard_transform(&mut vector[start..start + window]);
        }
        length.min(f64::from(f32::MAX)) as f32
    }
}

impl QueryVector {
    /// Scores a stored vector by its `numbers` and `lengths`.
    pub fn score(&self, metric: Metric, numbers: &[u64], lengths: u64) -> f32 {
        match &self.numbers {
            QueryNumbers::Whole(query) => metric.score_similarity(&whole_vector::compare(query, numbers)),
            QueryNumbers::Scaled(query, query_length) => {
                let product = query_length * f32::from_bits(lengths as u32);
                let cosine = if product > 0.0 { dot(query, numbers) as f32 / product } else { 0.0 };
                metric.score(cosine, self.length, stored_length(lengths))
            }
        }
    }
}

/// Returns the length of a stored vector.
pub fn stored_length(lengths: u64) -> f32 {
    f32::from_bits((lengths >> 32) as u32)
}

/// Sums the products of numbers and signed bytes, eight of which are in each word.
fn dot(numbers: &[i16], words: &[u64]) -> i32 {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        // SAFETY: this processor has AVX2.
        return unsafe { dot_avx2(numbers, words) };
    }
    dot_plain(numbers, words)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn dot_avx2(numbers: &[i16], words: &[u64]) -> i32 {
    dot_plain(numbers, words)
}

#[inline(always)]
fn dot_plain(numbers: &[i16], words: &[u64]) -> i32 {
    let (numbers, _) = numbers.as_chunks::<8>();
    let mut sums = [0_i32; 8];
    for (numbers, word) in numbers.iter().zip(words) {
        let bytes = word.to_le_bytes();
        for index in 0..8 {
            sums[index] += i32::from(numbers[index]) * i32::from(bytes[index].cast_signed());
        }
    }
    sums.iter().sum()
}

fn signs(vector: &[f32]) -> Vec<u64> {
    vector.chunks(64).map(|chunk| chunk.iter().enumerate().fold(0, |word, (bit, number)| word | u64::from(*number > 0.0) << bit)).collect()
}

#[inline(always)]
fn largest(vector: &[f32]) -> f32 {
    let sizes = in_lanes(vector, 0.0, |largest, number| if number.abs() > largest { number.abs() } else { largest });
    sizes.into_iter().fold(0.0, f32::max)
}

/// Folds the numbers in eight lanes, which processors do at once: the number at index i in lane i modulo 8.
#[inline(always)]
fn in_lanes<T: Copy>(vector: &[f32], start: T, fold: impl Fn(T, f32) -> T) -> [T; 8] {
    let (chunks, rest) = vector.as_chunks::<8>();
    let mut lanes = [start; 8];
    for chunk in chunks {
        for (lane, number) in lanes.iter_mut().zip(chunk) {
            *lane = fold(*lane, *number);
        }
    }
    lanes.iter_mut().zip(rest).for_each(|(lane, number)| *lane = fold(*lane, *number));
    lanes
}

/// Scales the numbers to signed bytes, eight in each word, and returns the length of the bytes.
fn quantize(vector: &[f32], words: &mut [u64]) -> f32 {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        // SAFETY: this processor has AVX2.
        return unsafe { quantize_avx2(vector, words) };
    }
    quantize_plain(vector, words)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn quantize_avx2(vector: &[f32], words: &mut [u64]) -> f32 {
    quantize_plain(vector, words)
}

#[inline(always)]
fn quantize_plain(vector: &[f32], words: &mut [u64]) -> f32 {
    let largest = largest(vector);
    let scale = if largest > 0.0 { BYTE_MAX / largest } else { 0.0 };
    let mut squares = [0_i32; 8];
    for (word, chunk) in words.iter_mut().zip(vector.chunks(8)) {
        let mut numbers = [0.0_f32; 8];
        numbers[..chunk.len()].copy_from_slice(chunk);
        let numbers = numbers.map(|number| (number * scale).round_ties_even() as i32);
        squares.iter_mut().zip(numbers).for_each(|(sum, number)| *sum += number * number);
        *word = u64::from_le_bytes(numbers.map(|number| (number as i8).cast_unsigned()));
    }
    (squares.iter().sum::<i32>() as f32).sqrt()
}

/// The Walsh-Hadamard transform, scaled so that it keeps lengths. `vector` has a power of 2 of numbers.
#[inline(always)]
fn hadamard_transform(vector: &mut [f32]) {
    let mut half = 1;
    if vector.len() >= 8 {
        // The first three levels stay within eight numbers, in loops of a known length.
        for chunk in vector.as_chunks_mut::<8>().0 {
            butterflies::<1>(chunk);
            butterflies::<2>(chunk);
            butterflies::<4>(chunk);
        }
        half = 8;
    }
    while half < vector.len() {
        for block in vector.chunks_exact_mut(2 * half) {
            let (left, right) = block.split_at_mut(half);
            for (first, second) in left.iter_mut().zip(right) {
                (*first, *second) = (*first + *second, *first - *second);
            }
        }
        half *= 2;
    }
    let scale = 1.0 / (vector.len() as f32).sqrt();
    vector.iter_mut().for_each(|number| *number *= scale);
}

/// One level of the transform: sum and difference of numbers at a distance of `HALF`.
#[inline(always)]
fn butterflies<const HALF: usize>(numbers: &mut [f32; 8]) {
    let inputs = *numbers;
    for (index, number) in numbers.iter_mut().enumerate() {
        let is_second = index & HALF != 0;
        *number = if is_second { inputs[index - HALF] - inputs[index] } else { inputs[index] + inputs[index + HALF] };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn random_vector(dimensions: usize, seed: u64) -> Vec<f32> {
        let mut state = seed;
        let mut random = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 40) as f32 / (1 << 24) as f32 - 0.5
        };
        (0..dimensions).map(|_| random()).collect()
    }

    fn exact_cosine(left: &[f32], right: &[f32]) -> f32 {
        let dot = |left: &[f32], right: &[f32]| left.iter().zip(right).map(|(left, right)| left * right).sum::<f32>();
        dot(left, right) / (dot(left, left) * dot(right, right)).sqrt()
    }

    fn cosine(query: &QueryVector, stored: &EncodedVector) -> f32 {
        2.0 * query.score(Metric::Cosine, &stored.numbers, stored.lengths) - 1.0
    }

    #[test]
    fn cosines_of_encoded_vectors_are_close_to_the_exact_ones() {
        for dimensions in [1, 2, 3, 7, 8, 63, 64, 65, 100, 384, 768, 1_536, 4_096] {
            let code = VectorCode::new(dimensions, Metric::Cosine);
            let largest_error = if code.is_whole() { 1e-5 } else { 0.012 };
            for seed in 1..20 {
                let (query, stored) = (random_vector(dimensions, seed), random_vector(dimensions, seed + 1_000));
                let encoded = code.encode(stored.clone());
                let error = cosine(&code.query(query.clone()), &encoded) - exact_cosine(&query, &stored);
                assert!(error.abs() < largest_error, "{dimensions} {seed}");
                let length = stored.iter().map(|number| number * number).sum::<f32>().sqrt();
                assert!((stored_length(encoded.lengths) / length - 1.0).abs() < 1e-5);
            }
        }
    }

    #[test]
    fn signs_differ_in_proportion_to_the_angle() {
        let code = VectorCode::new(384, Metric::Cosine);
        for seed in 1..20 {
            let query = random_vector(384, seed);
            let other = random_vector(384, seed + 500);
            let mixed: Vec<f32> = query.iter().zip(&other).map(|(query, other)| query + other / 2.0).collect();
            let differing: u32 = code
                .encode(query.clone())
                .signs
                .iter()
                .zip(&code.encode(mixed.clone()).signs)
                .map(|(left, right)| (left ^ right).count_ones())
                .sum();
            let angle = exact_cosine(&query, &mixed).acos() / std::f32::consts::PI;
            assert!((differing as f32 / 384.0 - angle).abs() < 0.08, "{differing} {angle}");
        }
    }

    #[test]
    fn scores_rise_with_similarity_and_stay_between_0_and_1() {
        for metric in [Metric::Cosine, Metric::Dot, Metric::Euclidean] {
            for length in [1e-20, 1.0, 1e20] {
                let scores: Vec<f32> = [-1.0, -0.5, 0.0, 0.5, 1.0].map(|cosine| metric.score(cosine, length, length)).into();
                assert!(scores.is_sorted() && scores.iter().all(|score| *score > 0.0 && *score <= 1.0), "{metric:?} {scores:?}");
            }
        }
        assert_eq!(Metric::Cosine.score(1.0, 2.0, 3.0), 1.0);
        assert_eq!(Metric::Euclidean.score(1.0, 3.0, 3.0), 1.0);
    }

    #[test]
    fn a_vector_of_zeros_is_similar_to_nothing() {
        for dimensions in [16, 80] {
            let code = VectorCode::new(dimensions, Metric::Cosine);
            let (zeros, other) = (vec![0.0; dimensions], random_vector(dimensions, 3));
            assert_eq!(cosine(&code.query(other.clone()), &code.encode(zeros.clone())), 0.0);
            assert_eq!(cosine(&code.query(zeros), &code.encode(other)), 0.0);
        }
    }

    #[test]
    fn large_numbers_keep_their_direction() {
        for dimensions in [8, 80] {
            let code = VectorCode::new(dimensions, Metric::Dot);
            assert!(cosine(&code.query(vec![1.0; dimensions]), &code.encode(vec![3e38; dimensions])) > 0.99);
        }
    }
}
