//! Audit logs as the load.

use crate::common::{Folder, code, program, run, stderr, stdout};
use crate::simulate::level;
use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::{Value, json};
use std::io::Write;
use std::process::{Output, Stdio};

/// A level with one seat out of two, for the requests of bob.
pub(crate) const NARROW: &str = r#"
apiVersion: flowcontrol.apiserver.k8s.io/v1
kind: PriorityLevelConfiguration
metadata: {name: narrow}
spec:
  type: Limited
  limited:
    nominalConcurrencyShares: 5
    borrowingLimitPercent: 0
    limitResponse: {type: Queue, queuing: {queues: 4, handSize: 1, queueLengthLimit: 50}}
---
apiVersion: flowcontrol.apiserver.k8s.io/v1
kind: FlowSchema
metadata: {name: bob}
spec:
  matchingPrecedence: 100
  priorityLevelConfiguration: {name: narrow}
  distinguisherMethod: {type: ByUser}
  rules:
  - subjects: [{kind: User, user: {name: bob}}]
    resourceRules: [{verbs: ["*"], apiGroups: ["*"], resources: ["*"], namespaces: ["*"], clusterScope: true}]
"#;

/// The number of requests in the logs.
pub(super) const REQUESTS: u64 = 40;

/// The requests of bob, one every 100 ms, as a server with one seat served them: each executes for 300 ms.
pub(crate) fn events() -> Vec<Value> {
    let time = |ms: u64| format!("2026-01-02T03:04:{:02}.{:03}000Z", ms / 1000, ms % 1000);
    let event = |number: u64| {
        let (received, wait) = (number * 100, number * 200);
        let mut event = json!({
            "kind": "Event", "apiVersion": "audit.k8s.io/v1", "auditID": number.to_string(), "stage": "ResponseComplete",
            "requestURI": "/api/v1/namespaces/a/pods/b", "verb": "get",
            "user": {"username": "bob", "groups": ["system:authenticated"]},
            "objectRef": {"resource": "pods", "namespace": "a", "name": "b", "apiVersion": "v1"},
            "responseStatus": {"code": 200},
            "requestReceivedTimestamp": time(received), "stageTimestamp": time(received + wait + 300),
            "annotations": {"authorization.k8s.io/decision": "allow"},
        });
        // A server records waits of requests that take more than half a second.
        if wait + 300 > 500 {
            event["annotations"]["apiserver.latency.k8s.io/apf-queue-wait"] =
                format!("{wait}ms").into();
        } else {
            event["stageTimestamp"] = time(received + 300).into();
        }
        event
    };
    (0..REQUESTS).map(event).collect()
}

pub(crate) fn lines(events: &[Value]) -> String {
    events.iter().map(|event| format!("{event}\n")).collect()
}

/// Two logs: lines, and a compressed batch of a webhook.
pub(super) struct Logs {
    pub(super) folder: Folder,
    levels: String,
    logs: [String; 2],
}

impl Logs {
    pub(super) fn new() -> Self {
        let folder = Folder::new();
        let levels = folder.file("narrow.yaml", NARROW);
        let (even, odd): (Vec<_>, Vec<_>) = events().into_iter().partition(|event| {
            event["auditID"]
                .as_str()
                .unwrap()
                .ends_with(['0', '2', '4', '6', '8'])
        });
        let lines = folder.file("audit.log", lines(&even));
        let batch = json!({"kind": "EventList", "apiVersion": "audit.k8s.io/v1", "items": odd});
        let mut packed = GzEncoder::new(Vec::new(), Compression::default());
        packed.write_all(batch.to_string().as_bytes()).unwrap();
        let batch = folder.file("webhook.json.gz", packed.finish().unwrap());
        Self {
            folder,
            levels,
            logs: [lines, batch],
        }
    }

    pub(super) fn run(&self, arguments: &[&str]) -> Output {
        let logs = ["--audit-log", &self.logs[0], &self.logs[1]];
        let server = ["simulate", "-f", &self.levels, "--server-seats", "2"];
        run(&[&server[..], &logs, arguments].concat())
    }

    fn json(&self, arguments: &[&str]) -> Value {
        let output = self.run(&[&["-o", "json"], arguments].concat());
        assert_eq!(code(&output), 0, "{}", stderr(&output));
        serde_json::from_slice(&output.stdout).unwrap()
    }
}

