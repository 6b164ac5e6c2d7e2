//! The entity of a document, with its vectors in binary form.
//!
//! A vector is by far the longest part of an entity: 384 numbers take 4 KB as JSON. So the engine reads its numbers once, and keeps them
//! apart from the rest of the text. [`Entity::into_text`] returns exactly the JSON that was given. A vector stays in the text if no binary
//! form returns the same numbers.

use std::mem;

use crate::packed_vector::{ByteReader, PackedVector, push_length};

/// Stands for a packed vector in the text.
const HOLE: &str = "null";

/// A packed vector, and where in the text it stands.
#[derive(Debug, Clone, PartialEq)]
struct Hole {
    offset: usize,
    vector: PackedVector,
}

#[derive(Debug, Clone, Default, PartialEq)]
pub struct Entity {
    /// JSON with [`HOLE`] in place of each packed vector.
    text: String,
    /// In the order of the text.
    holes: Vec<Hole>,
}

impl From<String> for Entity {
    fn from(text: String) -> Entity {
        Entity { text, holes: Vec::new() }
    }
}

impl Entity {
    /// Packs the vectors of attributes with these names, and lists of vectors. The text is JSON as JavaScript writes it.
    pub fn pack(&mut self, names: &[String]) {
        if names.is_empty() || !self.holes.is_empty() {
            return;
        }
        let text = mem::take(&mut self.text);
        let mut builder = EntityBuilder::default();
        let mut copied = 0;
        let mut offset = 0;
        while let Some(string) = next_string(&text, offset) {
            offset = string.end + 1;
            if !text[offset..].starts_with(":[") || !names.iter().any(|name| *name == text[string.clone()]) {
                continue;
            }
            offset += 1;
            // A list of vectors, or one.
            if text[offset..].starts_with("[[") {
                offset += 1;
            }
            while text[offset..].starts_with('[') {
                let Some((vector, length)) = PackedVector::read(&text[offset..], true) else { break };
                builder.text.push_str(&text[copied..offset]);
                builder.push_vector(vector);
                offset += length;
                copied = offset;
                if text[offset..].starts_with(",[") {
                    offset += 1;
                }
            }
        }
        if builder.holes.is_empty() {
            self.text = text;
            return;
        }
        builder.text.push_str(&text[copied..]);
        *self = builder.build();
    }

    /// Returns JSON with `null` in place of packed vectors.
    pub fn packed_text(&self) -> &str {
        &self.text
    }

    /// Returns the packed vector at this offset of [`Entity::packed_text`].
    pub fn vector_at(&self, offset: usize) -> Option<&PackedVector> {
        self.holes.iter().find(|hole| hole.offset == offset).map(|hole| &hole.vector)
    }

    /// Returns the JSON with all vectors.
    pub fn to_text(&self) -> String {
        let numbers: usize = self.holes.iter().map(|hole| hole.vector.len()).sum();
        let mut text = String::with_capacity(self.text.len() + numbers * 12);
        let mut copied = 0;
        for Hole { offset, vector } in &self.holes {
            text.push_str(&self.text[copied..*offset]);
            vector.write(&mut text);
            copied = offset + HOLE.len();
        }
        text.push_str(&self.text[copied..]);
        text
    }

    /// Returns the JSON with all vectors.
    pub fn into_text(self) -> String {
        if self.holes.is_empty() { self.text } else { self.to_text() }
    }

    /// Returns the approximate size in bytes.
    pub fn size(&self) -> usize {
        self.text.len() + self.holes.iter().map(|hole| hole.vector.len() * 4).sum::<usize>()
    }

    /// Returns the bytes to store, or `None` if the entity is stored as text.
    pub fn to_bytes(&self) -> Option<Vec<u8>> {
        if self.holes.is_empty() {
            return None;
        }
        let mut bytes = Vec::with_capacity(self.size() + self.text.len() / 2 + 64);
        bytes.push(FORMAT_VERSION);
        push_length(&mut bytes, self.text.len());
        bytes.extend_from_slice(self.text.as_bytes());
        for Hole { offset, vector } in &self.holes {
            push_length(&mut bytes, *offset);
            vector.push_bytes(&mut bytes);
        }
        Some(bytes)
    }

