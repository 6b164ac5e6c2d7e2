//! The JSON form of a query plan (`Plan` in the server's engine.ts).

use serde::Deserialize;

pub use crate::plan_area::{Area, GeoBox, Point, Polygon};
use crate::synonym_lists::NamedSynonyms;

#[derive(Debug, Clone, Deserialize)]
pub struct Plan {
    pub nodes: Vec<Node>,
    #[serde(default)]
    pub restrictions: Vec<Node>,
    #[serde(default)]
    pub order: Vec<SortKey>,
    #[serde(default)]
    pub cutoff: f64,
    #[serde(default)]
    pub offset: usize,
    #[serde(default)]
    pub count: usize,
    #[serde(default)]
    pub statistics: bool,
    /// Whether the caller needs the exact total.
    #[serde(default = "default_total")]
    pub total: bool,
    #[serde(default)]
    pub facet: Option<FacetRequest>,
    /// Keeps the best documents for each value of a field.
    #[serde(default)]
    pub collapse: Option<Collapse>,
    #[serde(default)]
    pub highlight: Option<HighlightRequest>,
    /// Whether the reply names similar words if no document matches.
    #[serde(default)]
    pub suggest: bool,
    /// The position after which the page starts; empty for the first page. With it, the reply has the position of the next page.
    #[serde(default)]
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

/// A document belongs to its first value of the field. One without a value stays alone.
#[derive(Debug, Clone, Deserialize)]
pub struct Collapse {
    pub field: String,
    /// The number of documents to return for each value.
    pub best: usize,
}

fn default_total() -> bool {
    true
}

#[derive(Debug, Clone, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum Node {
    All,
    Match {
        text: ParsedText,
        fields: Vec<WeightedField>,
        /// `None` allows no typos.
        #[serde(default)]
        typos: Option<TypoLengths>,
        #[serde(default)]
        ranking: Ranking,
        #[serde(default)]
        exact: bool,
        #[serde(default)]
        matching: Matching,
        /// Whether longer words that contain a word count too, after all other matches.
        #[serde(default)]
        contains: bool,
        /// Ids of documents that always match and come first, in this order.
        #[serde(default)]
        pinned: Vec<String>,
        /// Ids of documents that come last.
        #[serde(default)]
        buried: Vec<String>,
        /// Boost nodes that multiply BM25 scores. Only a match that is ranked by words has any.
        #[serde(default)]
        boosts: Vec<Node>,
    },
    Filter {
        field: String,
        alternatives: Vec<ScoredValues>,
    },
    Lookup {
        alternatives: Vec<ScoredValues>,
    },
    Distance {
        field: String,
        alternatives: Vec<ScoredCircles>,
    },
    Area {
        field: String,
        area: Area,
    },
    Range {
        field: String,
        #[serde(default)]
        from: Option<Value>,
        #[serde(default)]
        to: Option<Value>,
        /// An exclusive upper end, instead of `to`.
        #[serde(default)]
        before: Option<Value>,
    },
    Similar {
        id: String,
        fields: Vec<WeightedField>,
    },
    /// Finds the documents with the nearest vectors.
    Nearest {
        field: String,
        vector: Vec<f32>,
        /// The most documents to find.
        limit: usize,
        /// The lowest score of a document that is found.
        minimum: f64,
    },
    Mix {
        parts: Vec<Part>,
        by: MixBy,
    },
    Any {
        parts: Vec<Node>,
        not: bool,
    },
    /// Finds the documents with a value of the field; with `not`, those without.
    Present {
        field: String,
        not: bool,
    },
    /// Finds the documents of which one element of a list satisfies all parts, which are filters of its fields.
    Together {
        parts: Vec<Node>,
    },
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

/// The factor of a boost. The most favorable value of a document counts.
#[derive(Debug, Clone, Deserialize)]
#[serde(tag = "by", rename_all = "lowercase", rename_all_fields = "camelCase")]
pub enum BoostRule {
    Value {
        values: Vec<Value>,
        factor: f64,
    },
    Log,
    Linear,
    Age {
        /// Milliseconds since 1970.
        now_ms: f64,
        half_life_ms: f64,
    },
    Distance {
        #[serde(flatten)]
        from: Point,
        half_metres: f64,
    },
}

/// The number of characters from which a word may have one typo, and two.
#[derive(Debug, Clone, Copy, Deserialize)]
pub struct TypoLengths {
    pub one: usize,
    pub two: usize,
}

/// The order of the documents that a match finds.
#[derive(Debug, Clone, Copy, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum Ranking {
    /// By BM25.
    #[default]
    Score,
    /// More of the query's words first, then fewer typos, whole words before completions, and BM25 last.
    Words,
}

