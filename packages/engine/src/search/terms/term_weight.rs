//! BM25 weights of terms.

use std::collections::BTreeMap;

use tantivy::Term;
use tantivy::query::{Bm25StatisticsProvider, Bm25Weight};
use tantivy::schema::Field;

use crate::failure::Result;
use crate::plan::Ranking;
use crate::search::index::context::SearchContext;
use crate::search::text::variant::{Variant, variant_factor};
use crate::typos::{COST_LIMIT, Cost};

use super::term_scorer::WeightedTerm;

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
