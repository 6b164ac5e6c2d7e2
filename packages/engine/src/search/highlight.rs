//! Snippets of what was found, with what was looked for marked.
//!
//! A text is split as the index split it, so what is marked is what matched: other forms of a word, completions, corrections, phrases
//! where they stand together. Everything but the marks is escaped for HTML.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::ops::Range;

use tantivy::Term;
use tantivy::schema::Field;

use crate::analysis::Word;
use crate::plan::HighlightRequest;
use crate::schema::{IndexSchema, TextField};

use super::words::Wanted;

/// Of a longer document only so much is read for each field.
const TEXT_BYTES_MAX: usize = 256 * 1024;

pub struct Highlighter<'a> {
    schema: &'a IndexSchema,
    fields: Vec<(&'a str, Marks<'a>)>,
    request: &'a HighlightRequest,
}

/// What is looked for in one field.
struct Marks<'a> {
    text_field: &'a TextField,
    words: HashSet<String>,
    stop_words: HashSet<String>,
    typed: HashSet<String>,
    /// Each with the words' places, the first at 0; and whether they are stop words.
    phrases: Vec<(Vec<(usize, String)>, bool)>,
}

impl<'a> Highlighter<'a> {
    /// Fields that are no text of this generation are left out.
    pub fn new(schema: &'a IndexSchema, wanted: &[Wanted], request: &'a HighlightRequest) -> Highlighter<'a> {
        let fields = request.fields.iter().filter_map(|name| {
            let search_field = schema.field(name).ok()?;
            let text_field = search_field.text.as_ref()?;
            Some((name.as_str(), Marks::new(search_field.field, text_field, wanted)))
        });
        Highlighter { schema, fields: fields.collect(), request }
    }

    /// By field, where anything is marked.
    pub fn highlights(&self, entity: &str) -> BTreeMap<String, Vec<String>> {
        let attributes = self.schema.texts(entity);
        let mut highlights = BTreeMap::new();
        for (name, marks) in &self.fields {
            let texts = attributes.iter().filter(|(attribute, _)| attribute == name).flat_map(|(_, texts)| texts);
            let snippets = marks.snippets(texts, self.request);
            if !snippets.is_empty() {
                highlights.insert((*name).to_owned(), snippets);
            }
        }
        highlights
    }
}

/// A part of a text that may become a snippet.
struct Fragment<'a> {
    text: &'a str,
    range: Range<usize>,
    marks: Vec<Range<usize>>,
    /// Different words marked, then all: the more the better.
    worth: (usize, usize),
}

impl<'a> Marks<'a> {
    fn new(field: Field, text_field: &'a TextField, wanted: &[Wanted]) -> Marks<'a> {
        let text = |term: &Term| term.value().as_str().unwrap_or_default().to_owned();
        let terms_of = |field: Option<Field>| {
            let terms =
                wanted.iter().flat_map(|wanted| wanted.terms.keys().chain(wanted.groups.values().flat_map(|group| group.members.keys())));
            terms.filter(|term| Some(term.field()) == field).map(text).collect::<HashSet<String>>()
        };
        let phrases = wanted.iter().flat_map(|wanted| wanted.phrases.keys()).filter_map(|phrase| {
            let (start, first) = phrase.first()?;
            let stop_words = Some(first.field()) == text_field.stop_words;
            let of_this_field = stop_words || first.field() == field;
            of_this_field.then(|| (phrase.iter().map(|(place, term)| (place - start, text(term))).collect(), stop_words))
        });
        Marks {
            text_field,
            words: terms_of(Some(field)),
            stop_words: terms_of(text_field.stop_words),
            typed: terms_of(text_field.typed),
            phrases: phrases.collect(),
        }
    }

    fn snippets<'t>(&self, texts: impl Iterator<Item = &'t String>, request: &HighlightRequest) -> Vec<String> {
        let mut bytes = TEXT_BYTES_MAX;
        let mut fragments = Vec::new();
        for text in texts {
            let text = shortened(text, bytes);
            bytes -= text.len();
            fragments.append(&mut fragments_of(text, &self.found_in(text), request.chars));
        }
        let mut best: Vec<usize> = (0..fragments.len()).collect();
        best.sort_by(|left, right| fragments[*right].worth.cmp(&fragments[*left].worth));
        best.truncate(request.snippets);
        // As they stand in the document.
        best.sort_unstable();
        best.into_iter().map(|at| fragments[at].html()).collect()
    }

