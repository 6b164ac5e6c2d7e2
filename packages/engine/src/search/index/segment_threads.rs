//! Searches the segments of a heavy query on several threads, while cores are idle. Without an idle core, or if another search arrives, one
//! thread searches them one after another. The documents found are the same.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use rayon_core::{ThreadPool, ThreadPoolBuilder};
use tantivy::SegmentReader;

use crate::failure::Result;
use crate::idle_cores::{Helper, cores};

/// When a query uses several threads.
#[derive(Clone, Copy)]
pub struct SegmentThreads {
    /// The least number of documents that a query reads, for each thread.
    pub documents_min: u64,
    /// Whether there is always a further thread, for tests.
    pub ignores_load: bool,
}

impl SegmentThreads {
    pub const NEVER: SegmentThreads = SegmentThreads { documents_min: u64::MAX, ignores_load: false };
}

impl Default for SegmentThreads {
    fn default() -> SegmentThreads {
        SegmentThreads::NEVER
    }
}

/// The state of a thread while it searches one segment after another.
pub trait SegmentState: Send {
    /// Returns the state of a further thread.
    fn fork(&mut self) -> Self;

    /// Adds what a further thread found.
    fn join(&mut self, fork: Self);
}

impl SegmentState for () {
    fn fork(&mut self) {}
    fn join(&mut self, (): ()) {}
}

impl SegmentThreads {
    /// Calls `search` with each segment, and returns its results in the order of the segments. `documents` estimates how many documents it
    /// reads in all.
    pub fn run<S: SegmentState, R: Send>(
        self,
        readers: &[SegmentReader],
        documents: u64,
        state: &mut S,
        search: impl Fn(&mut S, usize, &SegmentReader) -> Result<R> + Sync,
    ) -> Result<Vec<R>> {
        let helpers = self.claim_helpers(readers.len(), documents);
        let Some(pool) = helpers.first().and_then(|_| pool()) else {
            return readers.iter().enumerate().map(|(segment, reader)| search(state, segment, reader)).collect();
        };
        let queue = SegmentQueue::new(readers);
        let run_segments = |state: &mut S, helper: Option<&Helper>| -> Result<Vec<(usize, R)>> {
            let mut results = Vec::new();
            while helper.is_none_or(Helper::has_core)
                && let Some(segment) = queue.next()
            {
                let result = search(state, segment, &readers[segment]).inspect_err(|_| queue.end())?;
                results.push((segment, result));
            }
            Ok(results)
        };
        let mut forks: Vec<_> = helpers.into_iter().map(|helper| (helper, state.fork(), Ok(Vec::new()))).collect();
        let own = pool.in_place_scope(|scope| {
            for (helper, fork, results) in &mut forks {
                scope.spawn(|_| *results = run_segments(fork, Some(helper)));
            }
            run_segments(state, None)
        });
        let mut results = own?;
        for (helper, fork, fork_results) in forks {
            drop(helper);
            results.append(&mut fork_results?);
            state.join(fork);
        }
        results.sort_unstable_by_key(|(segment, _)| *segment);
        Ok(results.into_iter().map(|(_, result)| result).collect())
    }

    fn claim_helpers(self, segments: usize, documents: u64) -> Vec<Helper> {
        let threads = documents.checked_div(self.documents_min).map_or(segments, |threads| segments.min(threads as usize));
        let helpers_max = threads.saturating_sub(1).min(if self.ignores_load { 1 } else { cores() - 1 });
        (0..helpers_max).map_while(|_| Helper::claim(self.ignores_load)).collect()
    }
}

/// The segments that no thread has taken yet, the largest first.
struct SegmentQueue {
    segments: Vec<usize>,
    taken: AtomicUsize,
    has_ended: AtomicBool,
}

impl SegmentQueue {
    fn new(readers: &[SegmentReader]) -> SegmentQueue {
        let mut segments: Vec<usize> = (0..readers.len()).collect();
        segments.sort_by_key(|segment| std::cmp::Reverse(readers[*segment].max_doc()));
        SegmentQueue { segments, taken: AtomicUsize::new(0), has_ended: AtomicBool::new(false) }
    }

    fn next(&self) -> Option<usize> {
        if self.has_ended.load(Ordering::Relaxed) {
            return None;
        }
        self.segments.get(self.taken.fetch_add(1, Ordering::Relaxed)).copied()
    }

    /// Other threads take no more segments.
    fn end(&self) {
        self.has_ended.store(true, Ordering::Relaxed);
    }
}

/// The threads beside those that search, started by the first heavy query; `None` if they cannot start.
fn pool() -> Option<&'static ThreadPool> {
    static POOL: OnceLock<Option<ThreadPool>> = OnceLock::new();
    let start = || {
        let threads = cores().saturating_sub(1).max(1);
        ThreadPoolBuilder::new().num_threads(threads).thread_name(|number| format!("querent-segment-{number}")).build().ok()
    };
    POOL.get_or_init(start).as_ref()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::search::index::fast_paths::FastPaths;
    use crate::search::test_index::{CATALOG, few_conditions, match_nodes, nodes};

    proptest! {
        #![proptest_config(ProptestConfig { cases: 100, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn several_threads_find_what_one_finds(
            match_node in match_nodes(),
            conditions in few_conditions(),
            restrictions in few_conditions(),
            (total, statistics, has_facet) in (any::<bool>(), any::<bool>(), any::<bool>()),
            (is_by_field, offset, count) in (any::<bool>(), 0..5_usize, 0..30_usize),
        ) {
            let all_nodes = [vec![match_node], nodes(&conditions)].concat();
            let by_field = json!({ "by": "field", "field": "price", "order": "descending" });
            let mut plan = json!({
                "nodes": all_nodes,
                "restrictions": nodes(&restrictions),
                "order": if is_by_field { vec![by_field, json!({ "by": "score" })] } else { vec![json!({ "by": "score" })] },
                "offset": offset, "count": count, "total": total, "statistics": statistics,
            });
            if has_facet {
                plan["facet"] = json!({ "field": "tags", "offset": 0, "count": 9 });
            }
            for fast_paths in [FastPaths::ALWAYS, FastPaths::WITHOUT_UNIONS, FastPaths::NEVER] {
                let one = CATALOG.with_fast_paths(FastPaths { segment_threads: SegmentThreads::NEVER, ..fast_paths }).find(&plan);
                let several = CATALOG.with_fast_paths(FastPaths { segment_threads: FastPaths::ALWAYS.segment_threads, ..fast_paths }).find(&plan);
                prop_assert_eq!(&several.hits, &one.hits);
                prop_assert_eq!((several.best, several.statistics, &several.facet), (one.best, one.statistics, &one.facet));
                prop_assert_eq!((&several.next, &several.relaxed), (&one.next, &one.relaxed));
                // Without a total, it is the number of documents visited.
                let totals = if total || statistics { (several.total, one.total) } else { (several.total.min(1), one.total.min(1)) };
                prop_assert_eq!(totals.0, totals.1);
            }
        }
    }

    #[test]
    fn the_first_failure_ends_the_search_of_all_segments() {
        let readers = CATALOG.snapshot.searcher.segment_readers();
        let threads = FastPaths::ALWAYS.segment_threads;
        let searched = AtomicUsize::new(0);
        let result = threads.run(readers, 1, &mut (), |(), segment, _| {
            searched.fetch_add(1, Ordering::Relaxed);
            if segment == 0 { Err(crate::failure::Failure::cancelled()) } else { Ok(()) }
        });
        assert_eq!(result.unwrap_err().code, crate::failure::Code::Cancelled);
        assert!(searched.into_inner() <= readers.len());
    }
}
