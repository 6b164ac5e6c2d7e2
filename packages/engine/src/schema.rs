//! The tantivy schema of a generation, and the entity of a document as a document of that schema.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, Visitor};
use tantivy::TantivyDocument;
use tantivy::schema::{FAST, Field, INDEXED, IndexRecordOption, STRING, Schema, TextFieldIndexing, TextOptions};

use crate::analysis::{ANALYSER_VERSION, Analyser, SORT_TOKENIZER, stop_words_name, tokenizer_name, typed_name};
use crate::failure::{Failure, Result};
use crate::json::without_lone_surrogates;
use crate::spec::{FieldKind, Spec};
use crate::synonyms::Synonyms;
use crate::values::{parse_date, plain_zero};

/// Names of the two columns that every generation has.
pub const ID_COLUMN: &str = "id";
pub const SEQUENCE_COLUMN: &str = "sequence";

pub struct SearchField {
    pub kind: FieldKind,
    pub field: Field,
    /// Its name inside the index: declared names may hold any character, tantivy's may not.
    pub column: String,
    pub text: Option<TextField>,
    /// Of a geo field, whose `field` holds the latitudes.
    pub longitude: Option<Field>,
}

/// Texts are sorted by so many of their first letters; those that agree so far go by id.
const SORT_LETTERS_MAX: usize = 100;

/// What a text field has besides.
pub struct TextField {
    pub analyser: Analyser,
    /// Shared with the other fields of the language.
    pub synonyms: Arc<Synonyms>,
    /// The twin that holds the stop words of the same texts, where the language has any.
    pub stop_words: Option<Field>,
    /// The twin that holds the words as typed, where they are wanted.
    pub typed: Option<Field>,
    /// The column of what texts are sorted by.
    pub sort: Field,
}

pub struct IndexSchema {
    pub schema: Schema,
    pub id: Field,
    pub sequence: Field,
    fields: HashMap<String, SearchField>,
    fingerprint: String,
}

impl SearchField {
    /// The column that decides the order of documents sorted by this field.
    pub fn sort_column(&self) -> String {
        match self.kind {
            FieldKind::Text { .. } => sort_column(&self.column),
            _ => self.column.clone(),
        }
    }
}

impl IndexSchema {
    pub fn new(spec: &Spec) -> Result<IndexSchema> {
        let mut builder = Schema::builder();
        let id = builder.add_text_field(ID_COLUMN, STRING.set_fast("raw"));
        let sequence = builder.add_u64_field(SEQUENCE_COLUMN, FAST);
        // In order of name, so that reordering a workspace file builds nothing again.
        let mut declared: Vec<_> = spec.fields.iter().collect();
        declared.sort_by(|left, right| left.name.cmp(&right.name));
        let mut fields = HashMap::new();
        let mut synonyms_of: HashMap<&str, Arc<Synonyms>> = HashMap::new();
        let mut fingerprint = format!("analyser {ANALYSER_VERSION}, {}", tantivy::version_string());
        for (number, field_spec) in declared.into_iter().enumerate() {
            let column = format!("field{number}");
            fingerprint.push_str(&format!("; {:?} {:?}", field_spec.name, field_spec.kind));
            let mut text = None;
            let mut longitude = None;
            let field = match &field_spec.kind {
                FieldKind::Text { language, prefix } => {
                    let analyser = Analyser::for_language(language)?;
                    let stop_words = analyser
                        .has_stop_words()
                        .then(|| builder.add_text_field(&format!("{column}-stop"), words_of(&stop_words_name(language))));
                    let typed = prefix.then(|| builder.add_text_field(&format!("{column}-typed"), counted_words_of(&typed_name(language))));
                    let sort = builder.add_text_field(&sort_column(&column), TextOptions::default().set_fast(SORT_TOKENIZER));
                    let made = || Arc::new(Synonyms::new(&spec.synonyms, &analyser));
                    let synonyms = Arc::clone(synonyms_of.entry(language).or_insert_with(made));
                    text = Some(TextField { analyser, synonyms, stop_words, typed, sort });
                    builder.add_text_field(&column, words_of(&tokenizer_name(language)))
                }
                FieldKind::Keyword => builder.add_text_field(&column, STRING.set_fast("raw")),
                FieldKind::Number => builder.add_f64_field(&column, INDEXED | FAST),
                FieldKind::Date => builder.add_i64_field(&column, INDEXED | FAST),
                FieldKind::Boolean => builder.add_bool_field(&column, INDEXED | FAST),
                FieldKind::Geo => {
                    longitude = Some(builder.add_f64_field(&longitude_column(&column), FAST));
                    builder.add_f64_field(&column, FAST)
                }
            };
            let search_field = SearchField { kind: field_spec.kind.clone(), field, column, text, longitude };
            if fields.insert(field_spec.name.clone(), search_field).is_some() {
                return Err(Failure::fault(format!("the field `{}` is declared twice", field_spec.name)));
            }
        }
        Ok(IndexSchema { schema: builder.build(), id, sequence, fields, fingerprint })
    }

