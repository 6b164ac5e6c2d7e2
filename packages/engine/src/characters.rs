//! Characters that are written in several ways: invisible ones, digits and letters of many scripts, and emoji.

use unicode_normalization::UnicodeNormalization;

/// The zeros of decimal digits, each followed by its other digits.
const ZEROS: [u32; 36] = [
    0x660, 0x6f0, 0x7c0, 0x966, 0x9e6, 0xa66, 0xae6, 0xb66, 0xbe6, 0xc66, 0xce6, 0xd66, 0xde6, 0xe50, 0xed0, 0xf20, 0x1040, 0x1090, 0x17e0,
    0x1810, 0x1946, 0x19d0, 0x1a80, 0x1a90, 0x1b50, 0x1bb0, 0x1c40, 0x1c50, 0xa620, 0xa8d0, 0xa900, 0xa9d0, 0xa9f0, 0xaa50, 0xabf0, 0xff10,
];

/// The Greek letter of a unit.
const MICRO_SIGN: char = '\u{b5}';
pub const MULTIPLICATION_SIGN: char = '\u{d7}';

const ZERO_WIDTH_JOINER: char = '\u{200d}';
/// It separates the parts of Persian words. In other scripts it only parts ligatures.
pub const ZERO_WIDTH_NON_JOINER: char = '\u{200c}';

