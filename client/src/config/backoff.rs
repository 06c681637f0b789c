//! Exponential backoff with a random part. Own code: the pauses of the documented retry policy, in ten lines.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::time::Duration;

/// Pauses that double after each failure, up to a maximum.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Backoff {
    initial: Duration,
    max: Duration,
}

impl Backoff {
    pub(crate) const fn new(initial: Duration, max: Duration) -> Self {
        Self { initial, max }
    }

    pub(crate) const fn initial(&self) -> Duration {
        self.initial
    }

    pub(crate) const fn max(&self) -> Duration {
        self.max
    }

    /// The pause after a number of consecutive failures, at least 1: a random time between half the full pause and the
    /// full pause.
    pub(crate) fn pause(&self, failures: u32) -> Duration {
        let doubled = 2_u32.saturating_pow(failures.saturating_sub(1));
        let longest = self.initial.saturating_mul(doubled).min(self.max);
        longest.mul_f64(0.5 + random_fraction() / 2.0)
    }
}

/// A random number from 0 (inclusive) to 1 (exclusive), from the seeds of the standard library's hash maps.
pub(crate) fn random_fraction() -> f64 {
    // 52 random bits make the fraction of a number between 1 and 2.
    let bits = RandomState::new().build_hasher().finish() >> 12;
    f64::from_bits(1_f64.to_bits() | bits) - 1.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_double_up_to_the_longest() {
        let backoff = Backoff::new(Duration::from_millis(100), Duration::from_secs(1));
        for (failures, longest) in [(1, 100), (2, 200), (4, 800), (5, 1000), (u32::MAX, 1000)] {
            for _ in 0..100 {
                let pause = backoff.pause(failures).as_millis();
                assert!(
                    (longest / 2..=longest).contains(&pause),
                    "{failures}: {pause}"
                );
            }
        }
        assert_eq!(
            Backoff::new(Duration::ZERO, Duration::MAX).pause(9),
            Duration::ZERO
        );
    }

    #[test]
    fn random_fractions_are_spread_over_their_range() {
        let mut drawn: Vec<f64> = (0..1000).map(|_| random_fraction()).collect();
        assert!(drawn.iter().all(|number| (0.0..1.0).contains(number)));
        // Every tenth of the range is hit.
        for tenth in 0..10_u8 {
            let range = f64::from(tenth) / 10.0..f64::from(tenth + 1) / 10.0;
            assert!(drawn.iter().any(|number| range.contains(number)), "{tenth}");
        }
        drawn.sort_by(f64::total_cmp);
        drawn.dedup();
        assert!(drawn.len() > 990);
    }
}
