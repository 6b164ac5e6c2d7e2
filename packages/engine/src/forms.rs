//! Further forms of the words of a text, for a twin field: words that punctuation separates written as one (`+spiderman` for Spider-Man),
//! initials and numbers with separators as one, the parts of words in camel case, the stems of words without accents, words as they are
//! written, and the words of Chinese and Japanese texts. Fields of codes have codes in one spelling too.

use std::ops::Range;

use rustc_hash::FxHashSet;
use tantivy::tokenizer::{TextAnalyzer, Token, TokenStream, Tokenizer};

use crate::camel_case::read_parts;
use crate::characters::{is_letter_sign, read_fraction};
use crate::codes::read_codes;
use crate::east_asian_words::read_words;
use crate::fractions::push_word;
use crate::prefixed_letters::find_without_prefix;
use crate::written_forms::read_written_forms;

/// Begins a word that was joined. No other form has it.
pub const JOINED: char = '+';

/// Longer words between spaces are addresses of files and the like.
const CHUNK_BYTES_MAX: usize = 48;
const PARTS_MAX: usize = 6;
/// Digits of a telephone number or the like, and the separators between two of its groups.
const NUMBER_DIGITS: Range<usize> = 7..25;
const SEPARATORS_MAX: usize = 3;
/// The most digits of the country code of a telephone number.
const COUNTRY_DIGITS_MAX: usize = 3;
/// The longest code that a space divides, such as GSB 18V-55.
const DIVIDED_CHARS_MAX: usize = 24;

#[derive(Clone)]
pub struct FormsTokenizer {
    typed: TextAnalyzer,
    /// The stems of words as they are, and without accents, if these may differ.
    stems: Option<(TextAnalyzer, TextAnalyzer)>,
    /// Stems words, if the language has a stemmer.
    words: Option<TextAnalyzer>,
    has_codes: bool,
    /// Whether Chinese and Japanese texts have words.
    has_segments: bool,
    language: &'static str,
    forms: Vec<Form>,
    token: Token,
}

#[derive(Clone)]
struct Form {
    text: String,
    range: Range<usize>,
}

impl FormsTokenizer {
    pub fn new(typed: TextAnalyzer, words: Option<TextAnalyzer>, stems: Option<(TextAnalyzer, TextAnalyzer)>) -> FormsTokenizer {
        let (has_codes, has_segments, language) = (false, false, "");
        FormsTokenizer { typed, stems, words, has_codes, has_segments, language, forms: Vec::new(), token: Token::default() }
    }

    pub fn with_options(self, has_codes: bool, has_segments: bool, language: &'static str) -> FormsTokenizer {
        FormsTokenizer { has_codes, has_segments, language, ..self }
    }

    fn add_stems(&mut self, text: &str) {
        let Some((stems, plain)) = &mut self.stems else { return };
        if text.is_ascii() {
            return;
        }
        let (mut stems, mut plain) = (stems.token_stream(text), plain.token_stream(text));
        while stems.advance() && plain.advance() {
            let token = plain.token();
            if stems.token().text != token.text {
                self.forms.push(Form { text: token.text.clone(), range: token.offset_from..token.offset_to });
            }
        }
    }

    /// Joins the words between two spaces, and codes that a space divides.
    fn add_joined(&mut self, text: &str) {
        let mut previous: Option<Chunk> = None;
        // The initials before the chunk, and whether there are several.
        let (mut initials, mut are_several) = (0..0, false);
        for chunk in read_chunks(text) {
            if !chunk.is_plain {
                self.add_version(text, &chunk);
                self.add_fractions(text, &chunk);
                self.add_parts(text, &chunk);
                self.add_without_prefix(text, &chunk);
            }
            if !chunk.is_plain && are_initials(&text[chunk.range.clone()]) {
                are_several = !initials.is_empty();
                initials = if are_several { initials.start..chunk.range.end } else { chunk.range.clone() };
            } else if !initials.is_empty() {
                self.add_initials(text, initials, are_several);
                (initials, are_several) = (0..0, false);
            }
            if self.has_segments
                && let Some(previous) = &previous
            {
                self.add_korean_pair(text, previous, &chunk);
            }
            if chunk.has_punctuation {
                self.add_word(text, chunk.range.clone(), CHUNK_BYTES_MAX);
            }
            if let Some(previous) = previous.filter(|previous| may_be_code(previous, &chunk)) {
                self.add_word(text, previous.range.start..chunk.range.end, DIVIDED_CHARS_MAX);
            }
            previous = Some(chunk);
        }
        self.add_initials(text, initials, are_several);
    }

