//! Batches as kube-apiserver's audit webhook sends them.

use super::{Live, event};
use crate::common::Folder;
use serde_json::{Value, json};
use std::fs;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;

fn batch(events: &[Value]) -> String {
    json!({"kind": "EventList", "apiVersion": "audit.k8s.io/v1", "metadata": {}, "items": events})
        .to_string()
}

/// Sends a request, and returns its status and the body of the response; 0 without a response.
fn send(address: &str, method: &str, path: &str, headers: &str, body: &str) -> (u16, String) {
    let Ok(mut stream) = TcpStream::connect(address) else {
        return (0, String::new());
    };
    let length = body.len();
    let request = format!(
        "{method} {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\nAccept: application/json, */*\r\n\
        Content-Type: application/json\r\nContent-Length: {length}\r\n{headers}\r\n{body}"
    );
    // The process may be killed meanwhile.
    let _sent = stream.write_all(request.as_bytes());
    let mut response = String::new();
    let _read = stream.read_to_string(&mut response);
    let status = response
        .split(' ')
        .nth(1)
        .and_then(|status| status.parse().ok());
    let body = response.split_once("\r\n\r\n").map_or("", |(_, body)| body);
    (status.unwrap_or(0), body.to_owned())
}

fn post(address: &str, events: &[Value]) -> u16 {
    send(
        address,
        "POST",
        "/k8s-audit?timeout=30s",
        "",
        &batch(events),
    )
    .0
}

/// The value of a metric without labels.
fn metric(address: &str, name: &str) -> Option<u64> {
    let (status, text) = send(address, "GET", "/metrics", "", "");
    assert_eq!(status, 200, "{text}");
    let name = format!("k8s_flowcontrol_traffic_{name} ");
    let line = text.lines().find_map(|line| line.strip_prefix(&name))?;
    line.parse().ok()
}

/// The requests of all time.
fn total(address: &str) -> u64 {
    let (status, text) = send(address, "GET", "/summary", "", "");
    assert_eq!(status, 200, "{text}");
    let summary: Value = serde_json::from_str(&text).unwrap();
    summary["totalRequests"].as_u64().unwrap()
}

#[test]
fn batches_are_classified_counted_and_shown() {
    let folder = Folder::new();
    let state = folder.path("state.json");
    let live = Live::start(&[
        "--listen",
        "127.0.0.1:0",
        "--state",
        &state,
        "--alert",
        "level.rejected>1/h",
    ]);
    let address = live.address();
    let mut received = event("1", "alice", 200);
    received["stage"] = json!("RequestReceived");
    let events = [
        received,
        event("1", "alice", 200),
        event("2", "bob", 429),
        event("3", "system:kube-scheduler", 200),
    ];
    assert_eq!(post(&address, &events), 200);
    // The response was lost, and the server sends the batch again.
    assert_eq!(post(&address, &events), 200);
    assert_eq!(post(&address, &[]), 200);
    let (status, metrics) = send(&address, "GET", "/metrics", "", "");
    assert_eq!(status, 200);
    for line in [
        "k8s_flowcontrol_traffic_requests_total{priority_level=\"global-default\",flow_schema=\"global-default\"} 2",
        "k8s_flowcontrol_traffic_rejected_requests_total{priority_level=\"global-default\",flow_schema=\"global-default\"} 1",
        "k8s_flowcontrol_traffic_requests_total{priority_level=\"workload-high\",flow_schema=\"kube-scheduler\"} 1",
        "k8s_flowcontrol_traffic_events_total 8",
        "k8s_flowcontrol_traffic_batches_total 3",
        "k8s_flowcontrol_traffic_duplicate_requests_total 3",
        "k8s_flowcontrol_traffic_window_requests{caller=\"bob (acme-tool)\"} 1",
    ] {
        assert!(metrics.lines().any(|own| own == line), "{line}\n{metrics}");
    }
    let alert = live.out.until("alert", |line| {
        let values = crate::common::schema::check("traffic --follow", line.as_bytes());
        Some(values[0]["alert"].clone()).filter(Value::is_object)
    });
    assert_eq!(
        (&alert["name"], &alert["isActive"]),
        (&json!("global-default"), &json!(true))
    );
    assert_eq!(metric(&address, "window_seconds"), Some(300));
    assert_eq!(send(&address, "GET", "/readyz", "", "").0, 200);
    assert_eq!(send(&address, "GET", "/other", "", "").0, 404);
}

