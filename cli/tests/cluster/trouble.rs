//! Clusters that cannot be reached, and users who may not.

use crate::cluster::Cluster;
use crate::cluster::made_up::{Answer, MadeUp};
use crate::common::{Folder, run, stderr};
use k8s_flowcontrol_server::ApiServer;

/// Every command that needs a cluster.
const COMMANDS: &[&[&str]] = &[
    &["get"],
    &["describe", "plc"],
    &["delete", "plc/x"],
    &["tune", "x", "5"],
    &["get", "-w", "--output-watch-events"],
    &["whoami"],
    &["top"],
    &["diagnose"],
    &["scan"],
    &["rewrite-storage", "--dry-run"],
    &["apply", "-f", "examples/batch.yaml"],
    &["diff", "-f", "examples/batch.yaml"],
    &["reset", "plc/x"],
    &["seats", "--live"],
    &["lint", "--live"],
    &["match", "--live", "--user", "a", "--resource", "pods"],
    &["validate", "--live", "-f", "examples/batch.yaml"],
    &["cost", "list", "pods", "--live"],
    &["simulate", "--live", "--load", "examples/load.yaml"],
    &[
        "create",
        "protect",
        "user",
        "a",
        "--at-least",
        "5",
        "--live",
    ],
    &["plan"],
];

