//! The web page.

use crate::common::browser::reads_well;
use crate::common::{Folder, code, run, stderr, stdout};
use crate::simulate::audit::{Logs, NARROW, events, lines};
use crate::simulate::level;
use serde_json::Value;

/// Runs the program with a page, and returns its JSON and the page.
fn page(folder: &Folder, arguments: &[&str]) -> (Value, String) {
    let file = folder.path("page.html");
    let all = [&["simulate"], arguments, &["-o", "json", "--html", &file]].concat();
    let output = run(&all);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let report = serde_json::from_slice(&output.stdout).unwrap();
    (report, std::fs::read_to_string(&file).unwrap())
}

fn cells(values: &[&Value]) -> String {
    let cell = |value: &&Value| format!("<td class=\"number\">{}</td>", value.as_f64().unwrap());
    values.iter().map(cell).collect()
}

#[test]
fn a_page_before_and_after_has_the_numbers_of_the_json() {
    let folder = Folder::new();
    let arguments = [
        "-f",
        "examples/batch.yaml",
        "--load",
        "examples/load.yaml",
        "--server-seats",
        "100",
        "--compare",
        "tests/fixtures/no-batch.yaml",
    ];
    let (report, html) = page(&folder, &arguments);
    for result in ["result", "compared"] {
        for flow in report[result]["flows"].as_array().unwrap() {
            let (counts, waits) = (&flow["counts"], &flow["waitSeconds"]);
            if waits["max"] == 0.0 {
                continue;
            }
            let name = flow["flowDistinguisher"].as_str().unwrap();
            let numbers = [
                &counts["arrived"],
                &counts["dispatched"],
                &counts["rejected"],
                &counts["timedOut"],
                &counts["retried"],
                &counts["failed"],
                &waits["p50"],
                &waits["p90"],
                &waits["p99"],
                &waits["max"],
            ];
            let row = cells(&numbers);
            assert!(html.contains(name) && html.contains(&row), "{name}: {row}");
        }
    }
    let samples = &level(&report["result"], "batch")["samples"];
    for sample in samples.as_array().unwrap() {
        // Without the fraction of a whole number, as on the page.
        let mean = sample["meanSeatsWaiting"].as_f64().unwrap().to_string();
        let mean = serde_json::from_str(&mean).unwrap();
        let row = cells(&[&sample["atSeconds"], &mean]);
        assert!(html.contains(&row), "{row}");
    }
    reads_well(&html, 6);
}

#[test]
fn a_page_of_logs_compares_observed_and_predicted_waits() {
    let folder = Folder::new();
    let levels = folder.file("narrow.yaml", NARROW);
    let log = folder.file("audit.log", lines(&events()));
    let arguments = ["-f", &levels, "--server-seats", "2", "--audit-log", &log];
    let (report, html) = page(&folder, &arguments);
    let narrow = level(&report["result"], "narrow");
    for (name, waits) in [
        ("observed", &narrow["observed"]["waitSeconds"]),
        ("predicted", &narrow["waitSeconds"]),
    ] {
        let numbers = ["average", "p50", "p90", "p99", "max"].map(|name| &waits[name]);
        let row = format!(
            "<td>{name}</td><td class=\"number\">40</td>{}",
            cells(&numbers)
        );
        assert!(html.contains(&row), "{row}");
    }
    reads_well(&html, 4);
}

/// A level without requests does not have shorter waits, and the requests that another level gets have a row.
#[test]
fn a_comparison_names_levels_and_flows_of_one_configuration() {
    let logs = Logs::new();
    let moved = NARROW.replace("name: narrow", "name: other");
    let moved = moved.replace("name: bob}\nspec", "name: robert}\nspec");
    let moved = moved.replace("matchingPrecedence: 100", "matchingPrecedence: 99");
    let moved = logs.folder.file("moved.yaml", moved);
    let page = logs.folder.path("page.html");
    let comment = ["--comment", "markdown"];
    let comment = stdout(&logs.run(&[&["--compare", &moved][..], &comment].concat()));
    for level in ["narrow | 0", "other | 40"] {
        assert!(
            comment.contains(&format!("| {level} requests, ")),
            "{comment}"
        );
    }
    let text = stdout(&logs.run(&["--compare", &moved, "--html", &page]));
    let differences = text.split_once("DIFFERENCE").unwrap().1;
    for name in [
        "level narrow (only before) ",
        "level other (only after) ",
        "flow bob/bob (only before) ",
        "flow robert/bob (only after) ",
    ] {
        let row = differences.lines().find(|line| line.starts_with(name));
        let row = row.unwrap_or_else(|| panic!("no {name} in\n{text}"));
        let cells: Vec<_> = row[name.len()..].split_whitespace().collect();
        assert_eq!([cells[0], cells[2], cells[4]], ["-"; 3], "{row}");
    }
    // The page says the same.
    let html = std::fs::read_to_string(page).unwrap();
    for part in [
        "The prediction agrees with the logs",
        "level other (only after)",
        "<tr><td>other</td><td>-</td>",
    ] {
        assert!(html.contains(part), "{part}");
    }
}

/// A server ignores a flow schema whose priority level is missing.
#[test]
fn flow_schemas_without_a_level_are_named() {
    let folder = Folder::new();
    let log = folder.file("audit.log", lines(&events()));
    let levels = folder.file("narrow.yaml", NARROW);
    let (_, schema) = NARROW.split_once("---\n").unwrap();
    let schema = schema.replace("{name: narrow}", "{name: lost}");
    let dangling = folder.file("dangling.yaml", schema);
    let text = "server: {seats: 100}\nintents: [{name: jobs, client: {user: bob}, waits: {max: 10s}, atLoad: {fromLog: true}}]\n";
    let intents = folder.file("intents.yaml", text);
    let note = "the flow schema bob refers to the priority level lost, which does not exist, so that no request matches it\n";
    for command in [vec!["simulate"], vec!["size", &intents]] {
        let other = if command.len() == 1 {
            "after"
        } else {
            "compared"
        };
        for (files, expected) in [
            (
                &["-f", &levels, "--compare", &dangling][..],
                format!("note: {other}: {note}"),
            ),
            (
                &["-f", &dangling, "--compare", &levels],
                format!("note: before: {note}"),
            ),
            (
                &["-f", &dangling, "--compare", &dangling],
                format!("note: {note}"),
            ),
            (&["-f", &dangling], format!("note: {note}")),
        ] {
            let output = run(&[&command[..], &["--audit-log", &log], files].concat());
            assert_eq!(code(&output), 0, "{output:?}");
            let found = stderr(&output);
            assert_eq!(found.matches("does not exist").count(), 1, "{found}");
            assert!(found.contains(&expected), "{expected}: {found}");
        }
        let output = run(&[&command[..], &["--audit-log", &log, "-f", &levels]].concat());
        assert!(!stderr(&output).contains("does not exist"), "{output:?}");
    }
}