    /// Joins initials that spaces divide: `J. K.` and `R E M`.
    fn add_initials(&mut self, text: &str, range: Range<usize>, are_several: bool) {
        if are_several {
            self.add_word(text, range, DIVIDED_CHARS_MAX);
        }
    }

    /// Adds the parts of a word in camel case, and each two that follow each other: `user` and `username` for getUserName.
    fn add_parts(&mut self, text: &str, chunk: &Chunk) {
        let mut add = |range: Range<usize>| {
            self.forms.push(Form { text: format!("{JOINED}{}", text[range.clone()].to_lowercase()), range });
        };
        let mut previous: Option<Range<usize>> = None;
        read_parts(&text[chunk.range.clone()], |part| {
            let range = chunk.range.start + part.start..chunk.range.start + part.end;
            if let Some(previous) = previous.replace(range.clone()).filter(|previous| previous.end == range.start) {
                add(previous.start..range.end);
            }
            add(range);
        });
    }

    /// Adds a word without the letter that stands before its vowel: `aonach` for tAonach in Irish, `إيمان` for وإيمان in Arabic.
    fn add_without_prefix(&mut self, text: &str, chunk: &Chunk) {
        let Some(range) = find_without_prefix(self.language, &text[chunk.range.clone()]) else { return };
        let start = chunk.range.start + range.start;
        let forms = &mut self.forms;
        self.typed.token_stream(&text[start..chunk.range.start + range.end]).process(&mut |token: &Token| {
            let text = format!("{JOINED}{}", token.text);
            forms.push(Form { text, range: start + token.offset_from..start + token.offset_to });
        });
    }

    /// Joins the syllables beside a space of Korean, which many write without spaces: `성전` for 삼성 전자.
    fn add_korean_pair(&mut self, text: &str, first: &Chunk, second: &Chunk) {
        let last_syllable = text[first.range.clone()].char_indices().next_back().filter(|(_, syllable)| is_hangul(*syllable));
        let next_syllable = text[second.range.clone()].chars().next().filter(|syllable| is_hangul(*syllable));
        if let (Some((start, last)), Some(next)) = (last_syllable, next_syllable) {
            let range = first.range.start + start..second.range.start + next.len_utf8();
            self.forms.push(Form { text: format!("{JOINED}{last}{next}"), range });
        }
    }

    /// Adds the words of a range as one.
    fn add_word(&mut self, text: &str, range: Range<usize>, bytes_max: usize) {
        if range.len() > bytes_max {
            return;
        }
        let mut joined = String::new();
        let (mut parts, mut end, mut first, mut first_part, mut overlap) = (0, 0, 0, 0, false);
        self.typed.token_stream(&text[range.clone()]).process(&mut |token: &Token| {
            overlap |= parts > 0 && token.offset_from < end;
            first = if parts == 0 { token.offset_from } else { first };
            end = token.offset_to;
            parts += 1;
            push_word(&mut joined, &token.text);
            first_part = if parts == 1 { token.text.len() } else { first_part };
        });
        if !(2..=PARTS_MAX).contains(&parts) || overlap {
            return;
        }
        let range = range.start + first..range.start + end;
        if let Some(words) = &mut self.words {
            let mut stems = words.token_stream(&joined);
            // The stem of a genitive, such as `wing's`, is its first part.
            if stems.advance() && stems.token().text.len() > first_part && stems.token().text != joined {
                self.forms.push(Form { text: format!("{JOINED}{}", stems.token().text), range: range.clone() });
            }
        }
        self.forms.push(Form { text: format!("{JOINED}{joined}"), range });
    }

    /// Adds the first number of a version: `2` for v2.0.1.
    fn add_version(&mut self, text: &str, chunk: &Chunk) {
        let word = &text[chunk.range.clone()];
        let Some(version) = word.strip_prefix(['v', 'V']) else { return };
        let digits = version.bytes().take_while(u8::is_ascii_digit).count();
        if digits > 0 && !version[digits..].starts_with(char::is_alphanumeric) {
            let range = chunk.range.start..chunk.range.start + 1 + digits;
            self.forms.push(Form { text: format!("{JOINED}{}", &version[..digits]), range });
        }
    }

