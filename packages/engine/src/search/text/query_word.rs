//! One word of a query, with its completions and corrections.

use std::collections::BTreeMap;

use tantivy::Term;
use tantivy::schema::Field;

use crate::beginnings::BEGINNING_CHARS_MAX;
use crate::failure::Result;
use crate::forms::JOINED;
use crate::plan::TypoLengths;
use crate::search::index::context::SearchContext;
use crate::search_field::TextField;
use crate::typos::{COST_OF_COMPLETION, COST_OF_CONTAINING, COST_OF_TYPO, Cost, allowed_typos};

use super::compounds::CompoundSource;
use super::expansion::{Expansion, JOINED_MAX, expand, expand_containing, expand_forms, expand_mistyped_joined, expand_stop_words};
use super::mistyped_compounds;
use super::mistyped_pairs::MistypedPair;
use super::mistyped_splits;
use super::text_query::TextQuery;
use super::unfinished_splits;
use super::variant::Variant;

/// The most variants of a word in a field: the closest first, then the most frequent.
const CORRECTIONS_MAX: usize = 50;
const COMPLETIONS_MAX: usize = 100;

/// A word or a phrase of a query. A document has it if it has any of its terms, phrases and variants.
#[derive(Default)]
pub struct QueryWord {
    /// As typed, such as `wireless` in `Wireless-keyboard`.
    pub typed: String,
    /// Whether the word is dropped if no document has all words: a last word that is a stop word, or may become one.
    pub is_optional: bool,
    /// Whether it is `n` for `and` between two words.
    pub is_short_and: bool,
    /// Whether it is the scheme or `www` of a web address.
    pub is_of_address: bool,
    /// Whether the query also has the word before its last word.
    pub is_finished: bool,
    /// Whether it is a pair of characters at the border of two words of Chinese or Japanese text, and whether it is also something else.
    pub is_between_segments: bool,
    pub is_within_segment: bool,
    /// Lower-cased and folded.
    pub text: String,
    /// The word itself and its synonyms.
    pub query: TextQuery,
    /// Other spellings and the synonyms of close words, which count like variants of these costs.
    pub alternatives: Vec<(Cost, TextQuery)>,
    /// The beginnings of codes, of words with symbols and of other spellings, of which the unfinished word is the end.
    pub form_beginnings: Vec<FormBeginning>,
    /// Where the compounds of the word and of its synonyms come from.
    pub compounds: Vec<CompoundSource>,
    /// The texts that may be several words written as one. Only without an index, which would show whether they are.
    pub joined: Vec<JoinedText>,
    /// The mistyped words that it may be with its neighbours. Only without an index too.
    pub pairs: Vec<MistypedPair>,
    /// Where the variants come from. Empty for a word that is neither completed nor corrected.
    pub sources: Vec<WordSource>,
    pub variants: BTreeMap<Term, Variant>,
    /// The variants up to this cost are in `variants`.
    pub expanded: Cost,
}

/// The beginning of further forms of words, or of words as typed, which count as completions.
pub struct FormBeginning {
    pub field: Field,
    pub text: String,
    /// Weight of the field.
    pub weight: f32,
}

/// A word of a query, which may be several words written as one.
pub struct JoinedText {
    pub field: Field,
    pub text: String,
    /// Weight of the field.
    pub weight: f32,
}

/// Finds the variants of a word in one field.
pub struct WordSource {
    pub field: Field,
    pub text_field: TextField,
    pub weight: f32,
    pub completed: bool,
    pub typos: Option<TypoLengths>,
    /// The word as it is indexed in the main field, unless it is a stop word.
    pub stem: Option<String>,
    pub completes_stop_words: bool,
    /// Whether longer words that contain the word are variants.
    pub contained: bool,
}

/// The share of the score of an unfinished word that its compounds have, so that words which begin with it come first.
pub const UNFINISHED_PART_SHARE: f32 = 0.1;

impl QueryWord {
    /// The highest cost that a variant of this word can have.
    pub fn cost_max(&self) -> Cost {
        let sources = self.sources.iter().map(|source| source.cost_max(&self.text)).max().unwrap_or(0);
        let completions = if self.form_beginnings.is_empty() && self.compounds.is_empty() { 0 } else { COST_OF_COMPLETION };
        self.alternatives.iter().map(|(cost, _)| *cost).max().unwrap_or(0).max(sources).max(completions)
    }

