//! Random numbers for jitter.

use std::hash::{BuildHasher, RandomState};

/// SplitMix64 (Steele, Lea and Flood, 2014).
#[derive(Debug)]
pub(crate) struct Random(u64);

impl Random {
    /// Without a seed, the process's random hash keys are one.
    pub(crate) fn new(seed: Option<u64>) -> Self {
        Self(seed.unwrap_or_else(|| RandomState::new().hash_one(0)))
    }

    /// A number from 0 to 1.
    pub(crate) fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^= bits >> 31;
        (bits >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Another generator, with its own numbers.
    pub(crate) fn fork(&mut self) -> Self {
        let seed = (self.unit() * u64::MAX as f64) as u64;
        Self(seed)
    }
}
