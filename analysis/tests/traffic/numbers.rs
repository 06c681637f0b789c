//! The numbers of partial results, which a file can have wrong.

use super::{accounting, event, level, schema};
use crate::numbers::{numbers, try_all, with};
use k8s_flowcontrol_analysis::audit::{AuditLog, Event};
use k8s_flowcontrol_analysis::metrics::StoredObjects;
use k8s_flowcontrol_analysis::traffic::Traffic;
use serde_json::{Value, json};
use std::io;

/// A partial result that has every field.
fn partial() -> Value {
    let stored = "apiserver_resource_objects{resource=\"pods\"} 9\napiserver_resource_size_estimate_bytes{resource=\"pods\"} 9\n";
    let accounting = accounting("Queue")
        .compare(&[schema()], &[level("Queue")])
        .stored(StoredObjects::parse(stored));
    let lease = |id, user, namespace: &str, name: &str| {
        let mut event: Value = serde_json::from_str(&event(id, user, 0, 1, None, 200)).unwrap();
        event["verb"] = "update".into();
        event["requestURI"] =
            format!("/apis/coordination.k8s.io/v1/namespaces/{namespace}/leases/{name}").into();
        event["objectRef"] = json!({"resource": "leases", "namespace": namespace, "name": name});
        event.to_string()
    };
    let log = [
        event(1, "alice", 0, 3000, Some("1.5s"), 200),
        event(2, "bob", 500, 1000, None, 429),
        event(3, "alice", 500, 1000, None, 200).replace(
            "\"annotations\":{",
            "\"annotations\":{\"k8s.io/deprecated\":\"true\",",
        ),
        lease(4, "system:node:n", "kube-node-lease", "n"),
        lease(5, "system:apiserver", "kube-system", "apiserver-a"),
        event(6, "alice", 900, 900, None, 200).replace("ResponseComplete", "RequestReceived"),
        "no event".to_owned(),
    ];
    let mut traffic = Traffic::partial(&accounting);
    traffic.begin_log();
    let mut audit = AuditLog::new();
    audit
        .read(log.join("\n").as_bytes(), |event| {
            traffic.add(event, accounting.sample(event));
            Ok::<(), io::Error>(())
        })
        .unwrap();
    let open = |event: &Event<'_>| {
        traffic.add_open(event, accounting.sample(event));
        Ok::<(), io::Error>(())
    };
    let counts = audit.finish(open).unwrap();
    traffic.add_counts(&counts);
    serde_json::from_slice(&traffic.to_json().unwrap()).unwrap()
}

/// Reads a value, merges it with itself twice, writes it and reports it.
fn merged(value: &Value) -> Result<String, String> {
    let read = |text: &[u8]| Traffic::from_json(text).map_err(|error| error.to_string());
    let one = read(value.to_string().as_bytes())?;
    let mut all = Traffic::default();
    for _ in 0..3 {
        all.merge(one.clone()).unwrap();
    }
    // A run reads the sums of another one.
    let again = read(&all.to_json().unwrap()).unwrap().report();
    Ok(serde_json::to_string(&again).unwrap())
}

/// Of every number in a partial result, every other number is read and added up, or an error names it.
#[test]
fn no_number_of_a_partial_result_overflows() {
    let known = partial();
    assert!(merged(&known).is_ok());
    let mut places = Vec::new();
    numbers(&known, "", &mut places);
    // Another version has a separate error.
    places.retain(|(path, _)| path != "/schemaVersion");
    for field in [
        "/period/0",
        "/coverage/leases/n/number",
        "/coverage/servers/apiserver-a/last",
        "/deprecated/0/1",
        "/open/0/sample/receivedUs",
        "/limits/batch/maximum",
        "/storedObjects/pods/bytes",
    ] {
        assert!(
            places.iter().any(|(path, _)| path == field),
            "{field}: {places:?}"
        );
    }
    try_all(&known, &places, merged);
    let with = |path, number| merged(&with(&known, path, false, &number)).unwrap_err();
    let error = with("/cells/0/1/seatUs", json!(u64::MAX));
    assert!(error.starts_with("cells[0][1].seatUs: invalid value: integer `18446744073709551615`, expected a whole number from 0 to 1152921504606846975"), "{error}");
    let error = with("/coverage/leases/n/first", json!(i64::MIN));
    assert!(error.starts_with("coverage.leases.n.first: invalid value: integer `-9223372036854775808`, expected a time from -377705023201000000 to 253402207200999999"), "{error}");
    let error = with("/requests", json!(-1));
    assert!(
        error.starts_with("requests: invalid value: integer `-1`, expected u64"),
        "{error}"
    );
}
