//! Files that are followed while they are rotated, truncated and compressed.

use super::{Live, event, line, lines};
use crate::common::{Folder, program};
use flate2::Compression;
use flate2::write::GzEncoder;
use std::fs::{self, OpenOptions};
use std::io::Write as _;

fn append(path: &str, text: &str) {
    let mut file = OpenOptions::new()
        .append(true)
        .create(true)
        .open(path)
        .unwrap();
    file.write_all(text.as_bytes()).unwrap();
}

fn gzip(from: &str, to: &str) {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(&fs::read(from).unwrap()).unwrap();
    fs::write(to, encoder.finish().unwrap()).unwrap();
    fs::remove_file(from).unwrap();
}

/// The counts of a summary that must not change by rotation.
fn assert_clean(summary: &serde_json::Value) {
    for field in ["duplicates", "brokenLines", "lostEnds"] {
        assert_eq!(summary[field], 0, "{field}: {summary}");
    }
}

#[test]
fn every_request_is_counted_once_across_rotations() {
    let folder = Folder::new();
    let log = folder.file("audit.log", lines(0..10));
    // An older file, which is not read, and a file that is not a log.
    folder.file("audit-2025.log", lines(900..910));
    folder.file("audit-policy.yaml", "kind: Policy\n");
    let live = Live::start(&["--follow", &log]);
    live.total(10);
    // kube-apiserver and logrotate with `create`: renamed, with lines that nobody has read.
    append(&log, &lines(10..15));
    fs::rename(&log, folder.path("audit-2026-01.log")).unwrap();
    append(&log, &lines(15..20));
    live.total(20);
    // logrotate with `copytruncate`.
    append(&log, &lines(20..25));
    fs::copy(&log, folder.path("audit.log.1")).unwrap();
    fs::write(&log, "").unwrap();
    append(&log, &lines(25..30));
    live.total(30);
    // Renamed and compressed before anybody looks, twice.
    for (name, ids) in [("audit-2026-02.log", 30..35), ("audit-2026-03.log", 35..40)] {
        append(&log, &lines(ids));
        let rotated = folder.path(name);
        fs::rename(&log, &rotated).unwrap();
        gzip(&rotated, &format!("{rotated}.gz"));
    }
    append(&log, &lines(40..41));
    let summary = live.total(41);
    assert_clean(&summary);
    assert_eq!(summary["callers"][0]["name"], "alice (acme-tool)");
    assert_eq!(summary["priorityLevels"][0]["name"], "global-default");
    // A line counts when its end is there.
    let next = line(41);
    append(&log, &next[..50]);
    append(&log, &next[50..]);
    assert_clean(&live.total(42));
    // Truncated without a copy: a warning, not silence.
    fs::write(&log, "").unwrap();
    append(&log, &line(42));
    let summary = live.summary("lost end", |summary| summary["lostEnds"] == 1);
    assert_eq!(summary["totalRequests"], 43);
    live.err.until("warning", |line| {
        line.contains("requests at its end may be missing")
            .then_some(())
    });
}

#[test]
fn a_killed_run_continues_where_its_state_is() {
    let folder = Folder::new();
    let log = folder.file("audit.log", lines(0..5));
    let state = folder.path("state.json");
    let arguments = ["--follow", log.as_str(), "--state", state.as_str()];
    let mut expected = 5;
    for round in 0..4 {
        let live = Live::start(&arguments);
        live.total(expected);
        let first = expected as usize;
        append(&log, &lines(first..first + 10));
        expected += 10;
        if round % 2 == 0 {
            live.total(expected);
        }
        live.kill();
        // Rotated and compressed while nobody reads.
        let more = expected as usize;
        append(&log, &lines(more..more + 3));
        expected += 3;
        let rotated = folder.path(&format!("audit-{round}.log"));
        fs::rename(&log, &rotated).unwrap();
        if round > 0 {
            gzip(&rotated, &format!("{rotated}.gz"));
        }
        append(&log, &line(expected as usize));
        expected += 1;
    }
    let live = Live::start(&arguments);
    assert_clean(&live.total(expected));
}

