//! The findings of the rules in the metrics of API servers.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

/// The metrics of one API server: the text of `/metrics`, and an earlier one for rates.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct ServerMetrics<'a> {
    /// The name of the server, which Prometheus calls `instance`.
    pub instance: &'a str,
    /// The present text.
    pub now: &'a str,
    /// An earlier text, and the time since then. Without it, rates are unknown.
    pub earlier: Option<(&'a str, Duration)>,
}

impl<'a> ServerMetrics<'a> {
    /// The metrics of a server at one moment.
    pub fn new(instance: &'a str, now: &'a str) -> Self {
        Self {
            instance,
            now,
            earlier: None,
        }
    }
}

/// The findings of the rules in the metrics of servers.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct RuleCheck {
    /// Metrics and labels that a rule uses and a server does not have.
    pub problems: Vec<RuleProblem>,
    /// Metrics that a server shows only after the first request, rejection or wait, and that no server has shown yet; sorted.
    pub not_yet: Vec<&'static str>,
    /// The metrics that the rules use and a server has; sorted.
    pub found: Vec<&'static str>,
    /// The seats of each server, beside the sum of all nominal limits in its metrics.
    pub seats: Vec<ObservedSeats>,
    /// The levels that have metrics and are not in the cluster.
    pub deleted_levels: Vec<String>,
    /// The present state of each alert.
    pub alerts: Vec<AlertNow>,
}

/// The seats of a server as the rules compute them.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ObservedSeats {
    /// The server.
    pub instance: String,
    /// The seats by the recording rule, which does not count deleted levels; `None` if it has no value.
    pub seats: Option<f64>,
    /// The sum of the nominal limits of all levels that have metrics.
    pub sum: f64,
}

/// A metric or label that a rule uses and a server does not have.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RuleProblem {
    /// Every server of the release has the metric, and this server does not.
    MissingMetric {
        /// The server.
        instance: String,
        /// The metric.
        metric: &'static str,
        /// The rules that use it.
        rules: Vec<String>,
    },
    /// The server has a metric that the release does not have, so that it is a server of another release.
    OtherRelease {
        /// The server.
        instance: String,
        /// The metric.
        metric: &'static str,
    },
    /// The series that the rule selects do not have the label.
    MissingLabel {
        /// The rule.
        rule: String,
        /// The label.
        label: String,
    },
    /// An alert is about a level that does not exist any more.
    DeletedLevel {
        /// The alert.
        alert: String,
        /// The level.
        priority_level: String,
    },
    /// The expression of a rule cannot be evaluated here.
    Unreadable {
        /// The rule.
        rule: String,
        /// The place in the expression.
        at: String,
    },
}

impl fmt::Display for RuleProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::MissingMetric {
                instance,
                metric,
                rules,
            } => {
                write!(f, "{instance} does not have the metric {metric} of ")?;
                f.write_str(&rules.join(", "))
            }
            Self::OtherRelease { instance, metric } => write!(
                f,
                "{instance} has the metric {metric}, which the release of the rules does not have"
            ),
            Self::MissingLabel { rule, label } => {
                write!(f, "no series of {rule} has the label {label}")
            }
            Self::DeletedLevel {
                alert,
                priority_level,
            } => write!(f, "{alert} is about the deleted level {priority_level}"),
            Self::Unreadable { rule, at } => write!(f, "{rule} cannot be evaluated: {at}"),
        }
    }
}

/// An alert at the time of the metrics.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct AlertNow {
    /// The name.
    pub name: String,
    /// `critical`, `warning` or `info`.
    pub severity: &'static str,
    /// The minutes for which the condition must hold before the alert fires.
    pub minutes: u32,
    /// Whether the condition holds.
    pub state: AlertState,
}

/// Whether the condition of an alert holds.
#[derive(Clone, Debug, PartialEq)]
pub enum AlertState {
    /// It does not hold.
    Quiet,
    /// It holds for each of these.
    Holds(Vec<Holding>),
    /// The metrics do not show it, for this reason.
    Unknown(&'static str),
}

/// One case in which the condition of an alert holds.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Holding {
    /// The labels of the alert.
    pub labels: BTreeMap<String, String>,
    /// The value of the expression.
    pub value: f64,
    /// The first text of the alert.
    pub summary: String,
    /// The second text, with the value and the steps that help.
    pub description: String,
}
