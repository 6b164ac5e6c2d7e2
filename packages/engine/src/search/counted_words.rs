//! Finds the documents that have at least some number of the words of a query, and ranks them word by word.
//!
//! A word counts once, by the best of itself, its completions and its corrections. With [`Ranking::Words`], the score of a document is, in
//! the order of importance: the number of its words, fewer typos, whole words before completions, a field whose whole text is the query, and
//! the sum of BM25 scores. Each of these is less than one unit of the one before.

use tantivy::query::Weight;
use tantivy::{DocId, SegmentReader, TERMINATED};

use crate::failure::Result;
use crate::plan::{Matching, Ranking};

use super::context::SearchContext;
use super::exact_text::{ExactText, SegmentExactText};
use super::match_weight::{MatchWeight, SubScorer, WINDOW_DOCUMENTS, WINDOW_WORDS, at_least_min_positive};
use super::query_word::{COST_MAX, Cost, QueryWord};
use super::term_scorer::{TermScorer, WeightedTerm};
use super::term_weight::TermWeights;

/// The BM25 score that counts half of the largest possible one.
const MIDDLE_SCORE: f32 = 10.0;

/// The cost of a word that a document does not have.
const ABSENT: Cost = Cost::MAX;

pub struct CountedWords {
    pub words: Vec<CountedWord>,
    /// The number of words that a document needs.
    pub needed: usize,
    pub ranking: Ranking,
    pub exact: Option<ExactText>,
    /// Documents that match without any of the words.
    documents: Option<Box<dyn Weight>>,
}

/// A word with its BM25 weights.
pub struct CountedWord {
    pub word: QueryWord,
    /// The word itself and its synonyms.
    pub whole: MatchWeight,
    /// Sorted by cost.
    pub variants: Vec<(Cost, WeightedTerm)>,
}

impl CountedWord {
    fn new(weights: &mut TermWeights, word: QueryWord) -> Result<CountedWord> {
        let whole = MatchWeight::with_weights(weights, &word.query)?;
        let variants = weights.variants(&word.variants)?;
        Ok(CountedWord { word, whole, variants })
    }

    pub fn is_empty(&self) -> bool {
        self.whole.is_empty() && self.variants.is_empty()
    }
}

impl CountedWords {
    /// `words` must not be empty.
    pub fn new(
        context: &SearchContext,
        words: Vec<QueryWord>,
        matching: Matching,
        ranking: Ranking,
        exact: Option<ExactText>,
    ) -> Result<CountedWords> {
        let mut weights = TermWeights::new(context)?;
        let words = words.into_iter().map(|word| CountedWord::new(&mut weights, word)).collect::<Result<Vec<_>>>()?;
        let needed = if matching == Matching::Any { 1 } else { words.len() };
        Ok(CountedWords { words, needed, ranking, exact, documents: None })
    }

