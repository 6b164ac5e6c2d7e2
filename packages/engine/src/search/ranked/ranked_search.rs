//! Finds the first page of a single match without visiting every document of its words.
//!
//! A match that counts words is searched in stages: first the documents with all words as typed, then those with completions and typos, then
//! those with one word less, and so on. No document of a later stage can rank above those of an earlier one, so the search stops when the
//! page is full. The variants of words are looked up only when a stage needs them.

use std::ops::Add;
use std::sync::Mutex;

use tantivy::{DocId, SegmentReader, TERMINATED};

use crate::failure::Result;
use crate::plan::{Plan, Ranking};
use crate::search::index::context::SearchContext;
use crate::search::index::document_set::DocumentSet;
use crate::search::index::fast_paths::FastPaths;
use crate::search::matching::conditions::{Conditions, Matched};
use crate::search::matching::predicates::Predicates;
use crate::search::order::top_k::TopK;
use crate::search::terms::match_weight::{MatchWeight, at_least_min_positive};
use crate::search::terms::quoted_phrase::{PhraseCandidates, QuotedPhrase};
use crate::search::terms::term_scorer::WeightedTerm;
use crate::search::terms::window::for_each_bit;
use crate::search::words::counted_word::CountedWord;
use crate::search::words::counted_words::CountedWords;
use crate::typos::{COST_OF_COMPLETION, Cost};

use super::best_terms::BestTerms;
use super::block_max::BlockMaxUnion;
use super::found::{Found, State, Visited, lock};
use super::search_state::RankedSearch;
use super::stage::Stage;

/// With more terms, reading all their documents is faster.
const UNION_TERMS_MAX: usize = 8;

/// Number of windows of documents between two checks of the cancel token.
const CHECK_INTERVAL_WINDOWS: u32 = 16;

/// Number of documents with a phrase or a further form between two checks of the cancel token.
const CHECK_INTERVAL_FURTHER: usize = 4_096;

/// Looking up the other words in a document takes as long as reading this many documents.
const LOOKUP_DOCUMENTS: u64 = 8;

/// Collects the documents that may be on the page. Returns `None` if a search of all documents is needed or faster. Then all variants of
/// words have been added.
pub fn search(context: &SearchContext, plan: &Plan, conditions: &mut Conditions, top_k: &mut TopK) -> Result<Option<Found>> {
    if plan.order.is_empty() || !conditions.has_single_match() || !has_many_candidates(context, conditions)? {
        conditions.expand(context)?;
        return Ok(None);
    }
    let Some((matched, _)) = conditions.matches.pop() else { return Ok(None) };
    let mut state = State { top_k: top_k.take(), found: Found::default() };
    let mut search = RankedSearch { context, conditions, state: &mut state };
    let (matched, is_complete) = match matched {
        Matched::Any(weight) => {
            search.run_match(&weight)?;
            (Matched::Any(weight), true)
        }
        Matched::Counted(mut words) => {
            let is_complete = words.ranking == Ranking::Words && !words.has_documents() && !words.have_contained();
            if is_complete {
                search.run_stages(&mut words)?;
            }
            (Matched::Counted(words), is_complete)
        }
    };
    conditions.matches.push((matched, true));
    *top_k = state.top_k;
    if is_complete {
        return Ok(Some(state.found));
    }
    conditions.expand(context)?;
    Ok(None)
}

/// Returns `None` if there are no scores.
fn sum(scores: &[Option<f32>]) -> Option<f32> {
    scores.iter().flatten().fold(None, |sum: Option<f32>, score| Some(sum.unwrap_or(0.0) + score))
}

fn has_many_candidates(context: &SearchContext, conditions: &Conditions) -> Result<bool> {
    let visible = context.documents();
    let candidates_min = context.fast_paths.candidates_min;
    if conditions.required.is_empty() || visible < candidates_min {
        return Ok(visible >= candidates_min);
    }
    let mut candidates = 0;
    for (segment, reader) in context.searcher.segment_readers().iter().enumerate() {
        candidates += u64::from(Predicates::new(conditions, segment, reader)?.size());
    }
    Ok(candidates >= candidates_min)
}

