//! `seats --verify`: the recorded run of a busy server.

use crate::common::{Folder, code, run, stderr, stdout, tries_all};
use flate2::read::GzDecoder;
use serde_json::Value;
use std::io::Read;

const RECORDED: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../analysis/tests/fixtures/loaded"
);

const GAUGES: &str = include_str!("../../../analysis/tests/fixtures/busy/gauges.txt");

/// The limits in the metrics of a log's server tell its seats.
#[test]
fn a_server_has_the_seats_of_its_metrics() {
    let folder = Folder::new();
    let metrics = unpack(&folder, "metrics-after.txt");
    let text = std::fs::read_to_string(&metrics).unwrap() + GAUGES;
    std::fs::write(&metrics, &text).unwrap();
    let objects = format!("{RECORDED}/objects.json");
    let log = format!("{RECORDED}/audit.log.gz");
    let with_file = |command: &str, metrics: &str, more: &[&str]| {
        let arguments = [
            command,
            "-f",
            &objects,
            "--only-these",
            "--kubernetes",
            "1.36",
            "--audit-log",
            &log,
            "--metrics",
            metrics,
        ];
        run(&[&arguments, more].concat())
    };
    let with = |command: &str, more: &[&str]| with_file(command, &metrics, more);
    let output = with("traffic", &["-o", "json"]);
    let said = stderr(&output);
    assert!(
        said.starts_with("30 seats per server (metrics in "),
        "{said}"
    );
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let levels = report["priorityLevels"].as_array().unwrap();
    let batch = levels
        .iter()
        .find(|level| level["name"] == "batch")
        .unwrap();
    // The server had 12 seats for the level, and no list had more than one.
    assert_eq!(batch["requests"], batch["seats"], "{batch}");
    assert!(batch["peakSeats"].as_f64().unwrap() <= 12.0, "{batch}");
    let other = with("traffic", &["-o", "json", "--server-seats", "600"]);
    assert!(!stderr(&other).contains("seats per server"));
    // Without limits, and with limits of no server.
    let catch_all = |nominal: &str, upper: &str| {
        format!(
            "apiserver_flowcontrol_nominal_limit_seats{{priority_level=\"catch-all\"}} {nominal}\n\
             apiserver_flowcontrol_upper_limit_seats{{priority_level=\"catch-all\"}} {upper}\n"
        )
    };
    for (limits, is_known) in [
        (String::new(), false),
        (catch_all("4", "4"), false),
        (catch_all("4", "4e9"), false),
        (catch_all("-9.3e18", "9.3e18"), false),
        (catch_all("4", "10000004"), true),
    ] {
        let file = unpack(&folder, "metrics-after.txt");
        let unlimited = std::fs::read_to_string(&file).unwrap();
        let file = folder.path("limits.txt");
        std::fs::write(&file, unlimited + &limits).unwrap();
        let said = stderr(&with_file("traffic", &file, &["-o", "json"]));
        assert_eq!(
            said.contains("seats per server (metrics in "),
            is_known,
            "{limits}{said}"
        );
    }
    let joined = folder.path("joined.txt");
    std::fs::write(&joined, text.repeat(2)).unwrap();
    for more in [&["traffic"][..], &["simulate"], &["seats", "--verify"]] {
        let output = with_file(more[0], &joined, &more[1..]);
        assert_eq!(code(&output), 3, "{}", stderr(&output));
        assert!(stderr(&output).contains("has 2 samples of the same metrics"));
    }
    std::fs::write(&metrics, text).unwrap();
    assert_ne!(other.stdout, output.stdout);
    let output = with("seats", &["--verify", "-o", "json"]);
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(
        (code(&output), &report["serverSeats"]),
        (0, &Value::from(30))
    );
}

fn unpack(folder: &Folder, name: &str) -> String {
    let packed = std::fs::File::open(format!("{RECORDED}/{name}.gz")).unwrap();
    let mut text = String::new();
    GzDecoder::new(packed).read_to_string(&mut text).unwrap();
    let path = folder.path(name);
    std::fs::write(&path, text).unwrap();
    path
}

