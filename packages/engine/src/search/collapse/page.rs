//! Chooses the groups of a page of collapsed results, and their documents.

use std::cmp::Ordering;
use std::collections::{HashMap, HashSet};

use tantivy::DocId;
use tantivy::columnar::StrColumn;

use crate::failure::Result;
use crate::plan::Plan;
use crate::search::index::cancel_token::CancelToken;
use crate::search::index::snapshot::Snapshot;
use crate::search::order::hits::{Hit, sort_hits};
use crate::search::order::position::Position;
use crate::search::order::sort::{Key, SegmentKey, SortValues};
use crate::search::order::top_k::position_json;

use super::groups::{ALONE, GroupSummary, SegmentHits};

/// A group of the page: its first document, and further ones.
pub struct PageGroup {
    pub hit: Hit,
    pub group: u32,
    pub others: Vec<Hit>,
}

#[derive(Default)]
pub struct GroupPage {
    pub groups: Vec<PageGroup>,
    /// The position of the last group, if more follow.
    pub next: Option<String>,
}

pub struct Pager<'a> {
    pub snapshot: &'a Snapshot,
    pub plan: &'a Plan,
    pub keys: Vec<Key>,
    pub cancel_token: &'a CancelToken,
}

impl Pager<'_> {
    /// Returns the groups of the page, each with up to `best` documents.
    pub fn page(&self, segments: &[SegmentHits], summary: &GroupSummary, best: usize) -> Result<GroupPage> {
        let plan = self.plan;
        if plan.count == 0 {
            return Ok(GroupPage::default());
        }
        // One more group shows whether another page follows.
        let limit = plan.offset.saturating_add(plan.count) + usize::from(plan.after.is_some());
        let mut firsts = Vec::new();
        let mut shown: HashSet<u32> = HashSet::new();
        for (segment, hits) in segments.iter().enumerate() {
            let mut segment_firsts = self.segment_firsts(segment, hits)?;
            self.remove_shown(segment, &mut segment_firsts, &mut shown)?;
            firsts.push(segment_firsts);
            self.cancel_token.check()?;
        }
        let mut candidates = Vec::new();
        for mut segment_firsts in firsts {
            segment_firsts.retain(|(_, group)| !shown.contains(group));
            // The groups of all candidates before one in its segment come before its group too.
            if segment_firsts.len() > limit {
                segment_firsts.select_nth_unstable_by(limit - 1, |(left, _), (right, _)| compare_in_segment(left, right));
                segment_firsts.truncate(limit);
            }
            candidates.append(&mut segment_firsts);
        }
        let group_by_document: HashMap<(usize, DocId), u32> =
            candidates.iter().map(|(hit, group)| ((hit.segment, hit.document), *group)).collect();
        let mut hits: Vec<Hit> = candidates.into_iter().map(|(hit, _)| hit).collect();
        sort_hits(&self.keys, self.snapshot, &mut hits)?;
        let group = |hit: &Hit| group_by_document.get(&(hit.segment, hit.document)).copied().unwrap_or(ALONE);
        let mut seen = HashSet::new();
        hits.retain(|hit| group(hit) == ALONE || seen.insert(group(hit)));
        hits.truncate(limit);
        let mut hits = hits.split_off(plan.offset.min(hits.len()));
        let has_more = plan.after.is_some() && hits.len() > plan.count;
        hits.truncate(plan.count);
        let next = hits.last().filter(|_| has_more).map(|hit| position_json(&self.keys, &self.snapshot.searcher, hit)).transpose()?;
        let is_shared = |hit: &&Hit| group(hit) != ALONE && summary.count(group(hit)) > 1;
        let shared = if best > 1 { hits.iter().filter(is_shared).map(group).collect() } else { HashSet::new() };
        let mut others = self.others(segments, &shared, best)?;
        let groups = hits.into_iter().map(|hit| {
            let group = group(&hit);
            PageGroup { others: others.remove(&group).unwrap_or_default(), hit, group }
        });
        Ok(GroupPage { groups: groups.collect(), next })
    }

    /// Returns the first document of each group in a segment, and the documents without a value.
    fn segment_firsts(&self, segment: usize, hits: &SegmentHits) -> Result<Vec<(Hit, u32)>> {
        let mut reader = self.hit_reader(segment)?;
        let mut firsts: Vec<(Hit, u32)> = Vec::new();
        let mut places: HashMap<u32, usize> = HashMap::new();
        for ((document, score), group) in hits.iter() {
            let hit = reader.hit(document, score);
            if group == ALONE {
                firsts.push((hit, group));
                continue;
            }
            match places.get(&group).and_then(|place| firsts.get_mut(*place)) {
                Some((first, _)) => {
                    if compare_in_segment(&hit, first) == Ordering::Less {
                        *first = hit;
                    }
                }
                None => {
                    places.insert(group, firsts.len());
                    firsts.push((hit, group));
                }
            }
        }
        Ok(firsts)
    }

    /// Removes the documents of earlier pages, and adds their groups to `shown`.
    fn remove_shown(&self, segment: usize, firsts: &mut Vec<(Hit, u32)>, shown: &mut HashSet<u32>) -> Result<()> {
        let Some(after) = self.plan.after.as_deref().filter(|text| !text.is_empty()) else { return Ok(()) };
        let reader = self.snapshot.searcher.segment_reader(segment as u32);
        let position = Position::parse(after)?.for_segment(&self.keys, reader)?;
        firsts.retain(|(hit, group)| {
            let is_later = match position.compare(&hit.sort_values) {
                Ordering::Equal => position.precedes_id(hit.id),
                place => place == Ordering::Greater,
            };
            if !is_later && *group != ALONE {
                shown.insert(*group);
            }
            is_later
        });
        Ok(())
    }

    /// Returns the documents of some groups after the first, up to `best` with it.
    fn others(&self, segments: &[SegmentHits], groups: &HashSet<u32>, best: usize) -> Result<HashMap<u32, Vec<Hit>>> {
        let mut hits_by_group: HashMap<u32, Vec<Hit>> = HashMap::new();
        if groups.is_empty() {
            return Ok(hits_by_group);
        }
        for (segment, hits) in segments.iter().enumerate() {
            let mut reader = self.hit_reader(segment)?;
            let mut segment_hits: HashMap<u32, Vec<Hit>> = HashMap::new();
            for ((document, score), group) in hits.iter().filter(|(_, group)| groups.contains(group)) {
                let group_hits = segment_hits.entry(group).or_default();
                group_hits.push(reader.hit(document, score));
                if group_hits.len() > 2 * best {
                    keep_first(group_hits, best);
                }
            }
            for (group, mut group_hits) in segment_hits {
                keep_first(&mut group_hits, best);
                hits_by_group.entry(group).or_default().append(&mut group_hits);
            }
            self.cancel_token.check()?;
        }
        for hits in hits_by_group.values_mut() {
            sort_hits(&self.keys, self.snapshot, hits)?;
            hits.truncate(best);
            hits.remove(0);
        }
        Ok(hits_by_group)
    }

    fn hit_reader(&self, segment: usize) -> Result<HitReader<'_>> {
        let reader = self.snapshot.searcher.segment_reader(segment as u32);
        let keys = self.keys.iter().map(|key| key.for_segment(reader)).collect::<Result<_>>()?;
        Ok(HitReader { segment, keys, ids: &self.snapshot.columns.segment(segment, reader)?.ids })
    }
}

struct HitReader<'a> {
    segment: usize,
    keys: Vec<SegmentKey>,
    ids: &'a StrColumn,
}

impl HitReader<'_> {
    fn hit(&mut self, document: DocId, score: f64) -> Hit {
        let sort_values: SortValues = self.keys.iter().map(|key| key.sort_value(document, score)).collect();
        let id = self.ids.term_ords(document).next().unwrap_or(u64::MAX);
        Hit { score, sort_values, segment: self.segment, document, id }
    }
}

fn compare_in_segment(left: &Hit, right: &Hit) -> Ordering {
    (&left.sort_values, left.id).cmp(&(&right.sort_values, right.id))
}

fn keep_first(hits: &mut Vec<Hit>, count: usize) {
    hits.sort_unstable_by(compare_in_segment);
    hits.truncate(count);
}