    /// The parts of a text that are looked for, in order, none within another.
    fn found_in(&self, text: &str) -> Vec<Range<usize>> {
        let words = self.text_field.analyser.words(text);
        let mut found: Vec<Range<usize>> = words
            .iter()
            .filter(|word| if word.stop { &self.stop_words } else { &self.words }.contains(&word.text))
            .map(|word| word.start..word.end)
            .collect();
        if !self.typed.is_empty() {
            let typed = self.text_field.analyser.typed(text);
            found.extend(typed.into_iter().filter(|word| self.typed.contains(&word.text)).map(|word| word.start..word.end));
        }
        if !self.phrases.is_empty() {
            let by_place: HashMap<usize, &Word> = words.iter().map(|word| (word.position, word)).collect();
            found.extend(
                self.phrases.iter().flat_map(|(phrase, stop)| words.iter().filter_map(|word| phrase_at(word, phrase, *stop, &by_place))),
            );
        }
        found.sort_unstable_by_key(|range| (range.start, range.end));
        let mut apart: Vec<Range<usize>> = Vec::with_capacity(found.len());
        for range in found {
            match apart.last_mut() {
                Some(last) if range.start < last.end => last.end = last.end.max(range.end),
                _ => apart.push(range),
            }
        }
        apart
    }
}

/// The first so many bytes of a text, or a few less where that would break a letter.
fn shortened(text: &str, bytes: usize) -> &str {
    let end = (0..=bytes.min(text.len())).rev().find(|end| text.is_char_boundary(*end));
    &text[..end.unwrap_or(0)]
}

/// Where the phrase stands that begins with the word, if it does.
fn phrase_at(first: &Word, phrase: &[(usize, String)], stop: bool, by_place: &HashMap<usize, &Word>) -> Option<Range<usize>> {
    let mut end = first.end;
    for (place, text) in phrase {
        let word = by_place.get(&(first.position + place)).filter(|word| word.stop == stop && word.text == *text)?;
        end = end.max(word.end);
    }
    Some(first.start..end)
}

/// Cuts what stands around the marks out of a text, each piece at most so many characters long unless one mark alone is longer.
fn fragments_of<'a>(text: &'a str, found: &[Range<usize>], chars: usize) -> Vec<Fragment<'a>> {
    if found.is_empty() {
        return Vec::new();
    }
    if text.chars().nth(chars).is_none() {
        return vec![Fragment::new(text, 0..text.len(), found)];
    }
    let mut fragments = Vec::new();
    let mut rest = found;
    let mut from = 0;
    while let Some(first) = rest.first() {
        let fits = |mark: &&Range<usize>| text[first.start..mark.end].chars().count() <= chars;
        // The first is taken even if it is too long.
        let count = rest.iter().take_while(fits).count().max(1);
        let (marks, others) = rest.split_at(count);
        let core = first.start..marks[count - 1].end;
        let spare = chars.saturating_sub(text[core.clone()].chars().count());
        let start = start_of_word(text, from..core.start, spare / 2);
        let spare = chars.saturating_sub(text[start..core.end].chars().count());
        let end = end_of_word(text, core.end..others.first().map_or(text.len(), |next| next.start), spare);
        fragments.push(Fragment::new(text, start..end, marks));
        from = end;
        rest = others;
    }
    fragments
}

