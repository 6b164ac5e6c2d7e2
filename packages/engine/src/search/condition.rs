//! The nodes of a plan as conditions on documents.

use std::ops::Bound;
use std::sync::Arc;

use tantivy::Term;
use tantivy::query::{BooleanQuery, EmptyQuery, EnableScoring, Query, RangeQuery, TermSetQuery, Weight};

use crate::failure::{Failure, Result};
use crate::plan::{Circle, Node, ParsedText, ScoredCircles, ScoredValues, Value, WeightedField};
use crate::schema::{ID_COLUMN, SearchField};
use crate::spec::FieldKind;
use crate::values::{number_text, parse_date, parse_number, plain_zero};

use super::Ground;
use super::distance::Within;
use super::factor::{Factor, Keys};
use super::matching::Matching;
use super::mix::{self, Listed, Mix};
use super::placed::Placed;
use super::similar;
use super::visible::Visible;
use super::words::{self, Wanted};

/// What a document must satisfy, and what its score is made of. The order of the nodes leaves no trace here.
#[derive(Default)]
pub struct Conditions {
    /// All others are as if they were not there.
    pub visible: Option<Arc<Visible>>,
    /// Of each text whether its score counts.
    pub matches: Vec<(Matching, bool)>,
    /// The documents of each mix, and whether its scores count.
    pub mixes: Vec<(Listed, bool)>,
    pub required: Vec<Box<dyn Weight>>,
    pub excluded: Vec<Matching>,
    /// Documents found by something else than their words that must not be there.
    pub excluded_others: Vec<Box<dyn Weight>>,
    pub factors: Vec<Factor>,
    /// Documents that stand first or last whatever they score.
    pub placed: Placed,
    /// Product of the scores that all documents share.
    pub constant: f64,
    /// No document can satisfy them.
    pub impossible: bool,
    /// What the texts of all match nodes look for, to be highlighted.
    pub wanted: Vec<Wanted>,
}

impl Conditions {
    /// Of nodes whose scores count, and silent ones.
    pub fn new(ground: &Ground, nodes: &[&Node], silent: &[&Node]) -> Result<Conditions> {
        let mut conditions = Conditions { constant: 1.0, visible: ground.visible.cloned(), ..Conditions::default() };
        let mut compiler = Compiler { ground, constants: Vec::new(), conditions: &mut conditions };
        nodes.iter().try_for_each(|node| compiler.add(node, true))?;
        silent.iter().try_for_each(|node| compiler.add(node, false))?;
        // Products of decimals depend on their order in the last bit.
        let mut constants = compiler.constants;
        constants.sort_by(f64::total_cmp);
        conditions.constant = constants.into_iter().product();
        conditions.factors.sort_by_cached_key(Factor::key);
        conditions.add_mixes(ground, nodes, silent)?;
        Ok(conditions)
    }

    /// A document needs nothing but its text to be found, and its score nothing else either.
    pub fn are_only_matches(&self) -> bool {
        let nothing_else = self.mixes.is_empty() && self.required.is_empty() && self.factors.is_empty() && self.placed.is_empty();
        nothing_else && self.visible.is_none() && self.excluded.is_empty() && self.excluded_others.is_empty() && !self.impossible
    }

    /// A mix is made of the documents that all the other nodes let through.
    fn add_mixes(&mut self, ground: &Ground, nodes: &[&Node], silent: &[&Node]) -> Result<()> {
        let mut mixes = Vec::new();
        let mut frame = Vec::new();
        for (node, scores) in nodes.iter().map(|node| (*node, true)).chain(silent.iter().map(|node| (*node, false))) {
            match node {
                Node::Mix { parts, by } => mixes.push((Mix { parts, by: *by }, scores)),
                other => frame.push(other),
            }
        }
        if mixes.is_empty() {
            return Ok(());
        }
        let (mixes, scores): (Vec<_>, Vec<_>) = mixes.into_iter().unzip();
        self.mixes = mix::listed(ground, &mixes, &frame, self)?.into_iter().zip(scores).collect();
        Ok(())
    }
}

struct Compiler<'a> {
    ground: &'a Ground<'a>,
    constants: Vec<f64>,
    conditions: &'a mut Conditions,
}

