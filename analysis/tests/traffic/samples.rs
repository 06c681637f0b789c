//! Logs that can be samples, which the lease renewals tell.

use super::{accounting, batch, event, report};
use serde_json::{Value, json};

#[test]
fn a_sample_has_no_least_from_the_limits_of_a_level() {
    let accounting = accounting("Queue");
    let log: Vec<_> = (0..20)
        .map(|id| event(id, "alice", 0, 1000, None, 200))
        .collect();
    let least = |log: &[String]| batch(&report(&accounting, log)).least_seat_seconds;
    // A log without renewals can be a sample, too.
    assert_eq!(least(&log), 0.0);
    let with = |renewals| [log.clone(), renewals].concat();
    assert_eq!(least(&with(renewals(10, node))), 10.0);
    assert_eq!(least(&with(renewals(10, server))), 10.0);
    let sampled = with(renewals(40, node));
    assert_eq!(
        report(&accounting, &sampled).coverage.sampled_percent,
        Some(25.0)
    );
    assert_eq!(least(&sampled), 0.0);
    let sampled = with(renewals(40, server));
    assert_eq!(
        report(&accounting, &sampled).coverage.sampled_percent,
        Some(25.0)
    );
    assert_eq!(least(&sampled), 0.0);
}

/// An export of one user, and a policy that excludes watches, are not samples of lease renewals. The requests that they leave out can take the seats.
#[test]
fn a_log_that_lacks_kinds_of_requests_has_no_least_from_the_limits_of_a_level() {
    let accounting = accounting("Queue");
    let log = |requests: usize| {
        let log = (0..requests).map(|id| event(id, "alice", 0, 1000, None, 200));
        let minutes = (0..5).map(|minute| {
            let event = event(2000 + minute, "alice", 0, 0, None, 200);
            event.replace("T00:00:", &format!("T00:{minute:02}:"))
        });
        let found = log.chain(renewals(10, node)).chain(minutes);
        report(&accounting, &found.collect::<Vec<_>>())
    };
    let (short, long) = (log(20), log(500));
    assert_eq!(batch(&short).least_seat_seconds, 10.0);
    let notes = long.coverage.notes.join(" ");
    assert!(notes.contains("there are no watches"), "{notes}");
    assert_eq!(long.coverage.sampled_percent, Some(100.0));
    assert_eq!(batch(&long).least_seat_seconds, 0.0);
}

/// Twelve leases, each renewed at the beginning of the minute and after these seconds.
pub(super) fn renewals(
    seconds: u64,
    lease: fn(usize) -> (String, String, &'static str),
) -> Vec<String> {
    let renewal = |index: usize| {
        let (user, name, namespace) = lease(index % 12);
        let time = index as u64 / 12 * seconds * 1000;
        let mut event: Value =
            serde_json::from_str(&event(1000 + index, &user, time, time, None, 200)).unwrap();
        event["verb"] = "update".into();
        event["requestURI"] =
            format!("/apis/coordination.k8s.io/v1/namespaces/{namespace}/leases/{name}").into();
        event["objectRef"] = json!({"resource": "leases", "namespace": namespace, "name": name});
        event.to_string()
    };
    (0..24).map(renewal).collect()
}

pub(super) fn node(index: usize) -> (String, String, &'static str) {
    let name = format!("n{index}");
    (format!("system:node:{name}"), name, "kube-node-lease")
}

fn server(index: usize) -> (String, String, &'static str) {
    let name = format!("apiserver-{index}");
    ("system:apiserver".to_owned(), name, "kube-system")
}
