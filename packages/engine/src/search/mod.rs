//! Answers a plan over one state of the index.
//!
//! One pass finds, counts, scores and keeps the best: totals, best score and statistics are exact. Where nobody asks for the total, what
//! cannot be among the first is left out (`pruned.rs`); where nobody asks for documents, nothing is scored, and who asks about the same
//! documents again does not have them looked for again (`matched.rs`). With a cutoff the pass only remembers what it found, because what
//! is cut depends on the best score of all.

mod columns;
mod condition;
mod distance;
mod document_set;
mod expansion;
mod facet;
mod facet_days;
mod facet_values;
mod factor;
mod highlight;
mod matched;
mod matching;
mod mix;
mod placed;
mod pruned;
mod segment;
mod similar;
mod sort;
mod term_part;
mod top;
mod visible;
mod words;

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Serialize;
use tantivy::query::Bm25StatisticsProvider;
use tantivy::{Searcher, Term};

use crate::failure::Result;
use crate::generation::Shared;
use crate::plan::Plan;
use crate::schema::IndexSchema;
use crate::snapshot::Snapshot;
use crate::store::Readers;

pub use columns::Columns;
use condition::Conditions;
use document_set::DocumentSet;
use facet::{FacetCounts, FacetReply};
pub use facet_values::FacetValues;
use highlight::Highlighter;
pub use matched::Kept;
use matched::Matched;
use placed::is_pinned;
use pruned::Pruned;
pub use segment::Clock;
use segment::SegmentSearch;
use term_part::Entries;
pub use term_part::KnownTerms;
use top::Top;
pub use visible::Remembered;
use visible::Visible;

/// What a search stands on.
#[derive(Clone, Copy)]
pub struct Ground<'a> {
    searcher: &'a Searcher,
    schema: &'a IndexSchema,
    readers: &'a Readers,
    clock: &'a Clock,
    terms: &'a KnownTerms,
    /// What the restrictions of the plan let through, where it has any: all else must not show in anything.
    visible: Option<&'a Arc<Visible>>,
}

/// What a search found; of the hits their scores and the sequences of their revisions.
#[derive(Serialize)]
pub struct Found {
    pub total: u64,
    pub best: f64,
    pub scores: Vec<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub statistics: Option<[u64; 10]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub facet: Option<FacetReply>,
    /// Of each hit, field by field.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub highlights: Option<Vec<BTreeMap<String, Vec<String>>>>,
    #[serde(skip)]
    pub entities: Vec<String>,
}

pub fn search(snapshot: &Snapshot, shared: &Shared, plan: &Plan, clock: &Clock) -> Result<Found> {
    let Snapshot { searcher, .. } = snapshot;
    let schema = &shared.schema;
    let mut top = Top::new(schema, plan, &snapshot.columns)?;
    let facet = plan.facet.as_ref().map(|request| FacetCounts::new(schema, &shared.facet_values, request)).transpose()?;
    if plan.count == 0 && !plan.statistics && plan.cutoff <= 0.0 {
        return counted(snapshot, shared, plan, facet, clock);
    }
    let conditions = conditions(snapshot, shared, clock, plan)?;
    let mut scores = plan.statistics.then(Vec::new);
    let mut total = 0;
    let mut best = 0.0_f64;
    let mut matched = Vec::new();

    if let Some(pruned) = Pruned::new(searcher, plan, &conditions)? {
        for (segment, reader) in searcher.segment_readers().iter().enumerate() {
            top.enter(segment, reader)?;
            pruned.run(searcher, segment, reader, clock, top.least(), &mut |document, score| {
                total += 1;
                best = best.max(score);
                top.take(document, score);
                top.least()
            })?;
            top.leave();
        }
    } else if plan.cutoff > 0.0 {
        let mut found = Vec::new();
        for (segment, reader) in searcher.segment_readers().iter().enumerate() {
            let mut in_segment = Vec::new();
            SegmentSearch::new(&conditions, segment, reader, true)?
                .run(clock, &mut |document, score| in_segment.push((document, score)))?;
            best = in_segment.iter().filter(|(_, score)| !is_pinned(*score)).fold(best, |best, (_, score)| best.max(*score));
            found.push((segment, in_segment));
        }
        for (segment, in_segment) in found {
            let reader = searcher.segment_reader(segment as u32);
            let mut set = DocumentSet::new(reader.max_doc());
            top.enter(segment, reader)?;
            for (document, score) in in_segment.into_iter().filter(|(_, score)| score / best >= plan.cutoff) {
                total += 1;
                top.take(document, score);
                set.add(document);
                scores.iter_mut().for_each(|scores| scores.push(score));
            }
            top.leave();
            matched.push(set);
            clock.check()?;
        }
    } else {
        for (segment, reader) in searcher.segment_readers().iter().enumerate() {
            let mut set = DocumentSet::new(reader.max_doc());
            top.enter(segment, reader)?;
            SegmentSearch::new(&conditions, segment, reader, true)?.run(clock, &mut |document, score| {
                total += 1;
                if !is_pinned(score) {
                    best = best.max(score);
                }
                top.take(document, score);
                set.add(document);
                scores.iter_mut().for_each(|scores| scores.push(score));
            })?;
            top.leave();
            matched.push(set);
        }
    }
    let matched = Matched::new(matched);
    let facet = facet.map(|facet| facet.into_reply(searcher, &matched, plan.statistics, clock)).transpose()?;
    if plan.total && plan.cutoff <= 0.0 {
        snapshot.kept.keep(plan, matched);
    }

    // Pinned documents are as good as the best of the others, so that these keep their probabilities.
    if best == 0.0 && total > 0 {
        best = 1.0;
    }
    let hits = top.into_page(searcher, plan.offset)?;
    clock.check()?;
    let entities = shared.readers.entities(&top::sequences(snapshot, &hits)?)?;
    let highlights = plan.highlight.as_ref().map(|request| {
        let highlighter = Highlighter::new(schema, &conditions.wanted, request);
        entities.iter().map(|entity| clock.check().map(|()| highlighter.highlights(entity))).collect::<Result<_>>()
    });
    Ok(Found {
        total,
        best,
        scores: hits.iter().map(|hit| hit.score.min(best)).collect(),
        statistics: scores.map(|scores| steps(scores.into_iter(), best)),
        facet,
        highlights: highlights.transpose()?,
        entities,
    })
}

