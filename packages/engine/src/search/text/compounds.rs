//! Finds the compounds that a word is a part of: `waterkoker` for `koker`. All other parts of a compound must be words of the collection, or of
//! the word list of its language.

use std::collections::{BTreeSet, HashMap};

use tantivy::Term;
use tantivy::schema::Field;

use crate::analysis::Analyzer;
use crate::failure::Result;
use crate::search::index::context::SearchContext;
use crate::word_endings::LONG_BEGINNING;

use super::single_word::single_word;
use super::text_query::TextQuery;
use super::variant::COMPLETION_FACTOR;

/// The most compounds of a word, and the most words that are checked.
const COMPOUNDS_MAX: usize = 200;
const CANDIDATES_MAX: usize = 2_000;
/// Shorter parts are chance.
const PART_CHARS_MIN: usize = 3;
/// The shortest beginning of a part that is left in a stem, and the shortest part.
const SHORT_CHARS_MIN: usize = 2;
/// The most parts before or after the word.
const PARTS_MAX: usize = 3;
/// How much longer than its stem a part may be.
const ENDING_CHARS_MAX: usize = 7;
/// Letters between two parts, in any of the languages.
const LINKS: [&str; 10] = ["", "s", "n", "e", "en", "er", "es", "ens", "ns", "jes"];

/// Endings that stemmers cut off the last part of a compound and leave in a short word: Fjellstue is indexed as `fjellstu`.
const LAST_ENDINGS: [(&str, &[&str]); 6] = [
    ("danish", &["e", "er", "en", "le", "ne", "se", "te"]),
    ("dutch", &["e", "en", "er", "ing", "s"]),
    (
        "finnish",
        &[
            "a", "i", "o", "u", "y", "e", "si", "ti", "na", "ta", "la", "lla", "ppi", "ssa", "ku", "ka", "kku", "kka", "kko", "nen", "in",
            "et",
        ],
    ),
    ("german", &["e", "er", "en", "ster", "ung"]),
    ("norwegian", &["e", "er", "en", "ning", "ing", "s"]),
    ("swedish", &["a", "e", "ad", "ade", "an", "ar", "are", "as", "en", "er", "ern", "eri", "ning", "ne", "ing", "na", "el", "s"]),
];
/// Words that are the first part of compounds and no other one, as in Danish _tekrus_ and German _Überdruck_: words of two letters, and
/// prepositions. They are without accents.
const FIRST_PARTS: [(&str, &[&str]); 6] = [
    ("danish", &["by", "el", "is", "ko", "ol", "so", "te", "efter", "over", "under"]),
    ("dutch", &["ei", "ui"]),
    ("finnish", &["tv", "yo", "ali", "esi", "yli"]),
    ("german", &["ei", "ol", "gegen", "hinter", "nach", "uber", "ueber", "unter", "vor", "zwischen"]),
    ("norwegian", &["by", "el", "is", "ku", "ol", "oy", "te", "etter", "mellom", "over"]),
    ("swedish", &["by", "el", "is", "ko", "ol", "te", "efter", "mellan", "over", "under"]),
];
/// Words of two letters that are the last part of compounds, as in Schokoladenei.
const SHORT_LAST_PARTS: [(&str, &[&str]); 5] = [
    ("danish", &["is", "ol"]),
    ("dutch", &["ei", "ui"]),
    ("german", &["ei", "ol"]),
    ("norwegian", &["is", "ol"]),
    ("swedish", &["is", "ol"]),
];

/// Whether a list has a word in a language.
fn has_part(list: &[(&str, &[&str])], language: &str, word: &str) -> bool {
    list.iter().any(|(listed, words)| *listed == language && words.contains(&word))
}

/// Links parts. Most parts before it are long, because they are compounds themselves. In Dutch it links all kinds of words.
const LINK: char = 's';
const DUTCH: &str = "dutch";
const FINNISH: &str = "finnish";
const LINKED_CHARS_MIN: usize = 7;

/// Whether some visible document has a word.
pub type HasWord<'a> = dyn Fn(&Term) -> Result<bool> + 'a;

