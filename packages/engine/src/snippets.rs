//! Cuts snippets out of texts and marks the matches, for both engines of the server.
//!
//! It analyzes a text as the index does, so it marks exactly the matches: other forms of a word, completions, corrections and whole phrases.
//! Everything except the marks is escaped for HTML.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::ops::Range;

use serde::Deserialize;

use crate::analysis::{Analyzer, Word};
use crate::typos::{COST_OF_COMPLETION, Cost};
use crate::variant_rule::VariantRule;

/// The most bytes of a field that are read.
const TEXT_BYTES_MAX: usize = 256 * 1024;

/// The words and phrases to mark in one field for one word of the query, or for all words of a query that counts none.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct MarkedWord {
    /// Whether all matches are of the same word of the query. Otherwise each term is a word of its own.
    pub is_single: bool,
    pub words: HashSet<String>,
    pub stop_words: HashSet<String>,
    pub phrases: Vec<MarkedPhrase>,
    /// Further forms of words.
    #[serde(default)]
    pub forms: HashSet<String>,
    /// The beginnings of further forms, which count as completions.
    #[serde(default)]
    pub form_beginnings: Vec<String>,
    /// The variants that the index has.
    #[serde(skip)]
    pub variants: MarkedVariants,
    /// What makes a word a variant, for an engine that cannot list the words of its index.
    #[serde(default)]
    pub variant_rules: Vec<VariantRule>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct MarkedPhrase {
    /// Words with their positions relative to the first, and whether they are stop words.
    pub words: Vec<(usize, String, bool)>,
}

/// Completions and corrections, with their costs.
#[derive(Default)]
pub struct MarkedVariants {
    pub typed: HashMap<String, Cost>,
    pub stop_words: HashMap<String, Cost>,
    /// Words as indexed.
    pub indexed: HashMap<String, Cost>,
    /// Further forms of words.
    pub forms: HashMap<String, Cost>,
    /// The first letters of completions.
    pub beginnings: Vec<(String, Cost)>,
}

/// How many snippets, and of how many characters.
#[derive(Clone, Copy)]
pub struct SnippetLimits {
    pub snippets: usize,
    pub chars: usize,
}

/// A match of one of the query's words in a text.
struct WordMatch<'a> {
    word: QueryWordKey<'a>,
    cost: Cost,
    range: Range<usize>,
}

/// The index of a marked word, and the term unless all of its matches are of the same word.
type QueryWordKey<'a> = (usize, &'a str);

/// A range to mark, with the words of the query that it matches.
#[derive(Clone)]
struct Mark<'a> {
    range: Range<usize>,
    words: Vec<QueryWordKey<'a>>,
}

/// A part of a text that may become a snippet.
struct Fragment<'a> {
    text: &'a str,
    range: Range<usize>,
    marks: Vec<Mark<'a>>,
    /// Number of different words of the query, then number of marks.
    score: (usize, usize),
}

/// Returns the best snippets of the texts of a field, in the order of the texts.
pub fn cut_snippets<'a>(
    analyzer: &Analyzer,
    marked_words: &'a [MarkedWord],
    texts: impl Iterator<Item = &'a String>,
    limits: SnippetLimits,
) -> Vec<String> {
    let mut bytes = TEXT_BYTES_MAX;
    let matches = texts.map(|text| {
        let text = truncate(text, bytes);
        bytes -= text.len();
        (text, find_matches(analyzer, marked_words, text))
    });
    let matches: Vec<(&str, Vec<WordMatch>)> = matches.collect();
    // A word is marked as it counts: a document with the word itself gets no marks for corrections.
    let mut lowest = vec![Cost::MAX; marked_words.len()];
    matches.iter().flat_map(|(_, matches)| matches).for_each(|found| lowest[found.word.0] = lowest[found.word.0].min(found.cost));
    let mut fragments = Vec::new();
    for (text, mut matches) in matches {
        matches.retain(|found| found.cost == lowest[found.word.0]);
        fragments.append(&mut cut_fragments(text, &merge_matches(matches), limits.chars));
    }
    let mut best: Vec<usize> = (0..fragments.len()).collect();
    best.sort_by(|left, right| fragments[*right].score.cmp(&fragments[*left].score));
    best.truncate(limits.snippets);
    // In the order of the document.
    best.sort_unstable();
    best.into_iter().map(|index| fragments[index].html()).collect()
}

