//! The JSON form of a query plan. `packages/engine/plan.ts`, the types of the server, is generated from these types: a test compares them.
//!
//! An unknown key is an error, so that no engine ignores a part of a plan in silence. If you change a type, run
//! `WRITE_TYPES=1 node packages/engine/cargo.js test --lib plan`.
//!
//! Over 400 lines: all parts of a plan with their documentation, and no logic.

use serde::Deserialize;
#[cfg(test)]
use ts_rs::TS;

pub use crate::plan_area::{Area, GeoBox, Point, Polygon};
pub use crate::plan_facet::{CalendarUnit, FacetGroups, FacetRequest, GroupRange, Value, ZoneOffsets};
use crate::synonym_lists::NamedSynonyms;

/// A query. The score of a document is (the sum of the added scores, or 1 when no node adds any) × (the product of the scores of filters and
/// of the boosts). The order of nodes makes no difference.
#[derive(Debug, Clone, Deserialize)]
#[cfg_attr(test, derive(TS))]
#[serde(deny_unknown_fields)]
pub struct Plan {
    pub nodes: Vec<Node>,
    /// The row filter and other conditions that never score. The engine answers as if no other documents existed: it computes scores from the
    /// statistics of these documents, and completes and corrects words only to words that they contain.
    #[serde(default)]
    pub restrictions: Vec<Node>,
    #[serde(default)]
    pub order: Vec<SortKey>,
    /// Minimum probability (score / best score) of a result, 0 to 1.
    #[serde(default)]
    pub cutoff: f64,
    /// The requested page of items; `count` is 0 if the caller needs none.
    #[serde(default)]
    pub offset: usize,
    #[serde(default)]
    pub count: usize,
    /// The ten exact numbers of results with probability at least 0.9, 0.8, … 0.0.
    #[serde(default)]
    pub statistics: bool,
    /// If false, the caller ignores the total, so an engine may skip documents that cannot be on the page.
    #[serde(default = "default_total")]
    #[cfg_attr(test, ts(optional, as = "Option<_>"))]
    pub total: bool,
    /// If false, the caller ignores the best score and the scores of hits, so an engine need not find the best score.
    #[serde(default)]
    #[cfg_attr(test, ts(optional))]
    #[expect(dead_code, reason = "it helps another engine")]
    scores: Option<bool>,
    #[serde(default)]
    #[cfg_attr(test, ts(optional))]
    pub facet: Option<FacetRequest>,
    /// Keeps the best documents for each value of a field.
    #[serde(default)]
    #[cfg_attr(test, ts(optional))]
    pub collapse: Option<Collapse>,
    #[serde(default)]
    #[cfg_attr(test, ts(optional))]
    pub highlight: Option<HighlightRequest>,
    /// Requests similar words if no document matches. Ignored if `count` is 0.
    #[serde(default)]
    #[cfg_attr(test, ts(optional, as = "Option<_>"))]
    pub suggest: bool,
    /// Continues after the position of the previous page, at the same cost for each page; '' for the first page. The order, the nodes and the
    /// restrictions must be those of that page. Total, best score, statistics and facet count the whole result.
    #[serde(default)]
    #[cfg_attr(test, ts(optional))]
    pub after: Option<String>,
}

impl Plan {
    /// Whether documents are dropped because of their probability.
    pub fn has_cutoff(&self) -> bool {
        self.cutoff > 0.0
    }

    /// Whether the reply depends on the scores of documents, not only on which documents match.
    pub fn needs_scores(&self) -> bool {
        self.count > 0 || self.statistics || self.has_cutoff()
    }
}

/// Keeps one result for each value of a keyword or number field: the first in the order of the plan. A document belongs to its first value
/// that is not an empty text; one without a value stays alone. `total`, `statistics`, `offset`, `count` and `after` count values. Cutoff and
/// facets apply to documents, before. The score of a value in `statistics` is the best of its documents.
#[derive(Debug, Clone, Deserialize)]
#[cfg_attr(test, derive(TS))]
#[serde(deny_unknown_fields)]
pub struct Collapse {
    pub field: String,
    /// Documents to return for each value, 1 to 10.
    pub best: usize,
}

fn default_total() -> bool {
    true
}