/// A word of a query in a field whose language joins words.
#[derive(Clone)]
pub struct CompoundSource {
    pub field: Field,
    pub analyzer: Analyzer,
    /// The word as it is indexed, and as typed.
    pub stem: String,
    pub typed: String,
    pub weight: f32,
    /// Whether the query has another word, of which this one is a synonym.
    pub is_synonym: bool,
}

impl CompoundSource {
    /// Also returns the source of the compounds that end with the word and have less of it in their stem: Holzfenster is indexed as `holzfen`.
    pub fn with_long_stem(self) -> Vec<CompoundSource> {
        let compound = single_word(&self.analyzer, &format!("{LONG_BEGINNING}{}", self.typed));
        let stem = compound.as_ref().and_then(|word| word.text.strip_prefix(LONG_BEGINNING));
        let long = stem.filter(|stem| **stem != *self.stem).map(|stem| CompoundSource { stem: stem.to_owned(), ..self.clone() });
        [self].into_iter().chain(long).collect()
    }

    /// Whether the stem is the one that the word has in compounds only.
    fn is_long_stem(&self) -> bool {
        single_word(&self.analyzer, &self.typed).is_some_and(|word| word.text != self.stem)
    }

    /// Whether the word has two letters and may end a compound.
    fn is_short_last_part(&self) -> bool {
        has_part(&SHORT_LAST_PARTS, self.analyzer.language(), &self.stem)
    }

    pub fn is_listed(&self) -> bool {
        let is_listed = |word: &str| self.analyzer.is_listed_part(word);
        // The list has no accents.
        is_listed(&self.stem) || is_listed(&self.typed) || self.analyzer.typed(&self.typed).iter().any(|word| is_listed(&word.text))
    }

    /// Returns the compounds that some visible document has, with the number of documents.
    pub fn find(&self, context: &SearchContext) -> Result<Vec<(Term, u64)>> {
        let has_word = |term: &Term| Ok(context.frequency(term)? > 0);
        let mut compounds = Vec::new();
        let Some(mut parts) = Parts::new(self, &has_word)? else { return Ok(compounds) };
        let mut candidates: BTreeSet<String> = BTreeSet::new();
        let is_at_end = self.is_long_stem() || self.is_short_last_part();
        // The words of hidden documents must not displace others.
        let listed_max = if context.visible.is_some() { usize::MAX } else { CANDIDATES_MAX };
        for reader in context.searcher.segment_readers() {
            context.cancel_token.check()?;
            context.vocabularies.read(reader, self.field)?.containing(&self.stem, |word, _| {
                let may_be_compound = word.len() >= self.stem.len() + SHORT_CHARS_MIN && (!is_at_end || word.ends_with(&self.stem));
                if may_be_compound && candidates.len() < listed_max {
                    candidates.insert(word.to_owned());
                }
            });
        }
        let mut checked = 0;
        for word in candidates {
            context.cancel_token.check()?;
            if compounds.len() == COMPOUNDS_MAX || checked == CANDIDATES_MAX {
                break;
            }
            let term = Term::from_field_text(self.field, &word);
            let frequency = context.frequency(&term)?;
            if frequency > 0 {
                checked += 1;
                if parts.make_up(&word)? {
                    compounds.push((term, frequency));
                }
            }
        }
        Ok(compounds)
    }

    /// Returns the compounds among words of visible documents, which are sorted.
    pub fn choose(&self, candidates: &[String], has_word: &HasWord) -> Result<Vec<String>> {
        let mut compounds = Vec::new();
        let Some(mut parts) = Parts::new(self, has_word)? else { return Ok(compounds) };
        for word in candidates.iter().take(CANDIDATES_MAX) {
            if compounds.len() < COMPOUNDS_MAX && word.len() >= self.stem.len() + SHORT_CHARS_MIN && parts.make_up(word)? {
                compounds.push(word.clone());
            }
        }
        Ok(compounds)
    }

