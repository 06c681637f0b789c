//! The metrics of priority levels.

use super::catalog::{
    CURRENT_EXECUTING_REQUESTS, CURRENT_EXECUTING_SEATS, CURRENT_INQUEUE_REQUESTS,
    CURRENT_LIMIT_SEATS, DISPATCHED_REQUESTS_TOTAL, LOWER_LIMIT_SEATS, Metric, NOMINAL_LIMIT_SEATS,
    REJECTED_REQUESTS_TOTAL, REQUEST_CONCURRENCY_IN_USE, REQUEST_CONCURRENCY_LIMIT,
    UPPER_LIMIT_SEATS,
};
use super::text::samples;
use std::collections::{BTreeSet, HashMap};
use std::fmt;

/// A quantity that servers report for each priority level.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Quantity {
    /// The nominal limit, in seats.
    NominalSeats,
    /// The limit when the level lends as many seats as it may.
    MinimumSeats,
    /// The limit when the level borrows as many seats as it may.
    MaximumSeats,
    /// The limit of the present.
    CurrentSeats,
    /// The seats that executing requests occupy.
    SeatsInUse,
    /// The requests that execute.
    ExecutingRequests,
    /// The requests in queues.
    WaitingRequests,
    /// The requests dispatched since the server started.
    DispatchedRequests,
    /// The requests rejected since the server started, by reason.
    RejectedRequests,
}

impl Quantity {
    const ALL: [Self; 9] = [
        Self::NominalSeats,
        Self::MinimumSeats,
        Self::MaximumSeats,
        Self::CurrentSeats,
        Self::SeatsInUse,
        Self::ExecutingRequests,
        Self::WaitingRequests,
        Self::DispatchedRequests,
        Self::RejectedRequests,
    ];

    /// The metrics with this quantity; the metric of newer releases comes first. Before 1.26 there is only one limit.
    const fn metrics(self) -> &'static [&'static Metric] {
        match self {
            Self::NominalSeats => &[&NOMINAL_LIMIT_SEATS, &REQUEST_CONCURRENCY_LIMIT],
            Self::MinimumSeats => &[&LOWER_LIMIT_SEATS, &REQUEST_CONCURRENCY_LIMIT],
            Self::MaximumSeats => &[&UPPER_LIMIT_SEATS, &REQUEST_CONCURRENCY_LIMIT],
            Self::CurrentSeats => &[&CURRENT_LIMIT_SEATS, &REQUEST_CONCURRENCY_LIMIT],
            Self::SeatsInUse => &[&CURRENT_EXECUTING_SEATS, &REQUEST_CONCURRENCY_IN_USE],
            Self::ExecutingRequests => &[&CURRENT_EXECUTING_REQUESTS],
            Self::WaitingRequests => &[&CURRENT_INQUEUE_REQUESTS],
            Self::DispatchedRequests => &[&DISPATCHED_REQUESTS_TOTAL],
            Self::RejectedRequests => &[&REJECTED_REQUESTS_TOTAL],
        }
    }

    /// Whether the value only grows, until the server restarts.
    pub const fn is_counter(self) -> bool {
        matches!(self, Self::DispatchedRequests | Self::RejectedRequests)
    }
}

/// The value of a metric for a priority level, or for a flow schema in it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Series {
    /// The name of the metric, such as `apiserver_flowcontrol_nominal_limit_seats`.
    pub metric: String,
    /// The name of the priority level.
    pub priority_level: String,
    /// The name of the flow schema, for metrics that have one.
    pub flow_schema: Option<String>,
    /// The reason of rejections: `queue-full`, `concurrency-limit`, `time-out` or `cancelled`.
    pub reason: Option<String>,
    /// The value; fractions are dropped.
    pub value: i64,
}

/// The name and the labels of a series.
type Key<'a> = (&'a str, &'a str, Option<&'a str>, Option<&'a str>);

impl Series {
    /// Everything but the value.
    fn key(&self) -> Key<'_> {
        let (schema, reason) = (self.flow_schema.as_deref(), self.reason.as_deref());
        (&self.metric, &self.priority_level, schema, reason)
    }
}

/// The name and the labels, as in a query.
impl fmt::Display for Series {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{{", self.metric)?;
        if let Some(schema) = &self.flow_schema {
            write!(f, "flow_schema={schema:?},")?;
        }
        write!(f, "priority_level={:?}", self.priority_level)?;
        if let Some(reason) = &self.reason {
            write!(f, ",reason={reason:?}")?;
        }
        f.write_str("}")
    }
}

/// The metrics of the priority levels of one server.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FlowMetrics {
    series: Vec<(Quantity, Series)>,
    samples: usize,
}

