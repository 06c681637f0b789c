//! The numbers of the report, of a comparison, of partial results and of callers.

use crate::common::{Folder, code, run, stderr, stdout};
use crate::traffic::{BOBS, event, lines, report, traffic};
use serde_json::{Value, json};

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
    assert!(
        text.starts_with(
            "60 requests that arrived from 2026-01-01T00:00:00Z to 2026-01-01T00:09:50Z\n\
             1 of them without an end in the logs, and so without seat-seconds\n"
        ),
        "{text}"
    );
    let lists = "The numbers of stored objects are not known: every list counts as one seat, and can take more.";
    let waits = "The log does not have waits in queues, and the seats of the server are not known (`--server-seats`): seat-seconds and peaks contain the time in queues.";
    assert!(
        text.contains(&format!("\n\n{lists}\n\n{waits}\n\n")),
        "{text}"
    );
    let page = folder.path("page.html");
    run(&["traffic", "--audit-log", &log, "--html", &page]);
    let page = std::fs::read_to_string(page).unwrap();
    assert!(page.contains(lists), "{page}");
    assert!(
        page.contains("1 request without an end in the logs, and so without seat-seconds"),
        "{page}"
    );
    let csv = run(&["traffic", "--audit-log", &log, "-o", "csv"]);
    let csv = stdout(&csv);
    assert!(
        csv.contains("global-default,global-default,\"<b>&\"\"eve\"\"\",list,5,"),
        "{csv}"
    );
}

/// The counts of stored objects change in a server, and a report keeps the counts that it was made with.
#[test]
fn the_same_log_gives_the_same_figures() {
    let folder = Folder::new();
    let log = folder.file("audit.log", traffic());
    let metrics = |pods: u32| {
        let bytes = 10_000 * pods;
        format!(
            "apiserver_resource_objects{{group=\"\",resource=\"pods\"}} {pods}\n\
             apiserver_resource_size_estimate_bytes{{group=\"\",resource=\"pods\"}} {bytes}\n"
        )
    };
    let many = folder.file("many.txt", metrics(5000));
    let few = folder.file("few.txt", metrics(1));
    let first = report(&["--audit-log", &log, "--metrics", &many]);
    let kept = folder.file("report.json", first.to_string());
    let again = report(&["--audit-log", &log, "--metrics", &kept]);
    assert_eq!(again, first);
    let others = report(&["--audit-log", &log, "--metrics", &few]);
    assert_ne!(others["priorityLevels"], first["priorityLevels"]);
    // A report without metrics has no counts, for the same seats. Any other file without counts is a mistake.
    let without = report(&["--audit-log", &log]);
    let kept = folder.file("without.json", without.to_string());
    assert_eq!(report(&["--audit-log", &log, "--metrics", &kept]), without);
    let filtered = folder.file(
        "filtered.txt",
        "apiserver_flowcontrol_rejected_requests_total 1\n",
    );
    for command in ["traffic", "simulate"] {
        let output = run(&[command, "--audit-log", &log, "--metrics", &filtered]);
        assert_eq!(code(&output), 3, "{command}");
        let said = stderr(&output);
        assert!(
            said.contains("filtered.txt does not have numbers of stored objects"),
            "{said}"
        );
    }
}

/// Lists of parts that know different numbers of stored objects have the seats of their part.
#[test]
fn different_stored_objects_are_not_called_unknown() {
    let folder = Folder::new();
    let log = folder.file("audit.log", traffic());
    let parts = [5000, 4000].map(|number| {
        let metrics =
            format!("apiserver_resource_objects{{group=\"\",resource=\"pods\"}} {number}\n");
        let metrics = folder.file(&format!("{number}.txt"), metrics);
        let part = folder.path(&format!("{number}.json"));
        let logs = ["traffic", "--audit-log", &log, "--metrics", &metrics];
        let output = run(&[&logs[..], &["--partial", &part]].concat());
        assert_eq!(code(&output), 0, "{}", stderr(&output));
        part
    });
    let merge = ["traffic", "merge", &parts[0], &parts[1]];
    let text = stdout(&run(&merge));
    assert!(
        text.contains("The partial results have different numbers of stored objects: a list"),
        "{text}"
    );
    assert!(!text.contains("are not known: every list"), "{text}");
    let json = run(&[&merge[..], &["-o", "json"]].concat());
    let merged: Value = serde_json::from_slice(&json.stdout).unwrap();
    assert_eq!(merged["storedObjects"], Value::Null);
    // The report does not give another run the same seats.
    let merged = folder.file("merged.json", stdout(&json));
    let output = run(&["traffic", "--audit-log", &log, "--metrics", &merged]);
    assert_eq!(code(&output), 3);
    let said = stderr(&output);
    let why = "merged.json does not have numbers of stored objects: the partial results of this report have different ones\nhint: give the metrics of one of them, or the report of its logs alone";
    assert!(said.contains(why), "{said}");
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
    let twice = run(&["traffic", "merge", files[0], files[1], files[0]]);
    assert_eq!(code(&twice), 2);
    assert!(stderr(&twice).contains("is given twice"), "{twice:?}");
    assert_eq!(code(&run(&["traffic", "merge", logs[0]])), 3);
    let text = std::fs::read(files[0]).unwrap();
    let other = r#"{"kind": "TrafficPartial", "schemaVersion": 4, "coverage": {"servers": {"periods": {}}}}"#;
    let other = folder.file("version.json", other);
    let said = stderr(&run(&["traffic", "merge", &other]));
    assert!(
        said.starts_with(&format!(
            "error: {other} is not a partial result of this version\nhint: make it again"
        )),
        "{said}"
    );
    let mut large: Value = serde_json::from_slice(&text).unwrap();
    large["requests"] = json!(u64::MAX);
    let large = folder.file("large.json", large.to_string());
    let said = stderr(&run(&["traffic", "merge", &large]));
    let problem = format!(
        "error: cannot read {large}: requests: invalid value: integer `{}`, expected a whole number from 0 to 1152921504606846975 at line 1",
        u64::MAX
    );
    assert!(said.starts_with(&problem), "{said}");
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
    let other = "the flow schemas, or those of `--compare`, are not the same";
    assert!(stderr(&output).contains(other), "{}", stderr(&output));
    let file = folder.path("alone.json");
    run(&["traffic", "--audit-log", logs[1], "--partial", &file]);
    let output = run(&["traffic", "merge", files[0], &file]);
    assert!(stderr(&output).contains(other), "{}", stderr(&output));
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
        text.contains("more lists without resourceVersion"),
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
    // Notes and errors tell the logs apart.
    let mut late = event("2", "alice", "get", "/version");
    for time in ["requestReceivedTimestamp", "stageTimestamp"] {
        late[time] = "2026-01-01T00:19:00Z".into();
    }
    let gap = lines(&[event("1", "alice", "get", "/version"), late]);
    let gap = folder.file("gap.log", gap);
    let error = stderr(&run(&["traffic", "--audit-log", &after, "--against", &gap]));
    let note = "note: logs of --against: no events in 18 of 20 minutes";
    assert_eq!(error.matches("no events in").count(), 1, "{error}");
    assert!(error.contains(note), "{error}");
    let empty = folder.file("empty.log", "");
    let error = stderr(&run(&[
        "traffic",
        "--audit-log",
        &after,
        "--against",
        &empty,
    ]));
    assert!(
        error.contains("the logs of `--against` contain no requests"),
        "{error}"
    );
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
