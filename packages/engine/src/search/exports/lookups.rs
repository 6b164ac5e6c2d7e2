//! Spellings that depend on the words of an index elsewhere: compounds, and words written as one. The caller looks words up until none is unknown.

use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};

use serde::{Deserialize, Serialize};
use tantivy::Term;

use crate::failure::{Failure, Result};
use crate::schema::{IndexSchema, WordKind};
use crate::search::text::compounds::CompoundSource;
use crate::search::text::spellings::Spellings;
use crate::search::text::{mistyped_compounds, mistyped_splits, unusual_splits};

#[derive(Deserialize)]
pub struct LookupRequest {
    kind: LookupKind,
    field: String,
    /// As typed, and as indexed.
    text: String,
    stem: String,
    /// For compounds: the sorted words of visible documents that contain the word.
    #[serde(default)]
    candidates: Vec<String>,
    /// Whether some visible document has a word. The keys are those of `unknown`.
    known: HashMap<String, bool>,
}

#[derive(Clone, Copy, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
enum LookupKind {
    Compounds,
    /// Several words, one of which may be a stop word.
    Splits,
    /// Two words, one of which is mistyped.
    MistypedSplits,
    /// The words with one typo less that may be parts of compounds.
    MistypedCompounds,
}

/// The result for the case that all words of `unknown` exist.
#[derive(Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct LookupReply {
    /// `word`, `stop` or `typed`, a space, and the word.
    unknown: Vec<String>,
    compounds: Vec<String>,
    splits: Vec<Vec<JsonPart>>,
    /// The phrases of which no document may have one for a split to count.
    usual_splits: Vec<Vec<JsonPlace>>,
    mistyped_splits: Vec<JsonMistypedSplit>,
    corrections: Vec<JsonCorrection>,
}

/// A word as typed and as indexed.
#[derive(Serialize)]
struct JsonCorrection {
    text: String,
    stem: String,
}

#[derive(Serialize)]
struct JsonPart {
    stop: bool,
    text: String,
}

#[derive(Serialize)]
struct JsonPlace {
    position: usize,
    text: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct JsonMistypedSplit {
    exact: String,
    mistyped: String,
    exact_is_first: bool,
}

impl LookupReply {
    pub fn new(schema: &IndexSchema, request: &LookupRequest) -> Result<LookupReply> {
        let LookupRequest { kind, field: name, text, stem, candidates, known } = request;
        let (search_field, text_field) = schema.text_field(name)?;
        let field = search_field.field;
        let names = schema.text_names();
        let unknown = RefCell::new(BTreeSet::new());
        let has_word = |term: &Term| {
            let part = match names.get(&term.field()) {
                Some((_, WordKind::Word)) => "word",
                Some((_, WordKind::Stop)) => "stop",
                Some((_, WordKind::Typed)) => "typed",
                _ => return Err(Failure::fault("a word without a column".to_owned())),
            };
            let key = format!("{part} {}", text_of(term));
            // Parts of compounds usually exist, and mistyped words usually do not. Such a guess needs the fewest lookups.
            Ok(known.get(&key).copied().unwrap_or_else(|| {
                unknown.borrow_mut().insert(key);
                *kind != LookupKind::MistypedSplits
            }))
        };
        let mut reply = LookupReply::default();
        match kind {
            LookupKind::Compounds => {
                let (stem, typed) = (stem.clone(), text.clone());
                let source = CompoundSource { field, analyzer: text_field.analyzer.clone(), stem, typed, weight: 1.0, is_synonym: false };
                reply.compounds = source.choose(candidates, &has_word)?;
            }
            LookupKind::MistypedCompounds => {
                let (stem, typed) = (stem.clone(), text.clone());
                let source = CompoundSource { field, analyzer: text_field.analyzer.clone(), stem, typed, weight: 1.0, is_synonym: false };
                let corrections = mistyped_compounds::list(&source).into_iter();
                reply.corrections = corrections.map(|CompoundSource { typed, stem, .. }| JsonCorrection { text: typed, stem }).collect();
            }
            LookupKind::Splits => {
                let splits = unusual_splits::find(field, text_field, text, &has_word)?;
                let part = |(_, term): &(usize, Term)| JsonPart { stop: term.field() != field, text: text_of(term) };
                reply.splits = splits.iter().map(|terms| terms.iter().map(part).collect()).collect();
                if !splits.is_empty() {
                    let spellings = Spellings { search_field, text_field, weight: 1.0, splits_max: usize::MAX, context: None };
                    let place = |(position, term): &(usize, Term)| JsonPlace { position: *position, text: text_of(term) };
                    let phrases = spellings.usual_splits(text);
                    reply.usual_splits = phrases.keys().map(|phrase| phrase.iter().map(place).collect()).collect();
                }
            }
            LookupKind::MistypedSplits => {
                let splits = mistyped_splits::list(field, text_field, text, &has_word)?;
                let split = |split: mistyped_splits::MistypedSplit| JsonMistypedSplit {
                    exact: text_of(&split.exact),
                    mistyped: split.mistyped.to_owned(),
                    exact_is_first: split.exact_is_first,
                };
                reply.mistyped_splits = splits.into_iter().map(split).collect();
            }
        }
        reply.unknown = unknown.into_inner().into_iter().collect();
        Ok(reply)
    }
}

fn text_of(term: &Term) -> String {
    term.value().as_str().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn look_up(request: serde_json::Value) -> serde_json::Value {
        let spec = r#"{"fields":[{"name":"a","type":"text","language":"german","prefix":true}]}"#;
        let schema = IndexSchema::new(&serde_json::from_str(spec).unwrap()).unwrap();
        serde_json::to_value(LookupReply::new(&schema, &serde_json::from_value(request).unwrap()).unwrap()).unwrap()
    }

    #[test]
    fn compounds_depend_on_words_that_the_caller_looks_up() {
        let request = |known: serde_json::Value| {
            serde_json::json!({
                "kind": "compounds", "field": "a", "text": "kocher", "stem": "koch", "candidates": ["wasserkoch", "xyzkoch"], "known": known,
            })
        };
        let first = look_up(request(serde_json::json!({})));
        assert_eq!(first["unknown"], serde_json::json!(["word xyz"]));
        let last = look_up(request(serde_json::json!({ "word xyz": false })));
        assert_eq!((&last["compounds"], &last["unknown"]), (&serde_json::json!(["wasserkoch"]), &serde_json::json!([])));
    }

    #[test]
    fn splits_at_stop_words_come_with_the_usual_ones() {
        let known = serde_json::json!({ "typed derprinz": false, "word derprinz": false });
        let reply = look_up(serde_json::json!({ "kind": "splits", "field": "a", "text": "derprinz", "stem": "", "known": known }));
        let split = serde_json::json!([{ "stop": true, "text": "der" }, { "stop": false, "text": "prinz" }]);
        assert!(reply["splits"].as_array().unwrap().contains(&split), "{reply}");
        let usual = serde_json::json!([{ "position": 0, "text": "derp" }, { "position": 1, "text": "rinz" }]);
        assert!(reply["usualSplits"].as_array().unwrap().contains(&usual), "{reply}");
    }

    #[test]
    fn mistyped_splits_have_one_part_that_exists() {
        let request = serde_json::json!({
            "kind": "mistypedSplits", "field": "a", "text": "sternkireg", "stem": "", "known": { "word stern": true },
        });
        let splits = look_up(request)["mistypedSplits"].clone();
        assert_eq!(splits, serde_json::json!([{ "exact": "stern", "mistyped": "kireg", "exactIsFirst": true }]));
    }
}