#[cfg(unix)]
#[test]
fn a_stopped_run_prints_and_keeps_everything() {
    let folder = Folder::new();
    let log = folder.file("audit.log", lines(0..5));
    let state = folder.path("state.json");
    let arguments = ["--follow", log.as_str(), "--state", state.as_str()];
    let live = Live::start(&arguments);
    live.total(5);
    live.stop();
    let kept = fs::metadata(&state).unwrap();
    use std::os::unix::fs::PermissionsExt;
    assert_eq!(
        kept.permissions().mode() & 0o077,
        0,
        "only the user can read it"
    );
    fs::write(&log, "").unwrap();
    append(&log, "no event\n");
    append(&log, &line(5));
    let live = Live::start(&arguments);
    let summary = live.summary("broken line", |summary| summary["brokenLines"] == 1);
    assert_eq!(summary["totalRequests"], 6);
}

/// A container log, whose long lines are cut, in the files of a runtime.
#[test]
fn cut_lines_of_containers_are_joined_across_reads() {
    let folder = Folder::new();
    let event = event("cut", "alice", 200).to_string();
    let (begin, end) = event.split_at(100);
    let log = folder.file(
        "0.log",
        format!("2026-01-01T00:00:00Z stdout F {}", line(0)),
    );
    let live = Live::start(&["--follow", &log]);
    live.total(1);
    append(&log, &format!("2026-01-01T00:00:00Z stdout P {begin}\n"));
    live.summary("another summary", |_| true);
    append(&log, &format!("2026-01-01T00:00:00Z stdout F {end}\n"));
    assert_clean(&live.total(2));
}

#[test]
fn alerts_begin_and_end() {
    let folder = Folder::new();
    let log = folder.file("audit.log", lines(0..30));
    let live = Live::start(&[
        "--follow",
        &log,
        "--window",
        "2s",
        "--alert",
        "caller.requests>1/s",
        "--alert",
        "all.errors>50%",
    ]);
    let alert = |is_active: bool| {
        live.out.until("alert", |line| {
            let values = crate::common::schema::check("traffic --follow", line.as_bytes());
            let alert = values[0]["alert"].clone();
            (alert["isActive"] == is_active).then_some(alert)
        })
    };
    let begun = alert(true);
    assert_eq!(begun["threshold"], "caller.requests>1/s");
    assert_eq!(begun["name"], "alice (acme-tool)");
    assert!(begun["value"].as_f64().unwrap() > 1.0);
    assert_eq!(alert(false)["name"], "alice (acme-tool)");
}

#[test]
fn a_log_may_come_later_and_several_are_followed() {
    let folder = Folder::new();
    let (one, two) = (folder.path("one.log"), folder.path("two.log"));
    let live = Live::start(&["--follow", &one, &two, "--redact=key"]);
    live.err.until("warning", |line| {
        line.contains("one.log: it does not exist yet")
            .then_some(())
    });
    live.total(0);
    append(&one, &lines(0..2));
    append(&two, &lines(2..5));
    let summary = live.total(5).to_string();
    for name in ["alice", "acme", "192.0.2"] {
        assert!(!summary.contains(name), "{name}: {summary}");
    }
}

#[test]
fn without_a_request_the_text_has_no_rate() {
    let folder = Folder::new();
    let log = folder.file("audit.log", "");
    let mut text = program();
    text.args(["traffic", "--follow", &log, "--interval", "1"]);
    let live = Live::spawn(text);
    let first = live.out.until("a line", |line| Some(line.to_owned()));
    assert!(
        first.ends_with("Z: no requests in the window so far"),
        "{first}"
    );
    append(&log, &line(0));
    live.out.until("a rate", |line| {
        line.contains(" a second, 0 rejected").then_some(())
    });
}
