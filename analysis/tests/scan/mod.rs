//! The clients of old API versions, and the verdict about a cluster.

#![allow(
    clippy::unwrap_used,
    reason = "a test that cannot read its own input has failed"
)]

mod helm;
mod log;

use k8s_flowcontrol_analysis::scan::{ClusterScan, Evidence, Stamp, Stamps};
use k8s_flowcontrol_types::{GROUP, Release};
use serde_json::{Value, json};

const OWN_MANAGER: &str = "api-priority-and-fairness-config-consumer-v1";
const CLIENT_SIDE: &str = "kubectl-client-side-apply";

/// A cluster of a release that serves these versions, the preferred one first, after its metrics are read.
fn cluster(git_version: &str, served: &[&str], metrics: &str) -> ClusterScan {
    let mut scan = ClusterScan::new(None);
    scan.add_release(git_version, None);
    let versions = served.iter().map(|version| (*version).to_owned());
    scan.add_served(versions.clone().next(), versions);
    scan.add_metrics(metrics, Release::NEWEST);
    scan
}

/// An object that a manager wrote in a version.
fn written(manager: &str, version: &str, time: &str) -> Value {
    let entry =
        json!({"manager": manager, "apiVersion": format!("{GROUP}/{version}"), "time": time});
    json!({"metadata": {"managedFields": [entry]}})
}

fn add_objects(scan: &mut ClusterScan, objects: &[Value]) {
    let mut stamps = Stamps::default();
    for object in objects {
        stamps.add(object, Release::NEWEST);
    }
    scan.add_objects(objects.len(), stamps);
}

/// The managers, their objects and their last writes.
fn names(stamps: &[Stamp]) -> Vec<(&str, usize, &str)> {
    let mut found = Vec::new();
    for stamp in stamps {
        let last = stamp.last.as_deref().unwrap_or_default();
        found.push((stamp.manager.as_str(), stamp.objects, last));
    }
    found
}

/// A server since June 2025, and requests in versions of which some are old, some of other groups, and some not requests at all.
const METRICS: &str = "\
# HELP apiserver_requested_deprecated_apis [STABLE] Gauge of deprecated APIs that have been requested
apiserver_requested_deprecated_apis{group=\"flowcontrol.apiserver.k8s.io\",removed_release=\"1.32\",resource=\"flowschemas\",subresource=\"status\",version=\"v1beta3\"} 1
apiserver_requested_deprecated_apis{group=\"flowcontrol.apiserver.k8s.io\",removed_release=\"1.29\",resource=\"flowschemas\",subresource=\"\",version=\"v1beta2\"} 0
apiserver_requested_deprecated_apis{group=\"policy\",removed_release=\"1.25\",resource=\"podsecuritypolicies\",subresource=\"\",version=\"v1beta1\"} 1
apiserver_requested_deprecated_apis{broken
process_start_time_seconds 1.75e+09
";

#[test]
fn metrics_have_the_requests_in_old_versions_of_this_group() {
    let scan = cluster("v1.31.2", &["v1", "v1beta3"], METRICS);
    let [requested] = &scan.requested[..] else {
        unreachable!("{:?}", scan.requested)
    };
    assert_eq!(
        (requested.version.as_str(), requested.refused_from),
        ("v1beta3", 32)
    );
    assert_eq!(
        (requested.resource.as_str(), requested.subresource.as_str()),
        ("flowschemas", "status")
    );
    assert_eq!(
        scan.requested_since.as_deref(),
        Some("2025-06-15T15:06:40Z")
    );
    // 1.31 still serves v1beta3.
    let mut scan = ClusterScan::new(None);
    scan.add_metrics(METRICS, Release::new(31).unwrap());
    assert_eq!(scan.requested, []);
}

#[test]
fn writes_are_history_unless_the_server_was_requested_since() {
    let objects = [
        written("old", "v1beta3", "2024-01-01T00:00:00Z"),
        written("busy", "v1beta3", "2024-01-01T00:00:00Z"),
        written("busy", "v1beta3", "2026-01-01T00:00:00Z"),
        written("new", "v1", "2026-01-01T00:00:00Z"),
        written("unheard", "v1beta2", "2026-01-01T00:00:00Z"),
    ];
    let served = &["v1", "v1beta3"];
    let mut scan = cluster("v1.31.2", served, METRICS);
    add_objects(&mut scan, &objects);
    assert_eq!(names(&scan.writers), [("busy", 2, "2026-01-01T00:00:00Z")]);
    assert_eq!(
        names(&scan.history),
        [
            ("old", 1, "2024-01-01T00:00:00Z"),
            ("unheard", 1, "2026-01-01T00:00:00Z")
        ]
    );
    // Without the metric or the start time, all evidence is history.
    let (requested, start) = METRICS.split_once("process_").unwrap();
    for metrics in [requested, &format!("process_{start}")] {
        let mut scan = cluster("v1.31.2", served, metrics);
        add_objects(&mut scan, &objects);
        assert_eq!((scan.writers.len(), scan.history.len()), (0, 3));
    }
}

#[test]
fn the_last_applied_annotation_is_history() {
    let mut object = written(CLIENT_SIDE, "v1", "2026-01-01T00:00:00Z");
    let applied = json!({"apiVersion": format!("{GROUP}/v1beta3")}).to_string();
    object["metadata"]["annotations"] =
        json!({"kubectl.kubernetes.io/last-applied-configuration": applied});
    let mut scan = cluster("v1.31.2", &["v1", "v1beta3"], METRICS);
    add_objects(&mut scan, &[object]);
    assert_eq!(scan.writers, []);
    assert_eq!(
        names(&scan.history),
        [(CLIENT_SIDE, 1, "2026-01-01T00:00:00Z")]
    );
    assert_eq!(scan.history[0].evidence, Evidence::LastApplied);
}

/// The metric counts requests in versions that are deprecated in the release of the server.
#[test]
fn a_version_that_the_metric_does_not_count_may_be_requested() {
    let of_128 = ["v1beta3", "v1beta2"];
    for (git_version, served, manager, version, is_writer) in [
        ("v1.28.3-eks-1", &of_128, "team", "v1beta3", true),
        ("v1.28.3-eks-1", &of_128, "team", "v1beta2", false),
        // An aggregated server with the same controller writes in an older version than the server itself.
        ("v1.28.3-eks-1", &of_128, OWN_MANAGER, "v1beta3", false),
        ("v1.29.0", &["v1", "v1beta3"], "team", "v1beta3", false),
        ("unknown", &["v1", "v1beta3"], "team", "v1beta3", false),
    ] {
        let mut scan = cluster(git_version, served, "process_start_time_seconds 1.75e+09\n");
        add_objects(
            &mut scan,
            &[written(manager, version, "2026-01-01T00:00:00Z")],
        );
        assert_eq!(
            (scan.writers.len(), scan.history.len()),
            (usize::from(is_writer), usize::from(!is_writer)),
            "{git_version} {manager} {version}"
        );
    }
}
