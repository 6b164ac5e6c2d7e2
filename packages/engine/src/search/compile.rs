//! Compiles the nodes of a plan to conditions on documents.

use std::ops::Bound;
use std::sync::Arc;

use tantivy::Term;
use tantivy::query::{
    AllWeight, BooleanQuery, BooleanWeight, EmptyQuery, EnableScoring, Occur, Query, RangeQuery, SumCombiner, TermSetQuery, Weight,
};

use crate::failure::{Failure, Result};
use crate::plan::{Area, Circle, Matching, Node, Ranking, ScoredCircles, ScoredValues, Value, WeightedField};
use crate::schema::{ID_COLUMN, SearchField};
use crate::search::boosts::boost::{Boost, ValueMatcher};
use crate::search::boosts::pinning::Pinning;
use crate::search::filters::field_matcher::field_matcher;
use crate::search::filters::together::TogetherWeight;
use crate::search::index::context::SearchContext;
use crate::search::index::visibility::VisibleDocuments;
use crate::search::places::area::AreaWeight;
use crate::search::places::distance::{CircleWeight, geo_field};
use crate::search::terms::match_weight::MatchWeight;
use crate::search::text::query_words::compile_words;
use crate::search::text::text_limits::TextLimits;
use crate::search::text::text_query::{self, TextQuery};
use crate::search::words::as_typed::AsTyped;
use crate::search::words::counted_words::CountedWords;
use crate::search::words::exact_text::ExactText;
use crate::search::words::proximity::Proximity;
use crate::spec::FieldKind;
use crate::typos::COST_LIMIT;

use super::mix;
use super::nearest::{self, ScoreList, is_vector};
use super::similar;

/// The conditions that a document must satisfy, and the parts of its score. They do not depend on the order of the nodes.
#[derive(Default)]
pub struct Conditions {
    /// Other documents do not exist for this search.
    pub visible: Option<Arc<VisibleDocuments>>,
    /// The match and similar nodes, and whether their scores count.
    pub matches: Vec<(Matched, bool)>,
    /// The documents of each mix and each nearest node, and whether their scores count.
    pub score_lists: Vec<(ScoreList, bool)>,
    pub required: Vec<Box<dyn Weight>>,
    /// Excluded words and phrases.
    pub excluded: Vec<MatchWeight>,
    /// Excluded documents that are not found by their words.
    pub excluded_weights: Vec<Box<dyn Weight>>,
    pub boosts: Vec<Boost>,
    /// Documents that come first or last, whatever their score.
    pub pinning: Pinning,
    /// Product of the scores that all documents have in common.
    pub constant_boost: f64,
    /// Whether no document can satisfy the conditions.
    pub impossible: bool,
    /// The queries of the match nodes that count no words, for highlighting.
    pub text_queries: Vec<TextQuery>,
    /// The words of the match nodes inside mixes, for highlighting.
    pub mixed_words: Vec<CountedWords>,
    /// The words that relaxed matches dropped.
    pub relaxed: Vec<String>,
}

/// The documents that one match or similar node finds.
pub enum Matched {
    Any(MatchWeight),
    Counted(CountedWords),
}

impl Conditions {
    /// Compiles `nodes`, whose scores count, and `unscored` nodes.
    pub fn new(context: &SearchContext, nodes: &[&Node], unscored: &[&Node]) -> Result<Conditions> {
        let mut conditions = Conditions { constant_boost: 1.0, visible: context.visible.cloned(), ..Conditions::default() };
        let mut compiler = Compiler { context, constants: Vec::new(), conditions: &mut conditions };
        nodes.iter().try_for_each(|node| compiler.add(node, true))?;
        unscored.iter().try_for_each(|node| compiler.add(node, false))?;
        // The last bit of a product depends on the order of its factors.
        let mut constants = compiler.constants;
        constants.sort_by(f64::total_cmp);
        conditions.constant_boost = constants.into_iter().product();
        conditions.boosts.sort_by_cached_key(Boost::key);
        let nearest = nearest::find_all(context, &conditions, nodes, unscored)?;
        conditions.impossible |= nearest.iter().any(|(list, _)| list.iter().all(Vec::is_empty));
        let mixed = mix::find_all(context, &mut conditions, nodes, unscored)?;
        conditions.score_lists = nearest.into_iter().chain(mixed).collect();
        Ok(conditions)
    }

