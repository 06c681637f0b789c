//! Metrics, rules and dashboards, and the metrics of real servers.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test"
)]

use k8s_flowcontrol_analysis::metrics::catalog::{self, Metric, MetricKind, Stability};
use k8s_flowcontrol_analysis::monitoring::{Monitoring, Selector};
use k8s_flowcontrol_text::{to_yaml, yaml_to_json};
use k8s_flowcontrol_types::Release;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

const OF_1_36: &str = include_str!("fixtures/metrics/1.36.txt");
const OF_1_31: &str = include_str!("fixtures/metrics/1.31.txt");

fn release(text: &str) -> Release {
    text.parse().unwrap()
}

/// The recorded metrics by name: stability, type and labels.
fn recorded(text: &str) -> BTreeMap<&str, (&str, &str, BTreeSet<&str>)> {
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    lines
        .map(|line| {
            let [name, stability, kind, labels, ..] = line.split(' ').collect::<Vec<_>>()[..]
            else {
                panic!("{line}");
            };
            let labels = labels.split(',').filter(|label| *label != "-").collect();
            (name, (stability, kind, labels))
        })
        .collect()
}

fn word(stability: Stability) -> &'static str {
    match stability {
        Stability::Stable => "STABLE",
        Stability::Beta => "BETA",
        Stability::Alpha => "ALPHA",
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_table_agrees_with_real_servers() {
    for (text, release) in [(OF_1_36, release("1.36")), (OF_1_31, release("1.31"))] {
        for (name, (stability, kind, labels)) in recorded(text) {
            let metric = catalog::find(name).unwrap_or_else(|| panic!("{name} is unknown"));
            assert_eq!(
                metric.stability(release).map(word),
                Some(stability),
                "{name}"
            );
            assert_eq!(metric.kind().to_string(), kind, "{name}");
            let own: BTreeSet<_> = metric.labels().iter().copied().collect();
            assert_eq!(own, labels, "{name}");
        }
    }
}

#[test]
fn histograms_have_the_recorded_buckets() {
    let mut found = 0;
    for line in OF_1_36.lines().filter(|line| line.contains(" histogram ")) {
        let (name, recorded) = (
            line.split(' ').next().unwrap(),
            line.rsplit(' ').next().unwrap(),
        );
        let bounds = catalog::find(name).unwrap().bounds(release("1.36"));
        let Some(bounds) = bounds else {
            panic!("{name} has no bounds");
        };
        let texts: Vec<_> = bounds.iter().map(f64::to_string).collect();
        assert_eq!(texts.join(","), recorded, "{name}");
        found += 1;
    }
    assert_eq!(found, 9);
}

#[test]
fn the_metrics_of_1_36_are_the_recorded_ones_and_those_without_a_reason_in_the_recording() {
    let recorded = recorded(OF_1_36);
    let missing: Vec<_> = catalog::exposed_by(release("1.36"))
        .map(Metric::name)
        .filter(|name| !recorded.contains_key(name))
        .collect();
    // Virtual time was never set back, no dispatch failed, and no version is deprecated.
    let expected = [
        "apiserver_flowcontrol_epoch_advance_total",
        "apiserver_flowcontrol_request_dispatch_no_accommodation_total",
        "apiserver_requested_deprecated_apis",
    ];
    assert_eq!(missing, expected);
}

#[test]
fn names_come_and_go_with_releases() {
    let names = |text| {
        let metrics = catalog::exposed_by(release(text)).map(Metric::name);
        let own = metrics.filter_map(|name| name.strip_prefix("apiserver_flowcontrol_"));
        own.collect::<BTreeSet<_>>()
    };
    let gone = |from, to| -> Vec<_> { names(from).difference(&names(to)).copied().collect() };
    assert_eq!(gone("1.25", "1.30"), [""; 0]);
    assert_eq!(gone("1.30", "1.31"), ["request_concurrency_limit"]);
    assert_eq!(gone("1.31", "1.32"), ["request_concurrency_in_use"]);
    assert_eq!(gone("1.28", "1.27"), ["current_executing_seats"]);
    assert_eq!(gone("1.29", "1.28"), ["current_inqueue_seats"]);
    assert!(gone("1.26", "1.25").contains(&"nominal_limit_seats"));
    let is_beta = |metric: &&Metric| metric.stability(release("1.28")) == Some(Stability::Beta);
    assert_eq!(
        catalog::exposed_by(release("1.28")).filter(is_beta).count(),
        7
    );
    let is_beta = |metric: &&Metric| metric.stability(release("1.27")) == Some(Stability::Beta);
    assert_eq!(
        catalog::exposed_by(release("1.27")).filter(is_beta).count(),
        0
    );
    assert!(catalog::ALL.iter().all(|metric| !metric.help().is_empty()));
}

/// The metrics of an expression of PromQL, each with the labels that name it in matchers.
fn metrics_of(expression: &str) -> Vec<(&'static Metric, String)> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == ':';
    let mut found = Vec::new();
    let mut rest = expression;
    while let Some(start) = rest.find("apiserver_") {
        let before = rest[..start].chars().next_back();
        let end = rest[start..].find(|c| !is_part(c));
        let end = end.map_or(rest.len(), |end| start + end);
        let name = &rest[start..end];
        let after = &rest[end..];
        if !before.is_some_and(is_part) {
            let metric = catalog::find(name).unwrap_or_else(|| panic!("{name} in {expression}"));
            let is_series = name != metric.name();
            assert_eq!(is_series, metric.kind() == MetricKind::Histogram, "{name}");
            let matchers = after.strip_prefix('{').and_then(|own| own.split_once('}'));
            found.push((metric, matchers.map_or("", |(own, _)| own).to_owned()));
        }
        rest = after;
    }
    found
}

/// The labels in `by (…)` and `on (…)`.
fn grouping(expression: &str) -> BTreeSet<String> {
    let mut labels = BTreeSet::new();
    for start in [" by (", " on ("] {
        for part in expression.split(start).skip(1) {
            let inner = part.split(')').next().unwrap();
            labels.extend(inner.split(',').map(|label| label.trim().to_owned()));
        }
    }
    labels
}

/// Labels that Prometheus adds to series, and the label of buckets.
const ADDED: [&str; 3] = ["cluster", "instance", "le"];

/// Asserts that a release has the metrics and labels of an expression.
fn assert_known(expression: &str, release: Release, recorded: Option<&BTreeSet<&str>>) {
    let found = metrics_of(expression);
    let mut known: BTreeSet<&str> = ADDED.into();
    for (metric, matchers) in &found {
        assert!(
            metric.is_exposed_by(release),
            "{} in {release}",
            metric.name()
        );
        if let Some(recorded) = recorded {
            assert!(recorded.contains(metric.name()), "{}", metric.name());
        }
        known.extend(metric.labels());
        for matcher in matchers.split(',').filter(|own| !own.is_empty()) {
            let label = matcher.split(['=', '!']).next().unwrap();
            let is_own = metric.labels().contains(&label) || ADDED.contains(&label);
            assert!(is_own, "{label} of {} in {expression}", metric.name());
        }
    }
    // The labels of a recorded series are asserted with its rule.
    if !found.is_empty() {
        for label in grouping(expression) {
            assert!(known.contains(label.as_str()), "{label} in {expression}");
        }
    }
}

fn expressions(value: &Value, key: &str, into: &mut Vec<String>) {
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                match value {
                    Value::String(text) if name == key => into.push(text.clone()),
                    value => expressions(value, key, into),
                }
            }
        }
        Value::Array(items) => items.iter().for_each(|item| expressions(item, key, into)),
        _ => {}
    }
}

