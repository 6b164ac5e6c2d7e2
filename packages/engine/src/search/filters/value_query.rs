//! Finds the documents with values of a field: some values, or those of a range.

use std::ops::Bound;

use tantivy::Term;
use tantivy::query::{BooleanQuery, EmptyQuery, Query, RangeQuery, TermSetQuery};
use tantivy::schema::Field;

use super::field_matcher::ValueMatcher;

/// Finds the documents with any of the values; none without values.
pub fn any_value_query<'a>(field: Field, matchers: impl Iterator<Item = &'a ValueMatcher>) -> Box<dyn Query> {
    let mut terms = Vec::new();
    let mut queries: Vec<Box<dyn Query>> = Vec::new();
    for matcher in matchers {
        match matcher {
            ValueMatcher::Moments(from, to) if from != to => queries.push(Box::new(RangeQuery::new(
                Bound::Included(Term::from_field_i64(field, *from)),
                Bound::Included(Term::from_field_i64(field, *to)),
            ))),
            matcher => terms.push(first_term(field, matcher)),
        }
    }
    if !terms.is_empty() {
        queries.push(Box::new(TermSetQuery::new(terms)));
    }
    match queries.len() {
        0 => Box::new(EmptyQuery),
        1 => queries.remove(0),
        _ => Box::new(BooleanQuery::union(queries)),
    }
}

/// Finds the documents with a value in a range. Returns `None` for a range without ends. With `excludes_to`, the range ends before `to`.
pub fn range_query(field: Field, from: Option<&ValueMatcher>, to: Option<&ValueMatcher>, excludes_to: bool) -> Option<Box<dyn Query>> {
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

/// The term of a value, or of the first moment.
fn first_term(field: Field, matcher: &ValueMatcher) -> Term {
    match matcher {
        ValueMatcher::Text(text) => Term::from_field_text(field, text),
        ValueMatcher::Number(bits) => Term::from_field_f64(field, f64::from_bits(*bits)),
        ValueMatcher::Boolean(truth) => Term::from_field_bool(field, *truth),
        ValueMatcher::Moments(first, _) => Term::from_field_i64(field, *first),
    }
}
