//! Facets: counts of the values of a field in the documents found.

pub mod counts;
pub mod days;
pub mod groups;
pub mod missing;
pub mod option_filter;
pub mod summary;
pub mod units;
mod value_reader;

#[cfg(test)]
mod tests {
    use std::cmp::Reverse;
    use std::collections::{BTreeMap, BTreeSet};

    use proptest::prelude::*;
    use serde_json::{Value, json};

    use crate::search::test_index::{CATALOG, few_conditions, nodes};

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
}
