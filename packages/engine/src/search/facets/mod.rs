//! Facets: counts of the values of a field in the documents found.

pub mod counts;
pub mod days;
pub mod groups;
pub mod missing;
pub mod option_filter;
mod options;
pub mod summary;
pub mod units;
mod value_counts;
mod value_reader;

#[cfg(test)]
mod tests {
    use std::cmp::Reverse;
    use std::collections::{BTreeMap, BTreeSet};

    use proptest::prelude::*;
    use serde_json::{Value, json};

    use crate::search::index::fast_paths::FastPaths;
    use crate::search::test_index::{CATALOG, TestDocument, TestIndex, catalog_fields, few_conditions, nodes};

    proptest! {
        #![proptest_config(ProptestConfig { cases: 100, failure_persistence: None, ..ProptestConfig::default() })]

        /// Few documents are counted one by one, many by subtracting the others from the totals of a segment.
        #[test]
        fn the_counts_of_a_facet_are_those_of_the_documents(
            conditions in few_conditions(),
            restrictions in few_conditions(),
            field in prop_oneof![Just("tags"), Just("price"), Just("sold")],
            (offset, count) in (0..3_usize, 0..9_usize),
        ) {
            let accepts = |attributes: &Value| conditions.iter().chain(&restrictions).all(|condition| condition.accepts(attributes));
            let mut counts: BTreeMap<String, u64> = BTreeMap::new();
            for document in CATALOG.documents.iter().filter(|document| accepts(&document.attributes)) {
                let values = match &document.attributes[field] {
                    Value::Array(values) => values.clone(),
                    Value::Null => Vec::new(),
                    value => vec![value.clone()],
                };
                let values: BTreeSet<String> = values.iter().map(|value| value.as_str().map_or_else(|| value.to_string(), str::to_owned)).collect();
                values.into_iter().for_each(|value| *counts.entry(value).or_default() += 1);
            }
            let mut options: Vec<(Reverse<u64>, String)> = counts.into_iter().map(|(value, count)| (Reverse(count), value)).collect();
            options.sort_unstable();
            let page: Vec<Value> =
                options.iter().skip(offset).take(count).map(|(Reverse(count), value)| json!({ "value": value, "count": count })).collect();
            let plan = json!({
                "nodes": nodes(&conditions), "restrictions": nodes(&restrictions), "count": 0,
                "facet": { "field": field, "offset": offset, "count": count },
            });
            let facet = CATALOG.find(&plan).facet;
            prop_assert_eq!(&facet["distinct"], &json!(options.len()));
            prop_assert_eq!(&facet["largest"], &json!(options.first().map_or(0, |(Reverse(count), _)| *count)));
            // A page of `count` options ends at `offset + count`.
            prop_assert_eq!(&facet["options"], &json!(page));
        }
    }

    /// The values of a segment are kept in one or two bytes each, or not at all if a document has too many of them.
    #[test]
    fn the_counts_of_values_in_memory_are_those_of_the_columns() {
        let document = |number: usize, values: Vec<String>| TestDocument {
            id: format!("{number:05}"),
            attributes: json!({ "tags": values, "sold": number.is_multiple_of(3), "title": if number % 10 < 7 { "wing" } else { "bird" } }),
        };
        let segment = |start: usize, values: fn(usize) -> usize, different: usize| -> Vec<TestDocument> {
            let tags = |number: usize| (0..values(number)).map(|index| format!("tag {}", (number * 7 + index * 11) % different)).collect();
            (start..start + 1_500).map(|number| document(number, tags(number))).collect()
        };
        let segments = [
            segment(0, |_| 1, 40),
            segment(2_000, |_| 1, 400),
            segment(4_000, |number| number % 4, 40),
            segment(6_000, |number| 1 + number % 9, 400),
            segment(8_000, |number| if number == 8_100 { 300 } else { 2 }, 3_000),
            segment(10_000, |number| usize::from(number.is_multiple_of(2)), 40),
        ];
        let index = TestIndex::new(&catalog_fields(), &segments, |document| document.id.ends_with('4'));
        let (kept, read) = (index.with_fast_paths(FastPaths::ALWAYS), index.with_fast_paths(FastPaths::NEVER));
        for node in [
            json!({ "kind": "all" }),
            json!({ "kind": "match", "text": { "words": ["wing"], "phrases": [], "excludedWords": [], "excludedPhrases": [] }, "fields": [{ "name": "title", "weight": 1.0 }] }),
            json!({ "kind": "match", "text": { "words": ["bird"], "phrases": [], "excludedWords": [], "excludedPhrases": [] }, "fields": [{ "name": "title", "weight": 1.0 }] }),
        ] {
            let plan = json!({ "nodes": [node], "count": 0, "facet": { "field": "tags", "offset": 0, "count": 3_000 } });
            assert_counts(&kept.find(&plan).facet, &read.find(&plan).facet);
        }
    }

    fn assert_counts(kept: &Value, read: &Value) {
        assert!(read["distinct"].as_u64().unwrap() > 100);
        assert_eq!(kept, read);
    }
}
