//! BM25 statistics of which some are known already, so that they need no lookups.

use tantivy::Term;
use tantivy::query::{Bm25StatisticsProvider, Bm25Weight};
use tantivy::schema::Field;

use crate::failure::Result;
use crate::search::index::context::SearchContext;

/// The statistics of the visible documents, with the frequencies by which the words were weighed.
pub struct WeighedStatistics<'a> {
    statistics: &'a dyn Bm25StatisticsProvider,
    /// Known numbers of all words of fields: counting them again for each word would read every segment.
    token_counts: Vec<(Field, u64)>,
    frequencies: Vec<(&'a Term, u64)>,
}

impl<'a> WeighedStatistics<'a> {
    pub fn new(
        statistics: &'a dyn Bm25StatisticsProvider,
        fields: impl Iterator<Item = Field>,
        frequencies: Vec<(&'a Term, u64)>,
    ) -> Result<Self> {
        let token_counts = fields.map(|field| Ok((field, statistics.total_num_tokens(field)?))).collect::<Result<_>>()?;
        Ok(WeighedStatistics { statistics, token_counts, frequencies })
    }
}

impl Bm25StatisticsProvider for WeighedStatistics<'_> {
    fn total_num_tokens(&self, field: Field) -> tantivy::Result<u64> {
        let known = self.token_counts.iter().find(|(other, _)| *other == field);
        known.map_or_else(|| self.statistics.total_num_tokens(field), |(_, count)| Ok(*count))
    }

    fn total_num_docs(&self) -> tantivy::Result<u64> {
        self.statistics.total_num_docs()
    }

    fn doc_freq(&self, term: &Term) -> tantivy::Result<u64> {
        let known = self.frequencies.iter().find(|(other, _)| *other == term);
        known.map_or_else(|| self.statistics.doc_freq(term), |(_, frequency)| Ok(*frequency))
    }
}

/// Returns the weight of several words as a phrase.
pub fn phrase_weight(context: &SearchContext, words: &[Term], boost: f32) -> Result<Bm25Weight> {
    let frequencies = words.iter().map(|word| Ok((word, context.frequency(word)?))).collect::<Result<_>>()?;
    let statistics = WeighedStatistics::new(context.statistics(), std::iter::empty(), frequencies)?;
    Ok(Bm25Weight::for_terms(&statistics, words)?.boost_by(boost))
}
