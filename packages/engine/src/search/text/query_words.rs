//! Compiles a text word by word, for plans that count which of the words a document has.

use std::collections::HashMap;
use std::sync::Arc;

use tantivy::Term;

use crate::analysis::Word;
use crate::beginnings::BEGINNING_CHARS_MAX;
use crate::characters::with_unfinished_nasal;
use crate::failure::Result;
use crate::fractions::FRACTION;
use crate::plan::{Matching, ParsedText, TypoLengths, WeightedField};
use crate::schema::IndexSchema;
use crate::search::index::context::SearchContext;
use crate::synonyms::{Member, SYNONYMS_MAX};
use crate::typos::{COST_OF_COMPLETION, Cost, allowed_typos, variant_cost};
use crate::written_forms::SYMBOL;

use super::analyzed_text::{AnalyzedText, Token};
use super::mistyped_pairs;
use super::query_word::{FormBeginning, QueryWord, WordSource};
use super::spellings::TypedWord;
use super::text_limits::TextLimits;
use super::text_query::{TextQuery, symbol_term};

/// The most words of a phrase that is found although one of them is mistyped.
const CLOSE_PARTS_MAX: usize = 3;
/// The most words of a synonym that a mistyped word is: of t-shirt for `tshrit`.
const JOINED_PARTS_MAX: usize = 2;
/// The most synonyms of an unfinished word whose compounds are found. Each of them reads the words of the collection.
const CLOSE_COMPOUNDS_MAX: usize = 4;

/// Each phrase counts as one word. With a context, leaves out phrases of the parts of words that no document has.
pub fn compile_words(
    schema: &IndexSchema,
    text: &ParsedText,
    fields: &[WeightedField],
    typos: Option<TypoLengths>,
    (matching, contains): (Matching, bool),
    limits: TextLimits,
    context: Option<&SearchContext>,
) -> Result<Vec<QueryWord>> {
    let mut words = QueryWords { needs_all: matching != Matching::Any, contains, ..QueryWords::default() };
    for weighted in fields {
        let analyzed = AnalyzedText::new(schema, text, weighted, limits)?.with_context(context);
        words.add(&analyzed, typos, limits.expanded_words);
        for (phrase, phrase_words) in analyzed.phrases {
            words.word(&format!("\"{phrase}\""), phrase).query.add_quoted(analyzed.search_field, phrase_words, weighted.weight);
        }
    }
    for word in &mut words.words {
        let is_border = word.is_between_segments && !word.is_within_segment;
        word.is_optional =
            word.is_optional && !word.is_finished || (is_border || word.is_short_and || word.is_of_address) && matching != Matching::Any;
    }
    Ok(words.words)
}

/// Collects the words of a text from all fields.
#[derive(Default)]
struct QueryWords {
    words: Vec<QueryWord>,
    by_key: HashMap<String, usize>,
    /// Whether a document needs all words.
    needs_all: bool,
    /// Whether longer words that contain a word count too.
    contains: bool,
}

impl QueryWords {
    fn word(&mut self, key: &str, typed: &str) -> &mut QueryWord {
        let index = *self.by_key.entry(key.to_owned()).or_insert_with(|| {
            self.words.push(QueryWord { typed: typed.to_owned(), ..QueryWord::default() });
            self.words.len() - 1
        });
        &mut self.words[index]
    }