/// One step of a plan. A matching document satisfies all of them.
#[derive(Debug, Clone, Deserialize)]
#[cfg_attr(test, derive(TS), ts(rename = "PlanNode"))]
#[serde(tag = "kind", rename_all = "lowercase", deny_unknown_fields)]
pub enum Node {
    All,
    /// Adds its BM25 score. A blank text matches everything and adds nothing. A text of exclusions only matches every document without them.
    /// A word contributes the best of the word as typed, its completion and its corrections. An engine may limit how many variants of a word
    /// it accepts: the closest first, then the most frequent.
    Match {
        text: ParsedText,
        fields: Vec<WeightedField>,
        /// Without it, no word may contain typos. Numbers match exactly. Requires `ranking`.
        #[serde(default)]
        #[cfg_attr(test, ts(optional))]
        typos: Option<TypoLengths>,
        /// Texts with an unfinished word require it.
        #[serde(default)]
        #[cfg_attr(test, ts(optional, as = "Option<_>"))]
        ranking: Ranking,
        /// Documents come first in which the whole text of a field is the query.
        #[serde(default)]
        #[cfg_attr(test, ts(optional, as = "Option<_>"))]
        exact: bool,
        /// The words that a document needs. A phrase is one word.
        #[serde(default)]
        #[cfg_attr(test, ts(optional, as = "Option<_>"))]
        matching: Matching,
        /// Longer words that contain a word of at least three letters count too, after all other matches. Requires `ranking`.
        #[serde(default)]
        #[cfg_attr(test, ts(optional, as = "Option<_>"))]
        contains: bool,
        /// Ids of documents that match whatever their words, and come first in this order when results are sorted by score. Their score
        /// equals the best score of the others. All other nodes and the restrictions apply to them too. Ignored inside a mix.
        #[serde(default)]
        #[cfg_attr(test, ts(optional, as = "Option<_>"))]
        pinned: Vec<String>,
        /// Ids of matching documents that come last, with a negligible score. If a document is both pinned and buried, it is pinned.
        #[serde(default)]
        #[cfg_attr(test, ts(optional, as = "Option<_>"))]
        buried: Vec<String>,
        /// Multiply the sum of BM25 scores, so that they never lift a document over one with more of the words, fewer typos or an exact text.
        /// Requires `ranking`.
        #[serde(default)]
        #[cfg_attr(test, ts(optional, type = "Extract<PlanNode, { kind: 'boost' }>[]"))]
        boosts: Vec<Node>,
    },
    /// Matches documents in which a value of the field equals one of the alternatives, and multiplies by the highest score among those. Dates
    /// are RFC 3339, or a prefix that names a whole day.
    Filter {
        field: String,
        alternatives: Vec<ScoredValues>,
    },
    /// Matches the documents with these ids; without alternatives, none.
    Lookup {
        alternatives: Vec<ScoredValues>,
    },
    /// Matches documents in which a value of the geo field lies within one of the circles, edge included, and multiplies by the highest score
    /// among those circles. Distance is the great-circle distance on a sphere of radius 6,371,008.8 m.
    Distance {
        field: String,
        alternatives: Vec<ScoredCircles>,
    },
    /// Matches documents in which a value of the geo field is in the area, its edges included. It never scores.
    Area {
        field: String,
        area: Area,
    },
    /// Both ends inclusive, either may be absent.
    Range {
        field: String,
        #[serde(default)]
        #[cfg_attr(test, ts(optional, type = "string | number"))]
        from: Option<Value>,
        #[serde(default)]
        #[cfg_attr(test, ts(optional, type = "string | number"))]
        to: Option<Value>,
        /// An exclusive upper end, instead of `to`.
        #[serde(default)]
        #[cfg_attr(test, ts(optional, type = "string | number"))]
        before: Option<Value>,
    },
    /// Matches other documents that share the most significant words of the document with this id, and adds the BM25 scores of those words.
    /// Matches nothing if that document does not exist or does not satisfy the restrictions. If one of `fields` is a vector, matches the
    /// 1,000 documents with the nearest vectors instead, and adds the scores of a `nearest` node.
    Similar {
        id: String,
        fields: Vec<WeightedField>,
    },
    /// Matches the `limit` documents whose vectors are nearest, among those that satisfy the rest of the plan apart from mixes and other
    /// nearest nodes, and adds the score of the metric of the field. Drops scores below `minimum` (0 to 1). A document with several vectors
    /// has the score of the nearest. The choice may be approximate.
    Nearest {
        field: String,
        vector: Vec<f32>,
        /// The most documents to find.
        limit: usize,
        /// The lowest score of a document that is found.
        minimum: f64,
    },
    /// Matches documents that any of the parts matches. By rank, adds the sum of weight / (10 + rank) (reciprocal rank fusion), where equal
    /// scores share a rank. By score, adds the sum of weight × share (distribution-based score fusion): a score that is three standard
    /// deviations below the mean of the part's best 1,000 has the share 0, three above it 1, better ones more. Ranks and distributions count
    /// only documents that satisfy the whole plan. The `boosts` of a part multiply its scores.
    Mix {
        parts: Vec<Part>,
        by: MixBy,
    },
    /// Matches the documents that any of the parts matches; with `not`, all others. Parts are nodes of kind filter, lookup, distance, range
    /// or present, or further nodes of kind any. It never scores.
    Any {
        parts: Vec<Node>,
        not: bool,
    },
    /// Matches documents with a value of the field, of any type; with `not`, those without. An empty text is no value.
    Present {
        field: String,
        not: bool,
    },
    /// Matches the documents of which one element of a list satisfies all parts: filters of fields with the same `list`. It never scores.
    Together {
        parts: Vec<Node>,
    },
    /// Matches everything, and multiplies scores by the factor of the rule; by 1 for documents without a value.
    Boost {
        field: String,
        rule: BoostRule,
    },
}

