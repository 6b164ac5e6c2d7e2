//! BM25 weights of terms.

use std::collections::BTreeMap;

use tantivy::Term;
use tantivy::query::{Bm25StatisticsProvider, Bm25Weight};
use tantivy::schema::Field;

use crate::failure::Result;
use crate::plan::Ranking;
use crate::search::index::context::SearchContext;
use crate::search::text::query_word::Variant;
use crate::typos::{COST_LIMIT, COST_OF_COMPLETION, COST_OF_CONTAINING, COST_OF_TYPO, Cost};

use super::term_scorer::WeightedTerm;

pub const TYPO_FACTOR: f32 = 0.5;
pub const COMPLETION_FACTOR: f32 = 0.8;
/// So little that all other matches come first.
pub const CONTAINING_FACTOR: f32 = 0.001;

/// Weighs terms by the BM25 statistics of the visible documents.
pub struct TermWeights<'a> {
    pub context: &'a SearchContext<'a>,
    documents: u64,
    /// Mean number of words by field.
    mean_lengths: BTreeMap<Field, f32>,
}

impl<'a> TermWeights<'a> {
    pub fn new(context: &'a SearchContext<'a>) -> Result<TermWeights<'a>> {
        let documents = context.statistics().total_num_docs()?;
        Ok(TermWeights { context, documents, mean_lengths: BTreeMap::new() })
    }

    /// Returns `None` if no visible document has the term.
    pub fn term(&mut self, term: &Term, boost: f32) -> Result<Option<WeightedTerm>> {
        let infos = self.context.term_infos(term)?;
        let frequency = match self.context.visible {
            Some(visible) => visible.doc_freq(term)?,
            None => infos.iter().flatten().map(|info| u64::from(info.doc_freq)).sum(),
        };
        if frequency == 0 {
            return Ok(None);
        }
        let weight = self.weight(term, frequency)?.boost_by(boost);
        Ok(Some(WeightedTerm {
            term: term.clone(),
            infos,
            weight,
            lengths: self.context.schema.length_field(term.field()),
            boost,
            weighed_frequency: frequency,
        }))
    }

    fn weight(&mut self, term: &Term, frequency: u64) -> Result<Bm25Weight> {
        let field = self.context.schema.length_field(term.field());
        let length = match self.mean_lengths.get(&field) {
            Some(length) => *length,
            None => {
                let length = self.context.statistics().total_num_tokens(field)? as f32 / self.documents as f32;
                self.mean_lengths.insert(field, length);
                length
            }
        };
        Ok(Bm25Weight::for_one_term_without_explain(frequency, self.documents, length))
    }

    /// Weighs the variants of a word, by cost.
    ///
    /// All variants of one cost count as frequent as the most frequent of them. Otherwise a rare misspelling would rank above the intended
    /// word.
    pub fn variants(&mut self, variants: &BTreeMap<Term, Variant>, ranking: Ranking) -> Result<Vec<(Cost, WeightedTerm)>> {
        let mut frequencies = [0; COST_LIMIT as usize + 1];
        for variant in variants.values() {
            let frequency = &mut frequencies[usize::from(variant.cost)];
            *frequency = variant.frequency.min(self.documents).max(*frequency);
        }
        let mut weighted = Vec::with_capacity(variants.len());
        for (term, variant) in variants {
            let infos = self.context.term_infos(term)?;
            let boost = variant.weight * variant_factor(variant.cost, ranking);
            let weighed_frequency = frequencies[usize::from(variant.cost)];
            let weight = self.weight(term, weighed_frequency)?.boost_by(boost);
            let lengths = self.context.schema.length_field(term.field());
            weighted.push((variant.cost, WeightedTerm { term: term.clone(), infos, weight, lengths, boost, weighed_frequency }));
        }
        weighted.sort_by_key(|(cost, _)| *cost);
        Ok(weighted)
    }
}

/// Returns the factor of the score of a variant, if scores alone decide the order.
fn variant_factor(cost: Cost, ranking: Ranking) -> f32 {
    match ranking {
        Ranking::Words => 1.0,
        Ranking::Score if cost == COST_OF_CONTAINING => CONTAINING_FACTOR,
        Ranking::Score => {
            let typos = i32::from(cost / COST_OF_TYPO);
            let is_completion = cost % COST_OF_TYPO == COST_OF_COMPLETION;
            TYPO_FACTOR.powi(typos) * if is_completion { COMPLETION_FACTOR } else { 1.0 }
        }
    }
}
