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
