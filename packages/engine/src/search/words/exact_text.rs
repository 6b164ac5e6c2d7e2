//! Recognizes documents in which the whole text of a field is the query, without case, accents and punctuation, but with the symbols of words such as
//! C++.

use std::collections::HashMap;

use tantivy::columnar::StrColumn;
use tantivy::fieldnorm::FieldNormReader;
use tantivy::schema::Field;
use tantivy::{DocId, SegmentReader, TERMINATED};

use crate::analysis::Analyzer;
use crate::collation::SORT_CHARS_MAX;
use crate::collation::sorted_text;
use crate::failure::Result;
use crate::plan::{ParsedText, WeightedField};
use crate::schema::IndexSchema;
use crate::search::index::columns::Columns;
use crate::search::terms::term_scorer::{TermScorer, WeightedTerm};
use crate::text_columns::whole_text_words;

use super::counted_word::CountedWord;

/// Texts of up to this many words have an exact field norm.
const LENGTH_MAX: u8 = 40;

/// More than the error of sums.
const ROUNDING: f32 = 0.999;

pub struct ExactText(Vec<ExactField>);

struct ExactField {
    analyzer: Analyzer,
    /// The words of the query as typed.
    words: Vec<String>,
    sort_column: String,
    field: Field,
    /// The number of words of the text that are not stop words.
    length: u32,
    /// The twin field with the stop words, and their number.
    stop_words: Option<Field>,
    stop_words_length: u32,
}

impl ExactText {
    /// Returns `None` for a text with phrases or exclusions: it is not the text of a field.
    pub fn new(schema: &IndexSchema, text: &ParsedText, fields: &[WeightedField]) -> Result<Option<ExactText>> {
        if !(text.phrases.is_empty() && text.excluded_words.is_empty() && text.excluded_phrases.is_empty()) {
            return Ok(None);
        }
        let typed: Vec<&str> = text.words.iter().chain(&text.unfinished).map(String::as_str).collect();
        let typed = typed.join(" ");
        if typed.chars().count() >= SORT_CHARS_MAX {
            return Ok(None);
        }
        let mut exact_fields = Vec::new();
        for weighted in fields {
            let (search_field, text_field) = schema.text_field(&weighted.name)?;
            let analyzer = text_field.analyzer.clone();
            let (stop_words, words): (Vec<_>, Vec<_>) = analyzer.words(&typed).into_iter().partition(|word| word.stop);
            exact_fields.push(ExactField {
                words: analyzer.typed_with_symbols(&typed).into_iter().map(|word| word.text).collect(),
                length: words.len() as u32,
                stop_words: text_field.stop_words,
                stop_words_length: stop_words.len() as u32,
                analyzer,
                sort_column: search_field.sort_column(),
                field: search_field.field,
            });
        }
        Ok(Some(ExactText(exact_fields)))
    }

    /// The words of the query as typed, in each field.
    pub fn words(&self) -> impl Iterator<Item = &[String]> {
        self.0.iter().map(|exact_field| exact_field.words.as_slice())
    }

    /// Returns a sum of BM25 scores that no document whose whole text is the query falls below, apart from `stop_word_texts`.
    pub fn lowest_sum(&self, words: &[CountedWord]) -> f32 {
        let in_field = |exact_field: &ExactField| {
            // Such a document has each word at least once. The ids of these field norms are the lengths themselves.
            let length = u8::try_from(exact_field.length).ok().filter(|length| *length <= LENGTH_MAX);
            let word_score = |word: &CountedWord| {
                let terms = word.word_and_synonyms.words().iter().filter(|term| term.term.field() == exact_field.field);
                terms.map(|term| length.map_or(0.0, |length| term.weight.score(length, 1))).reduce(f32::min)
            };
            words.iter().filter(|word| !word.word.is_optional).map(word_score).sum::<Option<f32>>()
        };
        self.0.iter().filter(|exact_field| exact_field.length > 0).filter_map(in_field).fold(f32::MAX, f32::min) * ROUNDING
    }

    /// Returns the documents of a segment whose whole text in a field may be the query, for queries of stop words only. The scores of stop
    /// words do not tell these documents apart from others.
    pub fn stop_word_texts(&self, words: &[CountedWord], segment: usize, reader: &SegmentReader) -> Result<Vec<DocId>> {
        let mut documents = Vec::new();
        for exact_field in self.0.iter().filter(|exact_field| exact_field.length == 0) {
            let Some(stop_words) = exact_field.stop_words else { continue };
            let terms = words
                .iter()
                .flat_map(CountedWord::terms)
                .filter(|(cost, term)| *cost == 0 && term.term.field() == stop_words)
                .map(|(_, term)| term);
            let Some(rarest) = terms.min_by_key(|term| term.frequency()) else { continue };
            let Some(mut scorer) = TermScorer::new(segment, reader, rarest, false)? else { continue };
            let lengths = reader.get_fieldnorms_reader(exact_field.field)?;
            let stop_lengths = reader.get_fieldnorms_reader(stop_words)?;
            scorer.drain(TERMINATED, |document, _| {
                if lengths.fieldnorm_id(document) == 0 && stop_lengths.fieldnorm(document) == exact_field.stop_words_length {
                    documents.push(document);
                }
            });
        }
        documents.sort_unstable();
        documents.dedup();
        Ok(documents)
    }

