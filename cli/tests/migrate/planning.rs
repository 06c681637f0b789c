//! `plan`, with files and with clusters.

use super::{folder, level, run};
use k8s_flowcontrol_server::ApiServer;
use serde_json::Value;
use std::fs;

#[test]
fn a_plan_says_what_to_do_when() {
    let folder = folder("plan");
    fs::write(folder.join("a b.yaml"), level("a")).unwrap();
    let ran = run(
        &folder,
        &["plan", "--from", "1.28", "--to", "1.32", "a b.yaml"],
    );
    assert_eq!(ran.code, 0, "{ran:?}");
    let expected = "\
RELEASE   SERVES             STORES    APPLY     TO DO
1.28      v1beta3, v1beta2   v1beta3   v1beta3   1 file: v1beta2 to v1beta3, before 1.29
1.29      v1, v1beta3        v1beta3   v1        1 file: v1beta3 to v1, before 1.32
1.30      v1, v1beta3        v1        v1
1.31      v1, v1beta3        v1        v1
1.32      v1                 v1        v1

FILE       OBJECTS   NOW       STEPS
a b.yaml   1         v1beta2   on 1.28: v1beta2 to v1beta3, before 1.29; on 1.29: v1beta3 to v1, before 1.32

# on Kubernetes 1.28, before 1.29
kubectl flowcontrol migrate --to v1beta3 --kubernetes 1.28 --write 'a b.yaml'

# on Kubernetes 1.29, before 1.32
kubectl flowcontrol migrate --to v1 --kubernetes 1.29 --write 'a b.yaml'
";
    assert_eq!(ran.out, expected);
    let ran = run(
        &folder,
        &["plan", "--from", "1.28", "--to", "1.32", "-o", "json", "."],
    );
    let plan: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(plan["schemaVersion"], 1);
    assert_eq!(plan["stages"][0]["steps"][0]["files"][0], "./a b.yaml");
    assert_eq!(plan["files"][0]["steps"][1]["before"], "1.32");
}

#[test]
fn a_plan_goes_forward() {
    let folder = folder("plan-usage");
    let back = run(&folder, &["plan", "--from", "1.32", "--to", "1.27"]);
    assert_eq!(back.code, 2, "{back:?}");
    assert!(back.err.contains("1.27 is older than 1.32"), "{}", back.err);
    let without = run(&folder, &["plan", "--to", "1.27"]);
    assert_eq!(without.code, 2, "{without:?}");
    assert!(without.err.contains("--from"), "{}", without.err);
}

#[tokio::test(flavor = "multi_thread")]
async fn clusters_say_their_release_and_what_they_need() {
    let server = ApiServer::builder()
        .kubernetes("1.28")
        .start()
        .await
        .unwrap();
    let folder = folder("plan-cluster");
    let kubeconfig = format!(
        "apiVersion: v1\nkind: Config\nclusters:\n- name: old\n  cluster: {{server: \"{}\"}}\n- name: gone\n  cluster: {{server: \"http://127.0.0.1:1\"}}\ncontexts:\n- name: old\n  context: {{cluster: old}}\n- name: gone\n  context: {{cluster: gone}}\n",
        server.url()
    );
    fs::write(folder.join("config"), kubeconfig).unwrap();
    let arguments = [
        "plan",
        "--kubeconfig",
        "config",
        "--context",
        "old",
        "--to",
        "1.32",
        "-o",
        "json",
    ];
    let ran = run(&folder, &arguments);
    assert_eq!(ran.code, 0, "{ran:?}");
    let plan: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(plan["from"], "1.28");
    let cluster = &plan["clusters"][0];
    assert_eq!(cluster["release"], "1.28");
    assert_eq!(cluster["serves"], serde_json::json!(["v1beta3", "v1beta2"]));
    assert_eq!(cluster["steps"][0]["to"], "v1beta3");
    assert_eq!(cluster["steps"][1]["before"], "1.32");
    assert!(cluster["objects"].as_u64().unwrap() > 10);

    // A cluster that does not answer is a part of the answer.
    let arguments = [
        "plan",
        "--kubeconfig",
        "config",
        "--context",
        "old",
        "--context",
        "gone",
        "--to",
        "1.32",
    ];
    let ran = run(&folder, &arguments);
    assert_eq!(ran.code, 5, "{ran:?}");
    assert!(ran.out.contains("gone      <unknown>"), "{}", ran.out);
    assert!(
        ran.out
            .contains("on 1.28: apply v1beta3, before 1.29; on 1.29: apply v1, before 1.32"),
        "{}",
        ran.out
    );
}