/// Where a piece begins that may have so many characters before `within.end`: at a word, never inside one.
fn start_of_word(text: &str, within: Range<usize>, chars: usize) -> usize {
    let before = &text[within.clone()];
    let mut letters = before.char_indices().rev();
    match letters.by_ref().take(chars).last().map(|(at, _)| at) {
        None => within.end,
        Some(0) if within.start == 0 => 0,
        Some(at) => match before[at..].find(char::is_whitespace) {
            Some(space) => {
                within.start
                    + at
                    + space
                    + before[at + space..].find(|letter: char| !letter.is_whitespace()).unwrap_or(before.len() - at - space)
            }
            None => within.end,
        },
    }
}

/// Where a piece ends that may have so many characters after `within.start`.
fn end_of_word(text: &str, within: Range<usize>, chars: usize) -> usize {
    let after = &text[within.clone()];
    match after.char_indices().nth(chars) {
        None if within.end == text.len() => within.end,
        None => within.start + after.trim_end().len(),
        Some((end, _)) => {
            let kept = &after[..end];
            let at_space = after[end..].starts_with(char::is_whitespace);
            let kept = if at_space { kept } else { kept.rfind(char::is_whitespace).map_or("", |space| &kept[..space]) };
            within.start + kept.trim_end().len()
        }
    }
}

impl<'a> Fragment<'a> {
    fn new(text: &'a str, range: Range<usize>, marks: &[Range<usize>]) -> Fragment<'a> {
        let different: BTreeSet<String> = marks.iter().map(|mark| text[mark.clone()].to_lowercase()).collect();
        Fragment { text, range, marks: marks.to_vec(), worth: (different.len(), marks.len()) }
    }

    fn html(&self) -> String {
        let mut html = String::with_capacity(self.range.len() + self.marks.len() * "<mark></mark>".len());
        let mut at = self.range.start;
        for mark in &self.marks {
            escape(&self.text[at..mark.start], &mut html);
            html.push_str("<mark>");
            escape(&self.text[mark.clone()], &mut html);
            html.push_str("</mark>");
            at = mark.end;
        }
        escape(&self.text[at..self.range.end], &mut html);
        html
    }
}

/// The five characters that mean something in HTML, in texts and in attributes.
fn escape(text: &str, html: &mut String) {
    for letter in text.chars() {
        match letter {
            '&' => html.push_str("&amp;"),
            '<' => html.push_str("&lt;"),
            '>' => html.push_str("&gt;"),
            '"' => html.push_str("&quot;"),
            '\'' => html.push_str("&#39;"),
            letter => html.push(letter),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pieces(text: &str, words: &[&str], chars: usize) -> Vec<String> {
        let mut found: Vec<Range<usize>> =
            words.iter().flat_map(|word| text.match_indices(word).map(|(at, _)| at..at + word.len())).collect();
        found.sort_by_key(|range| range.start);
        fragments_of(text, &found, chars).iter().map(Fragment::html).collect()
    }

    #[test]
    fn a_short_text_is_one_piece_and_escaped() {
        assert_eq!(pieces("a <b> & \"wing\" o'c", &["wing"], 100), ["a &lt;b&gt; &amp; &quot;<mark>wing</mark>&quot; o&#39;c"]);
        assert!(pieces("nothing", &[], 100).is_empty());
    }

    #[test]
    fn a_long_text_is_cut_at_words() {
        let text = "one two three wing five six seven eight nine wing";
        assert_eq!(pieces(text, &["wing"], 20), ["three <mark>wing</mark> five six", "nine <mark>wing</mark>"]);
        for chars in 0..60 {
            for piece in pieces(text, &["wing"], chars) {
                let plain = piece.replace("<mark>", "").replace("</mark>", "");
                assert!(text.contains(&plain) && plain.chars().count() <= chars.max(4), "{chars}: {piece}");
            }
        }
    }

    #[test]
    fn letters_of_several_bytes_stay_whole() {
        let text = "ééé😀ééé wing ééé😀ééé e\u{301}e\u{301}wing 😀😀😀";
        for chars in 0..40 {
            assert!(pieces(text, &["wing"], chars).iter().all(|piece| piece.contains("<mark>wing</mark>")));
        }
    }
}
