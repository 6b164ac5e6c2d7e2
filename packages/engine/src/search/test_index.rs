//! A small index in memory, for tests that compare a fast path with the exhaustive one.

use std::path::PathBuf;
use std::sync::LazyLock;

use proptest::prelude::{Just, Strategy};
use proptest::{collection, option, prop_oneof, sample};
use serde_json::{Value, json};
use tantivy::indexer::NoMergePolicy;
use tantivy::{Index, IndexWriter, TantivyDocument, Term};

use crate::analysis::tokenizers;
use crate::entity::Entity;
use crate::plan::Plan;
use crate::schema::IndexSchema;
use crate::store::Readers;

use super::execution::Execution;
use super::find;
use super::index::cancel_token::CancelToken;
use super::index::context::SearchResources;
use super::index::fast_paths::FastPaths;
use super::index::snapshot::Snapshot;
use super::order::hits;

const WRITER_BYTES: usize = 15_000_000;

pub struct TestIndex {
    pub snapshot: Snapshot,
    pub resources: SearchResources,
    /// The documents that are not deleted.
    pub documents: Vec<TestDocument>,
}

#[derive(Clone)]
pub struct TestDocument {
    pub id: String,
    pub attributes: Value,
}

/// What a plan finds in a test index.
#[derive(Debug, PartialEq)]
pub struct TestReply {
    pub total: u64,
    pub best: f64,
    /// Ids and scores of the page.
    pub hits: Vec<(String, f64)>,
    pub next: Option<String>,
    pub statistics: Option<[u64; 10]>,
    pub facet: Value,
    pub relaxed: Vec<String>,
}

impl TestIndex {
    /// Indexes documents, each list of them as a segment, and then deletes some. `fields` are those of a `GenerationSpec`.
    pub fn new(fields: &Value, segments: &[Vec<TestDocument>], is_deleted: impl Fn(&TestDocument) -> bool) -> TestIndex {
        let spec = serde_json::from_value(json!({ "fields": fields })).unwrap();
        let schema = IndexSchema::new(&spec).unwrap();
        let mut index = Index::create_in_ram(schema.schema.clone());
        index.set_tokenizers(tokenizers());
        index.set_fast_field_tokenizers(tokenizers());
        let mut writer: IndexWriter<TantivyDocument> = index.writer_with_num_threads(1, WRITER_BYTES).unwrap();
        writer.set_merge_policy(Box::new(NoMergePolicy));
        let mut sequence = 0;
        for segment in segments {
            for TestDocument { id, attributes } in segment {
                sequence += 1;
                let entity = Entity::from(json!({ "id": id, "class": [], "attributes": attributes }).to_string());
                writer.add_document(schema.document(id, sequence, &entity)).unwrap();
            }
            writer.commit().unwrap();
        }
        let (deleted, documents): (Vec<_>, Vec<_>) = segments.concat().into_iter().partition(is_deleted);
        for document in &deleted {
            writer.delete_term(Term::from_field_text(schema.id, &document.id));
        }
        writer.commit().unwrap();
        let snapshot = Snapshot::new(index.reader().unwrap().searcher(), sequence, 1);
        // No test reads stored entities.
        TestIndex { snapshot, resources: SearchResources::new(schema, Readers::new(PathBuf::new())), documents }
    }

    /// Sets when searches take fast paths. Forgets what earlier searches cached.
    pub fn with_fast_paths(&self, fast_paths: FastPaths) -> TestIndex {
        let Snapshot { searcher, sequence, version, .. } = &self.snapshot;
        let spec = serde_json::from_value(json!({ "fields": catalog_fields() })).unwrap();
        let schema = IndexSchema::new(&spec).unwrap();
        let mut resources = SearchResources::new(schema, Readers::new(PathBuf::new()));
        resources.fast_paths = fast_paths;
        TestIndex { snapshot: Snapshot::new(searcher.clone(), *sequence, *version), resources, documents: self.documents.clone() }
    }

