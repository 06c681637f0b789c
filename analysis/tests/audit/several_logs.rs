//! Logs of several servers, and logs that overlap.

use k8s_flowcontrol_analysis::audit::AuditLog;
use k8s_flowcontrol_analysis::traffic::{Accounting, Traffic};
use k8s_flowcontrol_types::Release;
use serde_json::json;
use std::io;
use std::ops::Range;
use std::slice::from_ref;

/// Requests at these seconds, each of 50 ms, and the lease renewals of a server every ten seconds.
fn log(seconds: Range<u64>, server: &str) -> String {
    let event = |second: u64, name: &str, mut event: serde_json::Value| {
        let time = format!("2026-01-05T00:{:02}:{:02}", second / 60, second % 60);
        event["kind"] = json!("Event");
        event["apiVersion"] = json!("audit.k8s.io/v1");
        event["level"] = json!("Metadata");
        event["stage"] = json!("ResponseComplete");
        event["auditID"] = json!(format!("{name}-{server}-{second}"));
        event["responseStatus"] = json!({"code": 200});
        event["requestReceivedTimestamp"] = json!(format!("{time}.000000Z"));
        event["stageTimestamp"] = json!(format!("{time}.050000Z"));
        format!("{event}\n")
    };
    let requests = seconds.clone().map(|second| {
        let request = json!({
            "requestURI": "/api/v1/namespaces/a/pods", "verb": "list", "objectRef": {"resource": "pods", "namespace": "a", "apiVersion": "v1"},
            "user": {"username": "alice", "groups": ["system:authenticated"]},
        });
        event(second, "request", request)
    });
    let renewals = seconds.clone().step_by(10).map(|second| {
        let renewal = json!({
            "requestURI": format!("/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/{server}"), "verb": "update",
            "user": {"username": "system:apiserver", "groups": ["system:masters"]},
            "objectRef": {"resource": "leases", "namespace": "kube-system", "name": server, "apiGroup": "coordination.k8s.io", "apiVersion": "v1"},
        });
        event(second, "renewal", renewal)
    });
    requests.chain(renewals).collect()
}

/// The notes that speak of the logs.
fn notes(traffic: Traffic) -> Vec<String> {
    let notes = traffic.report().coverage.notes.into_iter();
    let others = [
        "no events",
        "whether events",
        "kubelets and",
        "there are no",
    ];
    notes
        .filter(|note| !others.iter().any(|other| note.starts_with(other)))
        .collect()
}

fn run(logs: &[String], new: fn(&Accounting) -> Traffic) -> Traffic {
    let accounting = Accounting::new(&[], &[], 600, Release::NEWEST);
    let (mut audit, mut traffic) = (AuditLog::new(), new(&accounting));
    for log in logs {
        traffic.begin_log();
        let read = audit.read(log.as_bytes(), |event| {
            traffic.add(event, accounting.sample(event));
            Ok::<(), io::Error>(())
        });
        read.unwrap();
    }
    let counts = audit.finish(|_| Ok::<(), io::Error>(()));
    traffic.add_counts(&counts.unwrap());
    traffic
}

/// The sum of a partial result of each of these runs.
fn merged(runs: &[&[String]]) -> Traffic {
    let mut sum = Traffic::default();
    for logs in runs {
        let part = run(logs, Traffic::partial).to_json().unwrap();
        sum.merge(Traffic::from_json(&part).unwrap()).unwrap();
    }
    sum
}

#[test]
fn servers_with_a_partial_result_each_are_not_mixed() {
    let both = ["apiserver-a", "apiserver-b"].map(|server| log(0..100, server));
    let mixed = "2 API servers renewed their leases in the same time";
    assert!(notes(run(&both, Traffic::new))[0].starts_with(mixed));
    assert_eq!(
        notes(merged(&[&both[..1], &both[1..]])),
        Vec::<String>::new()
    );
    // A run mixed them.
    let other = log(200..300, "apiserver-a");
    assert!(notes(merged(&[from_ref(&other), &both]))[0].starts_with(mixed));
}

#[test]
fn requests_that_partial_results_share_are_noted() {
    let whole = log(0..1000, "apiserver-a");
    let [first, second] = [0..600, 400..1000].map(|part| log(part, "apiserver-a"));
    let about = |percent: u32| {
        format!(
            "about {percent} % of the requests are in the logs twice, and count twice: logs overlap, or one is given twice"
        )
    };
    assert_eq!(
        notes(merged(&[from_ref(&whole), from_ref(&whole)])),
        [about(100)]
    );
    // A fifth of 1100 requests; the sample has 256 of them.
    let overlap = notes(merged(&[from_ref(&first), from_ref(&second)]));
    let percent: u32 = overlap[0].split(' ').nth(1).unwrap().parse().unwrap();
    assert_eq!(overlap, [about(percent)]);
    assert!((10..30).contains(&percent), "{overlap:?}");
    // Of one run they count once.
    assert_eq!(
        notes(run(&[first, second], Traffic::new)),
        Vec::<String>::new()
    );
    let halves = [0..500, 500..1000].map(|part| log(part, "apiserver-a"));
    assert_eq!(
        notes(merged(&[&halves[..1], &halves[1..]])),
        Vec::<String>::new()
    );
}
