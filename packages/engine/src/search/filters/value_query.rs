//! Finds the documents with values of a field: some values, or those of a range.

use std::ops::Bound;

use tantivy::Term;
use tantivy::query::{BooleanQuery, EmptyQuery, Query, RangeQuery, TermQuery, TermSetQuery};
use tantivy::schema::{Field, IndexRecordOption};

use super::field_matcher::ValueMatcher;
use crate::numbers::Number;
use crate::search_field::SearchField;

/// Finds the documents with any of the values; none without values. `large` is the column of a number field.
pub fn any_value_query<'a>(field: Field, large: Option<Field>, matchers: impl Iterator<Item = &'a ValueMatcher>) -> Box<dyn Query> {
    let mut terms = Vec::new();
    let mut queries: Vec<Box<dyn Query>> = Vec::new();
    for matcher in matchers {
        match matcher {
            ValueMatcher::Moments(from, to) if from != to => queries.push(Box::new(RangeQuery::new(
                Bound::Included(Term::from_field_i64(field, *from)),
                Bound::Included(Term::from_field_i64(field, *to)),
            ))),
            ValueMatcher::Large(whole) => terms.extend(large.map(|large| Term::from_field_i64(large, *whole))),
            matcher => terms.push(first_term(field, matcher)),
        }
    }
    match terms.len() {
        0 => {}
        // Reads only the blocks of the documents that a search asks for. A set of terms reads all documents first.
        1 => queries.push(Box::new(TermQuery::new(terms.remove(0), IndexRecordOption::Basic))),
        _ => queries.push(Box::new(TermSetQuery::new(terms))),
    }
    match queries.len() {
        0 => Box::new(EmptyQuery),
        1 => queries.remove(0),
        _ => Box::new(BooleanQuery::union(queries)),
    }
}

/// Finds the documents with a value in a range. Returns `None` for a range without ends. With `excludes_to`, the range ends before `to`.
pub fn range_query(
    search_field: &SearchField,
    from: Option<&ValueMatcher>,
    to: Option<&ValueMatcher>,
    excludes_to: bool,
) -> Option<Box<dyn Query>> {
    let field = search_field.field;
    let is_large = |end: Option<&ValueMatcher>| matches!(end, Some(ValueMatcher::Large(_)));
    if let Some(large) = search_field.large.filter(|_| is_large(from) || is_large(to)) {
        let numbers = (from.and_then(ValueMatcher::number), to.and_then(ValueMatcher::number));
        return Some(large_range(field, large, numbers, excludes_to));
    }
    let lower = from.map(|matcher| first_term(field, matcher));
    let upper = to.map(|matcher| match matcher {
        ValueMatcher::Moments(_, last) if !excludes_to => Term::from_field_i64(field, *last),
        matcher => first_term(field, matcher),
    });
    Some(match (lower, upper) {
        (None, None) => return None,
        (Some(lower), Some(upper)) if upper < lower => Box::new(EmptyQuery),
        (lower, upper) => {
            let upper = upper.map_or(Bound::Unbounded, if excludes_to { Bound::Excluded } else { Bound::Included });
            Box::new(RangeQuery::new(lower.map_or(Bound::Unbounded, Bound::Included), upper))
        }
    })
}

/// Finds the documents with a number in a range that begins or ends among the large numbers: of the floats, those that are beyond doubt.
fn large_range(field: Field, large: Field, (from, to): (Option<Number>, Option<Number>), excludes_to: bool) -> Box<dyn Query> {
    let float = |number: f64| Term::from_field_f64(field, number);
    let lower = match from {
        None => Bound::Unbounded,
        Some(Number::Float(number)) => Bound::Included(float(number)),
        Some(number) => Bound::Excluded(float(number.to_float())),
    };
    let upper = match to {
        None => Bound::Unbounded,
        Some(Number::Float(number)) if !excludes_to => Bound::Included(float(number)),
        Some(number) => Bound::Excluded(float(number.to_float())),
    };
    let mut queries: Vec<Box<dyn Query>> = Vec::new();
    if from.zip(to).is_none_or(|(from, to)| from.to_float() < to.to_float()) {
        queries.push(Box::new(RangeQuery::new(lower, upper)));
    }
    // Finds the large numbers in the range. An end that is not a large number lies between the negative and the positive ones, or beyond both.
    let clamp = |number: Number| number.to_float() as i64;
    let first = from.map_or(i64::MIN, |number| number.large().unwrap_or_else(|| clamp(number)));
    let last = to.map(|number| (number.large().unwrap_or_else(|| clamp(number)), excludes_to && number.large().is_some()));
    let (last, is_excluded) = last.unwrap_or((i64::MAX, false));
    if first < last || (first == last && !is_excluded) {
        let last = Term::from_field_i64(large, last);
        let upper = if is_excluded { Bound::Excluded(last) } else { Bound::Included(last) };
        queries.push(Box::new(RangeQuery::new(Bound::Included(Term::from_field_i64(large, first)), upper)));
    }
    match queries.len() {
        0 => Box::new(EmptyQuery),
        1 => queries.remove(0),
        _ => Box::new(BooleanQuery::union(queries)),
    }
}

/// The term of a value, or of the first moment.
fn first_term(field: Field, matcher: &ValueMatcher) -> Term {
    match matcher {
        ValueMatcher::Text(text) => Term::from_field_text(field, text),
        ValueMatcher::Number(bits) => Term::from_field_f64(field, f64::from_bits(*bits)),
        // Only fields without the column of large numbers have no other term.
        ValueMatcher::Large(whole) => Term::from_field_f64(field, Number::Large(*whole).to_float()),
        ValueMatcher::Boolean(truth) => Term::from_field_bool(field, *truth),
        ValueMatcher::Moments(first, _) => Term::from_field_i64(field, *first),
    }
}
