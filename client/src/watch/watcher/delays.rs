//! The delays after failures.

use crate::config::Backoff;
use std::time::Duration;

/// Without any delay a failing server would get requests in a tight loop.
const MIN_DELAY: Duration = Duration::from_millis(1);

/// The delays of one source: each failure makes the next one longer, until a success.
#[derive(Clone, Debug)]
pub(super) struct Delays {
    backoff: Backoff,
    failures: u32,
}

impl Delays {
    pub(super) fn new(min: Duration, max: Duration) -> Self {
        Self {
            backoff: Backoff::new(min, max.max(min)),
            failures: 0,
        }
    }

    /// The next delay. When the server set a longer one, that one plus a random part.
    pub(super) fn next(&mut self, retry_after: Option<Duration>) -> Duration {
        self.failures = self.failures.saturating_add(1);
        let delay = self.backoff.pause(self.failures).max(MIN_DELAY);
        match retry_after {
            Some(retry_after) if retry_after > delay => retry_after.saturating_add(delay),
            _ => delay,
        }
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

    #[test]
    fn delays_grow_to_the_longest_until_a_success() {
        let mut delays = Delays::new(ms(100), ms(1000));
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
    fn the_server_may_set_a_longer_delay() {
        let mut delays = Delays::new(ms(100), ms(100));
        let delay = delays.next(Some(ms(5000)));
        assert!(delay >= ms(5050) && delay <= ms(5100), "{delay:?}");
        assert!(delays.next(Some(ms(10))) >= ms(50));
    }

    #[test]
    fn no_delay_is_zero() {
        let mut delays = Delays::new(Duration::ZERO, Duration::ZERO);
        assert!(delays.next(None) > Duration::ZERO);
    }
}
