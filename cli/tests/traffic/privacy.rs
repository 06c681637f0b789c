//! Redaction: no output has an original name.

use crate::common::{Folder, code, envelopes, run, some_of, stderr, stdout};
use crate::traffic::{event, lines, traffic};
use serde_json::json;

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
    for (name, text) in &some_of(envelopes(), 4).collect::<Vec<_>>() {
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
