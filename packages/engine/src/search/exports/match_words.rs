//! The words of a match as JSON, for an engine with an index elsewhere.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};
use tantivy::Term;
use tantivy::schema::Field;

use crate::failure::Result;
use crate::plan::{Matching, ParsedText, TypoLengths, WeightedField};
use crate::schema::{IndexSchema, WordKind};
use crate::search::text::compile_text::{compile_excluded, compile_text, compound_sources, joined_texts};
use crate::search::text::compounds::CompoundSource;
use crate::search::text::mistyped_pairs::MistypedPair;
use crate::search::text::query_word::{JoinedText, QueryWord};
use crate::search::text::query_words::compile_words;
use crate::search::text::text_limits::TextLimits;
use crate::search::text::text_query::{JoinedWeight, TextQuery};
use crate::search::words::as_typed::{AsTyped, TypedForm};
use crate::search::words::exact_text::ExactText;
use crate::search::words::proximity::Proximity;
use crate::typos::Cost;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct MatchRequest {
    text: ParsedText,
    fields: Vec<WeightedField>,
    #[serde(default)]
    typos: Option<TypoLengths>,
    #[serde(default)]
    matching: Matching,
    #[serde(default)]
    contains: bool,
    /// Whether documents are matched or ranked word by word.
    is_counted: bool,
    limits: TextLimits,
}

#[derive(Serialize)]
pub struct MatchWords<'a> {
    /// All words and phrases together, unless they are counted.
    query: JsonQuery<'a>,
    /// Each word and phrase, if they are counted.
    words: Vec<JsonWord<'a>>,
    excluded: JsonQuery<'a>,
    /// The lookups for all words together. Empty if the words are counted.
    lookups: JsonLookups<'a>,
    /// Each two neighbouring words, in each field.
    neighbours: Vec<Vec<JsonNeighbours<'a>>>,
    /// Each word as it was typed, in each field, if they are counted.
    #[serde(rename = "asTyped")]
    as_typed: Vec<Vec<JsonTypedForm<'a>>>,
    /// The beginning of the sort key of texts that begin with the query. Empty if the query is too short or too long.
    beginning: String,
    /// The words as typed in each field, if the text may be the whole text of a field.
    exact: Option<Vec<Vec<String>>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct JsonWord<'a> {
    typed: String,
    text: String,
    is_optional: bool,
    query: JsonQuery<'a>,
    alternatives: Vec<JsonAlternative<'a>>,
    sources: Vec<JsonSource<'a>>,
    form_beginnings: Vec<JsonBeginning<'a>>,
    lookups: JsonLookups<'a>,
}

/// Further spellings of words that depend on the words of the index (lookups.rs).
#[derive(Default, Serialize)]
struct JsonLookups<'a> {
    compounds: Vec<JsonLookup<'a>>,
    joined: Vec<JsonLookup<'a>>,
    pairs: Vec<JsonPair<'a>>,
}

/// Two words that may be one mistyped word.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct JsonPair<'a> {
    field: &'a str,
    words: [String; 2],
    is_unfinished: bool,
    typos: u8,
    weight: f32,
}

/// A word as typed and as indexed in a field.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct JsonLookup<'a> {
    field: &'a str,
    text: String,
    stem: String,
    weight: f32,
    is_synonym: bool,
}

/// The beginning of further forms of words, or of words as typed.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct JsonBeginning<'a> {
    field: &'a str,
    is_typed: bool,
    text: String,
    weight: f32,
}

#[derive(Serialize)]
struct JsonAlternative<'a> {
    cost: Cost,
    query: JsonQuery<'a>,
}

#[derive(Default, Serialize)]
struct JsonQuery<'a> {
    terms: Vec<JsonTerm<'a>>,
    phrases: Vec<JsonPhrase<'a>>,
}

