//! Finds the documents with a value of a field. An empty text is no value.

use tantivy::columnar::{Column, ColumnIndex, StrColumn};
use tantivy::query::{AllScorer, AllWeight, BooleanWeight, EmptyScorer, Explanation, Occur, Scorer, SumCombiner, Weight};
use tantivy::{DocId, DocSet, Score, Searcher, SegmentReader, TERMINATED};

use crate::failure::Result;
use crate::schema::SearchField;
use crate::search::compile::Conditions;
use crate::search::facets::units::{Tally, Units};
use crate::search::index::cancel_token::CancelToken;
use crate::search::index::query_cache::MatchSet;
use crate::spec::FieldKind;

/// The documents of a segment that have a value.
enum Presence {
    Nowhere,
    Everywhere,
    Index(ColumnIndex),
    /// Some texts of the segment are empty. They have the first ordinal.
    Texts(StrColumn),
}

impl Presence {
    fn open(reader: &SegmentReader, kind: &FieldKind, column: &str) -> tantivy::Result<Presence> {
        fn indexed<T>(column: Option<Column<T>>) -> Presence {
            column.map_or(Presence::Nowhere, |column| Presence::from_index(column.index))
        }
        let columns = reader.fast_fields();
        Ok(match kind {
            FieldKind::Text { .. } | FieldKind::Keyword => match columns.str(column)? {
                None => Presence::Nowhere,
                Some(column) => {
                    let mut first = String::new();
                    let has_empty = column.num_terms() > 0 && column.ord_to_str(0, &mut first)? && first.is_empty();
                    if has_empty { Presence::Texts(column) } else { Presence::from_index(column.ords().index.clone()) }
                }
            },
            FieldKind::Number | FieldKind::Geo => indexed(columns.column_opt::<f64>(column)?),
            FieldKind::Date => indexed(columns.column_opt::<i64>(column)?),
            FieldKind::Boolean => indexed(columns.column_opt::<bool>(column)?),
            FieldKind::Vector { .. } => indexed(columns.column_opt::<u64>(column)?),
        })
    }

    fn from_index(index: ColumnIndex) -> Presence {
        match index {
            ColumnIndex::Full => Presence::Everywhere,
            ColumnIndex::Empty { .. } => Presence::Nowhere,
            index => Presence::Index(index),
        }
    }

    fn contains(&self, document: DocId) -> bool {
        match self {
            Presence::Nowhere => false,
            Presence::Everywhere => true,
            Presence::Index(index) => index.has_value(document),
            Presence::Texts(column) => column.term_ords(document).any(|ordinal| ordinal > 0),
        }
    }
}

/// Returns the number of matches without a value of the field, or of their units.
pub fn count_missing(
    search_field: &SearchField,
    searcher: &Searcher,
    matches: &MatchSet,
    units: Option<&Units>,
    cancel_token: &CancelToken,
) -> Result<u64> {
    if let Some(units) = units {
        return count_missing_units(search_field, searcher, matches, units, cancel_token);
    }
    let column = search_field.sort_column();
    let mut missing = 0;
    for (reader, documents) in searcher.segment_readers().iter().zip(matches.segments()) {
        match Presence::open(reader, &search_field.kind, &column)? {
            Presence::Everywhere => {}
            Presence::Nowhere => missing += u64::from(documents.size()),
            presence => documents.for_each_batch(|batch| {
                missing += batch.iter().filter(|document| !presence.contains(**document)).count() as u64;
                cancel_token.check()
            })?,
        }
    }
    Ok(missing)
}

fn count_missing_units(
    search_field: &SearchField,
    searcher: &Searcher,
    matches: &MatchSet,
    units: &Units,
    cancel_token: &CancelToken,
) -> Result<u64> {
    let column = search_field.sort_column();
    let mut missing = Tally::default();
    for (segment, reader) in searcher.segment_readers().iter().enumerate() {
        let presence = Presence::open(reader, &search_field.kind, &column)?;
        matches.segment(segment).for_each_batch(|batch| {
            for document in batch.iter().filter(|document| !presence.contains(**document)) {
                missing.add(Some(units.unit(segment, *document)));
            }
            cancel_token.check()
        })?;
    }
    Ok(missing.count())
}

impl Conditions {
    /// Requires a value of the field, or none.
    pub fn add_presence(&mut self, search_field: &SearchField, not: bool) -> Result<()> {
        let present = PresenceWeight { kind: search_field.kind.clone(), column: search_field.sort_column() };
        let weight: Box<dyn Weight> = if not {
            let parts: Vec<(Occur, Box<dyn Weight>)> = vec![(Occur::Must, Box::new(AllWeight)), (Occur::MustNot, Box::new(present))];
            Box::new(BooleanWeight::with_minimum_number_should_match(parts, 0, false, Box::new(SumCombiner::default)))
        } else {
            Box::new(present)
        };
        self.required.push(weight);
        Ok(())
    }
}

/// Finds the documents with a value of the field.
struct PresenceWeight {
    kind: FieldKind,
    column: String,
}

impl Weight for PresenceWeight {
    fn scorer(&self, reader: &SegmentReader, _: Score) -> tantivy::Result<Box<dyn Scorer>> {
        Ok(match Presence::open(reader, &self.kind, &self.column)? {
            Presence::Nowhere => Box::new(EmptyScorer),
            Presence::Everywhere => Box::new(AllScorer::new(reader.max_doc())),
            presence => {
                let mut scorer = PresenceScorer { presence, document: 0, end: reader.max_doc() };
                scorer.seek(0);
                Box::new(scorer)
            }
        })
    }

    fn explain(&self, _: &SegmentReader, _: DocId) -> tantivy::Result<Explanation> {
        Ok(Explanation::new("has a value", 1.0))
    }
}

struct PresenceScorer {
    presence: Presence,
    document: DocId,
    end: DocId,
}

impl DocSet for PresenceScorer {
    fn advance(&mut self) -> DocId {
        self.seek(self.document + 1)
    }

    fn seek(&mut self, target: DocId) -> DocId {
        self.document = (target..self.end).find(|document| self.presence.contains(*document)).unwrap_or(TERMINATED);
        self.document
    }

    fn doc(&self) -> DocId {
        self.document
    }

    fn size_hint(&self) -> u32 {
        self.end
    }
}

impl Scorer for PresenceScorer {
    fn score(&mut self) -> Score {
        1.0
    }
}
