//! Tells the decimals of a number from whole numbers: the words of `2.5kg` and `2,5kg` are `2` and `.5kg`, so that `5kg` does not find them.

/// The first character of decimals. No other word has it.
pub const FRACTION: char = '.';

/// More decimals are groups of thousands or codes.
const DECIMALS_MAX: usize = 2;
const WHOLE_DIGITS_MAX: usize = 4;

/// Whether the word that starts here is the decimals of a number. Versions such as 1.2.3 and dates such as 4.3.2021 have none.
pub fn is_fraction(text: &str, start: usize) -> bool {
    let bytes = text.as_bytes();
    let separates = |place: Option<usize>| place.and_then(|place| bytes.get(place)).is_some_and(|byte| matches!(byte, b'.' | b','));
    let is_digit = |place: &usize| bytes[*place].is_ascii_digit();
    if !separates(start.checked_sub(1)) || !bytes[start..].first().is_some_and(u8::is_ascii_digit) {
        return false;
    }
    let whole = (0..start - 1).rev().take_while(is_digit).count();
    let decimals = (start..bytes.len()).take_while(is_digit).count();
    let (before, after) = ((start - 1).checked_sub(whole + 1), start + decimals);
    let follows_number = separates(before) && before.and_then(|before| before.checked_sub(1)).is_some_and(|place| is_digit(&place));
    let precedes_number = separates(Some(after)) && bytes.get(after + 1).is_some_and(u8::is_ascii_digit);
    // Two numbers of a list may have a comma between them, as in the sizes `36,38`.
    let is_pair = bytes[start - 1] == b',' && whole > 1 && decimals > 1;
    (1..=WHOLE_DIGITS_MAX).contains(&whole) && (1..=DECIMALS_MAX).contains(&decimals) && !is_pair && !follows_number && !precedes_number
}

/// Returns a word as part of a code, in which dots do not count.
pub fn as_part(word: &str) -> &str {
    word.strip_prefix(FRACTION).unwrap_or(word)
}

/// Writes a word at the end of words that are written as one. Decimals stay what they are only after a whole number.
pub fn push_word(joined: &mut String, word: &str) {
    let follows_number = joined.bytes().all(|byte| byte.is_ascii_digit());
    joined.push_str(if follows_number { word } else { as_part(word) });
}

#[cfg(test)]
mod tests {
    use crate::analysis::Analyzer;

    fn words(text: &str) -> Vec<String> {
        Analyzer::for_language("english").unwrap().words(text).into_iter().map(|word| word.text).collect()
    }

    #[test]
    fn decimals_are_no_whole_numbers() {
        for (text, expected) in [
            ("2.5kg", ["2", ".5kg"].as_slice()),
            ("2,5 kg", &["2", ".5", "kg"]),
            ("1,75 m", &["1", ".75", "m"]),
            ("12.75", &["12", ".75"]),
            ("3.5\"", &["3", ".5"]),
            ("v2.0", &["v2", ".0"]),
        ] {
            assert_eq!(words(text), expected, "{text}");
        }
    }

    #[test]
    fn groups_of_digits_are_whole_numbers() {
        for (text, expected) in [
            ("1,000", ["1", "000"].as_slice()),
            ("1.2.3", &["1", "2", "3"]),
            ("04.03.2021", &["04", "03", "2021"]),
            ("1,234.56", &["1", "234", "56"]),
            ("end.5", &["end", "5"]),
            ("62042.2RS", &["62042", "2rs"]),
            ("9:30", &["9", "30"]),
            ("36,38", &["36", "38"]),
            ("1998,1999", &["1998", "1999"]),
        ] {
            assert_eq!(words(text), expected, "{text}");
        }
    }
}
