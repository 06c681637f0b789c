//! Audit logs on the command line.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test"
)]

#[allow(dead_code, reason = "each test file uses its part")]
mod common;

use common::{Folder, code, program, run, stderr, stdout};
use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::{Value, json};
use std::io::Write as _;
use std::process::Stdio;

fn event(id: &str, user: &str, verb: &str, uri: &str) -> Value {
    let mut event = json!({
        "kind": "Event", "apiVersion": "audit.k8s.io/v1", "level": "Metadata", "auditID": id,
        "stage": "ResponseComplete", "requestURI": uri, "verb": verb,
        "user": {"username": user, "groups": ["system:authenticated"]}, "responseStatus": {"code": 200},
        "requestReceivedTimestamp": "2026-01-01T00:00:00.000000Z", "stageTimestamp": "2026-01-01T00:00:00.250000Z",
        "annotations": {"authorization.k8s.io/decision": "allow"},
    });
    if uri.contains("/pods") {
        event["objectRef"] = json!({"resource": "pods", "namespace": "a", "apiVersion": "v1"});
    }
    event
}

fn lines(events: &[Value]) -> String {
    events.iter().map(|event| format!("{event}\n")).collect()
}

fn gzip(text: &str) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(text.as_bytes()).unwrap();
    encoder.finish().unwrap()
}

/// Classifies the requests of logs by the built-in objects.
fn requests(logs: &[&str]) -> std::process::Output {
    let mut arguments = vec!["traffic", "--each-request", "--audit-log"];
    arguments.extend(logs);
    run(&arguments)
}