impl RankedSearch<'_, '_> {
    /// Searches the documents with any of the words or phrases, by the sum of their scores.
    fn run_match(&mut self, weight: &MatchWeight) -> Result<()> {
        let terms: Vec<&WeightedTerm> = weight.words().iter().filter(|term| term.has_own_lengths()).collect();
        let union = if weight.has_words_of_its_own() { BlockMaxUnion::new(self.context, &terms)? } else { None };
        let documents = terms.iter().map(|term| term.frequency()).sum();
        self.search_segments(documents, |search, segment, reader| match (&union, weight.only_phrases()) {
            (Some(union), _) => search.run_match_union(weight, union, segment, reader),
            (None, Some(phrases)) => search.run_phrases(phrases, segment, reader),
            (None, None) => search.run_match_exhaustively(weight, segment, reader),
        })
    }

    /// Looks for the phrases only in documents that may score high enough.
    fn run_phrases(&mut self, phrases: &[QuotedPhrase], segment: usize, reader: &SegmentReader) -> Result<()> {
        let constant_boost = self.conditions.constant_boost;
        let score = |sum: f32| f64::from(at_least_min_positive(sum)) * constant_boost;
        let mut predicates = Predicates::new(self.conditions, segment, reader)?;
        let candidates = phrases.iter().map(|phrase| phrase.candidates(segment, reader)).collect::<Result<Vec<_>>>()?;
        let mut candidates: Vec<PhraseCandidates> = candidates.into_iter().flatten().collect();
        let mut scores: Vec<Option<f32>> = Vec::with_capacity(candidates.len());
        let mut documents = 0;
        while let Some(document) = candidates.iter().map(PhraseCandidates::doc).min().filter(|document| *document != TERMINATED) {
            self.check_cancelled(&mut documents)?;
            let threshold = self.state.top_k.score_threshold();
            let is_here = |phrase: &PhraseCandidates| phrase.doc() == document;
            // A document scores the sum of its phrases in several fields, in their order.
            let sum_max = candidates.iter().filter(|phrase| is_here(phrase)).map(PhraseCandidates::score_max).fold(0.0_f32, Add::add);
            if score(sum_max) >= threshold && predicates.accepts(document) {
                scores.clear();
                scores.extend(candidates.iter_mut().filter(|phrase| is_here(phrase)).map(PhraseCandidates::score_without_stop_words));
                if sum(&scores).map(score).is_some_and(|score| score >= threshold) {
                    // Most documents have the stop words, so reading where they stand takes longest.
                    let scored = candidates.iter_mut().filter(|phrase| is_here(phrase)).zip(&mut scores);
                    scored.for_each(|(phrase, score)| *score = score.filter(|_| phrase.has_stop_words()));
                    if let Some(score) = sum(&scores).map(score).filter(|score| *score >= threshold) {
                        self.collect(document, score);
                    }
                }
            }
            candidates.iter_mut().filter(|phrase| is_here(phrase)).for_each(PhraseCandidates::advance);
        }
        Ok(())
    }

    fn run_match_exhaustively(&mut self, weight: &MatchWeight, segment: usize, reader: &SegmentReader) -> Result<()> {
        let constant_boost = self.conditions.constant_boost;
        let mut predicates = Predicates::new(self.conditions, segment, reader)?;
        let mut windows = 0_u32;
        weight.scorer(segment, reader, true)?.for_each_window(|start, present, sums| {
            windows += 1;
            if windows.is_multiple_of(CHECK_INTERVAL_WINDOWS) {
                self.context.cancel_token.check()?;
            }
            let mut threshold = self.state.top_k.score_threshold();
            for_each_bit(present, |offset| {
                let score = f64::from(at_least_min_positive(sums[offset as usize])) * constant_boost;
                if score >= threshold && predicates.accepts(start + offset) {
                    self.collect(start + offset, score);
                    threshold = self.state.top_k.score_threshold();
                }
            });
            Ok(())
        })
    }

