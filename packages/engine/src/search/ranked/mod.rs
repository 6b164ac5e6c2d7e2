//! Fast paths to the first documents by score, by id or by a field, which leave out documents that cannot be among them.

mod best_terms;
mod block_max;
mod first_by_id;
mod found;
mod ranked_search;
mod score_intersection;
mod search_state;
mod sorted_first;
mod stage;
mod union_stage;

use crate::failure::Result;
use crate::plan::{Node, Plan, SortKey};

use self::found::Found;
use super::index::context::SearchContext;
use super::matching::conditions::Conditions;
use super::order::top_k::TopK;
use super::terms::match_weight::MatchWeight;
use super::terms::term_scorer::WeightedTerm;

/// Larger pages need most of the documents anyway.
const PAGE_END_MAX: usize = 1_000;

/// Collects the documents that may be on the page, if the plan asks for no others. Returns `None` if a search of all documents is needed or
/// faster. Then all variants of words have been added to the conditions.
pub fn search(context: &SearchContext, plan: &Plan, conditions: &mut Conditions, top_k: &mut TopK) -> Result<Option<Found>> {
    if !needs_first_and_counts(plan) {
        return sorted_first::search(context, plan, conditions, top_k);
    }
    match first_by_id::search(context, plan, conditions, top_k)? {
        None if context.expands_later || counts_apart(context, conditions) => ranked_search::search(context, plan, conditions, top_k),
        found => Ok(found),
    }
}

/// Whether finding the first documents, and then all without a page, is faster than finding all at once.
fn counts_apart(context: &SearchContext, conditions: &Conditions) -> bool {
    let frequency = |weight: &MatchWeight| weight.words().iter().map(WeightedTerm::frequency).sum::<u64>();
    let is_frequent = |weight: &MatchWeight| weight.has_words_of_its_own() && frequency(weight) >= context.fast_paths.counted_apart_min;
    // Finding the first ones takes longer if few documents are visible.
    context.visible.is_none() && conditions.visits_windows && conditions.only_match().is_some_and(is_frequent)
}

/// Whether the plan asks for no more than the first documents by score.
pub fn needs_first_only(plan: &Plan) -> bool {
    // Their parts need all documents.
    let has_lists = plan.nodes.iter().any(|node| matches!(node, Node::Mix { .. } | Node::Nearest { .. }));
    !plan.total && !plan.statistics && !has_lists && needs_first_and_counts(plan)
}

