//! The names that are due, now or after a pause.

use std::collections::BTreeMap;
use std::time::Duration;
use tokio::time::{Instant, sleep_until};

const FIRST: Duration = Duration::from_millis(500);
const LONGEST: Duration = Duration::from_secs(60);

/// Names, each with the time at which it is due. A name is in it at most once.
#[derive(Default)]
pub(crate) struct Queue {
    due: BTreeMap<String, Instant>,
    /// The number of failures in a row.
    failures: BTreeMap<String, u32>,
}

impl Queue {
    /// Makes names due now.
    pub(crate) fn add(&mut self, names: impl IntoIterator<Item = String>) {
        let now = Instant::now();
        self.due.extend(names.into_iter().map(|name| (name, now)));
    }

    /// Makes a name due after a pause. By default the pause doubles with each failure.
    pub(crate) fn retry(&mut self, name: String, pause: Option<Duration>) {
        let failures = self.failures.entry(name.clone()).or_default();
        let pause = pause.unwrap_or_else(|| LONGEST.min(FIRST * 2_u32.pow(*failures)));
        *failures = (*failures + 1).min(10);
        self.due.insert(name, Instant::now() + pause);
    }

    /// Forgets the failures of a name.
    pub(crate) fn done(&mut self, name: &str) {
        self.failures.remove(name);
    }

    /// Waits for the next name that is due, and removes it. Cancel safe.
    pub(crate) async fn next(&mut self) -> String {
        let first = self.due.iter().min_by_key(|(_, due)| **due);
        let Some((name, due)) = first.map(|(name, due)| (name.clone(), *due)) else {
            return std::future::pending().await;
        };
        sleep_until(due).await;
        self.due.remove(&name);
        name
    }
}
