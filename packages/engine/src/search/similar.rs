//! Documents like a given one: those that share its most telling words.

use std::collections::BTreeMap;

use tantivy::columnar::Column;
use tantivy::{Searcher, Term};

use crate::failure::Result;
use crate::plan::{Node, ScoredValues, Value, WeightedField};
use crate::schema::SEQUENCE_COLUMN;

use super::Ground;
use super::condition::Conditions;
use super::segment::SegmentSearch;
use super::words::{Wanted, text_field};

/// So many words of a document tell what it is about.
const TELLING_WORDS_MAX: usize = 25;

/// Words of a long document that are looked at: each costs a look into the index.
const WORDS_MAX: usize = 5_000;

/// The words to look for, each as if it were typed as often as the document has it. Nothing where there is no such document among those
/// that the one who asks may see: what a row filter hides must not show in what is like it.
pub fn telling_words(ground: &Ground, id: &str, fields: &[WeightedField]) -> Result<Option<Wanted>> {
    let fields = fields.iter().map(|weighted| Ok((weighted, text_field(ground.schema, &weighted.name)?))).collect::<Result<Vec<_>>>()?;
    let Some(entity) = visible_entity(ground, id)? else { return Ok(None) };
    let documents = ground.visible.map_or_else(|| ground.searcher.num_docs(), |visible| visible.documents()) as f32;
    let mut telling = Vec::new();
    let attributes = ground.schema.texts(&entity);
    for (weighted, (search_field, text_field)) in fields {
        let mut counts: BTreeMap<Term, f32> = BTreeMap::new();
        let texts = attributes.iter().filter(|(name, _)| *name == weighted.name).flat_map(|(_, texts)| texts);
        let words = texts.flat_map(|text| text_field.analyser.words(text)).filter(|word| !word.stop);
        words.take(WORDS_MAX).for_each(|word| *counts.entry(Term::from_field_text(search_field.field, &word.text)).or_default() += 1.0);
        ground.clock.check()?;
        for (term, count) in counts {
            let frequency = ground.statistics().doc_freq(&term)? as f32;
            // What only this document has finds no other.
            if frequency > 1.0 {
                let weight = weighted.weight * count;
                telling.push((weight * (1.0 + documents / frequency).ln(), term, weight));
            }
        }
    }
    telling.sort_unstable_by(|left, right| right.0.total_cmp(&left.0).then_with(|| left.1.cmp(&right.1)));
    telling.truncate(TELLING_WORDS_MAX);
    let mut wanted = Wanted::default();
    telling.into_iter().for_each(|(_, term, weight)| *wanted.terms.entry(term).or_default() += weight);
    Ok(Some(wanted))
}

/// The entity as it was indexed.
fn visible_entity(ground: &Ground, id: &str) -> Result<Option<String>> {
    let lookup = Node::Lookup { alternatives: vec![ScoredValues { score: 1.0, values: vec![Value::Text(id.to_owned())] }] };
    let conditions = Conditions::new(ground, &[&lookup], &[])?;
    for (segment, reader) in ground.searcher.segment_readers().iter().enumerate() {
        let mut found = None;
        SegmentSearch::new(&conditions, segment, reader, false)?.run(ground.clock, &mut |document, _| found = Some(document))?;
        if let Some(document) = found {
            return entity(ground, ground.searcher, segment, document);
        }
    }
    Ok(None)
}

fn entity(ground: &Ground, searcher: &Searcher, segment: usize, document: u32) -> Result<Option<String>> {
    let column: Column<u64> = searcher.segment_reader(segment as u32).fast_fields().u64(SEQUENCE_COLUMN)?;
    let Some(sequence) = column.first(document) else { return Ok(None) };
    Ok(ground.readers.entities(&[sequence])?.pop())
}
