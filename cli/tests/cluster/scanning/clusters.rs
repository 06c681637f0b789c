//! Several clusters, and the flags that select clusters and a user.

use super::{ask_in_v1beta3, kubeconfig};
use crate::cluster::Cluster;
use crate::common::Folder;
use k8s_flowcontrol_server::{ApiServer, Fault};
use serde_json::json;
use std::time::Duration;

#[tokio::test(flavor = "multi_thread")]
async fn each_cluster_has_its_own_verdict() {
    let outdated = Cluster::of("1.31").await;
    ask_in_v1beta3(&outdated).await;
    let clean = Cluster::of("1.32").await;
    let forbidden = Cluster::start(
        ApiServer::builder()
            .tls()
            .tokens("forbidden-token,bob,bob-uid\nadmin-token,admin,a,system:masters\n"),
    )
    .await;
    let slow = Cluster::of("1.32").await;
    slow.server
        .inject(Fault::delay(Duration::from_secs(3600)).times(9));
    let broken = Cluster::of("1.32").await;
    broken.server.inject(Fault::internal_error().times(99));
    let gone = format!("http://{}", crate::common::closed_address());
    let servers = [
        ("outdated", outdated.server.url()),
        ("clean", clean.server.url()),
        ("forbidden", forbidden.server.url()),
        ("unauthorized", forbidden.server.url()),
        ("timeout", slow.server.url()),
        ("unreachable", gone),
        ("failed", broken.server.url()),
    ];
    let folder = Folder::new();
    let file = folder.file("kubeconfig", kubeconfig(&servers));
    let all = [
        "scan",
        "--all-contexts",
        "--no-helm",
        // Enough for the other clusters on a slow machine.
        "--timeout",
        "20",
        "--parallel",
        "7",
        "-o",
        "json",
    ];
    let found = outdated.run_with(&file, &all).expect(5).json();
    let verdicts: Vec<_> = found["clusters"]
        .as_array()
        .unwrap()
        .iter()
        .map(|cluster| (&cluster["context"], &cluster["verdict"]))
        .collect();
    for ((name, _), (context, verdict)) in servers.iter().zip(&verdicts) {
        assert_eq!(
            (*context, *verdict),
            (&json!(name), &json!(name)),
            "{found:#}"
        );
    }
    // Named contexts, one by one: findings are 1, and clusters that cannot be read 5.
    let two = [
        "scan",
        "--no-helm",
        "--context",
        "clean",
        "--context",
        "outdated",
        "--parallel",
        "1",
    ];
    let text = outdated.run_with(&file, &two).expect(1).out;
    assert!(
        text.contains("outdated: requests for flowschemas"),
        "{text}"
    );
    outdated
        .run_with(&file, &["scan", "--no-helm", "--context", "clean"])
        .expect(0);
    let nowhere = ["scan", "--no-helm", "--context", "nowhere"];
    let text = outdated.run_with(&file, &nowhere).expect(5).out;
    assert!(
        text.contains("the context `nowhere` does not exist"),
        "{text}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn flags_of_kubectl_select_clusters_and_a_user() {
    let tokens = "a-token,alice,1,\nroot-token,root,2,system:masters\n";
    let builder = ApiServer::builder().kubernetes("1.32").tls().tokens(tokens);
    let cluster = Cluster::start(builder).await;
    let url = cluster.server.url();
    let run = |arguments: &[&str]| {
        let output = cluster.run_alone(arguments);
        let text = crate::cluster::stdout(&output) + &crate::cluster::stderr(&output);
        (crate::cluster::code(&output), text)
    };
    // The address and the token alone are enough.
    let (root, alice) = (
        ["-s", &url, "--token", "root-token"],
        ["-s", &url, "--token", "a-token"],
    );
    let scan = ["scan", "--no-helm"];
    let (code, text) = run(&[&scan[..], &root].concat());
    assert_eq!(code, 0, "{text}");
    assert!(!text.contains("hint:"), "{text}");
    let (code, text) = run(&[&scan[..], &alice].concat());
    assert!(code == 5 && text.contains("forbidden"), "{text}");
    let role = "\nhint: `kubectl flowcontrol rbac scan` prints the role that is needed\n";
    assert!(text.ends_with(role), "{text}");
    let (code, text) = run(&[&scan[..], &root, &["--as", "bob", "--as-group", "dev"]].concat());
    assert!(code == 5 && text.contains("User \"bob\" cannot"), "{text}");
    let (code, text) = run(&[&["plan", "--to-release", "1.33"][..], &root].concat());
    assert!(code == 0 && text.contains("(this cluster)"), "{text}");
    let (code, text) = run(&[&["plan"][..], &alice].concat());
    assert!(
        code == 5 && text.contains("User \"alice\" cannot"),
        "{text}"
    );
    let role = "\nhint: `kubectl flowcontrol rbac plan` prints the role that is needed\n";
    assert!(text.ends_with(role), "{text}");
    // The request is answered, and its names are unknown.
    let (code, text) = run(&[&["whoami"][..], &alice].concat());
    let role = "warning: cannot resolve UIDs to names: GET /apis/flowcontrol.apiserver.k8s.io/v1/flowschemas: 403 Forbidden: ";
    assert!(code == 0 && text.contains(role), "{text}");
    let role = "\nhint: `kubectl flowcontrol rbac whoami` prints the role that is needed\n";
    assert!(text.ends_with(role), "{text}");

    let servers = [("one", url.clone()), ("two", url.clone())];
    let file = cluster.file("both", &kubeconfig(&servers));
    let both = [
        "--kubeconfig",
        &file,
        "--context",
        "one",
        "--context",
        "two",
    ];
    for (command, flag) in [("scan", "--server"), ("plan", "--token")] {
        let (code, text) = run(&[&[command, flag, &url], &both[..]].concat());
        assert_eq!(
            (code, text.as_str()),
            (2, format!("error: `{flag}` is for one cluster, not for 2\nhint: run the command once for each context\n").as_str())
        );
    }
    let (code, _) = run(&["scan", "--all-contexts", "--kubeconfig", &file, "-s", &url]);
    assert_eq!(code, 2);
    cluster
        .server
        .inject(Fault::delay(Duration::from_secs(60)).times(10));
    let (code, text) = run(&[&scan[..], &root, &["--request-timeout", "200ms"]].concat());
    assert!(code == 5 && text.contains("timeout"), "{text}");
}
