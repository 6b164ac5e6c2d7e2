//! Raises the score of documents that have words as they were typed: with the same ending, accents and capitals, and the stop words of the
//! text, or that begin with the text. So they come first among equals.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::ops::RangeInclusive;

use tantivy::postings::SegmentPostings;
use tantivy::schema::IndexRecordOption;
use tantivy::{DocId, DocSet, SegmentReader, Term};

use crate::analysis::Word;
use crate::failure::Result;
use crate::plan::{ParsedText, WeightedField};
use crate::schema::IndexSchema;
use crate::search::index::context::SearchContext;
use crate::search::index::found_term::FoundTerm;
use crate::written_forms::{MARK, WRITTEN, with_symbols, written_form};

use super::beginning::{self, Beginning, SegmentBeginning};

/// Added to the sum of BM25 scores for each word.
pub const BONUS: f32 = 0.5;

/// Later words do not count.
const WORDS_MAX: usize = 6;
/// The stop words of longer texts say nothing (nDCG@10 of cisi with typos .3777 instead of .3784).
const STOP_WORDS_MAX: usize = 3;
const OTHER_WORDS: RangeInclusive<usize> = 1..=4;

#[derive(Default)]
pub struct AsTyped {
    /// Each word, in each field.
    words: Vec<Vec<TypedForm>>,
    /// Whether some of them are stop words. Documents without any other word as typed may have them.
    has_stop_words: bool,
    pub beginning: Beginning,
}

pub struct TypedForm {
    /// The word as it was typed.
    pub form: FoundTerm,
    /// Documents with this term have the word in other spellings only.
    pub mark: Option<FoundTerm>,
}

impl TypedForm {
    fn new(form: Term, mark: Option<Term>) -> TypedForm {
        TypedForm { form: FoundTerm::new(form), mark: mark.map(FoundTerm::new) }
    }
}

impl AsTyped {
    pub fn new(schema: &IndexSchema, text: &ParsedText, fields: &[WeightedField]) -> Result<AsTyped> {
        let typed: Vec<&str> = text.words.iter().chain(&text.unfinished).map(String::as_str).collect();
        let typed = typed.join(" ");
        let mut words: BTreeMap<usize, Vec<TypedForm>> = BTreeMap::new();
        let mut stop_words: BTreeMap<usize, Vec<TypedForm>> = BTreeMap::new();
        for weighted in fields {
            let (search_field, text_field) = schema.text_field(&weighted.name)?;
            let indexed = text_field.analyzer.words(&typed);
            let mut known_stop_words = BTreeSet::new();
            let is_new_stop_word = |word: &&Word| word.stop && known_stop_words.insert(word.text.clone());
            if let Some(field) = text_field.stop_words.filter(|_| OTHER_WORDS.contains(&indexed.iter().filter(|word| !word.stop).count())) {
                for word in indexed.iter().filter(is_new_stop_word) {
                    let form = Term::from_field_text(field, &word.text);
                    stop_words.entry(word.position).or_default().push(TypedForm::new(form, None));
                }
            }
            let segments = text_field.analyzer.segments(&typed);
            let stop_positions: HashSet<usize> = indexed.iter().filter(|word| word.stop).map(|word| word.position).collect();
            for word in text_field.analyzer.typed(&typed) {
                let range = word.start..word.end;
                if stop_positions.contains(&word.position) || with_symbols(&typed, &range, &word.text).is_some() {
                    continue;
                }
                let form = |first: char, text: &str| Term::from_field_text(text_field.forms, &format!("{first}{text}"));
                let is_part = |segment: &&Word| segment.start <= range.start && range.end <= segment.end;
                let segment = segments.iter().find(is_part).map(|segment| Term::from_field_text(text_field.forms, &segment.text));
                if let Some(form) = segment {
                    words.entry(word.position).or_default().push(TypedForm::new(form, None));
                    continue;
                }
                let typed_form = match (written_form(&typed[range], &word.text), text_field.typed) {
                    (Some(written), _) => TypedForm::new(form(WRITTEN, &written), None),
                    (None, Some(field)) => TypedForm::new(Term::from_field_text(field, &word.text), Some(form(MARK, &word.text))),
                    (None, None) => {
                        let Some(indexed) = indexed.iter().find(|indexed| indexed.position == word.position) else { continue };
                        TypedForm::new(Term::from_field_text(search_field.field, &indexed.text), Some(form(MARK, &word.text)))
                    }
                };
                words.entry(word.position).or_default().push(typed_form);
            }
        }
        let has_stop_words = !stop_words.is_empty();
        let words = words.into_values().take(WORDS_MAX).chain(stop_words.into_values().take(STOP_WORDS_MAX)).collect();
        Ok(AsTyped { words, has_stop_words, beginning: Beginning::new(schema, text, fields)? })
    }