    /// With `checks_words`, `words` are looked up before the texts of documents are read.
    pub fn for_segment(
        &self,
        columns: &Columns,
        words: &[CountedWord],
        (segment, reader): (usize, &SegmentReader),
        checks_words: bool,
    ) -> Result<SegmentExactText> {
        let mut fields = Vec::new();
        for exact_field in &self.0 {
            if let Some(texts) = columns.sort_column(segment, reader, &exact_field.sort_column)? {
                let word = if checks_words { exact_field.rarest_word(words, segment, reader)? } else { None };
                fields.push(SegmentExactField {
                    word,
                    analyzer: exact_field.analyzer.clone(),
                    words: exact_field.words.clone(),
                    lengths: reader.get_fieldnorms_reader(exact_field.field)?,
                    length: exact_field.length,
                    texts,
                    known: HashMap::new(),
                });
            }
        }
        Ok(SegmentExactText(fields))
    }
}

impl ExactField {
    /// Returns the word of the query that the fewest documents have in this field; `None` if the field has none of the words. Documents whose
    /// text is the query have it.
    fn rarest_word<'a>(&self, words: &'a [CountedWord], segment: usize, reader: &SegmentReader) -> Result<Option<RequiredWord>> {
        let in_field = |word: &'a CountedWord| {
            let terms: Vec<&WeightedTerm> = word.word_and_synonyms.words().iter().filter(|term| term.term.field() == self.field).collect();
            (!word.word.is_optional && !terms.is_empty()).then_some(terms)
        };
        let frequency = |terms: &Vec<&WeightedTerm>| terms.iter().map(|term| term.frequency()).sum::<u64>();
        let Some(rarest) = words.iter().filter_map(in_field).min_by_key(frequency) else { return Ok(None) };
        let is_same = |terms: &Vec<&WeightedTerm>| terms.iter().map(|term| &term.term).eq(rarest.iter().map(|term| &term.term));
        let count = words.iter().filter_map(in_field).filter(is_same).count() as u32;
        let scorers = rarest.iter().map(|term| TermScorer::new(segment, reader, term, true)).collect::<Result<Vec<_>>>()?;
        Ok(Some(RequiredWord { scorers: scorers.into_iter().flatten().collect(), count }))
    }
}

/// A word that a text must have at least `count` times.
struct RequiredWord {
    /// The word itself and its synonyms.
    scorers: Vec<TermScorer>,
    count: u32,
}

impl RequiredWord {
    /// Documents must be requested in ascending order.
    fn is_in(&mut self, document: DocId) -> bool {
        let occurrences = self.scorers.iter_mut().map(|scorer| {
            scorer.seek(document);
            if scorer.doc() == document { scorer.frequency() } else { 0 }
        });
        occurrences.sum::<u32>() >= self.count
    }
}

pub struct SegmentExactText(Vec<SegmentExactField>);

struct SegmentExactField {
    analyzer: Analyzer,
    words: Vec<String>,
    lengths: FieldNormReader,
    length: u32,
    texts: StrColumn,
    word: Option<RequiredWord>,
    /// Whether the text with this ordinal is the query.
    known: HashMap<u64, bool>,
}

impl SegmentExactText {
    /// Documents must be requested in ascending order.
    pub fn matches(&mut self, document: DocId) -> bool {
        self.0.iter_mut().any(|field| field.matches(document))
    }
}

impl SegmentExactField {
    fn matches(&mut self, document: DocId) -> bool {
        // Reading a text costs far more than its length.
        if self.length <= u32::from(LENGTH_MAX) && self.lengths.fieldnorm(document) != self.length {
            return false;
        }
        if self.word.as_mut().is_some_and(|word| !word.is_in(document)) {
            return false;
        }
        let mut ordinals = self.texts.term_ords(document);
        let (Some(ordinal), None) = (ordinals.next(), ordinals.next()) else { return false };
        if let Some(known) = self.known.get(&ordinal) {
            return *known;
        }
        let mut text = String::new();
        let is_read = self.texts.ord_to_str(ordinal, &mut text).unwrap_or(false);
        let is_equal = is_read && whole_text_words(&self.analyzer, &sorted_text(&text)).is_some_and(|words| words == self.words);
        self.known.insert(ordinal, is_equal);
        is_equal
    }
}
