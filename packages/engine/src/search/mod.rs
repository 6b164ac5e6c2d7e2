//! Executes a plan on one snapshot of the index.
//!
//! A single pass finds, counts, scores and collects the documents, so totals, best score and statistics are exact. There are exceptions:
//!
//! - If the caller does not need the total, `ranked_search.rs` skips documents that cannot be among the first.
//! - If all documents have the same score, `first_by_id.rs` finds the first ones, and they are counted apart.
//! - If the caller does not need documents, nothing is scored, and `query_cache.rs` reuses the documents of earlier searches.
//! - With a cutoff, the pass only collects, because the cutoff depends on the best score.

mod boosts;
mod collapse;
mod compile;
mod exports;
mod facets;
mod filters;
mod index;
mod matching;
mod mix;
mod nearest;
mod order;
mod places;
mod ranked;
mod reply;
mod similar;
mod terms;
mod text;
mod words;

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Serialize;

use crate::entity::Entity;
use crate::failure::Result;
use crate::plan::Plan;

use self::boosts::pinning::is_pinned;
use self::collapse::CollapsedHit;
use self::compile::Conditions;
pub use self::exports::match_words::{MatchRequest, MatchWords};
pub use self::exports::ranking_rules::RANKING_RULES;
use self::facets::counts::{FacetCounts, FacetReply};
pub use self::facets::option_filter::OptionFilter;
pub use self::index::cancel_token::CancelToken;
use self::index::context::SearchContext;
pub use self::index::context::SearchResources;
use self::index::document_set::DocumentSet;
use self::index::query_cache::MatchSet;
pub use self::index::snapshot::Snapshot;
use self::index::visibility::VisibleDocuments;
use self::matching::segment::SegmentSearch;
use self::order::top_k::{self, Page, TopK};
use self::ranked::{first_by_id, ranked_search};
use self::reply::corrections::{self, Correction};
pub use self::reply::corrections::{SimilarForm, correction_typos, find_similar_forms};
use self::reply::highlight::Highlighter;
pub use self::similar::count_words;

/// The reply to a search. `scores` and `entities` have one item per hit.
#[derive(Serialize)]
pub struct SearchReply {
    pub total: u64,
    pub best: f64,
    pub scores: Vec<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub statistics: Option<[u64; 10]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub facet: Option<FacetReply>,
    /// With `collapse` in the plan: what each hit stands for. Further documents of a hit are in `entities` after all hits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub collapsed: Option<Vec<CollapsedHit>>,
    /// Snippets of each hit, by field.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub highlights: Option<Vec<BTreeMap<String, Vec<String>>>>,
    /// With `after` in the plan: the position of the last hit, if more follow.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
    /// The words that a relaxed match dropped, as typed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub relaxed: Vec<String>,
    /// With `suggest` in the plan, if no document matches.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub corrections: Vec<Correction>,
    #[serde(skip)]
    pub entities: Vec<String>,
}