    /// Looks up all terms, for searches of several segments and stages.
    pub fn look_up(&mut self, context: &SearchContext) -> Result<()> {
        let forms = self.words.iter_mut().flatten();
        forms.flat_map(|TypedForm { form, mark }| std::iter::once(form).chain(mark)).try_for_each(|term| term.look_up(context))
    }

    /// Each word, in each field.
    pub fn words(&self) -> impl Iterator<Item = &[TypedForm]> {
        self.words.iter().map(Vec::as_slice)
    }

    /// Whether documents without any of the words as typed may have a bonus.
    pub fn favors_other_words(&self) -> bool {
        self.has_stop_words || !self.beginning.is_empty()
    }

    /// The highest sum of bonuses of a document.
    pub fn bonus_max(&self) -> f32 {
        let beginning = if self.beginning.is_empty() { 0.0 } else { beginning::BONUS };
        BONUS * self.words.len() as f32 + beginning
    }

    pub fn for_segment(&self, segment: usize, reader: &SegmentReader) -> Result<SegmentAsTyped> {
        let word = |forms: &Vec<TypedForm>| {
            let mut fields = Vec::new();
            for TypedForm { form, mark } in forms {
                let postings = |term: &FoundTerm| term.postings(segment, reader, IndexRecordOption::Basic);
                if let Some(form) = postings(form)? {
                    let mark = mark.as_ref().map(postings).transpose()?.flatten();
                    fields.push(SegmentForm { form, mark });
                }
            }
            Ok(fields)
        };
        let mut words = self.words.iter().map(word).collect::<Result<Vec<_>>>()?;
        words.retain(|fields| !fields.is_empty());
        let beginning = self.beginning.for_segment(reader);
        let bonus_max = BONUS * words.len() as f32 + if beginning.is_some() { beginning::BONUS } else { 0.0 };
        Ok(SegmentAsTyped { words, beginning, bonus_max })
    }
}

pub struct SegmentAsTyped {
    words: Vec<Vec<SegmentForm>>,
    beginning: Option<SegmentBeginning>,
    pub bonus_max: f32,
}

struct SegmentForm {
    form: SegmentPostings,
    mark: Option<SegmentPostings>,
}

impl SegmentAsTyped {
    /// Returns the sum of the bonuses of a document; `None` once `reaches` is false for the highest sum that it can still have. Documents
    /// must be requested in ascending order.
    pub fn bonus(&mut self, document: DocId, reaches: impl Fn(f32) -> bool) -> Option<f32> {
        let has = |postings: &mut SegmentPostings| {
            if postings.doc() < document {
                postings.seek(document);
            }
            postings.doc() == document
        };
        let mut is_typed = |SegmentForm { form, mark }: &mut SegmentForm| has(form) && !mark.as_mut().is_some_and(has);
        let mut bonus = self.bonus_max;
        if self.beginning.as_ref().is_some_and(|beginning| !beginning.matches(document)) {
            bonus -= beginning::BONUS;
            if !reaches(bonus) {
                return None;
            }
        }
        for fields in &mut self.words {
            if !fields.iter_mut().any(&mut is_typed) {
                bonus -= BONUS;
                if !reaches(bonus) {
                    return None;
                }
            }
        }
        Some(bonus)
    }
}
