//! Keeps the best documents for each value of a field: the first ones in the order of the plan. Totals, statistics, offsets and positions
//! count values; a document without a value counts as one.
//!
//! All documents are found before any is chosen, because the best document of a value may be in any segment.

mod groups;
mod page;

use std::sync::Arc;

use tantivy::DocId;

use crate::failure::Result;
use crate::plan::Collapse;

use self::groups::{GroupSummary, GroupTable, SegmentHits};
use self::page::{GroupPage, PageGroup, Pager};
use super::execution::Execution;
use super::findings::Findings;
use super::index::match_set::MatchSet;
use super::matching::conditions::Conditions;
use super::matching::scored_hits::ScoredHits;
use super::order::sort::Key;
use super::probability::{best_score, probability_steps};
use super::reply::CollapsedHit;

pub fn find(execution: &Execution, collapse: &Collapse, keys: Vec<Key>) -> Result<Findings> {
    let Execution { snapshot, resources, plan, cancel_token } = *execution;
    let readers = snapshot.searcher.segment_readers();
    let mut table = GroupTable::new(&resources.schema, &collapse.field)?;
    let AllDocuments { documents, matches, best, conditions } =
        if plan.needs_scores() { AllDocuments::scored(execution)? } else { AllDocuments::unscored(execution)? };
    let mut segments = Vec::new();
    for (reader, documents) in readers.iter().zip(documents) {
        let groups = table.assign(reader, documents.iter().map(|(document, _)| *document))?;
        segments.push(SegmentHits { documents, groups });
        cancel_token.check()?;
    }
    let groups = GroupSummary::new(table.len(), &segments);
    let total = groups.total();
    let best = best_score(best, total);
    let counts_groups = plan.facet.as_ref().is_some_and(|request| request.collapsed);
    let GroupPage { groups: page_groups, next } = Pager { snapshot, plan, keys, cancel_token }.page(&segments, &groups, collapse.best)?;
    let (mut collapsed, mut hits, mut others) = (Vec::new(), Vec::new(), Vec::new());
    for PageGroup { hit, group, others: other_hits } in page_groups {
        let value = table.value(&readers[hit.segment], hit.document)?;
        collapsed.push(CollapsedHit { value, count: groups.count(group), others: other_hits.len() });
        hits.push(hit);
        others.extend(other_hits);
    }
    hits.append(&mut others);
    Ok(Findings {
        total,
        best,
        hits,
        next,
        statistics: plan.statistics.then(|| probability_steps(groups.best_scores(), best)),
        relaxed: matches.relaxed.clone(),
        matches: Some(matches),
        conditions,
        collapsed: Some(collapsed),
        units: counts_groups.then(|| groups.units(readers, &segments)),
    })
}

/// All documents that the plan finds, by segment, with their scores.
struct AllDocuments {
    documents: Vec<Vec<(DocId, f64)>>,
    matches: Arc<MatchSet>,
    best: f64,
    conditions: Option<Conditions>,
}

impl AllDocuments {
    fn scored(execution: &Execution) -> Result<AllDocuments> {
        let searcher = &execution.snapshot.searcher;
        let visible = execution.visible()?;
        let conditions = execution.compile(&execution.context(visible.as_ref()))?;
        let mut hits = ScoredHits::find(&conditions, searcher, execution.cancel_token)?;
        hits.cut_off(execution.plan);
        let matches = Arc::new(hits.match_set(searcher, &conditions));
        Ok(AllDocuments { documents: hits.segments, matches, best: hits.best, conditions: Some(conditions) })
    }

    fn unscored(execution: &Execution) -> Result<AllDocuments> {
        let matches = execution.find_documents()?;
        let documents = matches.segments().iter().map(|set| {
            let mut documents = Vec::with_capacity(set.size() as usize);
            let Ok(()) = set.for_each_batch(|batch| {
                documents.extend(batch.iter().map(|document| (*document, 1.0)));
                Ok::<(), std::convert::Infallible>(())
            });
            documents
        });
        Ok(AllDocuments { documents: documents.collect(), best: 0.0, matches, conditions: None })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;
    use serde_json::{Value, json};

    use crate::search::test_index::{CATALOG, few_conditions, nodes};

    proptest! {
        #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn a_page_has_the_first_document_of_each_value(
            conditions in few_conditions(),
            field in prop_oneof![Just("tags"), Just("price")],
            (offset, count) in (0..4_usize, 0..60_usize),
            statistics in any::<bool>(),
        ) {
            let ids = CATALOG.ids_where(|attributes| conditions.iter().all(|condition| condition.accepts(attributes)));
            let attributes: BTreeMap<&str, &Value> = CATALOG.documents.iter().map(|document| (document.id.as_str(), &document.attributes)).collect();
            let mut firsts: Vec<&str> = Vec::new();
            let mut seen: Vec<&Value> = Vec::new();
            for id in ids {
                let value = &attributes[id][field];
                let value = value.as_array().map_or(Some(value), |values| values.iter().find(|value| *value != ""));
                match value.filter(|value| !value.is_null()) {
                    Some(value) if seen.contains(&value) => {}
                    value => {
                        seen.extend(value);
                        firsts.push(id);
                    }
                }
            }
            let reply = CATALOG.find(&json!({
                "nodes": nodes(&conditions), "offset": offset, "count": count, "statistics": statistics,
                "collapse": { "field": field, "best": 1 },
            }));
            prop_assert_eq!(reply.total, firsts.len() as u64);
            let page: Vec<&str> = firsts.into_iter().skip(offset).take(count).collect();
            prop_assert_eq!(reply.hits.iter().map(|(id, _)| id.as_str()).collect::<Vec<_>>(), page);
        }
    }
}