    pub fn find(&self, plan: &Value) -> TestReply {
        let plan: Plan = serde_json::from_value(plan.clone()).unwrap_or_else(|error| panic!("{error}: {plan}"));
        let cancel_token = CancelToken::never();
        let execution = Execution { snapshot: &self.snapshot, resources: &self.resources, plan: &plan, cancel_token: &cancel_token };
        let (findings, facet) = find(&execution).unwrap();
        let documents: Vec<_> = findings.hits.iter().map(|hit| (hit.segment, hit.document)).collect();
        let ids = hits::ids(&self.snapshot.searcher, &documents).unwrap();
        let scores = findings.hits.iter().map(|hit| hit.score.min(findings.best));
        TestReply {
            total: findings.total,
            best: findings.best,
            hits: ids.into_iter().zip(scores).collect(),
            next: findings.next,
            statistics: findings.statistics,
            facet: json!(facet),
            relaxed: findings.relaxed,
        }
    }

    /// Returns the ids of all documents whose attributes satisfy a condition, in order.
    pub fn ids_where(&self, condition: impl Fn(&Value) -> bool) -> Vec<&str> {
        let mut ids: Vec<&str> =
            self.documents.iter().filter(|document| condition(&document.attributes)).map(|document| document.id.as_str()).collect();
        ids.sort_unstable();
        ids
    }
}

/// Pseudo-random numbers, the same in each run.
struct Numbers(u64);

impl Numbers {
    /// Returns a number below `end` (splitmix64).
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) % end as u64) as usize
    }

    /// Returns an item. The first ones are more frequent.
    fn pick<'a>(&mut self, items: &[&'a str]) -> &'a str {
        let range = 1 + self.below(items.len());
        items[self.below(range)]
    }
}

/// Words with neighbors: forms, beginnings and typos of each other, compounds, and stop words.
pub const WORDS: [&str; 24] = [
    "wing", "bird", "the", "red", "wings", "feather", "ring", "blue", "winged", "birds", "of", "king", "wind", "window", "reader",
    "featherd", "brid", "wink", "and", "windwing", "sea", "see", "bard", "rings",
];
pub const TAGS: [&str; 6] = ["red", "green", "blue", "", "a b", "é"];

pub fn catalog_fields() -> Value {
    json!([
        { "name": "title", "type": "text", "language": "english", "prefix": true },
        { "name": "text", "type": "text", "language": "english", "prefix": true },
        { "name": "tags", "type": "keyword" },
        { "name": "price", "type": "number" },
        { "name": "sold", "type": "boolean" },
        { "name": "day", "type": "date" },
    ])
}

fn catalog_document(number: usize, numbers: &mut Numbers) -> TestDocument {
    let words = |numbers: &mut Numbers, max: usize| {
        let count = 1 + numbers.below(max);
        // Some words have further forms: hyphens join them.
        (0..count).fold(String::new(), |text, _| {
            let separator = if numbers.below(6) == 0 { "-" } else { " " };
            let word = numbers.pick(&WORDS);
            if text.is_empty() { word.to_owned() } else { text + separator + word }
        })
    };
    let (title, text) = (words(numbers, 3), words(numbers, 12));
    let count = numbers.below(4);
    let tags: Vec<&str> = (0..count).map(|_| numbers.pick(&TAGS)).collect();
    let mut attributes = json!({ "title": title, "text": text, "tags": tags, "sold": numbers.below(5) == 0 });
    if numbers.below(4) > 0 {
        attributes["price"] = json!(numbers.below(50));
    }
    if numbers.below(3) > 0 {
        attributes["day"] = json!(format!("2020-01-{:02}", 1 + numbers.below(28)));
    }
    // The order of ids is neither that of the documents nor of the segments.
    TestDocument { id: format!("{:04x}", number * 7_919 % 0xffff), attributes }
}

/// 2,900 documents in three segments, some of them deleted. The largest segment has several windows and blocks of postings.
pub static CATALOG: LazyLock<TestIndex> = LazyLock::new(|| {
    let mut numbers = Numbers(1);
    let mut number = 0;
    let segments: Vec<Vec<TestDocument>> = [2_500, 350, 50]
        .map(|size| {
            let documents = (0..size).map(|_| {
                number += 1;
                catalog_document(number, &mut numbers)
            });
            documents.collect()
        })
        .into();
    TestIndex::new(&catalog_fields(), &segments, |document| document.id.ends_with('7'))
});

