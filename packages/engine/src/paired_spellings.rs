//! Spellings of scripts whose texts are split into pairs of characters: kana, long vowels and v of Japanese, and the vowel am of Thai and Lao.

const LONG_VOWEL: char = 'ー';
/// The distance between a katakana and the hiragana of the same sound.
const KANA_DISTANCE: u32 = 'ア' as u32 - 'あ' as u32;
/// Shorter words of katakana keep the mark at their end.
const SHORTENED_CHARS_MIN: usize = 4;

/// A character of a run of such a script.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RunCharacter {
    pub character: char,
    /// Byte offsets in the text.
    pub start: usize,
    pub end: usize,
}

/// Writes foreign sounds with v as most people do: `ヴァイオリン` becomes `バイオリン`.
pub fn write_v_as_b(run: &mut Vec<RunCharacter>) {
    if run.iter().all(|character| !matches!(character.character, 'ヴ' | 'ゔ')) {
        return;
    }
    let mut written: Vec<RunCharacter> = Vec::with_capacity(run.len());
    for character in run.iter() {
        let merged = written.last_mut().filter(|last| matches!(last.character, 'ヴ' | 'ゔ')).and_then(|last| {
            let merged = match character.character {
                'ァ' => 'バ',
                'ィ' => 'ビ',
                'ェ' => 'ベ',
                'ォ' => 'ボ',
                'ぁ' => 'ば',
                'ぃ' => 'び',
                'ぇ' => 'べ',
                'ぉ' => 'ぼ',
                _ => return None,
            };
            Some((last, merged))
        });
        match merged {
            Some((last, merged)) => (last.character, last.end) = (merged, character.end),
            None => written.push(*character),
        }
    }
    for character in &mut written {
        character.character = match character.character {
            'ヴ' => 'ブ',
            'ゔ' => 'ぶ',
            other => other,
        };
    }
    *run = written;
}

/// Removes repeated long vowel marks, and the one at the end of a word of katakana, as Lucene does: `コンピューター` and `コンピュータ`. Words of
/// hiragana end with the kana, because particles follow them without a border.
pub fn shorten_long_vowels(run: &mut Vec<RunCharacter>) {
    if run.iter().all(|character| character.character != LONG_VOWEL) {
        return;
    }
    let mut shortened: Vec<RunCharacter> = Vec::with_capacity(run.len());
    let (mut katakana, mut kana) = (0, 0);
    for (index, character) in run.iter().enumerate() {
        katakana = if is_katakana(character.character) { katakana + 1 } else { 0 };
        kana = if is_kana(character.character) { kana + 1 } else { 0 };
        let is_last = |fits: fn(char) -> bool| run.get(index + 1).is_none_or(|next| !fits(next.character));
        let ends_word = katakana >= SHORTENED_CHARS_MIN && is_last(is_katakana) || kana >= SHORTENED_CHARS_MIN && is_last(is_kana);
        let last = shortened.last_mut().filter(|_| character.character == LONG_VOWEL);
        match last.filter(|last| last.character == LONG_VOWEL || ends_word) {
            Some(last) => last.end = character.end,
            None => shortened.push(*character),
        }
    }
    *run = shortened;
}

/// Writes katakana as hiragana: `イチゴ` and `いちご` are one word. Expects the other spellings of katakana before.
pub fn write_hiragana(run: &mut [RunCharacter]) {
    for character in run {
        character.character = hiragana(character.character).unwrap_or(character.character);
    }
}

fn hiragana(katakana: char) -> Option<char> {
    let has_hiragana = matches!(katakana, '\u{30a1}'..='\u{30f6}' | '\u{30fd}'..='\u{30fe}');
    char::from_u32(u32::from(katakana) - KANA_DISTANCE).filter(|_| has_hiragana)
}

/// The katakana of a hiragana, if the text has a katakana there, of full or half width.
pub fn original_katakana(hiragana: char, original: char) -> Option<char> {
    let is_katakana = matches!(original, '\u{30a1}'..='\u{30fe}' | '\u{ff66}'..='\u{ff9d}');
    let has_katakana = matches!(hiragana, '\u{3041}'..='\u{3096}' | '\u{309d}'..='\u{309e}');
    char::from_u32(u32::from(hiragana) + KANA_DISTANCE).filter(|_| is_katakana && has_katakana)
}

fn is_katakana(character: char) -> bool {
    matches!(character, '\u{30a1}'..='\u{30fa}' | LONG_VOWEL)
}

fn is_kana(character: char) -> bool {
    is_katakana(character) || matches!(character, '\u{3041}'..='\u{3096}')
}

/// Composes the sign above and the vowel aa to the vowel am, around a tone mark: Thai and Lao are written either way. Returns whether the
/// vowel was one.
pub fn compose_am(run: &mut Vec<RunCharacter>, vowel: char, end: usize) -> bool {
    let (sign, composed, tones) = match vowel {
        '\u{e32}' => ('\u{e4d}', '\u{e33}', '\u{e48}'..='\u{e4b}'),
        '\u{eb2}' => ('\u{ecd}', '\u{eb3}', '\u{ec8}'..='\u{ecb}'),
        _ => return false,
    };
    let is_sign = |character: &RunCharacter| character.character == sign;
    match run.as_mut_slice() {
        [.., last] if is_sign(last) => {
            (last.character, last.end) = (composed, end);
            true
        }
        [.., before, tone] if is_sign(before) && tones.contains(&tone.character) => {
            before.character = tone.character;
            (before.end, tone.character, tone.end) = (tone.end, composed, end);
            true
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use crate::analysis::Analyzer;

    fn words(text: &str) -> Vec<String> {
        Analyzer::for_language("general").unwrap().words(text).into_iter().map(|word| word.text).collect()
    }

    #[test]
    fn long_vowels_at_the_end_of_katakana_are_optional() {
        assert_eq!(words("コンピューター設定"), words("コンピュータ設定"));
        assert_eq!(words("すごーーーい"), words("すごーい"));
        assert_eq!(words("コピー"), ["こぴ", "ぴー"]);
    }

    #[test]
    fn katakana_and_hiragana_are_equal() {
        assert_eq!(words("イチゴ"), words("いちご"));
        assert_eq!(words("ﾘﾝｺﾞ"), words("りんご"));
        assert_eq!(words("スヾ"), words("すゞ"));
        assert_eq!(words("こーひー"), words("コーヒー"));
        let forms =
            |text: &str| Analyzer::for_language("general").unwrap().segments(text).into_iter().map(|word| word.text).collect::<Vec<_>>();
        assert_eq!(forms("ﾗｰﾒﾝ二郎"), forms("ラーメン二郎"));
    }

    #[test]
    fn v_is_written_as_b() {
        assert_eq!(words("ヴァイオリン"), words("バイオリン"));
        assert_eq!(words("ルイ・ヴィトン"), words("ルイ・ビトン"));
        assert_eq!(words("ラヴ"), words("ラブ"));
    }

    #[test]
    fn am_is_one_vowel_or_two_signs() {
        assert_eq!(words("น\u{e4d}\u{e49}า"), words("น\u{e49}\u{e33}"));
        assert_eq!(words("น\u{e49}\u{e4d}า"), words("น\u{e49}\u{e33}"));
        assert_eq!(words("ນ\u{ec9}\u{ecd}າ"), words("ນ\u{ec9}\u{eb3}"));
    }
}
