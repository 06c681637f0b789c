//! The metrics of flow control, and the releases whose API servers expose them.
//!
//! Kubernetes promises that stable metrics do not change, and that beta metrics keep their labels. It can rename or
//! remove alpha metrics at any time.
//!
//! ```
//! use k8s_flowcontrol_analysis::metrics::catalog::{self, NOMINAL_LIMIT_SEATS, Stability};
//! use k8s_flowcontrol_types::Release;
//!
//! let stability = |release: &str| Ok(NOMINAL_LIMIT_SEATS.stability(release.parse::<Release>()?));
//! assert_eq!(stability("1.25")?, None);
//! assert_eq!(stability("1.27")?, Some(Stability::Alpha));
//! assert_eq!(stability("1.36")?, Some(Stability::Beta));
//! assert_eq!(catalog::find("apiserver_flowcontrol_nominal_limit_seats"), Some(&NOMINAL_LIMIT_SEATS));
//! # Ok::<(), k8s_flowcontrol_types::release::UnknownRelease>(())
//! ```

mod table;

use k8s_flowcontrol_rules::buckets;
use k8s_flowcontrol_types::__named as named;
use k8s_flowcontrol_types::{MetricReleases, Release};
pub use table::*;

/// A metric of the API server.
#[derive(Debug, PartialEq, Eq)]
pub struct Metric {
    name: &'static str,
    kind: MetricKind,
    labels: &'static [&'static str],
    help: &'static str,
    is_stable: bool,
}

impl Metric {
    /// The whole name, such as `apiserver_flowcontrol_rejected_requests_total`.
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// The type.
    pub const fn kind(&self) -> MetricKind {
        self.kind
    }

    /// The labels in alphabetical order, without the label `le` of a histogram.
    pub const fn labels(&self) -> &'static [&'static str] {
        self.labels
    }

    /// The meaning, in a sentence.
    pub const fn help(&self) -> &'static str {
        self.help
    }

    /// The stability in a release; `None` if the release does not expose the metric.
    pub fn stability(&self, release: Release) -> Option<Stability> {
        let minor = release.minor();
        let MetricReleases {
            first, last, beta, ..
        } = MetricReleases::of(self.name);
        let is_exposed =
            first.is_none_or(|first| minor >= first) && last.is_none_or(|last| minor <= last);
        is_exposed.then(|| match self.is_stable {
            true => Stability::Stable,
            false if beta.is_some_and(|beta| minor >= beta) => Stability::Beta,
            false => Stability::Alpha,
        })
    }

    /// The upper bounds of the buckets of a histogram of flow control, see [`buckets::bounds`].
    ///
    /// ```
    /// use k8s_flowcontrol_analysis::metrics::catalog::REQUEST_WAIT_DURATION_SECONDS;
    ///
    /// let has_15 = |release: &str| {
    ///     let bounds = REQUEST_WAIT_DURATION_SECONDS.bounds(release.parse()?);
    ///     Ok(bounds.is_some_and(|bounds| bounds.contains(&15.0)))
    /// };
    /// assert!(!has_15("1.27")? && has_15("1.28")?);
    /// # Ok::<(), k8s_flowcontrol_types::release::UnknownRelease>(())
    /// ```
    pub fn bounds(&self, release: Release) -> Option<&'static [f64]> {
        buckets::bounds(self.name.strip_prefix("apiserver_flowcontrol_")?, release)
    }

    /// Whether a release exposes the metric.
    pub fn is_exposed_by(&self, release: Release) -> bool {
        self.stability(release).is_some()
    }
}

named! {
    /// The type of a metric.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    #[non_exhaustive]
    pub enum MetricKind {
        /// A number that only grows until the server restarts.
        Counter = "counter",
        /// A number at one moment.
        Gauge = "gauge",
        /// Counts of values in buckets: series with the endings `_bucket`, `_sum` and `_count`.
        Histogram = "histogram",
    }
    /// The word of a line `# TYPE`.
    pub fn as_str;
}

/// The stability of a metric. The stablest comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Stability {
    /// Name, type and labels stay.
    Stable,
    /// Name and type stay, and labels are at most added.
    Beta,
    /// Nothing is promised.
    Alpha,
}

/// The metrics that a release exposes, in alphabetical order.
pub fn exposed_by(release: Release) -> impl Iterator<Item = &'static Metric> {
    ALL.iter()
        .copied()
        .filter(move |metric| metric.is_exposed_by(release))
}

/// The metric with a name. The name may be that of a series of a histogram.
pub fn find(name: &str) -> Option<&'static Metric> {
    let named = |name: &str| ALL.iter().copied().find(|metric| metric.name == name);
    named(name).or_else(|| {
        let ends = ["_bucket", "_sum", "_count"];
        let base = ends.iter().find_map(|end| name.strip_suffix(end))?;
        named(base).filter(|metric| metric.kind == MetricKind::Histogram)
    })
}
