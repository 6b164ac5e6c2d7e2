//! Finds the documents whose vectors are nearest to one, among those that satisfy the rest of the plan.
//!
//! There is no graph: a first pass counts for every vector the signs in which it differs from the query, and a second one scores the best
//! of them by their stored numbers. So filters are exact, nothing is built, and merges and deletions need no care. With few candidates
//! the second pass scores all of them. A graph would pay from about 5 million vectors on.

use std::sync::Arc;

use tantivy::{DocId, Searcher};

use crate::failure::{Failure, Result};
use crate::metric::Metric;
use crate::plan::{Node, WeightedField};
use crate::search::index::cancel_token::CancelToken;
use crate::search::index::context::SearchContext;
use crate::search::index::document_set::DocumentSet;
use crate::search::index::match_set::{MatchSet, ScoreList};
use crate::search::index::vector_columns::{SegmentVectors, VectorTables};
use crate::search_field::VectorField;
use crate::vector_code::QueryVector;

use super::similar;

/// Up to this many vectors are scored without a first pass.
const SCORED_WITHOUT_FIRST_PASS: u64 = 16_384;

/// The first pass leaves this many vectors, or this multiple of the documents asked for.
const CANDIDATES_MIN: usize = 4_000;
const CANDIDATES_FACTOR: usize = 3;

/// Number of vectors scored between two checks of the cancel token.
const CHECK_INTERVAL_VECTORS: usize = 4_096;

/// A nearest node, or a similar node of a vector field.
struct Request<'a> {
    field: &'a str,
    vector: Vec<f32>,
    limit: usize,
    minimum: f64,
}

/// The most documents that are similar to another one by their vectors.
const SIMILAR_MAX: usize = 1_000;

pub fn is_vector(context: &SearchContext, field: &str) -> bool {
    context.schema.vector_field(field).is_ok()
}

impl Request<'_> {
    /// Returns `None` for other nodes. Without a vector, the search finds nothing.
    fn read<'a>(context: &SearchContext, node: &'a Node) -> Result<Option<Request<'a>>> {
        let (field, vector, limit, minimum) = match node {
            Node::Nearest { field, vector, limit, minimum } => (field, vector, limit, minimum),
            Node::Similar { id, fields } => {
                let Some(WeightedField { name, .. }) = fields.iter().find(|field| is_vector(context, &field.name)) else { return Ok(None) };
                let entity = similar::find_visible_entity(context, id)?;
                let vectors = entity.map(|entity| context.schema.vectors(name, &entity)).transpose()?.unwrap_or_default();
                let vector = vectors.into_iter().next().unwrap_or_default();
                return Ok(Some(Request { field: name, vector, limit: SIMILAR_MAX, minimum: 0.0 }));
            }
            _ => return Ok(None),
        };
        let dimensions = context.schema.vector_field(field)?.code.dimensions;
        if vector.len() != dimensions {
            let length = vector.len();
            return Err(Failure::unsupported(format!("the vectors of `{field}` have {dimensions} dimensions, not {length}")));
        }
        Ok(Some(Request { field, vector: vector.clone(), limit: *limit, minimum: *minimum }))
    }
}

/// Returns the nearest documents of each nearest node, and whether their scores count. `find_others` returns the documents that the
/// other nodes find.
pub fn find_all(
    context: &SearchContext,
    nodes: &[&Node],
    unscored: &[&Node],
    find_others: &dyn Fn() -> Result<MatchSet>,
) -> Result<Vec<(ScoreList, bool)>> {
    let mut requests = Vec::new();
    for (node, scores) in nodes.iter().map(|node| (*node, true)).chain(unscored.iter().map(|node| (*node, false))) {
        requests.extend(Request::read(context, node)?.map(|request| (request, scores)));
    }
    if requests.is_empty() {
        return Ok(Vec::new());
    }
    let matches = find_others()?;
    let lists = requests.into_iter().map(|(Request { field, vector, limit, minimum }, scores)| {
        if vector.is_empty() {
            return Ok((Vec::new(), scores));
        }
        let field = context.schema.vector_field(field)?;
        let (searcher, tables, cancel_token) = (context.searcher, context.vectors, context.cancel_token);
        let search = NearestSearch { searcher, tables, cancel_token, field, documents: matches.segments() };
        Ok((search.find(&field.code.query(vector), limit, minimum)?, scores))
    });
    lists.collect()
}