#[test]
fn nobody_answers() {
    let folder = Folder::new();
    let address = crate::common::closed_address();
    let text = format!(
        "apiVersion: v1\nkind: Config\ncurrent-context: a\nclusters: [{{name: a, cluster: {{server: 'http://{address}'}}}}]\ncontexts: [{{name: a, context: {{cluster: a}}}}]\n"
    );
    let file = folder.file("kubeconfig", text);
    let check = |command: &[&str]| {
        let output = run(&[command, &["--kubeconfig", &file][..]].concat());
        assert_eq!(output.status.code(), Some(5), "{command:?}: {output:?}");
        let said = stderr(&output);
        assert!(!said.contains("panicked"), "{output:?}");
        // These report clusters one by one, and go on.
        if !matches!(command[0], "scan" | "plan") {
            assert!(said.contains("`--server` choose the server"), "{output:?}");
        }
    };
    // Each tries more than once.
    std::thread::scope(|scope| {
        for command in COMMANDS {
            scope.spawn(|| check(command));
        }
    });
    for command in COMMANDS {
        let output = run(&[command, &["--kubeconfig", "missing"][..]].concat());
        assert_eq!(output.status.code(), Some(5), "{command:?}: {output:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn misspelt_names_are_answered_with_the_nearest() {
    let cluster = Cluster::of("1.31").await;
    for (command, nearest) in [
        (&["get", "fs/servce-accounts"][..], "service-accounts"),
        (&["describe", "plc", "workload-lo"], "workload-low"),
        (&["delete", "fs/servce-accounts"], "service-accounts"),
        (&["tune", "worklod-high", "5"], "workload-high"),
        (&["reset", "plc/globaldefault"], "global-default"),
        (
            &["get", "-w", "--output-watch-events", "fs/servce-accounts"],
            "service-accounts",
        ),
        (
            &[
                "cost",
                "list",
                "pods",
                "--objects",
                "5",
                "--object-size",
                "9",
                "--level",
                "leader-elect",
            ],
            "leader-election",
        ),
    ] {
        let ran = cluster.run(command);
        assert!(matches!(ran.code, 3 | 5), "{command:?}: {ran:?}");
        assert!(
            ran.err
                .contains(&format!("hint: did you mean `{nearest}`?")),
            "{command:?}: {}",
            ran.err
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn names_that_are_like_no_other_are_answered_with_the_existing_ones() {
    let cluster = Cluster::of("1.31").await;
    let hint = |command: &[&str]| {
        let err = cluster.run(command).expect(5).err;
        let hint = err.lines().find_map(|line| line.strip_prefix("hint: "));
        hint.unwrap_or_default().to_owned()
    };
    assert_eq!(
        hint(&["get", "plc/load"]),
        "did you mean `workload-high` or `workload-low`?"
    );
    assert_eq!(
        hint(&["get", "plc/batch"]),
        "existing names: catch-all, exempt, global-default, leader-election, node-high, system, workload-high, workload-low"
    );
    // More than twenty are not listed.
    for number in 0..13 {
        let metadata = serde_json::json!({"name": format!("other-{number}")});
        cluster.level(metadata, 5, "me").await;
    }
    assert_eq!(hint(&["get", "plc/batch"]), "");
    assert_eq!(hint(&["get", "plc/other-7x"]), "did you mean `other-7`?");
}

#[tokio::test(flavor = "multi_thread")]
async fn wrong_targets_and_selectors_say_what_to_write() {
    let cluster = Cluster::of("1.31").await;
    let nowhere = cluster.folder.path("missing/backup.yaml");
    for (command, code, hint) in [
        (
            &["describe", "plc/x"][..],
            5,
            "hint: existing names: catch-all, ",
        ),
        (
            &["reset", "fs/exempt", "plc"],
            2,
            "hint: write the kind and the name of one object, such as plc/workload-low\n",
        ),
        (&["get", "all/x", "fs/x"], 2, "hint: write fs/x or plc/x\n"),
        (
            &["delete", "fs", "-l", "a=b=c"],
            5,
            "hint: a label selector is like team=a,",
        ),
        (&["delete", "fs", "-l", "a=b"], 0, "no objects found\n"),
        (&["describe", "fs", "-l", "a=b"], 0, "no objects found\n"),
        (
            &["rewrite-storage", "--backup", &nowhere],
            3,
            "hint: create the folder of the backup first\n",
        ),
    ] {
        let ran = cluster.run(command).expect(code);
        assert!(ran.err.contains(hint), "{command:?}: {}", ran.err);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn warnings_about_a_configuration() {
    let cluster = Cluster::start(ApiServer::builder()).await;
    let kubeconfig = std::fs::read_to_string(cluster.folder.path("kubeconfig")).unwrap();
    let without = kubeconfig.replace("http://", "");
    assert_ne!(without, kubeconfig);
    let without = without.replace("user: {}", "user: {token: planted}");
    let file = cluster.file("without-scheme", &without);
    let ran = cluster.run_with(&file, &["get", "plc"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(ran.err.contains("warning: "), "{}", ran.err);
    assert!(
        ran.err
            .contains("has no TLS, so the credentials are not sent"),
        "{}",
        ran.err
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_user_who_may_not() {
    let tokens = "admin-token,admin,a,system:masters\nbob-token,bob,b\n";
    let cluster = Cluster::start(ApiServer::builder().tls().tokens(tokens)).await;
    let admin = std::fs::read_to_string(cluster.folder.path("kubeconfig")).unwrap();
    let bob = cluster.file("bob", &admin.replace("admin-token", "bob-token"));
    for command in COMMANDS {
        let ran = cluster.run_with(&bob, command);
        let said = format!("{}{}", ran.out, ran.err);
        // The server's message about the user, without the credentials.
        assert!(
            said.contains("forbidden") || said.contains("cannot"),
            "{command:?}: {said}"
        );
        assert!(!said.contains("bob-token"), "{command:?}: {said}");
        match command[0] {
            // It still learns the code and the UIDs.
            "whoami" => assert!(said.contains("403"), "{said}"),
            _ => assert_eq!(ran.code, 5, "{command:?}: {said}"),
        }
    }
    let stranger = cluster.file("stranger", &admin.replace("admin-token", "wrong-token"));
    for command in COMMANDS {
        let ran = cluster.run_with(&stranger, command);
        let said = format!("{}{}", ran.out, ran.err);
        assert!(
            said.contains("401") || said.contains("Unauthorized"),
            "{command:?}: {said}"
        );
        assert!(!said.contains("wrong-token"), "{command:?}: {said}");
    }
}

#[test]
fn a_login_page_is_not_an_api_server() {
    let server = MadeUp::start();
    let page = "<html>Sign in</html>".to_owned();
    server.set("", Answer::new("text/html", page));
    for command in [&["seats", "--live"][..], &["get"], &["whoami"]] {
        // An address without a scheme uses HTTP.
        let arguments = [command, &["-s", &server.address]].concat();
        let said = crate::common::stderr(&crate::common::run(&arguments));
        assert!(
            said.contains("the response is not that of a Kubernetes API server"),
            "{command:?}: {said}"
        );
        assert!(said.contains("login page"), "{command:?}: {said}");
    }
}