    /// Adds the compounds to a query. Terms that the query has already stay as they are.
    pub fn add_to(&self, query: &mut TextQuery, context: &SearchContext) -> Result<()> {
        for (term, _) in self.find(context)? {
            query.terms.entry(term).or_insert(self.weight * COMPLETION_FACTOR);
        }
        Ok(())
    }
}

struct Parts<'a> {
    has_word: &'a HasWord<'a>,
    source: &'a CompoundSource,
    is_long_stem: bool,
    /// Whether the word has two letters.
    is_short: bool,
    known: HashMap<String, bool>,
    last_parts: HashMap<String, bool>,
}

impl<'a> Parts<'a> {
    /// Returns nothing for a word that is no part.
    fn new(source: &'a CompoundSource, has_word: &'a HasWord<'a>) -> Result<Option<Parts<'a>>> {
        let is_long_stem = source.is_long_stem();
        let is_short = source.is_short_last_part();
        if source.stem.chars().count() < if is_long_stem || is_short { SHORT_CHARS_MIN } else { PART_CHARS_MIN } {
            return Ok(None);
        }
        let mut parts = Parts { has_word, source, is_long_stem, is_short, known: HashMap::new(), last_parts: HashMap::new() };
        Ok((is_short || parts.is_known()?).then_some(parts))
    }

    /// Whether the word of the query is in the word list or in the collection, or consists of such words: `tek` is no part of bestek.
    fn is_known(&mut self) -> Result<bool> {
        let CompoundSource { field, stem, .. } = self.source;
        let is_word = self.source.is_listed() || (self.has_word)(&Term::from_field_text(*field, stem))?;
        Ok(is_word || self.are_first_words(stem)?)
    }

    /// Whether the word consists of the word of the query and of other words.
    fn make_up(&mut self, word: &str) -> Result<bool> {
        let CompoundSource { stem, analyzer, .. } = self.source;
        // A word of the list has parts of the list: spinazie is not made of `spin` and Azië.
        if analyzer.is_listed_part(word) && (self.is_short || !self.source.is_listed()) {
            return Ok(false);
        }
        for (start, _) in word.match_indices(stem.as_str()) {
            let is_elsewhere = self.is_short && start + stem.len() < word.len();
            if is_elsewhere || self.is_long_stem && !self.ends_with_source(word, start) {
                continue;
            }
            let before = &word[..start];
            let is_first_part = has_part(&FIRST_PARTS, analyzer.language(), before) && !analyzer.is_listed_part(word);
            let is_split = before.is_empty() || is_first_part || self.are_first_words(before)?;
            if !is_split || self.is_split_at_wrong_s(before, &word[start..])? {
                continue;
            }
            // The last part has no ending, because the compound is indexed as its stem.
            let end = start + stem.len();
            if end == word.len() {
                return Ok(true);
            }
            for (length, _) in word[end..].char_indices().take(ENDING_CHARS_MAX) {
                let after = &word[end + length..];
                if self.stems_to_source(&word[start..end + length]) && (self.is_last_part(after) || self.are_words(after, PARTS_MAX)?) {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    /// Whether the stem of a compound is that of a part and the whole word of the query.
    fn ends_with_source(&self, stem: &str, start: usize) -> bool {
        let compound = format!("{}{}", &stem[..start], self.source.typed);
        single_word(&self.source.analyzer, &compound).is_some_and(|word| word.text == stem)
    }

    /// Whether a text is the stem that a word of the list has at the end of compounds.
    fn is_last_part(&mut self, text: &str) -> bool {
        // The Finnish stemmer leaves two letters of `pulla` in `lihapulla`.
        let chars_min = if self.source.analyzer.language() == FINNISH { SHORT_CHARS_MIN } else { PART_CHARS_MIN };
        if text.chars().count() < chars_min {
            return false;
        }
        if let Some(known) = self.last_parts.get(text) {
            return *known;
        }
        let analyzer = &self.source.analyzer;
        let endings = LAST_ENDINGS.iter().filter(|(language, _)| *language == analyzer.language()).flat_map(|(_, endings)| *endings);
        let mut words = endings.map(|ending| format!("{text}{ending}"));
        let is_last_part = words.any(|word| {
            let has_stem = || {
                single_word(analyzer, &format!("{LONG_BEGINNING}{word}"))
                    .is_some_and(|stem| stem.text.strip_prefix(LONG_BEGINNING) == Some(text))
            };
            analyzer.is_listed_part(&word) && has_stem()
        });
        self.last_parts.insert(text.to_owned(), is_last_part);
        is_last_part
    }

    /// Whether an `s` between two parts belongs to the other one: Fotbollslag is fotboll-s-lag and no `slag`, Schneesturm is no `turm`.
    fn is_split_at_wrong_s(&self, before: &str, last: &str) -> Result<bool> {
        if self.source.analyzer.language() == DUTCH {
            return Ok(false);
        }
        let may_have_link = |part: &str| part.chars().count() >= LINKED_CHARS_MIN;
        if let Some(linked) = last.strip_prefix(LINK) {
            // Badrumsskåp has a link, and then skåp.
            if before.ends_with(LINK) {
                return Ok(false);
            }
            return Ok(may_have_link(before) && self.is_word(linked)?);
        }
        match before.strip_suffix(LINK) {
            // A word that ends with an `s` is a part as it is: Haustür is no `stür`.
            Some(part) if !may_have_link(part) && !self.source.analyzer.is_listed_part(before) => {
                Ok(self.is_word(&format!("{LINK}{last}"))? && self.is_word(part)?)
            }
            _ => Ok(false),
        }
    }

    /// Whether a part, perhaps with letters that link it to the next one, is a form of the word of the query.
    fn stems_to_source(&self, part: &str) -> bool {
        let stem = &self.source.stem;
        let is_form = |part: &str| matches!(self.source.analyzer.words(part).as_slice(), [word] if word.text == *stem);
        LINKS.iter().filter_map(|link| part.strip_suffix(link)).any(|part| part == stem || part.len() > stem.len() && is_form(part))
    }

    /// Whether the beginning of a compound consists of words. The first one may be one that begins compounds only.
    fn are_first_words(&mut self, text: &str) -> Result<bool> {
        if self.are_words(text, PARTS_MAX)? {
            return Ok(true);
        }
        let language = self.source.analyzer.language();
        for (_, parts) in FIRST_PARTS.iter().filter(|(listed, _)| *listed == language) {
            for rest in parts.iter().filter_map(|part| text.strip_prefix(part)) {
                if self.are_words(rest, PARTS_MAX - 1)? {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    /// Whether a text consists of words, with letters between them and after them.
    fn are_words(&mut self, text: &str, parts_max: usize) -> Result<bool> {
        if text.chars().count() < PART_CHARS_MIN || parts_max == 0 {
            return Ok(false);
        }
        if let Some(known) = self.known.get(text) {
            return Ok(*known);
        }
        let mut are_words = false;
        for link in LINKS {
            are_words |= match text.strip_suffix(link) {
                Some(word) => self.is_word(word)?,
                None => false,
            };
            if are_words {
                break;
            }
        }
        if !are_words && parts_max > 1 {
            let splits: Vec<usize> = text.char_indices().map(|(index, _)| index).skip(PART_CHARS_MIN).collect();
            for split in splits {
                let (first, rest) = text.split_at(split);
                if self.are_words(first, 1)? && self.are_words(rest, parts_max - 1)? {
                    are_words = true;
                    break;
                }
            }
        }
        self.known.insert(text.to_owned(), are_words);
        Ok(are_words)
    }

    fn is_word(&self, text: &str) -> Result<bool> {
        if text.chars().count() < PART_CHARS_MIN {
            return Ok(false);
        }
        let CompoundSource { field, analyzer, .. } = self.source;
        if analyzer.is_listed_part(text) {
            return Ok(true);
        }
        let words = analyzer.words(text);
        let [word] = words.as_slice() else { return Ok(false) };
        Ok(!word.stop && (self.has_word)(&Term::from_field_text(*field, &word.text))?)
    }
}
