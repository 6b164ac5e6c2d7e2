//! Conditions on the same element of a list of objects: finds the documents of which one element satisfies all parts.
//!
//! The ordinary conditions find candidates, whose elements may satisfy the parts together or apart. The columns of elements tell.

use std::collections::HashSet;
use std::sync::Arc;

use tantivy::columnar::{Column, StrColumn, TermOrdHit};
use tantivy::query::{BooleanWeight, EmptyScorer, Explanation, Occur, Scorer, SumCombiner, Weight};
use tantivy::{DocId, DocSet, Score, SegmentReader, TERMINATED};

use crate::element_fields::{element_numbers_column, element_values_column};
use crate::failure::{Failure, Result};
use crate::numbers::{Number, NumberKey, is_large, large_column};
use crate::plan::{Circle, Node};
use crate::schema::IndexSchema;
use crate::search::places::area::AreaTest;
use crate::search::places::distance::GeoPoints;
use crate::search_field::SearchField;
use crate::spec::FieldKind;

use super::field_matcher::{ValueMatcher, field_matcher};

/// The server rejects documents with more than 1,000 elements.
const ELEMENTS_MAX: u64 = 1024;

/// A set of elements of a document.
#[derive(Default, Clone, Copy)]
struct ElementSet([u64; ELEMENTS_MAX as usize / 64]);

impl ElementSet {
    fn add(&mut self, element: u64) {
        if element < ELEMENTS_MAX {
            self.0[element as usize / 64] |= 1 << (element % 64);
        }
    }

    fn is_empty(&self) -> bool {
        self.0.iter().all(|word| *word == 0)
    }

    fn intersect(&mut self, other: &ElementSet) {
        self.0.iter_mut().zip(other.0).for_each(|(word, other)| *word &= other);
    }
}

/// A value in an interval. Equal ends match one value.
struct ValueRange {
    from: Option<ValueMatcher>,
    to: Option<ValueMatcher>,
    excludes_to: bool,
}

enum PlaceTest {
    Circles(Vec<Circle>),
    Area(Box<AreaTest>),
}

/// Which elements satisfy a part.
enum ElementTest {
    Values { column: String, kind: FieldKind, equal: Vec<ValueMatcher>, ranges: Vec<ValueRange> },
    Places { column: String, test: Arc<PlaceTest> },
    Any(Vec<ElementTest>),
    None,
}

impl ElementTest {
    fn new(schema: &IndexSchema, node: &Node) -> Result<ElementTest> {
        let unsupported = || Err(Failure::unsupported("the embedded engine keeps filters, ranges and areas together".to_owned()));
        match node {
            Node::Filter { field, alternatives } => {
                let search_field = element_field(schema, field)?;
                let values = alternatives.iter().flat_map(|alternative| &alternative.values);
                let matchers = values.map(|value| field_matcher(search_field, field, value)).collect::<Result<Vec<_>>>()?;
                Ok(values_test(search_field, matchers.into_iter().flatten().collect(), Vec::new()))
            }
            Node::Range { field, from, to, before } => {
                let search_field = element_field(schema, field)?;
                let excludes_to = to.is_none() && before.is_some();
                let matcher = |value: &Option<_>| value.as_ref().map(|value| field_matcher(search_field, field, value)).transpose();
                Ok(match (matcher(from)?, matcher(if excludes_to { before } else { to })?) {
                    (Some(None), _) | (_, Some(None)) => ElementTest::None,
                    (from, to) => {
                        let range = ValueRange { from: from.flatten(), to: to.flatten(), excludes_to };
                        values_test(search_field, Vec::new(), vec![range])
                    }
                })
            }
            Node::Distance { field, alternatives } => {
                let circles = alternatives.iter().flat_map(|alternative| &alternative.circles).copied().collect();
                Ok(places_test(element_field(schema, field)?, PlaceTest::Circles(circles)))
            }
            Node::Area { field, area } => Ok(places_test(element_field(schema, field)?, PlaceTest::Area(Box::new(AreaTest::new(area))))),
            Node::Any { parts, not: false } => {
                Ok(ElementTest::Any(parts.iter().map(|part| ElementTest::new(schema, part)).collect::<Result<_>>()?))
            }
            Node::Lookup { alternatives } if alternatives.is_empty() => Ok(ElementTest::None),
            _ => unsupported(),
        }
    }

