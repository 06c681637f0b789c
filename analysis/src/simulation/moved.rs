//! Other times for the same clients.

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
