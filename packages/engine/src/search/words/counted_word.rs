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
    pub whole: MatchWeight,
    /// Sorted by cost.
    pub variants: Vec<(Cost, WeightedTerm)>,
    /// Phrases that count like variants: other spellings and synonyms of several words.
    pub phrases: Vec<(Cost, MatchWeight)>,
}

impl CountedWord {
    pub fn new(weights: &mut TermWeights, word: QueryWord, ranking: Ranking) -> Result<CountedWord> {
        let whole = MatchWeight::with_weights(weights, &word.query)?;
        let variants = weights.variants(&word.variants, ranking)?;
        Ok(CountedWord { word, whole, variants, phrases: Vec::new() })
    }

    pub fn is_empty(&self) -> bool {
        self.whole.is_empty() && self.variants.is_empty() && self.phrases.is_empty()
    }

    /// The terms with their costs: the word itself and its synonyms, then its variants.
    pub fn terms(&self) -> impl Iterator<Item = (Cost, &WeightedTerm)> {
        self.whole.words().iter().map(|term| (0, term)).chain(self.variants.iter().map(|(cost, term)| (*cost, term)))
    }

    /// Whether the word has no phrases at up to this cost.
    pub fn is_only_terms(&self, cost: Cost) -> bool {
        let has_phrases = self.phrases.iter().any(|(other, _)| *other <= cost);
        !has_phrases && (self.whole.is_empty() || self.whole.is_only_words())
    }

    /// An upper limit for the number of documents with the word and its variants at up to this cost, without phrases.
    pub fn frequency(&self, cost: Cost) -> u64 {
        self.terms().take_while(|(other, _)| *other <= cost).map(|(_, term)| term.frequency()).sum()
    }
}
