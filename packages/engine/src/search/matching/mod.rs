//! Compiled conditions, and the documents of each segment that satisfy them.

pub mod conditions;
pub mod predicates;
pub mod probability_counts;
pub mod scored_hits;
pub mod segment;
pub mod windows;

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::predicates::Predicates;
    use super::segment::find_documents;
    use crate::plan::Node;
    use crate::search::compile::compile;
    use crate::search::index::cancel_token::CancelToken;
    use crate::search::index::context::SearchContext;
    use crate::search::test_index::{CATALOG, conditions, match_nodes, nodes};

    proptest! {
        #![proptest_config(ProptestConfig { cases: 80, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn conditions_find_the_documents_that_satisfy_them(conditions in proptest::collection::vec(conditions(), 1..4)) {
            let expected = CATALOG.ids_where(|attributes| conditions.iter().all(|condition| condition.accepts(attributes)));
            let reply = CATALOG.find(&json!({ "nodes": nodes(&conditions), "count": 3_000 }));
            prop_assert_eq!(reply.hits.iter().map(|(id, _)| id.as_str()).collect::<Vec<_>>(), expected);
        }

        #[test]
        fn single_documents_satisfy_the_conditions_that_find_them(
            conditions in proptest::collection::vec(conditions(), 1..4),
            match_node in match_nodes(),
            step in 1..40_usize,
        ) {
            let cancel_token = CancelToken::never();
            let context = SearchContext::unrestricted(&CATALOG.snapshot, &CATALOG.resources, &cancel_token);
            let mut compiled: Vec<Node> = nodes(&conditions).into_iter().map(|node| serde_json::from_value(node).unwrap()).collect();
            // Predicates also check the words that a match excludes.
            let mut text = match_node["text"].clone();
            text["words"] = json!([]);
            text["phrases"] = json!([]);
            let exclusions = json!({ "kind": "match", "text": text, "fields": match_node["fields"] });
            if text.get("unfinished").is_none() {
                compiled.push(serde_json::from_value(exclusions).unwrap());
            }
            let conditions = compile(&context, &compiled.iter().collect::<Vec<_>>(), &[]).unwrap();
            let documents = find_documents(&conditions, context.searcher, &cancel_token).unwrap();
            for (segment, reader) in context.searcher.segment_readers().iter().enumerate() {
                let mut predicates = Predicates::new(&conditions, segment, reader).unwrap();
                for document in (0..reader.max_doc()).step_by(step) {
                    let is_found = documents.segment(segment).contains(document);
                    prop_assert_eq!(!conditions.impossible && predicates.accepts(document), is_found, "{}", document);
                }
            }
        }
    }
}