    /// Whether the word and its variants up to this cost, as far as known, occur in no document.
    fn is_unknown(&self, context: &SearchContext, cost_max: Cost) -> Result<bool> {
        let has_phrases = self.alternatives.iter().any(|(_, query)| !query.phrases.is_empty());
        if self.variants.values().any(|variant| variant.cost <= cost_max) || !self.query.phrases.is_empty() || has_phrases {
            return Ok(false);
        }
        let alternatives = self.alternatives.iter().flat_map(|(_, query)| query.terms.keys());
        for term in self.query.terms.keys().chain(alternatives) {
            if context.frequency(term)? > 0 {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Adds a spelling or a synonym that counts like a variant of this cost.
    pub fn add_alternative(&mut self, cost: Cost, query: &TextQuery) {
        let same_cost = self.alternatives.iter_mut().find(|(other, _)| *other == cost);
        match same_cost {
            Some((_, known)) => known.merge(query),
            None => self.alternatives.push((cost, query.clone())),
        }
    }

    /// Adds the variants up to this cost.
    pub fn expand(&mut self, context: &SearchContext, cost_max: Cost) -> Result<()> {
        if self.expanded >= cost_max.min(self.cost_max()) {
            return Ok(());
        }
        for source in &self.sources {
            context.cancel_token.check()?;
            for (term, variant) in source.variants(context, &self.text, cost_max)? {
                let known = self.variants.entry(term).or_insert(variant);
                known.cost = known.cost.min(variant.cost);
            }
        }
        if cost_max >= mistyped_splits::COST && self.expanded < mistyped_splits::COST && self.is_unknown(context, Cost::MAX)? {
            for source in self.sources.iter().filter(|source| source.typos_max(&self.text) > 0) {
                let splits = mistyped_splits::find(context, (source.field, &source.text_field), source.weight, &self.text)?;
                if !splits.phrases.is_empty() {
                    self.alternatives.push((mistyped_splits::COST, splits));
                }
            }
        }
        self.correct_compounds(context, cost_max)?;
        let is_unfinished = self.sources.iter().any(|source| source.completed);
        // They come after corrections: `insultte` is insult rather than insult te….
        let is_corrected = self.sources.iter().any(|source| source.typos_max(&self.text) > 0);
        let split_cost = if is_corrected { mistyped_splits::COST } else { COST_OF_COMPLETION };
        let reaches_splits = is_unfinished && self.expanded < split_cost && cost_max >= split_cost;
        if reaches_splits && self.is_unknown(context, COST_OF_COMPLETION)? {
            for source in self.sources.iter().filter(|source| source.completed) {
                let splits = unfinished_splits::find(context, (source.field, &source.text_field), source.weight, &self.text)?;
                if !splits.phrases.is_empty() {
                    self.alternatives.push((split_cost, splits));
                }
            }
        }
        let share = if is_unfinished { UNFINISHED_PART_SHARE } else { 1.0 };
        for source in self.compounds.iter().filter(|_| cost_max >= COST_OF_COMPLETION) {
            for (term, frequency) in source.find(context)? {
                let variant = Variant { weight: source.weight * share, cost: COST_OF_COMPLETION, frequency };
                self.variants.entry(term).or_insert(variant);
            }
        }
        for FormBeginning { field, text, weight } in self.form_beginnings.iter().filter(|_| cost_max >= COST_OF_COMPLETION) {
            for (term, frequency) in expand_forms(context, *field, text, COMPLETIONS_MAX)? {
                let share = typed_share(text.chars().count(), term.value().as_str().unwrap_or_default(), COST_OF_COMPLETION);
                let variant = Variant { weight: weight * share, cost: COST_OF_COMPLETION, frequency };
                self.variants.entry(term).or_insert(variant);
            }
        }
        for (cost, query) in self.alternatives.iter().filter(|(cost, _)| *cost <= cost_max) {
            for (term, weight) in query.terms.iter().filter(|(term, _)| !self.query.terms.contains_key(*term)) {
                let frequency = context.frequency(term)?;
                if frequency > 0 {
                    let variant = Variant { weight: *weight, cost: *cost, frequency };
                    let kept_variant = self.variants.entry(term.clone()).or_insert(variant);
                    kept_variant.cost = kept_variant.cost.min(*cost);
                }
            }
        }
        self.expanded = cost_max;
        Ok(())
    }

    /// Adds the compounds of the words that the word may be with a typo, if no document has it with its variants.
    fn correct_compounds(&mut self, context: &SearchContext, cost_max: Cost) -> Result<()> {
        let typos = self.sources.iter().map(|source| source.typos_max(&self.text)).max().unwrap_or(0);
        // They come after corrections of the whole word.
        let cost = typos * COST_OF_TYPO + COST_OF_COMPLETION;
        let reaches_compounds = typos > 0 && self.expanded < cost && cost_max >= cost;
        if !reaches_compounds || self.compounds.is_empty() || !self.is_unknown(context, Cost::MAX)? {
            return Ok(());
        }
        for source in self.compounds.iter().flat_map(mistyped_compounds::list) {
            for (term, frequency) in source.find(context)? {
                let variant = Variant { weight: source.weight, cost, frequency };
                self.variants.entry(term).or_insert(variant);
            }
        }
        Ok(())
    }
}

impl WordSource {
    pub fn typed_field(&self) -> Option<Field> {
        self.text_field.typed
    }

    pub fn typos_max(&self, word: &str) -> u8 {
        self.typos.map_or(0, |lengths| allowed_typos(word, lengths))
    }

    fn cost_max(&self, word: &str) -> Cost {
        if self.contained {
            return COST_OF_CONTAINING;
        }
        let typos_max = self.typos_max(word);
        typos_max * COST_OF_TYPO + if self.completed || typos_max > 0 { COST_OF_COMPLETION } else { 0 }
    }

    /// Whether some visible document has the word in the field.
    fn has_word(&self, context: &SearchContext) -> Result<bool> {
        match &self.stem {
            Some(stem) => Ok(context.frequency(&Term::from_field_text(self.field, stem))? > 0),
            None => Ok(true),
        }
    }

    fn variants(&self, context: &SearchContext, word: &str, cost_max: Cost) -> Result<Vec<(Term, Variant)>> {
        let (Some(typed), Some(beginnings)) = (self.text_field.typed, self.text_field.beginnings) else { return Ok(Vec::new()) };
        let mut variants = Vec::new();
        let typos_max = self.typos_max(word).min(cost_max / COST_OF_TYPO);
        let chars = word.chars().count();
        let is_beginning = self.completed && chars <= BEGINNING_CHARS_MAX;
        if is_beginning && cost_max >= COST_OF_COMPLETION {
            let variant = |frequency| Variant { weight: self.weight, cost: COST_OF_COMPLETION, frequency };
            let term = Term::from_field_text(beginnings, word);
            let frequency = context.statistics().doc_freq(&term)?;
            if frequency > 0 {
                variants.push((term, variant(frequency)));
            }
            if let Some(stop_words) = self.text_field.stop_words.filter(|_| self.completes_stop_words) {
                for (term, frequency) in expand_stop_words(context, stop_words, word)? {
                    variants.push((term, variant(frequency)));
                }
            }
        }
        let completes = self.completed && !is_beginning && cost_max >= COST_OF_COMPLETION;
        if completes {
            for (term, frequency) in expand_forms(context, self.text_field.forms, &format!("{JOINED}{word}"), JOINED_MAX)? {
                let joined = term.value().as_str().unwrap_or_default().to_owned();
                let weight = self.weight * typed_share(chars, &joined, COST_OF_COMPLETION);
                variants.push((term, Variant { weight, cost: COST_OF_COMPLETION, frequency }));
            }
        }
        if self.contained && cost_max >= COST_OF_CONTAINING {
            for (term, frequency) in expand_containing(context, typed, word)? {
                variants.push((term, Variant { weight: self.weight, cost: COST_OF_CONTAINING, frequency }));
            }
        }
        if typos_max == 0 && !completes {
            return Ok(variants);
        }
        let mut analyze = self.text_field.analyzer.reader();
        let is_variant = |text: &str| {
            let is_excluded = |candidate: &crate::analysis::Word| {
                if candidate.stop {
                    !(completes && self.completes_stop_words)
                } else {
                    // Searching the word itself finds all words with the same stem.
                    self.stem.as_ref() == Some(&candidate.text)
                }
            };
            // Words as typed lack their accents, by which stop words are recognized.
            let is_stop_word = completes && self.completes_stop_words && self.text_field.analyzer.is_plain_stop_word(text);
            text != word && (is_stop_word || !analyze(text).iter().any(is_excluded))
        };
        let max = if completes { COMPLETIONS_MAX } else { CORRECTIONS_MAX };
        let expansions = expand(context, typed, word, completes, typos_max, max, is_variant)?;
        let least_typos = expansions.iter().map(|expansion| expansion.cost / COST_OF_TYPO).min().unwrap_or(Cost::MAX);
        if typos_max > 0 && least_typos > 1 && !self.has_word(context)? {
            for (term, cost, frequency) in expand_mistyped_joined(context, self.text_field.forms, word, completes, typos_max)? {
                if cost <= cost_max && cost / COST_OF_TYPO < least_typos {
                    let share = typed_share(chars, term.value().as_str().unwrap_or_default(), cost);
                    variants.push((term, Variant { weight: self.weight * share, cost, frequency }));
                }
            }
        }
        for Expansion { text, cost, frequency } in expansions {
            if cost <= cost_max {
                let weight = self.weight * typed_share(chars, &text, cost);
                variants.push((Term::from_field_text(typed, &text), Variant { weight, cost, frequency }));
            }
        }
        Ok(variants)
    }
}

/// Returns the share of a completion that is typed, so that short completions rank above long ones; 1 for a correction.
fn typed_share(chars: usize, completion: &str, cost: Cost) -> f32 {
    let is_completion = cost % COST_OF_TYPO == COST_OF_COMPLETION;
    if is_completion { (chars as f32 / completion.chars().count() as f32).min(1.0) } else { 1.0 }
}
