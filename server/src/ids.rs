//! Generated names, UIDs and times.

use std::hash::{BuildHasher, RandomState};
use std::sync::atomic::{AtomicU64, Ordering};

/// 64 random bits: unique, but not secret.
pub(crate) fn random() -> u64 {
    static COUNTER: AtomicU64 = AtomicU64::new(0);
    // Every state has a new key; the counter covers equal keys.
    RandomState::new().hash_one(COUNTER.fetch_add(1, Ordering::Relaxed))
}

/// A random UUID (version 4).
pub(crate) fn uid() -> String {
    let high = random() & 0xffff_ffff_ffff_0fff | 0x4000;
    let low = random() & 0x3fff_ffff_ffff_ffff | 0x8000_0000_0000_0000;
    format!(
        "{:08x}-{:04x}-{:04x}-{:04x}-{:012x}",
        high >> 32,
        high >> 16 & 0xffff,
        high & 0xffff,
        low >> 48,
        low & 0xffff_ffff_ffff,
    )
}

/// The name that a server generates from `metadata.generateName`.
pub(crate) fn generated_name(prefix: &str) -> String {
    // Kubernetes' alphabet has neither vowels nor similar characters, so that no words result.
    const ALPHABET: &[u8; 27] = b"bcdfghjklmnpqrstvwxz2456789";
    const LONGEST_PREFIX: usize = 63 - 5;
    let mut name: String = prefix.chars().take(LONGEST_PREFIX).collect();
    let mut bits = random();
    for _ in 0..5 {
        name.push(char::from(ALPHABET[(bits % 27) as usize]));
        bits /= 27;
    }
    name
}

/// The present time in Kubernetes' format.
pub(crate) fn now() -> String {
    format!("{:.0}", jiff::Timestamp::now())
}
