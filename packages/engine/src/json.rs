//! Reads the JSON that JavaScript writes.

use serde::de::DeserializeOwned;

/// Parses a value. JavaScript can escape half a surrogate pair, which no Rust string can hold: it becomes the replacement character.
pub fn read<T: DeserializeOwned>(json: &str) -> serde_json::Result<T> {
    serde_json::from_str(json).or_else(|_| serde_json::from_str(&without_lone_surrogates(json)))
}

/// Replaces unpaired surrogate escapes (`\ud800` to `\udfff`) by `\ufffd`.
pub fn without_lone_surrogates(json: &str) -> String {
    let mut text = String::with_capacity(json.len());
    let mut rest = json;
    while let Some(backslash) = rest.find('\\') {
        text.push_str(&rest[..backslash]);
        rest = &rest[backslash..];
        let length = match (escaped_unit(rest), rest.get(6..).and_then(escaped_unit)) {
            (Some(0xd800..=0xdbff), Some(0xdc00..=0xdfff)) => 12,
            (Some(0xd800..=0xdfff), _) => {
                text.push_str("\\ufffd");
                rest = &rest[6..];
                continue;
            }
            (Some(_), _) => 6,
            (None, _) => 1 + rest[1..].chars().next().map_or(0, char::len_utf8),
        };
        text.push_str(&rest[..length]);
        rest = &rest[length..];
    }
    text.push_str(rest);
    text
}

fn escaped_unit(text: &str) -> Option<u32> {
    u32::from_str_radix(text.strip_prefix("\\u")?.get(..4)?, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_unpaired_surrogate_is_replaced() {
        assert_eq!(without_lone_surrogates(r"a\udc00b\ud83d\ude00\\ud800\n"), r"a\ufffdb\ud83d\ude00\\ud800\n");
        assert_eq!(read::<String>(r#""\ud800é""#).unwrap(), "\u{fffd}é");
    }
}
