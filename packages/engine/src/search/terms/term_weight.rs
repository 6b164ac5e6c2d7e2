//! BM25 weights of terms.

use std::collections::BTreeMap;

use tantivy::Term;
use tantivy::query::{Bm25StatisticsProvider, Bm25Weight};
use tantivy::schema::Field;

use crate::failure::Result;
use crate::plan::Ranking;
use crate::search::index::context::SearchContext;
use crate::search::index::term_cache::TermInfos;
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
        Ok(Some(self.weigh(term, infos, boost, frequency)?))
    }

    /// `frequency` is the number of documents by which the term is weighed.
    fn weigh(&mut self, term: &Term, infos: TermInfos, boost: f32, frequency: u64) -> Result<WeightedTerm> {
        let lengths = self.context.schema.length_field(term.field());
        let mean_length = match self.mean_lengths.get(&lengths) {
            Some(length) => *length,
            None => {
                let length = self.context.mean_length(lengths)?;
                self.mean_lengths.insert(lengths, length);
                length
            }
        };
        let weight = Bm25Weight::for_one_term_without_explain(frequency, self.documents, mean_length).boost_by(boost);
        Ok(WeightedTerm { term: term.clone(), infos, weight, lengths, mean_length, boost, weighed_frequency: frequency })
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
            weighted.push((variant.cost, self.weigh(term, infos, boost, frequencies[usize::from(variant.cost)])?));
        }
        weighted.sort_by_key(|(cost, _)| *cost);
        Ok(weighted)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::search::test_index::{TestDocument, TestIndex, catalog_fields};
    use crate::search::words::counted_words::RANKED_WORDS_MAX;

    /// Scores alone decide the order for a query of more than `RANKED_WORDS_MAX` words.
    #[test]
    fn of_many_words_each_counts_more_than_its_typos() {
        let document = |id: &str, title: &str| TestDocument { id: id.to_owned(), attributes: json!({ "title": title, "text": "sea" }) };
        let documents = [document("typo", "windiw"), document("word", "window")];
        let index = TestIndex::new(&catalog_fields(), &[documents.to_vec()], |_| false);
        let missing = (0..RANKED_WORDS_MAX).map(|number| format!("missing{number}"));
        let words: Vec<String> = missing.chain(["window".to_owned()]).collect();
        let reply = index.find(&json!({
            "nodes": [{
                "kind": "match", "fields": [{ "name": "title", "weight": 1 }], "matching": "any", "typos": { "one": 4, "two": 8 },
                "text": { "words": words, "phrases": [], "excludedWords": [], "excludedPhrases": [] },
            }],
            "offset": 0, "count": 10,
        }));
        let score = |id: &str| reply.hits.iter().find(|(hit, _)| hit == id).map_or(0.0, |(_, score)| *score);
        assert!(score("word") > score("typo") && score("typo") > 0.0, "{reply:?}");
    }
}
