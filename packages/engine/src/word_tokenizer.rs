//! Splits text into words: runs of letters and digits, and emoji. It drops combining accents, as folding drops the accent of é, and invisible
//! characters. Texts that look the same have the same words. Scripts without spaces become overlapping pairs of characters if the language
//! asks for that.

// Over 400 lines: the tests list the spellings of many scripts.

use tantivy::tokenizer::{Token, TokenStream, Tokenizer};
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::{compose, is_combining_mark};

use crate::characters::{
    MULTIPLICATION_SIGN, ZERO_WIDTH_NON_JOINER, common_form, is_abbreviation, is_arabic, is_emoji, is_ignorable, is_letter_sign,
    read_emoji, write_letters_alike, write_nasals_as_dots, write_out,
};
use crate::folding::{fold, is_accent, is_east_asian, is_middle_dot, is_south_east_asian, voice};
use crate::fractions::{FRACTION, is_fraction};
use crate::han_variants::simplify;
use crate::languages::{Folding, Language, Pairs};
use crate::paired_spellings::{RunCharacter, compose_am, shorten_long_vowels, write_hiragana, write_v_as_b};

/// Stands between the texts of a field with several, so that its words and stop words, which are in two columns, have the same positions.
pub const SEPARATOR: char = '\u{1e}';

#[derive(Clone)]
pub struct WordTokenizer {
    rules: Rules,
    token: Token,
    run: Run,
}

#[derive(Clone, Copy)]
struct Rules {
    is_arabic: bool,
    is_turkish: bool,
    is_romanian: bool,
    folds: bool,
    pairs: Pairs,
}

/// Characters of a script without spaces. Each pair of neighbours becomes a word, and a single character too.
#[derive(Clone, Default)]
struct Run {
    characters: Vec<RunCharacter>,
    next: usize,
}

impl WordTokenizer {
    pub fn new(language: &Language) -> WordTokenizer {
        let rules = Rules {
            is_arabic: language.name == "arabic",
            is_turkish: language.name == "turkish",
            is_romanian: language.name == "romanian",
            folds: language.folding == Folding::AnyScript,
            pairs: language.pairs,
        };
        WordTokenizer { rules, token: Token::default(), run: Run::default() }
    }
}

impl Tokenizer for WordTokenizer {
    type TokenStream<'a> = WordStream<'a>;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> WordStream<'a> {
        self.token.reset();
        self.run.characters.clear();
        self.run.next = 0;
        WordStream { rules: self.rules, text, offset: 0, token: &mut self.token, run: &mut self.run }
    }
}

pub struct WordStream<'a> {
    rules: Rules,
    text: &'a str,
    offset: usize,
    token: &'a mut Token,
    run: &'a mut Run,
}

