//! Files or a cluster, and the seats of its servers.

use crate::cluster::{Cluster, level};
use k8s_flowcontrol_server::{ApiServer, Fault};
use serde_json::json;
use std::time::Duration;

/// The commands for files or a cluster, without either.
const COMMANDS: [&[&str]; 9] = [
    &["seats"],
    &["lint", "--fail-on", "error"],
    &["match", "--user", "a", "--resource", "pods"],
    &["traffic", "--audit-log", "tests/tour/audit.log"],
    &["simulate", "--load", "examples/load.yaml"],
    &[
        "cost",
        "list",
        "pods",
        "--objects",
        "5",
        "--object-size",
        "9",
        "--level",
        "mine",
    ],
    &["create", "protect", "user", "a", "--at-least", "5"],
    &["create", "isolate", "user", "a", "--at-most", "5"],
    &["create", "exempt-probes", "--path", "/version"],
];

/// The commands among them for which the number of seats matters; `lint` does not show a number.
fn shows_seats(command: &[&str]) -> bool {
    let is_probes = command.get(1) == Some(&"exempt-probes");
    !is_probes && !["lint", "match"].contains(&command[0])
}

fn run(cluster: &Cluster, command: &[&str], more: &[&str]) -> crate::cluster::Ran {
    cluster.run(&[command, more].concat())
}