    fn add(&mut self, analyzed: &AnalyzedText, typos: Option<TypoLengths>, expanded_max: usize) {
        // The key of the query word for each analyzed word, if it is searched.
        let mut keys: Vec<Option<(String, &str)>> = Vec::new();
        for (index, token) in analyzed.tokens.iter().enumerate() {
            let is_unfinished = analyzed.has_unfinished && index + 1 == analyzed.tokens.len();
            let last = token.as_typed.last().filter(|word| is_unfinished && word.end == token.typed.len());
            let last_position = last.map(|word| word.position);
            let is_optional = self.needs_all && last.is_some_and(|last| analyzed.is_optional(last));
            for word in &token.words {
                let may_lack = is_optional && Some(word.position) == last_position;
                let is_searched = analyzed.is_searched(token, word) || !token.is_ignored && token.symbols(word).is_some();
                keys.push((is_searched || may_lack).then(|| (token.key(word).to_owned(), token.part(word))));
                if is_searched || may_lack {
                    self.add_word(analyzed, token, word);
                    let query_word = self.word(token.key(word), token.part(word));
                    query_word.is_optional |= may_lack;
                    query_word.is_of_address |= is_beginning_of_address(token.typed, word);
                    query_word.is_short_and |= index > 0 && index + 1 < analyzed.tokens.len() && is_short_and(token.typed);
                    let is_between_segments = token.is_between_segments(word);
                    query_word.is_between_segments |= is_between_segments;
                    query_word.is_within_segment |= !is_between_segments;
                    query_word.is_finished |= Some(word.position) != last_position;
                }
            }
            for word in &token.as_typed {
                let completed = Some(word.position) == last_position;
                // A limit may have cut off the word.
                let Some(indexed) = token.words.iter().find(|other| other.position == word.position) else { continue };
                let typos = typos.filter(|lengths| !analyzed.text_field.analyzer.has_codes && allowed_typos(&word.text, *lengths) > 0);
                let contained = self.contains && !indexed.stop && !token.is_ignored;
                if !completed && (indexed.stop || token.is_ignored || typos.is_none() && !contained) {
                    continue;
                }
                let source = WordSource {
                    field: analyzed.search_field.field,
                    text_field: analyzed.text_field.clone(),
                    weight: analyzed.weight,
                    completed,
                    typos,
                    stem: (!indexed.stop).then(|| indexed.text.clone()),
                    contained,
                    completes_stop_words: analyzed.finished_are_stop_words || completed && is_optional,
                };
                self.add_source(analyzed, (token.key(indexed), token.part(word), word), expanded_max, source);
            }
            if is_unfinished {
                self.complete_symbols(analyzed, token);
                self.complete_respelled(analyzed, token);
                self.complete_fraction(analyzed, token);
            }
        }
        analyzed.spellings().find(&analyzed.typed_words(), |index, spelling, _| {
            if let Some((key, typed)) = keys.get(index).cloned().flatten() {
                self.word(&key, typed).add_alternative(COST_OF_COMPLETION, spelling);
            }
        });
        for (searched, joined) in analyzed.joined_texts() {
            if let Some((key, typed)) = keys.get(searched).cloned().flatten() {
                self.word(&key, typed).joined.push(joined);
            }
        }
        if let Some(typos) = typos.filter(|_| !analyzed.text_field.analyzer.has_codes) {
            self.add_mistyped_pairs(analyzed, &keys, typos);
        }
        self.add_codes(analyzed, &keys);
        self.add_close_synonyms(analyzed);
        self.add_close_phrases(analyzed, &keys);
        for (range, member) in &analyzed.synonyms {
            // A synonym of several words stands for each of them.
            let replaced: Vec<(String, &str)> = keys[range.clone()].iter().flatten().cloned().collect();
            let (synonym, spellings) = analyzed.member_queries(member, analyzed.weight / replaced.len().max(1) as f32);
            for (key, typed) in &replaced {
                let word = self.word(key, typed);
                word.query.add(&synonym);
                word.compounds.extend(analyzed.synonym_compounds(member));
                if !spellings.terms.is_empty() {
                    word.add_alternative(COST_OF_COMPLETION, &spellings);
                }
            }
        }
    }

    /// Adds a word as typed. The same word without its symbols counts like another spelling.
    fn add_word(&mut self, analyzed: &AnalyzedText, token: &Token, word: &Word) {
        let AnalyzedText { search_field, text_field, weight, .. } = *analyzed;
        let add = |query: &mut TextQuery| {
            query.add_term(search_field, word, weight);
            query.add_plain(search_field, text_field, token.part(word), word, weight);
            if let Some(term) = analyzed.plain_stop_word(token, word) {
                query.terms.entry(term).or_insert(weight);
            }
            if word.stop && analyzed.has_only_stop_words() {
                // A stop word may be another word with accents: `se` and sé.
                query.terms.entry(Term::from_field_text(search_field.field, &word.text)).or_insert(weight);
            }
        };
        let query_word = self.word(token.key(word), token.part(word));
        let Some(symbols) = token.symbols(word) else {
            query_word.compounds.extend(analyzed.compound_sources(token, word));
            if !word.stop {
                let mut respelled = TextQuery::default();
                analyzed.add_respelled(&mut respelled, token.part(word), word);
                if !respelled.terms.is_empty() {
                    query_word.add_alternative(COST_OF_COMPLETION, &respelled);
                }
            }
            if let Some(digits) = word.text.strip_prefix(FRACTION) {
                // Groups of digits in dates and versions are no decimals: 1.2.3 for `1.2`.
                let terms = [(Term::from_field_text(search_field.field, digits), weight)].into();
                query_word.add_alternative(COST_OF_COMPLETION, &TextQuery { terms, ..TextQuery::default() });
            }
            if let Some(segment) = token.segment(word).filter(|segment| (segment.start, segment.end) == (word.start, word.end)) {
                query_word.query.terms.insert(Term::from_field_text(text_field.forms, &segment.text), weight);
            }
            return add(&mut query_word.query);
        };
        query_word.query.terms.insert(symbol_term(text_field, symbols), weight);
        if analyzed.is_searched(token, word) {
            let mut plain = TextQuery::default();
            add(&mut plain);
            query_word.add_alternative(COST_OF_COMPLETION, &plain);
        }
    }

