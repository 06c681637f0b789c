//! The commands and the audit policy that get logs.

use crate::common::{Folder, code, run, stderr, stdout};
use crate::traffic::{event, lines};
use std::io::Write as _;
use std::process::Stdio;

#[test]
fn the_commands_that_get_logs_are_printed() {
    let range = ["--since", "2h", "--until", "2026-01-05T12:00:00Z"];
    let export = |arguments: &[&str]| {
        let output = run(&[&["traffic", "export"], arguments, &range].concat());
        assert_eq!(code(&output), 0, "{}", stderr(&output));
        stdout(&output)
    };
    for (arguments, expected) in [
        (
            &["eks", "prod"] as &[&str],
            "aws logs filter-log-events --log-group-name /aws/eks/prod/cluster --log-stream-name-prefix kube-apiserver-audit \\\n  \
             --start-time 1767607200000 --end-time 1767614400000 --output json > audit.json",
        ),
        (
            &["gke", "my-project/prod"],
            "gcloud logging read 'resource.type=\"k8s_cluster\" AND resource.labels.cluster_name=\"prod\" AND protoPayload.serviceName=\"k8s.io\" \
             AND timestamp>=\"2026-01-05T10:00:00Z\" AND timestamp<\"2026-01-05T12:00:00Z\"' --project=my-project --format=json",
        ),
        // The project of gcloud's configuration, and any resource group.
        (
            &["gke", "prod"],
            "AND timestamp<\"2026-01-05T12:00:00Z\"' --format=json",
        ),
        (
            &["aks", "Prod"],
            "endswith \"/providers/microsoft.containerservice/managedclusters/Prod\"",
        ),
        (
            &["aks", "rg/Prod"],
            "endswith \"/resourcegroups/rg/providers/microsoft.containerservice/managedclusters/Prod\"",
        ),
        (
            &["aks", "rg/Prod"],
            "between (datetime(2026-01-05T10:00:00Z) .. datetime(2026-01-05T12:00:00Z))",
        ),
        (
            &["openshift"],
            "oc adm node-logs --role=master --path=kube-apiserver/audit.log > audit.log",
        ),
        (
            &["loki", "{app=\"audit\"}"],
            "logcli query '{app=\"audit\"} != `\"stage\":\"RequestReceived\"`' --from=2026-01-05T10:00:00Z",
        ),
        (&["elasticsearch", "k8s-*"], "'k8s-*'"),
        (&["elasticsearch", ""], "--input=\"$URL\"/'' "),
    ] {
        let text = export(arguments);
        assert!(text.contains(expected), "{arguments:?}: {text}");
        // A script for a shell.
        let mut shell = std::process::Command::new("sh");
        let mut child = shell.args(["-n"]).stdin(Stdio::piped()).spawn().unwrap();
        child
            .stdin
            .take()
            .unwrap()
            .write_all(text.as_bytes())
            .unwrap();
        assert!(child.wait().unwrap().success(), "{text}");
    }
    // What is left to replace is named.
    for source in ["eks", "gke", "aks"] {
        let output = run(&["traffic", "export", source]);
        assert!(stdout(&output).contains("CLUSTER"));
        let note = format!(
            "note: replace CLUSTER in the output by the name of the cluster, or run `traffic export {source} NAME`\n"
        );
        assert_eq!(stderr(&output), note);
        let named = run(&["traffic", "export", source, "prod"]);
        let text = stdout(&named);
        for placeholder in ["PROJECT", "GROUP", "CLUSTER"] {
            assert!(!text.contains(placeholder), "{text}");
        }
        assert_eq!(stderr(&named), "");
    }
    let quoted = export(&["eks", "a'; rm -rf $HOME"]);
    assert!(
        quoted.contains("'/aws/eks/a'\\''; rm -rf $HOME/cluster'"),
        "{quoted}"
    );
    for (since, is_valid) in [
        ("2h", true),
        ("120m", true),
        ("2026-01-05T10:00:00Z", true),
        ("2026-01-05T11:00:00+01:00", true),
        ("", false),
        ("yesterday", false),
        ("-1h", false),
        ("0s", false),
        ("2026-01-05T12:00:00Z", false),
        ("99999999999h", false),
    ] {
        let since = format!("--since={since}");
        let output = run(&["traffic", "export", "eks", &since, range[2], range[3]]);
        assert_eq!(code(&output), if is_valid { 0 } else { 2 }, "{since}");
        let from = "# From 2026-01-05T10:00:00Z to 2026-01-05T12:00:00Z\n";
        assert_eq!(stdout(&output).contains(from), is_valid, "{since}");
    }
}

#[test]
fn the_policy_states_its_events() {
    let folder = Folder::new();
    let mut watch = event("2", "alice", "watch", "/api/v1/pods");
    watch["requestReceivedTimestamp"] = "2026-01-01T00:00:10Z".into();
    let log = folder.file(
        "audit.log",
        lines(&[event("1", "alice", "get", "/version"), watch]),
    );
    let text = stdout(&run(&["traffic", "export", "policy", "--audit-log", &log]));
    assert!(text.contains("2 requests, 1 of them watches, in 10 seconds: 3 events, 0.3 a second, 25920 and 0.0 GB a day"), "{text}");
    for line in [
        "kind: Policy",
        "omitManagedFields: true",
        "- level: Metadata",
        "omitStages: [RequestReceived, ResponseStarted]",
    ] {
        assert!(text.contains(line), "{text}");
    }
}
