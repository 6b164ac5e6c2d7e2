//! Adds the values of fields to documents of the index.

use std::borrow::Cow;
use std::collections::HashSet;
use std::hash::Hash;

use tantivy::TantivyDocument;

use crate::collation::first_sort_chars;
use crate::numbers::Number;
use crate::search_field::SearchField;
use crate::spec::FieldKind;
use crate::values::parse_date;
use crate::word_tokenizer::SEPARATOR;

/// Returns latitude and longitude.
pub fn read_degrees(value: &serde_json::Value) -> Option<(f64, f64)> {
    let degrees = |name: &str| value.get(name).and_then(serde_json::Value::as_f64);
    degrees("lat").zip(degrees("lon"))
}

pub fn add_values(document: &mut TantivyDocument, search_field: &SearchField, value: &serde_json::Value) {
    let values = match value {
        serde_json::Value::Array(values) => values.as_slice(),
        single => std::slice::from_ref(single),
    };
    let field = search_field.field;
    match search_field.kind {
        FieldKind::Text { .. } => {
            let texts: Vec<&str> = values.iter().filter_map(|value| value.as_str()).collect();
            let joined = match texts.as_slice() {
                [] => return,
                [text] => Cow::Borrowed(*text),
                texts => Cow::Owned(texts.join(SEPARATOR.encode_utf8(&mut [0; 4]))),
            };
            document.add_text(field, &joined);
            let Some(twins) = &search_field.text else { return };
            twins.stop_words.into_iter().for_each(|twin| document.add_text(twin, &joined));
            for text in texts {
                let twin_fields = [twins.stop_word_pairs, twins.typed, twins.beginnings, Some(twins.forms)];
                twin_fields.into_iter().flatten().for_each(|twin| document.add_text(twin, text));
                document.add_text(twins.sort, first_sort_chars(text));
            }
        }
        // A facet counts a value once per document.
        FieldKind::Keyword => distinct(values.iter().filter_map(|value| value.as_str())).for_each(|text| {
            document.add_text(field, text);
            search_field.keyword_sort.into_iter().for_each(|sort| document.add_text(sort, first_sort_chars(text)));
        }),
        FieldKind::Number => {
            let numbers = || values.iter().filter_map(Number::from_json);
            distinct(numbers().map(|number| number.to_float().to_bits())).for_each(|bits| document.add_f64(field, f64::from_bits(bits)));
            if let Some(large) = search_field.large {
                distinct(numbers().filter_map(Number::large)).for_each(|whole| document.add_i64(large, whole));
            }
        }
        FieldKind::Boolean => distinct(values.iter().filter_map(|value| value.as_bool())).for_each(|truth| document.add_bool(field, truth)),
        FieldKind::Date => distinct(values.iter().filter_map(|value| value.as_str()).filter_map(parse_date).map(|(from, _)| from))
            .for_each(|moment| document.add_i64(field, moment)),
        FieldKind::Geo => {
            for value in values {
                // The two columns must have the same order, so a point needs both values.
                if let (Some((lat, lon)), Some(longitude)) = (read_degrees(value), search_field.longitude) {
                    document.add_f64(field, lat);
                    document.add_f64(longitude, lon);
                }
            }
        }
        // Read as vectors.
        FieldKind::Vector { .. } => {}
    }
}

/// Skips vectors with other numbers of dimensions.
pub fn add_vectors(document: &mut TantivyDocument, search_field: &SearchField, vectors: Vec<Vec<f32>>) {
    let Some(vector_field) = &search_field.vector else { return };
    for vector in vectors.into_iter().filter(|vector| vector.len() == vector_field.code.dimensions) {
        let encoded = vector_field.code.encode(vector);
        encoded.signs.iter().for_each(|word| document.add_u64(search_field.field, *word));
        encoded.numbers.iter().for_each(|word| document.add_u64(vector_field.numbers, *word));
        document.add_u64(vector_field.numbers, encoded.lengths);
    }
}

/// Returns each value once, in the order of the document.
fn distinct<T: Eq + Hash + Copy>(values: impl Iterator<Item = T>) -> impl Iterator<Item = T> {
    let mut seen = HashSet::new();
    values.filter(move |value| seen.insert(*value))
}
