//! One word of a query with the terms and phrases that count as the word.

use crate::failure::Result;
use crate::plan::Ranking;
use crate::search::terms::match_weight::MatchWeight;
use crate::search::terms::term_scorer::WeightedTerm;
use crate::search::terms::term_weight::TermWeights;
use crate::search::text::query_word::QueryWord;
use crate::typos::Cost;

/// A word with its BM25 weights.
pub struct CountedWord {
    pub word: QueryWord,
    /// The word itself and its synonyms.
    pub word_and_synonyms: MatchWeight,
    /// Sorted by cost.
    pub variants: Vec<(Cost, WeightedTerm)>,
    /// Phrases that count like variants: other spellings and synonyms of several words.
    pub phrases: Vec<(Cost, MatchWeight)>,
}

impl CountedWord {
    pub fn new(weights: &mut TermWeights, word: QueryWord, ranking: Ranking) -> Result<CountedWord> {
        let word_and_synonyms = MatchWeight::with_weights(weights, &word.query)?;
        let variants = weights.variants(&word.variants, ranking)?;
        Ok(CountedWord { word, word_and_synonyms, variants, phrases: Vec::new() })
    }

    pub fn is_empty(&self) -> bool {
        self.word_and_synonyms.is_empty() && self.variants.is_empty() && self.phrases.is_empty()
    }

    /// The terms with their costs: the word itself and its synonyms, then its variants.
    pub fn terms(&self) -> impl Iterator<Item = (Cost, &WeightedTerm)> {
        self.word_and_synonyms.words().iter().map(|term| (0, term)).chain(self.variants.iter().map(|(cost, term)| (*cost, term)))
    }

    /// The terms with their costs, and whether each is a variant.
    pub fn terms_with_kind(&self) -> impl Iterator<Item = (bool, (Cost, &WeightedTerm))> {
        let first_variant = self.word_and_synonyms.words().len();
        self.terms().enumerate().map(move |(index, term)| (index >= first_variant, term))
    }

    /// Whether the word has no phrases at up to this cost.
    pub fn is_only_terms(&self, cost: Cost) -> bool {
        let has_phrases = self.phrases.iter().any(|(other, _)| *other <= cost);
        !has_phrases && (self.word_and_synonyms.is_empty() || self.word_and_synonyms.is_only_words())
    }

    /// The lowest cost at which a document can have the word; `None` if no document has it.
    pub fn lowest_cost(&self) -> Option<Cost> {
        if !self.word_and_synonyms.is_empty() {
            return Some(0);
        }
        let variant = self.variants.first().map(|(cost, _)| *cost);
        let phrase = self.phrases.iter().map(|(cost, _)| *cost).min();
        let unknown_variant = (self.word.expanded < self.word.cost_max()).then_some(self.word.expanded + 1);
        [variant, phrase, unknown_variant].into_iter().flatten().min()
    }

    /// A BM25 score that no document exceeds which has the word at up to this cost, but none of its phrases.
    pub fn score_max(&self, cost: Cost) -> f32 {
        let own_max: f32 = self.word_and_synonyms.words().iter().map(WeightedTerm::highest_score).sum();
        let variants = self.variants.iter().take_while(|(other, _)| *other <= cost);
        variants.map(|(_, variant)| variant.highest_score()).fold(own_max, f32::max)
    }

    /// An upper limit for the number of documents with the word and its variants at up to this cost, without phrases.
    pub fn frequency(&self, cost: Cost) -> u64 {
        self.terms().take_while(|(other, _)| *other <= cost).map(|(_, term)| term.frequency()).sum()
    }
}