#[test]
fn every_metric_and_label_exists_in_its_release() {
    let of_1_36: BTreeSet<_> = recorded(OF_1_36).into_keys().collect();
    for release in Release::all() {
        let monitoring = Monitoring::new(release);
        let recorded = (release.minor() == 36).then_some(&of_1_36);
        let (mut all, mut variables) = (Vec::new(), Vec::new());
        expressions(&monitoring.rules(), "expr", &mut all);
        let dashboard = monitoring.dashboard();
        expressions(&dashboard, "expr", &mut all);
        expressions(&dashboard, "definition", &mut variables);
        assert!(all.len() > 35 && variables.len() == 4, "{release}");
        for expression in all.iter().chain(&variables) {
            assert_known(expression, release, recorded);
        }
    }
}

#[test]
fn every_recorded_series_of_an_expression_is_a_rule_before_it() {
    for release in Release::all() {
        let rules = Monitoring::new(release).rules();
        let mut known = BTreeSet::new();
        // Prometheus evaluates groups apart from each other, but the order of a file is that of its reader.
        for rule in rules["groups"]
            .as_array()
            .unwrap()
            .iter()
            .flat_map(|group| group["rules"].as_array().unwrap())
        {
            let expression = rule["expr"].as_str().unwrap();
            let is_part = |c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == ':');
            for name in expression.split(is_part).filter(|word| word.contains(':')) {
                assert!(known.contains(name), "{name} in {release}");
            }
            known.extend(rule["record"].as_str());
        }
    }
}

