//! A stage of a ranked search that intersects the documents of all words, as far as the words score high enough in them.
//!
//! A document is among the first only if each word scores at least the sum that the page needs, less the highest scores of the other words. So
//! each word leaves out documents, and blocks of them, before its documents are intersected with those of the other words. This goes from one
//! range of documents to the next, because the sum that the page needs rises meanwhile. An unfinished or mistyped word has up to a hundred
//! terms, which are looked up only in the documents that are left.

use tantivy::{DocId, SegmentReader};

use crate::failure::Result;
use crate::search::index::context::SearchContext;
use crate::search::matching::predicates::Predicates;
use crate::search::terms::term_scorer::{TermScorer, WeightedTerm};
use crate::search::words::counted_word::CountedWord;
use crate::search::words::counted_words::CountedWords;
use crate::typos::Cost;

use super::block_max::score_slack;
use super::found::{Visited, lock};
use super::search_state::RankedSearch;
use super::stage::{Stage, SumLimit};

/// The first range is small, so that the page is soon full. Later ones are twice as long, up to the maximum. Multiples of 64.
const FIRST_RANGE: DocId = 4_096;
const RANGE_MAX: DocId = 65_536;

/// More than the error of a sum of scores.
const ROUNDING: f32 = 1.0 + 1e-4;

/// Looking up a word in a document takes as long as reading this many documents, and this many more for each of its terms.
const LOOKUP_DOCUMENTS: u64 = 32;
const TERM_LOOKUPS: u64 = 2;

impl RankedSearch<'_, '_> {
    pub fn run_score_intersection(&mut self, words: &CountedWords, stage: Stage, visited: &Visited) -> Result<()> {
        let limit = SumLimit::new(words, stage);
        self.search_segments(words.documents_read(stage.cost), |search, segment, reader| {
            let visited = &mut *lock(&visited[segment]);
            search.visit_further(words, stage, (segment, reader), visited)?;
            let mut predicates = Predicates::new(search.conditions, segment, reader)?;
            let sum_min = limit.lowest_sum(search.score_threshold());
            let mut scorer = words.document_scorer(segment, reader, stage.cost, sum_min)?;
            let Some(mut intersection) = Intersection::new(words, (segment, reader), stage.cost, sum_min)? else {
                return Ok(());
            };
            while intersection.start < reader.max_doc() {
                search.context.cancel_token.check()?;
                intersection.read_range(search.context, segment, limit.lowest_sum(search.score_threshold()));
                intersection.for_each(|document| {
                    let threshold = search.score_threshold();
                    if !visited.contains(document)
                        && let Some(score) = scorer.score(document, stage.needed, threshold, limit.lowest_sum(threshold))
                    {
                        visited.add(document);
                        let score = f64::from(score) * search.conditions.constant_boost;
                        if score >= search.state.top_k.score_threshold() && predicates.accepts(document) {
                            search.collect(document, score);
                        }
                    }
                });
                intersection.next_range();
            }
            Ok(())
        })
    }
}

/// The documents of a range of one segment that have all words.
struct Intersection {
    /// The rarest first.
    words: Vec<WordReader>,
    start: DocId,
    length: DocId,
    documents: DocId,
    /// The documents of the range, and those of one word, as bits.
    common: Vec<u64>,
    of_word: Vec<u64>,
}

impl Intersection {
    /// Returns `None` if the segment lacks a word.
    fn new(words: &CountedWords, (segment, reader): (usize, &SegmentReader), cost: Cost, sum_min: f32) -> Result<Option<Intersection>> {
        let mut readers = Vec::with_capacity(words.words.len());
        for (index, word) in words.words.iter().enumerate() {
            // Their phrases were visited before.
            let other_words = words.words.iter().enumerate().filter(|(place, _)| *place != index);
            let others_max = other_words.map(|(_, word)| word.score_max(cost)).sum::<f32>() * ROUNDING;
            readers.push(WordReader::new(word, (segment, reader), cost, (others_max, sum_min))?);
        }
        readers.sort_by_key(|reader| reader.size);
        let bits = vec![0; RANGE_MAX as usize / 64];
        let has_all = readers.first().is_some_and(|rarest| rarest.size > 0);
        Ok(has_all.then(|| Intersection {
            words: readers,
            start: 0,
            length: FIRST_RANGE,
            documents: reader.max_doc(),
            common: bits.clone(),
            of_word: bits,
        }))
    }