fn find_matches<'a>(analyzer: &Analyzer, marked_words: &'a [MarkedWord], text: &str) -> Vec<WordMatch<'a>> {
    let words = analyzer.words(text);
    let typed = if marked_words.iter().any(MarkedWord::has_variants) { analyzer.typed(text) } else { Vec::new() };
    let by_position: HashMap<usize, &Word> = words.iter().map(|word| (word.position, word)).collect();
    let mut matches = Vec::new();
    let forms = if marked_words.iter().any(MarkedWord::has_forms) { analyzer.forms(text) } else { Vec::new() };
    for (index, marked) in marked_words.iter().enumerate() {
        let key = |term: &'a str| (index, if marked.is_single { "" } else { term });
        for word in &words {
            if let Some(term) = if word.stop { &marked.stop_words } else { &marked.words }.get(&word.text) {
                matches.push(WordMatch { word: key(term), cost: 0, range: word.start..word.end });
            }
            let compound = marked.variants.indexed.get(&word.text).filter(|_| !word.stop);
            matches.extend(compound.map(|cost| WordMatch { word: key(""), cost: *cost, range: word.start..word.end }));
            for phrase in &marked.phrases {
                let range = phrase.match_at(word, &by_position);
                matches.extend(range.map(|range| WordMatch { word: key(phrase.last_word()), cost: 0, range }));
            }
        }
        for form in &forms {
            let marks = marked.forms.get(&form.text);
            matches.extend(marks.map(|term| WordMatch { word: key(term), cost: 0, range: form.start..form.end }));
            let variant = marked.variants.forms.get(&form.text);
            matches.extend(variant.map(|cost| WordMatch { word: key(""), cost: *cost, range: form.start..form.end }));
            if marked.form_beginnings.iter().any(|beginning| form.text.starts_with(beginning)) {
                matches.push(WordMatch { word: key(""), cost: COST_OF_COMPLETION, range: form.start..form.end });
            }
        }
        for word in &typed {
            let is_stop_word = by_position.get(&word.position).is_some_and(|word| word.stop);
            let cost = marked.variant_cost(&word.text, is_stop_word);
            matches.extend(cost.map(|cost| WordMatch { word: key(""), cost, range: word.start..word.end }));
        }
    }
    matches
}

impl MarkedWord {
    fn has_variants(&self) -> bool {
        let MarkedVariants { typed, stop_words, beginnings, .. } = &self.variants;
        !(typed.is_empty() && stop_words.is_empty() && beginnings.is_empty() && self.variant_rules.is_empty())
    }

    fn has_forms(&self) -> bool {
        !(self.forms.is_empty() && self.form_beginnings.is_empty() && self.variants.forms.is_empty())
    }

    /// Returns the lowest cost of a word, as typed, that is a variant.
    fn variant_cost(&self, word: &str, is_stop_word: bool) -> Option<Cost> {
        let MarkedVariants { typed, stop_words, beginnings, .. } = &self.variants;
        let stop_word = stop_words.get(word).filter(|_| is_stop_word).copied();
        let beginnings = beginnings.iter().filter(|(beginning, _)| !is_stop_word && word.starts_with(beginning)).map(|(_, cost)| *cost);
        let by_rule = self.variant_rules.iter().filter_map(|rule| rule.cost(word, is_stop_word));
        typed.get(word).copied().into_iter().chain(stop_word).chain(beginnings).chain(by_rule).min()
    }
}

impl MarkedPhrase {
    /// Returns the range of the phrase if it starts with the given word.
    fn match_at(&self, first: &Word, by_position: &HashMap<usize, &Word>) -> Option<Range<usize>> {
        let mut end = first.end;
        for (position, text, stop) in &self.words {
            let word = by_position.get(&(first.position + position)).filter(|word| word.stop == *stop && word.text == *text)?;
            end = end.max(word.end);
        }
        Some(first.start..end)
    }

    /// Tells phrases apart well enough to count them.
    fn last_word(&self) -> &str {
        self.words.last().map_or("", |(_, text, _)| text)
    }
}

/// Returns the ranges to mark, in order and without overlaps.
fn merge_matches(mut matches: Vec<WordMatch>) -> Vec<Mark> {
    matches.sort_unstable_by_key(|found| (found.range.start, found.range.end));
    let mut marks: Vec<Mark> = Vec::with_capacity(matches.len());
    for WordMatch { word, range, .. } in matches {
        match marks.last_mut() {
            Some(last) if range.start < last.range.end => {
                last.range.end = last.range.end.max(range.end);
                last.words.push(word);
            }
            _ => marks.push(Mark { range, words: vec![word] }),
        }
    }
    marks
}