pub fn search(snapshot: &Snapshot, resources: &SearchResources, plan: &Plan, cancel_token: &CancelToken) -> Result<SearchReply> {
    let Snapshot { searcher, .. } = snapshot;
    if let Some(collapse) = &plan.collapse {
        return collapse::search(snapshot, resources, plan, collapse, cancel_token);
    }
    let schema = &resources.schema;
    let mut top_k = TopK::new(schema, plan, &snapshot.columns)?;
    let facet = plan.facet.as_ref().map(|request| FacetCounts::new(schema, &resources.facet_values, request)).transpose()?;
    if plan.count == 0 && !plan.statistics && plan.cutoff <= 0.0 {
        return count(snapshot, resources, plan, facet, cancel_token);
    }
    let visible = visible_documents(snapshot, resources, cancel_token, plan)?;
    let expands_later = ranked_search::needs_first_only(plan);
    let context = SearchContext { visible: visible.as_ref(), expands_later, ..unrestricted_context(snapshot, resources, cancel_token) };
    let mut conditions = Conditions::new(&context, &plan.nodes.iter().collect::<Vec<_>>(), &[])?;
    let mut scores = plan.statistics.then(Vec::new);
    let mut total = 0;
    let mut best = 0.0_f64;
    let mut match_sets = Vec::new();

    let found = if expands_later {
        ranked_search::search(&context, plan, &mut conditions, &mut top_k)?
    } else if ranked_search::needs_first_and_counts(plan) {
        first_by_id::search(&context, plan, &conditions, &mut top_k)?
    } else {
        None
    };
    let is_first_only = found.is_some();
    if let Some(found) = found {
        (total, best) = (found.total, found.best);
        if plan.total || plan.statistics {
            total = snapshot.query_cache.get_or_find(plan, || MatchSet::find(&conditions, searcher, cancel_token))?.documents();
        }
    } else if plan.cutoff > 0.0 {
        let mut hits = Vec::new();
        for (segment, reader) in searcher.segment_readers().iter().enumerate() {
            let mut segment_hits = Vec::new();
            SegmentSearch::new(&conditions, segment, reader, true)?
                .run(cancel_token, &mut |document, score| segment_hits.push((document, score)))?;
            best = segment_hits.iter().filter(|(_, score)| !is_pinned(*score)).fold(best, |best, (_, score)| best.max(*score));
            hits.push((segment, segment_hits));
        }
        for (segment, segment_hits) in hits {
            let reader = searcher.segment_reader(segment as u32);
            let mut document_set = DocumentSet::new(reader.max_doc());
            top_k.start_segment(segment, reader)?;
            for (document, score) in segment_hits.into_iter().filter(|(_, score)| score / best >= plan.cutoff) {
                total += 1;
                top_k.collect(document, score);
                document_set.add(document);
                scores.iter_mut().for_each(|scores| scores.push(score));
            }
            top_k.finish_segment();
            match_sets.push(document_set);
            cancel_token.check()?;
        }
    } else {
        for (segment, reader) in searcher.segment_readers().iter().enumerate() {
            let mut document_set = DocumentSet::new(reader.max_doc());
            top_k.start_segment(segment, reader)?;
            SegmentSearch::new(&conditions, segment, reader, true)?.run(cancel_token, &mut |document, score| {
                total += 1;
                if !is_pinned(score) {
                    best = best.max(score);
                }
                top_k.collect(document, score);
                document_set.add(document);
                scores.iter_mut().for_each(|scores| scores.push(score));
            })?;
            top_k.finish_segment();
            match_sets.push(document_set);
        }
    }
    let matches = MatchSet::new(match_sets, &conditions);
    let facet = facet.map(|facet| facet.into_reply(searcher, &matches, None, plan.statistics, cancel_token)).transpose()?;
    if plan.total && plan.cutoff <= 0.0 && !is_first_only {
        snapshot.query_cache.insert(plan, matches);
    }

    let corrections = if plan.suggest && total == 0 { corrections::find(&context, &plan.nodes)? } else { Vec::new() };
    // Pinned documents get the best score of the other documents, whose probabilities therefore stay the same.
    if best == 0.0 && total > 0 {
        best = 1.0;
    }
    let Page { hits, next } = top_k.into_page(searcher, plan)?;
    cancel_token.check()?;
    let entities = resources.readers.entities(&top_k::sequences(snapshot, &hits)?)?;
    let highlights = plan.highlight.as_ref().map(|request| {
        let highlighter = Highlighter::new(schema, &conditions, request);
        entities.iter().map(|entity| cancel_token.check().map(|()| highlighter.highlights(entity))).collect::<Result<_>>()
    });
    Ok(SearchReply {
        total,
        best,
        scores: hits.iter().map(|hit| hit.score.min(best)).collect(),
        statistics: scores.map(|scores| if is_first_only { [total; 10] } else { probability_steps(scores.into_iter(), best) }),
        facet,
        collapsed: None,
        highlights: highlights.transpose()?,
        next,
        relaxed: conditions.relaxed,
        corrections,
        entities: entities.into_iter().map(Entity::into_text).collect(),
    })
}