struct NearestSearch<'a> {
    searcher: &'a Searcher,
    tables: &'a VectorTables,
    cancel_token: &'a CancelToken,
    field: &'a VectorField,
    /// The only documents that may be found, by segment.
    documents: &'a [DocumentSet],
}

struct Candidate {
    segment: usize,
    document: DocId,
    score: f32,
}

impl NearestSearch<'_> {
    /// Returns at most `limit` documents with a score of at least `minimum`. A document with several vectors has the score of the nearest.
    fn find(&self, query: &QueryVector, limit: usize, minimum: f64) -> Result<ScoreList> {
        let segments = self.tables.segments(self.searcher, self.field)?;
        self.cancel_token.check()?;
        let allowed: u64 = self.documents.iter().map(|documents| u64::from(documents.size())).sum();
        let needs_first_pass = allowed > SCORED_WITHOUT_FIRST_PASS && !self.field.code.is_whole();
        let vectors = if needs_first_pass { self.first_pass(&segments, query, limit)? } else { self.all_vectors(&segments)? };
        let mut candidates = self.score(&segments, &vectors, query)?;
        candidates.retain(|candidate| f64::from(candidate.score) >= minimum);
        keep_best(&mut candidates, limit);
        let mut list: ScoreList = vec![Vec::new(); segments.len()];
        for Candidate { segment, document, score } in candidates {
            list[segment].push((document, score));
        }
        list.iter_mut().for_each(|documents| documents.sort_unstable_by_key(|(document, _)| *document));
        Ok(list)
    }

    /// Returns the vectors of all allowed documents, by segment.
    fn all_vectors(&self, segments: &[Option<Arc<SegmentVectors>>]) -> Result<Vec<Vec<usize>>> {
        let vectors = segments.iter().zip(self.documents).map(|(segment, documents)| {
            let mut vectors = Vec::new();
            if let Some(segment) = segment {
                documents.for_each_batch(|batch| {
                    batch.iter().for_each(|document| segment.for_each_vector(*document, |vector| vectors.push(vector)));
                    self.cancel_token.check()
                })?;
            }
            Ok(vectors)
        });
        vectors.collect()
    }

    /// Returns the vectors that are likely to be nearest, by segment.
    fn first_pass(&self, segments: &[Option<Arc<SegmentVectors>>], query: &QueryVector, limit: usize) -> Result<Vec<Vec<usize>>> {
        let candidates = CANDIDATES_MIN.max(limit.saturating_mul(CANDIDATES_FACTOR));
        let code = &self.field.code;
        if code.metric != Metric::Cosine {
            return self.first_pass_by_length(segments, query, candidates);
        }
        let mut differences = Vec::with_capacity(segments.len());
        let mut counts = vec![[0_u32; COUNT_LANES]; code.dimensions + 1];
        for (index, (segment, documents)) in segments.iter().zip(self.documents).enumerate() {
            self.cancel_token.check()?;
            let mut segment_differences = Vec::new();
            if let Some(segment) = segment {
                segment.sign_differences(query, &mut segment_differences);
                if documents.size() == self.searcher.segment_reader(index as u32).max_doc() {
                    count_all(&segment_differences, &mut counts);
                } else {
                    for (vector, difference) in segment_differences.iter_mut().enumerate() {
                        if documents.contains(segment.document(vector)) {
                            counts[usize::from(*difference)][0] += 1;
                        } else {
                            *difference = u16::MAX;
                        }
                    }
                }
            }
            differences.push(segment_differences);
        }
        let mut count = 0;
        let differences_max = counts.iter().position(|lanes| {
            count += lanes.iter().map(|vectors| *vectors as usize).sum::<usize>();
            count >= candidates
        });
        let differences_max = differences_max.unwrap_or(code.dimensions) as u16;
        Ok(differences.into_iter().map(|differences| positions_up_to(&differences, differences_max)).collect())
    }

    /// For metrics that depend on the lengths of vectors: estimates the cosine from the signs, and the score from that.
    fn first_pass_by_length(
        &self,
        segments: &[Option<Arc<SegmentVectors>>],
        query: &QueryVector,
        candidates: usize,
    ) -> Result<Vec<Vec<usize>>> {
        let code = &self.field.code;
        let cosine = |difference: usize| (std::f32::consts::PI * difference as f32 / code.dimensions as f32).cos();
        let cosines: Vec<f32> = (0..=code.dimensions).map(cosine).collect();
        let mut estimates: Vec<(f32, usize, usize)> = Vec::new();
        let mut differences = Vec::new();
        for (index, (segment, documents)) in segments.iter().zip(self.documents).enumerate() {
            self.cancel_token.check()?;
            let Some(segment) = segment else { continue };
            segment.sign_differences(query, &mut differences);
            for (vector, difference) in differences.iter().enumerate() {
                if documents.contains(segment.document(vector)) {
                    let length = segment.length(vector).unwrap_or(1.0);
                    estimates.push((code.metric.score(cosines[usize::from(*difference)], query.length, length), index, vector));
                }
            }
        }
        if estimates.len() > candidates {
            estimates.select_nth_unstable_by(candidates, |left, right| right.0.total_cmp(&left.0));
            estimates.truncate(candidates);
        }
        let mut vectors = vec![Vec::new(); segments.len()];
        estimates.into_iter().for_each(|(_, segment, vector)| vectors[segment].push(vector));
        vectors.iter_mut().for_each(|vectors| vectors.sort_unstable());
        Ok(vectors)
    }

    /// Scores vectors by their numbers. `vectors` are ascending in each segment.
    fn score(&self, segments: &[Option<Arc<SegmentVectors>>], vectors: &[Vec<usize>], query: &QueryVector) -> Result<Vec<Candidate>> {
        let mut candidates: Vec<Candidate> = Vec::with_capacity(vectors.iter().map(Vec::len).sum());
        for (segment, (columns, vectors)) in segments.iter().zip(vectors).enumerate() {
            let Some(columns) = columns else { continue };
            for chunk in vectors.chunks(CHECK_INTERVAL_VECTORS) {
                self.cancel_token.check()?;
                columns.score_each(chunk, query, self.field.code.metric, |vector, score| {
                    let document = columns.document(vector);
                    match candidates.last_mut() {
                        Some(last) if last.segment == segment && last.document == document => last.score = last.score.max(score),
                        _ => candidates.push(Candidate { segment, document, score }),
                    }
                });
            }
        }
        Ok(candidates)
    }
}

