//! Finds the documents that have at least some number of the words of a query, and ranks them word by word.
//!
//! A word counts once, by the best of itself, its completions and its corrections. With [`Ranking::Words`], the score of a document is, in
//! the order of importance: the number of its words, fewer typos, whole words before completions, a field whose whole text is the query, and
//! the sum of BM25 scores and of the bonuses of words that stand close together. Each of these is less than one unit of the one before.

// Over 400 lines: one short method for each question about the words, which all read the same fields.

use std::sync::Arc;

use tantivy::query::Weight;
use tantivy::{DocId, SegmentReader, TERMINATED};

use crate::failure::Result;
use crate::plan::{Matching, Ranking};
use crate::search::boosts::boost::Boost;
use crate::search::index::columns::Columns;
use crate::search::index::context::SearchContext;
use crate::search::index::document_set::DocumentSet;
use crate::search::terms::match_weight::{MatchWeight, SubScorer};
use crate::search::terms::term_scorer::{TermScorer, WeightedTerm};
use crate::search::terms::term_weight::TermWeights;
use crate::search::text::query_word::QueryWord;
use crate::typos::{COST_LIMIT, Cost};

use super::as_typed::{AsTyped, SegmentAsTyped};
use super::bonuses::Bonuses;
use super::counted_scorer::{CountedScorer, WordScorer, word_scorers};
use super::counted_word::CountedWord;
use super::document_scorer::DocumentScorer;
use super::exact_text::ExactText;
use super::proximity::Proximity;
use super::scale::Scale;

/// Longer texts describe what they look for, so that single words count less: scores alone decide their order. By words, nDCG@10 would fall
/// from .39 to .27 on cranfield, and from .38 to .21 on cisi.
pub const RANKED_WORDS_MAX: usize = 6;

pub struct CountedWords {
    pub words: Vec<CountedWord>,
    /// The number of words that a document needs.
    pub needed: usize,
    pub ranking: Ranking,
    pub exact: Option<ExactText>,
    /// Empty unless words are ranked.
    proximity: Proximity,
    /// Empty unless words are ranked.
    as_typed: AsTyped,
    /// Multiply the sums of BM25 scores.
    pub boosts: Vec<Boost>,
    /// Documents that match without any of the words.
    documents: Option<Box<dyn Weight>>,
    /// Whether the words of a text are looked up before it is compared with the query.
    checks_exact_words: bool,
    /// The columns with the texts.
    columns: Arc<Columns>,
}

/// Looking up a term in a document costs about as much as reading this many of its documents, or a fraction where the term is rare.
const LOOKUP_COST: u64 = 2;
const LOOKUPS_WITHOUT_READING: u64 = 8;

/// Up to one in this many documents has a rare word.
const RARE_SHARE: u64 = 32;

/// More than the error of a sum of scores.
const SUM_ROUNDING: f32 = 1.0 + 1e-4;

impl CountedWords {
    /// `words` must not be empty.
    pub fn new(
        context: &SearchContext,
        words: Vec<QueryWord>,
        matching: Matching,
        ranking: Ranking,
        exact: Option<ExactText>,
        (proximity, mut as_typed): (Proximity, AsTyped),
    ) -> Result<CountedWords> {
        as_typed.beginning.retain_known(context)?;
        let mut weights = TermWeights::new(context)?;
        let ranking = if words.len() > RANKED_WORDS_MAX { Ranking::Score } else { ranking };
        let words = words.into_iter().map(|word| CountedWord::new(&mut weights, word, ranking)).collect::<Result<Vec<_>>>()?;
        let needed = if matching == Matching::Any { 1 } else { words.len() };
        let (mut proximity, mut as_typed) = if ranking == Ranking::Words { (proximity, as_typed) } else { Default::default() };
        proximity.look_up(context)?;
        as_typed.look_up(context)?;
        let checks_exact_words = context.fast_paths.exact_words;
        let columns = Arc::clone(context.columns);
        Ok(CountedWords {
            words,
            needed,
            ranking,
            exact,
            proximity,
            as_typed,
            boosts: Vec::new(),
            documents: None,
            checks_exact_words,
            columns,
        })
    }

    /// If documents need all words, drops a last word that may be a stop word where no visible document has it too. With
    /// [`Matching::Relaxed`], drops words until some visible document has all that remain: words that no document has, then the most
    /// frequent ones. Returns the dropped words as typed.
    pub fn relax(&mut self, context: &SearchContext, matching: Matching) -> Result<Vec<String>> {
        if matching == Matching::Any {
            return Ok(Vec::new());
        }
        if self.words.iter().any(|word| word.word.is_optional) {
            if self.finds_any(context)? {
                return Ok(Vec::new());
            }
            self.words.retain(|word| !word.word.is_optional);
            self.needed = self.words.len();
        }
        if matching == Matching::Relaxed { self.drop_words(context) } else { Ok(Vec::new()) }
    }