#[test]
fn predicted_waits_are_those_of_the_log() {
    let report = Logs::new().json(&[]);
    let result = &report["result"];
    assert_eq!(result["requests"], REQUESTS);
    assert_eq!(report["period"]["firstRequest"], "2026-01-02T03:04:00Z");
    let narrow = level(result, "narrow");
    assert_eq!(narrow["counts"]["dispatched"], REQUESTS);
    let observed = &narrow["observed"];
    assert_eq!(
        (
            &observed["requests"],
            &observed["recordedWaits"],
            &observed["rejected"]
        ),
        (&json!(40), &json!(38), &json!(0))
    );
    assert_eq!(observed["waitSeconds"]["max"], 7.8);
    // The log lacks the waits of two requests, which are estimated.
    let predicted = narrow["waitSeconds"]["max"].as_f64().unwrap();
    assert!((7.6..=7.8).contains(&predicted), "{predicted}");
    let trust = &report["trust"];
    assert_eq!(trust["isReliable"], true);
    let whole = &trust["predictions"][0];
    assert_eq!(whole["priorityLevel"], "narrow");
    assert_eq!(whole["rejected"], json!({"observed": 0, "predicted": 0}));
    assert_eq!(whole["waitSecondsP99"]["observed"], 7.8);
    assert_eq!(trust["predictions"][1]["flowDistinguisher"], "bob");
    assert_eq!(result["clients"][0]["name"], "get pods");
    assert_eq!(level(result, "catch-all")["observed"]["requests"], 0);
}

#[test]
fn tables_compare_the_waits() {
    let logs = Logs::new();
    let output = logs.run(&[]);
    let text = stdout(&output);
    for part in [
        "OBSERVED / PREDICTED   EXECUTED   STATUS 429   WAIT P50",
        "level narrow           40         0 / 0",
        "Fewer than 10 requests are behind the 99th percentiles of level narrow, flow bob/bob",
        "The server recorded the waits of 38 of the 40 executed requests of these levels; the others are estimated",
        "The prediction agrees with the logs for every level and flow with a verdict",
    ] {
        assert!(text.contains(part), "{part} is missing in\n{text}");
    }
    for part in [
        "40 simulated requests for the logs from 2026-01-02T03:04:00Z to 2026-01-02T03:04:03.9Z",
        "sends each request after the simulated response",
        "does not know the load of other API",
    ] {
        assert!(text.contains(part), "{part} is missing in\n{text}");
    }
}

#[test]
fn another_configuration_gets_the_same_requests() {
    let logs = Logs::new();
    let wide = wide(&logs);
    let report = logs.json(&["--compare", &wide]);
    let wait = |result: &str| {
        level(&report[result], "narrow")["waitSeconds"]["max"]
            .as_f64()
            .unwrap()
    };
    // A client that waits for its responses sends more requests in the same time.
    assert!(report["compared"]["requests"].as_u64().unwrap() > REQUESTS);
    assert!(wait("compared") < wait("result") / 2.0);
    assert_eq!(
        level(&report["compared"], "narrow")["observed"],
        Value::Null
    );
}

/// The configuration of another server: the level has both seats.
fn wide(logs: &Logs) -> String {
    let wide = NARROW.replace(
        "nominalConcurrencyShares: 5",
        "nominalConcurrencyShares: 500",
    );
    logs.folder.file("wide.yaml", wide)
}

#[test]
fn past_its_error_a_simulation_says_not_to_rely_on_it() {
    let logs = Logs::new();
    let own = ["--audit-log", &logs.logs[0], &logs.logs[1]];
    let wide = wide(&logs);
    let server = ["simulate", "-f", &wide, "--server-seats", "2"];
    let text = stdout(&run(&[&server[..], &own].concat()));
    let verdict = "Do not rely on this simulation: its error exceeds the limits (rejections within 15 % or 10 requests, median and 99th \
                   percentile of waits and response times within 25 % or 10 ms) for level narrow, flow bob/bob.";
    assert!(text.contains(verdict), "{text}");
    let output = run(&[&server[..], &own, &["-o", "json"]].concat());
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["trust"]["isReliable"], false);
    assert_eq!(report["trust"]["predictions"][0]["isWithinLimits"], false);
    // The page says it, too, also if the server recorded no wait.
    let mut events = events();
    for event in &mut events {
        let annotations = event["annotations"].as_object_mut().unwrap();
        annotations.remove("apiserver.latency.k8s.io/apf-queue-wait");
    }
    let log = logs.folder.file("estimated.log", lines(&events));
    let estimated = ["--audit-log", &log];
    for (levels, own, verdict) in [
        (&wide, &own[..], "Do not rely on this simulation"),
        (
            &logs.levels,
            &estimated,
            "recorded the waits of 0 of the 40 executed",
        ),
    ] {
        let page = logs.folder.path("page.html");
        let arguments = [
            "simulate",
            "-f",
            levels,
            "--server-seats",
            "2",
            "--html",
            &page,
        ];
        run(&[&arguments[..], &["--force"], own].concat());
        let html = std::fs::read_to_string(&page).unwrap();
        for part in [verdict, "Observed and predicted waits", "level narrow"] {
            assert!(html.contains(part), "{part}");
        }
    }
}