    /// Whether the scores of a single match decide the order alone: other conditions keep or drop documents, but do not score.
    pub fn has_single_match(&self) -> bool {
        let has_other_scores = !self.score_lists.is_empty() || !self.boosts.is_empty() || !self.pinning.is_empty();
        matches!(self.matches.as_slice(), [(_, true)]) && !has_other_scores && !self.impossible
    }

    /// Whether every visible document satisfies the conditions, with the same score.
    pub fn accept_all(&self) -> bool {
        let has_scores = !(self.matches.is_empty() && self.score_lists.is_empty() && self.boosts.is_empty() && self.pinning.is_empty());
        self.are_only_visibility() && !has_scores && !self.impossible
    }

    /// Whether there are no conditions apart from the matches and the visibility of documents.
    pub fn are_only_visibility(&self) -> bool {
        self.required.is_empty() && self.excluded.is_empty() && self.excluded_weights.is_empty()
    }

    /// Adds all variants of words, for a search that does not add them itself.
    pub fn expand(&mut self, context: &SearchContext) -> Result<()> {
        for (matched, _) in &mut self.matches {
            if let Matched::Counted(words) = matched {
                words.expand(context, COST_LIMIT)?;
                self.impossible |= words.is_empty();
            }
        }
        Ok(())
    }

    /// Returns the documents of one filter, range or union, which requires or excludes at most one weight.
    fn into_weight(mut self) -> Box<dyn Weight> {
        let required = self.required.pop().unwrap_or_else(|| Box::new(AllWeight));
        let Some(excluded) = self.excluded_weights.pop() else { return required };
        let parts: Vec<(Occur, Box<dyn Weight>)> = vec![(Occur::Must, required), (Occur::MustNot, excluded)];
        Box::new(BooleanWeight::with_minimum_number_should_match(parts, 0, false, Box::new(SumCombiner::default)))
    }

    /// Keeps the texts of a part of a mix, for highlighting.
    pub fn keep_texts(&mut self, mut part: Conditions) {
        self.text_queries.append(&mut part.text_queries);
        self.mixed_words.append(&mut part.mixed_words);
        self.relaxed.append(&mut part.relaxed);
        self.mixed_words.extend(part.matches.into_iter().filter_map(|(matched, _)| match matched {
            Matched::Counted(words) => Some(words),
            Matched::Any(_) => None,
        }));
    }

    /// The words of all scored matches that count words, for highlighting.
    pub fn counted_words(&self) -> impl Iterator<Item = &CountedWords> {
        let own = self.matches.iter().filter_map(|(matched, scores)| match matched {
            Matched::Counted(words) if *scores => Some(words),
            _ => None,
        });
        own.chain(&self.mixed_words)
    }
}

struct Compiler<'a> {
    context: &'a SearchContext<'a>,
    constants: Vec<f64>,
    conditions: &'a mut Conditions,
}

