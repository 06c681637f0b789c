//! The table of metrics, beside the metrics of real servers.

use super::{OF_1_36, recorded, release};
use k8s_flowcontrol_analysis::metrics::catalog::{self, Metric, Stability};
use std::collections::BTreeSet;

const OF_1_31: &str = include_str!("../fixtures/metrics/1.31.txt");

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

#[test]
fn names_and_labels_are_sorted_and_unique() {
    assert!(catalog::ALL.is_sorted_by(|a, b| a.name() < b.name()));
    for metric in catalog::ALL {
        assert!(
            metric.labels().is_sorted_by(|a, b| a < b),
            "{}",
            metric.name()
        );
    }
}

#[test]
fn the_series_of_a_histogram_have_its_name() {
    assert_eq!(
        catalog::find("apiserver_flowcontrol_demand_seats_count"),
        Some(&catalog::DEMAND_SEATS)
    );
    assert_eq!(
        catalog::find("apiserver_flowcontrol_demand_seats_average"),
        Some(&catalog::DEMAND_SEATS_AVERAGE)
    );
    assert_eq!(catalog::find("apiserver_flowcontrol_current_r_count"), None);
}