/// Words of the catalog written as one.
const JOINED_WORDS: [&str; 4] = ["redwing", "bluebird", "kingwind", "birdking"];

fn words() -> impl Strategy<Value = Vec<&'static str>> {
    collection::vec(sample::select([&WORDS[..], &JOINED_WORDS[..]].concat()), 1..4)
}

/// A match of the words of the catalog, ranked by words or by scores alone, completed, corrected, relaxed or not.
pub fn match_nodes() -> impl Strategy<Value = Value> {
    let unfinished = option::of(sample::select(&["w", "wi", "win", "wind", "feat", "re", "b"][..]));
    let matching = sample::select(&["any", "all", "relaxed"][..]);
    let excluded = option::weighted(0.2, sample::select(&WORDS[..]));
    let flags = (proptest::bool::ANY, proptest::bool::ANY, proptest::bool::ANY, proptest::bool::weighted(0.2));
    (words(), unfinished, matching, excluded, flags).prop_map(|(words, unfinished, matching, excluded, (typos, exact, by_words, phrase))| {
        let phrases: Vec<String> = if phrase { vec![words.join(" ")] } else { Vec::new() };
        let mut text = json!({ "words": words, "phrases": phrases, "excludedWords": [], "excludedPhrases": [] });
        if let Some(excluded) = excluded {
            text["excludedWords"] = json!([excluded]);
        }
        let mut node = json!({
            "kind": "match", "text": text, "fields": [{ "name": "title", "weight": 2 }, { "name": "text", "weight": 1 }], "matching": matching,
        });
        if by_words {
            node["ranking"] = json!("words");
            node["exact"] = json!(exact);
            if let Some(unfinished) = unfinished {
                node["text"]["unfinished"] = json!(unfinished);
            }
            if typos {
                node["typos"] = json!({ "one": 4, "two": 8 });
            }
        }
        node
    })
}

/// A condition on the values of the catalog, and whether a document satisfies it.
#[derive(Debug, Clone)]
pub enum Condition {
    Tag(&'static str),
    Sold(bool),
    Price(usize, usize),
    Any(Vec<Condition>, bool),
}

impl Condition {
    pub fn node(&self) -> Value {
        let filter =
            |field: &str, value: Value| json!({ "kind": "filter", "field": field, "alternatives": [{ "score": 1, "values": [value] }] });
        match self {
            Condition::Tag(tag) => filter("tags", json!(tag)),
            Condition::Sold(sold) => filter("sold", json!(sold)),
            Condition::Price(from, to) => json!({ "kind": "range", "field": "price", "from": from, "to": to }),
            Condition::Any(parts, not) => {
                json!({ "kind": "any", "parts": parts.iter().map(Condition::node).collect::<Vec<_>>(), "not": not })
            }
        }
    }

    pub fn accepts(&self, attributes: &Value) -> bool {
        match self {
            Condition::Tag(tag) => attributes["tags"].as_array().is_some_and(|tags| tags.iter().any(|other| other == tag)),
            Condition::Sold(sold) => attributes["sold"] == *sold,
            Condition::Price(from, to) => attributes["price"].as_u64().is_some_and(|price| (*from as u64..=*to as u64).contains(&price)),
            Condition::Any(parts, not) => parts.iter().any(|part| part.accepts(attributes)) != *not,
        }
    }
}

pub fn conditions() -> impl Strategy<Value = Condition> {
    let simple = prop_oneof![
        sample::select(&TAGS[..]).prop_map(Condition::Tag),
        proptest::bool::ANY.prop_map(Condition::Sold),
        (0..50_usize, 0..50_usize).prop_map(|(from, to)| Condition::Price(from.min(to), from.max(to))),
    ];
    prop_oneof![3 => simple.clone(), 1 => (collection::vec(simple, 1..4), proptest::bool::ANY).prop_map(|(parts, not)| Condition::Any(parts, not))]
}

/// At most two conditions.
pub fn few_conditions() -> impl Strategy<Value = Vec<Condition>> {
    prop_oneof![3 => Just(Vec::new()), 2 => collection::vec(conditions(), 1..3)]
}

pub fn nodes(conditions: &[Condition]) -> Vec<Value> {
    conditions.iter().map(Condition::node).collect()
}