#[test]
fn what_is_no_batch_is_an_error_and_counts_nothing() {
    let folder = Folder::new();
    let state = folder.path("state.json");
    let live = Live::start(&["--listen", "127.0.0.1:0", "--state", &state]);
    let address = live.address();
    let cut = batch(&[event("1", "alice", 200), event("2", "alice", 200)]);
    let no_event = batch(&[event("1", "alice", 200), json!({"auditID": "2"})]);
    for body in [
        "",
        "{}",
        "no JSON",
        &cut[..cut.len() - 30],
        &no_event,
        "\u{0}\u{1}",
        &"[".repeat(100_000),
    ] {
        let (status, text) = send(&address, "POST", "/", "", body);
        assert_eq!(status, 400, "{body:.100}: {text}");
        assert!(text.contains("audit.k8s.io/v1"), "{text}");
    }
    let long = "x".repeat((32 << 20) + 1);
    assert_eq!(send(&address, "POST", "/", "", &long).0, 413);
    assert_eq!(
        send(&address, "POST", "/", "Origin: http://evil.example\r\n", "").0,
        403
    );
    assert_eq!(send(&address, "PUT", "/", "", "").0, 405);
    assert_eq!(total(&address), 0);
    assert_eq!(metric(&address, "events_total"), Some(0));
    // Also the posts that the receiver rejects by itself.
    let (_, metrics) = send(&address, "GET", "/metrics", "", "");
    for (code, batches) in [(400, 7), (403, 1), (413, 1)] {
        let line =
            format!("k8s_flowcontrol_traffic_rejected_batches_total{{code=\"{code}\"}} {batches}");
        assert!(metrics.lines().any(|own| own == line), "{line}\n{metrics}");
    }
}

#[test]
fn two_processes_do_not_share_a_state() {
    let folder = Folder::new();
    let state = folder.path("state.json");
    let arguments = ["--listen", "127.0.0.1:0", "--state", &state];
    let first = Live::start(&arguments);
    let address = first.address();
    assert_eq!(post(&address, &[event("1", "alice", 200)]), 200);
    let mut second = crate::common::program();
    let second = second.arg("traffic").args(arguments).output().unwrap();
    assert_eq!(crate::common::code(&second), 3);
    let error = crate::common::stderr(&second);
    assert!(error.contains("another process uses it"), "{error}");
    assert!(error.contains("hint: stop the other process"), "{error}");
    // The first one goes on, and its end, also by a kill, releases the state.
    assert_eq!(post(&address, &[event("2", "alice", 200)]), 200);
    drop(first);
    let third = Live::start(&arguments);
    assert_eq!(total(&third.address()), 2);
}

/// Killed at any time: each acknowledged batch is counted, and none twice, also if it is sent again.
#[test]
fn an_acknowledged_batch_survives_a_kill() {
    let folder = Folder::new();
    let state = folder.path("state.json");
    let mut acknowledged = 0;
    let mut next = 0;
    for round in 0..5 {
        let live = Live::start(&["--listen", "127.0.0.1:0", "--state", &state]);
        let address = live.address();
        assert_eq!(total(&address), acknowledged, "round {round}");
        for _ in 0..20 + round {
            let events = [
                event(&format!("a{next}"), "alice", 200),
                event(&format!("b{next}"), "alice", 200),
            ];
            assert_eq!(post(&address, &events), 200);
            next += 1;
            acknowledged += 2;
        }
        // Several senders, and the end in the middle of their batches: batches without a response are sent again below.
        let senders: Vec<_> = (0..4)
            .map(|sender| {
                let address = address.clone();
                std::thread::spawn(move || {
                    let batches = (0..500).map(|number| {
                        let events = [event(&format!("c{round}-{sender}-{number}"), "bob", 200)];
                        (post(&address, &events) == 200, events)
                    });
                    let mut sent = Vec::new();
                    for (is_acknowledged, events) in batches {
                        sent.push((is_acknowledged, events));
                        if !is_acknowledged {
                            break;
                        }
                    }
                    sent
                })
            })
            .collect();
        // When some of them are acknowledged.
        while metric(&address, "batches_total").unwrap_or_default() < next + 10 {}
        live.kill();
        let sent: Vec<_> = senders
            .into_iter()
            .flat_map(|sender| sender.join().unwrap())
            .collect();
        let live = Live::start(&["--listen", "127.0.0.1:0", "--state", &state]);
        let address = live.address();
        let all = sent.len() as u64;
        let answered = sent
            .iter()
            .filter(|(is_acknowledged, _)| *is_acknowledged)
            .count() as u64;
        assert!(answered >= 10);
        let counted = total(&address) - acknowledged;
        assert!(
            (answered..=all).contains(&counted),
            "{answered} <= {counted} <= {all}"
        );
        for (_, events) in &sent {
            assert_eq!(post(&address, events), 200);
        }
        acknowledged += all;
        next = metric(&address, "batches_total").unwrap();
        assert_eq!(total(&address), acknowledged);
        live.kill();
    }
    // The journal is a part of the state once it was written.
    assert!(fs::metadata(&state).unwrap().len() > 0);
}

