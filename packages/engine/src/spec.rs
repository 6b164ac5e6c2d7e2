//! The searchable fields of a generation (`GenerationSpec` in the server's engine.ts).

use serde::Deserialize;

use crate::metric::Metric;

#[derive(Debug, Clone, Deserialize)]
pub struct Spec {
    pub fields: Vec<FieldSpec>,
}

#[derive(Debug, Clone, Deserialize, PartialEq, Eq)]
pub struct FieldSpec {
    pub name: String,
    #[serde(flatten)]
    pub kind: FieldKind,
    /// Whether a value is a list with the values of each element of a list of objects, which `together` keeps apart.
    #[serde(default)]
    pub elements: bool,
}

#[derive(Debug, Clone, Deserialize, PartialEq, Eq)]
#[serde(tag = "type", rename_all = "lowercase")]
pub enum FieldKind {
    Text {
        language: String,
        /// Whether to index the words as typed too, for completions and typos.
        #[serde(default)]
        prefix: bool,
        /// Whether it has codes, such as part numbers.
        #[serde(default)]
        codes: bool,
    },
    Keyword,
    Number,
    Date,
    Boolean,
    Geo,
    Vector {
        dimensions: usize,
        #[serde(default)]
        metric: Metric,
    },
}

impl FieldKind {
    pub fn name(&self) -> &'static str {
        match self {
            FieldKind::Text { .. } => "text",
            FieldKind::Keyword => "keyword",
            FieldKind::Number => "number",
            FieldKind::Date => "date",
            FieldKind::Boolean => "boolean",
            FieldKind::Geo => "geo",
            FieldKind::Vector { .. } => "vector",
        }
    }
}
