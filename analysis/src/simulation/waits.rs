//! How long requests wait.

use crate::times::microseconds;
use std::time::Duration;

/// The parts of each power of two.
const PARTS: u32 = 32;
const PART_BITS: u32 = PARTS.trailing_zeros();

/// A distribution of waiting times. Percentiles are exact to 3 %.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Waits {
    /// By microseconds, in parts of powers of two.
    counts: Vec<u64>,
    count: u64,
    sum: Duration,
    longest: Duration,
}

impl Waits {
    pub(crate) fn add(&mut self, wait: Duration) {
        let index = index(microseconds(wait));
        if index >= self.counts.len() {
            self.counts.resize(index + 1, 0);
        }
        self.counts[index] += 1;
        self.count += 1;
        self.sum = self.sum.saturating_add(wait);
        self.longest = self.longest.max(wait);
    }

    /// Adds requests that did not wait.
    pub(crate) fn add_none(&mut self, requests: u64) {
        if requests == 0 {
            return;
        }
        if self.counts.is_empty() {
            self.counts.push(0);
        }
        self.counts[0] += requests;
        self.count += requests;
    }

    /// Adds the waits of other requests.
    pub(crate) fn merge(&mut self, others: &Self) {
        if others.counts.len() > self.counts.len() {
            self.counts.resize(others.counts.len(), 0);
        }
        for (own, other) in self.counts.iter_mut().zip(&others.counts) {
            *own += other;
        }
        self.count += others.count;
        self.sum = self.sum.saturating_add(others.sum);
        self.longest = self.longest.max(others.longest);
    }

    /// The distribution of a run that is the mean of several.
    pub(super) fn mean<'a>(first: &'a Self, others: impl Iterator<Item = &'a Self>) -> Self {
        let (mut sum, mut runs) = (first.clone(), 1);
        for other in others {
            sum.merge(other);
            runs += 1;
        }
        let mut mean = Self {
            sum: sum.sum / u32::try_from(runs).unwrap_or(u32::MAX),
            ..Self::default()
        };
        let mut below = 0;
        for (index, count) in sum.counts.iter().enumerate() {
            below += count;
            let until = (below + runs / 2) / runs;
            if until > mean.count {
                mean.counts.resize(index + 1, 0);
                mean.counts[index] = until - mean.count;
                mean.count = until;
                mean.longest = Duration::from_micros(largest(index)).min(sum.longest);
            }
        }
        mean
    }

    /// The number of requests, including requests that did not wait.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// The average; zero without requests.
    pub fn average(&self) -> Duration {
        let count = self.count.max(1) as f64;
        Duration::try_from_secs_f64(self.sum.as_secs_f64() / count).unwrap_or(Duration::MAX)
    }

    /// The longest waiting time.
    pub fn longest(&self) -> Duration {
        self.longest
    }

    /// The number of requests that waited at most so long, exact to 3 % of the time.
    pub fn within(&self, wait: Duration) -> u64 {
        let last = index(microseconds(wait));
        self.counts.iter().take(last + 1).sum()
    }

    /// The time that `percent` percent of the requests do not exceed, rounded up by at most 3 %; zero without requests.
    pub fn percentile(&self, percent: f64) -> Duration {
        let rank = (self.count as f64 * percent / 100.0).ceil().max(1.0) as u64;
        let mut below = 0;
        for (index, count) in self.counts.iter().enumerate() {
            below += count;
            if below >= rank {
                return Duration::from_micros(largest(index)).min(self.longest);
            }
        }
        self.longest
    }
}

/// How far the waits of several runs with the same requests differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Spread {
    /// The least and the largest median.
    pub median: [Duration; 2],
    /// The least and the largest 99th percentile.
    pub p99: [Duration; 2],
}

impl Spread {
    pub(super) fn of<'a>(first: &Waits, others: impl Iterator<Item = &'a Waits>) -> Self {
        let of = |waits: &Waits| [50.0, 99.0].map(|percent| waits.percentile(percent));
        let [median, p99] = of(first).map(|time| [time, time]);
        let wider =
            |[least, most]: [Duration; 2], time: Duration| [least.min(time), most.max(time)];
        others.fold(Self { median, p99 }, |spread, waits| {
            let [median, p99] = of(waits);
            Self {
                median: wider(spread.median, median),
                p99: wider(spread.p99, p99),
            }
        })
    }
}

/// The place of a time: exact below 64 µs, then 32 places for each power of two.
fn index(microseconds: u64) -> usize {
    let bits = u64::BITS - microseconds.leading_zeros();
    let shift = bits.saturating_sub(PART_BITS + 1);
    // At most 64 × 32.
    (shift * PARTS) as usize + (microseconds >> shift) as usize
}

/// The largest time of a place.
fn largest(index: usize) -> u64 {
    let parts = PARTS as usize;
    let shift = (index / parts).saturating_sub(1);
    let part = (index - shift * parts) as u64;
    ((part + 1) << shift).wrapping_sub(1)
}