    /// Reads the bytes of [`Entity::to_bytes`]. Returns `None` if they are damaged.
    pub fn from_bytes(bytes: &[u8]) -> Option<Entity> {
        let mut reader = ByteReader(bytes);
        if reader.byte()? != FORMAT_VERSION {
            return None;
        }
        let length = reader.length()?;
        let text = str::from_utf8(reader.take(length)?).ok()?.to_owned();
        let mut holes = Vec::new();
        let mut end = 0;
        while !reader.0.is_empty() {
            let offset = reader.length()?;
            let is_hole = text.get(offset..).is_some_and(|rest| rest.starts_with(HOLE));
            if !is_hole || offset < end {
                return None;
            }
            end = offset + HOLE.len();
            holes.push(Hole { offset, vector: PackedVector::from_bytes(&mut reader)? });
        }
        Some(Entity { text, holes })
    }
}

/// Builds an entity from pieces of text and vectors.
#[derive(Default)]
pub struct EntityBuilder {
    pub text: String,
    holes: Vec<Hole>,
}

impl EntityBuilder {
    pub fn push_vector(&mut self, vector: PackedVector) {
        self.holes.push(Hole { offset: self.text.len(), vector });
        self.text.push_str(HOLE);
    }

    /// Appends what the other builder holds.
    pub fn append(&mut self, other: &mut EntityBuilder) {
        let start = self.text.len();
        self.text.push_str(&other.text);
        self.holes.extend(other.holes.drain(..).map(|hole| Hole { offset: start + hole.offset, ..hole }));
        other.text.clear();
    }

    pub fn clear(&mut self) {
        self.text.clear();
        self.holes.clear();
    }

    pub fn build(self) -> Entity {
        Entity { text: self.text, holes: self.holes }
    }
}

/// The first byte of stored entities.
const FORMAT_VERSION: u8 = 1;

