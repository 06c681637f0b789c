//! The rules, checked against the metrics of API servers.

use super::labels::missing_labels;
use super::promql::{Data, Expression, Labels, Selected, Unknown, parse};
use super::recording::{NOMINAL, SEATS};
use super::rule_check::{
    AlertNow, AlertState, Holding, ObservedSeats, RuleCheck, RuleProblem, ServerMetrics,
};
use super::series::Series;
use super::template::expanded;
use super::{Monitoring, Selector, alerts, recording};
use crate::metrics::catalog::{
    CURRENT_LIMIT_SEATS, Metric, NOMINAL_LIMIT_SEATS, REQUEST_CONCURRENCY_LIMIT, UPPER_LIMIT_SEATS,
    find,
};
use crate::metrics::{Sample, samples};
use std::collections::{BTreeMap, BTreeSet};

/// The metrics that a server has for every priority level, without any request.
const ALWAYS: [&Metric; 4] = [
    &CURRENT_LIMIT_SEATS,
    &NOMINAL_LIMIT_SEATS,
    &REQUEST_CONCURRENCY_LIMIT,
    &UPPER_LIMIT_SEATS,
];
/// The levels that every server has.
const MANDATORY: [&str; 2] = ["catch-all", "exempt"];

impl Monitoring {
    /// Checks the rules against the metrics of API servers: the metrics and labels that the rules use, the series of deleted levels,
    /// and whether the condition of each alert holds now.
    ///
    /// `levels` are the names of the priority levels of the cluster, if they are known. The selector is not checked, because Prometheus adds
    /// the labels of targets. Rates, means and minima of minutes come from the two moments, and a counter that begins between them begins with zero; the increase of
    /// a day is the counter itself.
    ///
    /// ```
    /// use k8s_flowcontrol_analysis::monitoring::{AlertState, Monitoring, ServerMetrics};
    ///
    /// let text = "\
    /// apiserver_flowcontrol_nominal_limit_seats{priority_level=\"catch-all\"} 1
    /// apiserver_flowcontrol_upper_limit_seats{priority_level=\"catch-all\"} 31
    /// apiserver_flowcontrol_current_limit_seats{priority_level=\"catch-all\"} 1
    /// apiserver_flowcontrol_current_executing_seats{flow_schema=\"catch-all\",priority_level=\"catch-all\"} 29
    /// ";
    /// let monitoring = Monitoring::new("1.36".parse()?);
    /// let check = monitoring.check(&[ServerMetrics::new("a", text)], None);
    /// assert!(check.problems.is_empty());
    /// let full = check.alerts.iter().find(|alert| alert.name == "FlowControlServerSaturated");
    /// assert!(full.is_some_and(|alert| matches!(alert.state, AlertState::Holds(_))));
    /// # Ok::<(), k8s_flowcontrol_types::release::UnknownRelease>(())
    /// ```
    pub fn check(&self, servers: &[ServerMetrics<'_>], levels: Option<&[&str]>) -> RuleCheck {
        let selector = Selector::default();
        let series = Series::new(self.release, &selector);
        let mut data = Data::default();
        for server in servers {
            read(server, &mut data);
        }
        let mut rules = Rules::default();
        for rule in recording::rules(&series) {
            rules.add(rule.name, &rule.expression, rule.needed());
            if let Some((_, expression)) = rules.read.last() {
                data.record(rule.name, expression);
            }
        }
        let recorded = rules.read.len();
        let alerts = alerts::rules(&series);
        for alert in &alerts {
            rules.add(alert.name, &alert.expression, &alert.expression);
        }
        let mut problems = rules.unreadable.clone();
        problems.extend(self.metric_problems(servers, &data, &rules));
        problems.extend(missing_labels(&rules.read, &data));

        let deleted_levels = deleted(&data, levels);
        let mut now = Vec::new();
        for alert in &alerts {
            let of_alert = rules.read[recorded..].iter();
            let mut found = of_alert
                .filter(|(name, _)| name == alert.name)
                .map(|(_, expression)| data.vector(expression));
            let state = state(alert, found.next_back().unwrap_or(Err(Unknown::Expression)));
            if let AlertState::Holds(cases) = &state {
                let named = cases
                    .iter()
                    .filter_map(|case| case.labels.get("priority_level"));
                let named: BTreeSet<_> =
                    named.filter(|name| deleted_levels.contains(name)).collect();
                problems.extend(named.into_iter().map(|name| RuleProblem::DeletedLevel {
                    alert: alert.name.to_owned(),
                    priority_level: name.clone(),
                }));
            }
            now.push(AlertNow {
                name: alert.name.to_owned(),
                severity: alert.severity,
                minutes: alert.minutes,
                state,
            });
        }
        let used = rules.metrics();
        let is_found = |metric: &&Metric| has(&data, metric);
        let names = |metrics: Vec<&'static Metric>| metrics.iter().map(|own| own.name()).collect();
        let (found, others): (Vec<_>, Vec<_>) = used.into_values().partition(is_found);
        let not_yet = others.into_iter().filter(|own| !ALWAYS.contains(own));
        RuleCheck {
            problems,
            not_yet: names(not_yet.collect()),
            found: names(found),
            seats: servers
                .iter()
                .map(|server| seats(server.instance, &data))
                .collect(),
            deleted_levels,
            alerts: now,
        }
    }

    /// Metrics that a server must have and does not, or has and must not.
    fn metric_problems(
        &self,
        servers: &[ServerMetrics<'_>],
        data: &Data,
        rules: &Rules,
    ) -> Vec<RuleProblem> {
        let mut problems = Vec::new();
        for server in servers {
            let instance = || server.instance.to_owned();
            let has = |metric: &Metric| {
                let mut series = data.labels(metric.name());
                series.any(|labels| {
                    labels
                        .get("instance")
                        .is_some_and(|own| own == server.instance)
                })
            };
            for metric in rules.metrics().into_values() {
                if ALWAYS.contains(&metric) && !has(metric) {
                    problems.push(RuleProblem::MissingMetric {
                        instance: instance(),
                        metric: metric.name(),
                        rules: rules.that_need(metric),
                    });
                }
            }
            let other = ALWAYS
                .into_iter()
                .find(|metric| has(metric) && !metric.is_exposed_by(self.release));
            problems.extend(other.map(|metric| RuleProblem::OtherRelease {
                instance: instance(),
                metric: metric.name(),
            }));
        }
        problems
    }
}

/// The rules by name, in order.
#[derive(Default)]
struct Rules {
    read: Vec<(String, Expression)>,
    /// The part of each rule that needs its metrics.
    needed: Vec<(String, Expression)>,
    unreadable: Vec<RuleProblem>,
}

impl Rules {
    fn add(&mut self, name: &str, expression: &str, needed: &str) {
        match (parse(expression), parse(needed)) {
            (Ok(expression), Ok(needed)) => {
                self.read.push((name.to_owned(), expression));
                self.needed.push((name.to_owned(), needed));
            }
            (Err(at), _) | (_, Err(at)) => self.unreadable.push(RuleProblem::Unreadable {
                rule: name.to_owned(),
                at,
            }),
        }
    }

    /// The metrics of all rules, by name.
    fn metrics(&self) -> BTreeMap<&'static str, &'static Metric> {
        let all = self
            .read
            .iter()
            .flat_map(|(_, expression)| expression.selected());
        let metrics = all.filter_map(|series| find(&series.name));
        metrics.map(|metric| (metric.name(), metric)).collect()
    }

    fn that_need(&self, metric: &Metric) -> Vec<String> {
        let uses = |(_, expression): &&(String, Expression)| {
            let mut series = expression.selected().into_iter();
            series.any(|own| find(&own.name) == Some(metric))
        };
        let rules = self.needed.iter().chain(&self.read).filter(uses);
        let names: BTreeSet<_> = rules.map(|(name, _)| name.clone()).collect();
        names.into_iter().collect()
    }
}

/// Whether a server has a series of a metric.
fn has(data: &Data, metric: &Metric) -> bool {
    let bucket = format!("{}_bucket", metric.name());
    [metric.name(), &bucket]
        .iter()
        .any(|name| data.labels(name).next().is_some())
}

/// Adds the metrics of flow control of a server.
fn read(server: &ServerMetrics<'_>, data: &mut Data) {
    type Key<'a> = (&'a str, Labels);
    fn known<'a>(text: &'a str, instance: &str) -> impl Iterator<Item = (Key<'a>, f64)> {
        let known = samples(text).filter(|sample| find(sample.name).is_some());
        known.map(move |sample: Sample<'a>| {
            let mut labels: Labels = sample
                .labels()
                .map(|(name, value)| (name.to_owned(), value.to_owned()))
                .collect();
            labels.insert("instance".to_owned(), instance.to_owned());
            ((sample.name, labels), sample.value)
        })
    }
    let mut all = BTreeMap::<Key<'_>, [Option<f64>; 2]>::new();
    if let Some((text, _)) = server.earlier {
        for (key, value) in known(text, server.instance) {
            all.entry(key).or_default()[0] = Some(value);
        }
    }
    for (key, value) in known(server.now, server.instance) {
        all.entry(key).or_default()[1] = Some(value);
    }
    let seconds = server.earlier.map(|(_, interval)| interval.as_secs_f64());
    for ((name, labels), values) in all {
        data.add(name, labels, values, seconds);
    }
}