    /// Two generations with the same one have interchangeable indexes.
    pub fn fingerprint(&self) -> &str {
        &self.fingerprint
    }

    pub fn field(&self, name: &str) -> Result<&SearchField> {
        self.fields
            .get(name)
            .ok_or_else(|| Failure::unsupported(format!("the embedded engine has no searchable field `{name}` in this generation")))
    }

    /// The document as the index keeps it. What cannot be read is not searchable, but never an error: the document was acknowledged.
    pub fn document(&self, id: &str, sequence: u64, entity: &str) -> TantivyDocument {
        let mut document = TantivyDocument::default();
        document.add_text(self.id, id);
        document.add_u64(self.sequence, sequence);
        for (name, value) in self.declared_attributes(entity) {
            if let Some(search_field) = self.fields.get(&name) {
                add_values(&mut document, search_field, &value);
            }
        }
        document
    }

    /// The texts of an entity's declared attributes, by their names.
    pub fn texts(&self, entity: &str) -> Vec<(String, Vec<String>)> {
        let text = |value| match value {
            serde_json::Value::String(text) => Some(text),
            _ => None,
        };
        let texts = |value| match value {
            serde_json::Value::Array(values) => values.into_iter().filter_map(text).collect(),
            single => text(single).into_iter().collect(),
        };
        self.declared_attributes(entity).into_iter().map(|(name, value)| (name, texts(value))).collect()
    }

    fn declared_attributes(&self, entity: &str) -> Vec<(String, serde_json::Value)> {
        let read = |text: &str| Entity(self).deserialize(&mut serde_json::Deserializer::from_str(text));
        read(entity).or_else(|_| read(&without_lone_surrogates(entity))).unwrap_or_default()
    }
}

fn sort_column(column: &str) -> String {
    format!("{column}-sort")
}

/// The column that holds the longitudes of a geo field.
pub fn longitude_column(column: &str) -> String {
    format!("{column}-longitude")
}

fn words_of(tokenizer: &str) -> TextOptions {
    let indexing = TextFieldIndexing::default().set_tokenizer(tokenizer).set_index_option(IndexRecordOption::WithFreqsAndPositions);
    TextOptions::default().set_indexing_options(indexing)
}

/// Of these no phrases are looked for.
fn counted_words_of(tokenizer: &str) -> TextOptions {
    let indexing = TextFieldIndexing::default().set_tokenizer(tokenizer).set_index_option(IndexRecordOption::WithFreqs);
    TextOptions::default().set_indexing_options(indexing)
}