/// Whether a character is invisible and means nothing inside a word, such as a soft hyphen.
pub fn is_ignorable(character: char) -> bool {
    matches!(character,
        '\u{ad}' | '\u{61c}' | '\u{180b}'..='\u{180f}' | ZERO_WIDTH_NON_JOINER | ZERO_WIDTH_JOINER | '\u{200e}'..='\u{200f}'
        | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{20e3}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{e0000}'..='\u{e0fff}')
}

/// Whether a letter of Unicode is an apostrophe, as in Hawaiʻi and O\u{2bc}Hara, or the sign of an ordinal number, which people write for a
/// degree too: `200ºC`.
pub fn is_letter_sign(character: char) -> bool {
    matches!(character, 'ª' | 'º' | '\u{2b9}'..='\u{2c1}' | '\u{2ca}'..='\u{2cb}' | '\u{2ee}' | '\u{a78b}'..='\u{a78c}')
}

/// Whether a character stands for several letters, such as `㎏`, `℃`, `Ⅳ`, `①` and `㈱`.
pub fn is_abbreviation(character: char) -> bool {
    matches!(character,
        '\u{2100}'..='\u{2101}' | '℃' | '\u{2105}'..='\u{2106}' | '℉' | '№' | '\u{2160}'..='\u{217f}' | '\u{2460}'..='\u{24ea}'
        | '\u{3200}'..='\u{33ff}')
}

/// The letters and digits that an abbreviation stands for, or the character itself.
pub fn write_out(character: char) -> impl Iterator<Item = char> {
    let is_abbreviation = is_abbreviation(character);
    let letters = std::iter::once(character).nfkc().filter(|letter| letter.is_alphanumeric());
    let original = std::iter::once(character).filter(move |_| !is_abbreviation);
    letters.filter(move |_| is_abbreviation).chain(original)
}

pub fn is_arabic(character: char) -> bool {
    matches!(character, '\u{600}'..='\u{6ff}' | '\u{750}'..='\u{77f}' | '\u{8a0}'..='\u{8ff}' | '\u{fb50}'..='\u{fdff}' | '\u{fe70}'..='\u{fefe}')
}

/// Maps the digits of all scripts to those of ASCII, the micro sign to the Greek letter, the sign of multiplication to `x`, letters and digits
/// of mathematics to ordinary ones, the Ukrainian ґ to the г of other keyboards, ё to the е that most texts have, and letters of Persian, Urdu
/// and Kurdish to the Arabic ones that keyboards mix them up with.
pub fn common_form(character: char) -> char {
    if character < '\u{649}' {
        return match character {
            MICRO_SIGN => '\u{3bc}',
            MULTIPLICATION_SIGN => 'x',
            'ґ' => 'г',
            'Ґ' => 'Г',
            'ё' => 'е',
            'Ё' => 'Е',
            '\u{2b0}'..='\u{2b8}' | '\u{2e0}'..='\u{2e3}' => std::iter::once(character).nfkd().next().unwrap_or(character),
            _ => character,
        };
    }
    match character {
        'ٱ' => 'ا',
        'ی' | 'ى' => 'ي',
        'ک' => 'ك',
        'ہ' | 'ە' | 'ۀ' | 'ۂ' => 'ه',
        'ۃ' => 'ة',
        // Raised and lowered letters, and those of mathematics.
        '\u{1d2c}'..='\u{1d6a}' | '\u{2071}' | '\u{207f}' | '\u{2090}'..='\u{209c}' | '\u{1d400}'..='\u{1d7ff}' => {
            std::iter::once(character).nfkd().next().unwrap_or(character)
        }
        _ => digit(character).unwrap_or(character),
    }
}

/// The numbers above and below the line of a fraction in one character: `½`.
pub fn read_fraction(character: char) -> Option<(String, String)> {
    if !matches!(character, '\u{bc}'..='\u{be}' | '\u{2150}'..='\u{215e}' | '\u{2189}') {
        return None;
    }
    let text: String = std::iter::once(character).nfkd().collect();
    text.split_once('\u{2044}').map(|(above, below)| (above.to_owned(), below.to_owned()))
}

fn digit(character: char) -> Option<char> {
    let code = u32::from(character);
    let zero = ZEROS[..ZEROS.partition_point(|zero| *zero <= code)].last()?;
    char::from_digit(code - zero, 10)
}

/// Writes nasals before consonants of Devanagari as a dot, as most texts do: `हिन्दी` becomes `हिंदी`.
pub fn write_nasals_as_dots(word: &mut String) {
    if !word.contains(['\u{901}', '\u{94d}']) {
        return;
    }
    let mut dotted_word = String::with_capacity(word.len());
    let mut characters = word.chars().peekable();
    while let Some(character) = characters.next() {
        let is_nasal =
            matches!(character, '\u{919}' | '\u{91e}' | '\u{923}' | '\u{928}' | '\u{92e}') && characters.peek() == Some(&'\u{94d}');
        let mut following = characters.clone().skip(1);
        if is_nasal && following.next().is_some_and(|next| matches!(next, '\u{915}'..='\u{939}') && next != character) {
            characters.next();
            dotted_word.push('\u{902}');
        } else {
            dotted_word.push(if character == '\u{901}' { '\u{902}' } else { character });
        }
    }
    *word = dotted_word;
}

/// Returns a word as it may go on: its last nasal of Devanagari may become a dot before the next consonant.
pub fn with_unfinished_nasal(word: &str) -> Option<String> {
    let start = word.trim_end_matches('\u{94d}').strip_suffix(['\u{919}', '\u{91e}', '\u{923}', '\u{928}', '\u{92e}'])?;
    Some(format!("{start}\u{902}"))
}

/// Letters that are written as one or as two: the Armenian `և` becomes `եվ`, as its capitals `ԵՎ`, and `ءا` of old Arabic texts becomes `ا`.
pub fn write_letters_alike(word: &mut String) {
    if word.contains(['\u{552}', '\u{582}']) {
        *word = word.replace("եւ", "եվ").replace("ԵՒ", "ԵՎ").replace("Եւ", "Եվ");
    }
    if word.contains("ءا") {
        *word = word.replace("ءا", "ا");
    }
}

pub fn is_emoji(character: char) -> bool {
    matches!(character, '\u{2600}'..='\u{27bf}' | '\u{2b50}' | '\u{2b55}' | '\u{2b1b}'..='\u{2b1c}' | '\u{1f000}'..='\u{1faff}')
        && !is_skin_tone(character)
}

fn is_skin_tone(character: char) -> bool {
    matches!(character, '\u{1f3fb}'..='\u{1f3ff}')
}

fn is_regional(character: char) -> bool {
    matches!(character, '\u{1f1e6}'..='\u{1f1ff}')
}

/// Reads the emoji at the start of a text, which may consist of several characters. Returns its length in bytes. Pushes its characters without
/// variants of style and skin.
pub fn read_emoji(text: &str, emoji: &mut String) -> usize {
    let mut characters = text.char_indices().peekable();
    let Some((_, first)) = characters.next() else { return 0 };
    emoji.push(first);
    if is_regional(first) {
        if let Some((_, second)) = characters.next_if(|(_, next)| is_regional(*next)) {
            emoji.push(second);
        }
    } else {
        while let Some((_, next)) = characters.next_if(|(_, next)| is_skin_tone(*next) || is_ignorable(*next)) {
            if next == ZERO_WIDTH_JOINER
                && let Some((_, joined)) = characters.next_if(|(_, joined)| is_emoji(*joined))
            {
                emoji.push(ZERO_WIDTH_JOINER);
                emoji.push(joined);
            }
        }
    }
    characters.peek().map_or(text.len(), |(index, _)| *index)
}
