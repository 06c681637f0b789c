//! The gaps of logs, as a report names them.

use k8s_flowcontrol_analysis::audit::AuditLog;
use k8s_flowcontrol_analysis::traffic::{Accounting, Coverage, Traffic};
use k8s_flowcontrol_types::Release;
use serde_json::{Value, json};
use std::io;

/// A renewal of the lease of a node at a second.
fn renewal(second: u64, stage: &str) -> Value {
    let time = format!(
        "2026-01-05T00:{:02}:{:02}.000000Z",
        second / 60,
        second % 60
    );
    json!({
        "kind": "Event", "apiVersion": "audit.k8s.io/v1", "level": "Metadata", "auditID": second.to_string(), "stage": stage,
        "requestURI": "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/n1", "verb": "update",
        "user": {"username": "system:node:n1", "groups": ["system:nodes", "system:authenticated"]},
        "objectRef": {"resource": "leases", "namespace": "kube-node-lease", "name": "n1", "apiGroup": "coordination.k8s.io", "apiVersion": "v1"},
        "responseStatus": {"code": 200}, "requestReceivedTimestamp": time, "stageTimestamp": time,
    })
}

/// The coverage of a log, in one run and as the sum of two partial results.
fn coverage(log: &[u8]) -> Coverage {
    let accounting = Accounting::new(&[], &[], 600, Release::NEWEST);
    let run = |log: &[u8], mut traffic: Traffic| {
        let mut audit = AuditLog::new();
        traffic.begin_log();
        let read = audit.read(log, |event| {
            traffic.add(event, accounting.sample(event));
            Ok::<(), io::Error>(())
        });
        read.unwrap();
        let counts = audit.finish(|event| {
            traffic.add_open(event, accounting.sample(event));
            Ok::<(), io::Error>(())
        });
        traffic.add_counts(&counts.unwrap());
        traffic
    };
    let whole = run(log, Traffic::new(&accounting)).report().coverage;
    let middle = log.len() / 2;
    let cut = log[middle..].iter().position(|byte| *byte == b'\n');
    if let Some(cut) = cut.filter(|_| log.starts_with(b"{\"")) {
        let (first, second) = log.split_at(middle + cut + 1);
        let mut sum = Traffic::default();
        for part in [first, second] {
            let part = run(part, Traffic::partial(&accounting)).to_json().unwrap();
            sum.merge(Traffic::from_json(&part).unwrap()).unwrap();
        }
        assert_eq!(format!("{:?}", sum.report().coverage), format!("{whole:?}"));
    }
    whole
}

fn lines(events: impl IntoIterator<Item = Value>) -> Vec<u8> {
    let lines = events.into_iter().map(|event| format!("{event}\n"));
    lines.collect::<String>().into_bytes()
}

#[test]
fn a_complete_log_has_no_notes() {
    let log = lines(
        (0..600)
            .step_by(10)
            .map(|second| renewal(second, "ResponseComplete")),
    );
    let coverage = coverage(&log);
    assert_eq!((coverage.minutes, coverage.empty_minutes), (10, 0));
    assert_eq!(coverage.sampled_percent, Some(100.0));
    assert_eq!(coverage.notes, Vec::<String>::new());
    assert_eq!(coverage.formats["audit events"], 60);
}

#[test]
fn empty_times_are_named() {
    let seconds = (0..600)
        .step_by(10)
        .filter(|second| !(240..420).contains(second));
    let coverage = coverage(&lines(
        seconds.map(|second| renewal(second, "ResponseComplete")),
    ));
    let gap = (
        "2026-01-05T00:04:00Z".to_owned(),
        "2026-01-05T00:07:00Z".to_owned(),
    );
    assert_eq!(
        (
            coverage.minutes,
            coverage.empty_minutes,
            coverage.longest_gap
        ),
        (10, 3, Some(gap))
    );
    assert_eq!(coverage.notes.len(), 1, "{:?}", coverage.notes);
    assert!(coverage.notes[0].starts_with("no events in 3 of 10 minutes, the longest"));
}

