//! Documents read from lines of JSON, off the JavaScript thread. A line is read here only where what JavaScript would make of it is
//! certain: its text without white space. Any other (wrong, or written in a way that JavaScript would write otherwise, such as `1e3`, `\u00e9`
//! or a name that stands twice) is left to the caller, who alone says what is wrong with it.

use std::collections::HashMap;
use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::store::Write;
use crate::values::{is_exact, is_plain_date};

/// What makes an entity of a document.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Rules {
    id_field: String,
    /// What stands before and behind an id that is no absolute URI.
    prefix: String,
    suffix: String,
    /// JSON of the classes.
    classes: String,
    /// Of each declared field what its values have to be.
    fields: HashMap<String, Kind>,
    id_bytes_max: usize,
    keyword_bytes_max: usize,
    line_bytes_max: usize,
}

#[derive(Deserialize, Clone, Copy)]
#[serde(rename_all = "lowercase")]
enum Kind {
    Text,
    Keyword,
    Number,
    Boolean,
    Date,
    Object,
    /// Left to the caller, whatever stands there.
    Geo,
    Vector,
}

/// A line that was left to the caller: its place among the lines, and its bytes.
#[derive(Serialize)]
pub struct Left {
    at: usize,
    from: usize,
    to: usize,
}

/// Of each line the write that it asks for, or none where it was left.
pub struct Lines {
    pub writes: Vec<Option<Write>>,
    pub left: Vec<Left>,
}

/// Deeper documents are left.
const DEPTH_MAX: usize = 32;
/// So are objects of more names.
const NAMES_MAX: usize = 64;

/// The last line needs no line feed.
pub fn read(block: &[u8], rules: &Rules) -> Lines {
    let mut lines = Lines { writes: Vec::new(), left: Vec::new() };
    let text = str::from_utf8(block).ok();
    let mut scratch = String::new();
    let mut from = 0;
    while from < block.len() {
        let to = block[from..].iter().position(|byte| *byte == b'\n').map_or(block.len(), |length| from + length);
        let line = text.map_or_else(|| str::from_utf8(&block[from..to]).ok(), |text| text.get(from..to));
        scratch.clear();
        let write = line.filter(|line| line.len() <= rules.line_bytes_max).and_then(|line| read_line(line, rules, &mut scratch));
        if write.is_none() {
            lines.left.push(Left { at: lines.writes.len(), from, to });
        }
        lines.writes.push(write);
        from = to + 1;
    }
    lines
}

fn read_line(line: &str, rules: &Rules, attributes: &mut String) -> Option<Write> {
    let mut reader = Reader { text: line, at: 0, out: attributes, rules };
    let id = reader.document()?;
    reader.skip_blank();
    if reader.at < line.len() {
        return None;
    }
    let id = uri(&line[id], rules)?;
    let mut entity = String::with_capacity(id.len() + rules.classes.len() + attributes.len() + 40);
    for part in ["{\"id\":\"", &id, "\",\"class\":", &rules.classes, ",\"attributes\":", attributes, "}"] {
        entity.push_str(part);
    }
    Some(Write { id, entity: Some(entity) })
}

