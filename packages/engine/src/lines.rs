//! Parses documents from lines of JSON, off the JavaScript thread.
//!
//! It accepts a line only if JavaScript would serialize it to the same text without white space. It defers all other lines to the caller:
//! invalid ones, and those that JavaScript would write differently (`1e3`, `\u00e9`, a duplicate name). Only the caller reports errors.

use std::ops::Range;

use memchr::memchr;
use serde::Serialize;

use crate::entity::EntityBuilder;
use crate::line_rules::{Kind, Rules, write_component};
use crate::packed_vector::PackedVector;
use crate::store::Write;
use crate::values::{is_exact, is_plain_date};

/// A line that the caller has to parse: its index among the lines, and its range of bytes.
#[derive(Serialize)]
pub struct DeferredLine {
    #[serde(rename = "at")]
    index: usize,
    #[serde(rename = "from")]
    start: usize,
    #[serde(rename = "to")]
    end: usize,
}

/// The write of each line, `None` for the deferred lines.
pub struct ParsedLines {
    pub writes: Vec<Option<Write>>,
    pub deferred: Vec<DeferredLine>,
}

/// Deeper documents are deferred.
const DEPTH_MAX: usize = 32;
/// Objects with more names are deferred.
const NAMES_MAX: usize = 64;

/// Parses all lines of the block. The last line needs no line feed.
pub fn parse(block: &[u8], rules: &Rules) -> ParsedLines {
    let mut lines = ParsedLines { writes: Vec::new(), deferred: Vec::new() };
    let text = str::from_utf8(block).ok();
    let mut scratch = EntityBuilder::default();
    let mut start = 0;
    while start < block.len() {
        let end = memchr(b'\n', &block[start..]).map_or(block.len(), |length| start + length);
        let line = text.map_or_else(|| str::from_utf8(&block[start..end]).ok(), |text| text.get(start..end));
        scratch.clear();
        let write = line.filter(|line| line.len() <= rules.line_bytes_max).and_then(|line| parse_line(line, rules, &mut scratch));
        if write.is_none() {
            lines.deferred.push(DeferredLine { index: lines.writes.len(), start, end });
        }
        lines.writes.push(write);
        start = end + 1;
    }
    lines
}

fn parse_line(line: &str, rules: &Rules, attributes: &mut EntityBuilder) -> Option<Write> {
    let mut reader = Reader { text: line, offset: 0, out: attributes, rules };
    let id = reader.document()?;
    reader.skip_blank();
    if reader.offset < line.len() {
        return None;
    }
    let id = uri(&line[id], rules)?;
    let mut entity = EntityBuilder::default();
    entity.text.reserve_exact(id.len() + rules.classes.len() + attributes.text.len() + 40);
    for part in ["{\"id\":\"", &id, "\",\"class\":", &rules.classes, ",\"attributes\":"] {
        entity.text.push_str(part);
    }
    entity.append(attributes);
    entity.text.push('}');
    Some(Write { id, entity: Some(entity.build()) })
}

/// Converts an id to a URI if all its characters are valid without escapes, in URIs and in JSON.
fn uri(id: &str, rules: &Rules) -> Option<String> {
    let needs_no_escape = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.!~*'();,/?:@&=+$#".contains(&byte);
    if id.is_empty() || !id.bytes().all(|byte| needs_no_escape(byte) || byte == b'%') {
        return None;
    }
    let uri = match id.split_once(':') {
        Some((scheme, rest)) if !rest.is_empty() && is_scheme(scheme) => id.to_owned(),
        _ if id.contains('%') => return None,
        _ => format!("{}{id}{}", rules.prefix, rules.suffix),
    };
    (uri.len() <= rules.id_bytes_max).then_some(uri)
}

/// RFC 3986, section 3.1.
fn is_scheme(text: &str) -> bool {
    text.starts_with(|first: char| first.is_ascii_alphabetic())
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+.-".contains(&byte))
}