/// Where neither documents nor their scores are wanted.
fn counted(snapshot: &Snapshot, shared: &Shared, plan: &Plan, facet: Option<FacetCounts>, clock: &Clock) -> Result<Found> {
    let Snapshot { searcher, .. } = snapshot;
    let matched = snapshot.kept.matched(plan, || Matched::of(&conditions(snapshot, shared, clock, plan)?, searcher, clock))?;
    clock.check()?;
    let total = matched.documents();
    Ok(Found {
        total,
        best: if total > 0 { 1.0 } else { 0.0 },
        scores: Vec::new(),
        statistics: None,
        facet: facet.map(|facet| facet.into_reply(searcher, &matched, false, clock)).transpose()?,
        highlights: plan.highlight.as_ref().map(|_| Vec::new()),
        entities: Vec::new(),
    })
}

impl<'a> Ground<'a> {
    /// Where each segment has the term.
    fn entries(&self, term: &Term) -> Result<Entries> {
        self.terms.entries(self.searcher, term)
    }

    /// What scores are made of.
    fn statistics(&self) -> &'a dyn Bm25StatisticsProvider {
        match self.visible {
            Some(visible) => visible.as_ref(),
            None => self.searcher,
        }
    }
}

fn conditions(snapshot: &Snapshot, shared: &Shared, clock: &Clock, plan: &Plan) -> Result<Conditions> {
    let Shared { schema, readers, .. } = shared;
    let whole = Ground { searcher: &snapshot.searcher, schema, readers, clock, terms: &snapshot.terms, visible: None };
    let visible = snapshot.remembered.visible(&whole, &plan.restrictions)?;
    let ground = Ground { visible: visible.as_ref(), ..whole };
    Conditions::new(&ground, &plan.nodes.iter().collect::<Vec<_>>(), &[])
}

/// The ids of all documents that the plan finds, whatever page it asks for.
pub fn ids_of_matching(snapshot: &Snapshot, shared: &Shared, plan: &Plan) -> Result<Vec<String>> {
    let clock = Clock::never();
    let Snapshot { searcher, .. } = snapshot;
    let conditions = conditions(snapshot, shared, &clock, plan)?;
    let mut found = Vec::new();
    for (segment, reader) in searcher.segment_readers().iter().enumerate() {
        SegmentSearch::new(&conditions, segment, reader, true)?
            .run(&clock, &mut |document, score| found.push((segment, document, score)))?;
    }
    let best = found.iter().fold(0.0_f64, |best, (_, _, score)| best.max(*score));
    found.retain(|(_, _, score)| plan.cutoff <= 0.0 || score / best >= plan.cutoff);
    let documents: Vec<_> = found.iter().map(|(segment, document, _)| (*segment, *document)).collect();
    top::ids(searcher, &documents)
}

/// How many of the values are at least 0.9, 0.8, … 0.0 of the largest.
fn steps(values: impl Iterator<Item = f64>, largest: f64) -> [u64; 10] {
    const STEPS: [f64; 10] = [0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1, 0.0];
    let mut counts = [0; 10];
    for value in values {
        let probability = value / largest;
        for (count, step) in counts.iter_mut().zip(STEPS) {
            *count += u64::from(probability >= step);
        }
    }
    counts
}