#[test]
fn alpha_rules_are_apart_and_alerts_are_complete() {
    let rules = Monitoring::new(release("1.36")).rules();
    let groups = rules["groups"].as_array().unwrap();
    let names: Vec<_> = groups.iter().map(|group| &group["name"]).collect();
    let expected = [
        "k8s-flowcontrol.rules",
        "k8s-flowcontrol.alerts",
        "k8s-flowcontrol.alpha.rules",
        "k8s-flowcontrol.alpha.alerts",
    ];
    assert_eq!(names, expected);
    for group in groups {
        let is_alpha = group["name"].as_str().unwrap().contains("alpha");
        for rule in group["rules"].as_array().unwrap() {
            let expression = rule["expr"].as_str().unwrap();
            if !is_alpha {
                // The last alternative is enough where a server lacks the others.
                let needed = expression.rsplit("\nor\n").next().unwrap();
                for (metric, _) in metrics_of(needed) {
                    assert_ne!(metric.stability(release("1.36")), Some(Stability::Alpha));
                }
            }
            if rule.get("alert").is_some() {
                assert_eq!(rule["labels"].get("stability").is_some(), is_alpha);
                assert!(
                    ["critical", "warning", "info"]
                        .contains(&rule["labels"]["severity"].as_str().unwrap())
                );
                for annotation in ["summary", "description", "runbook_url"] {
                    assert!(rule["annotations"][annotation].is_string());
                }
                assert!(rule["for"].is_string());
            }
        }
    }
    // Before 1.28 all metrics are alpha, but for the gauge of deprecated versions.
    let old = Monitoring::new(release("1.27")).rules();
    let stable: Vec<_> = old["groups"][0]["rules"]
        .as_array()
        .unwrap()
        .iter()
        .map(|rule| &rule["alert"])
        .collect();
    assert_eq!(stable, ["FlowControlDeprecatedVersionRequested"]);
}

/// The chapter has a heading for every alert, to which the alert links.
#[test]
fn every_alert_is_described() {
    let chapter = std::fs::read_to_string(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../docs/src/monitoring.md"
    ));
    let mut alerts = Vec::new();
    for release in Release::all() {
        expressions(&Monitoring::new(release).rules(), "alert", &mut alerts);
    }
    let Ok(chapter) = chapter else {
        // The published package does not contain the chapter.
        return;
    };
    for alert in alerts {
        assert!(chapter.contains(&format!("\n### {alert}\n")), "{alert}");
    }
}

#[test]
fn a_selector_is_in_every_query() {
    let selector = "job=\"apiserver\"";
    let monitoring = Monitoring::new(release("1.31")).with_selector(selector.parse().unwrap());
    let mut all = Vec::new();
    expressions(&monitoring.rules(), "expr", &mut all);
    expressions(&monitoring.dashboard(), "expr", &mut all);
    expressions(&monitoring.dashboard(), "definition", &mut all);
    for expression in &all {
        for (_, matchers) in metrics_of(expression) {
            assert!(matchers.starts_with(selector), "{expression}");
        }
    }
}