    fn for_segment(&self, reader: &SegmentReader) -> tantivy::Result<SegmentTest> {
        let columns = reader.fast_fields();
        Ok(match self {
            ElementTest::None => SegmentTest::None,
            ElementTest::Any(parts) => SegmentTest::Any(parts.iter().map(|part| part.for_segment(reader)).collect::<tantivy::Result<_>>()?),
            ElementTest::Places { column, test } => {
                let numbers = columns.column_opt(&element_numbers_column(column))?;
                let places = GeoPoints::open(reader, column)?.zip(numbers);
                places.map_or(SegmentTest::None, |(points, numbers)| SegmentTest::Places(points, numbers, Arc::clone(test)))
            }
            ElementTest::Values { column, kind, equal, ranges } => {
                let Some(numbers) = columns.column_opt(&element_numbers_column(column))? else { return Ok(SegmentTest::None) };
                let column = element_values_column(column);
                match kind {
                    FieldKind::Number => {
                        let equal = equal.iter().filter_map(ValueMatcher::number).map(Number::key).collect();
                        let ranges = read_ranges(ranges, |matcher| matcher.number().map(|number| (number, number)));
                        let large = columns.column_opt(&large_column(&column))?;
                        columns.column_opt(&column)?.map(|column| SegmentTest::Numbers { column, large, numbers, equal, ranges })
                    }
                    FieldKind::Date => {
                        let moments = |matcher: &ValueMatcher| match matcher {
                            ValueMatcher::Moments(from, to) => Some((*from, *to)),
                            _ => None,
                        };
                        let mut ranges = read_ranges(ranges, moments);
                        ranges.extend(equal.iter().filter_map(moments).map(|(from, to)| (Some(from), Some((to, false)))));
                        columns.column_opt(&column)?.map(|column| SegmentTest::Moments { column, numbers, ranges })
                    }
                    FieldKind::Boolean => {
                        let equal = equal.iter().filter_map(|matcher| match matcher {
                            ValueMatcher::Boolean(truth) => Some(*truth),
                            _ => None,
                        });
                        let equal: Vec<bool> = equal.collect();
                        columns.column_opt(&column)?.map(|column| SegmentTest::Booleans { column, numbers, equal })
                    }
                    _ => match columns.str(&column)? {
                        None => None,
                        Some(column) => {
                            let (equal, ranges) = (read_ordinals(&column, equal)?, read_ordinal_ranges(&column, ranges)?);
                            Some(SegmentTest::Texts { column, numbers, equal, ranges })
                        }
                    },
                }
                .unwrap_or(SegmentTest::None)
            }
        })
    }
}

fn values_test(search_field: &SearchField, equal: Vec<ValueMatcher>, ranges: Vec<ValueRange>) -> ElementTest {
    ElementTest::Values { column: search_field.column.clone(), kind: search_field.kind.clone(), equal, ranges }
}

fn places_test(search_field: &SearchField, test: PlaceTest) -> ElementTest {
    ElementTest::Places { column: search_field.column.clone(), test: Arc::new(test) }
}

fn element_field<'a>(schema: &'a IndexSchema, name: &str) -> Result<&'a SearchField> {
    let search_field = schema.field(name)?;
    let missing = || Failure::unsupported(format!("the embedded engine does not keep the elements of `{name}` together"));
    search_field.elements.as_ref().map(|_| search_field).ok_or_else(missing)
}

/// The lower end, and the upper end with whether it is excluded.
type Ends<T> = (Option<T>, Option<(T, bool)>);

/// `ends` returns the first and the last value that an end means.
fn read_ranges<T>(ranges: &[ValueRange], ends: impl Fn(&ValueMatcher) -> Option<(T, T)>) -> Vec<Ends<T>> {
    let read = |range: &ValueRange| {
        let from = range.from.as_ref().and_then(&ends).map(|(first, _)| first);
        let to = range.to.as_ref().and_then(&ends);
        (from, to.map(|(first, last)| if range.excludes_to { (first, true) } else { (last, false) }))
    };
    ranges.iter().map(read).collect()
}