/// A disk without space: a batch that cannot be written is not acknowledged, and not counted either.
#[cfg(unix)]
#[test]
fn a_batch_that_cannot_be_written_is_not_acknowledged() {
    let folder = Folder::new();
    let state = folder.path("state.json");
    let arguments = ["--listen", "127.0.0.1:0", "--state", state.as_str()];
    let live = Live::start_limited(&arguments, 64);
    let address = live.address();
    let (mut acknowledged, mut failed) = (0, 0);
    for number in 0..400 {
        let events: Vec<_> = (0..20)
            .map(|own| event(&format!("{number}-{own}"), "alice", 200))
            .collect();
        match post(&address, &events) {
            200 => acknowledged += 20,
            503 => failed += 1,
            status => panic!("{status}"),
        }
        if failed > 3 {
            break;
        }
    }
    assert!(failed > 3 && acknowledged > 0, "{failed} {acknowledged}");
    assert_eq!(total(&address), acknowledged);
    live.err.until("warning", |line| {
        line.contains("cannot be written").then_some(())
    });
    live.kill();
    let live = Live::start(&arguments);
    assert_eq!(total(&live.address()), acknowledged);
}

/// More than the memory for batches: the next one is to be sent again, and is counted then.
#[test]
fn pressure_is_answered_with_429() {
    let folder = Folder::new();
    let state = folder.path("state.json");
    let live = Live::start(&["--listen", "127.0.0.1:0", "--state", &state]);
    let address = live.address();
    // Two batches of 32 MiB whose ends do not come.
    let slow: Vec<_> = (0..2)
        .map(|_| {
            let mut stream = TcpStream::connect(&address).unwrap();
            let head = format!(
                "POST / HTTP/1.1\r\nHost: {address}\r\nContent-Length: {}\r\n\r\n{{",
                32 << 20
            );
            stream.write_all(head.as_bytes()).unwrap();
            stream
        })
        .collect();
    let events = [event("1", "alice", 200)];
    let mut statuses = Vec::new();
    // The second one may be read after the first small batch.
    while !statuses.contains(&429) {
        statuses.push(post(&address, &events));
        assert!(statuses.len() < 1000, "{statuses:?}");
    }
    assert_eq!(send(&address, "GET", "/readyz", "", "").0, 200);
    drop(slow);
    while post(&address, &events) != 200 {}
    assert_eq!(total(&address), 1);
}

#[test]
fn a_state_that_is_no_file_is_an_error() {
    let folder = Folder::new();
    let state = folder.path("state.json");
    fs::create_dir(format!("{state}.journal")).unwrap();
    let output = crate::common::run(&["traffic", "--listen", "127.0.0.1:0", "--state", &state]);
    assert_eq!(output.status.code(), Some(3), "{output:?}");
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(
        said.contains("state.json.journal: it is not a file"),
        "{said}"
    );
}

#[cfg(unix)]
#[test]
fn tokens_are_checked_and_nothing_has_an_original_name() {
    let folder = Folder::new();
    let state = folder.path("state.json");
    let tokens = folder.file("tokens.csv", "very-secret,apiserver,1\n");
    let live = Live::start(&[
        "--listen",
        "127.0.0.1:0",
        "--state",
        &state,
        "--tokens",
        &tokens,
        "--redact=key",
        "--alert",
        "caller.requests>0.001/s",
    ]);
    let address = live.address();
    let body = batch(&[event("1", "acme-alice", 200)]);
    for headers in ["", "Authorization: Bearer other\r\n"] {
        for (method, path) in [("POST", "/"), ("GET", "/metrics"), ("GET", "/summary")] {
            assert_eq!(
                send(&address, method, path, headers, &body).0,
                401,
                "{method} {path}"
            );
        }
    }
    let token = "Authorization: Bearer very-secret\r\n";
    assert_eq!(send(&address, "POST", "/", token, &body).0, 200);
    let journal = fs::read_to_string(folder.path("state.json.journal")).unwrap();
    let summary = live.total(1).to_string();
    let metrics = send(&address, "GET", "/metrics", token, "").1;
    // The state is written at the end.
    live.stop();
    let state = fs::read_to_string(&state).unwrap();
    assert!(state.contains("\"requests\":1"), "{state}");
    for output in [journal, summary, metrics, state] {
        for name in ["acme", "192.0.2", "very-secret"] {
            assert!(!output.contains(name), "{name}: {output}");
        }
    }
}

/// A webhook and files at once, in one state.
#[test]
fn batches_and_files_add_up() {
    let folder = Folder::new();
    let state = folder.path("state.json");
    let log = folder.file("audit.log", super::lines(0..3));
    let arguments = [
        "--listen",
        "127.0.0.1:0",
        "--state",
        state.as_str(),
        "--follow",
        log.as_str(),
    ];
    let live = Live::start(&arguments);
    let address = live.address();
    live.total(3);
    assert_eq!(post(&address, &[event("4", "bob", 200)]), 200);
    live.total(4);
    live.kill();
    let live = Live::start(&arguments);
    assert_eq!(live.total(4)["duplicates"], 0);
}