impl WordStream<'_> {
    /// Goes on to a word. Each separator before it takes a position.
    fn skip(&mut self, length: usize) {
        let skipped = &self.text.as_bytes()[self.offset..self.offset + length];
        let separators = skipped.iter().filter(|byte| **byte == SEPARATOR as u8).count();
        self.token.position = self.token.position.wrapping_add(separators);
        self.offset += length;
    }

    fn set_token(&mut self, start: usize, end: usize) {
        self.token.offset_from = start;
        self.token.offset_to = end;
    }

    /// Sets the token to the next pair of the run. Returns false after the last.
    fn advance_run(&mut self) -> bool {
        let [first, rest @ ..] = &self.run.characters[self.run.next..] else { return false };
        let (start, mut end) = (first.start, first.end);
        self.token.text.push(first.character);
        if let Some(second) = rest.first() {
            self.token.text.push(second.character);
            end = second.end;
        }
        // The last character has no pair of its own.
        self.run.next += if rest.len() == 1 { 2 } else { 1 };
        self.set_token(start, end);
        true
    }

    /// Reads a run of characters to be paired from the current offset.
    fn read_run(&mut self) {
        self.run.characters.clear();
        self.run.next = 0;
        let start = self.offset;
        let mut characters = self.text[start..].char_indices().peekable();
        let rules = self.rules;
        let continues =
            |character| rules.is_paired(character) || is_accent(character) || is_ignorable(character) || is_middle_dot(character);
        while let Some((index, character)) = characters.next_if(|(_, character)| continues(*character)) {
            let end = start + index + character.len_utf8();
            self.offset = end;
            if !rules.is_paired(character) {
                continue;
            }
            // The second and third part of a Korean syllable.
            let syllable = self.run.characters.last_mut().filter(|_| ('\u{1160}'..='\u{11ff}').contains(&character));
            if let Some((composed, last)) = syllable.and_then(|last| Some((compose(last.character, character)?, last))) {
                last.character = composed;
                last.end = end;
                continue;
            }
            if is_abbreviation(character) {
                let letters = write_out(character).filter(|letter| rules.is_paired(*letter));
                self.run.characters.extend(letters.map(|letter| RunCharacter { character: simplify(letter), start: start + index, end }));
                continue;
            }
            if compose_am(&mut self.run.characters, character, end) {
                continue;
            }
            let folded = simplify(fold(character).next().unwrap_or(character));
            let mut paired = RunCharacter { character: folded, start: start + index, end };
            if let Some((voiced, (index, mark))) = characters.peek().and_then(|next| Some((voice(paired.character, next.1)?, *next))) {
                characters.next();
                paired.character = voiced;
                paired.end = start + index + mark.len_utf8();
                self.offset = paired.end;
            }
            self.run.characters.push(paired);
        }
        write_v_as_b(&mut self.run.characters);
        shorten_long_vowels(&mut self.run.characters);
        write_hiragana(&mut self.run.characters);
    }

    /// Whether a long vowel mark stands for a hyphen between digits, as input methods write it: `090ー1234`.
    fn is_hyphen(&self) -> bool {
        let mut characters = self.text[self.offset..].chars();
        let previous = || self.text[..self.offset].chars().next_back();
        matches!(characters.next(), Some('ー' | 'ｰ'))
            && characters.next().is_some_and(char::is_numeric)
            && previous().is_some_and(char::is_numeric)
    }

    fn read_word(&mut self) {
        let word = &self.text[self.offset..];
        let rules = self.rules;
        let length = word.bytes().position(|byte| !byte.is_ascii_alphanumeric()).unwrap_or(word.len());
        // Most words have only ASCII letters and digits, which stay as they are, except in Turkish.
        if !rules.is_turkish && word.as_bytes().get(length).is_none_or(u8::is_ascii) {
            if word.as_bytes()[0].is_ascii_digit() && is_fraction(self.text, self.offset) {
                self.token.text.push(FRACTION);
            }
            self.token.text.push_str(&word[..length]);
            self.set_token(self.offset, self.offset + length);
            self.offset += length;
            return;
        }
        let length = rules.word_length(word);
        if word.as_bytes()[0].is_ascii_digit() && is_fraction(self.text, self.offset) {
            self.token.text.push(FRACTION);
        }
        let kept = word[..length].chars().filter(|character| !is_ignorable(*character));
        if rules.folds {
            let composed = kept.filter(|character| !rules.is_dropped(*character)).nfc();
            // Some composed letters are excluded from composition: their accents come back.
            let letters = composed.filter(|character| !rules.is_dropped(*character)).flat_map(write_out).flat_map(fold);
            self.token.text.extend(letters.map(|letter| rules.common_form(letter)));
            write_nasals_as_dots(&mut self.token.text);
            write_letters_alike(&mut self.token.text);
        } else {
            // Accents of other scripts than Latin belong to their letters.
            let composed = kept.nfc().filter(|character| !rules.is_dropped(*character));
            self.token.text.extend(composed.flat_map(write_out).map(|character| common_form(rules.normalize(character))));
        }
        self.set_token(self.offset, self.offset + length);
        self.offset += length;
    }
}

impl TokenStream for WordStream<'_> {
    fn advance(&mut self) -> bool {
        self.token.text.clear();
        self.token.position = self.token.position.wrapping_add(1);
        loop {
            if self.advance_run() {
                return true;
            }
            let rules = self.rules;
            let Some(start) = rules.find_word(&self.text[self.offset..]) else {
                self.offset = self.text.len();
                return false;
            };
            self.skip(start);
            if self.text.as_bytes()[self.offset].is_ascii() {
                self.read_word();
                return true;
            }
            if self.is_hyphen() {
                self.offset += 'ー'.len_utf8();
                continue;
            }
            if self.text[self.offset..].starts_with(|character: char| rules.is_paired(character)) {
                self.read_run();
            } else if self.text[self.offset..].starts_with(is_emoji) {
                let length = read_emoji(&self.text[self.offset..], &mut self.token.text);
                self.set_token(self.offset, self.offset + length);
                self.offset += length;
                return true;
            } else {
                self.read_word();
                return true;
            }
        }
    }

    fn token(&self) -> &Token {
        self.token
    }

    fn token_mut(&mut self) -> &mut Token {
        self.token
    }
}

