//! Random numbers from a printed seed, so that a failing run can be repeated.

use std::hash::{BuildHasher, RandomState};

/// SplitMix64.
#[derive(Clone, Debug)]
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// A seed from `FLOWCONTROL_TEST_SEED`, or a new one.
    pub(crate) fn seed() -> u64 {
        match std::env::var("FLOWCONTROL_TEST_SEED") {
            Ok(seed) => seed.parse().expect("FLOWCONTROL_TEST_SEED is a number"),
            Err(_) => RandomState::new().hash_one(0),
        }
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut x = self.0;
        x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ (x >> 31)
    }

    /// A number below `limit`.
    pub(crate) fn below(&mut self, limit: u64) -> u64 {
        self.next() % limit.max(1)
    }

    /// Whether an event with this probability happens.
    pub(crate) fn happens(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }

    pub(crate) fn choose<T: Clone>(&mut self, items: &[T]) -> T {
        let index = self.below(items.len() as u64);
        items[usize::try_from(index).unwrap()].clone()
    }

    /// An independent generator for another task.
    pub(crate) fn fork(&mut self) -> Self {
        Self(self.next())
    }
}