    /// With [`Matching::Relaxed`], drops words until some visible document has all that remain: words that no document has, then the most
    /// frequent ones. Returns the dropped words as typed.
    pub fn relax(&mut self, context: &SearchContext, matching: Matching) -> Result<Vec<String>> {
        let mut dropped = Vec::new();
        if matching != Matching::Relaxed || self.finds_any(context)? {
            return Ok(dropped);
        }
        self.expand(context, COST_MAX)?;
        let mut frequencies = (0..self.words.len()).map(|index| self.frequency(context, index)).collect::<Result<Vec<_>>>()?;
        while self.words.len() > 1 && !self.finds_any(context)? {
            let unknown = frequencies.iter().position(|frequency| *frequency == 0);
            let most_frequent = || (0..frequencies.len()).max_by_key(|index| frequencies[*index]);
            let Some(index) = unknown.or_else(most_frequent) else { break };
            frequencies.remove(index);
            dropped.push(self.words.remove(index).word.typed);
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
        self.count(context, &self.words[index..=index], 1, COST_MAX, u64::MAX)
    }

    /// Counts the visible documents with at least `needed` of the words, but not further than `max`.
    fn count(&self, context: &SearchContext, words: &[CountedWord], needed: usize, cost_max: Cost, max: u64) -> Result<u64> {
        let mut count = 0;
        for (segment, reader) in context.searcher.segment_readers().iter().enumerate() {
            context.cancel_token.check()?;
            let words = word_scorers(words, segment, reader, cost_max, false)?;
            let mut scorer = CountedScorer::new(words, None, needed, self.scale(), None, false);
            let visible = context.visible.map(|visible| visible.segment(segment));
            let alive = reader.alive_bitset();
            while scorer.doc() != TERMINATED && count < max {
                let document = scorer.doc();
                let is_visible = visible.is_none_or(|visible| visible.contains(document));
                count += u64::from(is_visible && alive.is_none_or(|alive| alive.is_alive(document)));
                scorer.advance();
            }
        }
        Ok(count)
    }

    pub fn add_documents(&mut self, documents: Box<dyn Weight>) {
        self.documents = Some(documents);
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
                word.word.expand(context, cost_max)?;
                word.variants = weights.variants(&word.word.variants)?;
            }
        }
        Ok(())
    }

    /// The terms of all words at exactly this cost.
    pub fn terms_at(&self, cost: Cost) -> Vec<&WeightedTerm> {
        if cost == 0 {
            return self.words.iter().flat_map(|word| word.whole.words()).collect();
        }
        let variants = self.words.iter().flat_map(|word| &word.variants);
        variants.filter(|(other, _)| *other == cost).map(|(_, variant)| variant).collect()
    }

    /// Finds the documents with at least `needed` of the words at up to this cost.
    pub fn scorer(&self, segment: usize, reader: &SegmentReader, needed: usize, cost_max: Cost, scored: bool) -> Result<CountedScorer> {
        let words = word_scorers(&self.words, segment, reader, cost_max, scored)?;
        let documents = self.documents.as_ref().map(|documents| documents.scorer(reader, 0.0)).transpose()?.map(SubScorer::Other);
        let exact = self.exact.as_ref().filter(|_| scored).map(|exact| exact.for_segment(reader)).transpose()?;
        Ok(CountedScorer::new(words, documents, needed, self.scale(), exact, scored))
    }

    /// With [`Ranking::Score`], the score of a field whose whole text is the query: more than the best sum of BM25 scores.
    fn exact_bonus(&self) -> f32 {
        let best = |word: &CountedWord| word.whole.words().iter().map(|term| term.weight.max_score()).sum::<f32>();
        self.words.iter().map(best).sum::<f32>() + 1.0
    }

    pub fn scale(&self) -> Scale {
        Scale { words: self.words.len() as u32, ranking: self.ranking, exact_bonus: self.exact_bonus() }
    }
}

/// Returns scorers for the words that the segment has, at up to this cost.
fn word_scorers(words: &[CountedWord], segment: usize, reader: &SegmentReader, cost_max: Cost, scored: bool) -> Result<Vec<WordScorer>> {
    let mut scorers = Vec::with_capacity(words.len());
    for word in words {
        let whole = word.whole.sub_scorers(segment, reader, scored)?;
        let mut variants = Vec::new();
        for (cost, variant) in word.variants.iter().take_while(|(cost, _)| *cost <= cost_max) {
            variants.extend(TermScorer::new(segment, reader, variant, scored)?.map(|scorer| (*cost, scorer)));
        }
        if !whole.is_empty() || !variants.is_empty() {
            scorers.push(WordScorer { whole, variants });
        }
    }
    Ok(scorers)
}

/// Makes a score out of the number of words, their costs and their BM25 scores.
#[derive(Clone, Copy)]
pub struct Scale {
    words: u32,
    ranking: Ranking,
    exact_bonus: f32,
}

impl Scale {
    /// A word counts more than all typos and completions of the others, a whole text and all BM25 scores.
    fn unit(self) -> u32 {
        self.words * u32::from(COST_MAX) + 3
    }

    /// `gain` is the sum of `word_gain` over the words of a document, `sum` that of its BM25 scores.
    pub fn score(self, gain: u32, sum: f32, is_exact: bool) -> f32 {
        match self.ranking {
            Ranking::Score => at_least_min_positive(sum) + if is_exact { self.exact_bonus } else { 0.0 },
            Ranking::Words => {
                let share = f64::from(sum / (sum + MIDDLE_SCORE));
                ((f64::from(gain + u32::from(is_exact)) + share) / f64::from(self.unit())) as f32
            }
        }
    }

    pub fn word_gain(self, cost: Cost) -> u32 {
        self.unit() - u32::from(cost)
    }

    /// The gain of a document with all words and without typos and completions.
    pub fn full_gain(self) -> u32 {
        self.words * self.unit()
    }

    /// A score that documents with this many words, one of them at this cost, do not reach.
    pub fn limit(self, words: usize, cost: Cost) -> f64 {
        match self.ranking {
            Ranking::Score => f64::INFINITY,
            Ranking::Words => (f64::from(words as u32 * self.unit() - u32::from(cost)) + 1.0 + ROUNDING) / f64::from(self.unit()),
        }
    }