/// The levels with metrics that are not among the levels of the cluster.
fn deleted(data: &Data, levels: Option<&[&str]>) -> Vec<String> {
    let Some(levels) = levels else {
        return Vec::new();
    };
    let limits = [&NOMINAL_LIMIT_SEATS, &REQUEST_CONCURRENCY_LIMIT];
    let series = limits.iter().flat_map(|metric| data.labels(metric.name()));
    let named: BTreeSet<&String> = series.filter_map(|own| own.get("priority_level")).collect();
    let exists = |name: &&String| {
        let mut all = levels.iter().chain(&MANDATORY);
        all.any(|own| own == name)
    };
    let deleted = named.into_iter().filter(|name| !exists(name));
    deleted.cloned().collect()
}

fn seats(instance: &str, data: &Data) -> ObservedSeats {
    let values = |name: &str| {
        let series = Expression::Series(Selected {
            name: name.to_owned(),
            matchers: Vec::new(),
        });
        let mut elements = data.vector(&series).unwrap_or_default();
        elements.retain(|own| {
            own.labels
                .get("instance")
                .is_some_and(|own| own == instance)
        });
        elements.into_iter().map(|element| element.value)
    };
    ObservedSeats {
        instance: instance.to_owned(),
        seats: values(SEATS).next(),
        sum: values(NOMINAL).sum(),
    }
}

fn state(
    alert: &alerts::Alert,
    elements: Result<Vec<super::promql::Element>, Unknown>,
) -> AlertState {
    match elements {
        Ok(elements) if elements.is_empty() => AlertState::Quiet,
        Ok(elements) => AlertState::Holds(
            elements
                .into_iter()
                .map(|element| {
                    let text = |text| expanded(text, &element.labels, element.value);
                    Holding {
                        summary: text(alert.summary),
                        description: text(alert.description),
                        value: element.value,
                        labels: element.labels,
                    }
                })
                .collect(),
        ),
        Err(Unknown::SecondSample) => AlertState::Unknown("a rate needs two samples"),
        Err(Unknown::History) => {
            AlertState::Unknown("it compares with the history that only Prometheus has")
        }
        Err(Unknown::Prometheus) => AlertState::Unknown(
            "it is about the metrics that Prometheus has, and the servers show theirs",
        ),
        Err(Unknown::Expression) => AlertState::Unknown("its expression cannot be evaluated"),
    }
}
