//! Keeps the best documents for each value of a field: the first ones in the order of the plan. Totals, statistics, offsets and positions
//! count values; a document without a value counts as one.
//!
//! All documents are found before any is chosen, because the best document of a value may be in any segment.

mod groups;
mod page;

use std::sync::Arc;

use serde::Serialize;
use tantivy::DocId;

use crate::entity::Entity;
use crate::failure::Result;
use crate::plan::{Collapse, Plan};
use crate::search::boosts::pinning::is_pinned;
use crate::search::compile::Conditions;
use crate::search::facets::counts::FacetCounts;
use crate::search::index::cancel_token::CancelToken;
use crate::search::index::context::{SearchContext, SearchResources};
use crate::search::index::document_set::DocumentSet;
use crate::search::index::query_cache::MatchSet;
use crate::search::index::snapshot::Snapshot;
use crate::search::matching::segment::SegmentSearch;
use crate::search::order::sort::Key;
use crate::search::order::top_k;
use crate::search::reply::corrections;
use crate::search::reply::highlight::Highlighter;
use crate::search::{SearchReply, compile_conditions, probability_steps, unrestricted_context, visible_documents};

use self::groups::{GroupSummary, GroupTable, GroupValue, SegmentHits};
use self::page::{PageGroup, Pager};

/// The documents that a hit stands for.
#[derive(Serialize)]
pub struct CollapsedHit {
    value: Option<GroupValue>,
    /// Number of documents with the value.
    count: u64,
    /// Number of further documents in the reply.
    others: usize,
}

pub fn search(
    snapshot: &Snapshot,
    resources: &SearchResources,
    plan: &Plan,
    collapse: &Collapse,
    cancel_token: &CancelToken,
) -> Result<SearchReply> {
    let Snapshot { searcher, .. } = snapshot;
    let schema = &resources.schema;
    let keys = Key::from_plan(schema, plan)?;
    let facet = plan.facet.as_ref().map(|request| FacetCounts::new(schema, &resources.facet_values, request)).transpose()?;
    let mut table = GroupTable::new(schema, &collapse.field)?;
    let needs_scores = plan.count > 0 || plan.statistics || plan.cutoff > 0.0;
    let (conditions, mut found) = if needs_scores {
        let visible = visible_documents(snapshot, resources, cancel_token, plan)?;
        let context = SearchContext { visible: visible.as_ref(), ..unrestricted_context(snapshot, resources, cancel_token) };
        let conditions = Conditions::new(&context, &plan.nodes.iter().collect::<Vec<_>>(), &[])?;
        let found = Found::scored(snapshot, plan, &conditions, cancel_token)?;
        (Some(conditions), found)
    } else {
        let find = || MatchSet::find(&compile_conditions(snapshot, resources, cancel_token, plan)?, searcher, cancel_token);
        (None, Found::unscored(snapshot.query_cache.get_or_find(plan, find)?))
    };
    let mut segments = Vec::new();
    for (reader, documents) in searcher.segment_readers().iter().zip(std::mem::take(&mut found.documents)) {
        let groups = table.assign(reader, documents.iter().map(|(document, _)| *document))?;
        segments.push(SegmentHits { documents, groups });
        cancel_token.check()?;
    }
    let groups = GroupSummary::new(table.len(), &segments);
    let total = groups.total();
    let best = if found.best == 0.0 && total > 0 { 1.0 } else { found.best };
    let facet = facet.map(|facet| {
        let units = plan.facet.as_ref().filter(|request| request.collapsed).map(|_| groups.units(searcher.segment_readers(), &segments));
        facet.into_reply(searcher, &found.matches, units.as_ref(), plan.statistics, cancel_token)
    });
    let facet = facet.transpose()?;
    let corrections = if plan.suggest && total == 0 && plan.count > 0 {
        let visible = visible_documents(snapshot, resources, cancel_token, plan)?;
        let context = SearchContext { visible: visible.as_ref(), ..unrestricted_context(snapshot, resources, cancel_token) };
        corrections::find(&context, &plan.nodes)?
    } else {
        Vec::new()
    };
    let page = Pager { snapshot, plan, keys, cancel_token }.page(&segments, &groups, collapse.best)?;
    let mut collapsed = Vec::new();
    let (mut hits, mut others) = (Vec::new(), Vec::new());
    for PageGroup { hit, group, others: other_hits } in page.groups {
        let value = table.value(searcher.segment_reader(hit.segment as u32), hit.document)?;
        collapsed.push(CollapsedHit { value, count: groups.count(group), others: other_hits.len() });
        hits.push(hit);
        others.extend(other_hits);
    }
    let hit_count = hits.len();
    let scores = hits.iter().map(|hit| hit.score.min(best)).collect();
    hits.append(&mut others);
    let entities = resources.readers.entities(&top_k::sequences(snapshot, &hits)?)?;
    let highlights = match (&plan.highlight, &conditions) {
        (Some(request), Some(conditions)) => {
            let highlighter = Highlighter::new(schema, conditions, request);
            let highlight = |entity: &Entity| cancel_token.check().map(|()| highlighter.highlights(entity));
            Some(entities.iter().take(hit_count).map(highlight).collect::<Result<_>>()?)
        }
        (highlight, _) => highlight.as_ref().map(|_| Vec::new()),
    };
    Ok(SearchReply {
        total,
        best,
        scores,
        statistics: plan.statistics.then(|| probability_steps(groups.best_scores(), best)),
        facet,
        collapsed: Some(collapsed),
        highlights,
        next: page.next,
        relaxed: found.matches.relaxed.clone(),
        corrections,
        entities: entities.into_iter().map(Entity::into_text).collect(),
    })
}

/// The documents that the plan finds, by segment, with their scores.
struct Found {
    documents: Vec<Vec<(DocId, f64)>>,
    matches: Arc<MatchSet>,
    best: f64,
}

impl Found {
    fn scored(snapshot: &Snapshot, plan: &Plan, conditions: &Conditions, cancel_token: &CancelToken) -> Result<Found> {
        let mut documents = Vec::new();
        let mut best = 0.0_f64;
        for (segment, reader) in snapshot.searcher.segment_readers().iter().enumerate() {
            let mut hits = Vec::new();
            SegmentSearch::new(conditions, segment, reader, true)?
                .run(cancel_token, &mut |document, score| hits.push((document, score)))?;
            best = hits.iter().filter(|(_, score)| !is_pinned(*score)).fold(best, |best, (_, score)| best.max(*score));
            documents.push(hits);
        }
        let mut sets = Vec::new();
        for (reader, hits) in snapshot.searcher.segment_readers().iter().zip(&mut documents) {
            if plan.cutoff > 0.0 {
                hits.retain(|(_, score)| score / best >= plan.cutoff);
            }
            let mut set = DocumentSet::new(reader.max_doc());
            hits.iter().for_each(|(document, _)| set.add(*document));
            sets.push(set);
        }
        Ok(Found { documents, matches: Arc::new(MatchSet::new(sets, conditions)), best })
    }

    fn unscored(matches: Arc<MatchSet>) -> Found {
        let documents = matches.segments().iter().map(|set| {
            let mut documents = Vec::with_capacity(set.size() as usize);
            let Ok(()) = set.for_each_batch(|batch| {
                documents.extend(batch.iter().map(|document| (*document, 1.0)));
                Ok::<(), std::convert::Infallible>(())
            });
            documents
        });
        Found { documents: documents.collect(), best: 0.0, matches }
    }
}
