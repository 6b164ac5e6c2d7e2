//! Merges the segments of an index while nobody writes, because a search of few segments is faster: each segment has its own dictionary.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, Waker};

use tantivy::index::SegmentId;
use tantivy::{FutureResult, IndexWriter, Searcher, SegmentMeta, SegmentReader};

/// The largest segment is left alone unless this share of its documents is deleted, or other segments have this many documents, relative to
/// it. So each document is merged a few times at most, however an index grows.
const CHANGED_SHARE: f64 = 0.25;

/// Larger indexes are left as they are: merging them would take minutes.
const DOCUMENTS_MAX: u32 = 5_000_000;

/// A merge in another thread.
pub struct RestingMerge(Pin<Box<FutureResult<Option<SegmentMeta>>>>);

impl RestingMerge {
    /// Returns `None` if the index has few segments already.
    pub fn start(writer: &mut IndexWriter, searcher: &Searcher) -> Option<RestingMerge> {
        let segments = choose_segments(searcher.segment_readers());
        (!segments.is_empty()).then(|| RestingMerge(Box::pin(writer.merge(&segments))))
    }

    /// A failed merge is done too. It leaves the segments as they are.
    pub fn is_done(&mut self) -> bool {
        matches!(self.0.as_mut().poll(&mut Context::from_waker(Waker::noop())), Poll::Ready(_))
    }
}

fn choose_segments(readers: &[SegmentReader]) -> Vec<SegmentId> {
    let mut segments: Vec<&SegmentReader> = readers.iter().collect();
    segments.sort_by_key(|segment| std::cmp::Reverse(segment.num_docs()));
    let Some((largest, others)) = segments.split_first() else { return Vec::new() };
    let other_documents: u32 = others.iter().map(|segment| segment.num_docs()).sum();
    let changed = f64::from(other_documents.max(largest.num_deleted_docs()));
    let chosen = if changed >= CHANGED_SHARE * f64::from(largest.num_docs()) { segments.as_slice() } else { others };
    let is_worthwhile = chosen.len() > 1 || chosen.iter().any(|segment| segment.num_deleted_docs() > segment.num_docs());
    let documents: u32 = chosen.iter().map(|segment| segment.num_docs()).sum();
    if !is_worthwhile || documents > DOCUMENTS_MAX {
        return Vec::new();
    }
    chosen.iter().map(|segment| segment.segment_id()).collect()
}