#[test]
fn requests_from_before_the_log_are_no_gap() {
    let mut events: Vec<_> = (0..600)
        .step_by(10)
        .map(|second| renewal(second, "ResponseComplete"))
        .collect();
    let mut watch = renewal(601, "ResponseComplete");
    watch["verb"] = "watch".into();
    watch["requestURI"] = "/apis/coordination.k8s.io/v1/leases?watch=1".into();
    watch["requestReceivedTimestamp"] = "2026-01-01T00:00:00.000000Z".into();
    watch["stageTimestamp"] = "2026-01-05T00:05:00.000000Z".into();
    events.push(watch);
    let coverage = coverage(&lines(events));
    assert_eq!((coverage.minutes, coverage.longest_gap), (10, None));
    assert_eq!(coverage.sampled_percent, Some(100.0));
}

/// A server that does not answer in time gets renewals less often.
#[test]
fn failed_renewals_do_not_make_a_sample() {
    let done = (0..300).step_by(10);
    let done = done.map(|second| renewal(second, "ResponseComplete"));
    let failed = (300..600).step_by(34).map(|second| {
        let mut event = renewal(second, "ResponseComplete");
        event["responseStatus"]["code"] = 504.into();
        event
    });
    let coverage = coverage(&lines(done.chain(failed)));
    assert_eq!(coverage.sampled_percent, Some(100.0));
    assert_eq!(coverage.notes, Vec::<String>::new());
}

/// The note has a bound, and nothing is rounded below it.
#[test]
fn a_small_part_of_a_log_is_more_than_none() {
    let renewals = [0, 3000].map(|second| renewal(second, "ResponseComplete"));
    let coverage = coverage(&lines(renewals));
    let note = coverage.notes.iter().find(|note| note.contains("lease"));
    // Two of 51 minutes have events, so that eleven of 300 renewals are expected.
    assert_eq!(coverage.sampled_percent, Some(8.5));
    assert!(note.unwrap().contains("at most 9 % of"), "{note:?}");
}

#[test]
fn a_short_sample_of_many_nodes_is_named() {
    let nodes = |seconds: &[u64]| {
        let events = (0..20).flat_map(|node| {
            seconds.iter().map(move |second| {
                let mut event = renewal(*second, "ResponseComplete");
                event["auditID"] = json!(format!("{node}-{second}"));
                event["objectRef"]["name"] = json!(format!("n{node}"));
                event
            })
        });
        coverage(&lines(events))
    };
    let sampled = nodes(&[0, 40]);
    assert_eq!(sampled.sampled_percent, Some(25.0));
    assert!(
        sampled.notes[0].contains("at most 25 % of these requests are there: events are sampled"),
        "{:?}",
        sampled.notes
    );
    let complete = nodes(&[0, 10, 20, 30, 40]);
    assert_eq!(complete.sampled_percent, Some(100.0));
    assert_eq!(complete.notes, Vec::<String>::new());
}

#[test]
fn sampling_stages_levels_and_exclusions_are_named() {
    let sampled = (0..1200)
        .step_by(30)
        .map(|second| renewal(second, "ResponseComplete"));
    let found = coverage(&lines(sampled));
    assert!(
        found
            .sampled_percent
            .is_some_and(|percent| (30.0..40.0).contains(&percent))
    );
    assert!(
        found.notes[0].contains("events are sampled"),
        "{:?}",
        found.notes
    );

    let received = (0..600)
        .step_by(10)
        .map(|second| renewal(second, "RequestReceived"));
    let found = coverage(&lines(received));
    assert!(
        found.notes[0].contains("no event has the stage ResponseComplete"),
        "{:?}",
        found.notes
    );

    let bare = (0..600).step_by(10).map(|second| {
        let mut event = renewal(second, "ResponseComplete");
        event.as_object_mut().unwrap().remove("user");
        event.as_object_mut().unwrap().remove("level");
        event
    });
    let notes = coverage(&lines(bare)).notes.join("\n");
    assert!(
        notes.contains("60 of 60 requests have no user or no verb"),
        "{notes}"
    );
    assert!(
        notes.contains("60 events do not have the field `level`"),
        "{notes}"
    );

    let many = (0..600).map(|second| renewal(second, "ResponseComplete"));
    let notes = coverage(&lines(many)).notes.join("\n");
    assert!(
        notes.contains("there are no watches, no reads (get and list), no requests for paths"),
        "{notes}"
    );
    assert!(!notes.contains("leases"), "{notes}");

    let reads = (0..600).map(|second| {
        let mut event = renewal(second, "ResponseComplete");
        event["verb"] = "get".into();
        event
    });
    let found = coverage(&lines(reads));
    assert_eq!(found.sampled_percent, None);
    let notes = found.notes.join("\n");
    assert!(
        notes.contains("whether events are sampled is not known: there are too few lease renewals"),
        "{notes}"
    );

    let cloud = include_bytes!("../fixtures/envelopes/cloud-logging.json");
    let notes = coverage(cloud).notes.join("\n");
    assert!(
        notes.contains("3 events are from Cloud Logging, which does not have the duration"),
        "{notes}"
    );
    let aks = include_bytes!("../fixtures/envelopes/aks-audit.json");
    assert!(
        coverage(aks)
            .notes
            .join("\n")
            .contains("AKSAudit, which does not have the impersonated user")
    );
}

