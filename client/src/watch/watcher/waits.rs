//! How long to wait after trouble.

use crate::config::Backoff;
use std::time::Duration;

/// The waits of one source: longer with each failure, until all is well again.
#[derive(Clone, Debug)]
pub(super) struct Waits {
    backoff: Backoff,
    failures: u32,
}

impl Waits {
    pub(super) fn new(shortest: Duration, longest: Duration) -> Self {
        // Without a pause the trouble would only grow.
        let shortest = shortest.max(Duration::from_millis(1));
        Self {
            backoff: Backoff::new(shortest, longest.max(shortest)),
            failures: 0,
        }
    }

    /// The next wait; if the server asked for a longer one, that and a bit of chance more.
    pub(super) fn next(&mut self, asked: Option<Duration>) -> Duration {
        self.failures = self.failures.saturating_add(1);
        let wait = self.backoff.pause(self.failures);
        match asked {
            Some(asked) if asked > wait => asked.saturating_add(wait),
            _ => wait,
        }
    }

    /// All is well again.
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
    fn waits_grow_to_the_longest_and_begin_anew() {
        let mut waits = Waits::new(ms(100), ms(1000));
        for full in [100, 200, 400, 800, 1000, 1000] {
            let wait = waits.next(None);
            assert!(
                wait >= ms(full / 2) && wait <= ms(full),
                "{wait:?} of {full}"
            );
        }
        waits.reset();
        assert!(waits.next(None) <= ms(100));
    }

    #[test]
    fn the_server_is_given_the_time_that_it_asks_for() {
        let mut waits = Waits::new(ms(100), ms(100));
        let wait = waits.next(Some(ms(5000)));
        assert!(wait >= ms(5050) && wait <= ms(5100), "{wait:?}");
        assert!(waits.next(Some(ms(10))) >= ms(50));
    }

    #[test]
    fn no_wait_is_zero() {
        let mut waits = Waits::new(Duration::ZERO, Duration::ZERO);
        assert!(waits.next(None) > Duration::ZERO);
    }
}
