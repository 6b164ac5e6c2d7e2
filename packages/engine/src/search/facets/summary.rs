//! The smallest and the largest value of the documents found, with their sum and average. The sum is exact, so the order of documents and
//! the engine make no difference.

use serde::Serialize;
use serde_json::{Value, json};
use tantivy::Searcher;
use tantivy::columnar::Column;

use crate::failure::{Failure, Result};
use crate::numbers::{Number, is_large, large_column};
use crate::search::index::cancel_token::CancelToken;
use crate::search::index::match_set::MatchSet;
use crate::search_field::SearchField;
use crate::spec::FieldKind;
use crate::values::date_text;

/// Numbers, or dates and large numbers as texts. Dates have no sum.
#[derive(Serialize, Default)]
pub struct FacetSummary {
    min: Option<Value>,
    max: Option<Value>,
    sum: Option<f64>,
    average: Option<Value>,
    count: u64,
}

pub fn summarize(
    search_field: &SearchField,
    name: &str,
    searcher: &Searcher,
    matches: &MatchSet,
    cancel_token: &CancelToken,
) -> Result<FacetSummary> {
    let column = &search_field.column;
    match search_field.kind {
        FieldKind::Number => {
            let (mut min, mut max, mut sum, mut count) = (f64::INFINITY, f64::NEG_INFINITY, ExactSum::default(), 0);
            let mut has_large = false;
            for_each_value(column, searcher, matches, cancel_token, |value: f64| {
                (min, max, has_large) = (min.min(value), max.max(value), has_large || is_large(value));
                if !is_large(value) {
                    count += 1;
                    sum.add(value);
                }
            })?;
            let (mut large_min, mut large_max) = (i64::MAX, i64::MIN);
            if has_large {
                for_each_value(&large_column(column), searcher, matches, cancel_token, |value: i64| {
                    (large_min, large_max, count) = (large_min.min(value), large_max.max(value), count + 1);
                    sum.add_whole(value);
                })?;
            }
            let end = |float: f64, large: i64| if is_large(float) { Number::Large(large) } else { Number::Float(float) };
            let (min, max) = (end(min, large_min), end(max, large_max));
            let sum = Some(sum.total()).filter(|sum| sum.is_finite());
            if count == 0 {
                return Ok(FacetSummary { sum, ..FacetSummary::default() });
            }
            let average = sum.map(|sum| json!(sum / count as f64));
            Ok(FacetSummary { min: Some(number_json(min)), max: Some(number_json(max)), sum, average, count })
        }
        FieldKind::Date => {
            let (mut min, mut max, mut sum, mut count) = (i64::MAX, i64::MIN, 0_i128, 0);
            for_each_value(column, searcher, matches, cancel_token, |value: i64| {
                (min, max, sum, count) = (min.min(value), max.max(value), sum + i128::from(value), count + 1);
            })?;
            if count == 0 {
                return Ok(FacetSummary::default());
            }
            let text = |moment| Some(json!(date_text(moment)));
            let average = sum.div_euclid(i128::from(count)) as i64;
            Ok(FacetSummary { min: text(min), max: text(max), sum: None, average: text(average), count })
        }
        _ => {
            let kind = search_field.kind.name();
            Err(Failure::unsupported(format!("the embedded engine has no statistics of `{name}`, a {kind} field")))
        }
    }
}

/// A large number is a text, because JavaScript would round it.
fn number_json(number: Number) -> Value {
    match number {
        Number::Float(float) => json!(float),
        Number::Large(whole) => json!(whole.to_string()),
    }
}

/// The values of a document are different.
fn for_each_value<T>(
    column: &str,
    searcher: &Searcher,
    matches: &MatchSet,
    cancel_token: &CancelToken,
    mut visit: impl FnMut(T),
) -> Result<()>
where
    T: Copy + PartialOrd + std::fmt::Debug + Send + Sync + 'static + tantivy::columnar::HasAssociatedColumnType,
    tantivy::columnar::DynamicColumn: Into<Option<Column<T>>>,
{
    for (reader, documents) in searcher.segment_readers().iter().zip(matches.segments()) {
        let column: Option<Column<T>> = reader.fast_fields().column_opt(column)?;
        let Some(column) = column else { continue };
        documents.for_each_batch(|batch| {
            batch.iter().for_each(|document| column.values_for_doc(*document).for_each(&mut visit));
            cancel_token.check()
        })?;
    }
    Ok(())
}