impl Rules {
    fn starts_word(self, character: char) -> bool {
        (is_letter(character) || self.is_paired(character) || is_emoji(character))
            && !self.is_dropped(character)
            && !is_ignorable(character)
            && !is_letter_sign(character)
    }

    /// Returns where the first word of a text starts. In ASCII, letters and digits start words, and nothing else does.
    fn find_word(self, text: &str) -> Option<usize> {
        let bytes = text.as_bytes();
        let start = bytes.iter().position(|byte| byte.is_ascii_alphanumeric() || !byte.is_ascii())?;
        if bytes[start].is_ascii() {
            return Some(start);
        }
        text[start..].find(|character: char| self.starts_word(character)).map(|offset| start + offset)
    }

    fn continues_word(self, character: char) -> bool {
        (is_letter(character) || is_combining_mark(character) || is_ignorable(character))
            && !self.is_paired(character)
            && !is_letter_sign(character)
    }

    /// Returns the length in bytes of the word at the start of a text.
    fn word_length(self, text: &str) -> usize {
        let mut previous = '\0';
        for (index, character) in text.char_indices() {
            let parts_persian = character == ZERO_WIDTH_NON_JOINER && is_arabic(previous);
            if parts_persian || !self.continues_word(character) {
                return index;
            }
            previous = character;
        }
        text.len()
    }

    fn is_dropped(self, character: char) -> bool {
        ('\u{300}'..='\u{36f}').contains(&character) || (self.folds && is_accent(character))
    }

    fn is_paired(self, character: char) -> bool {
        match self.pairs {
            Pairs::None => false,
            Pairs::EastAsian => is_east_asian(character) || is_east_asian_abbreviation(character),
            Pairs::All => is_east_asian(character) || is_south_east_asian(character) || is_east_asian_abbreviation(character),
        }
    }

    fn common_form(self, character: char) -> char {
        match common_form(character) {
            // The stemmer tells them apart.
            'ة' if !self.is_arabic => 'ه',
            common => common,
        }
    }

    /// Maps a character to the one that the stemmers and stop word lists use.
    fn normalize(self, character: char) -> char {
        match character {
            // Lower-casing would split the capital i with a dot into two characters.
            'İ' => 'i',
            'I' if self.is_turkish => 'ı',
            // The lists have the older letters with a cedilla instead of those with a comma below.
            'ș' | 'Ș' if self.is_romanian => 'ş',
            'ț' | 'Ț' if self.is_romanian => 'ţ',
            _ => character,
        }
    }
}

/// A letter or digit, or a sign that stands for some.
fn is_letter(character: char) -> bool {
    character.is_alphanumeric() || character == MULTIPLICATION_SIGN || is_abbreviation(character)
}