/// The URI of an id of characters that stand for themselves, in URIs and in JSON.
fn uri(id: &str, rules: &Rules) -> Option<String> {
    let stands_for_itself = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.!~*'();,/?:@&=+$#".contains(&byte);
    if id.is_empty() || !id.bytes().all(|byte| stands_for_itself(byte) || byte == b'%') {
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

/// Reads JSON (RFC 8259) and writes it without white space; none where that is not what JavaScript would write.
struct Reader<'a> {
    text: &'a str,
    at: usize,
    out: &'a mut String,
    rules: &'a Rules,
}

impl Reader<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn skip_blank(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\r')) {
            self.at += 1;
        }
    }

    /// Skips white space and takes this byte.
    fn take(&mut self, byte: u8) -> Option<()> {
        self.skip_blank();
        (self.peek()? == byte).then(|| self.at += 1)
    }

    /// All but the id, whose place in the line it gives; the id too where it is declared as a field.
    fn document(&mut self) -> Option<Range<usize>> {
        let mut id = None;
        self.object_of(|reader, name, first| {
            if reader.text[name.clone()] == reader.rules.id_field {
                let from = reader.at;
                id = Some(reader.id()?);
                let Some(kind) = reader.rules.fields.get(&reader.rules.id_field) else {
                    return Some(false);
                };
                reader.at = from;
                reader.name(name, first);
                reader.one(*kind)?;
                return Some(true);
            }
            reader.name(name.clone(), first);
            match reader.rules.fields.get(&reader.text[name]) {
                None => reader.value(0)?,
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
            self.out.push(',');
        }
        self.out.push('"');
        self.out.push_str(&self.text[name]);
        self.out.push_str("\":");
    }

    /// `member` reads the value behind a name, and tells whether it wrote the two.
    fn object_of(&mut self, mut member: impl FnMut(&mut Self, Range<usize>, bool) -> Option<bool>) -> Option<()> {
        self.take(b'{')?;
        self.out.push('{');
        let mut names: Vec<Range<usize>> = Vec::new();
        let mut first = true;
        self.skip_blank();
        if self.peek()? == b'}' {
            self.at += 1;
            self.out.push('}');
            return Some(());
        }
        loop {
            self.skip_blank();
            let name = self.string()?;
            let text = &self.text[name.clone()];
            // JavaScript puts names that are numbers first, and keeps the last of two values.
            let is_moved = text.bytes().all(|byte| byte.is_ascii_digit()) && !text.is_empty();
            let is_known = names.iter().any(|other| self.text[other.clone()] == *text);
            if is_moved || is_known || text.contains('\\') || text == "__proto__" || names.len() >= NAMES_MAX {
                return None;
            }
            names.push(name.clone());
            self.take(b':')?;
            self.skip_blank();
            if member(self, name, first)? {
                first = false;
            }
            self.skip_blank();
            self.at += 1;
            match self.text.as_bytes().get(self.at - 1)? {
                b',' => {}
                b'}' => break,
                _ => return None,
            }
        }
        self.out.push('}');
        Some(())
    }

    fn list_of(&mut self, mut item: impl FnMut(&mut Self) -> Option<()>) -> Option<()> {
        self.take(b'[')?;
        self.out.push('[');
        self.skip_blank();
        if self.peek()? == b']' {
            self.at += 1;
            self.out.push(']');
            return Some(());
        }
        loop {
            self.skip_blank();
            item(self)?;
            self.skip_blank();
            self.at += 1;
            match self.text.as_bytes().get(self.at - 1)? {
                b',' => self.out.push(','),
                b']' => break,
                _ => return None,
            }
        }
        self.out.push(']');
        Some(())
    }

    fn value(&mut self, depth: usize) -> Option<()> {
        if depth > DEPTH_MAX {
            return None;
        }
        match self.peek()? {
            b'{' => self.object_of(|reader, name, first| {
                reader.name(name, first);
                reader.value(depth + 1)?;
                Some(true)
            }),
            b'[' => self.list_of(|reader| reader.value(depth + 1)),
            b'"' => self.written(Self::string),
            b't' => self.word("true"),
            b'f' => self.word("false"),
            b'n' => self.word("null"),
            _ => self.written(Self::number),
        }
    }

    /// A value of a declared field, a list of them, or null.
    fn field(&mut self, kind: Kind) -> Option<()> {
        match (self.peek()?, kind) {
            (b'n', _) => self.word("null"),
            (_, Kind::Geo | Kind::Vector) => None,
            (b'[', _) => self.list_of(|reader| reader.one(kind)),
            _ => self.one(kind),
        }
    }

    fn one(&mut self, kind: Kind) -> Option<()> {
        let is_text = self.peek()? == b'"';
        match kind {
            Kind::Text if is_text => self.written(Self::string),
            Kind::Keyword if is_text => {
                let limit = self.rules.keyword_bytes_max;
                self.written(|reader| reader.string().filter(|text| text.len() <= limit))
            }
            Kind::Date if is_text => self.written(|reader| reader.string().filter(|text| is_plain_date(&reader.text[text.clone()]))),
            Kind::Number if !is_text => self.written(Self::number),
            Kind::Boolean if self.peek()? == b't' => self.word("true"),
            Kind::Boolean => self.word("false"),
            Kind::Object if self.peek()? == b'{' => self.value(0),
            _ => None,
        }
    }

    /// Writes what `read` passes over.
    fn written(&mut self, read: impl FnOnce(&mut Self) -> Option<Range<usize>>) -> Option<()> {
        let from = self.at;
        read(self)?;
        self.out.push_str(&self.text[from..self.at]);
        Some(())
    }

    fn word(&mut self, word: &str) -> Option<()> {
        self.text[self.at..].starts_with(word).then(|| {
            self.at += word.len();
            self.out.push_str(word);
        })
    }

    /// What stands between the quotes. Escapes are those that JavaScript writes itself; it would write others otherwise.
    fn string(&mut self) -> Option<Range<usize>> {
        let bytes = self.text.as_bytes();
        if self.peek()? != b'"' {
            return None;
        }
        let from = self.at + 1;
        let mut at = from;
        loop {
            match bytes.get(at)? {
                b'"' => break,
                b'\\' if b"\"\\bfnrt".contains(bytes.get(at + 1)?) => at += 2,
                b'\\' | 0..=0x1f => return None,
                _ => at += 1,
            }
        }
        self.at = at + 1;
        Some(from..at)
    }

    /// A number in the digits that JavaScript would write (https://tc39.es/ecma262/#sec-numeric-types-number-tostring).
    fn number(&mut self) -> Option<Range<usize>> {
        let from = self.at;
        let length = self.text[from..].bytes().take_while(|byte| byte.is_ascii_digit() || b"-.+eE".contains(byte)).count();
        let text = &self.text[from..from + length];
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
        self.at += length;
        Some(from..self.at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entities(block: &str) -> Vec<Option<String>> {
        let rules = r#"{"idField": "id", "prefix": "urn:x:", "suffix": "", "classes": "[]", "idBytesMax": 20, "keywordBytesMax": 5, "lineBytesMax": 100,
            "fields": {"t": "text", "k": "keyword", "n": "number", "b": "boolean", "d": "date", "o": "object", "v": "vector"}}"#;
        let lines = read(block.as_bytes(), &serde_json::from_str(rules).unwrap());
        assert_eq!(lines.left.len(), lines.writes.iter().filter(|write| write.is_none()).count());
        lines.writes.into_iter().map(|write| write.and_then(|write| write.entity)).collect()
    }

    #[test]
    fn reads_what_is_certain() {
        let read = entities(
            "{\"t\" : [\"a\\n\", \"é\"],\"id\": 7, \"n\":[0.5, -12],\"d\":\"2024-02-28\",\"x\":{\"y\": [ ] }}\r\n{\"id\":\"https://a/%20\",\"b\":null}",
        );
        assert_eq!(
            read.iter().map(Option::as_deref).collect::<Vec<_>>(),
            [
                Some(r#"{"id":"urn:x:7","class":[],"attributes":{"t":["a\n","é"],"n":[0.5,-12],"d":"2024-02-28","x":{"y":[]}}}"#),
                Some(r#"{"id":"https://a/%20","class":[],"attributes":{"b":null}}"#),
            ]
        );
    }

    #[test]
    fn leaves_the_rest_to_the_caller() {
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
