//! The tantivy schema of a generation, and the conversion of entities to documents of that schema.

use std::collections::HashMap;

use tantivy::TantivyDocument;
use tantivy::schema::{FAST, Field, INDEXED, NumericOptions, STRING, Schema, TextOptions};

use crate::analysis::{ANALYZER_VERSION, Analyzer, SORT_TOKENIZER};
use crate::analyzer_names::{beginnings_name, forms_name, stop_word_pairs_name, stop_words_name, tokenizer_name, typed_name};
use crate::attributes::{AttributeValue, read_attributes};
use crate::element_fields::{add_element_fields, add_elements};
use crate::entity::Entity;
use crate::failure::{Failure, Result};
use crate::field_values::{add_values, add_vectors};
use crate::numbers::large_column;
use crate::search_field::{SearchField, TextField, VectorField, longitude_column, sort_column};
use crate::spec::{FieldKind, Spec};
use crate::text_options::{form_options, typed_word_options, word_options};
use crate::vector_code::VectorCode;

/// The two columns of every generation.
pub const ID_COLUMN: &str = "id";
pub const SEQUENCE_COLUMN: &str = "sequence";

/// The kind of words that a field of the index holds.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub enum WordKind {
    #[default]
    Word,
    Stop,
    Form,
    Typed,
}

pub struct IndexSchema {
    pub schema: Schema,
    pub id: Field,
    pub sequence: Field,
    fields: HashMap<String, SearchField>,
    vector_names: Vec<String>,
    fingerprint: String,
}

impl IndexSchema {
    pub fn new(spec: &Spec) -> Result<IndexSchema> {
        let mut builder = Schema::builder();
        let id = builder.add_text_field(ID_COLUMN, STRING.set_fast("raw"));
        let sequence = builder.add_u64_field(SEQUENCE_COLUMN, FAST);
        // Sorted by name, so that a new order in the workspace file does not trigger a rebuild.
        let mut declared: Vec<_> = spec.fields.iter().collect();
        declared.sort_by(|left, right| left.name.cmp(&right.name));
        let mut fields = HashMap::new();
        // Values are in the order of the document since columns 2. Large numbers have a column since columns 3.
        let mut fingerprint = format!("analyser {ANALYZER_VERSION}, columns 3, {}", tantivy::version_string());
        for (number, field_spec) in declared.into_iter().enumerate() {
            let column = format!("field{number}");
            fingerprint.push_str(&format!("; {:?} {:?}", field_spec.name, field_spec.kind));
            let mut text = None;
            let mut longitude = None;
            let mut large = None;
            let mut keyword_sort = None;
            let mut vector = None;
            let field = match &field_spec.kind {
                FieldKind::Text { language, prefix, codes } => {
                    let analyzer = Analyzer::for_language(language)?.with_codes(*codes);
                    let stop_words = analyzer
                        .has_stop_words()
                        .then(|| builder.add_text_field(&format!("{column}-stop"), word_options(&stop_words_name(language))));
                    let stop_word_pairs = analyzer
                        .has_stop_words()
                        .then(|| builder.add_text_field(&format!("{column}-stop-pairs"), word_options(&stop_word_pairs_name(language))));
                    let typed =
                        prefix.then(|| builder.add_text_field(&format!("{column}-typed"), typed_word_options(&typed_name(language))));
                    let beginnings = prefix
                        .then(|| builder.add_text_field(&format!("{column}-beginnings"), typed_word_options(&beginnings_name(language))));
                    let forms = builder.add_text_field(&format!("{column}-forms"), form_options(&forms_name(language, *codes)));
                    let sort = builder.add_text_field(&sort_column(&column), TextOptions::default().set_fast(SORT_TOKENIZER));
                    text = Some(TextField { analyzer, stop_words, stop_word_pairs, typed, beginnings, forms, sort });
                    builder.add_text_field(&column, word_options(&tokenizer_name(language)))
                }
                FieldKind::Keyword => {
                    keyword_sort = Some(builder.add_text_field(&sort_column(&column), TextOptions::default().set_fast(SORT_TOKENIZER)));
                    builder.add_text_field(&column, STRING.set_fast("raw"))
                }
                FieldKind::Number => {
                    // Without lengths, which would take a byte for each document.
                    large = Some(builder.add_i64_field(&large_column(&column), NumericOptions::default().set_indexed().set_fast()));
                    builder.add_f64_field(&column, INDEXED | FAST)
                }
                FieldKind::Date => builder.add_i64_field(&column, INDEXED | FAST),
                FieldKind::Boolean => builder.add_bool_field(&column, INDEXED | FAST),
                FieldKind::Geo => {
                    longitude = Some(builder.add_f64_field(&longitude_column(&column), FAST));
                    builder.add_f64_field(&column, FAST)
                }
                FieldKind::Vector { dimensions, metric } => {
                    let numbers_column = format!("{column}-numbers");
                    fingerprint.push_str(&format!(" in {numbers_column}"));
                    vector = Some(VectorField {
                        code: VectorCode::new(*dimensions, *metric),
                        numbers: builder.add_u64_field(&numbers_column, FAST),
                        signs_column: column.clone(),
                        numbers_column,
                    });
                    builder.add_u64_field(&column, FAST)
                }
            };
            let elements = if field_spec.elements {
                fingerprint.push_str(" by elements");
                Some(add_element_fields(&mut builder, &column, &field_spec.kind)?)
            } else {
                None
            };
            let search_field =
                SearchField { kind: field_spec.kind.clone(), field, column, text, large, keyword_sort, longitude, vector, elements };
            if fields.insert(field_spec.name.clone(), search_field).is_some() {
                return Err(Failure::fault(format!("the field `{}` is declared twice", field_spec.name)));
            }
        }
        let vector_names = fields.iter().filter(|(_, field)| field.vector.is_some()).map(|(name, _)| name.clone()).collect();
        Ok(IndexSchema { schema: builder.build(), id, sequence, fields, vector_names, fingerprint })
    }

