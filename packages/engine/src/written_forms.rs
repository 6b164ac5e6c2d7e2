//! How words are written: with symbols that distinguish them (`!c++` for C++), and with accents and capitals (`^ángeles`). A word that a text
//! has in no other spelling is marked too (`~angeles`), so that a search can prefer the words as typed.

use std::ops::Range;

use rustc_hash::FxHashSet;
use tantivy::tokenizer::{TextAnalyzer, TokenStream};
use unicode_normalization::UnicodeNormalization;

use crate::characters::is_ignorable;

/// Begin the forms. No other form begins so.
pub const SYMBOL: char = '!';
pub const WRITTEN: char = '^';
pub const MARK: char = '~';

/// Calls `add` with each form of the text, and its range. `typed` folds the words.
pub fn read_written_forms(typed: &mut TextAnalyzer, text: &str, mut add: impl FnMut(String, Range<usize>)) {
    if !may_have_forms(text) {
        return;
    }
    let (mut marks, mut plain): (Vec<(String, Range<usize>)>, FxHashSet<String>) = Default::default();
    let mut stream = typed.token_stream(text);
    while stream.advance() {
        let token = stream.token();
        let range = token.offset_from..token.offset_to;
        let symbol_form = with_symbols(text, &range, &token.text);
        let written = written_form(&text[range.clone()], &token.text);
        if symbol_form.is_none() && written.is_none() {
            plain.insert(token.text.clone());
            continue;
        }
        if let Some(form) = symbol_form {
            add(format!("{SYMBOL}{form}"), range_with_symbols(text, &range));
        }
        if let Some(form) = written {
            add(format!("{WRITTEN}{form}"), range.clone());
        }
        marks.push((token.text.clone(), range));
    }
    for (text, range) in marks {
        if plain.insert(text.clone()) {
            add(format!("{MARK}{text}"), range);
        }
    }
}

/// A quick check that most texts in English fail.
fn may_have_forms(text: &str) -> bool {
    let (mut before, mut last) = (b' ', b' ');
    let may_have_form = |byte: u8| {
        let may_have_form = match byte {
            b'+' | b'#' | b'*' | b'%' | b'@' | b'$' => true,
            _ if byte.is_ascii_uppercase() && last.is_ascii_alphanumeric() => true,
            _ => last == b'.' && byte.is_ascii_alphabetic() && !before.is_ascii_alphanumeric(),
        };
        (before, last) = (last, byte);
        may_have_form
    };
    !text.is_ascii() || text.bytes().any(may_have_form)
}

/// Returns a word with the symbols that belong to it, such as `c++`, `c#` and `.net`, if it has any.
pub fn with_symbols(text: &str, range: &Range<usize>, folded: &str) -> Option<String> {
    let (before, after) = symbols_around(text, range)?;
    Some(format!("{before}{folded}{after}"))
}

/// Returns the symbols before and after a word that belong to it.
fn symbols_around<'a>(text: &'a str, range: &Range<usize>) -> Option<(&'a str, &'a str)> {
    let (before, word, after) = (&text[..range.start], &text[range.clone()], &text[range.end..]);
    let after = if word.ends_with(char::is_numeric) { skip_space_before(after, &['%']) } else { after };
    let before = match leading_symbol(before, word) {
        "" => following_currency(before, word, &text[range.end..]),
        symbol => symbol,
    };
    let after = trailing_symbols(after);
    let is_bold = after == "*" && text[..range.start].ends_with('*');
    if before.is_empty() && (after.is_empty() || is_bold) {
        return None;
    }
    Some((before, after))
}

/// The range of a word with the symbols that stand next to it.
fn range_with_symbols(text: &str, range: &Range<usize>) -> Range<usize> {
    let (before, after) = symbols_around(text, range).unwrap_or_default();
    let before = if text[..range.start].ends_with(before) { before.len() } else { 0 };
    let after = if text[range.end..].starts_with(after) { after.len() } else { 0 };
    range.start - before..range.end + after
}

/// Whether a word with its symbols is another word than without them: `c++` and `.net`, but neither `#party` nor `$25`.
pub fn distinguish_words(with_symbols: &str) -> bool {
    with_symbols.ends_with(['+', '#']) || with_symbols.starts_with('.')
}

/// `.` as in .NET, `#` and `@` before a letter, and currencies before a digit.
fn leading_symbol<'a>(before: &'a str, word: &str) -> &'a str {
    let mut characters = before.char_indices().rev();
    let Some((start, symbol)) = characters.next() else { return "" };
    let first = word.chars().next().unwrap_or(' ');
    let belongs = match symbol {
        '.' | '#' | '@' => first.is_alphabetic(),
        _ if CURRENCIES.contains(&symbol) => first.is_numeric(),
        _ => false,
    };
    let follows_text = characters.next().is_some_and(|(_, previous)| previous.is_alphanumeric() || previous == symbol || previous == ')');
    if belongs && !follows_text { &before[start..] } else { "" }
}

