//! What a search found: the documents of the page, and what the rest of the reply is made from.

use std::sync::Arc;

use crate::failure::Result;

use super::boosts::pinning::is_pinned;
use super::execution::Execution;
use super::facets::units::Units;
use super::index::context::SearchContext;
use super::index::document_set::DocumentSet;
use super::index::match_set::MatchSet;
use super::index::snapshot::Snapshot;
use super::matching::conditions::Conditions;
use super::matching::probability_counts;
use super::matching::scored_hits::ScoredHits;
use super::matching::segment::SegmentSearch;
use super::matching::windows::MatchWindows;
use super::order::hits::Hit;
use super::order::top_k::{Page, TopK};
use super::probability::{best_score, probability_steps};
use super::ranked;
use super::reply::CollapsedHit;

#[derive(Default)]
pub struct Findings {
    pub total: u64,
    pub best: f64,
    /// The documents of the page, then the further documents of collapsed ones.
    pub hits: Vec<Hit>,
    /// The position of the next page.
    pub next: Option<String>,
    /// All documents found; `None` if the search left some out.
    pub matches: Option<Arc<MatchSet>>,
    pub statistics: Option<[u64; 10]>,
    /// The words that relaxed matches dropped.
    pub relaxed: Vec<String>,
    /// Set if there may be hits to highlight.
    pub conditions: Option<Conditions>,
    /// With `collapse` in the plan: what each document of the page stands for, and the units of a facet that counts them.
    pub collapsed: Option<Vec<CollapsedHit>>,
    pub units: Option<Units>,
}

/// All documents that a plan finds, apart from those that were collected.
struct Everything {
    matches: MatchSet,
    total: u64,
    best: f64,
    /// Only if the plan needs statistics.
    scores: Vec<f64>,
}

impl Findings {
    /// Finds which documents match, without scores and without a page.
    pub fn unscored(execution: &Execution) -> Result<Findings> {
        let matches = execution.find_documents()?;
        execution.cancel_token.check()?;
        let total = matches.documents();
        Ok(Findings {
            total,
            best: best_score(0.0, total),
            relaxed: matches.relaxed.clone(),
            matches: Some(matches),
            ..Findings::default()
        })
    }

    /// Finds the page of a plan. Visits all documents only if the plan needs them.
    pub fn scored(execution: &Execution, mut top_k: TopK) -> Result<Findings> {
        let plan = execution.plan;
        let visible = execution.visible()?;
        let expands_later = ranked::needs_first_only(plan);
        let context = SearchContext { expands_later, ..execution.context(visible.as_ref()) };
        let mut conditions = execution.compile(&context)?;
        let first = ranked::search(&context, plan, &mut conditions, &mut top_k)?;
        let mut findings = Findings { relaxed: conditions.relaxed.clone(), ..Findings::default() };
        if let Some(first) = first {
            if plan.statistics && probability_counts::has_windows(&conditions) {
                let Execution { snapshot: Snapshot { searcher, query_cache, .. }, cancel_token, .. } = execution;
                let best = best_score(first.best, first.total);
                let (matches, statistics) = probability_counts::count(&conditions, searcher, best, cancel_token)?;
                findings.total = matches.documents();
                findings.statistics = Some(statistics);
                query_cache.insert(plan, &Arc::new(matches));
            } else {
                let needs_total = plan.total || plan.statistics;
                findings.total = if needs_total { execution.find_documents()?.documents() } else { first.total };
                // All of them have the same score.
                findings.statistics = plan.statistics.then_some([findings.total; 10]);
            }
            findings.best = best_score(first.best, findings.total);
        } else {
            let find = if plan.has_cutoff() { find_above_cutoff } else { find_everything };
            let Everything { matches, total, best, scores } = find(execution, &conditions, &mut top_k)?;
            let matches = Arc::new(matches);
            if plan.total && !plan.has_cutoff() {
                execution.snapshot.query_cache.insert(plan, &matches);
            }
            findings.total = total;
            findings.best = best_score(best, total);
            findings.statistics = plan.statistics.then(|| probability_steps(scores.into_iter(), findings.best));
            findings.matches = Some(matches);
        }
        let Page { hits, next } = top_k.into_page(&execution.snapshot.searcher, plan)?;
        Ok(Findings { hits, next, conditions: Some(conditions), ..findings })
    }
}

