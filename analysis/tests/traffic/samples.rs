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