#[test]
fn the_histograms_of_a_recorded_server_are_compared() {
    let folder = Folder::new();
    let [before, after] =
        ["metrics-before.txt", "metrics-after.txt"].map(|name| unpack(&folder, name));
    let (objects, log) = (
        format!("{RECORDED}/objects.json"),
        format!("{RECORDED}/audit.log.gz"),
    );
    let verify = |seats: &str, more: &[&str]| {
        let arguments = [
            "seats",
            "-f",
            &objects,
            "--only-these",
            "--kubernetes",
            "1.36",
            "--server-seats",
            seats,
            "--verify",
        ];
        run(&[&arguments, more].concat())
    };
    let of_logs = [
        "--audit-log",
        &log,
        "--metrics-before",
        &before,
        "--metrics",
        &after,
    ];
    let output = verify("30", &of_logs);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let report = stdout(&output);
    assert!(
        report.contains("| batch | 1509 | 1509 | wait in seconds | 0.279 |"),
        "{report}"
    );
    assert!(
        report.contains("Every difference is explained."),
        "{report}"
    );

    if tries_all() {
        // The prediction for a server with other seats differs, which is what a defect of a server would look like.
        let output = verify("60", &[&of_logs, &["-o", "json"][..]].concat());
        assert_eq!(code(&output), 1, "{}", stderr(&output));
        let json: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(json["isExplained"], false);
        let levels = json["levels"].as_array().unwrap();
        let batch = levels
            .iter()
            .find(|level| level["priorityLevel"] == "batch")
            .unwrap();
        assert_eq!(batch["quantities"][0]["verdict"], "explained", "{batch}");
        assert_eq!(batch["quantities"][1]["verdict"], "differs", "{batch}");
    }

    // The metrics of the whole time, and the log of its beginning.
    let mut begin = String::new();
    let packed = std::fs::File::open(&log).unwrap();
    GzDecoder::new(packed).read_to_string(&mut begin).unwrap();
    let begin: String = begin.split_inclusive('\n').take(500).collect();
    let begin = folder.file("begin.log", begin);
    let output = verify("30", &["--audit-log", &begin, "--metrics", &after]);
    assert_eq!((code(&output), stdout(&output).as_str()), (3, ""));
    let error = stderr(&output);
    let counts = "the metrics and the logs have of batch 1509 and ";
    assert!(error.contains(counts), "{error}");
    // The log has more than the metrics count: it lacks nothing.
    let bucket = "apiserver_flowcontrol_request_wait_duration_seconds_bucket{execute=\"true\",priority_level=\"batch\"";
    let few = format!("{bucket},le=\"1\"}} 20\n{bucket},le=\"+Inf\"}} 20\n");
    let few = folder.file("few.txt", few);
    let output = verify("30", &["--audit-log", &log, "--metrics", &few]);
    let error = stderr(&output);
    let differ = "the audit logs and the metrics do not have the same requests";
    assert!(error.contains(differ), "{error}");

    let output = verify("30", &["--audit-log", &log]);
    assert_eq!(code(&output), 2);
    assert!(
        stderr(&output).contains("give `--metrics FILE`"),
        "{}",
        stderr(&output)
    );
    let output = verify("30", &["--audit-log", &log, "--metrics", &objects]);
    assert_eq!(code(&output), 3);
    assert!(
        stderr(&output).contains("no priority level has requests both"),
        "{}",
        stderr(&output)
    );
}

/// The waits that the server recorded are longer than its queues explain.
#[test]
fn a_simulation_says_how_late_requests_begin() {
    let (objects, log) = (
        format!("{RECORDED}/objects.json"),
        format!("{RECORDED}/audit.log.gz"),
    );
    let simulate = |seats: &str, more: &[&str]| {
        let arguments = ["simulate", "-f", &objects, "--only-these"];
        let of_server = ["--kubernetes", "1.36", "--server-seats", seats];
        let output = run(&[&arguments[..], &of_server, &["--audit-log", &log], more].concat());
        assert_eq!(code(&output), 0, "{}", stderr(&output));
        stdout(&output)
    };
    let text = simulate("30", &[]);
    let said = "2.0 times as long while twice as many execute; requests that waited begin about 8 ms after their dispatch\n";
    assert!(text.contains(said), "{text}");
    assert!(
        text.contains("The prediction agrees with the logs"),
        "{text}"
    );
    let report: Value = serde_json::from_str(&simulate("30", &["-o", "json"])).unwrap();
    let delay = report["trust"]["startDelaySeconds"].as_f64().unwrap();
    assert!((delay - 0.00809).abs() < 1e-5, "{delay}");
    // Other seats are the reason for longer differences.
    let text = simulate("60", &[]);
    assert!(!text.contains("waited begin about"), "{text}");
    assert!(text.contains("Do not rely on this simulation"), "{text}");
}

