//! Executes a plan on one snapshot of the index.
//!
//! The modules are layers: each imports only modules above it in this list.
//!
//! | module | job |
//! |---|---|
//! | `index`, `probability` | what searches read: a snapshot with its caches, sets of documents |
//! | `places`, `filters`, `boosts`, `text`, `terms`, `words` | kinds of queries: they find or score the documents of a segment |
//! | `order` | the order of the documents, and its pages |
//! | `similar`, `nearest`, `mix` | kinds of queries that need the documents of other ones, which they get from callbacks |
//! | `matching` | compiled conditions, and the search of a segment |
//! | `compile` | nodes of a plan to conditions |
//! | `ranked` | fast paths to the first documents |
//! | `facets`, `reply` | parts of the reply |
//! | `execution`, `findings`, `collapse` | steps of a search |
//! | `exports` | rules for an engine with an index elsewhere |
//!
//! A single pass finds, counts, scores and collects the documents, so totals, best score and statistics are exact. There are exceptions:
//!
//! - If the caller does not need the total, `ranked_search.rs` skips documents that cannot be among the first.
//! - If all documents have the same score, `first_by_id.rs` finds the first ones, and they are counted apart.
//! - If the caller needs the total or statistics of a match of any words, `ranked_search.rs` finds the page. `probability_counts.rs` then
//!   visits all documents, but collects none.
//! - If the caller does not need documents, nothing is scored, and `query_cache.rs` reuses the documents of earlier searches.
//! - With a cutoff, the pass only collects, because the cutoff depends on the best score.

mod boosts;
mod collapse;
mod compile;
mod execution;
mod exports;
mod facets;
mod filters;
mod findings;
mod index;
#[cfg(test)]
mod large_numbers;
mod matching;
mod mix;
mod nearest;
mod order;
mod places;
mod probability;
mod ranked;
mod reply;
mod similar;
mod terms;
#[cfg(test)]
mod test_index;
mod text;
mod words;

use crate::entity::Entity;
use crate::failure::Result;
use crate::plan::Plan;

use self::execution::Execution;
pub use self::exports::lookups::{LookupReply, LookupRequest};
pub use self::exports::match_words::{MatchRequest, MatchWords};
pub use self::exports::ranking_rules::RANKING_RULES;
use self::facets::counts::{FacetCounts, FacetReply};
pub use self::facets::option_filter::OptionFilter;
use self::findings::Findings;
pub use self::index::cancel_token::CancelToken;
pub use self::index::context::SearchResources;
pub use self::index::snapshot::Snapshot;
use self::matching::scored_hits::ScoredHits;
use self::order::hits;
use self::order::sort::Key;
use self::order::top_k::TopK;
pub use self::reply::SearchReply;
use self::reply::corrections::{self, Correction};
pub use self::reply::corrections::{SimilarForm, correction_typos, find_similar_forms};
use self::reply::highlight::{Highlighter, Snippets};
pub use self::similar::count_words;
pub use self::text::spellings::joined_share;

pub fn search(snapshot: &Snapshot, resources: &SearchResources, plan: &Plan, cancel_token: &CancelToken) -> Result<SearchReply> {
    let execution = Execution { snapshot, resources, plan, cancel_token };
    let (findings, facet) = find(&execution)?;
    let corrections = find_corrections(&execution, &findings)?;
    cancel_token.check()?;
    let entities = resources.readers.entities(&hits::sequences(snapshot, &findings.hits)?)?;
    let page = findings.collapsed.as_ref().map_or(findings.hits.len(), Vec::len);
    let highlights = highlight(&execution, &findings, &entities[..page])?;
    Ok(SearchReply {
        total: findings.total,
        best: findings.best,
        scores: findings.hits[..page].iter().map(|hit| hit.score.min(findings.best)).collect(),
        statistics: findings.statistics,
        facet,
        collapsed: findings.collapsed,
        highlights,
        next: findings.next,
        relaxed: findings.relaxed,
        corrections,
        entities: entities.into_iter().map(Entity::into_text).collect(),
    })
}

/// Finds the documents of the page, and counts the values of the facet.
fn find(execution: &Execution) -> Result<(Findings, Option<FacetReply>)> {
    let Execution { snapshot, resources, plan, cancel_token } = *execution;
    let keys = Key::from_plan(&resources.schema, plan, snapshot.searcher.segment_readers())?;
    let facet = FacetCounts::from_plan(resources, plan)?;
    let findings = match &plan.collapse {
        Some(collapse) => collapse::find(execution, collapse, keys)?,
        None if plan.needs_scores() => Findings::scored(execution, TopK::new(keys, plan, &snapshot.columns)?)?,
        None => Findings::unscored(execution)?,
    };
    let facet = facet.zip(findings.matches.as_deref()).map(|(facet, matches)| {
        let units = findings.units.as_ref();
        facet.into_reply(snapshot, matches, units, cancel_token)
    });
    let facet = facet.transpose()?;
    Ok((findings, facet))
}

/// Returns the ids of all documents that the plan finds, on all pages.
pub fn find_ids(snapshot: &Snapshot, resources: &SearchResources, plan: &Plan) -> Result<Vec<String>> {
    let cancel_token = CancelToken::never();
    let execution = Execution { snapshot, resources, plan, cancel_token: &cancel_token };
    let visible = execution.visible()?;
    let conditions = execution.compile(&execution.context(visible.as_ref()))?;
    let mut hits = ScoredHits::find(&conditions, &snapshot.searcher, &cancel_token)?;
    hits.cut_off(plan);
    let segments = hits.segments.into_iter().enumerate();
    let documents: Vec<_> = segments.flat_map(|(segment, hits)| hits.into_iter().map(move |(document, _)| (segment, document))).collect();
    hits::ids(&snapshot.searcher, &documents)
}

/// If no document matches, returns similar words of visible documents.
fn find_corrections(execution: &Execution, findings: &Findings) -> Result<Vec<Correction>> {
    let plan = execution.plan;
    if !plan.suggest || plan.count == 0 || findings.total > 0 {
        return Ok(Vec::new());
    }
    let visible = execution.visible()?;
    corrections::find(&execution.context(visible.as_ref()), &plan.nodes)
}

/// Returns the snippets of each document of the page, by field; `None` if the plan needs none.
fn highlight(execution: &Execution, findings: &Findings, page: &[Entity]) -> Result<Option<Vec<Snippets>>> {
    let Some(request) = &execution.plan.highlight else { return Ok(None) };
    let Some(conditions) = &findings.conditions else { return Ok(Some(Vec::new())) };
    let highlighter = Highlighter::new(&execution.resources.schema, conditions, request);
    page.iter().map(|entity| execution.cancel_token.check().map(|()| highlighter.highlights(entity))).collect::<Result<_>>().map(Some)
}
