//! The first documents of a text without looking at all that it finds: where words alone are looked for, scores alone decide, and nobody
//! asks how many there are.
//!
//! tantivy leaves out what cannot reach a score (block-max WAND, Ding and Suel 2011). Its bounds were made with the mean length of a field
//! in the segment, scores are made with that in the whole index, and it adds in another order: so what it is asked to leave out lies below
//! the score wanted by what that can amount to, and what it does find is scored here again.

use tantivy::query::{Bm25StatisticsProvider, BooleanQuery, BoostQuery, EnableScoring, Occur, Query, TermQuery, Weight};
use tantivy::schema::{Field, IndexRecordOption};
use tantivy::{DocId, Searcher, SegmentReader, Term};

use crate::failure::Result;
use crate::plan::{Plan, SortKey};

use super::condition::Conditions;
use super::matching::Matching;
use super::segment::Clock;
use super::term_part::WeightedTerm;
use super::words::Wanted;

/// More than rounding and the order of sums make of a score.
const ROUNDING: f32 = 1e-4;

/// For fewer documents of all its words it takes longer to find out what can be left out than to look at them all.
const DOCUMENTS_MIN: u64 = 20_000;

/// A word that weighs less may add nothing to a score, and tantivy finds only what scores something.
const WEIGHT_MIN: f32 = 1e-6;

pub struct Pruned<'a> {
    matching: &'a Matching,
    wanted: &'a Wanted,
    union: Box<dyn Weight>,
    constant: f64,
}

impl<'a> Pruned<'a> {
    /// Nothing where every document has to be looked at.
    pub fn new(searcher: &Searcher, plan: &Plan, conditions: &'a Conditions) -> Result<Option<Pruned<'a>>> {
        let asks_for_all = plan.total || plan.statistics || plan.facet.is_some() || plan.cutoff > 0.0 || plan.count == 0;
        let by_score = matches!(plan.order.as_slice(), [SortKey::Score]);
        let ([(matching, true)], [wanted]) = (conditions.matches.as_slice(), conditions.wanted.as_slice()) else { return Ok(None) };
        let all_score = wanted.terms.values().all(|weight| *weight >= WEIGHT_MIN);
        if asks_for_all || !by_score || !all_score || !conditions.are_only_matches() || !matching.is_only_words() {
            return Ok(None);
        }
        if matching.words().iter().map(WeightedTerm::frequency).sum::<u64>() < DOCUMENTS_MIN {
            return Ok(None);
        }
        let term = |term: &Term| -> (Occur, Box<dyn Query>) {
            let query = TermQuery::new(term.clone(), IndexRecordOption::WithFreqs);
            (Occur::Should, Box::new(BoostQuery::new(Box::new(query), wanted.terms[term])))
        };
        let words = matching.words().iter().map(|word| term(&word.term)).collect();
        // None has to match: tantivy prunes single words too then, as it does not where one of one has to.
        let union = BooleanQuery::with_minimum_required_clauses(words, 0);
        let known = KnownFrequencies { searcher, matching };
        let union = union.weight(EnableScoring::enabled_from_statistics_provider(&known, searcher))?;
        Ok(Some(Pruned { matching, wanted, union, constant: conditions.constant }))
    }

    /// Calls with all documents of the segment that may be among the first, and perhaps others that match, and their scores. Below what the
    /// call returns, and below `least` to begin with, none is among the first.
    pub fn run(
        &self,
        searcher: &Searcher,
        segment: usize,
        reader: &SegmentReader,
        clock: &Clock,
        least: f64,
        take: &mut impl FnMut(DocId, f64) -> f64,
    ) -> Result<()> {
        clock.check()?;
        let slack = f64::from(self.slack(searcher, reader)? * (1.0 + ROUNDING));
        let threshold = |least: f64| (least / self.constant / slack) as f32;
        let mut exact = self.matching.exact(segment, reader)?;
        let alive = reader.alive_bitset();
        let mut least = threshold(least);
        let first = least;
        self.union.for_each_pruning(first, reader, &mut |document, _| {
            if alive.is_none_or(|alive| alive.is_alive(document)) {
                least = threshold(take(document, f64::from(exact.score(document)) * self.constant));
            }
            least
        })?;
        Ok(())
    }

    /// What a score with the index's mean lengths is at most, as a multiple of one with those of the segment.
    fn slack(&self, searcher: &Searcher, reader: &SegmentReader) -> Result<f32> {
        let documents = searcher.total_num_docs()? as f32;
        let mut slack = 1.0_f32;
        let mut last: Option<Field> = None;
        // In order of field.
        for field in self.wanted.terms.keys().map(Term::field) {
            if last.replace(field) == Some(field) {
                continue;
            }
            let in_segment = reader.inverted_index(field)?.total_num_tokens() as f32 / reader.max_doc() as f32;
            let in_index = searcher.total_num_tokens(field)? as f32 / documents;
            if in_segment > 0.0 && in_index > 0.0 {
                slack = slack.max(in_segment / in_index).max(in_index / in_segment);
            }
        }
        Ok(slack)
    }
}

/// The searcher's statistics, without looking up again how many documents have the words.
struct KnownFrequencies<'a> {
    searcher: &'a Searcher,
    matching: &'a Matching,
}

impl Bm25StatisticsProvider for KnownFrequencies<'_> {
    fn total_num_tokens(&self, field: Field) -> tantivy::Result<u64> {
        self.searcher.total_num_tokens(field)
    }

    fn total_num_docs(&self) -> tantivy::Result<u64> {
        self.searcher.total_num_docs()
    }

    fn doc_freq(&self, term: &Term) -> tantivy::Result<u64> {
        match self.matching.words().iter().find(|word| word.term == *term) {
            Some(word) => Ok(word.frequency()),
            None => self.searcher.doc_freq(term),
        }
    }
}
