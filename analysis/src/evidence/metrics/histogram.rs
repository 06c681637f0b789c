//! The histograms of priority levels.

use super::catalog::Metric;
use super::text::samples;
use std::collections::BTreeMap;

/// The histogram of a metric for a priority level: of all its flow schemas together.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Histogram {
    /// The values that do not exceed a bound, by bound, which is in ascending order and ends with infinity.
    buckets: BTreeMap<u64, (f64, f64)>,
    sum: f64,
}

impl Histogram {
    /// The number of values.
    pub fn count(&self) -> u64 {
        let last = self.buckets.values().next_back();
        last.map_or(0, |(_, count)| count.max(0.0) as u64)
    }

    /// The sum of the values.
    pub fn sum(&self) -> f64 {
        self.sum
    }

    /// The upper bounds of the buckets, and how many values do not exceed each.
    pub fn buckets(&self) -> impl Iterator<Item = (f64, u64)> + '_ {
        let all = self.buckets.values();
        all.map(|(bound, count)| (*bound, count.max(0.0) as u64))
    }

    fn add(&mut self, bound: f64, count: f64) {
        self.buckets.entry(key(bound)).or_insert((bound, 0.0)).1 += count;
    }
}

/// Not negative numbers in the order of their bits.
fn key(bound: f64) -> u64 {
    bound.max(0.0).to_bits()
}

/// The histograms of a metric by priority level.
///
/// ```
/// use k8s_flowcontrol_analysis::metrics::{Histograms, catalog::WORK_ESTIMATED_SEATS};
///
/// let text = "\
/// apiserver_flowcontrol_work_estimated_seats_bucket{flow_schema=\"a\",priority_level=\"low\",le=\"1\"} 8
/// apiserver_flowcontrol_work_estimated_seats_bucket{flow_schema=\"a\",priority_level=\"low\",le=\"+Inf\"} 9
/// apiserver_flowcontrol_work_estimated_seats_sum{flow_schema=\"a\",priority_level=\"low\"} 18
/// ";
/// let seats = Histograms::parse(text, &WORK_ESTIMATED_SEATS);
/// let low = seats.of("low").unwrap();
/// assert_eq!((low.count(), low.sum()), (9, 18.0));
/// assert_eq!(low.buckets().next(), Some((1.0, 8)));
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Histograms(BTreeMap<String, Histogram>);

impl Histograms {
    /// Reads a histogram in the text of `/metrics`. Waits of requests that were not executed and watches are left out.
    pub fn parse(text: &str, metric: &Metric) -> Self {
        let mut levels = BTreeMap::<String, Histogram>::new();
        for sample in samples(text) {
            let Some(series) = sample.name.strip_prefix(metric.name()) else {
                continue;
            };
            let is_other = sample.label("execute") == Some("false")
                || sample.label("type") == Some("watch")
                || !sample.value.is_finite();
            let Some(level) = sample.label("priority_level").filter(|_| !is_other) else {
                continue;
            };
            let found = levels.entry(level.to_owned()).or_default();
            match series {
                "_sum" => found.sum += sample.value,
                "_bucket" => {
                    let bound = sample.label("le").and_then(|le| le.parse::<f64>().ok());
                    if let Some(bound) = bound.filter(|bound| !bound.is_nan()) {
                        found.add(bound, sample.value);
                    }
                }
                _ => {}
            }
        }
        Self(levels)
    }

    /// The histogram of a priority level; `None` if the server does not report it.
    pub fn of(&self, priority_level: &str) -> Option<&Histogram> {
        self.0.get(priority_level)
    }

    /// The priority levels, sorted by name.
    pub fn priority_levels(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    /// The increase since an earlier sample of the same server. A histogram that became smaller was reset by a restart of the server;
    /// it is the increase as a whole.
    #[must_use]
    pub fn since(&self, earlier: &Self) -> Self {
        let mut increase = self.clone();
        for (level, histogram) in &mut increase.0 {
            let Some(before) = earlier.0.get(level) else {
                continue;
            };
            if before.count() > histogram.count() {
                continue;
            }
            for (key, (_, count)) in &mut histogram.buckets {
                *count -= before.buckets.get(key).map_or(0.0, |(_, before)| *before);
            }
            histogram.sum -= before.sum;
        }
        increase
    }
}
