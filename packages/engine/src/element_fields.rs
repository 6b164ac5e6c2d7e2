//! The columns of fields whose values are kept apart by the elements of a list of objects.

use tantivy::TantivyDocument;
use tantivy::schema::{FAST, SchemaBuilder, TextOptions};

use crate::failure::{Failure, Result};
use crate::field_values::{add_values, read_degrees};
use crate::numbers::{Number, large_column};
use crate::search_field::{ElementFields, SearchField};
use crate::spec::FieldKind;
use crate::values::parse_date;

pub fn add_element_fields(builder: &mut SchemaBuilder, column: &str, kind: &FieldKind) -> Result<ElementFields> {
    let name = element_values_column(column);
    let values = match kind {
        FieldKind::Keyword => Some(builder.add_text_field(&name, TextOptions::default().set_fast("raw"))),
        FieldKind::Number => Some(builder.add_f64_field(&name, FAST)),
        FieldKind::Date => Some(builder.add_i64_field(&name, FAST)),
        FieldKind::Boolean => Some(builder.add_bool_field(&name, FAST)),
        FieldKind::Geo => None,
        FieldKind::Text { .. } | FieldKind::Vector { .. } => {
            return Err(Failure::unsupported(format!("the embedded engine has no elements for a {} field", kind.name())));
        }
    };
    let large = matches!(kind, FieldKind::Number).then(|| builder.add_i64_field(&large_column(&name), FAST));
    Ok(ElementFields { values, large, numbers: builder.add_u64_field(&element_numbers_column(column), FAST) })
}

/// The column with the values of each element.
pub fn element_values_column(column: &str) -> String {
    format!("{column}-element-values")
}

/// The column with the number of the element of each value.
pub fn element_numbers_column(column: &str) -> String {
    format!("{column}-element-numbers")
}

/// Adds the values of each element, and all of them as values of the document.
pub fn add_elements(document: &mut TantivyDocument, search_field: &SearchField, fields: &ElementFields, value: serde_json::Value) {
    let list = |value| match value {
        serde_json::Value::Array(items) => items,
        single => vec![single],
    };
    let mut values = Vec::new();
    let mut numbers = Vec::new();
    for (number, element) in (0..).zip(list(value)) {
        for item in list(element) {
            let is_added = match (&search_field.kind, fields.values) {
                (FieldKind::Keyword, Some(field)) => item.as_str().map(|text| document.add_text(field, text)),
                (FieldKind::Number, Some(field)) => Number::from_json(&item).map(|number| {
                    numbers.push(number);
                    document.add_f64(field, number.to_float());
                }),
                (FieldKind::Boolean, Some(field)) => item.as_bool().map(|truth| document.add_bool(field, truth)),
                (FieldKind::Date, Some(field)) => item.as_str().and_then(parse_date).map(|(from, _)| document.add_i64(field, from)),
                (FieldKind::Geo, _) => read_degrees(&item).map(|_| ()),
                _ => None,
            };
            if is_added.is_some() {
                document.add_u64(fields.numbers, number);
            }
            values.push(item);
        }
    }
    if let Some(field) = fields.large.filter(|_| numbers.iter().any(|number| number.large().is_some())) {
        numbers.iter().for_each(|number| document.add_i64(field, number.large().unwrap_or(0)));
    }
    add_values(document, search_field, &serde_json::Value::Array(values));
}
