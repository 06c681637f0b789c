//! How long to wait after trouble.

use std::hash::{BuildHasher, RandomState};
use std::time::Duration;

/// Waits that double from a shortest to a longest one, each shortened at random by up to a half, so that programs
/// that met the same trouble do not all come back at once.
#[derive(Clone, Debug)]
pub(super) struct Backoff {
    shortest: Duration,
    longest: Duration,
    next: Duration,
}

impl Backoff {
    pub(super) fn new(shortest: Duration, longest: Duration) -> Self {
        // Without a pause the trouble would only grow.
        let shortest = shortest.max(Duration::from_millis(1));
        Self {
            shortest,
            longest: longest.max(shortest),
            next: shortest,
        }
    }

    /// The next wait; if the server asked for a longer one, that and a random bit more.
    pub(super) fn wait(&mut self, asked: Option<Duration>) -> Duration {
        let full = self.next;
        self.next = full.saturating_mul(2).min(self.longest);
        let wait = full / 2 + (full / 2).mul_f64(random());
        match asked {
            Some(asked) if asked > wait => asked.saturating_add(wait),
            _ => wait,
        }
    }

    /// All is well again.
    pub(super) fn reset(&mut self) {
        self.next = self.shortest;
    }
}

/// A number in `0.0..1.0`.
pub(super) fn random() -> f64 {
    // Each of these hashers has keys of its own.
    let bits = RandomState::new().hash_one(0u8) >> 11;
    // 53 bits, which is what such a number holds.
    bits as f64 / (1u64 << 53) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn ms(millis: u64) -> Duration {
        Duration::from_millis(millis)
    }

    #[test]
    fn waits_grow_to_the_longest_and_begin_anew() {
        let mut backoff = Backoff::new(ms(100), ms(1000));
        for full in [100, 200, 400, 800, 1000, 1000] {
            let wait = backoff.wait(None);
            assert!(
                wait >= ms(full / 2) && wait <= ms(full),
                "{wait:?} of {full}"
            );
        }
        backoff.reset();
        assert!(backoff.wait(None) <= ms(100));
    }

    #[test]
    fn the_server_is_given_the_time_that_it_asks_for() {
        let mut backoff = Backoff::new(ms(100), ms(100));
        let wait = backoff.wait(Some(ms(5000)));
        assert!(wait >= ms(5050) && wait <= ms(5100), "{wait:?}");
        assert!(backoff.wait(Some(ms(10))) >= ms(50));
    }

    #[test]
    fn waits_differ() {
        let mut backoff = Backoff::new(ms(1000), ms(1000));
        let first = backoff.wait(None);
        assert!((0..100).any(|_| backoff.wait(None) != first));
    }

    #[test]
    fn no_wait_is_zero() {
        let mut backoff = Backoff::new(Duration::ZERO, Duration::ZERO);
        assert!(backoff.wait(None) > Duration::ZERO);
    }
}