    /// Adds fractions of one character with the number before them: the words of `8 1/2` as one, for 8½.
    fn add_fractions(&mut self, text: &str, chunk: &Chunk) {
        if text[chunk.range.clone()].is_ascii() {
            return;
        }
        for (index, character) in text[chunk.range.clone()].char_indices() {
            let Some((above, below)) = read_fraction(character) else { continue };
            let start = chunk.range.start + index;
            let whole = text[chunk.range.start..start].bytes().rev().take_while(u8::is_ascii_digit).count();
            let range = start - whole..start + character.len_utf8();
            self.forms.push(Form { text: format!("{JOINED}{}{above}{below}", &text[start - whole..start]), range });
        }
    }

    /// Joins the groups of long numbers, such as +49 (30) 123-4567.
    fn add_numbers(&mut self, text: &str) {
        let bytes = text.as_bytes();
        let mut position = 0;
        while let Some(start) = bytes[position..].iter().position(u8::is_ascii_digit).map(|offset| position + offset) {
            let (mut end, mut groups, mut has_space, mut country_digits) = (start, 0, false, 0);
            let (mut digits, mut dialed) = (String::from(JOINED), String::from(JOINED));
            loop {
                let group = bytes[end..].iter().take_while(|byte| byte.is_ascii_digit()).count();
                digits.push_str(&text[end..end + group]);
                // Nobody dials the zero of `+31 (0)20` from abroad.
                if !(text[..end].ends_with('(') && text[end..].starts_with("0)")) {
                    dialed.push_str(&text[end..end + group]);
                }
                end += group;
                groups += 1;
                country_digits = if groups == 1 { group } else { country_digits };
                let separators = bytes[end..].iter().take_while(|byte| b" ()-/.".contains(byte)).count();
                if separators == 0 || separators > SEPARATORS_MAX || !bytes.get(end + separators).is_some_and(u8::is_ascii_digit) {
                    break;
                }
                has_space |= bytes[end..end + separators].contains(&b' ');
                end += separators;
            }
            let is_long = |digits: &str| NUMBER_DIGITS.contains(&(digits.len() - JOINED.len_utf8()));
            if groups > 1 && text[..start].ends_with('+') && country_digits <= COUNTRY_DIGITS_MAX {
                let national = format!("{JOINED}{}", digits[JOINED.len_utf8() + country_digits..].trim_start_matches('0'));
                if is_long(&national) {
                    self.forms.push(Form { text: national, range: start..end });
                }
            }
            if dialed.len() < digits.len() && is_long(&dialed) {
                self.forms.push(Form { text: dialed, range: start..end });
            }
            // Without a space the number was joined before.
            if groups > 1 && has_space && is_long(&digits) {
                self.forms.push(Form { text: digits, range: start..end });
            }
            position = end;
        }
    }
}

/// A text between two spaces.
struct Chunk {
    range: Range<usize>,
    /// Whether it has punctuation inside, and digits.
    has_punctuation: bool,
    has_digits: bool,
    /// Whether it is a word in small letters of ASCII, of which the first may be a capital. Most chunks in English are, and have no forms of
    /// their own.
    is_plain: bool,
}

impl Chunk {
    fn new(text: &str, range: Range<usize>) -> Chunk {
        if !text.is_ascii() {
            let has_digits = text.bytes().any(|byte| byte.is_ascii_digit());
            return Chunk { has_punctuation: has_inner_punctuation(text), has_digits, is_plain: false, range };
        }
        let bytes = text.as_bytes();
        let start = bytes.iter().position(u8::is_ascii_alphanumeric).unwrap_or(bytes.len());
        let end = bytes.iter().rposition(u8::is_ascii_alphanumeric).map_or(start, |last| last + 1);
        let word = &bytes[start..end];
        let is_plain = word.len() > 1 && word[0].is_ascii_alphabetic() && word[1..].iter().all(u8::is_ascii_lowercase);
        let has = |is: fn(&u8) -> bool| !is_plain && word.iter().any(is);
        let has_punctuation = has(|byte| !byte.is_ascii_alphanumeric());
        Chunk { has_punctuation, has_digits: has(u8::is_ascii_digit), is_plain, range }
    }
}