/// Neighbours often have the same value. In lanes of their own, a processor need not wait for the count before.
const COUNT_LANES: usize = 4;

/// Counts how often each value occurs.
fn count_all(values: &[u16], counts: &mut [[u32; COUNT_LANES]]) {
    let (chunks, rest) = values.as_chunks::<COUNT_LANES>();
    for chunk in chunks {
        for (lane, value) in chunk.iter().enumerate() {
            counts[usize::from(*value)][lane] += 1;
        }
    }
    rest.iter().for_each(|value| counts[usize::from(*value)][0] += 1);
}

/// Returns where the values are that are at most `largest`: few of them.
fn positions_up_to(values: &[u16], largest: u16) -> Vec<usize> {
    const CHUNK: usize = 32;
    let mut positions = Vec::new();
    for (chunk, start) in values.chunks(CHUNK).zip((0..).step_by(CHUNK)) {
        // Compares a whole chunk at once.
        if chunk.iter().fold(false, |is_any, value| is_any | (*value <= largest)) {
            let near = chunk.iter().enumerate().filter(|(_, value)| **value <= largest);
            positions.extend(near.map(|(index, _)| start + index));
        }
    }
    positions
}

/// Keeps the `limit` candidates with the highest scores.
fn keep_best(candidates: &mut Vec<Candidate>, limit: usize) {
    if candidates.len() <= limit {
        return;
    }
    let by_rank = |left: &Candidate, right: &Candidate| {
        right.score.total_cmp(&left.score).then_with(|| (left.segment, left.document).cmp(&(right.segment, right.document)))
    };
    candidates.select_nth_unstable_by(limit, by_rank);
    candidates.truncate(limit);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_and_positions_cover_every_value() {
        for length in [0, 1, 3, 4, 31, 32, 33, 1_000] {
            let values: Vec<u16> = (0..length).map(|index: u16| index.wrapping_mul(7) % 50).collect();
            let mut counts = vec![[0; COUNT_LANES]; 50];
            count_all(&values, &mut counts);
            for largest in [0, 10, 49] {
                let expected: Vec<usize> =
                    values.iter().enumerate().filter(|(_, value)| **value <= largest).map(|(index, _)| index).collect();
                assert_eq!(positions_up_to(&values, largest), expected);
                assert_eq!(counts[..=usize::from(largest)].iter().flatten().sum::<u32>() as usize, expected.len());
            }
        }
    }
}
