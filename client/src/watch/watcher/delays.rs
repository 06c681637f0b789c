//! The delays after failures.

use super::settings::Settings;
use crate::config::Backoff;
use std::time::Duration;

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

    /// A request succeeded.
    pub(super) fn reset(&mut self) {
        self.failures = 0;
    }
}
