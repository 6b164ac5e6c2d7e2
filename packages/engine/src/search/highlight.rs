//! Cuts snippets out of the texts of hits and marks the matches.
//!
//! It analyzes the text as the index does, so it marks exactly the matches: other forms of a word, completions, corrections and whole
//! phrases. Everything except the marks is escaped for HTML.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::ops::Range;

use tantivy::Term;
use tantivy::schema::Field;

use crate::analysis::Word;
use crate::entity::Entity;
use crate::plan::HighlightRequest;
use crate::schema::{IndexSchema, TextField};

use super::condition::Conditions;
use super::query_word::{Cost, QueryWord};
use super::text_query::TextQuery;

/// The most bytes of a field that are read.
const TEXT_BYTES_MAX: usize = 256 * 1024;

pub struct Highlighter<'a> {
    schema: &'a IndexSchema,
    fields: Vec<(&'a str, FieldHighlighter<'a>)>,
    request: &'a HighlightRequest,
}

/// The words and phrases to mark in one field.
struct FieldHighlighter<'a> {
    text_field: &'a TextField,
    words: Vec<MarkedWord>,
}

/// The words and phrases to mark for one word of the query, or for all words of a query that counts none.
#[derive(Default)]
struct MarkedWord {
    words: HashSet<String>,
    stop_words: HashSet<String>,
    /// Phrases as words with their positions relative to the first, and whether they consist of stop words.
    phrases: Vec<(Vec<(usize, String)>, bool)>,
    /// Completions and corrections, with their costs.
    typed: HashMap<String, Cost>,
    completed_stop_words: HashMap<String, Cost>,
    /// The first letters of completions.
    beginnings: Vec<(String, Cost)>,
}