impl Node {
    /// Whether the node keeps documents by their values, without scoring.
    pub fn is_filter(&self) -> bool {
        matches!(self, Node::Filter { .. } | Node::Lookup { .. } | Node::Distance { .. } | Node::Range { .. } | Node::Area { .. })
            || matches!(self, Node::Present { .. } | Node::Any { .. })
    }
}

/// The factor of a boost. The most favorable value of a document counts: the largest number, the latest date, the nearest place.
#[derive(Debug, Clone, Deserialize)]
#[cfg_attr(test, derive(TS))]
#[serde(tag = "by", rename_all = "lowercase", rename_all_fields = "camelCase", deny_unknown_fields)]
pub enum BoostRule {
    /// `factor` for documents with one of the values, at least 1e-3 and at most 1,000.
    Value { values: Vec<Value>, factor: f64 },
    /// 1 + log10(1 + number). Numbers count as at least 0 and at most `boostNumberMax` of the server.
    Log,
    /// 1 + number, with the same limits.
    Linear,
    /// 1 + 0.5 ^ (age / half-life); dates after `nowMs`, in milliseconds since 1970, have age 0.
    Age {
        /// Milliseconds since 1970.
        now_ms: f64,
        half_life_ms: f64,
    },
    /// 1 + 0.5 ^ (distance / half distance), in meters.
    Distance { lat: f64, lon: f64, half_meters: f64 },
}

/// Lengths in characters from which a word may contain one typo, and two (Damerau-Levenshtein; a wrong first letter counts as two).
#[derive(Debug, Clone, Copy, Deserialize)]
#[cfg_attr(test, derive(TS))]
#[serde(deny_unknown_fields)]
pub struct TypoLengths {
    pub one: usize,
    pub two: usize,
}

/// The order of the documents that a match finds.
#[derive(Debug, Clone, Copy, Default, Deserialize, PartialEq, Eq)]
#[cfg_attr(test, derive(TS))]
#[serde(rename_all = "lowercase")]
pub enum Ranking {
    /// By BM25.
    #[default]
    Score,
    /// More of the query's words first, then fewer typos, whole words before completions, and BM25 last.
    Words,
}

/// The words of a query that a document must contain.
#[derive(Debug, Clone, Copy, Default, Deserialize, PartialEq, Eq)]
#[cfg_attr(test, derive(TS))]
#[serde(rename_all = "lowercase")]
pub enum Matching {
    #[default]
    Any,
    All,
    /// All of them. If no document has them all, the most frequent word is dropped, until a document matches.
    Relaxed,
}

