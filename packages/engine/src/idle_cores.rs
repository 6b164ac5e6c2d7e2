//! Counts the searches of this process, to know whether a core is idle.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// With more waiting searches, none uses a further core: searches of several threads take a little more time of all cores. A page of results
/// with facets sends five searches at once.
const WAITING_MAX: usize = 4;

static WAITING: AtomicUsize = AtomicUsize::new(0);
static RUNNING: AtomicUsize = AtomicUsize::new(0);

/// Further threads of running searches.
static HELPERS: AtomicUsize = AtomicUsize::new(0);

/// The number of cores that this process may use.
pub fn cores() -> usize {
    static CORES: OnceLock<usize> = OnceLock::new();
    *CORES.get_or_init(|| thread::available_parallelism().map_or(1, usize::from))
}

/// Counts one until it is dropped.
struct Count(&'static AtomicUsize);

impl Count {
    fn add_to(count: &'static AtomicUsize) -> Count {
        count.fetch_add(1, Ordering::Relaxed);
        Count(count)
    }
}

impl Drop for Count {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

pub struct WaitingSearch(Count);

impl WaitingSearch {
    pub fn count() -> WaitingSearch {
        WaitingSearch(Count::add_to(&WAITING))
    }

    /// Runs the search.
    pub fn run(self, search: impl FnOnce()) {
        let _running = Count::add_to(&RUNNING);
        drop(self.0);
        search();
    }
}

/// A core that helps a search, until it is dropped.
pub struct Helper {
    ignores_load: bool,
    _count: Count,
}

impl Helper {
    /// Returns `None` if no core is idle.
    pub fn claim(ignores_load: bool) -> Option<Helper> {
        Some(Helper { ignores_load, _count: Count::add_to(&HELPERS) }).filter(Helper::has_core)
    }

    /// Whether there is still a core for each search and each helper.
    pub fn has_core(&self) -> bool {
        let has_core = || RUNNING.load(Ordering::Relaxed) + HELPERS.load(Ordering::Relaxed) <= cores();
        self.ignores_load || (WAITING.load(Ordering::Relaxed) <= WAITING_MAX && has_core())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_core_helps_while_searches_wait_or_each_core_has_one() {
        let waiting: Vec<WaitingSearch> = (0..=WAITING_MAX).map(|_| WaitingSearch::count()).collect();
        assert!(Helper::claim(false).is_none());
        assert!(Helper::claim(true).is_some());
        drop(waiting);
        let running: Vec<Count> = (0..cores()).map(|_| Count::add_to(&RUNNING)).collect();
        assert!(Helper::claim(false).is_none());
        drop(running);
    }
}