#[tokio::test(flavor = "multi_thread")]
async fn every_command_uses_the_cluster_that_is_named() {
    let cluster = Cluster::start(ApiServer::builder().server_seats(157)).await;
    cluster.level(json!({"name": "mine"}), 5, "me").await;
    let url = cluster.server.url();
    let manifest = cluster.file("mine.yaml", &level("v1", "mine", 6));
    for command in COMMANDS {
        let ran = run(&cluster, command, &["--context", "embedded"]).expect(0);
        let said = ran.out + &ran.err;
        let is_read = said.contains("157 seats per server (metrics of ") && said.contains(&url);
        assert_eq!(is_read, shows_seats(command), "{command:?}: {said}");
        if shows_seats(command) {
            let ran = run(&cluster, command, &["--server-seats", "400"]).expect(0);
            let said = ran.out + &ran.err;
            assert!(!said.contains("(metrics of"), "{command:?}: {said}");
        }
        for named in [&["--live"][..], &["--context", "embedded"]] {
            // The file counts as if it were applied: no built-in objects are added.
            let ran = run(&cluster, command, &[&["-f", &manifest], named].concat());
            assert!(
                ran.code != 2 && !ran.err.contains("built-in objects"),
                "{command:?}: {}",
                ran.err
            );
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_command_asks_for_a_number_of_seats_that_it_cannot_read() {
    let cluster = Cluster::of("1.37").await;
    cluster.level(json!({"name": "mine"}), 5, "me").await;
    let user = ["--as", "system:kube-controller-manager"];
    for command in COMMANDS.into_iter().filter(|command| shows_seats(command)) {
        let ran = run(&cluster, command, &user).expect(5);
        assert!(
            ran.err.contains("`--server-seats SEATS`"),
            "{command:?}: {}",
            ran.err
        );
        if command[0] != "traffic" {
            run(
                &cluster,
                command,
                &[&["--server-seats", "600"], &user[..]].concat(),
            )
            .expect(0);
        }
    }
    run(
        &cluster,
        &["create", "exempt-probes", "--path", "/version"],
        &user,
    )
    .expect(0);
    for (command, instead) in [
        (
            &["cost", "list", "pods"][..],
            "`--objects` and `--object-size`",
        ),
        (
            &[
                "traffic",
                "--audit-log",
                "tests/tour/audit.log",
                "--server-seats",
                "600",
            ],
            "`--metrics FILE`",
        ),
    ] {
        let ran = run(&cluster, command, &user).expect(5);
        assert!(
            ran.err.contains(&format!(
                "hint: give {instead}; `kubectl flowcontrol rbac {}` prints the role",
                command[0]
            )),
            "{}",
            ran.err
        );
    }
    // These use no cluster.
    for command in [
        &["cost", "--requests", "tests/fixtures/seats.jsonl"],
        &[
            "simulate",
            "--scenarios",
            "tests/fixtures/scenarios.jsonl.gz",
        ],
    ] {
        let ran = run(&cluster, command, &[]).expect(2);
        assert!(
            ran.err.contains(&format!(
                "`{}` and a cluster exclude each other",
                command[1]
            )),
            "{}",
            ran.err
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn seats_are_those_of_the_server_that_responds() {
    for release in ["1.25", "1.31"] {
        let builder = ApiServer::builder().kubernetes(release).server_seats(150);
        let cluster = Cluster::start(builder).await;
        let levels = cluster.run(&["seats", "--live", "-o", "json"]).expect(0);
        let levels = levels.json();
        // 100 of 245 shares.
        let low = levels.as_array().unwrap().last().unwrap();
        assert_eq!(
            (&low["name"], &low["nominal"]),
            (&json!("workload-low"), &json!(62)),
            "{release}"
        );
        let ran = cluster.run(&["seats", "--live"]).expect(0);
        let url = cluster.server.url();
        assert!(
            ran.out.contains("150 seats per server (metrics of ") && ran.out.contains(&url),
            "{}",
            ran.out
        );
        let text = cluster.run(&["describe", "plc/workload-low"]).expect(0).out;
        assert!(
            text.contains("Seats:            62 of 150;") && text.contains(&url),
            "{text}"
        );
        let ran = cluster.run(&["seats", "--live", "--server-seats", "600"]);
        assert!(
            ran.expect(0)
                .out
                .contains("600 seats per server (--server-seats)")
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn seats_need_a_permission_or_a_number() {
    let cluster = Cluster::of("1.31").await;
    // The user may list objects and not read metrics.
    let user = ["--as", "system:kube-controller-manager"];
    let run = |command: &[&str]| cluster.run(&[command, &user].concat());
    let ran = run(&["seats", "--live"]).expect(5);
    assert!(ran.out.is_empty());
    assert!(
        ran.err.contains("the seats of the API server at")
            && ran.err.contains("cannot get path \"/metrics\"")
            && ran.err.contains("`--server-seats SEATS`"),
        "{}",
        ran.err
    );
    run(&["seats", "--live", "--server-seats", "150"]).expect(0);
    let ran = run(&["describe", "plc"]).expect(0);
    assert!(
        ran.out.contains("Seats:            unknown: "),
        "{}",
        ran.out
    );
    let ran = run(&["lint", "--live"]).expect(0);
    assert!(ran.err.contains("; assuming 600 seats"), "{}", ran.err);
}

#[tokio::test(flavor = "multi_thread")]
async fn naming_a_cluster_means_using_it() {
    let cluster = Cluster::of("1.31").await;
    cluster.level(json!({"name": "mine"}), 5, "me").await;
    // Without `--live`.
    let ran = cluster.run(&["seats", "-o", "json"]).expect(0);
    assert!(ran.out.contains("\"mine\""), "{}", ran.out);
    let ran = cluster.run(&["match", "--user", "a", "--resource", "pods"]);
    assert!(ran.expect(0).out.contains("priority level:"));
    let ran = cluster.run(&["lint"]).expect(1);
    assert!(ran.out.contains("unused-level"), "{}", ran.out);
    let manifest = cluster.file("mine.yaml", &level("v1", "mine", 6));
    let verdict = cluster.run(&["validate", "-f", &manifest, "-o", "json"]);
    assert_eq!(verdict.expect(0).json()["valid"], true);
    // An object that does not exist is created, and an existing built-in object is updated.
    let new = cluster.file("new.yaml", &level("v1", "new", 6));
    let ran = cluster.run(&["validate", "-f", &new, "--live"]).expect(0);
    assert!(ran.err.contains("1 valid, 0 invalid"), "{}", ran.err);
    let odd = cluster.file(
        "odd.yaml",
        &level("v1", "new", 6).replace("Reject", "Refuse"),
    );
    let ran = cluster.run(&["validate", "-f", &odd, "--live"]).expect(1);
    assert!(
        ran.out.contains("FieldValueNotSupported") || ran.err.contains("FieldValue"),
        "{ran:?}"
    );
    // The file counts as if it were applied.
    let ran = cluster.run(&["seats", "-f", &manifest, "-o", "json"]);
    let levels = ran.expect(0).json();
    let mine = levels.as_array().unwrap().iter();
    let mine: Vec<_> = mine.filter(|level| level["name"] == "mine").collect();
    assert_eq!((mine.len(), &mine[0]["shares"]), (1, &json!(6)));
    assert!(levels.as_array().unwrap().len() > 5, "{levels}");
    let ran = cluster.run(&["lint", "-f", &manifest]).expect(1);
    assert!(ran.out.contains("mine.yaml"), "{}", ran.out);
    // A command that uses no cluster says so.
    let ran = cluster.run(&["convert", "-f", &manifest]).expect(2);
    assert!(
        ran.err.contains("unexpected argument '--kubeconfig'"),
        "{}",
        ran.err
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn kubectls_flags_before_and_after_the_command() {
    let tokens = "a-token,alice,1,\nroot-token,root,2,system:masters\n";
    let cluster = Cluster::start(ApiServer::builder().tls().tokens(tokens).record_requests()).await;
    let url = cluster.server.url();
    let kubeconfig = cluster.folder.path("kubeconfig");
    let run = |arguments: &[&str]| {
        let output = cluster.run_alone(arguments);
        (
            crate::cluster::code(&output),
            crate::cluster::stderr(&output),
        )
    };
    assert_eq!(run(&["--kubeconfig", &kubeconfig, "get", "fs"]).0, 0);
    assert_eq!(
        run(&["--kubeconfig", &kubeconfig, "--context=other", "get", "fs"]).0,
        5
    );
    // The address and the token alone are enough.
    let server = ["get", "fs", "-s", &url, "--token", "root-token"];
    assert_eq!(run(&server), (0, String::new()));
    let (code, err) = run(&["--token", "a-token", "--server", &url, "get", "fs"]);
    assert_eq!(code, 5);
    assert!(err.contains("User \"alice\" cannot list"), "{err}");
    let (code, err) = run(&[
        "--kubeconfig",
        &kubeconfig,
        "--as",
        "bob",
        "--as-group",
        "dev",
        "get",
        "fs",
    ]);
    assert_eq!(code, 5);
    assert!(err.contains("User \"bob\" cannot list"), "{err}");
    assert_eq!(run(&["get", "fs", "--as-group", "dev"]).0, 2);
    // Flags with and without `=` move behind the command, the color does not, and a path after `--` stays last.
    for command in [
        "--kubeconfig={} --color never --as bob get fs -o name",
        "--color=never --as bob --kubeconfig {} get fs",
        "--as bob --kubeconfig {} whoami -- /apis",
    ] {
        let command = command.replace("{}", &kubeconfig);
        let output = cluster.run_alone(&command.split(' ').collect::<Vec<_>>());
        let said = crate::cluster::stdout(&output) + &crate::cluster::stderr(&output);
        let expected = match command.contains("whoami") {
            true => "GET /apis ",
            false => "User \"bob\" cannot list",
        };
        assert!(said.contains(expected), "{command}: {said}");
    }
    assert_eq!(run(&["--help"]).0, 0);
    assert_eq!(run(&["--context"]).0, 2);
    for time in ["", "s", "5d", "-1s", "1s2", "..s"] {
        let time = format!("--request-timeout={time}");
        let (code, err) = run(&["get", "fs", "--kubeconfig", &kubeconfig, &time]);
        assert_eq!(code, 2, "{time}");
        assert!(err.contains("is not a duration"), "{time}: {err}");
    }
    // No limit.
    let unlimited = [
        "get",
        "fs",
        "--kubeconfig",
        &kubeconfig,
        "--request-timeout",
        "0",
    ];
    assert_eq!(run(&unlimited).0, 0);
    cluster
        .server
        .inject(Fault::delay(Duration::from_secs(60)).times(10));
    let (code, err) = run(&[
        "get",
        "fs",
        "--kubeconfig",
        &kubeconfig,
        "--request-timeout",
        "200ms",
    ]);
    assert_eq!(code, 5);
    assert!(err.contains("200ms") || err.contains("0.2"), "{err}");
}
