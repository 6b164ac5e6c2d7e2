//! Tests that whole numbers beyond 2^53 are found, counted, summed and ordered like others, by all their digits.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use proptest::prelude::*;
use serde_json::{Value, json};

use crate::search::test_index::{TestDocument, TestIndex};

const NEAR: [i64; 4] = [1 << 53, -(1 << 53), i64::MAX - 4, i64::MIN + 4];

/// Numbers that floats confuse, and a few small ones.
fn numbers() -> impl Strategy<Value = i64> {
    prop_oneof![
        4 => (proptest::sample::select(&NEAR[..]), -4_i64..=4).prop_map(|(near, distance)| near + distance),
        1 => -3_i64..=3,
    ]
}

fn create_index(documents: &[Vec<i64>]) -> TestIndex {
    let fields = json!([{ "name": "n", "type": "number" }, { "name": "e", "type": "number", "elements": true }]);
    let documents: Vec<TestDocument> = (0..)
        .zip(documents)
        .map(|(number, values)| TestDocument { id: format!("{number:02}"), attributes: json!({ "n": values, "e": values }) })
        .collect();
    let (first, second) = documents.split_at(documents.len() / 2);
    TestIndex::new(&fields, &[first.to_vec(), second.to_vec()], |_| false)
}

fn ids(index: &TestIndex, node: &Value) -> Vec<String> {
    index.find(&json!({ "nodes": [node], "offset": 0, "count": 100 })).hits.into_iter().map(|(id, _)| id).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn filters_and_ranges_tell_whole_numbers_apart(
        documents in proptest::collection::vec(proptest::collection::vec(numbers(), 0..4), 2..12),
        ends in (proptest::option::of(numbers()), proptest::option::of(numbers())),
        excludes_to in any::<bool>(),
        value in numbers(),
    ) {
        let index = create_index(&documents);
        let accepted = |accepts: &dyn Fn(i64) -> bool| -> Vec<String> {
            let has_any = |values: &Vec<i64>| values.iter().any(|value| accepts(*value));
            (0..).zip(&documents).filter(|(_, values)| has_any(values)).map(|(number, _): (i32, _)| format!("{number:02}")).collect()
        };
        let (from, to) = ends;
        let text = |value: Option<i64>| value.map(|value| value.to_string());
        let end = if excludes_to { "before" } else { "to" };
        for field in ["n", "e"] {
            let filter = json!({ "kind": "filter", "field": field, "alternatives": [{ "score": 1, "values": [value.to_string()] }] });
            let mut range = json!({ "kind": "range", "field": field });
            from.into_iter().for_each(|_| range["from"] = json!(text(from)));
            to.into_iter().for_each(|_| range[end] = json!(text(to)));
            let is_in_range = |value: i64| {
                from.is_none_or(|from| value >= from) && to.is_none_or(|to| if excludes_to { value < to } else { value <= to })
            };
            let together = |node: &Value| if field == "e" { json!({ "kind": "together", "parts": [node] }) } else { node.clone() };
            prop_assert_eq!(ids(&index, &together(&filter)), accepted(&|one| one == value));
            if from.or(to).is_some() {
                prop_assert_eq!(ids(&index, &together(&range)), accepted(&is_in_range));
            }
        }
    }

    #[test]
    fn facets_and_their_statistics_have_every_digit(documents in proptest::collection::vec(proptest::collection::vec(numbers(), 0..4), 2..12)) {
        let index = create_index(&documents);
        let mut counts: BTreeMap<String, u64> = BTreeMap::new();
        let mut all = Vec::new();
        for values in &documents {
            let mut distinct = values.clone();
            distinct.sort_unstable();
            distinct.dedup();
            distinct.iter().for_each(|value| *counts.entry(value.to_string()).or_default() += 1);
            all.extend(distinct);
        }
        let mut options: Vec<(Reverse<u64>, String)> = counts.into_iter().map(|(value, count)| (Reverse(count), value)).collect();
        options.sort_unstable();
        let options: Vec<Value> = options.iter().map(|(Reverse(count), value)| json!({ "value": value, "count": count })).collect();
        let plan = json!({ "nodes": [], "count": 0, "facet": { "field": "n", "offset": 0, "count": 100, "summary": true } });
        let facet = index.find(&plan).facet;
        prop_assert_eq!(&facet["options"], &json!(options));
        let is_large = |value: i64| value.unsigned_abs() >= 1 << 53;
        let number = |value: Option<&i64>| value.map(|value| if is_large(*value) { json!(value.to_string()) } else { json!(*value as f64) });
        prop_assert_eq!(&facet["summary"]["min"], &json!(number(all.iter().min())));
        prop_assert_eq!(&facet["summary"]["max"], &json!(number(all.iter().max())));
        prop_assert_eq!(&facet["summary"]["sum"], &json!(all.iter().map(|value| i128::from(*value)).sum::<i128>() as f64));
        prop_assert_eq!(&facet["summary"]["count"], &json!(all.len()));
    }

    #[test]
    fn pages_are_in_the_order_of_whole_numbers(
        documents in proptest::collection::vec(proptest::collection::vec(numbers(), 0..4), 2..12),
        descending in any::<bool>(),
        count in 1..4_usize,
    ) {
        let index = create_index(&documents);
        let mut expected: Vec<(bool, i128, String)> = (0..)
            .zip(&documents)
            .map(|(number, values): (i32, _)| {
                let key = if descending { values.iter().max().map(|value| -i128::from(*value)) } else { values.iter().min().map(|value| i128::from(*value)) };
                (key.is_none(), key.unwrap_or(0), format!("{number:02}"))
            })
            .collect();
        expected.sort_unstable();
        let order = json!([{ "by": "field", "field": "n", "order": if descending { "descending" } else { "ascending" } }]);
        let mut plan = json!({ "nodes": [], "offset": 0, "count": count, "after": "", "order": order });
        let mut found = Vec::new();
        loop {
            let page = index.find(&plan);
            found.extend(page.hits.into_iter().map(|(id, _)| id));
            let Some(next) = page.next else { break };
            plan["after"] = json!(next);
        }
        prop_assert_eq!(found, expected.into_iter().map(|(_, _, id)| id).collect::<Vec<_>>());
    }
}
