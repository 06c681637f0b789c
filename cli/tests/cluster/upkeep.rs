//! The built-in objects that an API server maintains, and the sentences about it.

use crate::cluster::{Cluster, level};
use k8s_flowcontrol_server::ApiServer;
use serde_json::json;

const ANNOTATION: &str = "apf.kubernetes.io/autoupdate-spec";

#[tokio::test(flavor = "multi_thread")]
async fn a_taken_over_level_is_no_longer_the_servers() {
    let cluster = Cluster::of("1.36").await;
    let dry = [
        "tune",
        "workload-low",
        "50",
        "--include-managed",
        "--dry-run",
    ];
    let ran = cluster.run(&dry).expect(0);
    assert!(!ran.err.contains("no longer updates"), "{}", ran.err);
    cluster.run(&dry[..4]).expect(0);
    // The server leaves it alone.
    let ran = cluster.run(&["tune", "workload-low", "51"]).expect(0);
    assert_eq!(
        ran.out,
        "workload-low: nominalConcurrencyShares: 50 -> 51\n"
    );
    cluster.server.run_bootstrap_pass();
    let object = cluster.object("plc/workload-low");
    assert_eq!(object["spec"]["limited"]["nominalConcurrencyShares"], 51);
    let ran = cluster.run(&["describe", "plc/workload-low"]).expect(0);
    assert!(!ran.out.contains("Managed by"), "{}", ran.out);
    // But it would come back.
    let ran = cluster.run(&["delete", "plc/workload-low"]).expect(1);
    assert!(
        ran.err
            .contains("is a built-in object: not deleted\nhint: `--include-managed` deletes managed objects; the API server creates"),
        "{}",
        ran.err
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn the_server_keeps_the_shares_of_the_exempt_level() {
    let cluster = Cluster::of("1.36").await;
    let ran = cluster.run(&["tune", "exempt", "10"]).expect(1);
    assert!(!ran.err.contains("no longer updates"), "{}", ran.err);
    let ran = cluster
        .run(&["tune", "exempt", "10", "--include-managed"])
        .expect(0);
    assert_eq!(
        (ran.out.as_str(), ran.err.as_str()),
        ("exempt: nominalConcurrencyShares: 0 -> 10\n", "")
    );
    let ran = cluster.run(&["reset", "plc/exempt"]).expect(0);
    cluster.server.run_bootstrap_pass();
    let exempt = cluster.object("plc/exempt");
    assert_eq!(exempt["spec"]["exempt"]["nominalConcurrencyShares"], 10);
    assert!(
        ran.err.contains("keeps the shares and the lending"),
        "{}",
        ran.err
    );
    assert!(!ran.err.contains("within a minute"), "{}", ran.err);
    // There is nothing to reset.
    let tune = ["tune", "exempt", "0", "--include-managed"];
    cluster.run(&tune).expect(0);
    let ran = cluster.run(&["reset", "plc/exempt"]).expect(0);
    assert_eq!(ran.err, "");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_server_does_after_a_deletion() {
    let cluster = Cluster::of("1.36").await;
    // The object of an older release does not come back.
    let left_over = cluster.file(
        "old.yaml",
        &format!("apiVersion: flowcontrol.apiserver.k8s.io/v1\nkind: FlowSchema\nmetadata: {{name: endpoint-controller, annotations: {{{ANNOTATION}: \"false\"}}}}\nspec: {{priorityLevelConfiguration: {{name: workload-high}}}}\n"),
    );
    cluster.run(&["apply", "-f", &left_over]).expect(0);
    cluster.run(&["delete", "fs/endpoint-controller"]).expect(0);
    // An object that is deleted will not be deleted by the server.
    let text = level("v1", "mine", 5).replace(
        "  name: mine\n",
        &format!("  name: mine\n  annotations:\n    {ANNOTATION}: \"true\"\n"),
    );
    let manifest = cluster.file("mine.yaml", &text);
    cluster.run(&["apply", "-f", &manifest]).expect(0);
    let delete = ["delete", "plc/mine", "--include-managed"];
    assert_eq!(cluster.run(&delete).expect(0).err, "");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_can_take_a_level_over() {
    let cluster = Cluster::of("1.36").await;
    let hint = |file: &str, annotation: &str| {
        let text = level("v1", "system", 9).replace(
            "  name: system\n",
            &format!("  name: system\n  annotations:\n    {ANNOTATION}: \"{annotation}\"\n"),
        );
        let manifest = cluster.file(file, &text);
        cluster.run(&["apply", "-f", &manifest]).expect(1).err
    };
    let err = hint("kept.yaml", "true");
    assert!(err.contains("; the API server resets its spec"), "{err}");
    let err = hint("taken.yaml", "false");
    assert!(err.contains("; the API server then no longer"), "{err}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_reads_every_form_of_the_annotation() {
    let cluster = Cluster::of("1.36").await;
    let text = level("v1", "mine", 5).replace(
        "  name: mine\n",
        &format!("  name: mine\n  annotations:\n    {ANNOTATION}: \"T\"\n"),
    );
    let manifest = cluster.file("mine.yaml", &text);
    let ran = cluster.run(&["apply", "-f", &manifest]).expect(0);
    assert!(
        ran.err
            .contains("the API server deletes it within a minute"),
        "{}",
        ran.err
    );
    cluster
        .run(&["tune", "mine", "6", "--include-managed"])
        .expect(0);
    let mine = cluster.object("plc/mine");
    assert_eq!(mine["metadata"]["annotations"][ANNOTATION], "false");
    let ran = cluster.run(&["tune", "mine", "7"]).expect(0);
    assert_eq!(ran.err, "");
    cluster.server.run_bootstrap_pass();
    cluster.object("plc/mine");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tools_object_is_reset_only_on_demand() {
    let cluster = Cluster::start(ApiServer::builder().bootstrap(false)).await;
    let helm = json!({"name": "workload-low", "annotations": {ANNOTATION: "false"}, "labels": {"helm.sh/chart": "a-1"}});
    cluster.level(helm, 5, "helm").await;
    let ran = cluster.run(&["reset", "plc/workload-low"]).expect(1);
    assert!(ran.err.contains("is managed by Helm"), "{}", ran.err);
    cluster
        .run(&["reset", "plc/workload-low", "--include-managed"])
        .expect(0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_difference_that_apply_does_not_write_is_named() {
    let cluster = Cluster::of("1.36").await;
    let manifest = cluster.file(
        "labels.yaml",
        "apiVersion: flowcontrol.apiserver.k8s.io/v1\nkind: FlowSchema\nmetadata:\n  name: probes\n  labels: {a: b}\n",
    );
    let ran = cluster.run(&["diff", "-f", &manifest]).expect(1);
    assert!(ran.out.contains("+  labels:"), "{}", ran.out);
    assert!(
        ran.err.contains("only with `--include-managed`"),
        "{}",
        ran.err
    );
    cluster.run(&["apply", "-f", &manifest]).expect(1);
    cluster
        .run(&["apply", "-f", &manifest, "--include-managed"])
        .expect(0);
    let ran = cluster.run(&["diff", "-f", &manifest]).expect(0);
    assert_eq!((ran.out.as_str(), ran.err.as_str()), ("", ""));
}

#[tokio::test(flavor = "multi_thread")]
async fn describe_is_true_of_levels_without_several_queues() {
    let cluster = Cluster::of("1.36").await;
    let text = "\
apiVersion: flowcontrol.apiserver.k8s.io/v1
kind: PriorityLevelConfiguration
metadata: {name: one}
spec: {type: Limited, limited: {limitResponse: {type: Queue, queuing: {queues: 1, handSize: 1, queueLengthLimit: 7}}}}
---
apiVersion: flowcontrol.apiserver.k8s.io/v1
kind: FlowSchema
metadata: {name: one}
spec:
  priorityLevelConfiguration: {name: one}
  distinguisherMethod: {type: ByUser}
  rules:
  - subjects: [{kind: User, user: {name: a}}]
    resourceRules: [{verbs: [get], apiGroups: [\"\", core], resources: [pods], clusterScope: true}]
";
    let manifest = cluster.file("one.yaml", text);
    cluster.run(&["apply", "-f", &manifest]).expect(0);
    let described = ["describe", "plc/one", "fs/one", "plc/exempt"];
    let out = cluster.run(&described).expect(0).out;
    let exempt = cluster.run(&["describe", "fs/exempt"]).expect(0).out;
    assert!(exempt.contains(" one for all requests\n"), "{exempt}");
    for part in [
        "one queue of at most 7 waiting requests",
        "one per user; the priority level does not have several queues",
        "borrows all that other levels lend",
        "get of pods in groups \"\" (core), core, cluster-scoped",
        "0 of 600 (lends 0); its requests take seats without a limit",
    ] {
        assert!(out.contains(part), "{part}: {out}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_without_the_annotation_leaves_a_level_to_users() {
    let cluster = Cluster::of("1.36").await;
    let manifest = cluster.file("system.yaml", &level("v1", "system", 9));
    let lint = ["lint", "--live", "-f", &manifest];
    let ran = cluster.run(&lint).expect(1);
    assert!(ran.out.contains("error[reverted-edit]"), "{}", ran.out);
    cluster
        .run(&["tune", "system", "8", "--include-managed"])
        .expect(0);
    let ran = cluster.run(&lint).expect(0);
    assert!(!ran.out.contains("reverted-edit"), "{}", ran.out);
}
