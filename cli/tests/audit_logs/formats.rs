//! The formats of clouds and log shippers in the commands that need more than a log, and the gaps of logs in every command.

use crate::common::{Folder, Served, code, envelopes, run, some_of, stderr, stdout, tries_all};

const INTENTS: &str = "\
server: {seats: 100}
duration: 5s
intents:
- name: alice
  client: {user: alice@example.com}
  waits: {p99: 1s}
  atLoad: {fromLog: true}
";

#[test]
fn diagnose_and_size_read_every_format_and_diagnose_redacts_it() {
    let folder = Folder::new();
    let served = Served::start(&[]);
    let mut sized = 0;
    for (name, text) in some_of(envelopes(), 4) {
        let text = text.replace("alice@example.com", "zq-alice@example.com");
        let text = text
            .replace("team-a", "zq-team")
            .replace("node-1", "zq-node");
        let log = folder.file(&name, &text);
        let diagnose = [
            "diagnose",
            "-s",
            &served.url,
            "--interval",
            "0",
            "--audit-log",
            &log,
        ];
        for output in ["json", "text"] {
            let result =
                run(&[&diagnose[..], &["-o", output, "--redact=key", "--verbose"]].concat());
            let said = stderr(&result);
            assert!(code(&result) <= 1, "{name}: {said}");
            let all = stdout(&result) + &said.replace(&log, "");
            assert!(
                !all.contains("zq-") && !all.contains("no audit events"),
                "{name}: {all}"
            );
        }
        let intents = INTENTS.replace("alice@example.com", "zq-alice@example.com");
        let intents = folder.file("own.yaml", intents);
        let result = run(&["size", &intents, "--audit-log", &log, "--budget", "5"]);
        let said = stderr(&result);
        assert!(!said.contains("no audit events"), "{name}: {said}");
        // 3 is for a log without the client, or without durations.
        sized += u32::from(code(&result) <= 1);
        assert!(code(&result) <= 3, "{name}: {said}");
    }
    let least = if tries_all() { 20 } else { 4 };
    assert!(sized > least || envelopes().is_empty(), "{sized}");
}

/// Two requests, ten minutes apart.
#[test]
fn every_command_names_the_gaps_of_its_logs() {
    let folder = Folder::new();
    let event = |id: &str, minute: u32| {
        let mut event = super::event(id, "alice@example.com", 200);
        event["requestReceivedTimestamp"] = format!("2026-01-01T00:{minute:02}:00.000000Z").into();
        event["stageTimestamp"] = format!("2026-01-01T00:{minute:02}:01.000000Z").into();
        format!("{event}\n")
    };
    let log = folder.file("audit.log", event("1", 0) + &event("2", 9));
    let served = Served::start(&[]);
    let intents = folder.file("intents.yaml", INTENTS);
    let page = folder.path("page.html");
    let gap = "no events in 8 of 10 minutes, the longest time from 2026-01-01T00:01:00Z to 2026-01-01T00:09:00Z";
    for command in [
        vec!["traffic", "--html", &page],
        vec!["traffic", "--by", "user"],
        vec!["traffic", "--against", &log],
        vec!["traffic", "--each-request"],
        vec!["simulate"],
        vec!["scan", "--to-release", "1.33"],
        vec!["preview", "1.33", "--from-release", "1.32"],
        vec!["size", &intents, "--budget", "5"],
        vec!["diagnose", "-s", &served.url, "--interval", "0"],
    ] {
        let result = run(&[&command[..], &["--audit-log", &log]].concat());
        let (out, err) = (stdout(&result), stderr(&result));
        assert!(code(&result) <= 1, "{command:?}: {err}");
        let is_report = command.contains(&"--html");
        let shown = if is_report { &out } else { &err };
        let shown = shown.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(
            shown.contains(&format!("note: {gap}")),
            "{command:?}: {shown}"
        );
    }
    let page = std::fs::read_to_string(page).unwrap();
    assert!(page.contains(&format!("Gap in the logs: {gap}")), "{page}");
}