    /// Generations with the same fingerprint have interchangeable indexes.
    pub fn fingerprint(&self) -> &str {
        &self.fingerprint
    }

    /// Returns the names of the vector fields.
    pub fn vector_names(&self) -> &[String] {
        &self.vector_names
    }

    pub fn field(&self, name: &str) -> Result<&SearchField> {
        self.fields.get(name).ok_or_else(|| Failure::unsupported(format!("the engine has no searchable field `{name}` in this generation")))
    }

    /// Returns the field whose lengths the scores of a field with words depend on.
    pub fn length_field(&self, field: Field) -> Field {
        let has_forms = |text: &TextField| text.forms == field;
        let owner = self.fields.values().find(|search_field| search_field.text.as_ref().is_some_and(has_forms));
        owner.map_or(field, |search_field| search_field.field)
    }

    /// Returns the names of the text fields, by the fields with their words, with their stop words, with further forms and with the words as typed.
    pub fn text_names(&self) -> HashMap<Field, (&str, WordKind)> {
        let texts =
            self.fields.iter().filter_map(|(name, search_field)| Some((name.as_str(), search_field.field, search_field.text.as_ref()?)));
        texts
            .flat_map(|(name, field, text)| {
                let stop_words = text.stop_words.map(|stop_words| (stop_words, (name, WordKind::Stop)));
                let typed = text.typed.map(|typed| (typed, (name, WordKind::Typed)));
                [Some((field, (name, WordKind::Word))), stop_words, Some((text.forms, (name, WordKind::Form))), typed]
            })
            .flatten()
            .collect()
    }

    /// Returns a text field.
    pub fn text_field(&self, name: &str) -> Result<(&SearchField, &TextField)> {
        let search_field = self.field(name)?;
        match (&search_field.kind, &search_field.text) {
            (FieldKind::Text { .. }, Some(text)) => Ok((search_field, text)),
            (kind, _) => Err(Failure::unsupported(format!("the engine can match only text, and `{name}` is a {} field", kind.name()))),
        }
    }

    /// Returns a vector field.
    pub fn vector_field(&self, name: &str) -> Result<&VectorField> {
        let search_field = self.field(name)?;
        let kind = search_field.kind.name();
        let missing = || Failure::unsupported(format!("the embedded engine has no vectors for `{name}`, a {kind} field"));
        search_field.vector.as_ref().ok_or_else(missing)
    }

    /// Returns the vectors of a field in an entity.
    pub fn vectors(&self, name: &str, entity: &Entity) -> Result<Vec<Vec<f32>>> {
        let dimensions = self.vector_field(name)?.code.dimensions;
        let attributes = read_attributes(entity, &self.fields).into_iter().filter(|(attribute, _)| attribute == name);
        let vectors = attributes.flat_map(|(_, value)| match value {
            AttributeValue::Vectors(vectors) => vectors,
            AttributeValue::Json(_) => Vec::new(),
        });
        Ok(vectors.filter(|vector| vector.len() == dimensions).collect())
    }