impl<'a> Highlighter<'a> {
    /// Ignores fields that are not text fields of this generation.
    pub fn new(schema: &'a IndexSchema, conditions: &Conditions, request: &'a HighlightRequest) -> Highlighter<'a> {
        let fields = request.fields.iter().filter_map(|name| {
            let search_field = schema.field(name).ok()?;
            let text_field = search_field.text.as_ref()?;
            Some((name.as_str(), FieldHighlighter::new(search_field.field, text_field, conditions)))
        });
        Highlighter { schema, fields: fields.collect(), request }
    }

    /// Returns snippets by field, for the fields with matches.
    pub fn highlights(&self, entity: &Entity) -> BTreeMap<String, Vec<String>> {
        let attributes = self.schema.texts(entity);
        let mut highlights = BTreeMap::new();
        for (name, field_highlighter) in &self.fields {
            let texts = attributes.iter().filter(|(attribute, _)| attribute == name).flat_map(|(_, texts)| texts);
            let snippets = field_highlighter.snippets(texts, self.request);
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
    /// Number of different words marked, then number of marks.
    score: (usize, usize),
}

impl<'a> FieldHighlighter<'a> {
    fn new(field: Field, text_field: &'a TextField, conditions: &Conditions) -> FieldHighlighter<'a> {
        let plain = conditions.text_queries.iter().map(|query| MarkedWord::new(field, text_field, query, None));
        let counted = conditions.counted_words().flat_map(|counted| &counted.words).map(|counted| &counted.word);
        let words = plain.chain(counted.map(|word| MarkedWord::new(field, text_field, &word.query, Some(word)))).collect();
        FieldHighlighter { text_field, words }
    }

    fn snippets<'t>(&self, texts: impl Iterator<Item = &'t String>, request: &HighlightRequest) -> Vec<String> {
        let mut bytes = TEXT_BYTES_MAX;
        let matches = texts.map(|text| {
            let text = truncate(text, bytes);
            bytes -= text.len();
            (text, self.find_matches(text))
        });
        let matches: Vec<(&str, Vec<WordMatch>)> = matches.collect();
        // A word is marked as it counts: a document with the word itself gets no marks for corrections.
        let mut lowest = vec![Cost::MAX; self.words.len()];
        matches.iter().flat_map(|(_, matches)| matches).for_each(|found| lowest[found.word] = lowest[found.word].min(found.cost));
        let mut fragments = Vec::new();
        for (text, mut matches) in matches {
            matches.retain(|found| found.cost == lowest[found.word]);
            fragments.append(&mut cut_fragments(text, &merge_ranges(matches), request.chars));
        }
        let mut best: Vec<usize> = (0..fragments.len()).collect();
        best.sort_by(|left, right| fragments[*right].score.cmp(&fragments[*left].score));
        best.truncate(request.snippets);
        // In the order of the document.
        best.sort_unstable();
        best.into_iter().map(|index| fragments[index].html()).collect()
    }

    fn find_matches(&self, text: &str) -> Vec<WordMatch> {
        let words = self.text_field.analyzer.words(text);
        let has_variants = self.words.iter().any(|word| !(word.typed.is_empty() && word.beginnings.is_empty()));
        let typed = if has_variants { self.text_field.analyzer.typed(text) } else { Vec::new() };
        let by_position: HashMap<usize, &Word> = words.iter().map(|word| (word.position, word)).collect();
        let mut matches = Vec::new();
        for (index, marked) in self.words.iter().enumerate() {
            let mut add = |range: Range<usize>, cost: Cost| matches.push(WordMatch { word: index, cost, range });
            for word in &words {
                if if word.stop { &marked.stop_words } else { &marked.words }.contains(&word.text) {
                    add(word.start..word.end, 0);
                }
                if let Some(cost) = marked.completed_stop_words.get(&word.text).filter(|_| word.stop) {
                    add(word.start..word.end, *cost);
                }
                for (phrase, has_stop_words) in &marked.phrases {
                    match_phrase(word, phrase, *has_stop_words, &by_position).into_iter().for_each(|range| add(range, 0));
                }
            }
            for word in &typed {
                if let Some(cost) = marked.typed.get(&word.text) {
                    add(word.start..word.end, *cost);
                }
                let is_stop_word = by_position.get(&word.position).is_some_and(|word| word.stop);
                for (_, cost) in marked.beginnings.iter().filter(|(beginning, _)| !is_stop_word && word.text.starts_with(beginning)) {
                    add(word.start..word.end, *cost);
                }
            }
        }
        matches
    }
}

/// A match of one of the query's words in a text.
struct WordMatch {
    word: usize,
    cost: Cost,
    range: Range<usize>,
}

impl MarkedWord {
    fn new(field: Field, text_field: &TextField, query: &TextQuery, variants: Option<&QueryWord>) -> MarkedWord {
        let text = |term: &Term| term.value().as_str().unwrap_or_default().to_owned();
        let in_field = |field: Option<Field>| query.terms.keys().filter(move |term| Some(term.field()) == field).map(text);
        let phrases = query.phrases.keys().filter_map(|phrase| {
            let (start, first) = phrase.first()?;
            let has_stop_words = Some(first.field()) == text_field.stop_words;
            let is_in_field = has_stop_words || first.field() == field;
            is_in_field.then(|| (phrase.iter().map(|(position, term)| (position - start, text(term))).collect(), has_stop_words))
        });
        let variants_in = |field: Option<Field>| {
            let all = variants.into_iter().flat_map(|word| &word.variants);
            all.filter(move |(term, _)| Some(term.field()) == field).map(|(term, variant)| (text(term), variant.cost))
        };
        MarkedWord {
            words: in_field(Some(field)).collect(),
            stop_words: in_field(text_field.stop_words).collect(),
            phrases: phrases.collect(),
            typed: variants_in(text_field.typed).collect(),
            completed_stop_words: variants_in(text_field.stop_words).collect(),
            beginnings: variants_in(text_field.beginnings).collect(),
        }
    }
}

/// Returns the ranges to mark, in order and without overlaps.
fn merge_ranges(matches: Vec<WordMatch>) -> Vec<Range<usize>> {
    let mut ranges: Vec<Range<usize>> = matches.into_iter().map(|found| found.range).collect();
    ranges.sort_unstable_by_key(|range| (range.start, range.end));
    let mut marks: Vec<Range<usize>> = Vec::with_capacity(ranges.len());
    for range in ranges {
        match marks.last_mut() {
            Some(last) if range.start < last.end => last.end = last.end.max(range.end),
            _ => marks.push(range),
        }
    }
    marks
}

/// Returns the first bytes of a text, without splitting a character.
fn truncate(text: &str, bytes: usize) -> &str {
    let end = (0..=bytes.min(text.len())).rev().find(|end| text.is_char_boundary(*end));
    &text[..end.unwrap_or(0)]
}

/// Returns the range of the phrase if it starts with the given word.
fn match_phrase(
    first: &Word,
    phrase: &[(usize, String)],
    has_stop_words: bool,
    by_position: &HashMap<usize, &Word>,
) -> Option<Range<usize>> {
    let mut end = first.end;
    for (position, text) in phrase {
        let word = by_position.get(&(first.position + position)).filter(|word| word.stop == has_stop_words && word.text == *text)?;
        end = end.max(word.end);
    }
    Some(first.start..end)
}

/// Cuts the marks and their context out of a text. A fragment has at most `chars` characters, unless a single mark is longer.
fn cut_fragments<'a>(text: &'a str, marks: &[Range<usize>], chars: usize) -> Vec<Fragment<'a>> {
    if marks.is_empty() {
        return Vec::new();
    }
    if text.chars().nth(chars).is_none() {
        return vec![Fragment::new(text, 0..text.len(), marks)];
    }
    let mut fragments = Vec::new();
    let mut rest = marks;
    let mut previous_end = 0;
    while let Some(first) = rest.first() {
        let fits = |mark: &&Range<usize>| text[first.start..mark.end].chars().count() <= chars;
        // The first mark is included even if it is too long.
        let count = rest.iter().take_while(fits).count().max(1);
        let (fragment_marks, later_marks) = rest.split_at(count);
        let core = first.start..fragment_marks[count - 1].end;
        let spare = chars.saturating_sub(text[core.clone()].chars().count());
        let start = find_start(text, previous_end..core.start, spare / 2);
        let spare = chars.saturating_sub(text[start..core.end].chars().count());
        let end = find_end(text, core.end..later_marks.first().map_or(text.len(), |next| next.start), spare);
        fragments.push(Fragment::new(text, start..end, fragment_marks));
        previous_end = end;
        rest = later_marks;
    }
    fragments
}