    fn next_range(&mut self) {
        self.start += self.length;
        self.length = (self.length * 2).min(RANGE_MAX);
    }

    /// Finds the documents of the range whose sum of scores may be at least `sum_min`, and perhaps others.
    fn read_range(&mut self, context: &SearchContext, segment: usize, sum_min: f32) {
        let Intersection { words, start, length, documents, common, of_word } = self;
        let range = *start..start.saturating_add(*length).min(*documents);
        let bits = range.len().div_ceil(64);
        common[..bits].fill(u64::MAX);
        if let Some(visible) = context.visible {
            visible.segment(segment).keep_common(range.start, &mut common[..bits]);
        }
        for (index, word) in words.iter_mut().enumerate() {
            let count: u32 = common[..bits].iter().map(|bits| bits.count_ones()).sum();
            let read = word.size * range.len() as u64 / u64::from(*documents) + word.terms.len() as u64;
            let looked_up = u64::from(count) * (LOOKUP_DOCUMENTS + TERM_LOOKUPS * word.terms.len() as u64);
            // The documents of the first word are always read.
            if count == 0 || (index > 0 && looked_up < read) {
                continue;
            }
            of_word[..bits].fill(0);
            word.read(range.start, range.end, sum_min, &mut of_word[..bits]);
            common[..bits].iter_mut().zip(of_word.iter()).for_each(|(common, of_word)| *common &= of_word);
        }
        common[bits..].fill(0);
    }

    fn for_each(&self, mut process: impl FnMut(DocId)) {
        for (first, word) in (self.start..).step_by(64).zip(&self.common) {
            let mut bits = *word;
            while bits != 0 {
                process(first + bits.trailing_zeros());
                bits &= bits - 1;
            }
        }
    }
}

/// Reads the documents of a word with its variants, without phrases and further forms.
struct WordReader {
    terms: Vec<TermReader>,
    /// The number of documents of all terms.
    size: u64,
    /// A sum of scores that the other words never exceed.
    others_max: f32,
}

struct TermReader {
    scorer: Box<TermScorer>,
    /// A score that no document exceeds.
    score_max: f32,
    /// A score that the other terms do not add: synonyms add up, but not variants.
    synonyms_max: f32,
    slack: f32,
}

impl WordReader {
    fn new(
        word: &CountedWord,
        (segment, reader): (usize, &SegmentReader),
        cost: Cost,
        (others_max, sum_min): (f32, f32),
    ) -> Result<WordReader> {
        let own_max: f32 = word.word_and_synonyms.words().iter().map(WeightedTerm::highest_score).sum();
        let mut word_reader = WordReader { terms: Vec::new(), size: 0, others_max };
        for (is_variant, (_, term)) in word.terms_with_kind().filter(|(_, (other, term))| *other <= cost && term.has_own_lengths()) {
            let score_max = term.highest_score() * ROUNDING;
            let synonyms_max = if is_variant { 0.0 } else { (own_max - term.highest_score()) * ROUNDING };
            if score_max + synonyms_max + others_max < sum_min / ROUNDING {
                continue;
            }
            let Some(scorer) = TermScorer::new(segment, reader, term, true)?.map(Box::new) else { continue };
            word_reader.size += u64::from(scorer.size());
            let slack = score_slack(reader, term.lengths, term.mean_length)?;
            word_reader.terms.push(TermReader { scorer, score_max, synonyms_max, slack });
        }
        Ok(word_reader)
    }

    /// Adds the documents from `start` on and before `end`, if they have the word, and their sum may be at least `sum_min`.
    fn read(&mut self, start: DocId, end: DocId, sum_min: f32, documents: &mut [u64]) {
        let score_min = sum_min / ROUNDING - self.others_max;
        // The sum only rises.
        self.terms.retain(|term| term.score_max >= score_min - term.synonyms_max);
        for TermReader { scorer, synonyms_max, slack, .. } in &mut self.terms {
            scorer.seek(start);
            scorer.drain_high_scores(end, score_min - *synonyms_max, Some(*slack), |document| {
                let offset = (document - start) as usize;
                documents[offset / 64] |= 1 << (offset % 64);
            });
        }
    }
}