    /// The lowest BM25 score of a document with this gain that reaches a score. May be slightly too low.
    pub fn lowest_sum(self, gain: u32, score: f64) -> f32 {
        match self.ranking {
            Ranking::Score => score as f32,
            Ranking::Words => {
                let share = score * f64::from(self.unit()) - f64::from(gain) - ROUNDING;
                if share <= 0.0 {
                    0.0
                } else if share >= 1.0 {
                    f32::MAX
                } else {
                    (share / (1.0 - share)) as f32 * MIDDLE_SCORE
                }
            }
        }
    }
}

/// More than the error of a score as a 32-bit number, in units of a gain.
const ROUNDING: f64 = 1e-4;

struct WordScorer {
    whole: Vec<SubScorer>,
    variants: Vec<(Cost, TermScorer)>,
}

impl WordScorer {
    fn doc(&self) -> DocId {
        let whole = self.whole.iter().map(SubScorer::doc).min().unwrap_or(TERMINATED);
        self.variants.iter().map(|(_, variant)| variant.doc()).min().unwrap_or(TERMINATED).min(whole)
    }

    fn seek(&mut self, target: DocId) {
        self.whole.iter_mut().for_each(|scorer| scorer.seek(target));
        self.variants.iter_mut().for_each(|(_, variant)| variant.seek(target));
    }

    fn size(&self) -> u32 {
        let whole = self.whole.iter().fold(0_u32, |sum, scorer| sum.saturating_add(scorer.size()));
        self.variants.iter().fold(whole, |sum, (_, variant)| sum.saturating_add(variant.size()))
    }
}

/// The costs and scores of one word, for the documents of a window.
struct Column {
    present: [u64; WINDOW_WORDS],
    costs: Box<[Cost]>,
    scores: Box<[f32]>,
}

impl Column {
    fn fill(&mut self, word: &mut WordScorer, start: DocId, scored: bool) {
        let end = start + WINDOW_DOCUMENTS;
        self.present.fill(0);
        let Column { present, costs, scores } = self;
        let mut mark = |doc: DocId| {
            let offset = (doc - start) as usize;
            present[offset / 64] |= 1 << (offset % 64);
            offset
        };
        if !scored {
            word.whole.iter_mut().for_each(|scorer| {
                scorer.drain(end, false, |doc, _| {
                    mark(doc);
                })
            });
            word.variants.iter_mut().for_each(|(_, variant)| {
                variant.drain(end, |doc, _| {
                    mark(doc);
                })
            });
            return;
        }
        for scorer in &mut word.whole {
            scorer.drain(end, true, |doc, score| {
                let offset = mark(doc);
                scores[offset] = if costs[offset] == 0 { scores[offset] + score } else { score };
                costs[offset] = 0;
            });
        }
        for (cost, variant) in &mut word.variants {
            variant.drain(end, |doc, score| {
                let offset = mark(doc);
                if costs[offset] > *cost || (costs[offset] == *cost && score > scores[offset]) {
                    scores[offset] = score;
                    costs[offset] = *cost;
                }
            });
        }
    }
}

pub struct CountedScorer {
    words: Vec<WordScorer>,
    documents: Option<SubScorer>,
    needed: usize,
    scale: Scale,
    exact: Option<SegmentExactText>,
    scored: bool,
    start: DocId,
    doc: DocId,
    present: [u64; WINDOW_WORDS],
    column: Column,
    counts: Box<[u16]>,
    gains: Box<[u32]>,
    sums: Box<[f32]>,
}

impl CountedScorer {
    fn new(
        words: Vec<WordScorer>,
        documents: Option<SubScorer>,
        needed: usize,
        scale: Scale,
        exact: Option<SegmentExactText>,
        scored: bool,
    ) -> CountedScorer {
        let length = WINDOW_DOCUMENTS as usize;
        let mut scorer = CountedScorer {
            words,
            documents,
            needed: needed.max(1),
            scale,
            exact,
            scored,
            start: 0,
            doc: 0,
            present: [0; WINDOW_WORDS],
            column: Column {
                present: [0; WINDOW_WORDS],
                costs: vec![ABSENT; if scored { length } else { 0 }].into(),
                scores: vec![0.0; if scored { length } else { 0 }].into(),
            },
            counts: vec![0; length].into(),
            gains: vec![0; if scored { length } else { 0 }].into(),
            sums: vec![0.0; if scored { length } else { 0 }].into(),
        };
        scorer.fill();
        scorer
    }

    pub fn doc(&self) -> DocId {
        self.doc
    }

    /// An upper limit for the number of documents.
    pub fn size(&self) -> u32 {
        let mut sizes: Vec<u32> = self.words.iter().map(WordScorer::size).collect();
        sizes.sort_unstable();
        // Each document has one of the words except the `needed - 1` most frequent.
        let rarest = (sizes.len() + 1).saturating_sub(self.needed);
        let words = sizes[..rarest].iter().fold(0, |sum: u32, size| sum.saturating_add(*size));
        words.saturating_add(self.documents.as_ref().map_or(0, SubScorer::size))
    }

