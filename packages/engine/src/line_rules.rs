//! The rules by which a line becomes a document (`LineRules` in the server's engine.ts), and the numbers of vectors in lines.

use std::collections::HashMap;

use serde::Deserialize;

use crate::values::number_text;

/// How a document becomes an entity.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Rules {
    pub id_field: String,
    /// Added to the start and the end of an id that is not an absolute URI.
    pub prefix: String,
    pub suffix: String,
    /// JSON of the classes.
    pub classes: String,
    /// The declared fields and the type of their values.
    pub fields: HashMap<String, Kind>,
    /// The dimensions of vector fields.
    #[serde(default)]
    pub dimensions: HashMap<String, usize>,
    pub id_bytes_max: usize,
    pub keyword_bytes_max: usize,
    pub line_bytes_max: usize,
}

#[derive(Deserialize, Clone, Copy)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    Text,
    Keyword,
    Number,
    Boolean,
    Date,
    Object,
    /// Always deferred to the caller.
    Geo,
    /// One vector with the declared dimensions; lists of vectors are deferred.
    Vector,
}

/// The largest number of a vector, which has single precision (`componentMax` in the server's documents/entity.ts).
pub const COMPONENT_MAX: f64 = 3.4e38;

/// With at most this many digits, JavaScript writes a decimal as it is.
const EXACT_DIGITS: usize = 15;

/// Writes a number of a vector as JavaScript would. Returns `None` if the text is not a number of JSON, or too large.
pub fn write_component(text: &str, out: &mut String) -> Option<()> {
    if !is_json_number(text) {
        return None;
    }
    if is_written_as_is(text) {
        out.push_str(text);
        return Some(());
    }
    let value: f64 = text.parse().ok().filter(|value: &f64| value.abs() <= COMPONENT_MAX)?;
    out.push_str(&number_text(value));
    Some(())
}

/// RFC 8259, section 6.
pub fn is_json_number(text: &str) -> bool {
    let are_digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let (decimal, exponent) = text.split_once(['e', 'E']).map_or((text, None), |(decimal, exponent)| (decimal, Some(exponent)));
    let digits = decimal.strip_prefix('-').unwrap_or(decimal);
    let (whole, fraction) = digits.split_once('.').map_or((digits, None), |(whole, fraction)| (whole, Some(fraction)));
    are_digits(whole)
        && (whole == "0" || !whole.starts_with('0'))
        && fraction.is_none_or(are_digits)
        && exponent.is_none_or(|exponent| are_digits(exponent.strip_prefix(['-', '+']).unwrap_or(exponent)))
}

/// A decimal below 1 of few digits that is not written with an exponent: nearly all numbers of vectors.
fn is_written_as_is(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let Some(fraction) = digits.strip_prefix("0.") else { return false };
    let is_large_enough = fraction.bytes().take(6).any(|byte| byte != b'0');
    fraction.len() <= EXACT_DIGITS && is_large_enough && !fraction.ends_with('0') && fraction.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lines::parse;

    #[test]
    fn components_are_written_as_javascript_does() {
        for (text, expected) in [
            ("0.5", Some("0.5")),
            ("-0.012345", Some("-0.012345")),
            ("0.10", Some("0.1")),
            ("1.0", Some("1")),
            ("-0", Some("0")),
            ("0.0", Some("0")),
            ("5.2e-05", Some("0.000052")),
            ("1E-7", Some("1e-7")),
            ("0.0000001", Some("1e-7")),
            ("0.03480297327041626", Some("0.03480297327041626")),
            ("12", Some("12")),
            ("1e39", None),
            ("01", None),
            (".5", None),
            ("1.", None),
            ("1e", None),
            ("NaN", None),
            ("", None),
            ("\"1\"", None),
        ] {
            let mut out = String::new();
            assert_eq!(write_component(text, &mut out).map(|()| out.as_str()), expected, "{text}");
        }
    }

    #[test]
    fn vectors_come_back_as_javascript_writes_them() {
        let rules = r#"{"idField": "id", "prefix": "", "suffix": "", "classes": "[]", "idBytesMax": 20, "keywordBytesMax": 5, "lineBytesMax": 200,
            "fields": {"v": "vector", "w": "vector"}, "dimensions": {"v": 3, "w": 2}}"#;
        let rules = serde_json::from_str(rules).unwrap();
        for (vectors, expected) in [
            (r#""v":[0.5,-0.25,1]"#, Some(r#""v":[0.5,-0.25,1]"#)),
            (r#""v": [ 0.5 , -0.25,\t1 ],"w":[1,2]"#, Some(r#""v":[0.5,-0.25,1],"w":[1,2]"#)),
            (r#""v":[5.2e-05,0.10,1.0]"#, Some(r#""v":[0.000052,0.1,1]"#)),
            (r#""v":[1e-9,-0.0,1E2]"#, Some(r#""v":[1e-9,0,100]"#)),
            (r#""v":[0.03480297327041626,0.1234567890123456789,1]"#, Some(r#""v":[0.03480297327041626,0.12345678901234568,1]"#)),
            (r#""v":[0.03480297327041626,0.5,-7.450580596923828e-9]"#, Some(r#""v":[0.03480297327041626,0.5,-7.450580596923828e-9]"#)),
            (r#""v":null,"w":[1,2]"#, Some(r#""v":null,"w":[1,2]"#)),
            (r#""v":[0.5,1]"#, None),
            (r#""v":[0.5,1,2,3]"#, None),
            (r#""v":[0.5,1,1e39]"#, None),
            (r#""v":[0.5,1,"2"]"#, None),
            (r#""v":[[1,2,3]]"#, None),
            (r#""v":"x""#, None),
        ] {
            let lines = parse(format!(r#"{{"id":"x:1",{vectors}}}"#).replace("\\t", "\t").as_bytes(), &rules);
            let entity = lines.writes.into_iter().next().unwrap().map(|write| write.entity.unwrap().into_text());
            assert_eq!(entity, expected.map(|vectors| format!(r#"{{"id":"x:1","class":[],"attributes":{{{vectors}}}}}"#)), "{vectors}");
        }
    }
}