/// Searches without documents and scores in the reply.
fn count(
    snapshot: &Snapshot,
    resources: &SearchResources,
    plan: &Plan,
    facet: Option<FacetCounts>,
    cancel_token: &CancelToken,
) -> Result<SearchReply> {
    let Snapshot { searcher, .. } = snapshot;
    let find = || MatchSet::find(&compile_conditions(snapshot, resources, cancel_token, plan)?, searcher, cancel_token);
    let matches = snapshot.query_cache.get_or_find(plan, find)?;
    cancel_token.check()?;
    let total = matches.documents();
    Ok(SearchReply {
        total,
        best: if total > 0 { 1.0 } else { 0.0 },
        scores: Vec::new(),
        statistics: None,
        facet: facet.map(|facet| facet.into_reply(searcher, &matches, None, false, cancel_token)).transpose()?,
        collapsed: None,
        highlights: plan.highlight.as_ref().map(|_| Vec::new()),
        next: None,
        relaxed: matches.relaxed.clone(),
        corrections: Vec::new(),
        entities: Vec::new(),
    })
}

fn compile_conditions(snapshot: &Snapshot, resources: &SearchResources, cancel_token: &CancelToken, plan: &Plan) -> Result<Conditions> {
    let visible = visible_documents(snapshot, resources, cancel_token, plan)?;
    let context = SearchContext { visible: visible.as_ref(), ..unrestricted_context(snapshot, resources, cancel_token) };
    Conditions::new(&context, &plan.nodes.iter().collect::<Vec<_>>(), &[])
}

fn visible_documents(
    snapshot: &Snapshot,
    resources: &SearchResources,
    cancel_token: &CancelToken,
    plan: &Plan,
) -> Result<Option<Arc<VisibleDocuments>>> {
    snapshot.visibility_cache.get_or_find(&unrestricted_context(snapshot, resources, cancel_token), &plan.restrictions)
}

fn unrestricted_context<'a>(snapshot: &'a Snapshot, resources: &'a SearchResources, cancel_token: &'a CancelToken) -> SearchContext<'a> {
    SearchContext {
        searcher: &snapshot.searcher,
        schema: &resources.schema,
        readers: &resources.readers,
        cancel_token,
        terms: &snapshot.terms,
        vectors: &resources.vectors,
        vocabularies: &resources.vocabularies,
        visible: None,
        expands_later: false,
    }
}

/// Returns the ids of all documents that the plan finds, on all pages.
pub fn find_ids(snapshot: &Snapshot, resources: &SearchResources, plan: &Plan) -> Result<Vec<String>> {
    let cancel_token = CancelToken::never();
    let Snapshot { searcher, .. } = snapshot;
    let conditions = compile_conditions(snapshot, resources, &cancel_token, plan)?;
    let mut hits = Vec::new();
    for (segment, reader) in searcher.segment_readers().iter().enumerate() {
        SegmentSearch::new(&conditions, segment, reader, true)?
            .run(&cancel_token, &mut |document, score| hits.push((segment, document, score)))?;
    }
    let best = hits.iter().fold(0.0_f64, |best, (_, _, score)| best.max(*score));
    hits.retain(|(_, _, score)| plan.cutoff <= 0.0 || score / best >= plan.cutoff);
    let documents: Vec<_> = hits.iter().map(|(segment, document, _)| (*segment, *document)).collect();
    top_k::ids(searcher, &documents)
}

/// Counts how many values are at least 0.9, 0.8, … 0.0 of the largest.
fn probability_steps(values: impl Iterator<Item = f64>, largest: f64) -> [u64; 10] {
    const STEPS: [f64; 10] = [0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1, 0.0];
    let mut counts = [0; 10];
    for value in values {
        let probability = value / largest;
        for (count, step) in counts.iter_mut().zip(STEPS) {
            *count += u64::from(probability >= step);
        }
    }
    counts
}
