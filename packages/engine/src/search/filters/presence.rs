//! Finds the documents with a value of a field. An empty text is no value.

use tantivy::columnar::{Column, ColumnIndex, StrColumn};
use tantivy::query::{AllScorer, AllWeight, BooleanWeight, EmptyScorer, Explanation, Occur, Scorer, SumCombiner, Weight};
use tantivy::{DocId, DocSet, Score, SegmentReader, TERMINATED};

use crate::search_field::SearchField;
use crate::spec::FieldKind;

/// The documents of a segment that have a value.
pub enum Presence {
    Nowhere,
    Everywhere,
    Index(ColumnIndex),
    /// Some texts of the segment are empty. They have the first ordinal.
    Texts(StrColumn),
}

impl Presence {
    pub fn open(reader: &SegmentReader, kind: &FieldKind, column: &str) -> tantivy::Result<Presence> {
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

    pub fn contains(&self, document: DocId) -> bool {
        match self {
            Presence::Nowhere => false,
            Presence::Everywhere => true,
            Presence::Index(index) => index.has_value(document),
            Presence::Texts(column) => column.term_ords(document).any(|ordinal| ordinal > 0),
        }
    }
}

/// Finds the documents with a value of a field; with `not`, those without.
pub fn presence_weight(search_field: &SearchField, not: bool) -> Box<dyn Weight> {
    let present = PresenceWeight { kind: search_field.kind.clone(), column: search_field.sort_column() };
    if !not {
        return Box::new(present);
    }
    let parts: Vec<(Occur, Box<dyn Weight>)> = vec![(Occur::Must, Box::new(AllWeight)), (Occur::MustNot, Box::new(present))];
    Box::new(BooleanWeight::with_minimum_number_should_match(parts, 0, false, Box::new(SumCombiner::default)))
}

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
