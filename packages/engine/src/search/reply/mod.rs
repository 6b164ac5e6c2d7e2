//! The reply to a search, and its parts beside the documents.

pub mod corrections;
pub mod highlight;

use serde::Serialize;

use self::corrections::Correction;
use self::highlight::Snippets;
use super::facets::counts::FacetReply;

/// The reply to a search. `scores` and `entities` have one item per hit.
#[derive(Serialize)]
pub struct SearchReply {
    pub total: u64,
    pub best: f64,
    pub scores: Vec<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub statistics: Option<[u64; 10]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub facet: Option<FacetReply>,
    /// With `collapse` in the plan: what each hit stands for. Further documents of a hit are in `entities` after all hits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub collapsed: Option<Vec<CollapsedHit>>,
    /// One for each hit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub highlights: Option<Vec<Snippets>>,
    /// With `after` in the plan: the position of the last hit, if more follow.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
    /// The words that a relaxed match dropped, as typed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub relaxed: Vec<String>,
    /// With `suggest` in the plan, if no document matches.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub corrections: Vec<Correction>,
    #[serde(skip)]
    pub entities: Vec<String>,
}

/// The documents that a hit stands for.
#[derive(Serialize)]
pub struct CollapsedHit {
    pub value: Option<GroupValue>,
    /// Number of documents with the value.
    pub count: u64,
    /// Number of further documents in the reply.
    pub others: usize,
}

/// The value of a group.
#[derive(Serialize)]
#[serde(untagged)]
pub enum GroupValue {
    Text(String),
    Number(f64),
    /// A whole number, which JavaScript would round.
    Large {
        large: String,
    },
}