fn read_chunks(text: &str) -> impl Iterator<Item = Chunk> {
    let mut start = 0;
    let chunks = text.split(char::is_whitespace).map(move |chunk| {
        let range = start..start + chunk.len();
        // All white space of the split is between chunks; it may have several bytes.
        start = range.end + text[range.end..].chars().next().map_or(0, char::len_utf8);
        Chunk::new(chunk, range)
    });
    chunks.filter(|chunk| !chunk.range.is_empty())
}

/// Whether a text consists of capitals with dots, such as `J.`, `J.R.` and `J`, or of small letters that end with a dot, as in `z. B.`
fn are_initials(chunk: &str) -> bool {
    let mut follows_dot = true;
    let has_dot = chunk.ends_with('.');
    let is_next = |character: char| {
        let is_letter = character.is_uppercase() || has_dot && character.is_alphabetic();
        let is_next = if is_letter { follows_dot } else { character == '.' && !follows_dot };
        follows_dot = !is_letter;
        is_next
    };
    chunk.chars().all(is_next)
}

fn is_hangul(character: char) -> bool {
    ('\u{ac00}'..='\u{d7a3}').contains(&character)
}

/// Whether two neighbours may be a code together, such as `GSB 18V-55` and `205/55 R16`.
fn may_be_code(first: &Chunk, second: &Chunk) -> bool {
    (first.has_punctuation || second.has_punctuation) && (first.has_digits || second.has_digits)
}

/// Whether something other than letters and digits stands between two of them.
fn has_inner_punctuation(chunk: &str) -> bool {
    let is_punctuation = |character: char| !character.is_alphanumeric() || is_letter_sign(character);
    chunk.trim_matches(is_punctuation).contains(is_punctuation)
}

impl Tokenizer for FormsTokenizer {
    type TokenStream<'a> = FormsStream<'a>;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> FormsStream<'a> {
        self.forms.clear();
        self.token.reset();
        self.add_stems(text);
        self.add_joined(text);
        self.add_numbers(text);
        if self.has_segments {
            read_words(&mut self.typed, text, |text, range| self.forms.push(Form { text, range }));
        }
        read_written_forms(&mut self.typed, text, |text, range| self.forms.push(Form { text, range }));
        if self.has_codes {
            read_codes(&mut self.typed, text, |text, range| self.forms.push(Form { text, range }));
        }
        FormsStream { forms: self.forms.iter(), token: &mut self.token }
    }
}

/// Makes each form of a text once, as it is indexed: how often a text has a form does not count.
#[derive(Clone)]
pub struct EachFormOnce {
    analyzer: TextAnalyzer,
    known: FxHashSet<String>,
    forms: Vec<Form>,
    token: Token,
}

impl EachFormOnce {
    pub fn new(analyzer: TextAnalyzer) -> EachFormOnce {
        EachFormOnce { analyzer, known: FxHashSet::default(), forms: Vec::new(), token: Token::default() }
    }
}

impl Tokenizer for EachFormOnce {
    type TokenStream<'a> = FormsStream<'a>;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> FormsStream<'a> {
        self.known.clear();
        self.forms.clear();
        self.token.reset();
        let mut stream = self.analyzer.token_stream(text);
        while stream.advance() {
            let token = stream.token();
            if self.known.insert(token.text.clone()) {
                self.forms.push(Form { text: token.text.clone(), range: token.offset_from..token.offset_to });
            }
        }
        FormsStream { forms: self.forms.iter(), token: &mut self.token }
    }
}

pub struct FormsStream<'a> {
    forms: std::slice::Iter<'a, Form>,
    token: &'a mut Token,
}

impl TokenStream for FormsStream<'_> {
    fn advance(&mut self) -> bool {
        let Some(form) = self.forms.next() else { return false };
        self.token.text.clone_from(&form.text);
        self.token.position = self.token.position.wrapping_add(1);
        self.token.offset_from = form.range.start;
        self.token.offset_to = form.range.end;
        true
    }

    fn token(&self) -> &Token {
        self.token
    }

    fn token_mut(&mut self) -> &mut Token {
        self.token
    }
}
