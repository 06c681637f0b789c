//! The names of metrics in expressions.

use super::selector::Selector;
use crate::metrics::catalog::{
    CURRENT_EXECUTING_SEATS, Metric, NOMINAL_LIMIT_SEATS, REQUEST_CONCURRENCY_IN_USE,
    REQUEST_CONCURRENCY_LIMIT,
};
use k8s_flowcontrol_types::{ApiVersion, Release};

/// Writes the series of metrics in PromQL.
pub(super) struct Series<'a> {
    pub(super) release: Release,
    selector: &'a Selector,
}

impl<'a> Series<'a> {
    pub(super) fn new(release: Release, selector: &'a Selector) -> Self {
        Self { release, selector }
    }

    /// The series of a metric.
    pub(super) fn all(&self, metric: &Metric) -> String {
        self.matching(metric, "", "")
    }

    /// The series of a metric with an ending, such as `_bucket`, and label matchers besides the selector.
    pub(super) fn matching(&self, metric: &Metric, ending: &str, matchers: &str) -> String {
        let name = metric.name();
        let own = [self.selector.as_str(), matchers];
        let own: Vec<_> = own.into_iter().filter(|own| !own.is_empty()).collect();
        match own.is_empty() {
            true => format!("{name}{ending}"),
            false => format!("{name}{ending}{{{}}}", own.join(",")),
        }
    }

    /// The nominal limit of a level.
    pub(super) fn limit(&self) -> &'static Metric {
        self.first(&NOMINAL_LIMIT_SEATS, &REQUEST_CONCURRENCY_LIMIT)
    }

    /// The seats in use.
    pub(super) fn in_use(&self) -> &'static Metric {
        self.first(&CURRENT_EXECUTING_SEATS, &REQUEST_CONCURRENCY_IN_USE)
    }

    /// Whether the release serves a version of the API group that it calls deprecated.
    pub(super) fn serves_deprecated_versions(&self) -> bool {
        let minor = self.release.minor();
        let since = |version: ApiVersion| version.lifecycle().deprecated;
        let mut served = self.release.served();
        served.any(|version| since(version).is_some_and(|since| since <= minor))
    }

    /// The newer of two names, if the release has it.
    fn first(&self, newer: &'static Metric, older: &'static Metric) -> &'static Metric {
        match newer.is_exposed_by(self.release) {
            true => newer,
            false => older,
        }
    }
}
