//! Counts the documents without a value of a field.

use tantivy::Searcher;

use crate::failure::Result;
use crate::search::filters::presence::Presence;
use crate::search::index::cancel_token::CancelToken;
use crate::search::index::match_set::MatchSet;
use crate::search_field::SearchField;

use super::units::{Tally, Units};

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
