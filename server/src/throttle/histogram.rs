//! Histograms in the text form of Prometheus.

use std::fmt::Write;
use std::time::Duration;

/// Counts of observations up to each bound.
#[derive(Clone, Debug)]
pub(super) struct Histogram {
    bounds: &'static [f64],
    /// The observations between a bound and the one before; the last are above all bounds.
    counts: Vec<u64>,
    sum: f64,
}

impl Histogram {
    pub(super) fn new(bounds: &'static [f64]) -> Self {
        Self {
            bounds,
            counts: vec![0; bounds.len() + 1],
            sum: 0.0,
        }
    }

    pub(super) fn observe(&mut self, value: f64) {
        self.observe_times(value, 1);
    }

    fn observe_times(&mut self, value: f64, times: u64) {
        let place = self.bounds.partition_point(|bound| *bound < value);
        self.counts[place] += times;
        self.sum += value * times as f64;
    }

    pub(super) fn is_empty(&self) -> bool {
        self.counts.iter().all(|count| *count == 0)
    }

    /// Appends the lines of the metric `name` with these labels.
    pub(super) fn write(&self, text: &mut String, name: &str, labels: &str) {
        let bounds = self.bounds.iter().map(f64::to_string);
        let bounds = bounds.chain(["+Inf".to_owned()]);
        let mut total = 0;
        for (bound, count) in bounds.zip(&self.counts) {
            total += count;
            // Writing to a string does not fail.
            let _ = writeln!(text, "{name}_bucket{{{labels},le=\"{bound}\"}} {total}");
        }
        let _ = writeln!(text, "{name}_sum{{{labels}}} {}", self.sum);
        let _ = writeln!(text, "{name}_count{{{labels}}} {total}");
    }
}

/// A histogram of a value over time: one observation at the end of every nanosecond.
#[derive(Clone, Debug)]
pub(super) struct TimingHistogram {
    pub(super) histogram: Histogram,
    value: f64,
    since: Duration,
}

impl TimingHistogram {
    pub(super) fn new(bounds: &'static [f64], now: Duration) -> Self {
        Self {
            histogram: Histogram::new(bounds),
            value: 0.0,
            since: now,
        }
    }

    /// Notes that the value is another one from now on.
    pub(super) fn set(&mut self, now: Duration, value: f64) {
        let passed = now.saturating_sub(self.since);
        let nanoseconds = u64::try_from(passed.as_nanos()).unwrap_or(u64::MAX);
        self.histogram.observe_times(self.value, nanoseconds);
        (self.value, self.since) = (value, now.max(self.since));
    }
}
