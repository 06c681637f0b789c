//! The resources of this process: tasks, file descriptors, memory.

use std::fmt;
use std::fs;
use std::time::Duration;
use tokio::runtime::Handle;
use tokio::time::{Instant, sleep};

/// The longest wait for tasks and connections to end.
const PATIENCE: Duration = Duration::from_secs(60);

/// The numbers of tasks and of open file descriptors.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Resources {
    tasks: usize,
    /// `None` where the system has no `/proc`.
    files: Option<usize>,
}

impl Resources {
    pub(crate) fn now() -> Self {
        Self {
            tasks: Handle::current().metrics().num_alive_tasks(),
            files: fs::read_dir("/proc/self/fd").map(Iterator::count).ok(),
        }
    }

    /// The same with another number of tasks: `more` than `before`.
    pub(crate) fn with_tasks(self, before: &Self, more: usize) -> Self {
        let tasks = before.tasks + more;
        Self { tasks, ..self }
    }

    /// Waits until no more tasks and files are left than these.
    pub(crate) async fn are_back(self) {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let now = Self::now();
            if now.tasks <= self.tasks && now.files <= self.files {
                return;
            }
            assert!(
                Instant::now() < deadline,
                "{now:?} are left, and before there were {self:?}"
            );
            sleep(Duration::from_millis(20)).await;
        }
    }
}

/// The resident memory of this process in KiB, at points of a run. Empty where the system has no `/proc`.
#[derive(Debug, Default)]
pub(crate) struct Memory(Vec<u64>);

impl Memory {
    pub(crate) fn measure(&mut self) {
        let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let number = line.and_then(|line| line.trim().strip_suffix("kB"));
        self.0
            .extend(number.map(|number| number.trim().parse::<u64>().unwrap()));
    }

    /// The medians of the four quarters of the run.
    fn quarters(&self) -> Option<[u64; 4]> {
        let quarter = self.0.len() / 4;
        (quarter > 0).then(|| {
            [0, 1, 2, 3].map(|index| {
                let mut part = self.0[index * quarter..(index + 1) * quarter].to_vec();
                part.sort_unstable();
                part[quarter / 2]
            })
        })
    }

    /// Checks that the second half of the run did not need more memory.
    pub(crate) fn is_flat(&self) {
        assert!(!self.has_grown(), "the memory has grown: {:?} KiB", self.0);
    }

    /// Whether the last quarter needed more than the third one, by more than a twentieth and 4 MiB.
    ///
    /// The number of objects and the server's history are bounded, so nothing may grow with time. The tolerance is for the
    /// allocator, whose free space depends on the order of events.
    fn has_grown(&self) -> bool {
        self.quarters()
            .is_some_and(|[_, _, third, fourth]| fourth > third + third / 20 + 4096)
    }
}

impl fmt::Display for Memory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let part = |index: usize| self.0.get(index).copied().unwrap_or_default();
        let last = self.0.len().saturating_sub(1);
        let [begin, middle, end] = [part(0), part(last / 2), part(last)];
        write!(
            f,
            "{begin} KiB at first, {middle} in the middle, {end} at last"
        )
    }
}

#[test]
fn growing_memory_is_found() {
    let flat = (0..100).map(|step| 50_000 + step % 7 * 100).collect();
    assert!(!Memory(flat).has_grown());
    let growing = (0..100).map(|step| 50_000 + step * 500).collect();
    assert!(Memory(growing).has_grown());
}