/// Returns the start of a fragment with at most `chars` characters before `bounds.end`. It is the start of a word.
fn find_start(text: &str, bounds: Range<usize>, chars: usize) -> usize {
    let preceding = &text[bounds.clone()];
    let mut characters = preceding.char_indices().rev();
    match characters.by_ref().take(chars).last().map(|(offset, _)| offset) {
        None => bounds.end,
        Some(0) if bounds.start == 0 => 0,
        Some(offset) => match preceding[offset..].find(char::is_whitespace) {
            Some(space) => {
                let space = offset + space;
                let word = preceding[space..].find(|character: char| !character.is_whitespace());
                bounds.start + space + word.unwrap_or(preceding.len() - space)
            }
            None => bounds.end,
        },
    }
}

/// Returns the end of a fragment with at most `chars` characters after `bounds.start`. It is the end of a word.
fn find_end(text: &str, bounds: Range<usize>, chars: usize) -> usize {
    let following = &text[bounds.clone()];
    match following.char_indices().nth(chars) {
        None if bounds.end == text.len() => bounds.end,
        None => bounds.start + following.trim_end().len(),
        Some((end, _)) => {
            let fitting = &following[..end];
            let ends_at_space = following[end..].starts_with(char::is_whitespace);
            let words = if ends_at_space { fitting } else { fitting.rfind(char::is_whitespace).map_or("", |space| &fitting[..space]) };
            bounds.start + words.trim_end().len()
        }
    }
}

impl<'a> Fragment<'a> {
    fn new(text: &'a str, range: Range<usize>, marks: &[Range<usize>]) -> Fragment<'a> {
        let distinct: BTreeSet<String> = marks.iter().map(|mark| text[mark.clone()].to_lowercase()).collect();
        Fragment { text, range, marks: marks.to_vec(), score: (distinct.len(), marks.len()) }
    }

    fn html(&self) -> String {
        let mut html = String::with_capacity(self.range.len() + self.marks.len() * "<mark></mark>".len());
        let mut position = self.range.start;
        for mark in &self.marks {
            escape(&self.text[position..mark.start], &mut html);
            html.push_str("<mark>");
            escape(&self.text[mark.clone()], &mut html);
            html.push_str("</mark>");
            position = mark.end;
        }
        escape(&self.text[position..self.range.end], &mut html);
        html
    }
}

/// Escapes the five special characters of HTML texts and attributes.
fn escape(text: &str, html: &mut String) {
    for character in text.chars() {
        match character {
            '&' => html.push_str("&amp;"),
            '<' => html.push_str("&lt;"),
            '>' => html.push_str("&gt;"),
            '"' => html.push_str("&quot;"),
            '\'' => html.push_str("&#39;"),
            character => html.push(character),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(text: &str, words: &[&str], chars: usize) -> Vec<String> {
        let mut marks: Vec<Range<usize>> =
            words.iter().flat_map(|word| text.match_indices(word).map(|(start, _)| start..start + word.len())).collect();
        marks.sort_by_key(|range| range.start);
        cut_fragments(text, &marks, chars).iter().map(Fragment::html).collect()
    }

    #[test]
    fn a_short_text_is_a_single_escaped_fragment() {
        assert_eq!(cut("a <b> & \"wing\" o'c", &["wing"], 100), ["a &lt;b&gt; &amp; &quot;<mark>wing</mark>&quot; o&#39;c"]);
        assert!(cut("nothing", &[], 100).is_empty());
    }

    #[test]
    fn a_long_text_is_cut_at_words() {
        let text = "one two three wing five six seven eight nine wing";
        assert_eq!(cut(text, &["wing"], 20), ["three <mark>wing</mark> five six", "nine <mark>wing</mark>"]);
        for chars in 0..60 {
            for fragment in cut(text, &["wing"], chars) {
                let plain = fragment.replace("<mark>", "").replace("</mark>", "");
                assert!(text.contains(&plain) && plain.chars().count() <= chars.max(4), "{chars}: {fragment}");
            }
        }
    }

    #[test]
    fn multibyte_characters_are_not_split() {
        let text = "ééé😀ééé wing ééé😀ééé e\u{301}e\u{301}wing 😀😀😀";
        for chars in 0..40 {
            assert!(cut(text, &["wing"], chars).iter().all(|fragment| fragment.contains("<mark>wing</mark>")));
        }
    }
}
