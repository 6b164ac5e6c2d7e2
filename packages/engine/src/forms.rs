//! Further forms of the words of a text, for a twin field: words that punctuation separates written as one (`+spiderman` for Spider-Man),
//! numbers with separators as one, the stems of words without accents, and words as they are written. Fields of codes have codes in one spelling too.

use std::ops::Range;

use tantivy::tokenizer::{TextAnalyzer, Token, TokenStream, Tokenizer};

use crate::codes::read_codes;
use crate::written_forms::read_written_forms;

/// Begins a word that was joined. No other form has it.
pub const JOINED: char = '+';

/// Longer words between spaces are addresses of files and the like.
const CHUNK_BYTES_MAX: usize = 48;
const PARTS_MAX: usize = 6;
/// Digits of a telephone number, and the separators between two of its groups.
const NUMBER_DIGITS: Range<usize> = 7..16;
const SEPARATORS_MAX: usize = 3;

#[derive(Clone)]
pub struct FormsTokenizer {
    typed: TextAnalyzer,
    /// The stems of words as they are, and without accents, if these may differ.
    stems: Option<(TextAnalyzer, TextAnalyzer)>,
    has_codes: bool,
    forms: Vec<Form>,
    token: Token,
}

#[derive(Clone)]
struct Form {
    text: String,
    range: Range<usize>,
}

impl FormsTokenizer {
    pub fn new(typed: TextAnalyzer, stems: Option<(TextAnalyzer, TextAnalyzer)>, has_codes: bool) -> FormsTokenizer {
        FormsTokenizer { typed, stems, has_codes, forms: Vec::new(), token: Token::default() }
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

    /// Joins the words between two spaces.
    fn add_joined(&mut self, text: &str) {
        let mut start = 0;
        for chunk in text.split(char::is_whitespace) {
            let chunk_start = start;
            // All white space of the split is between chunks; it may have several bytes.
            start += chunk.len();
            start += text[start..].chars().next().map_or(0, char::len_utf8);
            if chunk.len() > CHUNK_BYTES_MAX || !has_inner_punctuation(chunk) {
                continue;
            }
            let mut joined = String::from(JOINED);
            let (mut parts, mut end, mut first, mut overlap) = (0, 0, 0, false);
            self.typed.token_stream(chunk).process(&mut |token: &Token| {
                overlap |= parts > 0 && token.offset_from < end;
                first = if parts == 0 { token.offset_from } else { first };
                end = token.offset_to;
                parts += 1;
                joined.push_str(&token.text);
            });
            if (2..=PARTS_MAX).contains(&parts) && !overlap {
                self.forms.push(Form { text: joined, range: chunk_start + first..chunk_start + end });
            }
        }
    }

    /// Joins the groups of long numbers, such as +49 (30) 123-4567.
    fn add_numbers(&mut self, text: &str) {
        let bytes = text.as_bytes();
        let mut position = 0;
        while let Some(start) = bytes[position..].iter().position(u8::is_ascii_digit).map(|offset| position + offset) {
            let (mut end, mut groups, mut has_space) = (start, 0, false);
            let mut digits = String::from(JOINED);
            loop {
                let group = bytes[end..].iter().take_while(|byte| byte.is_ascii_digit()).count();
                digits.push_str(&text[end..end + group]);
                end += group;
                groups += 1;
                let separators = bytes[end..].iter().take_while(|byte| b" ()-/.".contains(byte)).count();
                if separators == 0 || separators > SEPARATORS_MAX || !bytes.get(end + separators).is_some_and(u8::is_ascii_digit) {
                    break;
                }
                has_space |= bytes[end..end + separators].contains(&b' ');
                end += separators;
            }
            // Without a space the number was joined before.
            if groups > 1 && has_space && NUMBER_DIGITS.contains(&(digits.len() - JOINED.len_utf8())) {
                self.forms.push(Form { text: digits, range: start..end });
            }
            position = end;
        }
    }
}

/// Whether something other than letters and digits stands between two of them.
fn has_inner_punctuation(chunk: &str) -> bool {
    let mut characters = chunk.trim_matches(|character: char| !character.is_alphanumeric()).chars();
    characters.any(|character| !character.is_alphanumeric())
}

impl Tokenizer for FormsTokenizer {
    type TokenStream<'a> = FormsStream<'a>;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> FormsStream<'a> {
        self.forms.clear();
        self.token.reset();
        self.add_stems(text);
        self.add_joined(text);
        self.add_numbers(text);
        read_written_forms(&mut self.typed, text, |text, range| self.forms.push(Form { text, range }));
        if self.has_codes {
            read_codes(&mut self.typed, text, |text, range| self.forms.push(Form { text, range }));
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
