//! Rules: the metrics that they use, and their texts.

use super::{OF_1_36, expressions, metrics_of, recorded, release};
use k8s_flowcontrol_analysis::metrics::catalog::Stability;
use k8s_flowcontrol_analysis::monitoring::{Monitoring, Selector};
use k8s_flowcontrol_text::{to_yaml, yaml_to_json};
use k8s_flowcontrol_types::Release;
use serde_json::Value;
use std::collections::BTreeSet;

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
    // A string that ends early is not a selector, and no other text is.
    for wrong in [
        "job=\"x\"} or vector(1) #",
        "job=\"x\n",
        "job=\"x\"\n- alert: Evil",
        "job",
        "job=",
        "job=apiserver",
        "job=\"a",
        "1a=\"b\"",
        "=\"b\"",
        "a=\"b\" c=\"d\"",
        "a=\"b\"}",
        "{a=\"b\"}",
        "a==\"b\"",
    ] {
        assert!(wrong.parse::<Selector>().is_err(), "{wrong}");
    }
}

/// Prometheus would reject the whole rule file.
#[test]
fn regular_expressions_of_matchers_are_those_of_re2() {
    let message = |text: &str| text.parse::<Selector>().unwrap_err().to_string();
    assert_eq!(
        message(r#"job="x",cluster=~"prod-(a|b""#),
        "`cluster=~\"prod-(a|b\"`: the regular expression `prod-(a|b` is invalid at character 6: unclosed group; expected the \
         syntax of RE2"
    );
    assert_eq!(
        message(r#"node=~"ä\\d+**""#),
        r#"`node=~"ä\\d+**"`: the regular expression `ä\d+**` is invalid at character 5: a repetition of a repetition without "#
            .to_owned()
            + "parentheses; expected the syntax of RE2"
    );
    assert_eq!(
        message(r#"node="a\d""#),
        r#"`node="a\d"`: PromQL does not have the escape `\d` in a string; write a backslash as `\\`"#
    );
    for wrong in [
        "*a",
        "a)|(b",
        "[a",
        "a{2,1}",
        "(?=a)",
        r"(a)\1",
        r"\Z",
        "a{1001}",
        "(?x)a",
        "(?u:a)",
        r"\u0041",
        r"\u{41}",
        "[z-a]",
        "(?P<a>b)(?P<a>c)",
        r"a\",
        "a**",
        r"[\1]",
    ] {
        let text = format!("job!~{}", serde_json::to_string(wrong).unwrap());
        assert!(text.parse::<Selector>().is_err(), "{wrong}");
        // Only these operators have regular expressions.
        let plain = text.replace("!~", "!=");
        assert_eq!(plain.parse::<Selector>().unwrap().as_str(), plain);
    }
    for right in [
        "",
        ".*",
        "prod-.*|dev",
        "(?i:a)b",
        "(?U)a+?",
        "(a*)*",
        r"\d+\.\d",
        r"\pL\p{Greek}\P{L}",
        r"\x41\x{1F600}",
        r"\012\0",
        "[[:alpha:]_]",
        "a{1000}",
        "{a}",
        "a{,2}",
        "a{b",
        "[[a]",
        r"\Qa*b\E",
        "(?P<a>b)",
        "(?<a>b)",
        "$instance",
        "^a$",
        r"\bé\B",
        "a{2}",
        r"[\]a]",
        "[]a]",
    ] {
        let text = format!("job=~{}", serde_json::to_string(right).unwrap());
        let read = text.parse::<Selector>();
        assert_eq!(read.unwrap().as_str(), text, "{right}");
    }
    assert!(r#"job=~"\x41\u00e4\U0001F600\101\t\"""#.parse::<Selector>().is_ok());
}

#[test]
fn matchers_are_read_and_written_alike() {
    for (text, expected) in [
        ("", ""),
        ("job=\"apiserver\"", "job=\"apiserver\""),
        (
            " job =~ \"a,\\\"b}\" , c!=\"d\",",
            "job=~\"a,\\\"b}\",c!=\"d\"",
        ),
    ] {
        assert_eq!(text.parse::<Selector>().unwrap().as_str(), expected);
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

/// More seats for one level are fewer for others, which only a simulation of the load can judge.
#[test]
fn no_alert_advises_a_change_that_was_not_simulated() {
    let mut texts = Vec::new();
    for release in Release::all() {
        expressions(&Monitoring::new(release).rules(), "description", &mut texts);
    }
    for text in &texts {
        let lower = text.to_lowercase();
        for advice in [
            "raise",
            "more nominalconcurrencyshares",
            "needs more",
            "give it",
            "isolate",
            "lendable",
        ] {
            assert!(!lower.contains(advice), "{advice} in {text}");
        }
    }
    let simulated = texts
        .iter()
        .filter(|text| text.contains("simulates who gains and who pays"));
    assert!(simulated.count() > Release::all().count());
}