/// Adds numbers of up to six decimals as decimals, so that 0.1 and 0.2 are 0.3. All others are added without rounding, too
/// (J. R. Shewchuk, "Adaptive Precision Floating-Point Arithmetic", 1997), and the sum is rounded once.
#[derive(Default)]
struct ExactSum {
    millionths: i128,
    /// Numbers of different sizes that do not overlap, the smallest first.
    partials: Vec<f64>,
}

/// Below it, numbers have every whole number.
const WHOLE_MAX: f64 = 9_007_199_254_740_992.0;

/// Below it, whole numbers have 64 bits.
const WHOLE_END: f64 = 9_223_372_036_854_775_808.0;

impl ExactSum {
    fn add(&mut self, value: f64) {
        let millionths = (value * 1e6).round();
        if millionths.abs() < WHOLE_MAX && millionths / 1e6 == value {
            self.millionths += millionths as i128;
        } else if value.fract() == 0.0 && value.abs() < WHOLE_END {
            self.add_whole(value as i64);
        } else {
            add_exactly(&mut self.partials, value);
        }
    }

    fn add_whole(&mut self, whole: i64) {
        self.millionths += i128::from(whole) * 1_000_000;
    }

    fn total(mut self) -> f64 {
        if self.partials.is_empty() {
            let sign = if self.millionths < 0 { "-" } else { "" };
            let size = self.millionths.unsigned_abs();
            let decimal = format!("{sign}{}.{:06}", size / 1_000_000, size % 1_000_000).parse().unwrap_or(f64::NAN);
            return if decimal == 0.0 { 0.0 } else { decimal };
        }
        let whole = self.millionths / 1_000_000;
        let near = whole as f64;
        for part in [near, (whole - near as i128) as f64, (self.millionths % 1_000_000) as f64 / 1e6] {
            add_exactly(&mut self.partials, part);
        }
        round(&self.partials)
    }
}

fn add_exactly(partials: &mut Vec<f64>, value: f64) {
    let mut rest = value;
    let mut kept_count = 0;
    for index in 0..partials.len() {
        let (large, small) = if rest.abs() < partials[index].abs() { (partials[index], rest) } else { (rest, partials[index]) };
        let sum = large + small;
        let error = small - (sum - large);
        if error != 0.0 {
            partials[kept_count] = error;
            kept_count += 1;
        }
        rest = sum;
    }
    partials.truncate(kept_count);
    partials.push(rest);
}

/// Returns the number that is nearest to the sum of the partials; of two, the even one.
fn round(partials: &[f64]) -> f64 {
    let mut partials = partials.iter().rev().copied();
    let mut sum = partials.next().unwrap_or(0.0);
    while let Some(partial) = partials.next() {
        let previous_sum = sum;
        sum = previous_sum + partial;
        let error = partial - (sum - previous_sum);
        if error != 0.0 {
            // The sum was rounded to even from halfway, but the next partial is on the other side.
            if partials.next().is_some_and(|next| (error < 0.0) == (next < 0.0)) {
                let doubled = error * 2.0;
                let candidate = sum + doubled;
                if candidate - sum == doubled {
                    return candidate;
                }
            }
            return sum;
        }
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_exact_in_any_order() {
        let total = |values: &[f64]| {
            let mut sum = ExactSum::default();
            values.iter().for_each(|value| sum.add(*value));
            sum.total()
        };
        assert_eq!(total(&[]), 0.0);
        assert_eq!(total(&[0.1, 0.2]), 0.3);
        assert_eq!(total(&[19.99; 3]), 59.97);
        assert_eq!(total(&[-1.5, 0.25, -0.25]), -1.5);
        assert_eq!(total(&[1e100, 1.0, -1e100]), 1.0);
        assert_eq!(total(&[1e300, 1e-300, -1e300]), 1e-300);
        assert_eq!(total(&[9_007_199_254_740_991.0, 9_007_199_254_740_991.0, 1e-300]), 18_014_398_509_481_982.0);
        assert_eq!(total(&[1.0 / 3.0, 1e20, -1e20]), 1.0 / 3.0);
    }
}