    /// Completes an unfinished word with symbols, such as `c+`.
    fn complete_symbols(&mut self, analyzed: &AnalyzedText, token: &Token) {
        let Some(last) = token.words.last() else { return };
        let Some(symbols) = token.symbols(last).map(|symbols| format!("{SYMBOL}{symbols}")) else { return };
        let beginning = FormBeginning { field: analyzed.text_field.forms, text: symbols, weight: analyzed.weight };
        self.word(token.key(last), token.part(last)).form_beginnings.push(beginning);
    }

    /// Completes unfinished decimals as a group of digits, such as `4.0` for 4.03.2021.
    fn complete_fraction(&mut self, analyzed: &AnalyzedText, token: &Token) {
        let (Some(last), Some(field)) = (token.words.last(), analyzed.text_field.typed) else { return };
        if let Some(digits) = last.text.strip_prefix(FRACTION) {
            let beginning = FormBeginning { field, text: digits.to_owned(), weight: analyzed.weight };
            self.word(token.key(last), token.part(last)).form_beginnings.push(beginning);
        }
    }

    /// Completes other spellings of an unfinished word, such as `mull` for `muell`.
    fn complete_respelled(&mut self, analyzed: &AnalyzedText, token: &Token) {
        let (Some(last), Some(field)) = (token.words.last(), analyzed.text_field.typed) else { return };
        let respelled = analyzed.text_field.analyzer.respelled(token.part(last)).into_iter().map(|(_, typed)| typed.text);
        let beginnings = respelled.filter(|text| text.chars().count() > BEGINNING_CHARS_MAX);
        let as_typed = token.as_typed.last().and_then(|typed| with_unfinished_nasal(&typed.text));
        for text in beginnings.chain(as_typed) {
            let beginning = FormBeginning { field, text, weight: analyzed.weight };
            self.word(token.key(last), token.part(last)).form_beginnings.push(beginning);
        }
    }

    /// Adds the mistyped words that neighbours may be. Such a word stands for both.
    fn add_mistyped_pairs(&mut self, analyzed: &AnalyzedText, keys: &[Option<(String, &str)>], typos: TypoLengths) {
        let field = analyzed.search_field.field;
        for (positions, pair) in mistyped_pairs::list(&analyzed.typed_words(), field, typos, analyzed.weight) {
            // A later search reports errors.
            let found = analyzed.context.map(|context| pair.find(context, analyzed.text_field).unwrap_or_default());
            for (key, typed) in positions.iter().filter_map(|position| keys.get(*position)?.as_ref()) {
                let word = self.word(key, typed);
                match &found {
                    None => word.pairs.push(pair.clone()),
                    Some(terms) => terms.iter().for_each(|(cost, term)| {
                        let terms = [(term.clone(), analyzed.weight)].into();
                        word.add_alternative(*cost, &TextQuery { terms, ..TextQuery::default() });
                    }),
                }
            }
        }
    }

    /// Adds the codes that neighbouring words may be. A code stands for each of its words.
    fn add_codes(&mut self, analyzed: &AnalyzedText, keys: &[Option<(String, &str)>]) {
        let forms = analyzed.text_field.forms;
        for code in analyzed.codes() {
            for (key, typed) in keys[code.words.clone()].iter().flatten() {
                let query_word = self.word(key, typed);
                query_word.query.terms.insert(Term::from_field_text(forms, &code.text), analyzed.weight);
                if code.is_unfinished {
                    let beginning = FormBeginning { field: forms, text: code.text.clone(), weight: analyzed.weight };
                    query_word.form_beginnings.push(beginning);
                }
            }
        }
    }

    /// Adds the synonyms of the words that a mistyped or unfinished word may be.
    fn add_close_synonyms(&mut self, analyzed: &AnalyzedText) {
        let Some(synonyms) = &analyzed.all_synonyms else { return };
        for word in &mut self.words {
            let source = word.sources.iter().find(|source| source.field == analyzed.search_field.field);
            let Some((typos, completed)) = source.map(|source| (source.typos_max(&word.text), source.completed)) else { continue };
            let mut compounds = Vec::new();
            for (cost, member) in find_close(synonyms.members_as_typed(1..=JOINED_PARTS_MAX), &word.text, typos, completed) {
                // Compounds count like completions, and so would those of mistyped words.
                if cost == COST_OF_COMPLETION {
                    compounds.extend(analyzed.synonym_compounds(member));
                }
                let (query, spellings) = analyzed.member_queries(member, analyzed.weight);
                word.add_alternative(cost, &query);
                word.add_alternative(cost | COST_OF_COMPLETION, &spellings);
            }
            word.compounds.extend(compounds.into_iter().take(CLOSE_COMPOUNDS_MAX));
        }
    }