fn add_values(document: &mut TantivyDocument, search_field: &SearchField, value: &serde_json::Value) {
    let values = match value {
        serde_json::Value::Array(values) => values.as_slice(),
        single => std::slice::from_ref(single),
    };
    let field = search_field.field;
    match search_field.kind {
        FieldKind::Text { .. } => {
            for text in values.iter().filter_map(|value| value.as_str()) {
                document.add_text(field, text);
                if let Some(twins) = &search_field.text {
                    twins.stop_words.iter().chain(&twins.typed).for_each(|twin| document.add_text(*twin, text));
                    let sorted_by = text.char_indices().nth(SORT_LETTERS_MAX).map_or(text, |(end, _)| &text[..end]);
                    document.add_text(twins.sort, sorted_by);
                }
            }
        }
        // A value twice in one document counts once in a facet.
        FieldKind::Keyword => distinct(values.iter().filter_map(|value| value.as_str())).for_each(|text| document.add_text(field, text)),
        FieldKind::Number => distinct(values.iter().filter_map(|value| value.as_f64()).map(|number| plain_zero(number).to_bits()))
            .for_each(|bits| document.add_f64(field, f64::from_bits(bits))),
        FieldKind::Boolean => distinct(values.iter().filter_map(|value| value.as_bool())).for_each(|truth| document.add_bool(field, truth)),
        FieldKind::Date => distinct(values.iter().filter_map(|value| value.as_str()).filter_map(parse_date).map(|(from, _)| from))
            .for_each(|moment| document.add_i64(field, moment)),
        FieldKind::Geo => {
            let degrees = |value: &serde_json::Value, name: &str| value.get(name).and_then(serde_json::Value::as_f64);
            for value in values {
                // Both or neither: the two columns stand in the same order.
                if let (Some(lat), Some(lon), Some(longitude)) = (degrees(value, "lat"), degrees(value, "lon"), search_field.longitude) {
                    document.add_f64(field, lat);
                    document.add_f64(longitude, lon);
                }
            }
        }
    }
}

fn distinct<T: Ord + Clone>(values: impl Iterator<Item = T>) -> impl Iterator<Item = T> {
    let mut values: Vec<T> = values.collect();
    values.sort();
    values.dedup();
    values.into_iter()
}

/// Reads only the declared attributes of an entity; the rest is skipped unparsed.
struct Entity<'a>(&'a IndexSchema);
struct Attributes<'a>(&'a IndexSchema);

type Read = Vec<(String, serde_json::Value)>;

impl<'de> DeserializeSeed<'de> for Entity<'_> {
    type Value = Read;
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> std::result::Result<Read, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Entity<'_> {
    type Value = Read;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an entity")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> std::result::Result<Read, A::Error> {
        let mut read = Vec::new();
        while let Some(key) = map.next_key::<String>()? {
            if key == "attributes" {
                read = map.next_value_seed(Attributes(self.0))?;
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(read)
    }
}

impl<'de> DeserializeSeed<'de> for Attributes<'_> {
    type Value = Read;
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> std::result::Result<Read, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Attributes<'_> {
    type Value = Read;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("attributes")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> std::result::Result<Read, A::Error> {
        let mut read = Vec::new();
        while let Some(key) = map.next_key::<String>()? {
            if self.0.fields.contains_key(&key) {
                read.push((key, map.next_value()?));
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn schema(fields: &str) -> Result<IndexSchema> {
        IndexSchema::new(&serde_json::from_str(&format!(r#"{{"fields":{fields},"synonyms":[]}}"#)).unwrap())
    }

    #[test]
    fn the_order_of_fields_does_not_matter_and_their_types_do() {
        let one = schema(r#"[{"name":"a","type":"keyword"},{"name":"b","type":"number"}]"#).unwrap();
        let two = schema(r#"[{"name":"b","type":"number"},{"name":"a","type":"keyword"}]"#).unwrap();
        let three = schema(r#"[{"name":"b","type":"number"},{"name":"a","type":"boolean"}]"#).unwrap();
        assert_eq!(one.fingerprint(), two.fingerprint());
        assert_ne!(one.fingerprint(), three.fingerprint());
    }

    #[test]
    fn arrays_are_several_values_each_once() {
        let schema = schema(r#"[{"name":"a b","type":"keyword"}]"#).unwrap();
        let document = schema.document("x", 1, r#"{"id":"x","attributes":{"a b":["p","q","p"],"other":{"deep":[1e999]}}}"#);
        assert_eq!(document.get_all(schema.field("a b").unwrap().field).count(), 2);
    }

    #[test]
    fn half_a_surrogate_pair_loses_only_itself() {
        let schema = schema(r#"[{"name":"a","type":"keyword"}]"#).unwrap();
        let document = schema.document("x", 1, r#"{"attributes":{"b":"\ud800","a":"\ud83d\ude00 \\ud800 é"}}"#);
        assert_eq!(document.get_all(schema.field("a").unwrap().field).count(), 1);
    }
}
