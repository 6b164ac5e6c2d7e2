//! Counts the values of `collapse` that have a document with a value of a facet, instead of the documents.

use std::collections::{HashMap, HashSet};
use std::hash::Hash;

use tantivy::columnar::Column;
use tantivy::{DocId, Searcher};

use crate::failure::Result;
use crate::numbers::{Number, NumberColumn};
use crate::search::index::cancel_token::CancelToken;
use crate::search::index::match_set::MatchSet;
use crate::search_field::SearchField;
use crate::spec::FieldKind;
use crate::values::date_text;

/// What a facet counts: the unit of each document, by segment.
pub struct Units(Vec<Vec<u32>>);

impl Units {
    /// `units` has a unit for each document of each segment, also for documents that were not found.
    pub fn new(units: Vec<Vec<u32>>) -> Units {
        Units(units)
    }

    pub fn unit(&self, segment: usize, document: DocId) -> u32 {
        self.0.get(segment).and_then(|units| units.get(document as usize)).copied().unwrap_or(u32::MAX)
    }
}

/// A number of documents, or of different units.
#[derive(Default)]
pub struct Tally {
    documents: u64,
    units: HashSet<u32>,
}

impl Tally {
    /// Counts a document, or its unit.
    pub fn add(&mut self, unit: Option<u32>) {
        match unit {
            Some(unit) => drop(self.units.insert(unit)),
            None => self.documents += 1,
        }
    }

    pub fn append(&mut self, other: Tally) {
        self.documents += other.documents;
        self.units.extend(other.units);
    }

    pub fn count(&self) -> u64 {
        self.documents + self.units.len() as u64
    }
}

/// Returns the number of units by value.
pub fn count_values(
    search_field: &SearchField,
    searcher: &Searcher,
    matches: &MatchSet,
    units: &Units,
    cancel_token: &CancelToken,
) -> Result<HashMap<String, u64>> {
    let column = search_field.column.as_str();
    let mut tallies: HashMap<String, Tally> = HashMap::new();
    for (segment, reader) in searcher.segment_readers().iter().enumerate() {
        let columns = reader.fast_fields();
        let counter = Counter { segment, matches, units, cancel_token };
        match search_field.kind {
            FieldKind::Keyword => {
                let Some(column) = columns.str(column)? else { continue };
                let mut counted: Vec<(u64, Tally)> = counter.count(|document| column.term_ords(document))?.into_iter().collect();
                counted.sort_unstable_by_key(|(ordinal, _)| *ordinal);
                let (ordinals, counted): (Vec<u64>, Vec<Tally>) = counted.into_iter().unzip();
                let mut counted = counted.into_iter();
                column.dictionary().sorted_ords_to_term_cb(&ordinals, |text| {
                    tallies.entry(String::from_utf8_lossy(text).into_owned()).or_default().append(counted.next().unwrap_or_default());
                })?;
            }
            FieldKind::Number => {
                let Some(column) = NumberColumn::open(columns, column)? else { continue };
                let counted = counter.count(|document| column.values(document).map(Number::key))?;
                append(&mut tallies, counted, |key| Number::from_key(key).text());
            }
            FieldKind::Boolean => {
                let Some(column): Option<Column<bool>> = columns.column_opt(column)? else { continue };
                append(&mut tallies, counter.count(|document| column.values_for_doc(document))?, |truth| truth.to_string());
            }
            FieldKind::Date => {
                let Some(column): Option<Column<i64>> = columns.column_opt(column)? else { continue };
                append(&mut tallies, counter.count(|document| column.values_for_doc(document))?, date_text);
            }
            FieldKind::Text { .. } | FieldKind::Geo | FieldKind::Vector { .. } => {}
        }
    }
    Ok(tallies.into_iter().map(|(value, tally)| (value, tally.count())).collect())
}

fn append<K>(tallies: &mut HashMap<String, Tally>, counted: HashMap<K, Tally>, text: impl Fn(K) -> String) {
    for (key, tally) in counted {
        tallies.entry(text(key)).or_default().append(tally);
    }
}

struct Counter<'a> {
    segment: usize,
    matches: &'a MatchSet,
    units: &'a Units,
    cancel_token: &'a CancelToken,
}

impl Counter<'_> {
    fn count<K: Eq + Hash, Keys: Iterator<Item = K>>(&self, keys: impl Fn(DocId) -> Keys) -> Result<HashMap<K, Tally>> {
        let mut tallies: HashMap<K, Tally> = HashMap::new();
        self.matches.segment(self.segment).for_each_batch(|batch| {
            for document in batch {
                let unit = self.units.unit(self.segment, *document);
                keys(*document).for_each(|key| tallies.entry(key).or_default().add(Some(unit)));
            }
            self.cancel_token.check()
        })?;
        Ok(tallies)
    }
}