/// A server before 1.31 does not write waits into its log, and its metrics count them.
#[test]
fn counted_waits_say_how_late_requests_begin() {
    let folder = Folder::new();
    let [before, after, log] =
        ["metrics-before.txt", "metrics-after.txt", "audit.log"].map(|name| unpack(&folder, name));
    let text = std::fs::read_to_string(&log).unwrap();
    std::fs::write(&log, text.replace("apf-queue-wait", "none")).unwrap();
    let objects = format!("{RECORDED}/objects.json");
    // The server of this metrics counted other requests, too.
    let longer = folder.path("longer.txt");
    let more = std::fs::read_to_string(&after).unwrap();
    let more = more.replace(
        "execute=\"true\",flow_schema=\"batch\"",
        "execute=\"true\",flow_schema=\"more\"",
    );
    let both = std::fs::read_to_string(&after).unwrap() + &more;
    std::fs::write(&longer, both).unwrap();
    let simulate = |metrics: &[&str]| {
        let arguments = ["simulate", "-f", &objects, "--only-these"];
        let of_server = ["--kubernetes", "1.29", "--server-seats", "30"];
        run(&[&arguments[..], &of_server, &["--audit-log", &log], metrics].concat())
    };
    let late = "requests that waited begin about 7 ms after their dispatch";
    for (metrics, is_late) in [
        (&["--metrics", &after][..], true),
        (&["--metrics", &after, "--metrics-before", &before], true),
        (&["--metrics", &longer, "--metrics-before", &before], false),
    ] {
        let output = simulate(metrics);
        let (text, notes) = (stdout(&output), stderr(&output));
        assert_eq!(code(&output), 0, "{notes}");
        assert_eq!(text.contains(late), is_late, "{metrics:?}: {text}");
        let others = "the requests that the server counted between the metrics are not those of the logs (3018 and 1509 of batch, ";
        assert_eq!(notes.contains(others), !is_late, "{metrics:?}: {notes}");
    }
    let empty = folder.file("empty.txt", "");
    let binary = folder.file("binary.txt", b"\xff\xfe\0{\"a\":1}");
    for file in [&empty, &binary] {
        let output = simulate(&["--metrics", &after, "--metrics-before", file]);
        assert_eq!(code(&output), 3);
        let error = format!("{file} does not have metrics");
        assert!(stderr(&output).contains(&error), "{}", stderr(&output));
    }
    // 0.3 ms are not worth a sentence.
    let text = std::fs::read_to_string(&after).unwrap();
    let short = folder.file(
        "short.txt",
        text.replace(" 421.1001739729997\n", " 409.5\n"),
    );
    let text = stdout(&simulate(&["--metrics", &short]));
    assert!(!text.contains("waited begin about"), "{text}");
    let sample = |name: &str, started: u32, dispatched: u32| {
        let text = std::fs::read_to_string(&after).unwrap();
        let labels = "flow_schema=\"batch\",priority_level=\"batch\"";
        let total =
            format!("apiserver_flowcontrol_dispatched_requests_total{{{labels}}} {dispatched}");
        let text = format!("{text}process_start_time_seconds {started}\n{total}\n");
        folder.file(name, text)
    };
    let (first, second) = (sample("first.txt", 1, 1), sample("second.txt", 1, 2));
    let other = sample("other.txt", 2, 3);
    for (before, after, problem) in [
        (&after, &after, "the server counted no waits between them"),
        (&after, &before, "the server counted no waits between them"),
        (
            &second,
            &first,
            "the sample that should be the earlier one has the higher counters",
        ),
        (&first, &other, "the two samples are of different processes"),
    ] {
        let output = simulate(&["--metrics", after, "--metrics-before", before]);
        let error = stderr(&output);
        assert_eq!(code(&output), 3, "{error}");
        assert!(
            error.contains(&format!("{before} and {after}: {problem}")),
            "{error}"
        );
    }
}
