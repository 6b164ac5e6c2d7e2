//! Letters without their accents and special forms, and the scripts whose texts have no spaces between words.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::compose;

/// Accents and vowel signs that are often left out in writing, nuktas, and the Arabic tatweel.
pub fn is_accent(character: char) -> bool {
    matches!(character,
        '\u{300}'..='\u{36f}' | '\u{483}'..='\u{487}' | '\u{591}'..='\u{5bd}' | '\u{5bf}' | '\u{5c1}'..='\u{5c2}' | '\u{5c4}'..='\u{5c5}'
        | '\u{5c7}' | '\u{610}'..='\u{61a}' | '\u{640}' | '\u{64b}'..='\u{65f}' | '\u{670}' | '\u{6d6}'..='\u{6dc}' | '\u{6df}'..='\u{6e4}'
        | '\u{6e7}'..='\u{6e8}' | '\u{6ea}'..='\u{6ed}' | '\u{93c}' | '\u{9bc}' | '\u{a3c}' | '\u{abc}' | '\u{b3c}' | '\u{cbc}'
        | '\u{1ab0}'..='\u{1aff}' | '\u{1dc0}'..='\u{1dff}' | '\u{20d0}'..='\u{20ff}' | '\u{fe20}'..='\u{fe2f}')
}

/// The dot between katakana words, which many texts leave out.
pub fn is_middle_dot(character: char) -> bool {
    matches!(character, '\u{30fb}' | '\u{ff65}')
}

/// Han, kana and hangul.
pub fn is_east_asian(character: char) -> bool {
    matches!(character,
        '\u{1100}'..='\u{11ff}' | '\u{2e80}'..='\u{2fdf}' | '\u{3005}'..='\u{3007}' | '\u{3021}'..='\u{3029}' | '\u{3031}'..='\u{3035}'
        | '\u{3041}'..='\u{3096}' | '\u{309d}'..='\u{309f}' | '\u{30a1}'..='\u{30fa}' | '\u{30fc}'..='\u{30ff}' | '\u{3131}'..='\u{318e}'
        | '\u{31f0}'..='\u{31ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{ac00}'..='\u{d7a3}' | '\u{f900}'..='\u{faff}'
        | '\u{ff66}'..='\u{ff9d}' | '\u{ffa0}'..='\u{ffdc}' | '\u{20000}'..='\u{3ffff}')
}

/// Thai, Lao and Khmer, without their digits.
pub fn is_south_east_asian(character: char) -> bool {
    matches!(character,
        '\u{e01}'..='\u{e3a}' | '\u{e40}'..='\u{e4e}' | '\u{e81}'..='\u{ecd}' | '\u{edc}'..='\u{edf}' | '\u{1780}'..='\u{17d3}' | '\u{17dc}'..='\u{17dd}')
}

/// Characters without accents and special forms: `ё` becomes `е`, and a full-width letter an ordinary one. Latin letters are left to the
/// filter for them, and characters above U+FFFF are kept.
pub fn fold(character: char) -> impl Iterator<Item = char> {
    let is_latin = character < '\u{250}' || ('\u{1e00}'..='\u{1eff}').contains(&character);
    let is_south_east_asian = is_south_east_asian(character);
    let folded: Vec<char> = match character {
        'İ' => vec!['i'],
        'ς' => vec!['σ'],
        // Old texts write the letters of Malayalam and Bengali that have no vowel with a sign for its absence.
        '\u{9ce}' => vec!['\u{9a4}', '\u{9cd}'],
        '\u{d7a}'..='\u{d7f}' => vec![CHILLU_BASES[character as usize - 0xd7a], '\u{d4d}'],
        _ if is_latin || is_south_east_asian || character > '\u{ffff}' => vec![character],
        _ => {
            let folded: Vec<char> = std::iter::once(character).nfkd().filter(|part| !is_accent(*part)).nfc().collect();
            let keeps_script = if is_east_asian(character) {
                matches!(folded[..], [single] if is_east_asian(single))
            } else {
                !folded.is_empty() && folded.iter().all(|part| part.is_alphanumeric() && !is_east_asian(*part))
            };
            if keeps_script { folded } else { vec![character] }
        }
    };
    folded.into_iter()
}

/// The letters whose forms without a vowel are U+0D7A to U+0D7F.
const CHILLU_BASES: [char; 6] = ['\u{d23}', '\u{d28}', '\u{d30}', '\u{d32}', '\u{d33}', '\u{d15}'];

/// The kana with a voicing mark that follows it as a character of its own.
pub fn voice(kana: char, mark: char) -> Option<char> {
    let combining = match mark {
        '\u{3099}' | '\u{ff9e}' => '\u{3099}',
        '\u{309a}' | '\u{ff9f}' => '\u{309a}',
        _ => return None,
    };
    ('\u{3041}'..='\u{30ff}').contains(&kana).then(|| compose(kana, combining)).flatten()
}