#[derive(Serialize)]
struct JsonTerm<'a> {
    field: &'a str,
    stop: bool,
    form: bool,
    text: String,
    weight: f32,
    /// The parts of the weight that become less if the words written as one are rarer than the words as typed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    joined: Vec<JsonJoined>,
}

#[derive(Serialize)]
struct JsonJoined {
    weight: f32,
    parts: Vec<JsonPart>,
}

/// A word as typed, or a stop word.
#[derive(Serialize)]
struct JsonPart {
    stop: bool,
    text: String,
}

#[derive(Serialize)]
struct JsonPhrase<'a> {
    field: &'a str,
    stop: bool,
    words: Vec<JsonPlace>,
    weight: f32,
}

#[derive(Serialize)]
struct JsonPlace {
    position: usize,
    stop: bool,
    text: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct JsonSource<'a> {
    field: &'a str,
    weight: f32,
    is_completed: bool,
    typos: u8,
    includes_stop_words: bool,
    contains: bool,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct JsonNeighbours<'a> {
    field: &'a str,
    first: String,
    second: String,
    words_between: u32,
}

/// A word as it was typed, and the mark of documents that have it in other spellings only.
#[derive(Serialize)]
struct JsonTypedForm<'a> {
    field: &'a str,
    /// `word`, `typed`, `stop` or `form`: what holds the text.
    part: &'static str,
    text: String,
    mark: Option<String>,
}

/// The names of text fields, and what the field holds.
type Names<'a> = HashMap<Field, (&'a str, WordKind)>;

impl<'a> MatchWords<'a> {
    pub fn new(schema: &'a IndexSchema, request: &MatchRequest) -> Result<MatchWords<'a>> {
        let MatchRequest { text, fields, typos, matching, contains, is_counted, limits } = request;
        let names = schema.text_names();
        let query = if *is_counted { JsonQuery::default() } else { to_json(&compile_text(schema, text, fields, *limits, None)?, &names) };
        let words =
            if *is_counted { compile_words(schema, text, fields, *typos, (*matching, *contains), *limits, None)? } else { Vec::new() };
        let proximity = if *is_counted { Proximity::new(schema, text, fields)? } else { Proximity::default() };
        let exact = if *is_counted { ExactText::new(schema, text, fields)? } else { None };
        let neighbours = proximity.pairs().map(|pair| {
            pair.map(|(first, second, words_between)| JsonNeighbours {
                field: names.get(&first.field()).map_or("", |(name, _)| name),
                first: text_of(first),
                second: text_of(second),
                words_between,
            })
            .collect()
        });
        let as_typed = if *is_counted { AsTyped::new(schema, text, fields)? } else { AsTyped::default() };
        let typed_form = |typed: &TypedForm| {
            let (field, kind) = names.get(&typed.form.term.field()).copied().unwrap_or_default();
            let part = match kind {
                WordKind::Form => "form",
                WordKind::Typed => "typed",
                WordKind::Stop => "stop",
                WordKind::Word => "word",
            };
            JsonTypedForm { field, part, text: text_of(&typed.form.term), mark: typed.mark.as_ref().map(|mark| text_of(&mark.term)) }
        };
        let lookups = if *is_counted {
            JsonLookups::default()
        } else {
            lookups_to_json(&compound_sources(schema, text, fields)?, &joined_texts(schema, text, fields)?, &[], &names)
        };
        Ok(MatchWords {
            lookups,
            beginning: as_typed.beginning.text().to_owned(),
            as_typed: as_typed.words().map(|forms| forms.iter().map(typed_form).collect()).collect(),
            query,
            words: words.into_iter().map(|word| word_to_json(word, &names)).collect(),
            excluded: to_json(&compile_excluded(schema, text, fields)?, &names),
            neighbours: neighbours.collect(),
            exact: exact.map(|exact| exact.words().map(<[String]>::to_vec).collect()),
        })
    }
}

fn word_to_json<'a>(word: QueryWord, names: &Names<'a>) -> JsonWord<'a> {
    let sources = word.sources.iter().map(|source| JsonSource {
        field: names.get(&source.field).map_or("", |(name, _)| name),
        weight: source.weight,
        is_completed: source.completed,
        typos: source.typos_max(&word.text),
        includes_stop_words: source.completed && source.completes_stop_words,
        contains: source.contained,
    });
    let beginnings = word.form_beginnings.iter().map(|beginning| {
        let (field, kind) = names.get(&beginning.field).copied().unwrap_or_default();
        JsonBeginning { field, is_typed: kind == WordKind::Typed, text: beginning.text.clone(), weight: beginning.weight }
    });
    let alternatives = word.alternatives.iter().map(|(cost, query)| JsonAlternative { cost: *cost, query: to_json(query, names) });
    JsonWord {
        lookups: lookups_to_json(&word.compounds, &word.joined, &word.pairs, names),
        is_optional: word.is_optional,
        alternatives: alternatives.collect(),
        sources: sources.collect(),
        form_beginnings: beginnings.collect(),
        query: to_json(&word.query, names),
        typed: word.typed,
        text: word.text,
    }
}