    /// Returns the score of the current document, above 0.
    pub fn score(&mut self) -> f32 {
        let offset = (self.doc - self.start) as usize;
        let Some(gain) = self.gains.get(offset) else { return 1.0 };
        if self.counts[offset] == 0 {
            return f32::MIN_POSITIVE;
        }
        let is_exact = *gain == self.scale.full_gain() && self.exact.as_mut().is_some_and(|exact| exact.matches(self.doc));
        self.scale.score(*gain, self.sums[offset], is_exact)
    }

    pub fn advance(&mut self) -> DocId {
        if self.doc != TERMINATED {
            self.advance_to_offset(self.doc - self.start + 1);
        }
        self.doc
    }

    /// Goes to the first document at or after `target`.
    pub fn seek(&mut self, target: DocId) -> DocId {
        if self.doc >= target {
            return self.doc;
        }
        if target < self.start + WINDOW_DOCUMENTS {
            self.advance_to_offset(target - self.start);
        } else {
            self.words.iter_mut().for_each(|word| word.seek(target));
            self.documents.iter_mut().for_each(|documents| documents.seek(target));
            self.fill();
        }
        self.doc
    }

    /// Goes to the first document of the window at or after the offset. If there is none, goes to the next window.
    fn advance_to_offset(&mut self, offset: u32) {
        if offset < WINDOW_DOCUMENTS {
            let mut word = offset as usize / 64;
            let mut bits = self.present[word] & (u64::MAX << (offset % 64));
            loop {
                if bits != 0 {
                    self.doc = self.start + word as u32 * 64 + bits.trailing_zeros();
                    return;
                }
                word += 1;
                if word == WINDOW_WORDS {
                    break;
                }
                bits = self.present[word];
            }
        }
        self.fill();
    }

    /// Fills windows until one has a document, and goes to its first one.
    fn fill(&mut self) {
        loop {
            self.start = self.next_start();
            self.doc = self.start;
            if self.start == TERMINATED {
                return;
            }
            self.fill_window();
            let first = self.present.iter().position(|word| *word != 0);
            if let Some(word) = first {
                self.doc = self.start + word as u32 * 64 + self.present[word].trailing_zeros();
                return;
            }
        }
    }

    /// Returns a document before which no further document has enough words. Moves all words there.
    fn next_start(&mut self) -> DocId {
        let documents = self.documents.as_ref().map_or(TERMINATED, SubScorer::doc);
        loop {
            let mut docs: Vec<DocId> = self.words.iter().map(WordScorer::doc).collect();
            docs.sort_unstable();
            let start = docs.get(self.needed - 1).copied().unwrap_or(TERMINATED).min(documents);
            if start == TERMINATED || docs.first().is_none_or(|first| *first >= start) {
                return start;
            }
            self.words.iter_mut().filter(|word| word.doc() < start).for_each(|word| word.seek(start));
        }
    }

    fn fill_window(&mut self) {
        let CountedScorer { words, column, present, counts, gains, sums, scale, .. } = self;
        counts.fill(0);
        gains.fill(0);
        sums.fill(0.0);
        present.fill(0);
        let mut in_window = words.len();
        for word in words.iter_mut() {
            if word.doc() >= self.start + WINDOW_DOCUMENTS {
                in_window -= 1;
                continue;
            }
            column.fill(word, self.start, self.scored);
            for (index, bits) in column.present.iter().enumerate() {
                let mut rest = *bits;
                while rest != 0 {
                    let offset = index * 64 + rest.trailing_zeros() as usize;
                    rest &= rest - 1;
                    counts[offset] += 1;
                    if self.scored {
                        gains[offset] += scale.word_gain(column.costs[offset]);
                        sums[offset] += column.scores[offset];
                        column.costs[offset] = ABSENT;
                    }
                }
                present[index] |= bits;
            }
        }
        if self.needed > 1 {
            for (index, bits) in present.iter_mut().enumerate() {
                let mut rest = if in_window < self.needed { 0 } else { *bits };
                *bits = 0;
                while rest != 0 {
                    let bit = rest.trailing_zeros();
                    rest &= rest - 1;
                    if usize::from(counts[index * 64 + bit as usize]) >= self.needed {
                        *bits |= 1 << bit;
                    }
                }
            }
        }
        if let Some(documents) = &mut self.documents {
            documents.drain(self.start + WINDOW_DOCUMENTS, false, |doc, _| {
                let offset = (doc - self.start) as usize;
                present[offset / 64] |= 1 << (offset % 64);
            });
        }
    }
}
