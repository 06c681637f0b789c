//! Files and pages that are written: none replaces an input, and no name does anything in them.

use crate::common::{Folder, code, run, stderr, stdout};
use crate::traffic::{BOBS, event, lines, report, traffic};
use serde_json::json;

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
    let intents: Vec<_> = HOSTILE[..4]
        .iter()
        .map(|name| {
            json!({"client": {"user": name}, "waits": {"max": "1s"}, "atLoad": {"concurrent": 2, "meanSeconds": 0.1}})
        })
        .collect();
    let intents = json!({"server": {"seats": 100}, "duration": "2s", "intents": intents});
    let intents = folder.file("intents.yaml", intents.to_string());
    let [traffic, simulated, chart, sized] =
        ["a.html", "b.html", "c.svg", "d.html"].map(|name| folder.path(name));
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
        &["size", &intents, "--html", &sized],
    ] {
        let output = run(arguments);
        assert_eq!(code(&output), 0, "{arguments:?}: {}", stderr(&output));
    }
    for page in [&traffic, &simulated, &chart, &sized] {
        let text = std::fs::read_to_string(page).unwrap();
        // The names are there, as text.
        assert!(text.contains("&lt;script&gt;ran=1"), "{page}: {text}");
        crate::common::browser::runs_nothing(&text);
    }
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

    crate::common::browser::reads_well(&html, 3);
}

/// After the last color, the same colors follow in weaker shades.
#[test]
fn each_level_has_its_color() {
    const LEVELS: usize = 32;
    let folder = Folder::new();
    let schema = |index: usize| {
        let name = format!("level-{index}");
        let bobs = BOBS
            .replace("\"bobs\"", &format!("\"{name}\""))
            .replace("workload-high", &name);
        let schema = bobs.replace("\"bob\"", &format!("\"user-{index}\""));
        let level = serde_json::json!({
            "apiVersion": "flowcontrol.apiserver.k8s.io/v1", "kind": "PriorityLevelConfiguration", "metadata": {"name": name},
            "spec": {"type": "Limited", "limited": {"limitResponse": {"type": "Reject"}}},
        });
        format!("{}\n{level}\n", schema.replace('\n', " "))
    };
    let objects = folder.file("objects.jsonl", (0..LEVELS).map(schema).collect::<String>());
    let request = |index: usize| {
        let user = format!("user-{index}");
        event(
            &index.to_string(),
            &user,
            "list",
            "/api/v1/namespaces/a/pods",
        )
    };
    let log = folder.file(
        "audit.log",
        lines(&(0..LEVELS).map(request).collect::<Vec<_>>()),
    );
    let page = folder.path("page.html");
    let output = run(&[
        "traffic",
        "--audit-log",
        &log,
        "-f",
        &objects,
        "--html",
        &page,
    ]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let html = std::fs::read_to_string(&page).unwrap();
    let (chart, _) = html.split_once("</svg>").unwrap();
    let areas = chart.split("<polygon ").skip(1);
    let colors = areas.map(|area| {
        area.split("fill=\"")
            .nth(1)
            .unwrap()
            .split('"')
            .next()
            .unwrap()
    });
    let colors: Vec<_> = colors.collect();
    assert_eq!(colors.len(), LEVELS);
    let different: std::collections::BTreeSet<_> = colors.iter().collect();
    assert_eq!(different.len(), LEVELS, "{colors:?}");
}

#[test]
#[cfg_attr(feature = "parquet", ignore = "of programs without that library")]
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

/// A flow schema that distinguishes namespaces has one flow for the requests without a namespace.
#[test]
fn requests_without_a_namespace_are_not_called_all_requests() {
    let folder = Folder::new();
    let user = "system:kube-controller-manager";
    let mut other = event("2", user, "list", "/api/v1/nodes");
    other["objectRef"] = json!({"resource": "nodes", "apiVersion": "v1"});
    let events = [event("1", user, "list", "/api/v1/namespaces/a/pods"), other];
    let log = folder.file("audit.log", lines(&events));
    let page = folder.path("page.html");
    let text = stdout(&run(&["traffic", "--audit-log", &log, "--html", &page]));
    let (_, flows) = text.split_once("BUSIEST FLOWS").unwrap();
    assert!(
        flows.contains("(no namespace)   kube-controller-manager   1"),
        "{flows}"
    );
    assert!(!flows.contains("all requests"), "{flows}");
    let html = std::fs::read_to_string(&page).unwrap();
    assert!(html.contains("(no namespace)"), "{html}");
    // No request has a namespace.
    let log = folder.file("nodes.log", lines(&events[1..]));
    let text = stdout(&run(&["traffic", "--audit-log", &log]));
    assert!(
        text.contains("(all requests)   kube-controller-manager   1"),
        "{text}"
    );
}