/// Parsed free text: words and phrases are alternatives; documents with an excluded word or phrase do not match.
#[derive(Debug, Clone, Deserialize)]
#[cfg_attr(test, derive(TS))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ParsedText {
    pub words: Vec<String>,
    pub phrases: Vec<String>,
    pub excluded_words: Vec<String>,
    pub excluded_phrases: Vec<String>,
    /// The last word as typed so far, to be completed. It is not in `words`, but also matches as a whole word.
    #[serde(default)]
    #[cfg_attr(test, ts(optional))]
    pub unfinished: Option<String>,
    /// Those of `words` that are stop words of the collection. They are ignored if the text has other words.
    #[serde(default)]
    #[cfg_attr(test, ts(optional, as = "Option<_>"))]
    pub ignored_words: Vec<String>,
    /// Whether `unfinished` is a stop word of the collection, or may become one. Then no document needs it.
    #[serde(default)]
    #[cfg_attr(test, ts(optional, type = "true"))]
    pub may_lack_unfinished: bool,
    /// The synonyms of the collection: their number in JSON.
    #[serde(default)]
    #[cfg_attr(test, ts(optional, type = "{ toJSON(): number }"))]
    pub synonyms: Option<NamedSynonyms>,
}

#[derive(Debug, Clone, Deserialize)]
#[cfg_attr(test, derive(TS))]
#[serde(deny_unknown_fields)]
pub struct WeightedField {
    pub name: String,
    pub weight: f32,
}

/// One alternative of a filter: a document with any of these values matches, and its score is multiplied by `score` (above 0).
#[derive(Debug, Clone, Deserialize)]
#[cfg_attr(test, derive(TS))]
#[serde(deny_unknown_fields)]
pub struct ScoredValues {
    pub score: f64,
    pub values: Vec<Value>,
}

/// One alternative of circles around places: degrees of WGS84, the radius in meters.
#[derive(Debug, Clone, Deserialize)]
#[cfg_attr(test, derive(TS))]
#[serde(deny_unknown_fields)]
pub struct ScoredCircles {
    pub score: f64,
    pub circles: Vec<Circle>,
}

/// Center in degrees, and radius.
#[derive(Debug, Clone, Copy, Deserialize)]
#[cfg_attr(test, derive(TS))]
#[serde(deny_unknown_fields)]
pub struct Circle {
    pub lat: f64,
    pub lon: f64,
    pub meters: f64,
}

/// A sort key. The id, ascending by UTF-8 bytes, breaks the last ties. Missing values sort last. If a document has several values, the
/// smallest counts in ascending order and the largest in descending order.
#[derive(Debug, Clone, Deserialize)]
#[cfg_attr(test, derive(TS))]
#[serde(tag = "by", rename_all = "lowercase", deny_unknown_fields)]
pub enum SortKey {
    Score,
    Field {
        field: String,
        order: Direction,
    },
    /// Sorts by the distance from a point.
    Distance {
        field: String,
        lat: f64,
        lon: f64,
        order: Direction,
    },
}

#[derive(Debug, Clone, Copy, Deserialize, PartialEq, Eq)]
#[cfg_attr(test, derive(TS))]
#[serde(rename_all = "lowercase")]
pub enum Direction {
    Ascending,
    Descending,
}

#[derive(Debug, Clone, Deserialize)]
#[cfg_attr(test, derive(TS), ts(rename = "MixPart"))]
#[serde(deny_unknown_fields)]
pub struct Part {
    pub weight: f64,
    pub node: Node,
    /// Boost nodes that multiply the scores of the part.
    #[serde(default)]
    #[cfg_attr(test, ts(optional, type = "Extract<PlanNode, { kind: 'boost' }>[]"))]
    pub boosts: Vec<Node>,
    /// Engines ignore it.
    #[serde(default)]
    #[cfg_attr(test, ts(optional))]
    #[expect(dead_code, reason = "it names the part for the server")]
    name: Option<String>,
}

#[derive(Debug, Clone, Copy, Deserialize, PartialEq, Eq)]
#[cfg_attr(test, derive(TS))]
#[serde(rename_all = "lowercase")]
pub enum MixBy {
    Rank,
    Score,
}

