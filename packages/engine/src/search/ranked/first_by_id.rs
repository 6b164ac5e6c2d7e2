//! Finds the first documents by id without visiting all documents, for plans that neither score nor sort.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use tantivy::schema::IndexRecordOption;
use tantivy::{DocId, DocSet, TERMINATED};

use crate::failure::Result;
use crate::plan::{Plan, SortKey};
use crate::search::index::context::SearchContext;
use crate::search::matching::conditions::Conditions;
use crate::search::order::position::Position;
use crate::search::order::top_k::TopK;

use super::found::Found;

/// The most documents to find in this way.
const DOCUMENTS_MAX: usize = 1_000;

/// Reading the next id takes as long as visiting this many documents.
const DOCUMENTS_PER_ID: u64 = 8;

/// The score of documents that nothing scored.
const SCORE: f64 = 1.0;

/// Collects the documents that may be on the page. Returns `None` if the plan needs others, or if checking all documents is faster.
pub fn search(context: &SearchContext, plan: &Plan, conditions: &Conditions, top_k: &mut TopK) -> Result<Option<Found>> {
    let visible = context.documents();
    let is_by_id = matches!(plan.order.as_slice(), [] | [SortKey::Score]);
    if !is_by_id || !conditions.accept_all() || visible < context.fast_paths.candidates_min {
        return Ok(None);
    }
    // One more, for plans that continue.
    let limit = plan.offset + plan.count + 1;
    if limit > DOCUMENTS_MAX {
        return Ok(None);
    }
    let position = plan.after.as_deref().filter(|text| !text.is_empty()).map(Position::parse).transpose()?;
    let ids_max = visible / DOCUMENTS_PER_ID;
    let Some(mut documents) = first_documents(context, position.as_ref(), limit, ids_max)? else { return Ok(None) };
    let found = Found { total: documents.len() as u64, best: SCORE };
    documents.sort_unstable();
    for segment_documents in documents.chunk_by(|left, right| left.0 == right.0) {
        let segment = segment_documents[0].0;
        top_k.start_segment(segment, context.searcher.segment_reader(segment as u32))?;
        segment_documents.iter().for_each(|(_, document)| top_k.collect(*document, SCORE));
        top_k.finish_segment();
    }
    Ok(Some(found))
}

/// Returns the first visible documents by id, after a position if there is one, each with its segment. Returns `None` if they are not
/// among the first `ids_max` ids.
fn first_documents(
    context: &SearchContext,
    position: Option<&Position>,
    limit: usize,
    ids_max: u64,
) -> Result<Option<Vec<(usize, DocId)>>> {
    let readers = context.searcher.segment_readers();
    let indexes = readers.iter().map(|reader| Ok(reader.inverted_index(context.schema.id)?)).collect::<Result<Vec<_>>>()?;
    let mut streams = indexes
        .iter()
        .map(|index| {
            let ids = index.terms().range();
            Ok(match position {
                Some(position) => ids.gt(&position.id),
                None => ids,
            }
            .into_stream()?)
        })
        .collect::<Result<Vec<_>>>()?;
    // The next id of each segment, the first one on top.
    let mut next = BinaryHeap::new();
    for (segment, stream) in streams.iter_mut().enumerate() {
        if stream.advance() {
            next.push(Reverse((stream.key().to_vec(), segment)));
        }
    }
    let mut documents = Vec::with_capacity(limit);
    let mut ids = 0;
    while let Some(Reverse((_, segment))) = next.pop() {
        let stream = &mut streams[segment];
        let visible = context.visible_segment(segment, &readers[segment]);
        let mut postings = indexes[segment].read_postings_from_terminfo(stream.value(), IndexRecordOption::Basic)?;
        // Earlier revisions of the document are deleted.
        while postings.doc() != TERMINATED {
            if visible.contains(postings.doc()) {
                documents.push((segment, postings.doc()));
            }
            postings.advance();
        }
        if documents.len() >= limit {
            break;
        }
        ids += 1;
        if ids > ids_max {
            return Ok(None);
        }
        context.cancel_token.check()?;
        if stream.advance() {
            next.push(Reverse((stream.key().to_vec(), segment)));
        }
    }
    Ok(Some(documents))
}