fn is_within<T: PartialOrd>(value: T, (from, to): &Ends<T>) -> bool {
    from.as_ref().is_none_or(|from| value >= *from)
        && to.as_ref().is_none_or(|(to, is_excluded)| if *is_excluded { value < *to } else { value <= *to })
}

fn read_ordinals(column: &StrColumn, equal: &[ValueMatcher]) -> tantivy::Result<HashSet<u64>> {
    let mut ordinals = HashSet::new();
    for matcher in equal {
        if let ValueMatcher::Text(text) = matcher {
            ordinals.extend(column.dictionary().term_ord(text.as_bytes())?);
        }
    }
    Ok(ordinals)
}

/// Returns the first ordinal of each range, and the one after its last.
fn read_ordinal_ranges(column: &StrColumn, ranges: &[ValueRange]) -> tantivy::Result<Vec<(u64, u64)>> {
    let mut ordinals = Vec::new();
    for range in ranges {
        let from = match &range.from {
            Some(ValueMatcher::Text(text)) => first_ordinal_from(column, text)?.0,
            _ => 0,
        };
        let end = match &range.to {
            Some(ValueMatcher::Text(text)) => {
                let (ordinal, is_exact) = first_ordinal_from(column, text)?;
                ordinal + u64::from(is_exact && !range.excludes_to)
            }
            _ => u64::MAX,
        };
        ordinals.push((from, end));
    }
    Ok(ordinals)
}

enum SegmentTest {
    None,
    Any(Vec<SegmentTest>),
    Places(GeoPoints, Column<u64>, Arc<PlaceTest>),
    Numbers {
        column: Column<f64>,
        /// The large numbers of documents that have any, with others in the places of their other numbers.
        large: Option<Column<i64>>,
        numbers: Column<u64>,
        equal: HashSet<NumberKey>,
        ranges: Vec<Ends<Number>>,
    },
    Moments {
        column: Column<i64>,
        numbers: Column<u64>,
        ranges: Vec<Ends<i64>>,
    },
    Booleans {
        column: Column<bool>,
        numbers: Column<u64>,
        equal: Vec<bool>,
    },
    Texts {
        column: StrColumn,
        numbers: Column<u64>,
        equal: HashSet<u64>,
        ranges: Vec<(u64, u64)>,
    },
}

impl SegmentTest {
    /// Adds the elements of the document that satisfy the part.
    fn add_elements(&self, document: DocId, elements: &mut ElementSet) {
        fn add<T>(
            numbers: &Column<u64>,
            document: DocId,
            values: impl Iterator<Item = T>,
            elements: &mut ElementSet,
            test: impl Fn(T) -> bool,
        ) {
            for (value, element) in values.zip(numbers.values_for_doc(document)) {
                if test(value) {
                    elements.add(element);
                }
            }
        }
        match self {
            SegmentTest::None => {}
            SegmentTest::Any(parts) => parts.iter().for_each(|part| part.add_elements(document, elements)),
            SegmentTest::Places(points, numbers, test) => {
                add(numbers, document, points.points(document), elements, |point| match &**test {
                    PlaceTest::Circles(circles) => circles.iter().any(|circle| circle.contains(point)),
                    PlaceTest::Area(area) => area.contains(point),
                })
            }
            SegmentTest::Numbers { column, large, numbers, equal, ranges } => {
                let test = |value: Number| equal.contains(&value.key()) || ranges.iter().any(|range| is_within(value, range));
                let mut wholes = large.iter().flat_map(|column| column.values_for_doc(document));
                let values = column.values_for_doc(document).map(|float| {
                    let whole = wholes.next().filter(|_| is_large(float));
                    whole.map_or(Number::Float(float), Number::Large)
                });
                add(numbers, document, values, elements, test);
            }
            SegmentTest::Moments { column, numbers, ranges } => {
                let test = |value: i64| ranges.iter().any(|range| is_within(value, range));
                add(numbers, document, column.values_for_doc(document), elements, test);
            }
            SegmentTest::Booleans { column, numbers, equal } => {
                add(numbers, document, column.values_for_doc(document), elements, |value| equal.contains(&value));
            }
            SegmentTest::Texts { column, numbers, equal, ranges } => {
                let is_in_range = |ordinal| ranges.iter().any(|(from, end)| (*from..*end).contains(&ordinal));
                let test = |ordinal: u64| equal.contains(&ordinal) || is_in_range(ordinal);
                add(numbers, document, column.term_ords(document), elements, test);
            }
        }
    }
}