    /// Visits the documents whose sum of scores of words may be high enough, then those with a phrase or a further form of a word, of which
    /// there are few.
    fn run_match_union(&mut self, weight: &MatchWeight, union: &BlockMaxUnion, segment: usize, reader: &SegmentReader) -> Result<()> {
        let constant_boost = self.conditions.constant_boost;
        let further = weight.further_documents(segment, reader)?;
        let mut predicates = Predicates::new(self.conditions, segment, reader)?;
        let mut scorer = weight.word_scorer(segment, reader)?;
        let mut threshold = (self.state.top_k.score_threshold() / constant_boost) as f32;
        let mut next_further = 0;
        union.run(reader, threshold, &mut |document| {
            next_further += further[next_further..].partition_point(|other| *other < document);
            if further.get(next_further) != Some(&document) && predicates.accepts(document) {
                self.collect(document, f64::from(scorer.score(document)) * constant_boost);
                threshold = (self.state.top_k.score_threshold() / constant_boost) as f32;
            }
            threshold
        })?;
        if further.is_empty() {
            return Ok(());
        }
        let mut predicates = Predicates::new(self.conditions, segment, reader)?;
        let mut scorer = weight.exact_scorer(segment, reader)?;
        for documents in further.chunks(CHECK_INTERVAL_FURTHER) {
            self.context.cancel_token.check()?;
            let mut index = 0;
            while let Some(found) = scorer.find_reaching(documents, index, self.state.top_k.score_threshold() / constant_boost) {
                let document = documents[found];
                if predicates.accepts(document) {
                    self.collect(document, f64::from(scorer.score(document)) * constant_boost);
                }
                index = found + 1;
            }
        }
        Ok(())
    }

    fn run_stages(&mut self, words: &mut CountedWords) -> Result<()> {
        let readers = self.context.searcher.segment_readers();
        let visited: Visited = readers.iter().map(|reader| Mutex::new(DocumentSet::new(reader.max_doc()))).collect();
        let cost_max = words.cost_max();
        for needed in (words.needed..=words.words.len()).rev() {
            for cost in 0..=cost_max {
                if self.is_full(words.scale().limit(words.gain_max(needed, cost))) {
                    return Ok(());
                }
                // Completions and whole words with as many typos are found together.
                words.expand(self.context, if cost == 0 { 0 } else { cost | COST_OF_COMPLETION })?;
                if cost == 0 || words.has_variants(cost) {
                    self.run_stage(words, Stage { needed, cost }, &visited)?;
                }
            }
        }
        Ok(())
    }

    fn run_stage(&mut self, words: &CountedWords, stage: Stage, visited: &Visited) -> Result<()> {
        let Stage { needed, cost } = stage;
        let is_boosted = !words.boosts.is_empty();
        let is_plain = words.are_only_terms(cost) && !is_boosted && self.conditions.are_only_visibility();
        if needed == 1 && cost > 0 && is_plain {
            return self.run_best_terms(words, cost, visited);
        }
        let rarest = words.words.iter().map(|word| word.frequency(cost)).min().unwrap_or(0);
        let needs_all = needed > 1 && needed == words.words.len();
        // Completions and typos have many documents, whose scores leave out few of them. Intersecting takes less time.
        let is_intersected = needs_all && words.cost_max() > 0;
        if !is_intersected
            && !is_boosted
            && words.have_few_phrases(cost)
            && (needed == 1 || rarest >= self.context.fast_paths.union_rarest_min)
        {
            let is_read = |(other, term): &(Cost, &WeightedTerm)| *other <= cost && term.has_own_lengths();
            let terms: Vec<&WeightedTerm> = words.terms().filter(is_read).map(|(_, term)| term).collect();
            let union = if terms.len() <= UNION_TERMS_MAX { BlockMaxUnion::new(self.context, &terms)? } else { None };
            if let Some(union) = union {
                return self.run_union(words, stage, &union, visited);
            }
        }
        if needs_all && !is_boosted && words.have_few_phrases(cost) && self.intersects_scores(words, cost, rarest) {
            return self.run_score_intersection(words, stage, visited);
        }
        let lead = if needs_all { words.lead(cost) } else { None };
        let documents = lead.map_or_else(|| words.documents_read(cost), |lead| LOOKUP_DOCUMENTS * words.words[lead].frequency(cost));
        self.search_segments(documents, |search, segment, reader| {
            let mut visited = lock(&visited[segment]);
            let terms_min = search.context.fast_paths.candidate_set_terms_min;
            let set = if needs_all { words.candidate_set(lead, (segment, reader), cost, terms_min)? } else { None };
            if let Some(set) = set {
                let after = |document: &DocId| Some(set.next_at_or_after(*document + 1)).filter(|next| *next != TERMINATED);
                let first = Some(set.next_at_or_after(0)).filter(|first| *first != TERMINATED);
                search.visit(words, stage, (segment, reader), std::iter::successors(first, after), &mut visited)
            } else if let Some(lead) = lead
                && let Some(documents) = words.rare_documents(lead, (segment, reader), cost)?
            {
                search.visit(words, stage, (segment, reader), documents.into_iter(), &mut visited)
            } else if needs_all {
                let mut candidates = words.candidates(lead, segment, reader, cost)?;
                let documents = std::iter::from_fn(|| {
                    let document = candidates.doc();
                    candidates.advance();
                    (document != TERMINATED).then_some(document)
                });
                search.visit(words, stage, (segment, reader), documents, &mut visited)
            } else {
                search.run_window_segment(words, stage, (segment, reader), &mut visited)
            }
        })
    }

