//! Compiles the nodes of a plan to conditions on documents.

use tantivy::Term;
use tantivy::query::{BooleanWeight, EnableScoring, Occur, Query, SumCombiner, TermSetQuery, Weight};
use tantivy::schema::Field;

use crate::failure::{Failure, Result};
use crate::plan::{Area, Circle, Matching, Node, Part, Ranking, ScoredCircles, ScoredValues, Value, WeightedField};
use crate::schema::ID_COLUMN;
use crate::search::boosts::boost::Boost;
use crate::search::filters::field_matcher::{ValueMatcher, field_matcher};
use crate::search::filters::presence::presence_weight;
use crate::search::filters::together::TogetherWeight;
use crate::search::filters::value_query::{any_value_query, range_query};
use crate::search::index::context::SearchContext;
use crate::search::places::area::AreaWeight;
use crate::search::places::distance::{CircleWeight, geo_field};
use crate::search::terms::match_weight::MatchWeight;
use crate::search::text::compile_text::{compile_excluded, compile_text, compound_sources};
use crate::search::text::query_words::compile_words;
use crate::search::text::text_limits::TextLimits;
use crate::search::words::as_typed::AsTyped;
use crate::search::words::counted_words::CountedWords;
use crate::search::words::exact_text::ExactText;
use crate::search::words::proximity::Proximity;
use crate::spec::FieldKind;
use crate::typos::COST_LIMIT;

use super::matching::conditions::{Conditions, Matched};
use super::matching::scored_hits::ScoredHits;
use super::matching::segment::find_documents;
use super::mix;
use super::nearest::{self, is_vector};
use super::similar;

/// Compiles `nodes`, whose scores count, and `unscored` nodes.
pub fn compile(context: &SearchContext, nodes: &[&Node], unscored: &[&Node]) -> Result<Conditions> {
    let mut conditions = Conditions {
        constant_boost: 1.0,
        visible: context.visible.cloned(),
        visits_windows: context.fast_paths.windows,
        segment_threads: context.fast_paths.segment_threads,
        ..Conditions::default()
    };
    let mut compiler = Compiler { context, constants: Vec::new(), conditions: &mut conditions };
    nodes.iter().try_for_each(|node| compiler.add(node, true))?;
    unscored.iter().try_for_each(|node| compiler.add(node, false))?;
    // The last bit of a product depends on the order of its factors.
    let mut constants = compiler.constants;
    constants.sort_by(f64::total_cmp);
    conditions.constant_boost = constants.into_iter().product();
    conditions.boosts.sort_by_cached_key(Boost::key);
    let find_others = || find_documents(&conditions, context.searcher, context.cancel_token);
    let nearest = nearest::find_all(context, nodes, unscored, &find_others)?;
    conditions.impossible |= nearest.iter().any(|(list, _)| list.iter().all(Vec::is_empty));
    let mixed = mix::find_all(nodes, unscored, &mut |part, others| find_part(context, part, others, &mut conditions))?;
    conditions.score_lists = nearest.into_iter().chain(mixed).collect();
    Ok(conditions)
}

/// Returns the documents that a part of a mix finds among those that satisfy the other nodes, with their scores.
fn find_part(context: &SearchContext, part: &Part, others: &[&Node], conditions: &mut Conditions) -> Result<mix::PartHits> {
    let nodes: Vec<&Node> = std::iter::once(&part.node).chain(&part.boosts).collect();
    let part_conditions = compile(context, &nodes, others)?;
    let hits = ScoredHits::find(&part_conditions, context.searcher, context.cancel_token)?;
    conditions.keep_texts(part_conditions);
    Ok(hits.segments)
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
                self.add_filter(&search_field.column, (search_field.field, search_field.large), alternatives, matcher, scores)
            }
            Node::Lookup { alternatives } => {
                let ids = (self.context.schema.id, None);
                self.add_filter(ID_COLUMN, ids, alternatives, |value| Ok(Some(ValueMatcher::from_text(value))), scores)
            }
            Node::Distance { field, alternatives } => self.add_distance(field, alternatives, scores),
            Node::Area { field, area } => self.add_area(field, area),
            Node::Range { field, from, to, before } => {
                self.add_range(field, from.as_ref(), to.as_ref().or(before.as_ref()), before.is_some())
            }
            Node::Similar { id, fields } => self.add_similar(id, fields, scores),
            Node::Any { parts, not } => self.add_any(parts, *not),
            Node::Together { parts } => self.add_together(parts),
            Node::Present { field, not } => {
                self.conditions.required.push(presence_weight(self.context.schema.field(field)?, *not));
                Ok(())
            }
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
        let excluded = compile_excluded(self.context.schema, text, fields)?;
        if !(text.words.is_empty() && text.phrases.is_empty() && text.unfinished.is_none()) {
            let counts_words = *ranking == Ranking::Words || typos.is_some() || text.unfinished.is_some();
            if counts_words || *exact || *contains || *matching != Matching::Any {
                let query_words = compile_words(
                    self.context.schema,
                    text,
                    fields,
                    *typos,
                    (*matching, *contains),
                    TextLimits::EMBEDDED,
                    Some(self.context),
                )?;
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
                let mut text_query = compile_text(self.context.schema, text, fields, TextLimits::EMBEDDED, Some(self.context))?;
                for source in compound_sources(self.context.schema, text, fields)? {
                    source.add_to(&mut text_query, self.context)?;
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
        match (matcher(from)?, matcher(to)?) {
            // No document is in a range with an end that is not a value of the field.
            (Some(None), _) | (_, Some(None)) => self.conditions.impossible = true,
            (from, to) => {
                let (from, to) = (from.flatten(), to.flatten());
                if let Some(query) = range_query(search_field, from.as_ref(), to.as_ref(), excludes_to) {
                    self.require(&*query)?;
                }
            }
        }
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
        (field, large): (Field, Option<Field>),
        alternatives: &[ScoredValues],
        matcher: impl Fn(&Value) -> Result<Option<ValueMatcher>>,
        scores: bool,
    ) -> Result<()> {
        let mut scored = Vec::new();
        for alternative in alternatives {
            for value in &alternative.values {
                scored.extend(matcher(value)?.map(|matcher| (matcher, alternative.score)));
            }
        }
        self.require(&*any_value_query(field, large, scored.iter().map(|(matcher, _)| matcher)))?;
        if scores {
            self.add_scores(scored, |scored| Boost::from_values(column, scored));
        }
        Ok(())
    }

    fn require(&mut self, query: &dyn Query) -> Result<()> {
        self.conditions.required.push(query.weight(EnableScoring::disabled_from_searcher(self.context.searcher))?);
        Ok(())
    }

    /// Adds the scores of the alternatives of a filter: a constant if they are all equal.
    fn add_scores<T>(&mut self, scored: Vec<(T, f64)>, boost: impl FnOnce(Vec<(T, f64)>) -> Boost) {
        match scored.first() {
            Some((_, first)) if scored.iter().all(|(_, score)| score == first) => self.constants.push(*first),
            Some(_) => self.conditions.boosts.push(boost(scored)),
            None => {}
        }
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
            self.add_scores(scored, |scored| Boost::from_circles(&search_field.column, scored));
        }
        Ok(())
    }
}
