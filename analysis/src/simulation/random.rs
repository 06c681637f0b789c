//! Random numbers that are the same on every machine.

use std::time::Duration;

/// SplitMix64: one word of state, and enough for arrival times.
#[derive(Clone, Debug)]
pub(super) struct Random(u64);

impl Random {
    /// Its own sequence for each `stream`.
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

    /// A number that differs from 1 by at most `difference`.
    pub(super) fn near_one(&mut self, difference: f64) -> f64 {
        let uniform = (self.next() >> 11) as f64 / (1_u64 << 53) as f64;
        1.0 + difference * (2.0 * uniform - 1.0)
    }

    /// An exponentially distributed time with this average.
    pub(super) fn exponential(&mut self, average: Duration) -> Duration {
        // Uniform in (0, 1]: 53 bits, as many as a float has.
        let uniform = ((self.next() >> 11) + 1) as f64 / (1_u64 << 53) as f64;
        let seconds = -logarithm(uniform) * average.as_secs_f64();
        Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX)
    }
}

/// The natural logarithm of a number in (0, 1], from operations that give the same bits on every machine.
fn logarithm(number: f64) -> f64 {
    // number = fraction × 2 to the power of -halvings, with a fraction between 0.75 and 1.5.
    let (mut fraction, mut halvings) = (number, 0.0);
    while fraction < 0.75 {
        fraction *= 2.0;
        halvings += 1.0;
    }
    // The series of the inverse hyperbolic tangent. The ratio is at most 0.2, so 12 terms fill a float.
    let ratio = (fraction - 1.0) / (fraction + 1.0);
    let square = ratio * ratio;
    let series = (0..12).rev().fold(0.0, |sum, term| {
        sum * square + 1.0 / f64::from(2 * term + 1)
    });
    2.0 * ratio * series - halvings * std::f64::consts::LN_2
}

/// In another simulation of a log each client comes up to so much later, in microseconds.
pub(crate) const MOVED_US: u64 = 1_000_000;

/// How much later a client of a log comes, in microseconds: at random, less than `most`, and the same on every machine.
pub(crate) fn moved_us(seed: u64, (client, instance): (u32, u32), most: u64) -> u64 {
    let mut word = seed ^ (u64::from(client) << 32 | u64::from(instance));
    for _ in 0..2 {
        word = word.wrapping_add(0x9e37_79b9_7f4a_7c15);
        word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word ^= word >> 31;
    }
    word % most.max(1)
}
