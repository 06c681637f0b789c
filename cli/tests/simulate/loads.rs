//! Loads of generated clients.

use crate::common::{Folder, code, run, stderr, stdout};
use crate::simulate::level;
use serde_json::Value;

const LOAD: [&str; 5] = [
    "simulate",
    "-f",
    "examples/batch.yaml",
    "--load",
    "examples/load.yaml",
];

fn json(arguments: &[&str]) -> Value {
    let output = run(&[&LOAD[..], &["-o", "json"], arguments].concat());
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn a_load_waits_at_its_own_level() {
    let report = json(&[]);
    assert_eq!(report["schemaVersion"], 1);
    assert_eq!(report["compared"], Value::Null);
    let result = &report["result"];
    let (batch, people) = (level(result, "batch"), level(result, "global-default"));
    assert!(batch["waitSeconds"]["p99"].as_f64().unwrap() > 0.1);
    assert_eq!(people["waitSeconds"]["max"], 0.0);
    let samples = batch["samples"].as_array().unwrap();
    assert!(samples.len() > 100);
    let is_within = |sample: &Value| sample["seatsInUse"].as_i64() <= sample["limit"].as_i64();
    assert!(samples.iter().all(is_within));
    let counts: u64 = ["batch", "global-default"]
        .map(|name| level(result, name)["counts"]["arrived"].as_u64().unwrap())
        .iter()
        .sum();
    assert_eq!(result["requests"], counts);
    assert_eq!(json(&[]), report, "the same seed");
    assert_ne!(json(&["--seed", "2"]), report);
}

#[test]
fn fewer_seats_and_another_configuration_are_compared() {
    let report = json(&[
        "--server-seats",
        "100",
        "--compare",
        "tests/fixtures/no-batch.yaml",
    ]);
    let (before, after) = (&report["result"], &report["compared"]);
    assert!(
        level(before, "batch")["counts"]["arrived"]
            .as_u64()
            .unwrap()
            > 0
    );
    assert_eq!(level(after, "batch")["counts"]["arrived"], 0);
    let table = run(&[
        &LOAD[..],
        &[
            "--server-seats",
            "100",
            "--compare",
            "tests/fixtures/no-batch.yaml",
        ],
    ]
    .concat());
    let text = stdout(&table);
    assert!(
        text.contains("before:") && text.contains("after:"),
        "{text}"
    );
    assert!(text.contains("It does not know the load of other API servers"));
}

#[test]
fn a_flow_is_explained() {
    let arguments = [
        &LOAD[..],
        &["--server-seats", "100", "--explain", "batch/report-1"],
    ]
    .concat();
    let text = stdout(&run(&arguments));
    assert!(text.contains("is dispatched at once"), "{text}");
    assert!(
        text.contains(" waiting (0.00300000ss), 1 executing, next dispatch at R "),
        "{text}"
    );
    assert!(
        text.contains("when its virtual finish is the earliest of all queues: virtual start "),
        "{text}"
    );
    let lives = json(&["--explain", "batch/report-1"]);
    assert_eq!(lives["requests"].as_array().unwrap().len(), 20);
    let output = run(&[&LOAD[..], &["--explain", "batch/nobody"]].concat());
    assert_eq!(code(&output), 3);
    assert!(stderr(&output).contains("no request of the load belongs to the flow"));
}

/// Before 1.29 the deadline of a request does not shorten its wait.
#[test]
fn the_end_of_a_wait_is_explained_for_each_release() {
    let folder = Folder::new();
    let client = "{user: a, resource: pods, clients: 40, constant: true, executes: 1h, deadline: 20s, retries: 0}";
    let file = folder.file(
        "load.yaml",
        format!("duration: 30s\nclients:\n- {client}\n"),
    );
    for (release, wait) in [("1.28", "15.00s"), ("1.29", "5.00s")] {
        let load = ["simulate", "--load", &file, "--server-seats", "10"];
        let flow = ["--kubernetes", release, "--explain", "global-default/a"];
        let text = stdout(&run(&[&load[..], &flow].concat()));
        let expected = format!(
            "is rejected with 429 (time-out) after {wait}, the longest time that it may wait: "
        );
        assert!(text.contains(&expected), "{release}: {text}");
        // Its client does not send it again.
        assert!(!text.contains("left"), "{text}");
    }
}

#[test]
fn seats_are_estimated_or_given() {
    let load = |client: &str| {
        let folder = Folder::new();
        let file = folder.file("load.yaml", format!(
            "duration: 5s\nclients:\n- {{user: a, resource: pods, verb: list, rate: 5, constant: true, executes: 1h, {client}}}\n"
        ));
        let output = run(&["simulate", "--load", &file, "-o", "json"]);
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        let level = level(&report["result"], "global-default").clone();
        let samples = level["samples"].as_array().unwrap();
        let busy = samples
            .iter()
            .find(|sample| sample["executing"] != 0)
            .unwrap();
        busy["seatsInUse"].as_u64().unwrap() / busy["executing"].as_u64().unwrap()
    };
    assert_eq!(load("seats: 3"), 3);
    // The bound of the level: 15 % of its nominal 49 seats, and at most 49 / 6.
    assert_eq!(
        load("objects: 40000, objectSize: 10240, query: resourceVersion=0"),
        8
    );
}

#[test]
fn bad_loads_are_errors() {
    let folder = Folder::new();
    for (load, message) in [
        ("clients: []", "load.yaml:1:1: lacks duration"),
        (
            "duration: 5\nclients: []",
            "1:11: duration: 5 is not a time such as",
        ),
        ("duration: 5 minutes\nclients: []", "is not a time such as"),
        (
            "duration: 9000h\nclients: []",
            "\"9000h\" is longer than 8784h",
        ),
        (
            "duration: 1s\nclients: [{user: a, rate: 1}]",
            "clients[0]: give either resource or path",
        ),
        (
            "duration: 1s\nclients: [{user: a, path: /, rate: 1, clients: 1}]",
            "give either rate or clients",
        ),
        (
            "duration: 1s\nclients: [{user: a, path: /, rate: 0}]",
            "expected a number above 0 and at most 10000000, not 0",
        ),
        (
            "duration: 1s\nclients: [{user: a, path: /, rate: 1, think: 1s}]",
            "think needs clients",
        ),
        (
            "duration: 1s\nclients: [{user: a, path: /, rate: 1, finalSeats: 1}]",
            "need seats",
        ),
        (
            "duration: 1s\nclients: [{user: a, path: /, rate: 1, users: 0}]",
            "expected a whole number from 1 to 1000000, not 0",
        ),
        (
            "duration: 1s\nclients: [{user: a, path: /, clients: 2000000}]",
            "expected a whole number from 1 to 1000000, not 2000000",
        ),
        (
            "duration: 1s\nclients: [{user: a, path: /, rate: 1, sets: 1}]",
            "2:39: clients[0]: unknown field",
        ),
        ("{", "load.yaml"),
    ] {
        let file = folder.file("load.yaml", load);
        let output = run(&["simulate", "--load", &file]);
        assert_eq!(code(&output), 3, "{load}");
        assert!(
            stderr(&output).contains(message),
            "{load}: {}",
            stderr(&output)
        );
    }
}

#[test]
fn an_empty_load_is_said_in_plain_words() {
    let folder = Folder::new();
    for (text, expected) in [
        ("null\n", "the file is empty"),
        (
            "5\n",
            "expected a mapping of duration, clients, not a number",
        ),
    ] {
        let file = folder.file("load.yaml", text);
        let output = run(&["simulate", "--load", &file]);
        assert_eq!(code(&output), 3, "{}", stderr(&output));
        assert!(stderr(&output).contains(expected), "{}", stderr(&output));
        assert!(!stderr(&output).contains("struct"), "{}", stderr(&output));
    }
}

/// The guide shows a part of the output.
#[test]
fn the_guide_shows_what_explain_prints() {
    let guide = std::fs::read_to_string("../docs/src/queuing.md").unwrap();
    let (_, block) = guide.split_once("$ kubectl flowcontrol simulate").unwrap();
    let (block, _) = block.split_once("```").unwrap();
    let mut lines = block.lines();
    let arguments = ["simulate"].into_iter();
    let arguments = arguments.chain(lines.next().unwrap().split_whitespace());
    let output = stdout(&run(&arguments.collect::<Vec<_>>()));
    let (begin, part) = block.split_once("\n…\n").unwrap();
    assert!(output.starts_with(begin.split_once('\n').unwrap().1));
    assert!(output.contains(part), "{output}");
}

/// A load without requests is an error, and requests that no server queues are not just missing.
#[test]
fn requests_without_flow_control_are_named() {
    let folder = Folder::new();
    let path = folder.path("load.yaml");
    let simulate = |load: &str| {
        std::fs::write(&path, load).unwrap();
        run(&["simulate", "--load", &path])
    };
    let logs = "- {name: logs, user: a, verb: get, resource: pods/log, rate: 10}\n";
    let pods = "- {name: pods, user: a, verb: get, resource: pods, rate: 10}\n";
    let only = simulate(&format!("duration: 5s\nclients:\n{logs}"));
    assert_eq!((code(&only), stdout(&only).as_str()), (3, ""));
    assert!(stderr(&only).contains("no requests to which flow control applies"));
    let mixed = simulate(&format!("duration: 5s\nclients:\n{logs}{pods}"));
    assert_eq!(code(&mixed), 0, "{}", stderr(&mixed));
    let text = stderr(&mixed);
    assert!(
        text.contains(
            "note: flow control does not apply to the long-running requests of 1 of 2 groups, \
             which are not simulated: logs\n"
        ),
        "{text}"
    );
    for (load, problem) in [
        (
            format!("duration: 0s\nclients:\n{pods}"),
            "1:11: duration: ",
        ),
        ("duration: 5s\nclients: []\n".to_owned(), "2:10: clients: "),
        (
            format!(
                "duration: 5s\nclients:\n{}",
                pods.replace("rate: 10", "clients: 0")
            ),
            "clients[0].clients: ",
        ),
        (
            format!(
                "duration: 5s\nclients:\n{}",
                pods.replace("rate: 10", "rate: 10, from: 6s")
            ),
            "the load has no requests",
        ),
    ] {
        let output = simulate(&load);
        assert_eq!((code(&output), stdout(&output).as_str()), (3, ""), "{load}");
        assert!(stderr(&output).contains(problem), "{}", stderr(&output));
    }
}

/// In a flow schema without a distinguisher, all requests are one flow; help defines the columns.
#[test]
fn columns_are_defined_and_the_only_flow_of_a_schema_has_a_name() {
    let folder = Folder::new();
    let path = folder.path("load.yaml");
    let load = "duration: 5s\nclients:\n- {user: a, groups: [system:masters], verb: get, path: /healthz, rate: 1}\n\
                - {user: 'system:kube-scheduler', resource: pods, verb: list, clients: 900, executes: 1s, seats: 10}\n";
    std::fs::write(&path, load).unwrap();
    let text = stdout(&run(&["simulate", "--load", &path]));
    assert!(
        text.contains("kube-scheduler   (all requests)   "),
        "{text}"
    );
    let help = stdout(&run(&["help", "simulate"]));
    let help = help.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(help.contains("REQUESTS counts attempts"), "{help}");
}
