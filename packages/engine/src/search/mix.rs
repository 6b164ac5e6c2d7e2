//! A mix: documents that any of its parts finds, among those that satisfy all else that the plan asks for.
//!
//! By rank (reciprocal rank fusion, Cormack and others 2009): the sum over the parts of weight / (60 + rank), where the rank is 1 more
//! than the number of documents with a higher score in that part; so equal scores share a rank. By score: the sum of
//! weight × score / best score of the part. Ranks and best scores are those among the documents that satisfy the whole plan: what a row
//! filter hides leaves no trace in them, and the order of filters makes no difference.

use tantivy::DocId;

use crate::failure::Result;
use crate::plan::{MixBy, Node, Part};

use super::Ground;
use super::condition::Conditions;
use super::segment::SegmentSearch;

/// The usual constant of reciprocal rank fusion.
const RANK_OFFSET: f64 = 60.0;

/// Of each segment the documents and their scores, in order of document.
pub type Listed = Vec<Vec<(DocId, f32)>>;

type PartFound = Vec<Vec<(DocId, f64)>>;

pub struct Mix<'a> {
    pub parts: &'a [Part],
    pub by: MixBy,
}

/// The documents of each mix: those that all of them and the `frame` find. Their texts are added to `conditions.wanted`.
pub fn listed(ground: &Ground, mixes: &[Mix], frame: &[&Node], conditions: &mut Conditions) -> Result<Vec<Listed>> {
    let mut found: Vec<Vec<PartFound>> = Vec::with_capacity(mixes.len());
    for mix in mixes {
        let parts = mix.parts.iter().map(|part| {
            let mut of_part = Conditions::new(ground, &[&part.node], frame)?;
            conditions.wanted.append(&mut of_part.wanted);
            let segments = ground.searcher.segment_readers().iter().enumerate();
            segments
                .map(|(segment, reader)| {
                    let mut documents = Vec::new();
                    SegmentSearch::new(&of_part, segment, reader, true)?
                        .run(ground.clock, &mut |document, score| documents.push((document, score)))?;
                    Ok(documents)
                })
                .collect()
        });
        found.push(parts.collect::<Result<_>>()?);
    }
    keep_common(&mut found);
    Ok(found.iter().zip(mixes).map(|(parts, mix)| fused(parts, mix, ground.searcher.segment_readers().len())).collect())
}

/// Leaves only the documents that every mix finds by one of its parts.
fn keep_common(found: &mut [Vec<PartFound>]) {
    if found.len() < 2 {
        return;
    }
    let segments = found.iter().flatten().map(Vec::len).max().unwrap_or(0);
    for segment in 0..segments {
        let unions: Vec<Vec<DocId>> = found
            .iter()
            .map(|parts| {
                let mut union: Vec<DocId> = parts.iter().flat_map(|part| part[segment].iter().map(|(document, _)| *document)).collect();
                union.sort_unstable();
                union
            })
            .collect();
        let common = |document: DocId| unions.iter().all(|union| union.binary_search(&document).is_ok());
        found.iter_mut().flatten().for_each(|part| part[segment].retain(|(document, _)| common(*document)));
    }
}

fn fused(parts: &[PartFound], mix: &Mix, segments: usize) -> Listed {
    let mut listed: Vec<Vec<(DocId, f64)>> = vec![Vec::new(); segments];
    for (found, part) in parts.iter().zip(mix.parts) {
        let mut scores: Vec<f64> = found.iter().flatten().map(|(_, score)| *score).collect();
        scores.sort_unstable_by(|left, right| right.total_cmp(left));
        let best = scores.first().copied().unwrap_or(1.0);
        for (sums, documents) in listed.iter_mut().zip(found) {
            sums.extend(documents.iter().map(|(document, score)| {
                let share = match mix.by {
                    MixBy::Rank => 1.0 / (RANK_OFFSET + 1.0 + scores.partition_point(|other| other > score) as f64),
                    MixBy::Score => score / best,
                };
                (*document, part.weight * share)
            }));
        }
    }
    listed.into_iter().map(summed).collect()
}

/// Adds up what the parts give to each document, in the order of the parts. As f32: sums with other scores are then exact, and the same
/// whatever their order.
fn summed(mut shares: Vec<(DocId, f64)>) -> Vec<(DocId, f32)> {
    shares.sort_by_key(|(document, _)| *document);
    shares
        .chunk_by(|left, right| left.0 == right.0)
        .map(|of_document| {
            let sum: f64 = of_document.iter().map(|(_, share)| share).sum();
            (of_document[0].0, (sum as f32).max(f32::MIN_POSITIVE))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(weights: [f64; 2]) -> Vec<Part> {
        weights.map(|weight| Part { weight, node: Node::All }).into()
    }

    #[test]
    fn by_rank_equal_scores_share_a_rank() {
        let parts = parts([1.0, 2.0]);
        let found = vec![vec![vec![(0, 5.0), (1, 7.0)], vec![(0, 5.0)]], vec![vec![(1, 1.0)], vec![]]];
        let listed = fused(&found, &Mix { parts: &parts, by: MixBy::Rank }, 2);
        let [second, first] = [1.0_f32 / 62.0, (1.0 / 61.0 + 2.0 / 61.0) as f32];
        assert_eq!(listed, vec![vec![(0, second), (1, first)], vec![(0, second)]]);
    }

    #[test]
    fn by_score_the_best_of_each_part_counts_its_weight() {
        let parts = parts([0.5, 0.25]);
        let found = vec![vec![vec![(0, 4.0), (3, 8.0)]], vec![vec![(3, 1.0)]]];
        let listed = fused(&found, &Mix { parts: &parts, by: MixBy::Score }, 1);
        assert_eq!(listed, vec![vec![(0, 0.25), (3, 0.75)]]);
    }

    #[test]
    fn several_mixes_keep_what_all_of_them_find() {
        let mut found = vec![vec![vec![vec![(0, 1.0), (2, 1.0)]], vec![vec![(5, 1.0)]]], vec![vec![vec![(2, 1.0), (5, 1.0), (7, 1.0)]]]];
        keep_common(&mut found);
        assert_eq!(found, vec![vec![vec![vec![(2, 1.0)]], vec![vec![(5, 1.0)]]], vec![vec![vec![(2, 1.0), (5, 1.0)]]]]);
    }
}