    /// Whether intersecting the documents in which each word scores high enough saves time.
    fn intersects_scores(&self, words: &CountedWords, cost: Cost, rarest: u64) -> bool {
        let FastPaths { score_intersection_rarest_min, intersects_few_terms, .. } = self.context.fast_paths;
        let has_many_terms = |word: &&CountedWord| word.terms().filter(|(other, _)| *other <= cost).count() > UNION_TERMS_MAX;
        let is_worthwhile = || self.context.visible.is_some() || words.words.iter().filter(has_many_terms).count() > 1;
        rarest >= score_intersection_rarest_min && !words.favor_beginning() && (intersects_few_terms || is_worthwhile())
    }

    /// Scores all documents with enough words.
    fn run_window_segment(
        &mut self,
        words: &CountedWords,
        stage: Stage,
        (segment, reader): (usize, &SegmentReader),
        visited: &mut DocumentSet,
    ) -> Result<()> {
        let mut predicates = Predicates::new(self.conditions, segment, reader)?;
        let mut scorer = words.scorer(segment, reader, stage.needed, stage.cost, true)?;
        let mut documents = 0;
        while scorer.doc() != TERMINATED {
            self.check_cancelled(&mut documents)?;
            let document = scorer.doc();
            if !visited.contains(document) {
                visited.add(document);
                let score = f64::from(scorer.score(self.score_threshold())) * self.conditions.constant_boost;
                if score >= self.state.top_k.score_threshold() && predicates.accepts(document) {
                    self.collect(document, score);
                }
            }
            scorer.advance();
        }
        Ok(())
    }

    /// Searches the documents with one word at exactly this cost. Those that have it at a lower cost too were visited before, or scored too
    /// low.
    fn run_best_terms(&mut self, words: &CountedWords, cost: Cost, visited: &Visited) -> Result<()> {
        let scale = words.scale();
        let gain = scale.gain(1, cost);
        let constant_boost = self.conditions.constant_boost;
        let mut terms: Vec<&WeightedTerm> = words.terms().filter(|(other, _)| *other == cost).map(|(_, term)| term).collect();
        terms.sort_by_key(|term| std::cmp::Reverse(term.frequency()));
        let documents = terms.iter().map(|term| term.frequency()).sum();
        self.search_segments(documents, |search, segment, reader| {
            let visited = &mut *lock(&visited[segment]);
            let visible = search.context.visible_segment(segment, reader);
            let lowest_score = scale.lowest_sum(gain, search.state.top_k.score_threshold() / constant_boost);
            let mut bonuses = words.bonuses_of_other_words(segment, reader)?;
            let bonus_max = bonuses.as_ref().map_or(0.0, |bonuses| bonuses.bonus_max);
            let mut best = BestTerms::new(search.state.top_k.limit(), lowest_score, bonus_max, (scale, gain));
            for term in &terms {
                search.context.cancel_token.check()?;
                best.add_term(segment, reader, term, |document| !visited.contains(document) && visible.contains(document))?;
            }
            for (document, score) in best.into_documents() {
                visited.add(document);
                let bonus = bonuses.as_mut().and_then(|bonuses| bonuses.bonus(document, |_| true)).unwrap_or(0.0);
                search.collect(document, f64::from(scale.score(gain, score + bonus, false)) * constant_boost);
            }
            Ok(())
        })
    }
}