impl Compiler<'_> {
    fn add(&mut self, node: &Node, scores: bool) -> Result<()> {
        match node {
            // Mixes are added when all else is known.
            Node::All | Node::Mix { .. } => Ok(()),
            Node::Match { text, fields, typos, pinned, buried } => {
                if scores {
                    self.conditions.placed.add(pinned, buried);
                }
                self.add_match(text, fields, *typos, pinned, scores)
            }
            Node::Filter { field, alternatives } => {
                let search_field = self.ground.schema.field(field)?;
                let keys = |value: &Value| field_keys(search_field, field, value);
                self.add_filter(&search_field.column, Some(search_field), alternatives, keys, scores)
            }
            Node::Lookup { alternatives } => self.add_filter(ID_COLUMN, None, alternatives, |value| Ok(Some(Keys::text(value))), scores),
            Node::Distance { field, alternatives } => self.add_distance(field, alternatives, scores),
            Node::Range { field, from, to } => self.add_range(field, from.as_ref(), to.as_ref()),
            Node::Similar { id, fields } => self.add_similar(id, fields, scores),
            Node::Nearest {} => Err(not_yet("nearest")),
        }
    }

    fn add_match(&mut self, text: &ParsedText, fields: &[WeightedField], typos: bool, pinned: &[String], scores: bool) -> Result<()> {
        let wanted = words::wanted(self.ground, text, fields, typos)?;
        let excluded = words::excluded(self.ground.schema, text, fields)?;
        if !(text.words.is_empty() && text.phrases.is_empty() && text.unfinished.is_none()) {
            let mut matching = Matching::new(self.ground, &wanted)?;
            if !pinned.is_empty() {
                let ids = pinned.iter().map(|id| Term::from_field_text(self.ground.schema.id, id));
                matching.add_documents(TermSetQuery::new(ids).weight(EnableScoring::disabled_from_searcher(self.ground.searcher))?);
            }
            self.conditions.impossible |= matching.is_empty();
            self.conditions.matches.push((matching, scores));
            self.conditions.wanted.extend(scores.then_some(wanted));
        }
        let excluded = Matching::new(self.ground, &excluded)?;
        if !excluded.is_empty() {
            self.conditions.excluded.push(excluded);
        }
        Ok(())
    }

    fn add_similar(&mut self, id: &str, fields: &[WeightedField], scores: bool) -> Result<()> {
        let Some(wanted) = similar::telling_words(self.ground, id, fields)? else {
            self.conditions.impossible = true;
            return Ok(());
        };
        let matching = Matching::new(self.ground, &wanted)?;
        self.conditions.impossible |= matching.is_empty();
        self.conditions.matches.push((matching, scores));
        let itself = TermSetQuery::new([Term::from_field_text(self.ground.schema.id, id)]);
        self.conditions.excluded_others.push(itself.weight(EnableScoring::disabled_from_searcher(self.ground.searcher))?);
        Ok(())
    }

    fn add_range(&mut self, name: &str, from: Option<&Value>, to: Option<&Value>) -> Result<()> {
        let search_field = self.ground.schema.field(name)?;
        if matches!(search_field.kind, FieldKind::Boolean) {
            return Err(Failure::unsupported(format!("the embedded engine has no range of `{name}`, a boolean field")));
        }
        let keys = |end: Option<&Value>| end.map(|value| field_keys(search_field, name, value)).transpose();
        let (from, to) = match (keys(from)?, keys(to)?) {
            // An end that is no value of the field is before or after nothing.
            (Some(None), _) | (_, Some(None)) => {
                self.conditions.impossible = true;
                return Ok(());
            }
            (from, to) => (from.flatten(), to.flatten()),
        };
        let field = search_field.field;
        let lower = from.map(|key| match key {
            Keys::Text(text) => Term::from_field_text(field, &text),
            Keys::Number(bits) => Term::from_field_f64(field, f64::from_bits(bits)),
            Keys::Boolean(truth) => Term::from_field_bool(field, truth),
            Keys::Moments(first, _) => Term::from_field_i64(field, first),
        });
        let upper = to.map(|key| match key {
            Keys::Text(text) => Term::from_field_text(field, &text),
            Keys::Number(bits) => Term::from_field_f64(field, f64::from_bits(bits)),
            Keys::Boolean(truth) => Term::from_field_bool(field, truth),
            Keys::Moments(_, last) => Term::from_field_i64(field, last),
        });
        let query: Box<dyn Query> = match (lower, upper) {
            (None, None) => return Ok(()),
            (Some(lower), Some(upper)) if upper < lower => Box::new(EmptyQuery),
            (lower, upper) => {
                let bound = |term: Option<Term>| term.map_or(Bound::Unbounded, Bound::Included);
                Box::new(RangeQuery::new(bound(lower), bound(upper)))
            }
        };
        self.conditions.required.push(query.weight(EnableScoring::disabled_from_searcher(self.ground.searcher))?);
        Ok(())
    }

    fn add_filter(
        &mut self,
        column: &str,
        search_field: Option<&SearchField>,
        alternatives: &[ScoredValues],
        keys: impl Fn(&Value) -> Result<Option<Keys>>,
        scores: bool,
    ) -> Result<()> {
        let mut scored = Vec::new();
        for alternative in alternatives {
            for value in &alternative.values {
                if let Some(key) = keys(value)? {
                    scored.push((key, alternative.score));
                }
            }
        }
        let field = search_field.map_or(self.ground.schema.id, |search_field| search_field.field);
        let mut terms = Vec::new();
        let mut queries: Vec<Box<dyn Query>> = Vec::new();
        for (key, _) in &scored {
            match key {
                Keys::Text(text) => terms.push(Term::from_field_text(field, text)),
                Keys::Number(bits) => terms.push(Term::from_field_f64(field, f64::from_bits(*bits))),
                Keys::Boolean(truth) => terms.push(Term::from_field_bool(field, *truth)),
                Keys::Moments(from, to) if from == to => terms.push(Term::from_field_i64(field, *from)),
                Keys::Moments(from, to) => queries.push(Box::new(RangeQuery::new(
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
        self.conditions.required.push(query.weight(EnableScoring::disabled_from_searcher(self.ground.searcher))?);
        if scores {
            match scored.first() {
                Some((_, first)) if scored.iter().all(|(_, score)| score == first) => self.constants.push(*first),
                Some(_) => self.conditions.factors.push(Factor::of_values(column, scored)),
                None => {}
            }
        }
        Ok(())
    }

    fn add_distance(&mut self, name: &str, alternatives: &[ScoredCircles], scores: bool) -> Result<()> {
        let search_field = self.ground.schema.field(name)?;
        let Some(longitude) = search_field.longitude else {
            let kind = search_field.kind.name();
            return Err(Failure::unsupported(format!("the embedded engine has no distances for `{name}`, a {kind} field")));
        };
        let scored: Vec<(Circle, f64)> =
            alternatives.iter().flat_map(|alternative| alternative.circles.iter().map(|circle| (*circle, alternative.score))).collect();
        let circles = scored.iter().map(|(circle, _)| *circle).collect();
        let within = Within::new(self.ground.searcher, &search_field.column, [search_field.field, longitude], circles)?;
        self.conditions.required.push(Box::new(within));
        if scores {
            match scored.first() {
                Some((_, first)) if scored.iter().all(|(_, score)| score == first) => self.constants.push(*first),
                Some(_) => self.conditions.factors.push(Factor::of_circles(&search_field.column, scored)),
                None => {}
            }
        }
        Ok(())
    }
}

/// What the field's column must hold for the value to be there; nothing when no document can have it.
fn field_keys(search_field: &SearchField, name: &str, value: &Value) -> Result<Option<Keys>> {
    Ok(match (&search_field.kind, value) {
        (FieldKind::Keyword, value) => Some(Keys::text(value)),
        (FieldKind::Number, Value::Number(number)) => Some(Keys::Number(plain_zero(*number).to_bits())),
        (FieldKind::Number, Value::Text(text)) => parse_number(text).map(|number| Keys::Number(number.to_bits())),
        (FieldKind::Boolean, Value::Boolean(truth)) => Some(Keys::Boolean(*truth)),
        (FieldKind::Boolean, Value::Text(text)) => text.parse().ok().map(Keys::Boolean),
        (FieldKind::Date, Value::Text(text)) => parse_date(text).map(|(from, to)| Keys::Moments(from, to)),
        (FieldKind::Number | FieldKind::Boolean | FieldKind::Date, _) => None,
        (FieldKind::Text { .. } | FieldKind::Geo, _) => {
            let kind = search_field.kind.name();
            return Err(Failure::unsupported(format!("the embedded engine cannot filter `{name}`, a {kind} field")));
        }
    })
}

impl Keys {
    fn text(value: &Value) -> Keys {
        Keys::Text(match value {
            Value::Text(text) => text.clone(),
            Value::Number(number) => number_text(*number),
            Value::Boolean(truth) => truth.to_string(),
        })
    }
}

fn not_yet(node: &str) -> Failure {
    Failure::unsupported(format!("the embedded engine cannot do `{node}` yet"))
}