impl Compiler<'_> {
    fn add(&mut self, node: &Node, scores: bool) -> Result<()> {
        match node {
            // `nearest.rs` and `mix.rs` need all other nodes first.
            Node::All | Node::Mix { .. } | Node::Nearest { .. } => Ok(()),
            Node::Match { pinned, buried, .. } => {
                if scores {
                    self.conditions.pinning.add(pinned, buried);
                }
                self.add_match(node, scores)
            }
            Node::Filter { field, alternatives } => {
                let search_field = self.context.schema.field(field)?;
                let matcher = |value: &Value| field_matcher(search_field, field, value);
                self.add_filter(&search_field.column, Some(search_field), alternatives, matcher, scores)
            }
            Node::Lookup { alternatives } => {
                self.add_filter(ID_COLUMN, None, alternatives, |value| Ok(Some(ValueMatcher::from_text(value))), scores)
            }
            Node::Distance { field, alternatives } => self.add_distance(field, alternatives, scores),
            Node::Area { field, area } => self.add_area(field, area),
            Node::Range { field, from, to, before } => {
                self.add_range(field, from.as_ref(), to.as_ref().or(before.as_ref()), before.is_some())
            }
            Node::Similar { id, fields } => self.add_similar(id, fields, scores),
            Node::Any { parts, not } => self.add_any(parts, *not),
            Node::Together { parts } => self.add_together(parts),
            Node::Present { field, not } => self.conditions.add_presence(self.context.schema.field(field)?, *not),
            Node::Boost { field, rule } if scores => {
                self.conditions.boosts.push(Boost::new(self.context.schema, field, rule)?);
                Ok(())
            }
            Node::Boost { .. } => Ok(()),
        }
    }

    fn add_match(&mut self, node: &Node, scores: bool) -> Result<()> {
        let Node::Match { text, fields, typos, ranking, exact, matching, contains, pinned, boosts, .. } = node else { return Ok(()) };
        let pinned = if pinned.is_empty() {
            None
        } else {
            let ids = pinned.iter().map(|id| Term::from_field_text(self.context.schema.id, id));
            Some(TermSetQuery::new(ids).weight(EnableScoring::disabled_from_searcher(self.context.searcher))?)
        };
        let excluded = text_query::compile_excluded(self.context.schema, text, fields)?;
        if !(text.words.is_empty() && text.phrases.is_empty() && text.unfinished.is_none()) {
            let counts_words = *ranking == Ranking::Words || typos.is_some() || text.unfinished.is_some();
            if counts_words || *exact || *contains || *matching != Matching::Any {
                let query_words = compile_words(self.context.schema, text, fields, *typos, (*matching, *contains), TextLimits::EMBEDDED)?;
                let exact_text = if *exact { ExactText::new(self.context.schema, text, fields)? } else { None };
                let ranking = if counts_words { Ranking::Words } else { Ranking::Score };
                let proximity = Proximity::new(self.context.schema, text, fields)?;
                let as_typed = AsTyped::new(self.context.schema, text, fields)?;
                let mut words = CountedWords::new(self.context, query_words, *matching, ranking, exact_text, (proximity, as_typed))?;
                words.boosts = Boost::from_nodes(self.context.schema, boosts)?;
                self.conditions.relaxed.append(&mut words.relax(self.context, *matching)?);
                if !self.context.expands_later {
                    words.expand(self.context, COST_LIMIT)?;
                }
                pinned.into_iter().for_each(|documents| words.add_documents(documents));
                // Variants that are not expanded yet may match.
                self.conditions.impossible |= !self.context.expands_later && words.is_empty();
                self.conditions.matches.push((Matched::Counted(words), scores));
            } else {
                let mut text_query = text_query::compile(self.context.schema, text, fields, TextLimits::EMBEDDED)?;
                for source in text_query::compound_sources(self.context.schema, text, fields)? {
                    text_query.add_compounds(self.context, &source)?;
                }
                let mut match_weight = MatchWeight::new(self.context, &text_query)?;
                pinned.into_iter().for_each(|documents| match_weight.add_documents(documents));
                self.conditions.impossible |= match_weight.is_empty();
                self.conditions.matches.push((Matched::Any(match_weight), scores));
                self.conditions.text_queries.extend(scores.then_some(text_query));
            }
        }
        let excluded = MatchWeight::new(self.context, &excluded)?;
        if !excluded.is_empty() {
            self.conditions.excluded.push(excluded);
        }
        Ok(())
    }

    fn add_similar(&mut self, id: &str, fields: &[WeightedField], scores: bool) -> Result<()> {
        let source_document = TermSetQuery::new([Term::from_field_text(self.context.schema.id, id)]);
        self.conditions.excluded_weights.push(source_document.weight(EnableScoring::disabled_from_searcher(self.context.searcher))?);
        if fields.iter().any(|field| is_vector(self.context, &field.name)) {
            // `nearest.rs` finds the documents.
            return Ok(());
        }
        let Some(text_query) = similar::interesting_words(self.context, id, fields)? else {
            self.conditions.impossible = true;
            return Ok(());
        };
        let match_weight = MatchWeight::new(self.context, &text_query)?;
        self.conditions.impossible |= match_weight.is_empty();
        self.conditions.matches.push((Matched::Any(match_weight), scores));
        Ok(())
    }

    fn add_range(&mut self, name: &str, from: Option<&Value>, to: Option<&Value>, excludes_to: bool) -> Result<()> {
        let search_field = self.context.schema.field(name)?;
        if matches!(search_field.kind, FieldKind::Boolean) {
            return Err(Failure::unsupported(format!("the embedded engine has no range of `{name}`, a boolean field")));
        }
        let matcher = |end: Option<&Value>| end.map(|value| field_matcher(search_field, name, value)).transpose();
        let (from, to) = match (matcher(from)?, matcher(to)?) {
            // No document is in a range with an end that is not a value of the field.
            (Some(None), _) | (_, Some(None)) => {
                self.conditions.impossible = true;
                return Ok(());
            }
            (from, to) => (from.flatten(), to.flatten()),
        };
        let field = search_field.field;
        let lower = from.map(|matcher| match matcher {
            ValueMatcher::Text(text) => Term::from_field_text(field, &text),
            ValueMatcher::Number(bits) => Term::from_field_f64(field, f64::from_bits(bits)),
            ValueMatcher::Boolean(truth) => Term::from_field_bool(field, truth),
            ValueMatcher::Moments(first, _) => Term::from_field_i64(field, first),
        });
        let upper = to.map(|matcher| match matcher {
            ValueMatcher::Text(text) => Term::from_field_text(field, &text),
            ValueMatcher::Number(bits) => Term::from_field_f64(field, f64::from_bits(bits)),
            ValueMatcher::Boolean(truth) => Term::from_field_bool(field, truth),
            ValueMatcher::Moments(first, last) => Term::from_field_i64(field, if excludes_to { first } else { last }),
        });
        let query: Box<dyn Query> = match (lower, upper) {
            (None, None) => return Ok(()),
            (Some(lower), Some(upper)) if upper < lower => Box::new(EmptyQuery),
            (lower, upper) => {
                let bound = |term: Option<Term>| term.map_or(Bound::Unbounded, Bound::Included);
                let upper = if excludes_to { upper.map_or(Bound::Unbounded, Bound::Excluded) } else { bound(upper) };
                Box::new(RangeQuery::new(bound(lower), upper))
            }
        };
        self.conditions.required.push(query.weight(EnableScoring::disabled_from_searcher(self.context.searcher))?);
        Ok(())
    }

    /// Adds the union of filters, ranges and other unions.
    fn add_any(&mut self, parts: &[Node], not: bool) -> Result<()> {
        let mut union: Vec<(Occur, Box<dyn Weight>)> = Vec::new();
        for part in parts {
            if !part.is_filter() {
                return Err(Failure::unsupported("the embedded engine combines filters and ranges only".to_owned()));
            }
            let mut conditions = Conditions::default();
            Compiler { context: self.context, constants: Vec::new(), conditions: &mut conditions }.add(part, false)?;
            if !conditions.impossible {
                union.push((Occur::Should, conditions.into_weight()));
            }
        }
        self.conditions.impossible |= union.is_empty() && !not;
        if !union.is_empty() {
            let target = if not { &mut self.conditions.excluded_weights } else { &mut self.conditions.required };
            target.push(Box::new(BooleanWeight::with_minimum_number_should_match(union, 1, false, Box::new(SumCombiner::default))));
        }
        Ok(())
    }

    /// The ordinary conditions of the parts find the candidates.
    fn add_together(&mut self, parts: &[Node]) -> Result<()> {
        let mut candidates = Vec::new();
        for part in parts {
            let mut conditions = Conditions::default();
            Compiler { context: self.context, constants: Vec::new(), conditions: &mut conditions }.add(part, false)?;
            self.conditions.impossible |= conditions.impossible;
            candidates.push((Occur::Must, conditions.into_weight()));
        }
        self.conditions.required.push(Box::new(TogetherWeight::new(self.context.schema, candidates, parts)?));
        Ok(())
    }

    fn add_filter(
        &mut self,
        column: &str,
        search_field: Option<&SearchField>,
        alternatives: &[ScoredValues],
        matcher: impl Fn(&Value) -> Result<Option<ValueMatcher>>,
        scores: bool,
    ) -> Result<()> {
        let mut scored = Vec::new();
        for alternative in alternatives {
            for value in &alternative.values {
                if let Some(matcher) = matcher(value)? {
                    scored.push((matcher, alternative.score));
                }
            }
        }
        let field = search_field.map_or(self.context.schema.id, |search_field| search_field.field);
        let mut terms = Vec::new();
        let mut queries: Vec<Box<dyn Query>> = Vec::new();
        for (matcher, _) in &scored {
            match matcher {
                ValueMatcher::Text(text) => terms.push(Term::from_field_text(field, text)),
                ValueMatcher::Number(bits) => terms.push(Term::from_field_f64(field, f64::from_bits(*bits))),
                ValueMatcher::Boolean(truth) => terms.push(Term::from_field_bool(field, *truth)),
                ValueMatcher::Moments(from, to) if from == to => terms.push(Term::from_field_i64(field, *from)),
                ValueMatcher::Moments(from, to) => queries.push(Box::new(RangeQuery::new(
                    Bound::Included(Term::from_field_i64(field, *from)),
                    Bound::Included(Term::from_field_i64(field, *to)),
                ))),
            }
        }
        if !terms.is_empty() {
            queries.push(Box::new(TermSetQuery::new(terms)));
        }
        let query: Box<dyn Query> = match queries.len() {
            0 => Box::new(EmptyQuery),
            1 => queries.remove(0),
            _ => Box::new(BooleanQuery::union(queries)),
        };
        self.conditions.required.push(query.weight(EnableScoring::disabled_from_searcher(self.context.searcher))?);
        if scores {
            match scored.first() {
                Some((_, first)) if scored.iter().all(|(_, score)| score == first) => self.constants.push(*first),
                Some(_) => self.conditions.boosts.push(Boost::from_values(column, scored)),
                None => {}
            }
        }
        Ok(())
    }

    fn add_area(&mut self, name: &str, area: &Area) -> Result<()> {
        let (search_field, longitude) = geo_field(self.context.schema, name)?;
        let weight = AreaWeight::new(self.context.searcher, &search_field.column, [search_field.field, longitude], area)?;
        self.conditions.required.push(Box::new(weight));
        Ok(())
    }

    fn add_distance(&mut self, name: &str, alternatives: &[ScoredCircles], scores: bool) -> Result<()> {
        let (search_field, longitude) = geo_field(self.context.schema, name)?;
        let scored: Vec<(Circle, f64)> =
            alternatives.iter().flat_map(|alternative| alternative.circles.iter().map(|circle| (*circle, alternative.score))).collect();
        let circles = scored.iter().map(|(circle, _)| *circle).collect();
        let circle_weight = CircleWeight::new(self.context.searcher, &search_field.column, [search_field.field, longitude], circles)?;
        self.conditions.required.push(Box::new(circle_weight));
        if scores {
            match scored.first() {
                Some((_, first)) if scored.iter().all(|(_, score)| score == first) => self.constants.push(*first),
                Some(_) => self.conditions.boosts.push(Boost::from_circles(&search_field.column, scored)),
                None => {}
            }
        }
        Ok(())
    }
}
