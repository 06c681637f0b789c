//! `apply` and `diff`.

mod managed;
mod trouble;

use crate::cluster::{Cluster, level, managers};
use k8s_flowcontrol::api::v1;
use serde_json::json;

#[tokio::test(flavor = "multi_thread")]
async fn created_configured_unchanged() {
    let cluster = Cluster::of("1.31").await;
    let file = cluster.file("batch.yaml", &level("v1", "batch", 5));
    let ran = cluster.run(&["apply", "-f", &file, "--dry-run"]).expect(0);
    assert_eq!(
        ran.out,
        "prioritylevelconfiguration/batch created (server dry run)\n"
    );
    cluster.run(&["get", "plc/batch"]).expect(5);
    let said = |what: &str| format!("prioritylevelconfiguration/batch {what}\n");
    assert_eq!(
        cluster.run(&["apply", "-f", &file]).expect(0).out,
        said("created")
    );
    let version = cluster.object("plc/batch")["metadata"]["resourceVersion"].clone();
    assert_eq!(
        cluster.run(&["apply", "-f", &file]).expect(0).out,
        said("unchanged")
    );
    assert_eq!(
        cluster.object("plc/batch")["metadata"]["resourceVersion"],
        version
    );
    let file = cluster.file("batch.yaml", &level("v1", "batch", 6));
    let diff = cluster.run(&["diff", "-f", &file]).expect(1).out;
    assert!(
        diff.contains("-    nominalConcurrencyShares: 5\n+    nominalConcurrencyShares: 6\n"),
        "{diff}"
    );
    assert_eq!(
        cluster.run(&["apply", "-f", &file]).expect(0).out,
        said("configured")
    );
    assert_eq!(cluster.run(&["diff", "-f", &file]).expect(0).out, "");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_diff_names_the_fields_that_an_apply_would_not_write() {
    let cluster = Cluster::of("1.31").await;
    let file = cluster.file("batch.yaml", &level("v1", "batch", 5));
    let by_other = ["apply", "-f", &file, "--field-manager", "other"];
    cluster.run(&by_other).expect(0);
    let file = cluster.file("batch.yaml", &level("v1", "batch", 6));
    let diff = cluster.run(&["diff", "-f", &file]).expect(1);
    let change = "-    nominalConcurrencyShares: 5\n+    nominalConcurrencyShares: 6\n";
    assert!(diff.out.contains(change), "{}", diff.out);
    assert_eq!(
        diff.err,
        "PriorityLevelConfiguration \"batch\": conflict over spec.limited.nominalConcurrencyShares \
         (conflict with \"other\"): `apply` writes it only with `--force-conflicts`\n"
    );
    cluster.run(&["apply", "-f", &file]).expect(1);
    let forced = ["apply", "-f", &file, "--force-conflicts"];
    cluster.run(&forced).expect(0);
    let diff = cluster.run(&["diff", "-f", &file]).expect(0);
    assert_eq!((diff.out.as_str(), diff.err.as_str()), ("", ""));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_field_is_given_up_across_versions() {
    let cluster = Cluster::of("1.31").await;
    let old = cluster.file("old.yaml", &level("v1beta3", "batch", 5));
    cluster
        .run(&["apply", "-f", &old, "--api-version", "v1beta3"])
        .expect(0);
    assert_eq!(
        managers(&cluster.object("plc/batch")),
        ["kubectl-flowcontrol Apply v1beta3"]
    );
    // The shares are always written: by itself a server leaves them as they were applied in the other version.
    let shares = "    nominalConcurrencyShares: 5\n";
    let new = cluster.file("new.yaml", &level("v1", "batch", 5).replace(shares, ""));
    // The dry runs give the same result as the apply.
    let diff = cluster.run(&["diff", "-f", &new]).expect(1).out;
    assert!(
        diff.contains("-    nominalConcurrencyShares: 5\n+    nominalConcurrencyShares: 30\n"),
        "{diff}"
    );
    let ran = cluster.run(&["apply", "-f", &new, "--dry-run"]).expect(0);
    assert_eq!(
        ran.out,
        "prioritylevelconfiguration/batch configured (server dry run)\n"
    );
    let before = cluster.object("plc/batch");
    assert_eq!(before["spec"]["limited"]["nominalConcurrencyShares"], 5);
    cluster.run(&["apply", "-f", &new]).expect(0);
    let object = cluster.object("plc/batch");
    assert_eq!(managers(&object), ["kubectl-flowcontrol Apply v1"]);
    assert_eq!(object["spec"]["limited"]["nominalConcurrencyShares"], 30);
    cluster.run(&["diff", "-f", &new]).expect(0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_renamed_field_is_neither_lost_nor_owned_twice() {
    let cluster = Cluster::of("1.28").await;
    let old = cluster.file("old.yaml", &level("v1beta2", "batch", 5));
    cluster
        .run(&["apply", "-f", &old, "--api-version", "v1beta2"])
        .expect(0);
    let new = cluster.file("new.yaml", &level("v1beta3", "batch", 9));
    cluster.run(&["apply", "-f", &new]).expect(0);
    let object = cluster.object("plc/batch");
    assert_eq!(managers(&object), ["kubectl-flowcontrol Apply v1beta3"]);
    assert_eq!(object["spec"]["limited"]["nominalConcurrencyShares"], 9);
    let fields = &object["metadata"]["managedFields"][0]["fieldsV1"]["f:spec"]["f:limited"];
    assert!(
        fields.get("f:nominalConcurrencyShares").is_some(),
        "{fields}"
    );
    assert!(
        fields.get("f:assuredConcurrencyShares").is_none(),
        "{fields}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn what_kubectl_applied_is_taken_over() {
    let cluster = Cluster::of("1.31").await;
    let annotation = "kubectl.kubernetes.io/last-applied-configuration";
    let metadata =
        json!({"name": "batch", "annotations": {annotation: "{}"}, "labels": {"old": "yes"}});
    cluster
        .level(metadata, 5, "kubectl-client-side-apply")
        .await;
    // After a conflict with another manager the object is unchanged.
    let options = [
        "tune",
        "batch",
        "--lendable-percent",
        "10",
        "--field-manager",
        "other",
    ];
    cluster.run(&options).expect(0);
    let before = cluster.object("plc/batch");
    let text = level("v1", "batch", 8);
    let file = cluster.file("batch.yaml", &(text.clone() + "    lendablePercent: 20\n"));
    let ran = cluster.run(&["apply", "-f", &file]).expect(1);
    assert!(
        ran.err.contains("lendablePercent (conflict with \"other\""),
        "{}",
        ran.err
    );
    assert_eq!(cluster.object("plc/batch"), before);
    // The dry runs give the same result as the apply.
    let file = cluster.file("batch.yaml", &text);
    let diff = cluster.run(&["diff", "-f", &file]).expect(1).out;
    for line in [
        "-    old: \"yes\"",
        "-    nominalConcurrencyShares: 5",
        "+    nominalConcurrencyShares: 8",
    ] {
        assert!(diff.contains(line), "{line}: {diff}");
    }
    assert!(!diff.contains("-    lendablePercent"), "{diff}");
    cluster.run(&["apply", "-f", &file, "--dry-run"]).expect(0);
    assert_eq!(cluster.object("plc/batch"), before);
    let ran = cluster.run(&["apply", "-f", &file]).expect(0);
    assert_eq!(ran.out, "prioritylevelconfiguration/batch configured\n");
    let object = cluster.object("plc/batch");
    assert_eq!(
        managers(&object),
        ["kubectl-flowcontrol Apply v1", "other Update v1"]
    );
    assert_eq!(object["spec"]["limited"]["lendablePercent"], 10);
    assert_eq!(object["spec"]["limited"]["nominalConcurrencyShares"], 8);
    // Fields that the file omits are removed.
    assert_eq!(object["metadata"].get("labels"), None);
    assert_eq!(object["metadata"].get("annotations"), None);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_part_of_the_spec_that_kubectl_applied_and_the_file_omits_is_removed() {
    let cluster = Cluster::of("1.31").await;
    let schema: v1::FlowSchema = serde_json::from_value(json!({
        "metadata": {"name": "mine"},
        "spec": {"priorityLevelConfiguration": {"name": "exempt"}, "distinguisherMethod": {"type": "ByUser"}},
    }))
    .unwrap();
    let api = cluster.client().api::<v1::FlowSchema>();
    let create = api.create(&schema);
    create
        .field_manager("kubectl-client-side-apply")
        .await
        .unwrap();
    let file = cluster.file(
        "mine.yaml",
        "apiVersion: flowcontrol.apiserver.k8s.io/v1\nkind: FlowSchema\nmetadata: {name: mine}\nspec: {priorityLevelConfiguration: {name: exempt}}\n",
    );
    let diff = cluster.run(&["diff", "-f", &file, "--server-side"]);
    let diff = diff.expect(1).out;
    assert!(
        diff.contains("-  distinguisherMethod:\n-    type: ByUser\n"),
        "{diff}"
    );
    cluster.run(&["apply", "-f", &file]).expect(0);
    let object = cluster.object("fs/mine");
    assert_eq!(object["spec"].get("distinguisherMethod"), None);
}

#[tokio::test(flavor = "multi_thread")]
async fn conflicts_are_shown_before_they_are_forced() {
    let cluster = Cluster::of("1.31").await;
    cluster
        .level(json!({"name": "batch"}), 5, "autoscaler")
        .await;
    let file = cluster.file(
        "all.yaml",
        &format!(
            "{}---\n{}",
            level("v1", "batch", 8),
            level("v1", "other", 8)
        ),
    );
    let ran = cluster.run(&["apply", "-f", &file]).expect(1);
    assert!(
        ran.err
            .contains("spec.limited.nominalConcurrencyShares (conflict with \"autoscaler\""),
        "{}",
        ran.err
    );
    assert!(
        ran.err
            .contains("use `--force-conflicts` to take over these fields"),
        "{}",
        ran.err
    );
    // Only that object is left as it was.
    assert_eq!(ran.out, "prioritylevelconfiguration/other created\n");
    assert_eq!(
        cluster.object("plc/batch")["spec"]["limited"]["nominalConcurrencyShares"],
        5
    );
    cluster
        .run(&["apply", "-f", &file, "--force-conflicts"])
        .expect(0);
    assert_eq!(
        cluster.object("plc/batch")["spec"]["limited"]["nominalConcurrencyShares"],
        8
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_no_longer_in_the_files_is_pruned() {
    let cluster = Cluster::of("1.31").await;
    let labelled =
        |name: &str| level("v1", name, 5).replace("spec:", "  labels:\n    part: x\nspec:");
    cluster.file("manifests/a.yaml", &labelled("a"));
    cluster.file("manifests/b.yaml", &labelled("b"));
    let folder = cluster.folder.path("manifests");
    cluster.run(&["apply", "-f", &folder]).expect(0);
    // An object of another owner, with the same label.
    cluster
        .level(json!({"name": "c", "labels": {"part": "x"}}), 5, "other")
        .await;
    std::fs::remove_file(cluster.folder.path("manifests/b.yaml")).unwrap();
    let prune = ["apply", "-f", &folder, "--prune", "-l", "part=x"];
    let ran = cluster
        .run(&[&prune[..], &["--dry-run"]].concat())
        .expect(0);
    assert!(
        ran.out
            .contains("prioritylevelconfiguration/b pruned (server dry run)"),
        "{}",
        ran.out
    );
    cluster.object("plc/b");
    let ran = cluster.run(&prune).expect(0);
    assert!(
        ran.out.contains("prioritylevelconfiguration/b pruned\n"),
        "{}",
        ran.out
    );
    cluster.run(&["get", "plc/b"]).expect(5);
    cluster.object("plc/a");
    cluster.object("plc/c");
    cluster.run(&["apply", "-f", &folder, "--prune"]).expect(2);
    cluster
        .run(&["apply", "-f", &folder, "--prune", "-l", ""])
        .expect(2);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_apply_after_set_shares_is_no_conflict() {
    let cluster = Cluster::of("1.31").await;
    let file = cluster.file("batch.yaml", &level("v1", "batch", 5));
    cluster.run(&["apply", "-f", &file]).expect(0);
    let options = ["tune", "batch", "9", "--lendable-percent", "10"];
    cluster.run(&options).expect(0);
    let shares = || cluster.object("plc/batch")["spec"]["limited"].clone();
    cluster.run(&["apply", "-f", &file, "--dry-run"]).expect(0);
    assert_eq!(shares()["nominalConcurrencyShares"], 9);
    cluster.run(&["apply", "-f", &file]).expect(0);
    assert_eq!(shares()["nominalConcurrencyShares"], 5);
    // The file omits this field, so it stays.
    assert_eq!(shares()["lendablePercent"], 10);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_diff_as_a_comment() {
    let cluster = Cluster::of("1.31").await;
    let file = cluster.file("new.yaml", &level("v1", "new", 5));
    let ran = cluster
        .run(&["diff", "-f", &file, "--comment", "markdown"])
        .expect(1);
    let text = ran.out;
    assert!(
        text.starts_with("### Changes of flow-control objects\n"),
        "{text}"
    );
    assert!(
        text.contains("| prioritylevelconfiguration/new | new |\n"),
        "{text}"
    );
    assert!(
        text.contains("<details><summary>Details</summary>\n\n```diff\n--- "),
        "{text}"
    );
    assert!(text.ends_with("```\n\n</details>\n"), "{text}");
    cluster.run(&["apply", "-f", &file]).expect(0);
    let ran = cluster
        .run(&["diff", "-f", &file, "--comment", "markdown"])
        .expect(0);
    assert!(
        ran.out.ends_with("No changes and no findings.\n"),
        "{}",
        ran.out
    );
}