    /// Returns the twin field with the pairs of a twin field with stop words, and `None` for any other field.
    pub fn stop_word_pairs(&self, stop_words: Field) -> Option<Field> {
        let texts = self.fields.values().filter_map(|search_field| search_field.text.as_ref());
        texts.filter(|text| text.stop_words == Some(stop_words)).find_map(|text| text.stop_word_pairs)
    }

    /// Converts an entity to a document of the index. Unreadable values are skipped without an error: the document was acknowledged before.
    pub fn document(&self, id: &str, sequence: u64, entity: &Entity) -> TantivyDocument {
        let mut document = TantivyDocument::default();
        document.add_text(self.id, id);
        document.add_u64(self.sequence, sequence);
        for (name, value) in read_attributes(entity, &self.fields) {
            if let Some(search_field) = self.fields.get(&name) {
                match value {
                    AttributeValue::Json(value) => match &search_field.elements {
                        Some(fields) => add_elements(&mut document, search_field, fields, value),
                        None => add_values(&mut document, search_field, &value),
                    },
                    AttributeValue::Vectors(vectors) => add_vectors(&mut document, search_field, vectors),
                }
            }
        }
        document
    }

    /// Returns the texts in the declared attributes of an entity, with the names of the attributes.
    pub fn texts(&self, entity: &Entity) -> Vec<(String, Vec<String>)> {
        let text = |value| match value {
            serde_json::Value::String(text) => Some(text),
            _ => None,
        };
        let texts = |value| match value {
            AttributeValue::Vectors(_) => Vec::new(),
            AttributeValue::Json(serde_json::Value::Array(values)) => values.into_iter().filter_map(text).collect(),
            AttributeValue::Json(single) => text(single).into_iter().collect(),
        };
        read_attributes(entity, &self.fields).into_iter().map(|(name, value)| (name, texts(value))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn schema(fields: &str) -> Result<IndexSchema> {
        IndexSchema::new(&serde_json::from_str(&format!(r#"{{"fields":{fields}}}"#)).unwrap())
    }

    #[test]
    fn the_fingerprint_depends_on_the_types_of_fields_not_on_their_order() {
        let original = schema(r#"[{"name":"a","type":"keyword"},{"name":"b","type":"number"}]"#).unwrap();
        let reordered = schema(r#"[{"name":"b","type":"number"},{"name":"a","type":"keyword"}]"#).unwrap();
        let retyped = schema(r#"[{"name":"b","type":"number"},{"name":"a","type":"boolean"}]"#).unwrap();
        assert_eq!(original.fingerprint(), reordered.fingerprint());
        assert_ne!(original.fingerprint(), retyped.fingerprint());
    }

    #[test]
    fn each_value_of_an_array_is_indexed_once() {
        let schema = schema(r#"[{"name":"a b","type":"keyword"}]"#).unwrap();
        let document =
            schema.document("x", 1, &Entity::from(r#"{"id":"x","attributes":{"a b":["p","q","p"],"other":{"deep":[1e999]}}}"#.to_owned()));
        assert_eq!(document.get_all(schema.field("a b").unwrap().field).count(), 2);
    }

    #[test]
    fn indexed_values_win_over_the_attributes_of_their_names() {
        let schema = schema(r#"[{"name":"a","type":"keyword"},{"name":"b","type":"keyword"},{"name":"c","type":"keyword"}]"#).unwrap();
        let entity = Entity::from(r#"{"indexed":{"a":"x","b":null},"id":"x","class":[],"attributes":{"a":1,"b":"y","c":"z"}}"#.to_owned());
        let document = schema.document("x", 1, &entity);
        let counts = ["a", "b", "c"].map(|name| document.get_all(schema.field(name).unwrap().field).count());
        assert_eq!(counts, [1, 0, 1]);
    }

    #[test]
    fn an_unpaired_surrogate_does_not_affect_other_attributes() {
        let schema = schema(r#"[{"name":"a","type":"keyword"}]"#).unwrap();
        let document = schema.document("x", 1, &Entity::from(r#"{"attributes":{"b":"\ud800","a":"\ud83d\ude00 \\ud800 é"}}"#.to_owned()));
        assert_eq!(document.get_all(schema.field("a").unwrap().field).count(), 1);
    }
}