/// Snippets of the hits, in which the words that the match nodes found are marked.
#[derive(Debug, Clone, Deserialize)]
#[cfg_attr(test, derive(TS))]
#[serde(deny_unknown_fields)]
pub struct HighlightRequest {
    pub fields: Vec<String>,
    /// Maximum number of snippets of a field.
    pub snippets: usize,
    /// Maximum number of characters of text in a snippet, unless the marked part alone is longer.
    pub chars: usize,
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::PathBuf;

    use ts_rs::Config;

    use super::*;

    const HEAD: &str = "\
// biome-ignore-all format: generated from src/plan.rs
// biome-ignore-all lint: generated from src/plan.rs
/**
 * The JSON form of a query plan. src/plan.rs documents its kinds of nodes. To change it, change src/plan.rs, and write this file with
 * `WRITE_TYPES=1 node packages/engine/cargo.js test --lib plan`.
 */
";

    fn declaration<T: TS>(config: &Config) -> String {
        let docs = T::docs().unwrap_or_default();
        let declaration = T::decl(config);
        let lines: Vec<&str> = docs.lines().chain(declaration.lines()).map(str::trim_end).collect();
        format!(
            "\n{}\n",
            lines.join("\n").replacen("type ", "export type ", usize::from(docs.is_empty())).replace("\ntype ", "\nexport type ")
        )
    }

    #[test]
    fn the_types_of_the_server_are_those_of_the_engine() {
        let config = Config::new();
        macro_rules! declarations {
            ($($name:ty),*) => { [HEAD.to_owned(), $(declaration::<$name>(&config)),*].concat() };
        }
        let types = declarations!(
            Plan,
            Node,
            Part,
            MixBy,
            BoostRule,
            ParsedText,
            WeightedField,
            TypoLengths,
            Ranking,
            Matching,
            Value,
            ScoredValues,
            ScoredCircles,
            Circle,
            Point,
            Area,
            GeoBox,
            Polygon,
            SortKey,
            Direction,
            FacetRequest,
            FacetGroups,
            GroupRange,
            CalendarUnit,
            ZoneOffsets,
            Collapse,
            HighlightRequest
        );
        // Cargo sets it at run time too; checkouts may share a compiled test.
        let path = PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").unwrap()).join("plan.ts");
        if std::env::var_os("WRITE_TYPES").is_some() {
            fs::write(&path, &types).unwrap();
        }
        assert_eq!(fs::read_to_string(path).unwrap_or_default(), types, "see the comment at the top of plan.rs");
    }

    #[test]
    fn an_unknown_key_is_an_error_wherever_it_is() {
        let read = |text: &str| serde_json::from_str::<Plan>(text).map(drop).map_err(|error| error.to_string());
        let rule =
            |extra: &str| format!(r#"{{"kind":"boost","field":"a","rule":{{"by":"distance","lat":1,"lon":2,"halfMeters":3{extra}}}}}"#);
        let sort = |extra: &str| format!(r#"{{"by":"distance","field":"a","lat":1,"lon":2,"order":"ascending"{extra}}}"#);
        let plan = |place: &str, part: &str| match place {
            "order" => format!(r#"{{"nodes":[],"order":[{part}]}}"#),
            _ => format!(r#"{{"nodes":[{part}]}}"#),
        };
        let parts = [
            ("nodes", rule(""), rule(r#","x":1"#)),
            ("order", sort(""), sort(r#","x":1"#)),
            ("nodes", r#"{"kind":"lookup","alternatives":[]}"#.to_owned(), r#"{"kind":"lookup","alternatives":[],"x":1}"#.to_owned()),
            (
                "nodes",
                r#"{"kind":"filter","field":"a","alternatives":[{"score":1,"values":["x"]}]}"#.to_owned(),
                r#"{"kind":"filter","field":"a","alternatives":[{"score":1,"values":["x"],"x":1}]}"#.to_owned(),
            ),
        ];
        for (place, right, wrong) in parts {
            assert_eq!(read(&plan(place, &right)), Ok(()), "{right}");
            assert!(read(&plan(place, &wrong)).is_err_and(|error| error.contains("unknown field `x`")), "{wrong}");
        }
        assert!(read(r#"{"nodes":[],"min_score":1}"#).is_err_and(|error| error.contains("unknown field `min_score`")));
    }
}
