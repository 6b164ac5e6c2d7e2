//! Raises the score of documents in which words of a query stand close together, in the order of the query.
//!
//! Each two neighbouring words of the query count once, in the field where they stand closest: [`BONUS`] if no more words stand between them
//! than in the query, half of it if up to [`FURTHER_WORDS_MAX`] more do. Stop words count only as words in between.

use std::collections::BTreeMap;

use tantivy::postings::{Postings, SegmentPostings};
use tantivy::schema::IndexRecordOption;
use tantivy::{DocId, DocSet, SegmentReader, Term};

use crate::failure::Result;
use crate::plan::{ParsedText, WeightedField};
use crate::schema::IndexSchema;
use crate::search::index::context::SearchContext;
use crate::search::index::found_term::FoundTerm;

/// Added to the sum of BM25 scores.
pub const BONUS: f32 = 2.0;
pub const FURTHER_WORDS_MAX: u32 = 3;

/// Later neighbours do not count.
const PAIRS_MAX: usize = 10;

/// Each two neighbouring words, in each field.
#[derive(Default)]
pub struct Proximity(Vec<Vec<Neighbours>>);

struct Neighbours {
    first: FoundTerm,
    second: FoundTerm,
    /// Number of words between them in the query.
    words_between: u32,
}

impl Proximity {
    pub fn new(schema: &IndexSchema, text: &ParsedText, fields: &[WeightedField]) -> Result<Proximity> {
        let typed: Vec<&str> = text.words.iter().chain(&text.unfinished).map(String::as_str).collect();
        let typed = typed.join(" ");
        let mut pairs: BTreeMap<usize, Vec<Neighbours>> = BTreeMap::new();
        for weighted in fields {
            let (search_field, text_field) = schema.text_field(&weighted.name)?;
            let mut words = text_field.analyzer.words(&typed);
            words.retain(|word| !word.stop);
            for pair in words.windows(2) {
                let [first, second] = pair else { continue };
                if first.text == second.text {
                    continue;
                }
                let term = |text: &str| FoundTerm::new(Term::from_field_text(search_field.field, text));
                pairs.entry(first.position).or_default().push(Neighbours {
                    first: term(&first.text),
                    second: term(&second.text),
                    words_between: (second.position - first.position - 1) as u32,
                });
            }
        }
        Ok(Proximity(pairs.into_values().take(PAIRS_MAX).collect()))
    }

    /// Each two neighbouring words with the number of words between them, by position, in each field.
    pub fn pairs(&self) -> impl Iterator<Item = impl Iterator<Item = (&Term, &Term, u32)>> {
        self.0.iter().map(|pair| pair.iter().map(|Neighbours { first, second, words_between }| (&first.term, &second.term, *words_between)))
    }

    /// Looks up all terms, for searches of several segments and stages.
    pub fn look_up(&mut self, context: &SearchContext) -> Result<()> {
        let neighbours = self.0.iter_mut().flatten();
        neighbours.flat_map(|Neighbours { first, second, .. }| [first, second]).try_for_each(|term| term.look_up(context))
    }

    /// The highest sum of bonuses of a document with this many words of the query.
    pub fn bonus_max(&self, words: usize) -> f32 {
        if words < 2 { 0.0 } else { BONUS * self.0.len() as f32 }
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn for_segment(&self, segment: usize, reader: &SegmentReader) -> Result<SegmentProximity> {
        let pair = |neighbours: &Vec<Neighbours>| {
            let mut fields = Vec::new();
            for Neighbours { first, second, words_between } in neighbours {
                let postings = |term: &FoundTerm| term.postings(segment, reader, IndexRecordOption::WithFreqsAndPositions);
                if let (Some(first), Some(second)) = (postings(first)?, postings(second)?) {
                    fields.push(SegmentNeighbours { first, second, words_between: *words_between });
                }
            }
            Ok(fields)
        };
        let pairs = self.0.iter().map(pair).collect::<Result<_>>()?;
        Ok(SegmentProximity { pairs, bonus_max: self.bonus_max(usize::MAX), first: Vec::new(), second: Vec::new() })
    }
}

pub struct SegmentProximity {
    pairs: Vec<Vec<SegmentNeighbours>>,
    pub bonus_max: f32,
    /// Positions of the two words in a document.
    first: Vec<u32>,
    second: Vec<u32>,
}

struct SegmentNeighbours {
    first: SegmentPostings,
    second: SegmentPostings,
    words_between: u32,
}

impl SegmentProximity {
    /// Returns the sum of the bonuses of a document. Documents must be requested in ascending order.
    pub fn bonus(&mut self, document: DocId) -> f32 {
        let SegmentProximity { pairs, first, second, .. } = self;
        let best = |fields: &mut Vec<SegmentNeighbours>| {
            let bonuses = fields.iter_mut().map(|neighbours| neighbours.bonus(document, first, second));
            bonuses.fold(0.0, f32::max)
        };
        pairs.iter_mut().map(best).sum()
    }
}

impl SegmentNeighbours {
    fn bonus(&mut self, document: DocId, first: &mut Vec<u32>, second: &mut Vec<u32>) -> f32 {
        if !has(&mut self.first, document) || !has(&mut self.second, document) {
            return 0.0;
        }
        self.first.positions(first);
        self.second.positions(second);
        match fewest_words_between(first, second) {
            Some(between) if between <= self.words_between => BONUS,
            Some(between) if between <= self.words_between + FURTHER_WORDS_MAX => BONUS / 2.0,
            _ => 0.0,
        }
    }
}

fn has(postings: &mut SegmentPostings, document: DocId) -> bool {
    if postings.doc() < document {
        postings.seek(document);
    }
    postings.doc() == document
}

/// Returns the smallest number of words between a first position and a later second one.
fn fewest_words_between(first: &[u32], second: &[u32]) -> Option<u32> {
    let mut firsts = first.iter().copied().peekable();
    let mut last_first = None;
    let mut fewest = None;
    for position in second {
        while let Some(first) = firsts.next_if(|first| first < position) {
            last_first = Some(first);
        }
        let between = last_first.map(|first| position - first - 1);
        fewest = fewest.min(between).or(fewest).or(between);
    }
    fewest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_closest_ordered_positions_count() {
        let cases: [(&[u32], &[u32], Option<u32>); 6] = [
            (&[3], &[4], Some(0)),
            (&[4], &[3], None),
            (&[1, 7], &[4, 9], Some(1)),
            (&[1, 8], &[0, 4, 9], Some(0)),
            (&[], &[1], None),
            (&[2], &[2], None),
        ];
        for (first, second, expected) in cases {
            assert_eq!(fewest_words_between(first, second), expected, "{first:?} {second:?}");
        }
    }
}