#[test]
fn every_request_is_classified_once() {
    let folder = Folder::new();
    let mut log_of_pod = event("3", "alice", "get", "/api/v1/namespaces/a/pods/x/log");
    log_of_pod["objectRef"]["subresource"] = "log".into();
    let mut received = event("4", "alice", "list", "/api/v1/namespaces/a/pods");
    received["stage"] = "RequestReceived".into();
    let first = lines(&[
        event(
            "1",
            "system:kube-scheduler",
            "list",
            "/api/v1/namespaces/a/pods",
        ),
        received,
    ]);
    let second = lines(&[
        event("2", "bob", "get", "/healthz"),
        log_of_pod,
        event("4", "alice", "list", "/api/v1/namespaces/a/pods"),
    ]);
    let plain = folder.file("audit-1.log", &first);
    // A file of two parts, as `cat` makes it.
    let second = [gzip(&second[..50]), gzip(&second[50..])].concat();
    let compressed = folder.file("audit.log.gz", second);
    let output = requests(&[&plain, &compressed]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let expected = "\
{\"auditID\":\"1\",\"flowSchema\":\"kube-scheduler\",\"priorityLevel\":\"workload-high\"}
{\"auditID\":\"2\",\"flowSchema\":\"probes\",\"priorityLevel\":\"exempt\"}
{\"auditID\":\"3\",\"flowSchema\":null,\"priorityLevel\":null}
{\"auditID\":\"4\",\"flowSchema\":\"global-default\",\"priorityLevel\":\"global-default\"}
";
    assert_eq!(stdout(&output), expected);
    assert_eq!(
        stderr(&output).lines().count(),
        1,
        "only the note about the built-in objects"
    );
}

#[test]
fn the_standard_input_can_be_a_log() {
    let mut child = program()
        .args(["traffic", "--each-request", "--audit-log", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let log = gzip(&lines(&[event("1", "bob", "get", "/version")]));
    child.stdin.take().unwrap().write_all(&log).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(
        stdout(&output).contains("global-default"),
        "{}",
        stdout(&output)
    );
}

#[test]
fn damaged_logs_are_read_as_far_as_they_go() {
    let folder = Folder::new();
    let text: String = (0..500)
        .map(|number| {
            format!(
                "{}\n",
                event(
                    &format!("{number}-{}", number * 7919),
                    "bob",
                    "get",
                    "/version"
                )
            )
        })
        .collect();
    let whole = gzip(&text);
    let cut = folder.file("cut.log.gz", &whole[..whole.len() - 200]);
    let output = requests(&[&cut]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    assert!(stdout(&output).lines().count() > 100);
    assert!(
        stderr(&output).contains("cut.log.gz is incomplete"),
        "{}",
        stderr(&output)
    );

    let middle = folder.file("middle.log", &text[30..]);
    let output = requests(&[&middle]);
    assert!(stderr(&output).contains("middle.log:1: skipped 1 line without an audit event"));
    assert_eq!(stdout(&output).lines().count(), 499);

    let other = folder.file("other.log", "I1122 not JSON\n");
    let output = requests(&[&other]);
    assert_eq!(code(&output), 3);
    assert!(stderr(&output).contains("contains no audit events"));
    assert_eq!(code(&requests(&["missing.log"])), 3);
    let empty = folder.file("empty.log", "");
    assert_eq!(code(&requests(&[&empty])), 0);
}

/// A flow schema for bob at the level workload-high.
const BOBS: &str = r#"{"apiVersion": "flowcontrol.apiserver.k8s.io/v1", "kind": "FlowSchema", "metadata": {"name": "bobs"},
    "spec": {"matchingPrecedence": 500, "priorityLevelConfiguration": {"name": "workload-high"},
    "rules": [{"subjects": [{"kind": "User", "user": {"name": "bob"}}],
        "resourceRules": [{"verbs": ["*"], "apiGroups": ["*"], "resources": ["*"], "namespaces": ["*"], "clusterScope": true}]}]}}"#;

/// A log of requests that overlap: each is complete some lines after it began.
fn traffic() -> String {
    let users = [
        "alice",
        "bob",
        "<b>&\"eve\"",
        "system:serviceaccount:team-a:builder",
    ];
    let mut events = Vec::new();
    for number in 0..60_usize {
        let user = users[number % users.len()];
        let (verb, uri) = match number % 3 {
            0 => ("list", "/api/v1/namespaces/a/pods?limit=500"),
            1 => ("watch", "/api/v1/namespaces/a/pods?watch=1"),
            _ => ("create", "/api/v1/namespaces/a/pods"),
        };
        let mut complete = event(&number.to_string(), user, verb, uri);
        let time = |second: usize| {
            format!(
                "2026-01-01T00:{:02}:{:02}.000000Z",
                second / 60,
                second % 60
            )
        };
        complete["requestReceivedTimestamp"] = time(10 * number).into();
        complete["stageTimestamp"] = time(10 * number + 25).into();
        if number % 20 == 0 {
            complete["annotations"] = json!({"k8s.io/deprecated": "true", "k8s.io/removed-release": "1.32", "authorization.k8s.io/decision": "allow"});
            complete["userAgent"] = "helm/3".into();
        }
        let mut received = complete.clone();
        received["stage"] = "RequestReceived".into();
        received["stageTimestamp"] = time(10 * number).into();
        received.as_object_mut().unwrap().remove("annotations");
        events.push((20 * number, received));
        if number != 57 {
            events.push((20 * number + 50, complete));
        }
    }
    events.sort_by_key(|(time, _)| *time);
    let events: Vec<_> = events.into_iter().map(|(_, event)| event).collect();
    lines(&events)
}

fn report(arguments: &[&str]) -> Value {
    let output = run(&[&["traffic"], arguments, &["-o", "json"]].concat());
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    serde_json::from_str(&stdout(&output)).unwrap()
}

#[test]
fn the_report_adds_up() {
    let folder = Folder::new();
    let log = folder.file("audit.log", traffic());
    let metrics = "apiserver_resource_objects{group=\"\",resource=\"pods\"} 5000\n\
                   apiserver_resource_size_estimate_bytes{group=\"\",resource=\"pods\"} 50000000\n";
    let metrics = folder.file("metrics.txt", metrics);
    let found = report(&["--audit-log", &log, "--metrics", &metrics]);
    assert_eq!(
        (
            &found["requests"],
            &found["incomplete"],
            &found["schemaVersion"]
        ),
        (&json!(60), &json!(1), &json!(1))
    );
    let schemas = found["flowSchemas"].as_array().unwrap();
    let requests: u64 = schemas
        .iter()
        .map(|schema| schema["requests"].as_u64().unwrap())
        .sum();
    assert_eq!(requests, 60);
    assert_eq!(schemas[0]["flowSchema"], "global-default");
    assert_eq!(schemas[0]["users"].as_array().unwrap().len(), 4);
    // Lists from the watch cache: at most 1 MB at once, and the bound of the level is 8.
    let lists = &schemas[0]["verbs"]
        .as_array()
        .unwrap()
        .iter()
        .find(|verb| verb["name"] == "list")
        .unwrap();
    assert_eq!(
        (&lists["requests"], &lists["seats"]),
        (&json!(20), &json!(20 * 8))
    );
    assert_eq!(found["deprecated"].as_array().unwrap().len(), 1);
    assert_eq!(found["deprecated"][0]["removedRelease"], "1.32");
    let unused = found["unusedFlowSchemas"].as_array().unwrap();
    assert!(
        unused
            .iter()
            .any(|class| class["flowSchema"] == "catch-all")
    );

    let table = run(&["traffic", "--audit-log", &log]);
    let text = stdout(&table);
    assert!(text.starts_with("60 requests from 2026-01-01T00:00:00Z to 2026-01-01T00:09:50Z\n1 of them without an end in the logs\n"), "{text}");
    let csv = run(&["traffic", "--audit-log", &log, "-o", "csv"]);
    let csv = stdout(&csv);
    assert!(
        csv.contains("global-default,global-default,\"<b>&\"\"eve\"\"\",list,5,"),
        "{csv}"
    );
}

#[test]
fn a_proposed_configuration_is_compared() {
    let folder = Folder::new();
    let log = folder.file("audit.log", traffic());
    let bobs = folder.file("bobs.json", BOBS);
    let found = report(&["--audit-log", &log, "--compare", &bobs]);
    let comparison = &found["comparison"];
    assert_eq!(comparison["movedRequests"], 15);
    let moved = &comparison["moves"][0];
    assert_eq!(
        (&moved["from"]["flowSchema"], &moved["to"]["flowSchema"]),
        (&json!("global-default"), &json!("bobs"))
    );
    assert_eq!(moved["users"][0]["name"], "bob");
    let output = run(&["traffic", "--audit-log", &log, "--compare", &bobs]);
    assert!(
        stdout(&output).contains("proposed configuration: 15 of 60 requests move"),
        "{}",
        stdout(&output)
    );
}

#[test]
fn names_are_redacted_consistently() {
    let folder = Folder::new();
    let log = folder.file("audit.log", traffic());
    let text = |redact: &str| {
        let output = run(&["traffic", "--audit-log", &log, redact, "-o", "json"]);
        assert_eq!(code(&output), 0, "{}", stderr(&output));
        stdout(&output)
    };
    let redacted = text("--redact=secret");
    for name in ["alice", "bob", "<b>", "team-a", "builder"] {
        assert!(!redacted.contains(name), "{name}");
    }
    assert_eq!(redacted, text("--redact=secret"));
    assert_ne!(redacted, text("--redact"));
}

/// A log in which every text that a client chooses is in this list.
const PRIVATE: [&str; 9] = [
    "carol",
    "acme-bot",
    "acme-ns",
    "acme-account",
    "acme-node",
    "acme-token",
    "acme-agent",
    "acme-path",
    "acme-object",
];

#[test]
fn no_output_has_an_original_value() {
    let folder = Folder::new();
    let users = [
        "carol",
        "system:acme-bot",
        "system:serviceaccount:acme-ns:acme-account",
        "system:node:acme-node",
        "system:bootstrap:acme-token",
    ];
    let uris = [
        "/api/v1/namespaces/acme-ns/pods/acme-object",
        "/apis/acme-path/v1/namespaces/acme-ns/acme-path/acme-object",
        "/acme-path/acme-object",
        "/readyz",
    ];
    let mut events = Vec::new();
    for (number, user) in users.iter().enumerate() {
        for (index, uri) in uris.iter().enumerate() {
            let mut event = event(&format!("{number}-{index}"), user, "get", uri);
            event["userAgent"] = "acme-agent/v1".into();
            event["annotations"]["k8s.io/deprecated"] = "true".into();
            if uri.contains("pods") {
                event["objectRef"] = json!({"resource": "pods", "namespace": "acme-ns", "apiVersion": "v1", "name": "acme-object"});
            }
            if index == 2 {
                event["stage"] = "ResponseStarted".into();
            }
            events.push(event);
        }
    }
    let log = folder.file("audit.log", lines(&events));
    let page = folder.path("page.html");
    let part = folder.path("part.json");
    let mut outputs = Vec::new();
    for more in [
        vec!["-o", "json", "--html", &page],
        vec!["-o", "table"],
        vec!["-o", "csv"],
        vec!["--partial", &part],
    ] {
        let output = run(&[
            ["traffic", "--audit-log", &log, "--redact"].as_slice(),
            &more,
        ]
        .concat());
        assert_eq!(code(&output), 0, "{}", stderr(&output));
        outputs.push(stdout(&output) + &stderr(&output));
    }
    for file in [&page, &part] {
        outputs.push(std::fs::read_to_string(file).unwrap());
    }
    for name in PRIVATE {
        for (index, output) in outputs.iter().enumerate() {
            assert!(!output.contains(name), "{name} in output {index}: {output}");
        }
    }
    let open = run(&["traffic", "--audit-log", &log, "-o", "json"]);
    assert!(stdout(&open).contains("acme-agent") && stdout(&open).contains("acme-token"));
}

#[test]
fn outputs_never_replace_inputs_or_each_other() {
    let folder = Folder::new();
    let text = traffic();
    let log = folder.file("audit.log", &text);
    let bobs = folder.file("bobs.json", BOBS);
    let page = folder.path("page.html");
    for option in ["--html", "--partial", "--parquet"] {
        for input in [&log, &bobs] {
            let output = run(&["traffic", "--audit-log", &log, "-f", &bobs, option, input]);
            assert_eq!(code(&output), 2, "{option}: {}", stderr(&output));
            assert!(
                stderr(&output).contains("cannot write"),
                "{}",
                stderr(&output)
            );
        }
    }
    let other_name = folder.path("./audit.log");
    let output = run(&[
        "simulate",
        "--server-seats",
        "600",
        "--audit-log",
        &log,
        "--html",
        &other_name,
    ]);
    assert_eq!(code(&output), 2, "{}", stderr(&output));
    let output = run(&[
        "seats",
        "-f",
        &bobs,
        "--server-seats",
        "600",
        "--svg",
        &bobs,
    ]);
    assert_eq!(code(&output), 2, "{}", stderr(&output));
    assert_eq!(std::fs::read_to_string(&log).unwrap(), text);
    assert_eq!(std::fs::read_to_string(&bobs).unwrap(), BOBS);

    // A failure leaves the file of an earlier run, and no draft.
    std::fs::write(&page, "old").unwrap();
    let broken = folder.file("broken.log", "not an event");
    // It is not replaced without a yes, before any work.
    let output = run(&["traffic", "--audit-log", &broken, "--html", &page]);
    assert_eq!(code(&output), 2);
    assert!(stderr(&output).contains("page.html exists\nhint: use `--force`"));
    let output = run(&["traffic", "--audit-log", &broken, "--html", &page, "-y"]);
    assert_eq!(code(&output), 3);
    assert_eq!(std::fs::read_to_string(&page).unwrap(), "old");
    let output = run(&["traffic", "--audit-log", &log, "--html", &page, "--force"]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    assert!(
        std::fs::read_to_string(&page)
            .unwrap()
            .starts_with("<!DOCTYPE html>")
    );
    let names = std::fs::read_dir(folder.path("")).unwrap();
    assert!(
        names
            .flatten()
            .all(|name| !name.file_name().to_string_lossy().starts_with('.'))
    );
    let output = run(&[
        "traffic",
        "--audit-log",
        &log,
        "--html",
        &folder.path("no/page.html"),
    ]);
    assert_eq!(code(&output), 3);
    assert!(
        stderr(&output).contains("cannot write"),
        "{}",
        stderr(&output)
    );
}

#[test]
fn requests_that_never_end_are_counted_and_a_partial_result_has_a_limit() {
    let folder = Folder::new();
    let count = 70_000;
    let mut begun = event("ID", "alice", "get", "/version");
    begun["stage"] = "RequestReceived".into();
    let begun = begun.to_string();
    let text: String = (0..count)
        .map(|number| begun.replace("\"ID\"", &format!("\"{number}\"")) + "\n")
        .collect();
    let log = folder.file("audit.log", text);
    let whole = report(&["--audit-log", &log]);
    assert_eq!(
        (&whole["requests"], &whole["incomplete"]),
        (&json!(count), &json!(count))
    );
    let part = folder.path("part.json");
    let output = run(&["traffic", "--audit-log", &log, "--partial", &part]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let written: Value = serde_json::from_slice(&std::fs::read(&part).unwrap()).unwrap();
    assert_eq!(written["open"].as_array().unwrap().len(), 65_536);
    assert_eq!(report(&["merge", &part]), whole);
}

#[test]
fn cells_of_a_spreadsheet_are_inert() {
    let folder = Folder::new();
    let prefixes = [
        "=", "+", "-", "@", "\t=", "\r=", "\n=", "＝", "＋", "－", "＠",
    ];
    let events: Vec<_> = prefixes
        .iter()
        .enumerate()
        .map(|(number, prefix)| {
            event(
                &number.to_string(),
                &format!("{prefix}1+1"),
                "get",
                "/version",
            )
        })
        .collect();
    let split = event("split", "x;=1+1;@y", "get", "/version");
    let log = folder.file("audit.log", lines(&events) + &lines(&[split]));
    let output = run(&["traffic", "--audit-log", &log, "-o", "csv"]);
    let text = stdout(&output);
    for prefix in prefixes {
        // A tab may be the end of a cell too.
        let prefix = prefix.replace("\t=", "\t'=");
        let inert = [format!(",'{prefix}1+1,"), format!(",\"'{prefix}1+1\",")];
        assert!(
            inert.iter().any(|cell| text.contains(cell)),
            "{prefix:?} in {text}"
        );
    }
    assert!(text.contains(",\"x;'=1+1;'@y\","), "{text}");
}

/// Names that would do something if a report did not escape them.
const HOSTILE: [&str; 16] = [
    "<script>ran=1</script>",
    "\"><img src=x onerror=ran=1>",
    "'><svg/onload=ran=1>",
    "</title><script>ran=1</script>",
    "</style><style>body{display:none}</style>",
    "</svg><iframe srcdoc='<script>top.ran=1</script>'></iframe>",
    "\" onmouseover=\"ran=1",
    "<a href=javascript:ran=1>x</a>",
    "&lt;script&gt;ran=1&lt;/script&gt;",
    "<!--",
    "]]><script>ran=1</script>",
    "<link rel=stylesheet href=http://127.0.0.1:1/x.css>",
    "<meta http-equiv=refresh content=0;url=http://127.0.0.1:1/>",
    "<base href=http://127.0.0.1:1/>",
    "<form action=http://127.0.0.1:1/><input autofocus onfocus=ran=1>",
    "\u{202e}\u{2028}\u{0}`${ran=1}`",
];

#[test]
fn hostile_names_run_nothing_in_a_browser() {
    let folder = Folder::new();
    let (mut events, mut objects, mut clients) = (Vec::new(), Vec::new(), Vec::new());
    for (number, name) in HOSTILE.iter().enumerate() {
        let mut one = event(&number.to_string(), name, "list", "/api/v1/pods");
        one["user"]["groups"] = json!([name, "system:authenticated"]);
        one["userAgent"] = (*name).into();
        one["annotations"]["k8s.io/deprecated"] = "true".into();
        events.push(one);
        objects.push(json!({
            "apiVersion": "flowcontrol.apiserver.k8s.io/v1", "kind": "PriorityLevelConfiguration", "metadata": {"name": name},
            "spec": {"type": "Limited", "limited": {"nominalConcurrencyShares": 5, "limitResponse": {"type": "Queue", "queuing": {}}}},
        }));
        objects.push(json!({
            "apiVersion": "flowcontrol.apiserver.k8s.io/v1", "kind": "FlowSchema", "metadata": {"name": name},
            "spec": {
                "matchingPrecedence": 100 + number, "priorityLevelConfiguration": {"name": name},
                "distinguisherMethod": {"type": "ByUser"},
                "rules": [{"subjects": [{"kind": "User", "user": {"name": name}}],
                    "resourceRules": [{"verbs": ["*"], "apiGroups": ["*"], "resources": ["*"], "clusterScope": true, "namespaces": ["*"]}]}],
            },
        }));
        clients.push(
            json!({"name": name, "user": name, "resource": "pods", "rate": 5, "executes": "100ms"}),
        );
    }
    let log = folder.file("audit.log", lines(&events));
    let objects = folder.file(
        "objects.json",
        json!({"kind": "List", "apiVersion": "v1", "items": objects}).to_string(),
    );
    let load = folder.file(
        "load.yaml",
        json!({"duration": "2s", "clients": clients}).to_string(),
    );
    let [traffic, simulated, chart] = ["a.html", "b.html", "c.svg"].map(|name| folder.path(name));
    for arguments in [
        [
            "traffic",
            "--audit-log",
            &log,
            "-f",
            &objects,
            "--html",
            &traffic,
            "--compare",
            &objects,
        ]
        .as_slice(),
        &[
            "simulate",
            "--load",
            &load,
            "-f",
            &objects,
            "--html",
            &simulated,
            "--server-seats",
            "20",
        ],
        &["seats", "-f", &objects, "--svg", &chart],
    ] {
        let output = run(arguments);
        assert_eq!(code(&output), 0, "{arguments:?}: {}", stderr(&output));
    }
    for page in [&traffic, &simulated, &chart] {
        let text = std::fs::read_to_string(page).unwrap();
        // The names are there, as text.
        assert!(text.contains("&lt;script&gt;ran=1"), "{page}: {text}");
        common::browser::runs_nothing(&text);
    }
}

#[test]
fn partial_results_add_up_to_one_run() {
    let folder = Folder::new();
    let text = traffic();
    let all: Vec<_> = text.lines().collect();
    let bobs = folder.file("bobs.json", BOBS);
    // Requests begin in one part and end in another.
    let parts: Vec<_> = all
        .chunks(17)
        .enumerate()
        .map(|(index, part)| folder.file(&format!("{index}.log"), part.join("\n")))
        .collect();
    let logs: Vec<_> = parts.iter().map(String::as_str).collect();
    let options = ["--compare", &bobs, "--redact=secret"];
    let whole = report(&[["--audit-log"].as_slice(), &logs, &options].concat());
    let mut partial = Vec::new();
    for log in &logs {
        let file = format!("{log}.json");
        let output = run(&[
            &["traffic", "--audit-log", log, "--partial", &file],
            options.as_slice(),
        ]
        .concat());
        assert_eq!(
            (code(&output), stdout(&output).as_str()),
            (0, ""),
            "{}",
            stderr(&output)
        );
        partial.push(file);
    }
    partial.rotate_left(3);
    let files: Vec<_> = partial.iter().map(String::as_str).collect();
    let merged = report(&[["merge"].as_slice(), &files].concat());
    assert_eq!(merged, whole);

    assert_eq!(code(&run(&["traffic", "merge"])), 2);
    assert_eq!(code(&run(&["traffic", "merge", logs[0]])), 3);
    let file = folder.path("other.json");
    run(&[
        "traffic",
        "--audit-log",
        logs[0],
        "-f",
        &bobs,
        "--partial",
        &file,
    ]);
    let output = run(&["traffic", "merge", files[0], &file]);
    assert!(
        stderr(&output).contains("has other flow schemas than"),
        "{}",
        stderr(&output)
    );
}

#[test]
fn the_page_reads_well_in_a_browser() {
    let folder = Folder::new();
    let log = folder.file("audit.log", traffic());
    let bobs = folder.file("bobs.json", BOBS);
    let page = folder.path("page.html");
    let arguments = ["--audit-log", &log, "--compare", &bobs, "--html", &page];
    let report = report(&arguments);
    let html = std::fs::read_to_string(&page).unwrap();
    assert!(!html.contains("<b>"));
    // The tables and the JSON have the same numbers.
    for level in report["priorityLevels"].as_array().unwrap() {
        let name = level["name"].as_str().unwrap();
        let row = format!(
            "<tr><td>{name}</td><td class=\"number\">{}</td><td class=\"number\">{}</td>",
            level["requests"], level["seats"]
        );
        assert!(html.contains(&row), "{row}");
    }
    for level in report["comparison"]["priorityLevels"].as_array().unwrap() {
        let (before, after) = (&level["before"]["requests"], &level["after"]["requests"]);
        let row = format!("<td class=\"number\">{before}</td><td class=\"number\">{after}</td>");
        assert!(html.contains(&row), "{row}");
    }

    common::browser::reads_well(&html, 3);
}

/// The fixtures of the formats, which the package of the program on its own does not have.
fn envelopes() -> Vec<(String, String)> {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = folder.join("../analysis/tests/fixtures/envelopes");
    let Ok(files) = std::fs::read_dir(folder) else {
        return Vec::new();
    };
    let files = files.map(|file| file.unwrap().path());
    let files = files.filter(|file| file.extension().is_some_and(|kind| kind != "md"));
    files
        .map(|file| {
            let name = file.file_name().unwrap().to_str().unwrap().to_owned();
            (name, std::fs::read_to_string(file).unwrap())
        })
        .collect()
}

#[test]
fn no_output_of_any_format_has_an_original_name() {
    let folder = Folder::new();
    // Names that nothing else has.
    let names = [
        ("builder", "zq-builder"),
        ("team-a", "zq-team"),
        ("alice@example.com", "zq-alice@example.com"),
        ("node-1", "zq-node"),
        ("10.0.3.7", "10.99.77.55"),
        ("argocd-application-controller", "zq-argo"),
        ("kubectl/v1.33.0", "zq-ctl/v1.33.0"),
        ("deployments/web", "deployments/zq-web"),
        ("\"web\\\"", "\"zq-web\\\""),
        ("\"web\"", "\"zq-web\""),
    ];
    let formats = envelopes();
    for (name, text) in &formats {
        let mut text = text.clone();
        for (from, to) in names {
            text = text.replace(from, to);
        }
        if !text.contains("zq-") {
            // In base64.
            continue;
        }
        let log = folder.file(name, &text);
        let (html, rows) = (folder.path("page.html"), folder.path("rows.parquet"));
        let partial = folder.path("partial.json");
        let mut outputs = vec![
            vec!["-o", "json", "--html", &html],
            vec!["-o", "table"],
            vec!["-o", "csv"],
            vec!["--partial", &partial],
            vec!["--each-request"],
        ];
        if cfg!(feature = "parquet") {
            outputs.push(vec!["--parquet", &rows]);
        }
        for by in ["caller", "user", "agent", "namespace", "verb", "resource"] {
            outputs.push(vec!["--by", by, "-o", "json"]);
        }
        outputs.push(vec!["--against", &log, "-o", "table"]);
        for output in outputs {
            let mut arguments = vec!["traffic", "--audit-log", &log, "--redact=key", "--force"];
            arguments.extend(&output);
            let result = run(&arguments);
            assert_eq!(code(&result), 0, "{name} {output:?} {}", stderr(&result));
            let mut text = stdout(&result).into_bytes();
            text.extend(stderr(&result).replace(&log, "").into_bytes());
            for file in [&html, &rows, &partial] {
                if let Ok(bytes) = std::fs::read(file) {
                    text.extend(bytes);
                    std::fs::remove_file(file).unwrap();
                }
            }
            let text = String::from_utf8_lossy(&text);
            for original in ["zq-", "10.99.77"] {
                assert!(!text.contains(original), "{name} {output:?}: {text}");
            }
        }
        // The search finds the names where they are not replaced.
        let open = run(&[
            "traffic",
            "--audit-log",
            &log,
            "--by",
            "caller",
            "-o",
            "json",
        ]);
        assert!(stdout(&open).contains("zq-argo"), "{name}");
        assert!(stdout(&open).contains("10.99.77.0/24"), "{name}");
    }
}

#[test]
fn every_command_reads_every_format() {
    let folder = Folder::new();
    for (name, text) in envelopes() {
        let log = folder.file(&name, &text);
        for command in [
            &["traffic"] as &[&str],
            &["simulate", "-o", "json"],
            &["scan", "--to-release", "1.33"],
            &["preview", "1.33", "--from-release", "1.32"],
        ] {
            let mut arguments = command.to_vec();
            arguments.extend(["--audit-log", &log]);
            let result = run(&arguments);
            let text = stderr(&result);
            assert!(
                !text.contains("contains no audit events"),
                "{name} {command:?} {text}"
            );
            assert!(code(&result) <= 1, "{name} {command:?} {text}");
        }
    }
}

#[test]
fn callers_and_their_changes_are_shown() {
    let folder = Folder::new();
    let before = lines(&[event("1", "alice", "get", "/api/v1/namespaces/a/pods/x")]);
    let after: String = (0..20)
        .map(|id| event(&id.to_string(), "bob", "list", "/api/v1/namespaces/a/pods"))
        .map(|event| format!("{event}\n"))
        .collect();
    let (before, after) = (
        folder.file("before.log", before),
        folder.file("after.log", after),
    );
    let arguments = ["traffic", "--audit-log", &after, "--against", &before];
    let output = run(&arguments);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let text = stdout(&output);
    assert!(text.contains("new caller"), "{text}");
    assert!(
        text.contains("more lists without resourceVersion=0"),
        "{text}"
    );
    assert!(text.contains("no more requests"), "{text}");
    let output = run(&[&arguments[..], &["-o", "json", "--by", "user"]].concat());
    let report: Value = serde_json::from_str(&stdout(&output)).unwrap();
    assert_eq!(
        (&report["schemaVersion"], &report["by"]),
        (&json!(1), &json!("user"))
    );
    assert_eq!(report["groups"][0]["name"], "bob");
    assert_eq!(report["groups"][0]["newestLists"], 20);
    assert_eq!(report["changes"][0]["name"], "bob");
    let output = run(&[
        "traffic",
        "--audit-log",
        &after,
        "--by",
        "verb",
        "-o",
        "csv",
    ]);
    let text = stdout(&output);
    assert!(text.starts_with("verb,requests,seats,lists"), "{text}");
    assert!(
        text.contains("\nlist,20,20,20,20,20,0,0,0,0,0,0,"),
        "{text}"
    );
    let output = run(&[
        "traffic",
        "--audit-log",
        &after,
        "--by",
        "verb",
        "--html",
        "x.html",
    ]);
    assert_eq!(code(&output), 2);
}

#[test]
fn gaps_are_a_part_of_the_report() {
    let folder = Folder::new();
    let mut late = event("2", "alice", "get", "/version");
    late["requestReceivedTimestamp"] = "2026-01-01T00:09:00Z".into();
    let log = folder.file(
        "audit.log",
        lines(&[event("1", "alice", "get", "/version"), late]),
    );
    let text = stdout(&run(&["traffic", "--audit-log", &log]));
    assert!(
        text.contains("note: 80 % of the time (8 of 10 minutes) has no events"),
        "{text}"
    );
    let output = run(&["traffic", "--audit-log", &log, "-o", "json"]);
    let report: Value = serde_json::from_str(&stdout(&output)).unwrap();
    assert_eq!(report["coverage"]["emptyMinutes"], 8);
}

#[test]
fn the_commands_that_get_logs_are_printed() {
    let range = ["--since", "2h", "--until", "2026-01-05T12:00:00Z"];
    let export = |arguments: &[&str]| {
        let output = run(&[&["traffic", "export"], arguments, &range].concat());
        assert_eq!(code(&output), 0, "{}", stderr(&output));
        stdout(&output)
    };
    for (arguments, expected) in [
        (
            &["eks", "prod"] as &[&str],
            "aws logs filter-log-events --log-group-name /aws/eks/prod/cluster --log-stream-name-prefix kube-apiserver-audit \\\n  \
             --start-time 1767607200000 --end-time 1767614400000 --output json > audit.json",
        ),
        (
            &["gke", "my-project/prod"],
            "gcloud logging read 'resource.type=\"k8s_cluster\" AND resource.labels.cluster_name=\"prod\" AND protoPayload.serviceName=\"k8s.io\" \
             AND timestamp>=\"2026-01-05T10:00:00Z\" AND timestamp<\"2026-01-05T12:00:00Z\"' --project=my-project --format=json",
        ),
        (&["aks", "rg/Prod"], "managedclusters/prod\""),
        (
            &["aks", "rg/Prod"],
            "between (datetime(2026-01-05T10:00:00Z) .. datetime(2026-01-05T12:00:00Z))",
        ),
        (
            &["openshift"],
            "oc adm node-logs --role=master --path=kube-apiserver/audit.log > audit.log",
        ),
        (
            &["loki", "{app=\"audit\"}"],
            "logcli query '{app=\"audit\"} != `\"stage\":\"RequestReceived\"`' --from=2026-01-05T10:00:00Z",
        ),
        (&["elasticsearch", "k8s-*"], "'k8s-*'"),
    ] {
        let text = export(arguments);
        assert!(text.contains(expected), "{arguments:?}: {text}");
        // A script for a shell.
        let mut shell = std::process::Command::new("sh");
        let mut child = shell.args(["-n"]).stdin(Stdio::piped()).spawn().unwrap();
        child
            .stdin
            .take()
            .unwrap()
            .write_all(text.as_bytes())
            .unwrap();
        assert!(child.wait().unwrap().success(), "{text}");
    }
    let quoted = export(&["eks", "a'; rm -rf $HOME"]);
    assert!(
        quoted.contains("'/aws/eks/a'\\''; rm -rf $HOME/cluster'"),
        "{quoted}"
    );
    let output = run(&["traffic", "export", "eks", "prod", "--since", "tomorrow"]);
    assert_eq!(code(&output), 2);
}

#[test]
fn the_policy_states_its_events() {
    let folder = Folder::new();
    let mut watch = event("2", "alice", "watch", "/api/v1/pods");
    watch["requestReceivedTimestamp"] = "2026-01-01T00:00:10Z".into();
    let log = folder.file(
        "audit.log",
        lines(&[event("1", "alice", "get", "/version"), watch]),
    );
    let text = stdout(&run(&["traffic", "export", "policy", "--audit-log", &log]));
    assert!(text.contains("2 requests, 1 of them watches, in 10 seconds: 3 events, 0.3 a second, 25920 and 0.0 GB a day"), "{text}");
    for line in [
        "kind: Policy",
        "omitManagedFields: true",
        "- level: Metadata",
        "omitStages: [RequestReceived, ResponseStarted]",
    ] {
        assert!(text.contains(line), "{text}");
    }
}

#[cfg(not(feature = "parquet"))]
#[test]
fn without_the_library_of_parquet_the_error_says_what_to_install() {
    let folder = Folder::new();
    let (log, rows) = (folder.file("audit.log", traffic()), folder.path("rows"));
    let output = run(&["traffic", "--audit-log", &log, "--parquet", &rows]);
    assert_eq!(code(&output), 2, "{}", stderr(&output));
    for expected in ["without support for Apache Parquet", "--features parquet"] {
        assert!(stderr(&output).contains(expected), "{}", stderr(&output));
    }
    assert!(!std::path::Path::new(&rows).exists());
}