/// Returns the first bytes of a text, without splitting a character.
fn truncate(text: &str, bytes: usize) -> &str {
    let end = (0..=bytes.min(text.len())).rev().find(|end| text.is_char_boundary(*end));
    &text[..end.unwrap_or(0)]
}

/// Cuts the marks and their context out of a text. A fragment has at most `chars` characters, unless a single mark is longer.
fn cut_fragments<'a>(text: &'a str, marks: &[Mark<'a>], chars: usize) -> Vec<Fragment<'a>> {
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
        let fits = |mark: &&Mark| text[first.range.start..mark.range.end].chars().count() <= chars;
        // The first mark is included even if it is too long.
        let count = rest.iter().take_while(fits).count().max(1);
        let (fragment_marks, later_marks) = rest.split_at(count);
        let core = first.range.start..fragment_marks[count - 1].range.end;
        let spare = chars.saturating_sub(text[core.clone()].chars().count());
        let start = find_start(text, previous_end..core.start, spare / 2);
        let spare = chars.saturating_sub(text[start..core.end].chars().count());
        let end = find_end(text, core.end..later_marks.first().map_or(text.len(), |next| next.range.start), spare);
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
    fn new(text: &'a str, range: Range<usize>, marks: &[Mark<'a>]) -> Fragment<'a> {
        let words: BTreeSet<&QueryWordKey> = marks.iter().flat_map(|mark| &mark.words).collect();
        Fragment { text, range, score: (words.len(), marks.len()), marks: marks.to_vec() }
    }

    fn html(&self) -> String {
        let mut html = String::with_capacity(self.range.len() + self.marks.len() * "<mark></mark>".len());
        let mut position = self.range.start;
        for Mark { range, .. } in &self.marks {
            escape(&self.text[position..range.start], &mut html);
            html.push_str("<mark>");
            escape(&self.text[range.clone()], &mut html);
            html.push_str("</mark>");
            position = range.end;
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
        let matches = words.iter().flat_map(|word| text.match_indices(word).map(|(start, _)| (start..start + word.len(), (0, ""))));
        let marks = merge_matches(matches.map(|(range, word)| WordMatch { word, cost: 0, range }).collect());
        cut_fragments(text, &marks, chars).iter().map(Fragment::html).collect()
    }

    #[test]
    fn the_best_snippet_has_the_most_words_of_the_query_in_any_form() {
        let text = "Here are cats and a cat, on a sofa. Elsewhere lies one striped cat.".to_owned();
        let limits = SnippetLimits { snippets: 1, chars: 25 };
        let analyzer = Analyzer::for_language("english").unwrap();
        let marked = |is_single: bool, words: &[&str]| MarkedWord {
            is_single,
            words: words.iter().map(|word| (*word).to_owned()).collect(),
            ..MarkedWord::default()
        };
        for marked_words in [vec![marked(true, &["cat"]), marked(true, &["stripe"])], vec![marked(false, &["cat", "stripe"])]] {
            let snippets = cut_snippets(&analyzer, &marked_words, [&text].into_iter(), limits);
            assert_eq!(snippets.len(), 1);
            assert!(snippets[0].contains("<mark>striped</mark> <mark>cat</mark>"), "{snippets:?}");
        }
    }

    #[test]
    fn a_rule_finds_the_variants_of_a_typed_word() {
        let rule = |typed: &str, is_completed, typos, includes_stop_words| VariantRule {
            typed: typed.to_owned(),
            is_completed,
            typos,
            includes_stop_words,
            contains: false,
        };
        assert_eq!(rule("wing", true, 0, false).cost("wings", false), Some(COST_OF_COMPLETION));
        assert_eq!(rule("wing", false, 0, false).cost("wings", false), None);
        assert_eq!(rule("wing", false, 1, false).cost("wang", false), Some(2));
        assert_eq!(rule("wing", true, 1, false).cost("wangs", false), Some(3));
        assert_eq!(rule("wing", true, 1, false).cost("wing", false), None);
        assert_eq!(rule("th", true, 1, false).cost("the", true), None);
        assert_eq!(rule("th", true, 1, true).cost("the", true), Some(COST_OF_COMPLETION));
        assert_eq!(rule("tha", true, 1, true).cost("the", true), None);
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