/// Which words of the query a document must contain.
#[derive(Debug, Clone, Copy, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum Matching {
    #[default]
    Any,
    All,
    /// All of them. If no document has them all, the most frequent word is dropped, until a document matches.
    Relaxed,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ParsedText {
    pub words: Vec<String>,
    pub phrases: Vec<String>,
    pub excluded_words: Vec<String>,
    pub excluded_phrases: Vec<String>,
    #[serde(default)]
    pub unfinished: Option<String>,
    /// Stop words of the collection among the words. They are ignored if there are other words.
    #[serde(default)]
    pub ignored_words: Vec<String>,
    /// Whether the unfinished word is a stop word of the collection, or may become one.
    #[serde(default)]
    pub may_lack_unfinished: bool,
    /// The synonyms of the collection.
    #[serde(default)]
    pub synonyms: Option<NamedSynonyms>,
}

#[derive(Debug, Clone, Deserialize)]
pub struct WeightedField {
    pub name: String,
    pub weight: f32,
}

#[derive(Debug, Clone, Deserialize)]
pub struct ScoredValues {
    pub score: f64,
    pub values: Vec<Value>,
}

#[derive(Debug, Clone, Deserialize)]
pub struct ScoredCircles {
    pub score: f64,
    pub circles: Vec<Circle>,
}

/// Center in degrees, and radius.
#[derive(Debug, Clone, Copy, Deserialize)]
pub struct Circle {
    pub lat: f64,
    pub lon: f64,
    pub metres: f64,
}

#[derive(Debug, Clone, Deserialize, PartialEq)]
#[serde(untagged)]
pub enum Value {
    Boolean(bool),
    Number(f64),
    Text(String),
}

#[derive(Debug, Clone, Deserialize)]
#[serde(tag = "by", rename_all = "lowercase")]
pub enum SortKey {
    Score,
    Field {
        field: String,
        order: Direction,
    },
    /// Sorts by the distance from a point.
    Distance {
        field: String,
        #[serde(flatten)]
        from: Point,
        order: Direction,
    },
}

#[derive(Debug, Clone, Copy, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum Direction {
    Ascending,
    Descending,
}

#[derive(Debug, Clone, Deserialize)]
pub struct FacetRequest {
    pub field: String,
    pub offset: usize,
    pub count: usize,
    #[serde(default)]
    pub selected: Vec<String>,
    #[serde(default)]
    pub cutoff: f64,
    /// Keeps only options with a word that starts with this text.
    #[serde(default)]
    pub query: Option<String>,
    /// Counts groups of values instead of values. The reply then has all groups, by key.
    #[serde(default)]
    pub groups: Option<FacetGroups>,
    /// Counts the documents without a value, as the option "" if there are no groups.
    #[serde(default)]
    pub missing: bool,
    #[serde(default)]
    pub summary: bool,
    /// Counts the values of `collapse` instead of documents.
    #[serde(default)]
    pub collapsed: bool,
}

/// The groups of values that a facet counts.
#[derive(Debug, Clone, Deserialize)]
#[serde(tag = "by", rename_all = "lowercase")]
pub enum FacetGroups {
    /// The key is the index of the range.
    Ranges { ranges: Vec<GroupRange> },
    /// The key is the number of the interval: the value divided by `size`, rounded down.
    Interval { size: f64 },
    /// The key is the start of the interval in seconds since 1970.
    Calendar {
        unit: CalendarUnit,
        /// The interval begins in this zone instead of UTC. Then the key counts in local time, except for hours.
        #[serde(default)]
        zone: Option<ZoneOffsets>,
    },
    /// Paths of names. The key is the path one level below one of the parents, or of the first level if there are none.
    Hierarchy {
        separator: String,
        #[serde(default)]
        parents: Vec<String>,
    },
}

/// The offsets of a time zone from UTC (`ZoneOffsets` in the contract's time-zone.ts). All numbers are seconds; times count from 1970.
#[derive(Debug, Clone, Deserialize)]
pub struct ZoneOffsets {
    /// When each offset starts.
    pub starts: Vec<i64>,
    pub offsets: Vec<i64>,
    /// The local time that was reached before each start.
    pub floors: Vec<i64>,
    /// From then on, offsets are those of 400 years earlier.
    pub until: i64,
}

/// Values from `from` to before `before`.
#[derive(Debug, Clone, Deserialize)]
pub struct GroupRange {
    #[serde(default)]
    pub from: Option<Value>,
    #[serde(default)]
    pub before: Option<Value>,
}

#[derive(Debug, Clone, Copy, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum CalendarUnit {
    Year,
    Month,
    /// Starts on Monday.
    Week,
    Day,
    Hour,
}

#[derive(Debug, Clone, Deserialize)]
pub struct Part {
    pub weight: f64,
    pub node: Node,
    /// Boost nodes that multiply the scores of the part.
    #[serde(default)]
    pub boosts: Vec<Node>,
}

#[derive(Debug, Clone, Copy, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum MixBy {
    Rank,
    Score,
}

#[derive(Debug, Clone, Deserialize)]
pub struct HighlightRequest {
    pub fields: Vec<String>,
    /// The most snippets for one field.
    pub snippets: usize,
    /// The most characters of text in one snippet.
    pub chars: usize,
}