/// A renewal of the lease of an API server at a second.
fn server_renewal(second: u64, server: &str) -> Value {
    let mut event = renewal(second, "ResponseComplete");
    event["requestURI"] = json!(format!(
        "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/{server}"
    ));
    event["user"] = json!({"username": "system:apiserver", "groups": ["system:masters", "system:authenticated"]});
    event["objectRef"]["namespace"] = json!("kube-system");
    event["objectRef"]["name"] = json!(server);
    event
}

#[test]
fn logs_of_several_servers_are_noted() {
    let note_at = |renewals: &[(u64, &str)]| {
        let renewals = renewals.iter();
        let log = lines(renewals.map(|(second, server)| server_renewal(*second, server)));
        let mut notes = coverage(&log).notes.into_iter();
        notes.find(|note| note.contains("API servers renew"))
    };
    let note = |servers: &[&str]| {
        let times = (0..).map(|index| index * 10);
        note_at(&times.zip(servers.iter().copied()).collect::<Vec<_>>())
    };
    let (a, b) = ("apiserver-a", "apiserver-b");
    let start = "2 API servers renewed their leases in the same time: ";
    // By turns, and one file after the other.
    for mixed in [
        note(&[a, b, a, b, b, a]),
        note_at(&[
            (0, a),
            (10, a),
            (20, a),
            (5, b),
            (15, b),
            (25, b),
            (35, b),
            (30, a),
        ]),
    ] {
        let mixed = mixed.unwrap();
        assert!(mixed.starts_with(start), "{mixed}");
        assert!(mixed.ends_with("run the command for the log of each server alone"));
    }
    // A server whose name differs after a restart.
    assert_eq!(note(&[a, a, a, b, b, b]), None);
    assert_eq!(note(&[a; 6]), None);
    // Another client of these leases, such as the collector of old ones.
    assert_eq!(note(&[a, "other", a, "other", a, "other"]), None);
}

/// A status, a dry run and a failed write do not change the configuration.
#[test]
fn writes_of_the_configuration_are_named() {
    let write = |second: u64, verb: &str, uri: &str, subresource: &str, code: u16| {
        let mut event = renewal(second, "ResponseComplete");
        event["verb"] = json!(verb);
        event["requestURI"] = json!(format!("/apis/flowcontrol.apiserver.k8s.io/v1/{uri}"));
        event["objectRef"] = json!({"resource": "flowschemas", "name": "x", "subresource": subresource,
            "apiGroup": "flowcontrol.apiserver.k8s.io", "apiVersion": "v1"});
        event["responseStatus"]["code"] = json!(code);
        event
    };
    let mut events: Vec<_> = (0..600)
        .step_by(10)
        .map(|second| renewal(second, "ResponseComplete"))
        .collect();
    events.push(write(601, "get", "flowschemas/x", "", 200));
    events.push(write(602, "patch", "flowschemas/x/status", "status", 200));
    events.push(write(603, "patch", "flowschemas/x?dryRun=All", "", 200));
    events.push(write(604, "update", "flowschemas/x", "", 409));
    assert_eq!(coverage(&lines(events.clone())).notes, Vec::<String>::new());
    events.push(write(
        605,
        "patch",
        "flowschemas/x?fieldManager=me",
        "",
        200,
    ));
    let rest = "requests before that time may have had another configuration than the given one";
    assert_eq!(
        coverage(&lines(events.clone())).notes,
        [format!(
            "a request wrote a flow schema or priority level at 2026-01-05T00:10:05Z: {rest}"
        )]
    );
    events.push(write(700, "delete", "flowschemas/x", "", 200));
    assert_eq!(
        coverage(&lines(events)).notes,
        [format!(
            "2 requests wrote flow schemas or priority levels, the last of them at 2026-01-05T00:11:40Z: {rest}"
        )]
    );
}
