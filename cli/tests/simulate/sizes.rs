//! `size`.

use crate::common::{Folder, code, run, stderr, stdout};
use serde_json::Value;

pub(super) const INTENTS: &str = "\
server: {seats: 100}
duration: 5s
intents:
- name: flux
  client: {serviceAccount: flux-system/kustomize-controller}
  waits: {p99: 1s}
  atLoad: {concurrent: 100, meanSeconds: 0.2}
";

#[test]
fn objects_have_reasons_and_a_proof() {
    let folder = Folder::new();
    let path = folder.path("intents.yaml");
    std::fs::write(&path, INTENTS).unwrap();
    let file = path.as_str();
    let output = run(&["size", file]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let manifests = stdout(&output);
    assert!(manifests.contains("# shares "), "{manifests}");
    assert!(
        manifests.contains("# 0 % lendable: no other level uses its seats\n"),
        "{manifests}"
    );
    assert!(manifests.contains("name: size-flux-system-kustomize-controller"));
    let proof = stderr(&output);
    assert!(proof.contains("the whole load with seed 2"), "{proof}");
    assert!(proof.contains("1.5 times the load (margin)"), "{proof}");
    let words = proof.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        words.contains("INTENT HOLDS REQUESTS FOUND MARGIN"),
        "{proof}"
    );
    assert!(words.contains("The model is one API server"), "{proof}");
    let verdict = "in the simulation, with 100 seats, these objects satisfy all intents";
    assert!(words.contains(verdict), "{proof}");
    let servers =
        "the whole load with 100 seats: the present objects (before) and the answer (after)";
    assert!(words.contains(servers), "{proof}");
    assert!(
        words.contains("satisfy all intents size-flux-system-kustomize-controller has")
            && words.contains("The waits are simulated: `kubectl flowcontrol simulate"),
        "{proof}"
    );
    let json = run(&["size", file, "-o", "json"]);
    let json: Value = serde_json::from_slice(&json.stdout).unwrap();
    assert_eq!(json["isPossible"], true);
    assert_eq!(json["objects"].as_array().unwrap().len(), 2);
    let comment = stdout(&run(&["size", file, "--comment", "markdown"]));
    assert!(comment.starts_with("### Sizes for intents"), "{comment}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_terminal_shows_the_progress() {
    let folder = Folder::new();
    let path = folder.path("intents.yaml");
    std::fs::write(&path, INTENTS).unwrap();
    let program = env!("CARGO_BIN_EXE_kubectl-flowcontrol");
    // `script` gives a program a terminal.
    let output = std::process::Command::new("script")
        .args(["-qec", &format!("'{program}' size '{path}'"), "/dev/null"])
        .output()
        .unwrap();
    let out = String::from_utf8(output.stdout).unwrap();
    assert!(
        out.contains("\r\u{1b}[K2 simulations, 100 seats\r\u{1b}[K"),
        "{out:?}"
    );
    // Without a terminal, progress lines are omitted.
    let output = run(&["size", &path]);
    assert!(!stderr(&output).contains("simulations, 100 seats"));
}

#[test]
fn errors_have_places_and_contradictions_have_numbers() {
    let folder = Folder::new();
    let path = folder.path("intents.yaml");

    std::fs::write(&path, INTENTS.replace("1s", "soon")).unwrap();
    let output = run(&["size", &path]);
    assert_eq!(code(&output), 3);
    let found = stderr(&output);
    assert!(
        found.contains("intents.yaml:6:16: intents[0].waits.p99: "),
        "{found}"
    );
    std::fs::write(&path, INTENTS.replace("seats: 100", "seats: 5")).unwrap();
    let output = run(&["size", &path, "--budget", "1m"]);
    assert_eq!(code(&output), 1);
    let found = stderr(&output);
    assert!(
        found.starts_with("flux needs at least 13 of 5 seats\n")
            && found.contains("\n5 seats cannot satisfy all intents\n"),
        "{found}"
    );
    let comment = stdout(&run(&["size", &path, "--comment", "markdown"]));
    assert!(
        comment.contains("| Not possible | flux needs at least 13 of 5 seats |\n"),
        "{comment}"
    );
    assert!(!comment.contains("no findings"), "{comment}");
    assert_eq!(found.matches("needs at least").count(), 1, "{found}");
    // It is known before the logs are read.
    let output = run(&["size", &path, "--audit-log", &folder.path("missing.log")]);
    assert_eq!(code(&output), 3);
    let text = stderr(&output);
    assert!(
        text.starts_with("flux needs at least 13 of 5 seats\n"),
        "{text}"
    );
    assert!(text.contains("missing.log"), "{text}");
    for budget in ["0", "0.5s", "25h", "soon"] {
        assert_eq!(
            code(&run(&["size", &path, "--budget", budget])),
            2,
            "{budget}"
        );
    }
    let from_log = INTENTS.replace("{concurrent: 100, meanSeconds: 0.2}", "{fromLog: true}");
    std::fs::write(&path, from_log).unwrap();
    let output = run(&["size", &path]);
    assert_eq!(code(&output), 3);
    assert!(
        stderr(&output).contains("line 4: the intent flux is about the requests of audit logs")
    );
    let log = folder.path("audit.log");
    std::fs::write(&log, "").unwrap();
    let output = run(&["size", &path, "--audit-log", &log]);
    assert_eq!(code(&output), 3);
    assert!(stderr(&output).contains("the audit logs contain no requests"));
}

/// As `create`: the wish is clear, and the configuration does not allow it.
#[test]
fn a_client_that_no_flow_schema_can_separate_is_a_finding() {
    let folder = Folder::new();
    let schema = "apiVersion: flowcontrol.apiserver.k8s.io/v1\nkind: FlowSchema\nmetadata: {name: first}\nspec:\n  matchingPrecedence: 2\n  \
        priorityLevelConfiguration: {name: catch-all}\n  rules:\n  - subjects: [{kind: User, user: {name: alice}}]\n    resourceRules: \
        [{verbs: ['*'], apiGroups: ['*'], resources: ['*'], clusterScope: true, namespaces: ['*']}]\n";
    let schema = folder.file("first.yaml", schema);
    let text = "server: {seats: 100}\nduration: 2s\nintents:\n- client: {user: alice}\n  waits: {p99: 10ms}\n  \
        atLoad: {concurrent: 30, meanSeconds: 0.1}\n";
    let intents = folder.file("intents.yaml", text);
    let said = "the flow schema first can take requests of the client, and no precedence comes before its own";
    for command in [
        &["size", &intents][..],
        &["create", "protect", "user", "alice", "--at-least", "5"],
    ] {
        let output = run(&[command, &["-f", &schema]].concat());
        assert!(stderr(&output).contains(said), "{}", stderr(&output));
        assert_eq!(code(&output), 1);
        assert_eq!(stdout(&output), "");
    }
    // A wrong file stays a wrong file.
    let unknown = folder.file(
        "unknown.yaml",
        text.replace("client: {user: alice}", "level: none"),
    );
    assert_eq!(code(&run(&["size", &unknown])), 3);
}

/// Each simulation has a hundred thousand requests, and the search needs many of them.
#[test]
fn the_budget_ends_a_search() {
    let folder = Folder::new();
    let path = folder.path("intents.yaml");
    let mut text = String::from("server: {seats: 600}\nduration: 10s\nintents:\n");
    for name in ["a", "b", "c", "d"] {
        text.push_str(&format!(
            "- client: {{user: {name}}}\n  waits: {{p99: 10ms}}\n  atLoad: {{concurrent: 200, meanSeconds: 0.05}}\n"
        ));
    }
    std::fs::write(&path, text).unwrap();
    let output = run(&["size", &path, "--budget", "1s"]);
    let text = stderr(&output);
    assert_eq!(code(&output), 1, "{text}");
    assert!(text.contains("no answer within 1s"), "{text}");
    assert!(
        text.contains("`--budget` gives the search more time"),
        "{text}"
    );
    assert_eq!(stdout(&output), "");
}

/// As kubectl reads them: parts with units, or a number of seconds.
#[test]
fn the_budget_is_a_time_from_a_second_to_a_day() {
    for (time, is_valid) in [
        ("24h", true),
        ("24h1ms", false),
        ("23.5h30m", true),
        ("1440m", true),
        ("1439m61s", false),
        ("86400", true),
        ("86401", false),
        ("1000ms", true),
        ("999ms", false),
        ("0.5s500ms", true),
        ("0", false),
    ] {
        let output = run(&["size", "missing.yaml", "--budget", time]);
        let text = stderr(&output);
        // The file is read after the command line.
        assert_eq!(
            code(&output),
            if is_valid { 3 } else { 2 },
            "{time}: {text}"
        );
        assert_eq!(
            text.contains("must be between 1s and 24h"),
            !is_valid,
            "{text}"
        );
    }
    let output = run(&["size", "missing.yaml", "--budget", "5d"]);
    assert!(stderr(&output).contains("is not a duration"));
}

/// Somebody's own numbers are checked like the answer, and the page shows the headroom before and after, and the cost of the tiers.
#[test]
fn a_proposal_is_checked_and_shown_beside_the_answer() {
    let folder = Folder::new();
    let [intents, proposal, page] =
        ["intents.yaml", "proposal.yaml", "page.html"].map(|name| folder.path(name));
    let tiers =
        "server: {tiers: [{name: S, seats: 20, price: 5}, {name: XL, seats: 100, price: 15}]}";
    std::fs::write(&intents, INTENTS.replace("server: {seats: 100}", tiers)).unwrap();
    let answer = stdout(&run(&["size", &intents]));
    let with_shares = |shares: &str| {
        let line = answer
            .lines()
            .find(|line| line.contains("nominalConcurrencyShares:"))
            .unwrap();
        let text = answer.replace(line, &format!("    nominalConcurrencyShares: {shares}"));
        std::fs::write(&proposal, text).unwrap();
    };
    with_shares("1");
    let output = run(&["size", &intents, "--compare", &proposal, "--html", &page]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    assert_eq!(stdout(&output), answer);
    let text = stderr(&output);
    assert!(
        text.contains(
            "the compared configuration does not satisfy all intents:\nflux: p99 of the waits "
        ),
        "{text}"
    );
    let names = ": the present objects (before), the compared configuration (compared) and the answer (after)\n";
    assert!(text.contains(names), "{text}");
    for configuration in ["before", "compared", "after"] {
        let row = text.lines().find(|line| {
            line.contains(&format!(" {configuration} ")) && !line.starts_with("exempt")
        });
        assert!(row.is_some(), "{configuration}: {text}");
    }
    let html = std::fs::read_to_string(&page).unwrap();
    for heading in [
        "Free seats over time, before",
        "Free seats over time, compared",
        "Free seats over time, after",
        "Cost of the tiers",
        "15 is enough",
        "5 is too small",
        "<td>compared</td>",
        "shares ",
    ] {
        assert!(html.contains(heading), "{heading}");
    }

    with_shares("200");
    let output = run(&["size", &intents, "--compare", &proposal, "-o", "json"]);
    let json: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(json["compared"]["isMet"], true, "{json}");
    let levels = json["levels"].as_array().unwrap();
    let of = |level: &str, configuration: &str, field: &str| {
        let is =
            |row: &&Value| row["configuration"] == configuration && row["priorityLevel"] == level;
        levels.iter().find(is).unwrap()[field].as_f64().unwrap()
    };
    // More shares make the waits shorter, and take free seats from others.
    let own = |configuration| {
        of(
            "size-flux-system-kustomize-controller",
            configuration,
            "p99Seconds",
        )
    };
    assert!(own("compared") < own("after"), "{json}");
    let others = |configuration| of("workload-low", configuration, "leastFreeSeats");
    assert!(others("compared") < others("after"), "{json}");
    // The page is never written over an input.
    assert_eq!(code(&run(&["size", &intents, "--html", &intents])), 2);
}

#[test]
fn later_loads_are_compared_with_an_earlier_answer() {
    let folder = Folder::new();
    let [intents, report] = ["intents.yaml", "size.json"].map(|name| folder.path(name));
    std::fs::write(&intents, INTENTS).unwrap();
    std::fs::write(&report, run(&["size", &intents, "-o", "json"]).stdout).unwrap();
    let output = run(&["size", &intents, "--watch-drift", &report]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let state = |text: &str| {
        let row = text.lines().find(|line| line.starts_with("flux "));
        let mut cells = row
            .unwrap()
            .split("  ")
            .map(str::trim)
            .filter(|cell| !cell.is_empty());
        cells.nth(1).unwrap().to_owned()
    };
    assert_eq!(state(&stderr(&output)), "still met");
    assert_eq!(stdout(&output), "");

    std::fs::write(
        &intents,
        INTENTS.replace("concurrent: 100", "concurrent: 130"),
    )
    .unwrap();
    let output = run(&["size", &intents, "--watch-drift", &report]);
    assert_eq!(code(&output), 1, "{}", stderr(&output));
    let text = stderr(&output);
    assert_eq!(state(&text), "broken");
    assert!(
        text.contains("size-flux-system-kustomize-controller: nominalConcurrencyShares "),
        "{text}"
    );
    assert!(stdout(&output).contains("# shares "));
    let comment = run(&[
        "size",
        &intents,
        "--watch-drift",
        &report,
        "--comment",
        "markdown",
    ]);
    let comment = stdout(&comment);
    assert!(comment.contains("| flux | broken |\n"), "{comment}");

    std::fs::write(&report, "{}").unwrap();
    let output = run(&["size", &intents, "--watch-drift", &report]);
    assert_eq!(code(&output), 3);
    assert!(
        stderr(&output).contains("size.json is not the report of an earlier answer: missing field"),
        "{}",
        stderr(&output)
    );
}

/// Seats do not limit memory: `size` and `traffic` name the level and the user whose lists and watches need most of it.
#[test]
fn lists_that_need_much_memory_are_named() {
    let folder = Folder::new();
    let [intents, log, metrics] =
        ["intents.yaml", "audit.log", "metrics.txt"].map(|name| folder.path(name));
    let text = "server: {seats: 600}\nintents:\n- client: {user: alice}\n  waits: {p99: 1s}\n";
    std::fs::write(&intents, text).unwrap();
    let event = |number: u32| {
        let time = |second: u32| format!("2026-01-02T03:04:{second:02}.000000Z");
        serde_json::json!({
            "kind": "Event", "apiVersion": "audit.k8s.io/v1", "auditID": format!("id-{number}"), "stage": "ResponseComplete",
            "requestURI": "/api/v1/pods", "verb": "list", "user": {"username": "alice", "groups": ["system:authenticated"]},
            "objectRef": {"resource": "pods", "apiVersion": "v1"}, "responseStatus": {"code": 200},
            "requestReceivedTimestamp": time(5), "stageTimestamp": time(9),
        })
        .to_string()
    };
    let events: Vec<_> = (0..8).map(event).collect();
    std::fs::write(&log, events.join("\n")).unwrap();
    let of = |bytes: u64| {
        let text = format!(
            "apiserver_resource_objects{{group=\"\",resource=\"pods\"}} 10000\napiserver_resource_size_estimate_bytes{{group=\"\",resource=\"pods\"}} {bytes}\n"
        );
        std::fs::write(&metrics, text).unwrap();
    };
    of(100_000_000);
    for command in [vec!["size", &intents], vec!["traffic"]] {
        let output = run(&[&command[..], &["--audit-log", &log, "--metrics", &metrics]].concat());
        let text = stderr(&output).replace('\n', " ");
        assert!(
            text.contains("lists in flight of priority level global-default hold up to 762 MiB at 03:04:05; the most by user alice: seats do not limit this memory"),
            "{text}"
        );
        assert!(text.contains("A live watch needs 50 to 100 KiB."), "{text}");
    }
    of(1_000_000);
    let output = run(&["traffic", "--audit-log", &log, "--metrics", &metrics]);
    assert!(!stderr(&output).contains("memory"), "{}", stderr(&output));
}
