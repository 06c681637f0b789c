//! Prometheus rules and a Grafana dashboard for the flow control of a release.
//!
//! Rules and panels that need alpha metrics are marked, because a later release can rename these metrics.
//!
//! ```
//! use k8s_flowcontrol_analysis::monitoring::Monitoring;
//!
//! let monitoring = Monitoring::new("1.36".parse()?).with_selector("job=\"apiserver\"".parse()?);
//! let rules = monitoring.rules();
//! assert_eq!(rules["groups"][0]["name"], "k8s-flowcontrol.rules");
//! let dashboard = monitoring.dashboard();
//! assert_eq!(dashboard["uid"], "k8s-flowcontrol-1-36");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod alerts;
mod check;
mod dashboard;
mod labels;
mod panels;
mod promql;
mod recording;
mod regex;
mod rule_check;
mod selector;
mod series;
mod template;

use crate::metrics::catalog::{Metric, Stability, find};
use k8s_flowcontrol_types::Release;
pub use rule_check::{
    AlertNow, AlertState, Holding, ObservedSeats, RuleCheck, RuleProblem, ServerMetrics,
};
pub use selector::{InvalidSelector, Selector};
use serde_json::{Value, json};
use series::Series;

/// Monitoring of the API servers of one release.
#[derive(Clone, Debug)]
pub struct Monitoring {
    release: Release,
    selector: Selector,
}

impl Monitoring {
    /// Monitoring of all API servers that Prometheus scrapes.
    pub fn new(release: Release) -> Self {
        Self {
            release,
            selector: Selector::default(),
        }
    }

    /// Restricts every query to the series that `selector` matches.
    ///
    /// Aggregated API servers have their own flow control, with metrics of the same names.
    #[must_use]
    pub fn with_selector(self, selector: Selector) -> Self {
        Self { selector, ..self }
    }

    /// A rule file of Prometheus, as JSON: recording rules, then alerts. The groups with `alpha` in their names need alpha metrics.
    ///
    /// All recording rules keep the label `cluster`, if the series have one. The labels `severity` of alerts are `critical`,
    /// `warning` and `info`.
    pub fn rules(&self) -> Value {
        let series = Series::new(self.release, &self.selector);
        let recording = recording::rules(&series);
        let alerts = alerts::rules(&series);
        let mut groups = Vec::new();
        for (prefix, is_alpha) in [("k8s-flowcontrol", false), ("k8s-flowcontrol.alpha", true)] {
            let is_own = |expression: &str| {
                let metrics = metrics_of(expression, &recording).into_iter();
                let worst = metrics
                    .filter_map(|metric| metric.stability(self.release))
                    .max();
                (worst == Some(Stability::Alpha)) == is_alpha
            };
            let own: Vec<_> = recording
                .iter()
                .filter(|rule| is_own(rule.needed()))
                .map(recording::Rule::json)
                .collect();
            groups.push(json!({"name": format!("{prefix}.rules"), "rules": own}));
            let own: Vec<_> = alerts
                .iter()
                .filter(|alert| is_own(&alert.expression))
                .map(|alert| alert.json(is_alpha))
                .collect();
            groups.push(json!({"name": format!("{prefix}.alerts"), "rules": own}));
        }
        groups.retain(|group| group["rules"] != json!([]));
        json!({ "groups": groups })
    }

    /// The releases whose API servers have every metric that a rule needs, for each rule of [`rules`](Self::rules).
    ///
    /// ```
    /// use k8s_flowcontrol_analysis::monitoring::Monitoring;
    /// use k8s_flowcontrol_types::Release;
    ///
    /// let release: Release = "1.36".parse()?;
    /// let requirements = Monitoring::new(release).requirements();
    /// assert!(requirements.iter().all(|rule| rule.first <= release && release <= rule.last));
    /// # Ok::<(), k8s_flowcontrol_types::release::UnknownRelease>(())
    /// ```
    pub fn requirements(&self) -> Vec<Requirement> {
        let series = Series::new(self.release, &self.selector);
        let recording = recording::rules(&series);
        let alerts = alerts::rules(&series);
        let of = |name: &str, expression: &str| {
            let metrics = metrics_of(expression, &recording);
            let exposed = |release: &Release| {
                let mut metrics = metrics.iter();
                metrics.all(|metric| metric.is_exposed_by(*release))
            };
            // A removed metric does not come back, so the releases are contiguous.
            let first = Release::all().find(exposed)?;
            let last = Release::all().filter(exposed).last()?;
            Some(Requirement {
                name: name.to_owned(),
                first,
                last,
            })
        };
        let recorded = recording
            .iter()
            .filter_map(|rule| of(rule.name, rule.needed()));
        let alerts = alerts
            .iter()
            .filter_map(|alert| of(alert.name, &alert.expression));
        recorded.chain(alerts).collect()
    }

    /// A Grafana dashboard, as JSON. It queries the metrics themselves, so it works without the rules.
    ///
    /// Its variables choose the data source, clusters, API servers, priority levels and flow schemas.
    pub fn dashboard(&self) -> Value {
        let series = Series::new(self.release, &self.selector);
        dashboard::dashboard(&series, self.release)
    }
}

/// The releases that a rule needs.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Requirement {
    /// The name of the recording rule or of the alert.
    pub name: String,
    /// The first known release with the metrics of the rule.
    pub first: Release,
    /// The last known release with the metrics of the rule.
    pub last: Release,
}

/// The metrics of an expression, and those that the recording rules in it need.
fn metrics_of(expression: &str, recording: &[recording::Rule]) -> Vec<&'static Metric> {
    let is_part = |c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == ':');
    let of_word = |word: &str| match find(word) {
        Some(metric) => vec![metric],
        None => {
            let mut rules = recording.iter();
            let rule = rules.find(|rule| rule.name == word);
            rule.map_or_else(Vec::new, |rule| metrics_of(rule.needed(), recording))
        }
    };
    expression.split(is_part).flat_map(of_word).collect()
}