#[test]
fn a_comparison_shows_differences_beside_the_error() {
    let logs = Logs::new();
    let text = stdout(&logs.run(&["--compare", &wide(&logs)]));
    let row = |first: &str| {
        let line = text.lines().find(|line| line.starts_with(first));
        let line = line.unwrap_or_else(|| panic!("no {first} in\n{text}"));
        let cells = line.split("   ").map(str::trim);
        cells.filter(|cell| !cell.is_empty()).collect::<Vec<_>>()
    };
    assert_eq!(
        row("DIFFERENCE"),
        [
            "DIFFERENCE",
            "STATUS 429",
            "ERROR",
            "WAIT P50",
            "ERROR",
            "P99",
            "ERROR"
        ]
    );
    let differences = text.split_once("DIFFERENCE").unwrap().1;
    let line = differences
        .lines()
        .find(|line| line.starts_with("level narrow"));
    let cells: Vec<_> = line.unwrap().split_whitespace().collect();
    let [_, _, rejected, error, median, _, p99, _] = cells[..] else {
        panic!("{cells:?}");
    };
    assert_eq!((rejected, error), ("+0", "0"));
    // Two seats instead of one: the waits become shorter by seconds, and the error of the prediction is less than that.
    assert!(median.starts_with('-') && p99.starts_with('-'), "{cells:?}");
    assert!(
        text.contains("The prediction agrees with the logs"),
        "{text}"
    );
}

#[test]
fn requests_of_a_log_are_explained() {
    let text = stdout(&Logs::new().run(&["--explain", "bob/bob"]));
    assert!(
        text.contains("get pods sends a request of flow bob/bob with 1 seat"),
        "{text}"
    );
    assert!(
        text.contains("when its virtual finish is the earliest of all queues"),
        "{text}"
    );
}

#[test]
fn stored_objects_determine_the_seats_of_lists() {
    let logs = Logs::new();
    let mut list = events().remove(0);
    list["verb"] = "list".into();
    list["requestURI"] = "/api/v1/pods".into();
    list["objectRef"] = json!({"resource": "pods", "apiVersion": "v1"});
    list["user"]["username"] = "alice".into();
    let log = logs.folder.file("list.log", lines(&[list]));
    let metrics = "apiserver_storage_objects{resource=\"pods\"} 5000\n";
    let metrics = logs.folder.file("metrics.txt", metrics);
    let explained = |arguments: &[&str]| {
        let all = [
            "simulate",
            "-f",
            &logs.levels,
            "--only-these",
            "--explain",
            "catch-all",
            "-o",
            "json",
            "--audit-log",
            &log,
        ];
        let output = run(&[&all[..], arguments].concat());
        assert_eq!(code(&output), 0, "{}", stderr(&output));
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        report["requests"][0]["initialSeats"].as_u64().unwrap()
    };
    assert_eq!(explained(&[]), 1);
    assert!(explained(&["--metrics", &metrics]) > 1);
}

#[test]
fn logs_without_annotations_say_so() {
    let logs = Logs::new();
    let mut events = events();
    for event in &mut events {
        event["annotations"] = json!({"authorization.k8s.io/decision": "allow"});
    }
    let log = logs.folder.file("old.log", lines(&events));
    let output = run(&["simulate", "-f", &logs.levels, "--audit-log", &log]);
    assert_eq!(code(&output), 0);
    assert!(stdout(&output).contains(
        "No executed request of the logs has the annotation apiserver.latency.k8s.io/apf-queue-wait"
    ));
    let text = stdout(&output);
    assert!(
        text.contains("The server recorded the waits of 0 of the 40 executed requests"),
        "{text}"
    );
}

#[test]
fn a_log_comes_through_the_standard_input() {
    let logs = Logs::new();
    let mut child = program()
        .args([
            "simulate",
            "-f",
            &logs.levels,
            "--server-seats",
            "2",
            "-o",
            "json",
            "--audit-log",
            "-",
        ])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    input.write_all(lines(&events()).as_bytes()).unwrap();
    drop(input);
    let output = child.wait_with_output().unwrap();
    let piped: Value = serde_json::from_slice(&output.stdout).unwrap();
    // The order of the logs does not matter: requests are sorted by time.
    assert_eq!(
        piped["result"]["levels"],
        logs.json(&[])["result"]["levels"]
    );
}
