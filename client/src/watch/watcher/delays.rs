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

#[cfg(test)]
mod tests {
    use super::*;

    const fn ms(millis: u64) -> Duration {
        Duration::from_millis(millis)
    }

    fn delays(min: Duration, max: Duration) -> Delays {
        Delays::new(&Settings {
            min_backoff: min,
            max_backoff: max,
            max_retry_after: ms(9000),
            ..Settings::default()
        })
    }

    #[test]
    fn delays_grow_to_the_longest_until_a_success() {
        let mut delays = delays(ms(100), ms(1000));
        for full in [100, 200, 400, 800, 1000, 1000] {
            let delay = delays.next(None);
            assert!(
                delay >= ms(full / 2) && delay <= ms(full),
                "{delay:?} of {full}"
            );
        }
        delays.reset();
        assert!(delays.next(None) <= ms(100));
    }

    #[test]
    fn the_server_may_set_a_longer_delay_up_to_a_maximum() {
        let mut delays = delays(ms(100), ms(100));
        for (wanted, at_least) in [(5000, 5000), (9000, 9000), (3_600_000, 9000)] {
            let delay = delays.next(Some(ms(wanted)));
            assert!(
                delay >= ms(at_least + 50) && delay <= ms(at_least + 100),
                "{delay:?}"
            );
        }
        let delay = delays.next(Some(ms(10)));
        assert!(delay >= ms(60) && delay <= ms(110), "{delay:?}");
    }

    #[test]
    fn delays_of_the_server_do_not_grow_unless_other_failures_come_between() {
        let mut delays = delays(ms(100), ms(10_000));
        let at_most = |delay: Duration, longest| assert!(delay <= ms(longest), "{delay:?}");
        for _ in 0..20 {
            at_most(delays.next(Some(ms(1000))), 1100);
        }
        delays.next(None);
        at_most(delays.next(Some(ms(1000))), 1100);
        for _ in 0..3 {
            delays.next(None);
        }
        let delay = delays.next(Some(ms(1000)));
        assert!(delay >= ms(1400), "{delay:?}");
    }

    #[test]
    fn no_delay_is_zero() {
        let mut delays = delays(Duration::ZERO, Duration::ZERO);
        assert!(delays.next(None) > Duration::ZERO);
    }
}
