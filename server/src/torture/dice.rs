//! Decisions by seed. A decision depends on the seed, the mode, the request and how often it has come, and not on the order in which
//! requests of several connections arrive.

use super::mode::Mode;
use crate::locks::lock;
use std::collections::HashMap;
use std::sync::Mutex;

/// The number of requests whose repetitions are counted. Older ones are forgotten together.
const MAX_COUNTED: usize = 10_000;
/// The number of faults in a row after which the same request is spared, so that a patient client makes progress.
const MAX_IN_A_ROW: u32 = 2;

#[derive(Debug)]
pub(super) struct Dice {
    pub(super) modes: Vec<Mode>,
    pub(super) seed: u64,
    counts: Mutex<HashMap<(Mode, u64), Count>>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Count {
    times: u64,
    faults_in_a_row: u32,
}

impl Dice {
    pub(super) fn new(modes: Vec<Mode>, seed: u64) -> Self {
        Self {
            modes,
            seed,
            counts: Mutex::default(),
        }
    }

    pub(super) fn has(&self, mode: Mode) -> bool {
        self.modes.contains(&mode)
    }

    /// Whether a mode strikes this time, in `percent` of all times, and a random number for how.
    pub(super) fn strikes(&self, mode: Mode, key: &str, percent: u64) -> Option<u64> {
        if !self.has(mode) {
            return None;
        }
        let key = hash(self.seed, key.as_bytes());
        let mut counts = lock(&self.counts);
        if counts.len() >= MAX_COUNTED {
            counts.clear();
        }
        let count = counts.entry((mode, key)).or_default();
        count.times += 1;
        let random = mix(key ^ mix(count.times ^ mix(mode as u64)));
        let strikes = random % 100 < percent && count.faults_in_a_row < MAX_IN_A_ROW;
        count.faults_in_a_row = if strikes {
            count.faults_in_a_row + 1
        } else {
            0
        };
        strikes.then(|| mix(random))
    }
}

/// A hash that is equal in all runs (FNV-1a, mixed).
pub(super) fn hash(seed: u64, bytes: &[u8]) -> u64 {
    let start = 0xcbf2_9ce4_8422_2325 ^ mix(seed);
    let step = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3);
    mix(bytes.iter().fold(start, step))
}

/// The finalizer of SplitMix64.
pub(super) fn mix(number: u64) -> u64 {
    let number = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let number = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ (number >> 31)
}