fn lookups_to_json<'a>(compounds: &[CompoundSource], joined: &[JoinedText], pairs: &[MistypedPair], names: &Names<'a>) -> JsonLookups<'a> {
    let name = |field: &Field| names.get(field).map_or("", |(name, _)| *name);
    let compounds = compounds.iter().map(|source| {
        let CompoundSource { field, stem, typed, weight, is_synonym, .. } = source;
        JsonLookup { field: name(field), text: typed.clone(), stem: stem.clone(), weight: *weight, is_synonym: *is_synonym }
    });
    let joined = joined.iter().map(|JoinedText { field, text, weight }| JsonLookup {
        field: name(field),
        text: text.clone(),
        stem: String::new(),
        weight: *weight,
        is_synonym: false,
    });
    let pairs = pairs.iter().map(|MistypedPair { field, words, typos_max, is_unfinished, weight, .. }| JsonPair {
        field: name(field),
        words: words.clone(),
        is_unfinished: *is_unfinished,
        typos: *typos_max,
        weight: *weight,
    });
    JsonLookups { compounds: compounds.collect(), joined: joined.collect(), pairs: pairs.collect() }
}

fn to_json<'a>(query: &TextQuery, names: &Names<'a>) -> JsonQuery<'a> {
    let name = |term: &Term| names.get(&term.field()).copied().unwrap_or_default();
    let terms = query.terms.iter().map(|(term, weight)| {
        let (field, kind) = name(term);
        let joined = query.joined.get(term).into_iter().flatten();
        let part = |term: &Term| JsonPart { stop: name(term).1 == WordKind::Stop, text: text_of(term) };
        let joined = joined.map(|JoinedWeight { weight, parts }| JsonJoined { weight: *weight, parts: parts.iter().map(part).collect() });
        let (stop, form) = (kind == WordKind::Stop, kind == WordKind::Form);
        JsonTerm { field, stop, form, text: text_of(term), weight: *weight, joined: joined.collect() }
    });
    let phrases = query.phrases.iter().chain(&query.splits).filter_map(|(places, weight)| {
        let (field, _) = name(&places.first()?.1);
        let is_stop = |term: &Term| name(term).1 == WordKind::Stop;
        let words = places.iter().map(|(position, term)| JsonPlace { position: *position, stop: is_stop(term), text: text_of(term) });
        let stop = places.iter().all(|(_, term)| is_stop(term));
        Some(JsonPhrase { field, stop, words: words.collect(), weight: *weight })
    });
    JsonQuery { terms: terms.collect(), phrases: phrases.collect() }
}