    /// Adds the synonyms of the phrases that neighbouring words may be, one of them mistyped or unfinished: of flat screen for `flat scren`.
    fn add_close_phrases(&mut self, analyzed: &AnalyzedText, keys: &[Option<(String, &str)>]) {
        let Some(synonyms) = &analyzed.all_synonyms else { return };
        let words = analyzed.typed_words();
        for parts in 2..=CLOSE_PARTS_MAX.min(words.len()) {
            for window in words.windows(parts) {
                let key = |word: &TypedWord| keys.get(word.searched?)?.as_ref().map(|(key, _)| key);
                let indexes: Option<Vec<usize>> = window.iter().map(|word| self.by_key.get(key(word)?).copied()).collect();
                let Some(indexes) = indexes else { continue };
                let source = |index: &usize| self.words[*index].sources.iter().find(|source| source.field == analyzed.search_field.field);
                let typos = indexes.iter().filter_map(|index| Some(source(index)?.typos_max(&self.words[*index].text))).max();
                let completed = indexes.last().and_then(source).is_some_and(|source| source.completed);
                let typed: String = window.iter().map(|word| word.text.as_str()).collect();
                for (cost, member) in find_close(synonyms.members_as_typed(parts..=parts), &typed, typos.unwrap_or(0), completed) {
                    let (query, spellings) = analyzed.member_queries(member, analyzed.weight / parts as f32);
                    for index in &indexes {
                        self.words[*index].add_alternative(cost, &query);
                        self.words[*index].add_alternative(cost | COST_OF_COMPLETION, &spellings);
                    }
                }
            }
        }
    }

    fn add_source(&mut self, analyzed: &AnalyzedText, (key, typed, word): (&str, &str, &Word), expanded_max: usize, source: WordSource) {
        let expanded = self.words.iter().filter(|word| !word.sources.is_empty()).count();
        let is_expanded = self.by_key.get(key).is_some_and(|index| !self.words[*index].sources.is_empty());
        if source.typed_field().is_none() || expanded >= expanded_max && !is_expanded && !source.completed {
            return;
        }
        let query_word = self.word(key, typed);
        query_word.text.clone_from(&word.text);
        let is_new =
            query_word.sources.iter().all(|other| other.field != analyzed.search_field.field || other.completed != source.completed);
        if is_new {
            query_word.sources.push(source);
        }
    }
}

/// Whether a word is the scheme or `www` of a web address, which documents may lack.
fn is_beginning_of_address(typed: &str, word: &Word) -> bool {
    let (before, after) = (&typed[..word.start], &typed[word.end..]);
    let is_followed_by_name = |name: &str| name.starts_with(char::is_alphanumeric);
    match word.text.as_str() {
        "http" | "https" => before.is_empty() && after.strip_prefix("://").is_some_and(is_followed_by_name),
        "www" => (before.is_empty() || before.ends_with("://")) && after.strip_prefix('.').is_some_and(is_followed_by_name),
        _ => false,
    }
}

/// Whether a text between spaces is `n` or `'n'`, which many write for `and`.
fn is_short_and(typed: &str) -> bool {
    typed.trim_matches(|character: char| !character.is_alphanumeric()).eq_ignore_ascii_case("n")
}

/// Returns the synonyms of the members that a mistyped or unfinished word may be, with the costs of these members.
fn find_close<'a>(
    members: impl Iterator<Item = (&'a str, &'a [Arc<Member>])>,
    typed: &str,
    typos_max: u8,
    completed: bool,
) -> Vec<(Cost, &'a Arc<Member>)> {
    let characters: Vec<char> = typed.chars().collect();
    let may_be_completed = completed && characters.len() >= BEGINNING_CHARS_MAX;
    let mut close = Vec::new();
    if typos_max == 0 && !may_be_completed {
        return close;
    }
    for (member, targets) in members {
        let starts_alike = typos_max > 1 || member.chars().next() == characters.first().copied();
        let is_short = member.chars().count() <= characters.len() + usize::from(typos_max);
        if member == typed || !starts_alike || !(is_short || may_be_completed) {
            continue;
        }
        let Some(cost) = variant_cost(&characters, member, may_be_completed, typos_max) else { continue };
        close.extend(targets.iter().map(|member| (cost, member)).take(SYNONYMS_MAX - close.len().min(SYNONYMS_MAX)));
    }
    close
}