/// Visits each document once.
fn find_everything(execution: &Execution, conditions: &Conditions, top_k: &mut TopK) -> Result<Everything> {
    let needs_scores = execution.plan.statistics;
    let searcher = &execution.snapshot.searcher;
    let documents = conditions.documents_read(searcher);
    let parts = conditions.segment_threads.run(searcher.segment_readers(), documents, top_k, |top_k, segment, reader| {
        let (mut best, mut scores) = (0.0_f64, Vec::new());
        let mut document_set = DocumentSet::new(reader.max_doc());
        top_k.start_segment(segment, reader)?;
        let mut visit = |document, score| {
            if !is_pinned(score) {
                best = best.max(score);
            }
            top_k.collect(document, score);
            if needs_scores {
                scores.push(score);
            }
        };
        if let Some(windows) = MatchWindows::new(conditions, segment, reader, true)? {
            windows.run(execution.cancel_token, |window| {
                document_set.add_words(window.start, window.present);
                window.for_each(&mut visit);
            })?;
        } else {
            SegmentSearch::new(conditions, segment, reader, true)?.run(execution.cancel_token, &mut |document, score| {
                document_set.add(document);
                visit(document, score);
            })?;
        }
        top_k.finish_segment();
        Ok((document_set, best, scores))
    })?;
    let best = parts.iter().map(|(_, best, _)| *best).fold(0.0, f64::max);
    let (mut sets, mut scores) = (Vec::new(), Vec::new());
    for (document_set, _, segment_scores) in parts {
        sets.push(document_set);
        scores.extend(segment_scores);
    }
    let matches = MatchSet::new(sets, conditions.relaxed.clone());
    Ok(Everything { total: matches.documents(), matches, best, scores })
}

/// Finds all documents first, because the cutoff depends on the best score.
fn find_above_cutoff(execution: &Execution, conditions: &Conditions, top_k: &mut TopK) -> Result<Everything> {
    let searcher = &execution.snapshot.searcher;
    let mut hits = ScoredHits::find(conditions, searcher, execution.cancel_token)?;
    hits.cut_off(execution.plan);
    for (segment, documents) in hits.segments.iter().enumerate() {
        top_k.start_segment(segment, searcher.segment_reader(segment as u32))?;
        documents.iter().for_each(|(document, score)| top_k.collect(*document, *score));
        top_k.finish_segment();
        execution.cancel_token.check()?;
    }
    let matches = hits.match_set(searcher, conditions);
    let scores = hits.segments.iter().flatten().map(|(_, score)| *score).collect();
    Ok(Everything { total: matches.documents(), matches, best: hits.best, scores })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use crate::search::index::fast_paths::FastPaths;
    use crate::search::test_index::{CATALOG, few_conditions, match_nodes, nodes};

    proptest! {
        #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn counts_and_facets_from_the_cache_are_those_of_a_first_search(
            match_node in match_nodes(),
            conditions in few_conditions(),
            restrictions in few_conditions(),
        ) {
            let mut reversed = nodes(&conditions);
            reversed.push(match_node);
            let counted = json!({
                "nodes": reversed, "restrictions": nodes(&restrictions), "count": 0, "facet": { "field": "tags", "offset": 0, "count": 9 },
            });
            let mut scored = counted.clone();
            scored["nodes"].as_array_mut().unwrap().reverse();
            scored["count"] = json!(3);
            let first = CATALOG.with_fast_paths(FastPaths::NEVER).find(&counted);
            let index = CATALOG.with_fast_paths(FastPaths::MEASURED);
            let page = index.find(&scored);
            prop_assert_eq!((page.total, &page.facet, &page.relaxed), (first.total, &first.facet, &first.relaxed));
            prop_assert_eq!(index.find(&counted), first);
            let (cached, counted_each_time) = (CATALOG.with_fast_paths(FastPaths::ALWAYS), CATALOG.with_fast_paths(FastPaths::NEVER));
            let mut sorted = counted.clone();
            sorted["count"] = json!(5);
            sorted["statistics"] = json!(true);
            sorted["order"] = json!([{ "by": "field", "field": "day", "order": "descending" }]);
            prop_assert_eq!(cached.find(&sorted), counted_each_time.find(&sorted));
            for (query, offset) in [(None, 0), (None, 2), (Some("e"), 0)] {
                let mut other_options = counted.clone();
                other_options["facet"] = json!({ "field": "tags", "offset": offset, "count": 3, "query": query, "selected": ["red"] });
                prop_assert_eq!(cached.find(&other_options), counted_each_time.find(&other_options));
            }
        }
    }
}