impl FlowMetrics {
    /// Selects the metrics of priority levels in the text of `/metrics`, of any release.
    ///
    /// If a server reports a quantity under two names, the newer name is used. Series that differ only in labels which [`Series`] does not have, such
    /// as `instance` in a federation, are added up.
    pub fn parse(text: &str) -> Self {
        let all: Vec<_> = samples(text)
            .filter_map(|sample| {
                let owned = |label| sample.label(label).map(str::to_owned);
                let series = Series {
                    metric: sample.name.to_owned(),
                    priority_level: owned("priority_level")?,
                    flow_schema: owned("flow_schema"),
                    reason: owned("reason"),
                    // Infinite values become the largest number.
                    value: sample.value as i64,
                };
                Some((sample.name, series)).filter(|_| !sample.value.is_nan())
            })
            .collect();
        let names: BTreeSet<&str> = all.iter().map(|(name, _)| *name).collect();
        let mut limits = HashMap::<_, usize>::new();
        for (name, one) in &all {
            if Quantity::NominalSeats
                .metrics()
                .iter()
                .any(|metric| metric.name() == *name)
            {
                *limits.entry(one.key()).or_default() += 1;
            }
        }
        let samples_of_limits = limits.into_values().max().unwrap_or_default();
        let mut series = Vec::<(Quantity, Series)>::new();
        let mut places = HashMap::new();
        for quantity in Quantity::ALL {
            let metric = quantity
                .metrics()
                .iter()
                .map(|metric| metric.name())
                .find(|metric| names.contains(metric));
            for (_, one) in all.iter().filter(|(name, _)| Some(*name) == metric) {
                let place = *places.entry((quantity, one.key())).or_insert(series.len());
                match series.get_mut(place) {
                    Some((_, sum)) => sum.value = sum.value.saturating_add(one.value),
                    None => series.push((quantity, one.clone())),
                }
            }
        }
        Self {
            series,
            samples: samples_of_limits,
        }
    }

    /// The samples of each nominal limit: more than one in a federation of several servers, and in joined texts of several servers or times. 0 without
    /// limits.
    pub fn samples(&self) -> usize {
        self.samples
    }

    /// Whether the text had none of these metrics.
    pub fn is_empty(&self) -> bool {
        self.series.is_empty()
    }

    /// The name of the metric that has a quantity; `None` if the server does not report it for any level.
    ///
    /// A server reports the requests of a flow schema only after its first one.
    pub fn metric(&self, quantity: Quantity) -> Option<&str> {
        let mut all = self.series.iter();
        let (_, series) = all.find(|(own, _)| *own == quantity)?;
        Some(&series.metric)
    }

    /// The names of the priority levels, sorted. The metrics of deleted levels stay until the server restarts.
    pub fn priority_levels(&self) -> BTreeSet<&str> {
        let levels = self
            .series
            .iter()
            .map(|(_, series)| series.priority_level.as_str());
        levels.collect()
    }

    /// The values of a quantity for a priority level.
    pub fn series<'a>(
        &'a self,
        quantity: Quantity,
        priority_level: &'a str,
    ) -> impl Iterator<Item = &'a Series> {
        self.series
            .iter()
            .filter(move |(own, series)| {
                *own == quantity && series.priority_level == priority_level
            })
            .map(|(_, series)| series)
    }

    /// The sum of the values of a quantity for a priority level; `None` if the server does not report it.
    pub fn total(&self, quantity: Quantity, priority_level: &str) -> Option<i64> {
        let values = self
            .series(quantity, priority_level)
            .map(|series| series.value);
        values.reduce(i64::saturating_add)
    }

    fn values(&self) -> HashMap<(Quantity, Key<'_>), i64> {
        let series = self.series.iter();
        series
            .map(|(quantity, series)| ((*quantity, series.key()), series.value))
            .collect()
    }

    /// Whether a counter is lower than in an earlier sample, because the server restarted, or the samples are of different servers or in
    /// the wrong order.
    pub(crate) fn has_decreased_since(&self, earlier: &Self) -> bool {
        let now = self.values();
        let mut counters = earlier
            .series
            .iter()
            .filter(|(quantity, _)| quantity.is_counter());
        counters.any(|(quantity, series)| {
            let now = now.get(&(*quantity, series.key()));
            now.is_some_and(|now| *now < series.value)
        })
    }

    /// The same metrics with the increase of the counters since an earlier sample of the same server.
    ///
    /// A counter that became smaller was reset by a restart of the server; its whole value is the increase. A diagnosis has none:
    /// [`ServerEvidence::set_earlier_metrics`](crate::diagnosis::ServerEvidence::set_earlier_metrics) returns an error for such samples.
    ///
    /// ```
    /// use k8s_flowcontrol_analysis::metrics::{FlowMetrics, Quantity};
    ///
    /// let sample = |value| FlowMetrics::parse(&format!(
    ///     "apiserver_flowcontrol_rejected_requests_total{{priority_level=\"low\",reason=\"time-out\"}} {value}"));
    /// let rejected = |metrics: FlowMetrics| metrics.total(Quantity::RejectedRequests, "low");
    /// assert_eq!(rejected(sample(9).since(&sample(7))), Some(2));
    /// assert_eq!(rejected(sample(3).since(&sample(7))), Some(3));
    /// ```
    #[must_use]
    pub fn since(&self, earlier: &Self) -> Self {
        let before = earlier.values();
        let increase = |(quantity, series): &(Quantity, Series)| {
            let before = before.get(&(*quantity, series.key())).copied();
            let before = before.unwrap_or_default().max(0);
            let mut series = series.clone();
            if quantity.is_counter() {
                // A counter that is smaller than before began again; one below zero counts as zero.
                series.value = match before <= series.value {
                    true => series.value - before,
                    false => series.value.max(0),
                };
            }
            (*quantity, series)
        };
        Self {
            series: self.series.iter().map(increase).collect(),
            samples: self.samples,
        }
    }
}