fn text_of(term: &Term) -> String {
    term.value().as_str().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::synonym_lists::SynonymLists;
    use crate::synonyms::SynonymSet;

    fn match_words(request: serde_json::Value) -> serde_json::Value {
        let spec = r#"{"fields":[{"name":"a b","type":"text","language":"english","prefix":true}]}"#;
        let synonyms = SynonymLists::new(vec![SynonymSet::Mutual(vec!["tv".to_owned(), "flat screen".to_owned()])]);
        let mut request = request;
        request["text"]["synonyms"] = synonyms.number().into();
        let schema = IndexSchema::new(&serde_json::from_str(spec).unwrap()).unwrap();
        serde_json::to_value(MatchWords::new(&schema, &serde_json::from_value(request).unwrap()).unwrap()).unwrap()
    }

    fn request(text: &str, is_counted: bool, words: usize) -> serde_json::Value {
        let typed: Vec<&str> = text.split(' ').collect();
        serde_json::json!({
            "text": { "words": typed, "phrases": ["the wings of cats"], "excludedWords": ["dogs"], "excludedPhrases": [] },
            "fields": [{ "name": "a b", "weight": 2 }],
            "typos": { "one": 4, "two": 8 },
            "isCounted": is_counted,
            "limits": { "words": words, "synonymWords": 10, "phraseWords": 10, "expandedWords": 1 },
        })
    }

    #[test]
    fn terms_and_phrases_name_their_fields() {
        let found = match_words(request("the tv", false, 10));
        let terms = found["query"]["terms"].as_array().unwrap();
        let (forms, words): (Vec<_>, Vec<_>) = terms.iter().partition(|term| term["form"] == true);
        let word = serde_json::json!({ "field": "a b", "stop": false, "form": false, "text": "tv", "weight": 2.0 });
        let parts = serde_json::json!([{
            "weight": 2.0_f32 * 0.8, "parts": [{ "stop": true, "text": "the" }, { "stop": false, "text": "tv" }],
        }]);
        let joined = serde_json::json!({
            "field": "a b", "stop": false, "form": false, "text": "thetv", "weight": 2.0_f32 * 0.8, "joined": parts,
        });
        let screen = serde_json::json!({ "field": "a b", "stop": false, "form": false, "text": "flatscreen", "weight": 1.0 });
        assert_eq!(words, [&screen, &joined, &word]);
        assert!(forms.iter().all(|form| form["field"] == "a b"));
        let phrases = found["query"]["phrases"].as_array().unwrap();
        let places = |phrase: &serde_json::Value| phrase["words"].clone();
        let place =
            |(position, (text, stop)): (usize, &(&str, bool))| serde_json::json!({ "position": position, "stop": stop, "text": text });
        let has_phrase = |words: &[(&str, bool)]| {
            let expected: Vec<_> = words.iter().enumerate().map(place).collect();
            phrases.iter().any(|phrase| places(phrase) == serde_json::json!(expected))
        };
        assert!(has_phrase(&[("flat", false), ("screen", false)]));
        assert!(has_phrase(&[("the", true), ("wing", false), ("of", true), ("cat", false)]));
        assert_eq!(found["excluded"]["terms"][0]["text"], "dog");
    }

    #[test]
    fn counted_words_have_sources_up_to_the_limit() {
        let found = match_words(request("Wings feathers birds", true, 2));
        let words = found["words"].as_array().unwrap();
        let texts: Vec<&str> = words.iter().map(|word| word["typed"].as_str().unwrap()).collect();
        assert_eq!(texts, ["Wings", "feathers", "the wings of cats"]);
        let source = serde_json::json!({ "field": "a b", "weight": 2.0, "isCompleted": false, "typos": 1, "includesStopWords": false, "contains": false });
        assert_eq!(words[0]["sources"], serde_json::json!([source]));
        assert_eq!(words[1]["sources"], serde_json::json!([]));
        assert_eq!(found["neighbours"][0][0]["second"], "feather");
        assert_eq!(found["exact"], serde_json::Value::Null);
    }
}