    /// All words are needed.
    fn drop_words(&mut self, context: &SearchContext) -> Result<Vec<String>> {
        let mut dropped = Vec::new();
        if self.finds_any(context)? {
            return Ok(dropped);
        }
        self.expand(context, COST_LIMIT)?;
        let mut frequencies = (0..self.words.len()).map(|index| self.frequency(context, index)).collect::<Result<Vec<_>>>()?;
        while self.words.len() > 1 && !self.finds_any(context)? {
            let unknown = frequencies.iter().position(|frequency| *frequency == 0);
            let most_frequent = || (0..frequencies.len()).max_by_key(|index| frequencies[*index]);
            let Some(index) = unknown.or_else(most_frequent) else { break };
            frequencies.remove(index);
            let word = self.words.remove(index).word.typed;
            if !dropped.contains(&word) {
                dropped.push(word);
            }
            self.needed = self.words.len();
        }
        Ok(dropped)
    }

    /// Whether a visible document has all words, at any cost.
    fn finds_any(&mut self, context: &SearchContext) -> Result<bool> {
        for cost_max in 0..=self.cost_max() {
            self.expand(context, cost_max)?;
            if self.count(context, &self.words, self.needed, cost_max, 1)? > 0 {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Returns the number of visible documents with the word, at any cost.
    fn frequency(&self, context: &SearchContext, index: usize) -> Result<u64> {
        self.count(context, &self.words[index..=index], 1, COST_LIMIT, u64::MAX)
    }

    /// Counts the visible documents with at least `needed` of the words, but not further than `max`.
    fn count(&self, context: &SearchContext, words: &[CountedWord], needed: usize, cost_max: Cost, max: u64) -> Result<u64> {
        let mut count = 0;
        for (segment, reader) in context.searcher.segment_readers().iter().enumerate() {
            context.cancel_token.check()?;
            let words = word_scorers(words, segment, reader, cost_max, false)?;
            let mut scorer = CountedScorer::new(words, None, needed, self.scale(), Bonuses::default(), false);
            let visible = context.visible_segment(segment, reader);
            while scorer.doc() != TERMINATED && count < max {
                count += u64::from(visible.contains(scorer.doc()));
                scorer.advance();
            }
        }
        Ok(count)
    }

    pub fn add_documents(&mut self, documents: Box<dyn Weight>) {
        self.documents = Some(documents);
    }

    /// Whether longer words that contain a word count too.
    pub fn have_contained(&self) -> bool {
        self.words.iter().any(|word| word.word.sources.iter().any(|source| source.contained))
    }

    pub fn has_documents(&self) -> bool {
        self.documents.is_some()
    }

    /// Whether any document can match.
    pub fn is_empty(&self) -> bool {
        self.words.iter().filter(|word| !word.is_empty()).count() < self.needed && self.documents.is_none()
    }

    /// The highest cost that a variant of any word can have.
    pub fn cost_max(&self) -> Cost {
        self.words.iter().map(|word| word.word.cost_max()).max().unwrap_or(0)
    }

    /// Adds the variants up to this cost.
    pub fn expand(&mut self, context: &SearchContext, cost_max: Cost) -> Result<()> {
        let mut weights = TermWeights::new(context)?;
        for word in &mut self.words {
            if word.word.expanded < cost_max.min(word.word.cost_max()) {
                let previous = word.word.expanded;
                word.word.expand(context, cost_max)?;
                for (cost, query) in word.word.alternatives.iter().filter(|(cost, _)| (previous + 1..=cost_max).contains(cost)) {
                    let phrases = MatchWeight::with_weights(&mut weights, &query.as_splits())?;
                    if !phrases.is_empty() {
                        word.phrases.push((*cost, phrases));
                    }
                }
                word.variants = weights.variants(&word.word.variants, self.ranking)?;
            }
        }
        Ok(())
    }

    /// A gain that no document exceeds which has at most `needed` words, and one of them at no lower cost than this one.
    pub fn gain_max(&self, needed: usize, cost: Cost) -> u32 {
        let scale = self.scale();
        let mut costs: Vec<Cost> = self.words.iter().filter_map(CountedWord::lowest_cost).collect();
        costs.sort_unstable();
        let best = |others: &[Cost], count: usize| others.iter().take(count).map(|other| scale.word_gain(*other)).sum::<u32>();
        let with_costly_word = (0..costs.len()).map(|index| {
            let mut other_costs = costs.clone();
            let costly = other_costs.remove(index).max(cost);
            scale.word_gain(costly) + best(&other_costs, needed.saturating_sub(1))
        });
        with_costly_word.max().unwrap_or(0)
    }

    /// The terms of all words with their costs.
    pub fn terms(&self) -> impl Iterator<Item = (Cost, &WeightedTerm)> {
        self.words.iter().flat_map(CountedWord::terms)
    }

    /// The documents of all words at up to this cost.
    pub fn documents_read(&self, cost: Cost) -> u64 {
        self.terms().filter(|(other, _)| *other <= cost).map(|(_, term)| term.frequency()).sum()
    }

    /// Whether any word has a variant of exactly this cost.
    pub fn has_variants(&self, cost: Cost) -> bool {
        self.terms().any(|(other, _)| other == cost) || self.words.iter().any(|word| word.phrases.iter().any(|(other, _)| *other == cost))
    }

    /// Whether there are no phrases at up to this cost.
    pub fn are_only_terms(&self, cost: Cost) -> bool {
        self.words.iter().all(|word| word.is_only_terms(cost))
    }

    /// Whether there are no phrases at up to this cost, except those that words are split into and few documents have.
    pub fn have_few_phrases(&self, cost: Cost) -> bool {
        self.words.iter().all(|word| {
            let phrases = word.phrases.iter().filter(|(other, _)| *other <= cost);
            (word.word_and_synonyms.is_empty() || word.word_and_synonyms.is_only_words())
                && phrases.into_iter().all(|(_, phrases)| phrases.is_only_cached())
        })
    }

    /// Returns the documents with a further form or a phrase at up to this cost, in ascending order.
    pub fn further_documents(&self, segment: usize, reader: &SegmentReader, cost: Cost) -> Result<Vec<DocId>> {
        let mut documents = Vec::new();
        for (_, form) in self.terms().filter(|(other, term)| *other <= cost && !term.has_own_lengths()) {
            if let Some(mut scorer) = TermScorer::new(segment, reader, form, false)? {
                scorer.drain(TERMINATED, |document, _| documents.push(document));
            }
        }
        for (_, phrases) in self.words.iter().flat_map(|word| &word.phrases).filter(|(other, _)| *other <= cost) {
            for mut scorer in phrases.sub_scorers(segment, reader, false)? {
                scorer.drain(TERMINATED, false, |document, _| documents.push(document));
            }
        }
        documents.sort_unstable();
        documents.dedup();
        Ok(documents)
    }

    /// Returns the index of the word with the fewest documents, if looking up the other words in each of them is faster than reading the
    /// documents of all words. The word has no phrases; those of other words are not looked up more often than they would be read.
    pub fn lead(&self, cost: Cost) -> Option<usize> {
        if !self.words.iter().all(|word| word.word_and_synonyms.is_empty() || word.word_and_synonyms.is_only_words()) {
            return None;
        }
        let candidates = (0..self.words.len()).filter(|index| self.words[*index].is_only_terms(cost));
        let lead = candidates.min_by_key(|index| self.words[*index].frequency(cost))?;
        let candidates = self.words[lead].frequency(cost);
        let (mut reading, mut looking_up) = (0, 0);
        for (_, term) in self.terms().filter(|(other, _)| *other <= cost) {
            reading += term.frequency();
            looking_up += LOOKUP_COST * candidates.min(term.frequency()) + candidates / LOOKUPS_WITHOUT_READING;
        }
        (looking_up < reading).then_some(lead)
    }

    /// Returns the documents with all words at up to this cost. With a lead, returns its documents.
    pub fn candidates(&self, lead: Option<usize>, segment: usize, reader: &SegmentReader, cost: Cost) -> Result<CountedScorer> {
        let words = lead.map_or(self.words.as_slice(), |lead| &self.words[lead..=lead]);
        Ok(CountedScorer::new(
            word_scorers(words, segment, reader, cost, false)?,
            None,
            words.len(),
            self.scale(),
            Bonuses::default(),
            false,
        ))
    }

    /// Returns the documents of a rare word at up to this cost, in ascending order; `None` if windows of documents are faster to read.
    pub fn rare_documents(&self, index: usize, (segment, reader): (usize, &SegmentReader), cost: Cost) -> Result<Option<Vec<DocId>>> {
        let scorers = word_scorers(&self.words[index..=index], segment, reader, cost, false)?;
        let size: u64 = scorers.iter().map(|word| u64::from(word.size())).sum();
        if size * RARE_SHARE > u64::from(reader.max_doc()) {
            return Ok(None);
        }
        let mut documents = Vec::with_capacity(size as usize);
        scorers.into_iter().for_each(|word| word.list(&mut documents));
        // The documents of each term are in order already.
        documents.sort();
        documents.dedup();
        Ok(Some(documents))
    }

    /// Returns the same documents as a set, if the words have at least `terms_min` terms: a scorer visits each of them in every
    /// window.
    pub fn candidate_set(
        &self,
        lead: Option<usize>,
        (segment, reader): (usize, &SegmentReader),
        cost: Cost,
        terms_min: usize,
    ) -> Result<Option<DocumentSet>> {
        let words = lead.map_or(self.words.as_slice(), |lead| &self.words[lead..=lead]);
        if words.iter().flat_map(CountedWord::terms).filter(|(other, _)| *other <= cost).count() < terms_min {
            return Ok(None);
        }
        let scorers = word_scorers(words, segment, reader, cost, false)?;
        let mut common = DocumentSet::new(reader.max_doc());
        if scorers.len() == words.len() {
            for (index, mut scorer) in scorers.into_iter().enumerate() {
                let documents = scorer.documents(reader.max_doc());
                common = if index == 0 { documents } else { common.intersection(&documents) };
            }
        }
        Ok(Some(common))
    }

    /// Finds the documents with at least `needed` of the words at up to this cost.
    pub fn scorer(&self, segment: usize, reader: &SegmentReader, needed: usize, cost_max: Cost, scored: bool) -> Result<CountedScorer> {
        let words = word_scorers(&self.words, segment, reader, cost_max, scored)?;
        let documents = self.documents.as_ref().map(|documents| documents.scorer(reader, 0.0)).transpose()?.map(SubScorer::Other);
        let bonuses = if scored { self.bonuses(segment, reader)? } else { Bonuses::default() };
        Ok(CountedScorer::new(words, documents, needed, self.scale(), bonuses, scored))
    }

    /// Scores single documents by their words at up to this cost. A score may be too low for a document whose sum of BM25 scores is below
    /// `sum_min`.
    pub fn document_scorer(&self, segment: usize, reader: &SegmentReader, cost: Cost, sum_min: f32) -> Result<DocumentScorer> {
        let mut words = Vec::with_capacity(self.words.len());
        for (index, word) in self.words.iter().enumerate() {
            let score_min = sum_min - self.others_max(index, cost);
            words.extend(WordScorer::new(word, (segment, reader), cost, true, score_min)?);
        }
        Ok(DocumentScorer::new(words, self.scale(), self.bonuses(segment, reader)?))
    }

    /// A sum of BM25 scores that the words beside the one at this index never exceed, at up to this cost. Infinite if they have phrases.
    pub fn others_max(&self, index: usize, cost: Cost) -> f32 {
        let others = self.words.iter().enumerate().filter(|(other, _)| *other != index);
        others.map(|(_, word)| if word.is_only_terms(cost) { word.score_max(cost) } else { f32::INFINITY }).sum::<f32>() * SUM_ROUNDING
    }

    fn bonuses(&self, segment: usize, reader: &SegmentReader) -> Result<Bonuses> {
        let exact = self
            .exact
            .as_ref()
            .map(|exact| exact.for_segment(&self.columns, &self.words, (segment, reader), self.checks_exact_words))
            .transpose()?;
        let proximity = if self.proximity.is_empty() { None } else { Some(self.proximity.for_segment(segment, reader)?) };
        let boosts = self.boosts.iter().map(|boost| boost.for_segment(reader)).collect::<Result<_>>()?;
        let as_typed = if self.as_typed.bonus_max() == 0.0 { None } else { Some(self.as_typed.for_segment(segment, reader)?) };
        Ok(Bonuses { exact, proximity, as_typed, boosts })
    }

    /// The bonuses of documents without any of the words as typed.
    pub fn bonuses_of_other_words(&self, segment: usize, reader: &SegmentReader) -> Result<Option<SegmentAsTyped>> {
        if self.as_typed.favors_other_words() { Ok(Some(self.as_typed.for_segment(segment, reader)?)) } else { Ok(None) }
    }

    /// Whether documents that begin with the text of the query gain so much that scores of words leave out few documents.
    pub fn favor_beginning(&self) -> bool {
        !self.as_typed.beginning.is_empty()
    }

    /// The most that is added to the sum of BM25 scores of a document with this many words.
    pub fn bonus_max(&self, words: usize) -> f32 {
        self.proximity.bonus_max(words) + self.as_typed.bonus_max()
    }

    /// With [`Ranking::Score`], the score of a field whose whole text is the query: more than the best sum of BM25 scores.
    fn exact_bonus(&self) -> f32 {
        let best = |word: &CountedWord| word.word_and_synonyms.words().iter().map(|term| term.weight.max_score()).sum::<f32>();
        self.words.iter().map(best).sum::<f32>() + 1.0
    }

    pub fn scale(&self) -> Scale {
        Scale { words: self.words.len() as u32, ranking: self.ranking, exact_bonus: self.exact_bonus() }
    }
}