/// A value of a selector stays inside its string, in the expressions and in the YAML of the rules.
#[test]
fn a_hostile_selector_is_text_in_yaml() {
    for value in [
        "x: y",
        "\\n- alert: Evil",
        "#",
        "{{ $labels.x }}",
        "' `",
        "\\\"} or vector(1) #",
    ] {
        let selector = format!("job=\"{value}\"");
        let monitoring = Monitoring::new(release("1.36")).with_selector(selector.parse().unwrap());
        for object in [monitoring.rules(), monitoring.dashboard()] {
            let read = yaml_to_json(to_yaml(&object).as_bytes()).unwrap();
            let read: Value = serde_json::from_str(&read).unwrap();
            assert_eq!(read, object, "{value:?}");
        }
        let mut all = Vec::new();
        expressions(&monitoring.rules(), "expr", &mut all);
        assert!(all.iter().any(|expression| expression.contains(&selector)));
    }
    // A string that ends early is not a selector.
    for wrong in [
        "job=\"x\"} or vector(1) #",
        "job=\"x\n",
        "job=\"x\"\n- alert: Evil",
    ] {
        wrong.parse::<Selector>().unwrap_err();
    }
}

#[test]
fn the_dashboard_is_complete_and_its_panels_do_not_overlap() {
    for release in Release::all() {
        let dashboard = Monitoring::new(release).dashboard();
        assert_eq!(dashboard, Monitoring::new(release).dashboard());
        let uid = dashboard["uid"].as_str().unwrap();
        assert!(uid.len() <= 40, "Grafana accepts at most 40 characters");
        let variables: Vec<_> = dashboard["templating"]["list"]
            .as_array()
            .unwrap()
            .iter()
            .map(|own| own["name"].as_str().unwrap())
            .collect();
        assert_eq!(
            variables,
            [
                "datasource",
                "cluster",
                "instance",
                "priority_level",
                "flow_schema"
            ]
        );
        let panels = dashboard["panels"].as_array().unwrap();
        let (mut ids, mut cells) = (BTreeSet::new(), BTreeSet::new());
        for panel in panels {
            assert!(ids.insert(panel["id"].as_u64().unwrap()));
            let [x, y, w, h] =
                ["x", "y", "w", "h"].map(|key| panel["gridPos"][key].as_u64().unwrap());
            assert!(x + w <= 24);
            for cell in (x..x + w).flat_map(|x| (y..y + h).map(move |y| (x, y))) {
                assert!(cells.insert(cell), "{} overlaps", panel["title"]);
            }
            if panel["type"] == "row" {
                continue;
            }
            assert!(panel["fieldConfig"]["defaults"]["unit"].is_string());
            assert_eq!(panel["datasource"]["uid"], "${datasource}");
            let expression = panel["targets"][0]["expr"].as_str().unwrap();
            let is_alpha = metrics_of(expression)
                .iter()
                .any(|(metric, _)| metric.stability(release) == Some(Stability::Alpha));
            let title = panel["title"].as_str().unwrap();
            assert_eq!(
                title.ends_with(" (alpha)"),
                is_alpha,
                "{title} in {release}"
            );
        }
    }
}

#[test]
fn each_rule_names_the_releases_with_its_metrics() {
    for release in Release::all() {
        let monitoring = Monitoring::new(release);
        let requirements = monitoring.requirements();
        let rules: usize = monitoring.rules()["groups"]
            .as_array()
            .unwrap()
            .iter()
            .map(|group| group["rules"].as_array().unwrap().len())
            .sum();
        assert_eq!(requirements.len(), rules, "{release}");
        for rule in &requirements {
            assert!(rule.first <= release && release <= rule.last, "{rule:?}");
        }
    }
    // Seats in use were counted by a metric of another name before 1.28.
    let newest = Monitoring::new(Release::NEWEST).requirements();
    assert!(
        newest.iter().any(|rule| rule.first.minor() == 28),
        "{newest:?}"
    );
}