/// Reads JSON (RFC 8259) and writes it without white space. Methods return `None` if JavaScript would write the value differently.
struct Reader<'a> {
    text: &'a str,
    offset: usize,
    out: &'a mut EntityBuilder,
    rules: &'a Rules,
}

impl Reader<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.offset).copied()
    }

    fn skip_blank(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\r')) {
            self.offset += 1;
        }
    }

    /// Skips white space and consumes the given byte.
    fn expect(&mut self, byte: u8) -> Option<()> {
        self.skip_blank();
        (self.peek()? == byte).then(|| self.offset += 1)
    }

    /// Copies the document without its id, and returns the range of the id. The id is copied too if it is declared as a field.
    fn document(&mut self) -> Option<Range<usize>> {
        let mut id = None;
        self.object(|reader, name, first| {
            if reader.text[name.clone()] == reader.rules.id_field {
                let start = reader.offset;
                id = Some(reader.id()?);
                let Some(kind) = reader.rules.fields.get(&reader.rules.id_field) else {
                    return Some(false);
                };
                reader.offset = start;
                reader.name(name, first);
                reader.field_value(*kind)?;
                return Some(true);
            }
            reader.name(name.clone(), first);
            match reader.rules.fields.get(&reader.text[name.clone()]) {
                None => reader.value(0)?,
                Some(Kind::Vector) => reader.vector(name)?,
                Some(kind) => reader.field(*kind)?,
            }
            Some(true)
        })?;
        id
    }

    fn id(&mut self) -> Option<Range<usize>> {
        match self.peek()? {
            b'"' => self.string(),
            _ => self.number().filter(|number| is_exact(&self.text[number.clone()])),
        }
    }

    fn name(&mut self, name: Range<usize>, first: bool) {
        if !first {
            self.out.text.push(',');
        }
        self.out.text.push('"');
        self.out.text.push_str(&self.text[name]);
        self.out.text.push_str("\":");
    }

    /// Copies an object. `member` reads the value after a name and returns whether it copied the member.
    fn object(&mut self, mut member: impl FnMut(&mut Self, Range<usize>, bool) -> Option<bool>) -> Option<()> {
        self.expect(b'{')?;
        self.out.text.push('{');
        let mut names: Vec<Range<usize>> = Vec::new();
        let mut first = true;
        self.skip_blank();
        if self.peek()? == b'}' {
            self.offset += 1;
            self.out.text.push('}');
            return Some(());
        }
        loop {
            self.skip_blank();
            let name = self.string()?;
            let text = &self.text[name.clone()];
            // JavaScript moves names that are integers to the front, and keeps the last of two values.
            let is_integer = text.bytes().all(|byte| byte.is_ascii_digit()) && !text.is_empty();
            let is_duplicate = names.iter().any(|earlier_name| self.text[earlier_name.clone()] == *text);
            if is_integer || is_duplicate || text.contains('\\') || text == "__proto__" || names.len() >= NAMES_MAX {
                return None;
            }
            names.push(name.clone());
            self.expect(b':')?;
            self.skip_blank();
            if member(self, name, first)? {
                first = false;
            }
            self.skip_blank();
            self.offset += 1;
            match self.text.as_bytes().get(self.offset - 1)? {
                b',' => {}
                b'}' => break,
                _ => return None,
            }
        }
        self.out.text.push('}');
        Some(())
    }

    fn list(&mut self, mut item: impl FnMut(&mut Self) -> Option<()>) -> Option<()> {
        self.expect(b'[')?;
        self.out.text.push('[');
        self.skip_blank();
        if self.peek()? == b']' {
            self.offset += 1;
            self.out.text.push(']');
            return Some(());
        }
        loop {
            self.skip_blank();
            item(self)?;
            self.skip_blank();
            self.offset += 1;
            match self.text.as_bytes().get(self.offset - 1)? {
                b',' => self.out.text.push(','),
                b']' => break,
                _ => return None,
            }
        }
        self.out.text.push(']');
        Some(())
    }

    fn value(&mut self, depth: usize) -> Option<()> {
        if depth > DEPTH_MAX {
            return None;
        }
        match self.peek()? {
            b'{' => self.object(|reader, name, first| {
                reader.name(name, first);
                reader.value(depth + 1)?;
                Some(true)
            }),
            b'[' => self.list(|reader| reader.value(depth + 1)),
            b'"' => self.copy(Self::string),
            b't' => self.word("true"),
            b'f' => self.word("false"),
            b'n' => self.word("null"),
            _ => self.copy(Self::number),
        }
    }

    /// A value of a declared field, a list of them, or null.
    fn field(&mut self, kind: Kind) -> Option<()> {
        match (self.peek()?, kind) {
            (b'n', _) => self.word("null"),
            (_, Kind::Geo | Kind::Vector) => None,
            (b'[', _) => self.list(|reader| reader.field_value(kind)),
            _ => self.field_value(kind),
        }
    }

    /// A vector, or null.
    fn vector(&mut self, name: Range<usize>) -> Option<()> {
        if self.peek()? == b'n' {
            return self.word("null");
        }
        let dimensions = *self.rules.dimensions.get(&self.text[name])?;
        if let Some((vector, length)) = PackedVector::read(&self.text[self.offset..], false) {
            self.offset += length;
            return (vector.len() == dimensions).then(|| self.out.push_vector(vector));
        }
        let start = self.out.text.len();
        let mut count = 0;
        self.list(|reader| {
            count += 1;
            reader.component()
        })?;
        // Written as JavaScript does, the numbers may fit.
        if let Some((vector, _)) = PackedVector::read(&self.out.text[start..], true) {
            self.out.text.truncate(start);
            self.out.push_vector(vector);
        }
        (count == dimensions).then_some(())
    }

    fn component(&mut self) -> Option<()> {
        let rest = &self.text[self.offset..];
        let length = rest.bytes().take_while(|byte| byte.is_ascii_digit() || b"-.+eE".contains(byte)).count();
        write_component(&rest[..length], &mut self.out.text)?;
        self.offset += length;
        Some(())
    }

    fn field_value(&mut self, kind: Kind) -> Option<()> {
        let is_text = self.peek()? == b'"';
        match kind {
            Kind::Text if is_text => self.copy(Self::string),
            Kind::Keyword if is_text => {
                let limit = self.rules.keyword_bytes_max;
                self.copy(|reader| reader.string().filter(|text| text.len() <= limit))
            }
            Kind::Date if is_text => self.copy(|reader| reader.string().filter(|text| is_plain_date(&reader.text[text.clone()]))),
            Kind::Number if !is_text => self.copy(Self::number),
            Kind::Boolean if self.peek()? == b't' => self.word("true"),
            Kind::Boolean => self.word("false"),
            Kind::Object if self.peek()? == b'{' => self.value(0),
            _ => None,
        }
    }

    /// Copies the text that `read` consumes.
    fn copy(&mut self, read: impl FnOnce(&mut Self) -> Option<Range<usize>>) -> Option<()> {
        let start = self.offset;
        read(self)?;
        self.out.text.push_str(&self.text[start..self.offset]);
        Some(())
    }

    fn word(&mut self, word: &str) -> Option<()> {
        self.text[self.offset..].starts_with(word).then(|| {
            self.offset += word.len();
            self.out.text.push_str(word);
        })
    }

    /// Reads a string and returns the range between the quotes. It accepts only the escapes that JavaScript itself writes.
    fn string(&mut self) -> Option<Range<usize>> {
        let bytes = self.text.as_bytes();
        if self.peek()? != b'"' {
            return None;
        }
        let start = self.offset + 1;
        let mut end = start;
        loop {
            match bytes.get(end)? {
                b'"' => break,
                b'\\' if b"\"\\bfnrt".contains(bytes.get(end + 1)?) => end += 2,
                b'\\' | 0..=0x1f => return None,
                _ => end += 1,
            }
        }
        self.offset = end + 1;
        Some(start..end)
    }

    /// Reads a number in the form that JavaScript writes (https://tc39.es/ecma262/#sec-numeric-types-number-tostring).
    fn number(&mut self) -> Option<Range<usize>> {
        let start = self.offset;
        let length = self.text[start..].bytes().take_while(|byte| byte.is_ascii_digit() || b"-.+eE".contains(byte)).count();
        let text = &self.text[start..start + length];
        let digits = text.strip_prefix('-').unwrap_or(text);
        let is_short =
            digits.len() <= 15 && !digits.starts_with('0') && !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        if !is_short && text != "0" {
            let value: f64 = text.parse().ok()?;
            let size = value.abs();
            if !(1e-6..1e21).contains(&size) || value.to_string() != text {
                return None;
            }
        }
        self.offset += length;
        Some(start..self.offset)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::entity::Entity;

    fn entities(block: &str) -> Vec<Option<String>> {
        let rules = r#"{"idField": "id", "prefix": "urn:x:", "suffix": "", "classes": "[]", "idBytesMax": 20, "keywordBytesMax": 5, "lineBytesMax": 100,
            "fields": {"t": "text", "k": "keyword", "n": "number", "b": "boolean", "d": "date", "o": "object", "v": "vector"}}"#;
        let lines = parse(block.as_bytes(), &serde_json::from_str(rules).unwrap());
        assert_eq!(lines.deferred.len(), lines.writes.iter().filter(|write| write.is_none()).count());
        lines.writes.into_iter().map(|write| write.and_then(|write| write.entity).map(Entity::into_text)).collect()
    }

    #[test]
    fn accepts_lines_that_javascript_would_write_the_same() {
        let accepted = entities(
            "{\"t\" : [\"a\\n\", \"é\"],\"id\": 7, \"n\":[0.5, -12],\"d\":\"2024-02-28\",\"x\":{\"y\": [ ] }}\r\n{\"id\":\"https://a/%20\",\"b\":null}",
        );
        assert_eq!(
            accepted.iter().map(Option::as_deref).collect::<Vec<_>>(),
            [
                Some(r#"{"id":"urn:x:7","class":[],"attributes":{"t":["a\n","é"],"n":[0.5,-12],"d":"2024-02-28","x":{"y":[]}}}"#),
                Some(r#"{"id":"https://a/%20","class":[],"attributes":{"b":null}}"#),
            ]
        );
    }

    #[test]
    fn defers_all_other_lines() {
        let lines = r#"|{|[]|{}|{"id":""}|{"id":null}|{"id":"a b"}|{"id":"a%20"}|{"id":"aaaaaaaaaaaaaaaaaaaaa"}|{"id":1,}|{"id":1}}
            |{"id":1,"id":2}|{"id":1,"x":1,"x":2}|{"id":1,"0":2}|{"id":1,"__proto__":2}|{"id":1,"x":1.0}|{"id":1,"x":-0}|{"id":1,"x":01}
            |{"id":1,"x":1e3}|{"id":1,"x":12345678901234567890}|{"id":1,"x":"\u00e9"}|{"id":1,"x":"	"}|{"id":1,"x":"\/"}|{"id":1,"t":1}
            |{"id":1,"t":[null]}|{"id":1,"k":"123456"}|{"id":1,"n":"1"}|{"id":1,"b":1}|{"id":1,"d":"2023-02-29"}|{"id":1,"o":[1]}
            |{"id":1,"d":"2023-02-01T24:00:00Z"}|{"id":1,"v":[1]}|﻿{"id":1}|{"id":1,"x":tru}"#;
        for line in lines.split('|').map(str::trim_ascii_end) {
            assert!(entities(&format!("{line}\n")).iter().all(Option::is_none), "{line}");
        }
        assert_eq!(entities(&format!("{{\"id\":1,\"x\":\"{}\"}}", "a".repeat(100))), [None]);
    }
}
