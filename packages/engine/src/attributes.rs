//! Reads the declared attributes of an entity, and skips the rest.

use std::collections::HashMap;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;

use crate::entity::Entity;
use crate::json::without_lone_surrogates;
use crate::search_field::SearchField;

/// Returns the attributes that are declared as `fields`; none if the entity is unreadable.
pub fn read_attributes(entity: &Entity, fields: &HashMap<String, SearchField>) -> Attributes {
    let parse = |entity: &Entity| EntitySeed { fields, entity }.deserialize(&mut serde_json::Deserializer::from_str(entity.packed_text()));
    parse(entity).or_else(|_| parse(&Entity::from(without_lone_surrogates(&entity.to_text())))).unwrap_or_default()
}

/// Parses only the declared attributes of an entity and skips the rest.
#[derive(Clone, Copy)]
struct EntitySeed<'a> {
    fields: &'a HashMap<String, SearchField>,
    entity: &'a Entity,
}
struct AttributesSeed<'a>(EntitySeed<'a>);

/// The value of a declared attribute.
pub enum AttributeValue {
    Json(serde_json::Value),
    /// The vectors of a vector field.
    Vectors(Vec<Vec<f32>>),
}

pub type Attributes = Vec<(String, AttributeValue)>;

impl<'de> DeserializeSeed<'de> for EntitySeed<'_> {
    type Value = Attributes;
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> std::result::Result<Attributes, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for EntitySeed<'_> {
    type Value = Attributes;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an entity")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> std::result::Result<Attributes, A::Error> {
        let mut indexed = Vec::new();
        let mut attributes = Vec::new();
        while let Some(key) = map.next_key::<String>()? {
            match key.as_str() {
                "indexed" => indexed = map.next_value_seed(AttributesSeed(self))?,
                "attributes" => attributes = map.next_value_seed(AttributesSeed(self))?,
                _ => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        if !indexed.is_empty() {
            // These win over the attributes of the same names.
            attributes.retain(|(name, _)| indexed.iter().all(|(other, _)| other != name));
            attributes.append(&mut indexed);
        }
        Ok(attributes)
    }
}

impl<'de> DeserializeSeed<'de> for AttributesSeed<'_> {
    type Value = Attributes;
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> std::result::Result<Attributes, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for AttributesSeed<'_> {
    type Value = Attributes;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("attributes")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> std::result::Result<Attributes, A::Error> {
        let mut attributes = Vec::new();
        while let Some(key) = map.next_key::<String>()? {
            let EntitySeed { fields, entity } = self.0;
            match fields.get(&key) {
                Some(field) if field.vector.is_some() => {
                    let json: &RawValue = map.next_value()?;
                    attributes.push((key, AttributeValue::Vectors(read_vectors(json, entity))));
                }
                Some(_) => attributes.push((key, AttributeValue::Json(map.next_value()?))),
                None => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(attributes)
    }
}

/// Reads a vector, or a list of vectors, packed or not. Skips what is no list of numbers.
fn read_vectors(json: &RawValue, entity: &Entity) -> Vec<Vec<f32>> {
    if let Some(vector) = read_vector(json, entity) {
        return vec![vector];
    }
    let list: Vec<&RawValue> = serde_json::from_str(json.get()).unwrap_or_default();
    list.into_iter().filter_map(|item| read_vector(item, entity)).collect()
}

/// `json` is a part of the packed text of the entity.
fn read_vector(json: &RawValue, entity: &Entity) -> Option<Vec<f32>> {
    let offset = json.get().as_ptr().addr() - entity.packed_text().as_ptr().addr();
    if let Some(vector) = entity.vector_at(offset) {
        return Some(vector.to_floats());
    }
    let numbers: Vec<f64> = serde_json::from_str(json.get()).ok()?;
    let numbers = numbers.into_iter().map(|number| number as f32);
    numbers.map(|number| number.is_finite().then_some(number)).collect()
}