/// The currency after a number or before a space, as in `20€`, `5,00 €` and `€ 20`. It counts as if it stood before the number.
fn following_currency<'a>(before: &'a str, word: &str, after: &'a str) -> &'a str {
    let is_fraction = before.ends_with(['.', ',']) && before.trim_end_matches(['.', ',']).ends_with(char::is_numeric);
    if is_fraction || !word.starts_with(|first: char| first.is_ascii_digit()) || !word.ends_with(|last: char| last.is_ascii_digit()) {
        return "";
    }
    if let Some(symbol) = before.strip_suffix(SPACES).and_then(|before| before.char_indices().next_back())
        && CURRENCIES.contains(&symbol.1)
    {
        return &before[symbol.0..symbol.0 + symbol.1.len_utf8()];
    }
    let digits = after.trim_start_matches(|character: char| character.is_ascii_digit() || matches!(character, '.' | ','));
    let rest = skip_space_before(digits, &CURRENCIES);
    match rest.chars().next() {
        Some(symbol) if CURRENCIES.contains(&symbol) && !rest[symbol.len_utf8()..].starts_with(char::is_alphanumeric) => {
            &rest[..symbol.len_utf8()]
        }
        _ => "",
    }
}

const CURRENCIES: [char; 4] = ['$', '€', '£', '¥'];
const SPACES: [char; 3] = [' ', '\u{a0}', '\u{202f}'];

/// Skips a space before one of the symbols.
fn skip_space_before<'a>(text: &'a str, symbols: &[char]) -> &'a str {
    text.strip_prefix(SPACES).filter(|rest| rest.starts_with(symbols)).unwrap_or(text)
}

/// `+`, `++`, `#`, `%` and `*` after a word, unless another word follows at once. After `++` it may.
fn trailing_symbols(after: &str) -> &str {
    let length = match after.as_bytes() {
        [b'+', b'+', ..] => 2,
        [b'+' | b'#' | b'%' | b'*', ..] => 1,
        _ => return "",
    };
    let next = after[length..].chars().next();
    let is_inside = next.is_some_and(|next| (next.is_alphanumeric() && length == 1) || after.starts_with(next));
    if is_inside { "" } else { &after[..length] }
}

/// Returns a word with its accents, and with its capitals if they are not only the first letter. `None` if the folded word is the same.
pub fn written_form(word: &str, folded: &str) -> Option<String> {
    let has_capitals = word.chars().skip(1).any(char::is_uppercase);
    if word.is_ascii() && !has_capitals || !word.starts_with(char::is_alphabetic) {
        return None;
    }
    let composed = word.nfc().filter(|character| !is_ignorable(*character));
    let written: String = if has_capitals { composed.collect() } else { composed.flat_map(char::to_lowercase).collect() };
    (written != folded).then_some(written)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::Analyzer;

    fn forms(language: &str, text: &str) -> Vec<String> {
        let forms = Analyzer::for_language(language).unwrap().forms(text).into_iter().map(|form| form.text);
        let mut forms: Vec<String> = forms.filter(|form| form.starts_with([SYMBOL, WRITTEN, MARK])).collect();
        forms.sort();
        forms
    }

    #[test]
    fn symbols_belong_to_words_where_they_distinguish() {
        for (text, expected) in [
            ("C++", "!c++"),
            ("(C#)", "!c#"),
            (".net", "!.net"),
            ("C++11", "!c++"),
            ("F#/c", "!f#"),
            ("100%", "!100%"),
            ("$100", "!$100"),
            ("5 %", "!5%"),
            ("20€", "!€20"),
            ("5,00\u{a0}€", "!€5"),
            ("€ 20", "!€20"),
            ("#party", "!#party"),
            ("a+", "!a+"),
        ] {
            assert_eq!(forms("english", text)[0], expected, "{text}");
        }
        for text in ["a+b", "end.Next", "...net", "**bold**", "c+++", "1.5", "*word*", "me@home", "x. y", ".5", "Hello, world! (yes)"] {
            assert!(forms("english", text).is_empty(), "{text}");
        }
    }

    #[test]
    fn accents_and_capitals_are_kept_in_a_form_of_their_own() {
        assert_eq!(forms("general", "Los Ángeles"), ["^ángeles", "~angeles"]);
        assert_eq!(forms("english", "NASA and us"), ["^NASA", "~nasa"]);
        assert_eq!(forms("french", "Pêche, peche"), ["^pêche"]);
        assert_eq!(forms("none", "cafe\u{301}"), forms("none", "Café"));
        assert!(forms("english", "Los Angeles").is_empty());
    }
}