/// Finds the candidates of which one element satisfies all parts.
pub struct TogetherWeight {
    candidates: Box<dyn Weight>,
    tests: Vec<ElementTest>,
}

impl TogetherWeight {
    /// `candidates` are the documents that satisfy each part in any element.
    pub fn new(schema: &IndexSchema, candidates: Vec<(Occur, Box<dyn Weight>)>, parts: &[Node]) -> Result<TogetherWeight> {
        let candidates = BooleanWeight::with_minimum_number_should_match(candidates, 0, false, Box::new(SumCombiner::default));
        Ok(TogetherWeight {
            candidates: Box::new(candidates),
            tests: parts.iter().map(|part| ElementTest::new(schema, part)).collect::<Result<_>>()?,
        })
    }
}

impl Weight for TogetherWeight {
    fn scorer(&self, reader: &SegmentReader, boost: Score) -> tantivy::Result<Box<dyn Scorer>> {
        let tests: Vec<SegmentTest> = self.tests.iter().map(|test| test.for_segment(reader)).collect::<tantivy::Result<_>>()?;
        if tests.iter().any(|test| matches!(test, SegmentTest::None)) {
            return Ok(Box::new(EmptyScorer));
        }
        let mut scorer = TogetherScorer { candidates: self.candidates.scorer(reader, boost)?, tests };
        scorer.skip_to_match();
        Ok(Box::new(scorer))
    }

    fn explain(&self, _: &SegmentReader, _: DocId) -> tantivy::Result<Explanation> {
        Ok(Explanation::new("has an element that satisfies all parts", 1.0))
    }
}

struct TogetherScorer {
    candidates: Box<dyn Scorer>,
    tests: Vec<SegmentTest>,
}

impl TogetherScorer {
    /// Advances to the next document that matches, unless the current one does.
    fn skip_to_match(&mut self) -> DocId {
        let mut document = self.candidates.doc();
        while document != TERMINATED && !self.matches(document) {
            document = self.candidates.advance();
        }
        document
    }

    fn matches(&self, document: DocId) -> bool {
        let mut common: Option<ElementSet> = None;
        for test in &self.tests {
            let mut elements = ElementSet::default();
            test.add_elements(document, &mut elements);
            if let Some(earlier) = &common {
                elements.intersect(earlier);
            }
            if elements.is_empty() {
                return false;
            }
            common = Some(elements);
        }
        true
    }
}

impl DocSet for TogetherScorer {
    fn advance(&mut self) -> DocId {
        self.candidates.advance();
        self.skip_to_match()
    }

    fn seek(&mut self, target: DocId) -> DocId {
        self.candidates.seek(target);
        self.skip_to_match()
    }

    fn doc(&self) -> DocId {
        self.candidates.doc()
    }

    fn size_hint(&self) -> u32 {
        self.candidates.size_hint()
    }
}

impl Scorer for TogetherScorer {
    fn score(&mut self) -> Score {
        1.0
    }
}

/// Returns the ordinal of a text or of the first one after it, and whether the column has the text.
fn first_ordinal_from(column: &StrColumn, text: &str) -> tantivy::Result<(u64, bool)> {
    Ok(match column.dictionary().term_ord_or_next(text)? {
        TermOrdHit::Exact(ordinal) => (ordinal, true),
        TermOrdHit::Next(ordinal) => (ordinal, false),
    })
}