/// Returns the range between the quotes of the first string from `offset` on.
fn next_string(text: &str, offset: usize) -> Option<std::ops::Range<usize>> {
    let bytes = text.as_bytes();
    let start = offset + bytes[offset..].iter().position(|byte| *byte == b'"')? + 1;
    let mut end = start;
    loop {
        match bytes.get(end)? {
            b'"' => return Some(start..end),
            b'\\' => end += 2,
            _ => end += 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::values::number_text;

    fn pack(text: &str) -> Entity {
        let mut entity = Entity::from(text.to_owned());
        entity.pack(&["meaning".to_owned()]);
        entity
    }

    fn with_vector(numbers: &[String]) -> String {
        format!(r#"{{"id":"a","class":[],"attributes":{{"title":"say \"hi\"","meaning":[{}],"size":1}}}}"#, numbers.join(","))
    }

    /// SplitMix64.
    fn create_random(mut state: u64) -> impl FnMut() -> u64 {
        move || {
            state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
            let mixed = (state ^ (state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
            let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
            mixed ^ (mixed >> 31)
        }
    }

    fn assert_same(text: &str, is_packed: bool) {
        let entity = pack(text);
        assert_eq!(!entity.holes.is_empty(), is_packed, "{text}");
        assert_eq!(entity.to_text(), text);
        let stored = entity.to_bytes();
        assert_eq!(stored.is_some(), is_packed);
        if let Some(bytes) = stored {
            assert_eq!(Entity::from_bytes(&bytes).as_ref(), Some(&entity));
        }
        for hole in &entity.holes {
            let mut list = String::new();
            hole.vector.write(&mut list);
            let numbers: Vec<f64> = serde_json::from_str(&list).unwrap();
            let floats: Vec<u32> = hole.vector.to_floats().into_iter().map(f32::to_bits).collect();
            assert_eq!(floats, numbers.into_iter().map(|number| (number as f32).to_bits()).collect::<Vec<_>>(), "{text}");
        }
    }

    #[test]
    fn a_packed_vector_comes_back_as_it_was_written() {
        let mut random = create_random(1);
        for round in 0..2_000 {
            let digits = 1 + round % 9;
            let number = || {
                let size = (random() % 10_u64.pow(digits as u32)) as f64;
                let decimals = if round % 3 == 0 { random() % 13 } else { 7 };
                let sign = if random() & 1 == 0 { -1.0 } else { 1.0 };
                sign * size / 10_f64.powi(decimals as i32)
            };
            let numbers: Vec<f64> = std::iter::repeat_with(number).take(1 + round % 40).collect();
            let has_exponents = numbers.iter().any(|number| *number != 0.0 && number.abs() < 1e-6);
            let texts: Vec<String> = numbers.into_iter().map(number_text).collect();
            let is_single = has_exponents && pack(&with_vector(&texts)).to_bytes().is_some();
            assert_same(&with_vector(&texts), !has_exponents || is_single);
            let singles: Vec<String> = (0..8).map(|_| number_text(f64::from((random() as f32 / u64::MAX as f32 - 0.5) / 16.0))).collect();
            assert_same(&with_vector(&singles), true);
            let doubles: Vec<String> = (0..8).map(|_| number_text(random() as f64 / u64::MAX as f64)).collect();
            assert_same(&with_vector(&doubles), false);
        }
    }

    #[test]
    fn unusual_numbers_come_back_too() {
        for list in ["0", "0,0", "-1,0.5", "999999999,-999999999", "0.1234567,0.12345678,0.123456789", "1e-7,2.5", "3.4e+38", "1e-45"] {
            let text = with_vector(&[list.to_owned()]);
            assert_eq!(pack(&text).to_text(), text);
        }
        for list in ["0.10", "1.0", "-0", "0.0000001", "01", "1.", ".5", "-", "1e", "1e999", "0.1, 0.2", "\"1\"", "null", "", "[1", "0.1]"]
        {
            let text = with_vector(&[list.to_owned()]);
            assert_eq!(pack(&text).to_text(), text);
        }
    }

    #[test]
    fn only_vectors_of_the_given_names_are_packed() {
        let holes = |text: &str| {
            assert_eq!(pack(text).to_text(), text);
            pack(text).holes.len()
        };
        assert_eq!(holes(r#"{"attributes":{"meaning":[[0.5,1],[2,0.25]],"other":[1,2]}}"#), 2);
        assert_eq!(holes(r#"{"attributes":{"meaning":[[0.5,1],[2,0.25123456789012345678],[1]],"x":"]["}}"#), 1);
        assert_eq!(holes(r#"{"attributes":{"title":"\"meaning\":[1,2]","meaning":null}}"#), 0);
        assert_eq!(holes(r#"{"attributes":{"meaning":["x]","y\\"],"é":"meaning"}}"#), 0);
        assert_eq!(holes(r#"{"attributes":{"meaning":[[],[]]}}"#), 0);
        assert_eq!(holes(r#"{"attributes":{"meaning":[1,2"#), 0);
        assert_eq!(holes(r#"{"attributes":{"meaning"#), 0);
    }

    #[test]
    fn damaged_bytes_are_rejected() {
        let bytes = pack(r#"{"attributes":{"meaning":[0.5,0.000001234,3]}}"#).to_bytes().unwrap();
        let entity = Entity::from_bytes(&bytes);
        assert!(entity.is_some());
        for length in 0..bytes.len() {
            assert!(Entity::from_bytes(&bytes[..length]).is_none_or(|shorter| shorter.holes.is_empty()));
        }
        for index in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[index] ^= 0xff;
            // Must not panic, and may only differ.
            assert_ne!(Entity::from_bytes(&damaged), entity);
        }
    }
}
