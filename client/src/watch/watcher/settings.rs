//! The settings of a watcher, and the delays after failures that follow from them.

use crate::config::Backoff;
use std::time::Duration;

#[derive(Clone, Debug)]
pub(super) struct Settings {
    /// The objects per page of a list; `None` for a list in one piece.
    pub(super) page_size: Option<u32>,
    pub(super) streaming_lists: bool,
    pub(super) watch_timeout: Duration,
    pub(super) idle_timeout: Duration,
    pub(super) min_backoff: Duration,
    pub(super) max_backoff: Duration,
    pub(super) max_retry_after: Duration,
    /// The resource version to watch from without a list.
    pub(super) start_from: Option<String>,
    /// Whether to list again after each watch that the server ended without an event.
    pub(super) lists_after_end: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            page_size: Some(500),
            streaming_lists: true,
            watch_timeout: Duration::from_secs(290),
            idle_timeout: Duration::from_secs(150),
            min_backoff: Duration::from_millis(500),
            max_backoff: Duration::from_secs(30),
            max_retry_after: Duration::from_secs(60),
            start_from: None,
            lists_after_end: false,
        }
    }
}

/// Without any delay a failing server would get requests in a tight loop.
const MIN_DELAY: Duration = Duration::from_millis(1);

/// The delays of one source: each failure makes the next one longer, until a success.
#[derive(Clone, Debug)]
pub(super) struct Delays {
    backoff: Backoff,
    max_retry_after: Duration,
    failures: u32,
}

impl Delays {
    pub(super) fn new(settings: &Settings) -> Self {
        let (min, max) = (settings.min_backoff, settings.max_backoff);
        Self {
            backoff: Backoff::new(min, max.max(min)),
            max_retry_after: settings.max_retry_after,
            failures: 0,
        }
    }

    /// The longest delay, if the server sets none.
    pub(super) fn max(&self) -> Duration {
        self.backoff.max()
    }

    /// The next delay. When the server set one, that one, up to the maximum, plus the delay that the earlier failures without one have led
    /// to: a server that rejects requests for a while says itself when to come back.
    pub(super) fn next(&mut self, retry_after: Option<Duration>) -> Duration {
        if retry_after.is_none() {
            self.failures = self.failures.saturating_add(1);
        }
        let delay = self.backoff.pause(self.failures.max(1)).max(MIN_DELAY);
        let retry_after = retry_after.unwrap_or_default().min(self.max_retry_after);
        retry_after.saturating_add(delay)
    }

    /// The next delay is at least that after this many failures and one.
    pub(super) fn at_least(&mut self, failures: u32) {
        self.failures = self.failures.max(failures);
    }

    /// A request succeeded.
    pub(super) fn reset(&mut self) {
        self.failures = 0;
    }
}