/// Whether the plan asks for no more than the first documents by score, the total, and the statistics.
fn needs_first_and_counts(plan: &Plan) -> bool {
    let needs_all = plan.facet.is_some() || plan.has_cutoff();
    let has_page = plan.count > 0 && plan.offset + plan.count <= PAGE_END_MAX;
    let has_order = match plan.order.as_slice() {
        [] => true,
        [SortKey::Score] => plan.after.as_ref().is_none_or(String::is_empty),
        _ => false,
    };
    !needs_all && has_page && has_order
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use proptest::{collection, sample};
    use serde_json::{Value, json};

    use crate::search::index::fast_paths::FastPaths;
    use crate::search::test_index::{CATALOG, TestDocument, TestIndex, catalog_fields, few_conditions, match_nodes, nodes};

    proptest! {
        #![proptest_config(ProptestConfig { cases: 150, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn the_first_documents_are_those_of_a_search_of_all(
            match_node in match_nodes(),
            conditions in few_conditions(),
            restrictions in few_conditions(),
            (offset, count) in (0..5_usize, 1..30_usize),
        ) {
            let all_nodes = [vec![match_node], nodes(&conditions)].concat();
            let plan = json!({
                "nodes": all_nodes,
                "restrictions": nodes(&restrictions),
                "order": [{ "by": "score" }],
                "offset": offset, "count": count, "total": false,
            });
            let all = CATALOG.with_fast_paths(FastPaths::NEVER).find(&plan);
            for fast_paths in [FastPaths::ALWAYS, FastPaths::WITHOUT_UNIONS, FastPaths::MEASURED] {
                let index = CATALOG.with_fast_paths(fast_paths);
                // The second time, caches have what the first search found.
                for first in [index.find(&plan), index.find(&plan)] {
                    prop_assert_eq!(&first.hits, &all.hits);
                    prop_assert_eq!(first.best, all.best);
                    prop_assert_eq!(&first.relaxed, &all.relaxed);
                    prop_assert_eq!(first.total == 0, all.total == 0);
                }
            }
        }

        #[test]
        fn the_first_documents_of_quoted_phrases_are_those_of_a_search_of_all(
            phrases in collection::vec(collection::vec(sample::select(&["wing", "the", "bird", "of", "red"][..]), 2..4), 1..3),
            restrictions in few_conditions(),
            (offset, count) in (0..5_usize, 1..30_usize),
        ) {
            let phrases: Vec<String> = phrases.iter().map(|words| words.join(" ")).collect();
            let text = json!({ "words": [], "phrases": phrases, "excludedWords": [], "excludedPhrases": [] });
            let fields = json!([{ "name": "title", "weight": 2 }, { "name": "text", "weight": 1 }]);
            let plan = json!({
                "nodes": [{ "kind": "match", "text": text, "fields": fields }], "restrictions": nodes(&restrictions),
                "order": [{ "by": "score" }], "offset": offset, "count": count, "total": false,
            });
            let all = CATALOG.with_fast_paths(FastPaths::NEVER).find(&plan);
            let first = CATALOG.with_fast_paths(FastPaths::ALWAYS).find(&plan);
            prop_assert_eq!((&first.hits, first.best, first.total == 0), (&all.hits, all.best, all.total == 0));
        }

        #[test]
        fn the_first_documents_by_a_field_are_those_of_a_search_of_all(
            match_node in match_nodes(),
            conditions in few_conditions(),
            restrictions in few_conditions(),
            (field, descending) in (prop_oneof![Just("price"), Just("day"), Just("sold")], any::<bool>()),
            (offset, count, is_cursor) in (0..5_usize, 1..30_usize, any::<bool>()),
        ) {
            let all_nodes = [vec![match_node], nodes(&conditions)].concat();
            let mut plan = json!({
                "nodes": all_nodes,
                "restrictions": nodes(&restrictions),
                "order": [{ "by": "field", "field": field, "order": if descending { "descending" } else { "ascending" } }, { "by": "score" }],
                "offset": offset, "count": count, "total": false,
            });
            if is_cursor {
                plan["after"] = json!("");
            }
            let all = CATALOG.with_fast_paths(FastPaths::NEVER).find(&plan);
            let first = CATALOG.with_fast_paths(FastPaths::ALWAYS).find(&plan);
            prop_assert_eq!((&first.hits, &first.next, first.best), (&all.hits, &all.next, all.best));
            prop_assert_eq!((&first.relaxed, first.total == 0), (&all.relaxed, all.total == 0));
        }

        #[test]
        fn the_first_documents_by_id_are_those_of_a_search_of_all(
            restrictions in few_conditions(),
            (offset, count, pages) in (0..3_usize, 1..9_usize, 1..4),
            (total, statistics) in (any::<bool>(), any::<bool>()),
        ) {
            let (all, first) = (CATALOG.with_fast_paths(FastPaths::NEVER), CATALOG.with_fast_paths(FastPaths::ALWAYS));
            let mut plan = json!({
                "nodes": [{ "kind": "all" }], "restrictions": nodes(&restrictions),
                "offset": offset, "count": count, "total": total, "statistics": statistics, "after": "",
            });
            for _ in 0..pages {
                let (first, all) = (first.find(&plan), all.find(&plan));
                prop_assert_eq!((&first.hits, &first.next, first.statistics), (&all.hits, &all.next, all.statistics));
                prop_assert!(!(total || statistics) || first.total == all.total);
                let Some(next) = all.next else { break };
                plan["after"] = json!(next);
                plan["offset"] = json!(0);
            }
        }
    }

    /// The bound of a block is the score of its best document by the mean length in its own segment.
    #[test]
    fn no_document_is_left_out_if_lengths_differ_between_segments() {
        let document = |number: usize, length: usize| {
            // A long text with the word more often, or a short one: the mean length decides which scores higher.
            let occurrences = 1 + number * 7 % 5 + length / 12;
            let words: Vec<&str> = (0..length + occurrences).map(|index| if index < occurrences { "wing" } else { "sea" }).collect();
            TestDocument {
                id: format!("{number:05}"),
                attributes: json!({ "title": "bird", "text": words.join(" "), "sold": number.is_multiple_of(5) }),
            }
        };
        let segment =
            |first: usize, length_max: usize| (first..first + 2_000).map(|number| document(number, number * 31 % length_max)).collect();
        let segments: [Vec<TestDocument>; 3] = [segment(0, 12), segment(2_000, 60), segment(4_000, 300)];
        let index = TestIndex::new(&catalog_fields(), &segments, |_| false);
        let (all, first) = (index.with_fast_paths(FastPaths::NEVER), index.with_fast_paths(FastPaths::ALWAYS));
        for (words, typos) in [(vec!["wing"], false), (vec!["wing", "bird"], false), (vec!["wink"], true), (vec!["wink", "feather"], true)]
        {
            for count in 1..40 {
                let mut text = json!({ "words": words, "phrases": [], "excludedWords": [], "excludedPhrases": [] });
                text["unfinished"] = if typos { json!("zzz") } else { Value::Null };
                text.as_object_mut().unwrap().retain(|_, value| !value.is_null());
                let mut node = json!({
                    "kind": "match", "text": text, "matching": "any",
                    "fields": [{ "name": "title", "weight": 2 }, { "name": "text", "weight": 1 }],
                });
                if typos {
                    node["ranking"] = json!("words");
                    node["typos"] = json!({ "one": 4, "two": 8 });
                }
                let plan = json!({ "nodes": [node], "order": [{ "by": "score" }], "offset": 0, "count": count, "total": false });
                assert_eq!(first.find(&plan).hits, all.find(&plan).hits, "{words:?} {count}");
            }
        }
    }
}
