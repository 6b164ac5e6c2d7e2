//! A stage of a ranked search that finds the documents whose sum of scores is high enough by block-max WAND.

use tantivy::SegmentReader;

use crate::failure::Result;
use crate::search::index::document_set::DocumentSet;
use crate::search::matching::predicates::Predicates;
use crate::search::words::counted_words::CountedWords;

use super::block_max::BlockMaxUnion;
use super::found::{Visited, lock};
use super::search_state::RankedSearch;
use super::stage::{Stage, SumLimit};

impl RankedSearch<'_, '_> {
    /// Visits the few documents with a further form or a phrase, then those whose sum of scores may be high enough. Looks up all words in each.
    pub fn run_union(&mut self, words: &CountedWords, stage: Stage, union: &BlockMaxUnion, visited: &Visited) -> Result<()> {
        let limit = SumLimit::new(words, stage);
        self.search_segments(words.documents_read(stage.cost), |search, segment, reader| {
            let visited = &mut *lock(&visited[segment]);
            search.visit_further(words, stage, (segment, reader), visited)?;
            let mut predicates = Predicates::new(search.conditions, segment, reader)?;
            let mut sum_min = limit.lowest_sum(search.score_threshold());
            let mut scorer = words.document_scorer(segment, reader, stage.cost, sum_min)?;
            union.run(reader, sum_min, &mut |document| {
                if !visited.contains(document)
                    && predicates.is_shown(document)
                    && let Some(score) = scorer.score(document, stage.needed, search.score_threshold(), sum_min)
                {
                    visited.add(document);
                    let score = f64::from(score) * search.conditions.constant_boost;
                    if score >= search.state.top_k.score_threshold() && predicates.accepts(document) {
                        search.collect(document, score);
                        sum_min = limit.lowest_sum(search.score_threshold());
                    }
                }
                sum_min
            })?;
            Ok(())
        })
    }

    /// Visits the documents of a segment that the sums of scores of words do not find: those with a further form or a phrase, and texts of stop
    /// words that are the query.
    pub fn visit_further(
        &mut self,
        words: &CountedWords,
        stage: Stage,
        (segment, reader): (usize, &SegmentReader),
        visited: &mut DocumentSet,
    ) -> Result<()> {
        if let Some(exact) = words.exact.as_ref().filter(|_| words.gain_max(stage.needed, stage.cost) == words.scale().full_gain()) {
            let texts = exact.stop_word_texts(&words.words, segment, reader)?;
            self.visit(words, stage, (segment, reader), texts.into_iter(), visited)?;
        }
        let further = words.further_documents(segment, reader, stage.cost)?;
        self.visit(words, stage, (segment, reader), further.into_iter(), visited)
    }
}
