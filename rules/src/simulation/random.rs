//! Random numbers that are the same on every machine.

use std::time::Duration;

/// SplitMix64: one word of state, and enough for arrival times.
#[derive(Clone, Debug)]
pub(super) struct Random(u64);

impl Random {
    /// A sequence of its own for each `stream`.
    pub(super) fn new(seed: u64, stream: u64) -> Self {
        let mut mixed = Self(stream);
        Self(seed ^ mixed.next())
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut word = self.0;
        word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        word ^ (word >> 31)
    }

    /// An exponentially distributed time with this average.
    pub(super) fn exponential(&mut self, average: Duration) -> Duration {
        // Uniform in (0, 1]: 53 bits, as many as a float has.
        let uniform = ((self.next() >> 11) + 1) as f64 / (1_u64 << 53) as f64;
        let seconds = -uniform.ln() * average.as_secs_f64();
        Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX)
    }
}