/// Whether an abbreviation stands for han, kana or hangul, such as `㈱` and `㍻`.
fn is_east_asian_abbreviation(character: char) -> bool {
    is_abbreviation(character) && write_out(character).next().is_some_and(is_east_asian)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::languages::LANGUAGES;

    fn words(language: &str, text: &str) -> Vec<String> {
        let language = LANGUAGES.iter().find(|known| known.name == language).unwrap();
        let mut tokenizer = WordTokenizer::new(language);
        let mut stream = tokenizer.token_stream(text);
        let mut words = Vec::new();
        while stream.advance() {
            let token = stream.token();
            assert!(
                token.offset_from < token.offset_to && text.is_char_boundary(token.offset_from) && text.is_char_boundary(token.offset_to)
            );
            assert_eq!(token.position, words.len());
            words.push(token.text.clone());
        }
        words
    }

    #[test]
    fn east_asian_text_becomes_overlapping_pairs() {
        assert_eq!(words("cjk", "東京都に行く"), ["东京", "京都", "都に", "に行", "行く"]);
        assert_eq!(words("cjk", "iPhone用 犬, 서울시"), ["iPhone", "用", "犬", "서울", "울시"]);
        assert_eq!(words("cjk", "ｶﾞｲﾄﾞ"), words("cjk", "ガイド"));
        assert_eq!(words("cjk", "か\u{3099}く"), ["がく"]);
        assert_eq!(words("none", "東京都に"), ["東京都に"]);
    }

    #[test]
    fn general_splits_scripts_without_spaces_and_folds_all_others() {
        assert_eq!(words("general", "ภาษา ៥០"), ["ภา", "าษ", "ษา", "50"]);
        assert_eq!(words("cjk", "ภาษา").len(), 1);
        assert_eq!(words("general", "Ёлка й"), ["Елка", "и"]);
        assert_eq!(words("general", "كَتَبَ أحمد كتـاب"), ["كتب", "احمد", "كتاب"]);
        assert_eq!(words("general", "Άλφα ὀδός ＡＢ１ ﬂuß"), ["Αλφα", "οδοσ", "AB1", "fluß"]);
    }

    #[test]
    fn composed_and_decomposed_texts_have_the_same_words() {
        for text in ["대한민국 여행", "Андрей ёлка", "ガイドブック", "Việt Nam", "हिंदी क़लम", "Ελλάδα", "שָׁלוֹם"]
        {
            for language in ["none", "general", "cjk", "russian", "greek", "hindi"] {
                let decomposed: String = text.nfd().collect();
                let composed: String = text.nfc().collect();
                // A later step removes the accents of Latin letters.
                let folded = |word: String| match text {
                    "Việt Nam" => word.nfd().filter(|character| !is_combining_mark(*character)).collect(),
                    _ => word,
                };
                let folded_words = |text: &str| words(language, text).into_iter().map(folded).collect::<Vec<String>>();
                assert_eq!(folded_words(&decomposed), folded_words(&composed), "{language} {text}");
            }
        }
        assert_eq!(words("cjk", "\u{1112}\u{1161}\u{11ab}\u{1100}\u{1173}\u{11af}"), ["한글"]);
    }

    #[test]
    fn invisible_characters_mean_nothing() {
        assert_eq!(
            words("none", "Donau\u{ad}dampf\u{ad}schiff Lorem\u{2060}ipsum Auf\u{200c}lage"),
            ["Donaudampfschiff", "Loremipsum", "Auflage"]
        );
        assert_eq!(words("none", "\u{ad}\u{200b}a\u{200b}b"), ["a", "b"]);
        assert_eq!(words("general", "می\u{200c}خواهم"), ["مي", "خواهم"]);
    }

    #[test]
    fn digits_of_all_scripts_are_equal() {
        for digits in ["١٢٣٤", "۱۲۳۴", "१२३४", "１２３４", "๑๒๓๔", "೧೨೩೪"] {
            assert_eq!((words("none", digits), words("general", digits)), (vec!["1234".to_owned()], vec!["1234".to_owned()]), "{digits}");
        }
    }

    #[test]
    fn spellings_of_hindi_nasals_are_equal() {
        assert_eq!(words("hindi", "हिन्दी"), words("hindi", "हिंदी"));
        assert_eq!(words("hindi", "चाँद"), words("hindi", "चांद"));
        assert_eq!(words("hindi", "अन्न").len(), 1);
    }

    #[test]
    fn letters_that_are_written_in_several_ways_are_equal() {
        for (language, first, second) in [
            ("none", "ΟΔΥΣΣΈΑΣ".to_lowercase().as_str(), "οδυσσεας"),
            ("none", "երևան", "երեվան"),
            ("general", "ґрунт", "грунт"),
            ("general", "ٱلكتاب", "الكتاب"),
            ("general", "مدرسة", "مدرسه"),
            ("arabic", "ءامنوا", "آمنوا"),
            ("general", "\u{fb2a}לום", "שלום"),
            ("general", "അവൻ", "അവന്\u{200d}"),
            ("english", "5㎏ at 20℃", "5kg at 20C"),
            ("english", "3 × 4", "3 x 4"),
            ("cjk", "㈱山田", "株山田"),
            ("cjk", "090ー1234", "090-1234"),
            ("cjk", "圖書館", "図書館"),
        ] {
            assert_eq!(words(language, first), words(language, second), "{first}");
        }
        assert_eq!(words("spanish", "1ª 200ºC"), ["1", "200", "C"]);
    }

    #[test]
    fn emoji_are_words() {
        assert_eq!(words("none", "🌱plants ❤️ 🇩🇪🇫🇷 👍🏽"), ["🌱", "plants", "❤", "🇩🇪", "🇫🇷", "👍"]);
        assert_eq!(words("none", "👩\u{200d}💻!"), ["👩\u{200d}💻"]);
    }
}
