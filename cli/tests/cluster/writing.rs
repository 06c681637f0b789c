//! `delete` and `set-shares`.

use crate::{Cluster, level};
use serde_json::json;

#[tokio::test(flavor = "multi_thread")]
async fn delete_leaves_what_belongs_to_someone() {
    let cluster = Cluster::of("1.31").await;
    let helm =
        json!({"name": "chart", "labels": {"app.kubernetes.io/managed-by": "Helm", "team": "a"}});
    cluster.level(helm, 5, "helm").await;
    cluster
        .level(json!({"name": "mine", "labels": {"team": "a"}}), 5, "me")
        .await;

    let ran = cluster
        .run(&["delete", "all", "-l", "team=a", "--dry-run"])
        .expect(1);
    assert_eq!(
        ran.out,
        "prioritylevelconfiguration/mine deleted (server dry run)\n"
    );
    cluster.object("plc/mine");

    let ran = cluster.run(&["delete", "all", "-l", "team=a"]).expect(1);
    assert_eq!(ran.out, "prioritylevelconfiguration/mine deleted\n");
    assert!(ran.err.contains("PriorityLevelConfiguration \"chart\" is managed by Helm (app.kubernetes.io/managed-by: Helm)"), "{}", ran.err);
    assert!(
        ran.err.contains("1 managed object not deleted"),
        "{}",
        ran.err
    );
    cluster.run(&["get", "plc/mine"]).expect(5);

    let ran = cluster.run(&["delete", "plc/workload-low"]).expect(1);
    assert!(
        ran.err.contains("is managed by the API server"),
        "{}",
        ran.err
    );
    cluster
        .run(&["delete", "plc/chart", "--include-managed"])
        .expect(0);
    cluster.run(&["get", "plc/chart"]).expect(5);
}

#[tokio::test(flavor = "multi_thread")]
async fn delete_what_files_name() {
    let cluster = Cluster::of("1.31").await;
    cluster.level(json!({"name": "mine"}), 5, "me").await;
    // In whatever version, with documents of other kinds between.
    let text = format!(
        "{}---\napiVersion: v1\nkind: ConfigMap\n---\n{}",
        level("v1beta1", "mine", 3),
        level("v1beta1", "absent", 3)
    );
    let file = cluster.file("all.yaml", &text);
    let ran = cluster.run(&["delete", "-f", &file]).expect(5);
    assert!(ran.err.contains("\"absent\" not found"), "{}", ran.err);
    // The other object is deleted all the same.
    assert_eq!(ran.out, "prioritylevelconfiguration/mine deleted\n");
    cluster.level(json!({"name": "mine"}), 5, "me").await;
    let ran = cluster
        .run(&["delete", "-f", &file, "--ignore-not-found"])
        .expect(0);
    assert_eq!(ran.out, "prioritylevelconfiguration/mine deleted\n");
    assert!(
        ran.err.contains("skipped 1 document of other kinds"),
        "{}",
        ran.err
    );
    cluster.run(&["delete"]).expect(2);
    cluster.run(&["delete", "plc/mine", "-f", &file]).expect(2);
    cluster.level(json!({"name": "mine"}), 5, "me").await;
    let ran = cluster
        .run(&["delete", "plc", "absent", "mine", "missing"])
        .expect(5);
    assert_eq!(ran.out, "prioritylevelconfiguration/mine deleted\n");
    for name in ["absent", "missing"] {
        assert!(
            ran.err.contains(&format!("\"{name}\" not found")),
            "{}",
            ran.err
        );
    }
    cluster
        .run(&["delete", "plc", "absent", "--ignore-not-found"])
        .expect(0);
}

#[tokio::test(flavor = "multi_thread")]
async fn delete_without_names_needs_all_and_yes() {
    let cluster = Cluster::of("1.31").await;
    cluster.level(json!({"name": "mine"}), 5, "me").await;
    for kinds in ["plc", "all", "fs,plc"] {
        let ran = cluster.run(&["delete", kinds]).expect(2);
        assert!(
            ran.err
                .contains("resource(s) were provided, but no name was specified"),
            "{}",
            ran.err
        );
    }
    // Without a terminal there is nobody to ask.
    let ran = cluster.run(&["delete", "plc", "--all"]).expect(2);
    assert!(
        ran.err.contains("`--all` would delete 1 object"),
        "{}",
        ran.err
    );
    cluster.run(&["delete", "--all", "--yes"]).expect(2);
    cluster
        .run(&["delete", "plc/mine", "--all", "--yes"])
        .expect(2);
    cluster
        .run(&["delete", "plc", "--all", "--yes", "-l", "team=a"])
        .expect(2);
    cluster.object("plc/mine");
    // Managed objects stay: exit code 1.
    let ran = cluster
        .run(&["delete", "plc", "--all", "--dry-run"])
        .expect(1);
    let deleted = "prioritylevelconfiguration/mine deleted";
    assert_eq!(ran.out, format!("{deleted} (server dry run)\n"));
    let ran = cluster.run(&["delete", "plc", "--all", "--yes"]).expect(1);
    assert_eq!(ran.out, format!("{deleted}\n"));
}

#[tokio::test(flavor = "multi_thread")]
async fn set_shares_changes_nothing_else() {
    let cluster = Cluster::of("1.31").await;
    cluster
        .level(json!({"name": "batch", "labels": {"team": "a"}}), 5, "me")
        .await;
    let before = cluster.object("plc/batch");
    let ran = cluster
        .run(&[
            "set-shares",
            "batch",
            "7",
            "--lendable-percent",
            "30",
            "--dry-run",
        ])
        .expect(0);
    assert!(
        ran.out
            .contains("batch: nominalConcurrencyShares: 5 -> 7 (server dry run)"),
        "{}",
        ran.out
    );
    assert_eq!(cluster.object("plc/batch"), before);
    let options = [
        "set-shares",
        "batch",
        "7",
        "--borrowing-limit-percent",
        "50",
    ];
    let ran = cluster.run(&options).expect(0);
    assert!(
        ran.out.contains("batch: borrowingLimitPercent: none -> 50"),
        "{}",
        ran.out
    );
    let after = cluster.object("plc/batch");
    let mut expected = before["spec"].clone();
    expected["limited"]["nominalConcurrencyShares"] = 7.into();
    expected["limited"]["borrowingLimitPercent"] = 50.into();
    assert_eq!(after["spec"], expected);
    assert_eq!(after["metadata"]["labels"], before["metadata"]["labels"]);
    let ran = cluster.run(&options).expect(0);
    assert_eq!(ran.out, "batch: unchanged\n");
    cluster
        .run(&["set-shares", "batch", "--borrowing-limit-percent", "none"])
        .expect(0);
    assert_eq!(
        cluster.object("plc/batch")["spec"]["limited"].get("borrowingLimitPercent"),
        None
    );
    cluster.run(&["set-shares", "batch"]).expect(2);
    cluster.run(&["set-shares", "batch", "-5"]).expect(2);
    let ran = cluster.run(&["set-shares", "batch", "+5"]).expect(2);
    assert!(
        ran.err
            .contains("shares must be between 0 and 2147483647, not +5"),
        "{}",
        ran.err
    );
    cluster
        .run(&["set-shares", "batch", "2147483648"])
        .expect(2);
    cluster.run(&["set-shares", "missing", "5"]).expect(5);
}

#[tokio::test(flavor = "multi_thread")]
async fn set_shares_takes_a_level_out_of_the_servers_care() {
    let cluster = Cluster::of("1.31").await;
    let ran = cluster.run(&["set-shares", "workload-low", "50"]).expect(1);
    assert!(
        ran.err.contains("is managed by the API server"),
        "{}",
        ran.err
    );
    cluster
        .run(&["set-shares", "workload-low", "50", "--include-managed"])
        .expect(0);
    cluster.server.run_bootstrap_pass();
    let object = cluster.object("plc/workload-low");
    assert_eq!(object["spec"]["limited"]["nominalConcurrencyShares"], 50);
    assert_eq!(
        object["metadata"]["annotations"]["apf.kubernetes.io/autoupdate-spec"],
        "false"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn zero_shares_are_refused_where_they_cannot_be_said() {
    let cluster = Cluster::of("1.28").await;
    let manifest = cluster.file("batch.yaml", &level("v1beta3", "batch", 5));
    cluster.run(&["apply", "-f", &manifest]).expect(0);
    let ran = cluster.run(&["set-shares", "batch", "0"]).expect(4);
    assert!(ran.err.contains("the level would get 30"), "{}", ran.err);
    assert_eq!(
        cluster.object("plc/batch")["spec"]["limited"]["nominalConcurrencyShares"],
        5
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_field_that_an_old_server_drops_is_a_loss() {
    let cluster = Cluster::of("1.25").await;
    let manifest = cluster.file("batch.yaml", &level("v1beta2", "batch", 5));
    cluster.run(&["apply", "-f", &manifest]).expect(0);
    let ran = cluster
        .run(&["set-shares", "batch", "9", "--lendable-percent", "20"])
        .expect(4);
    let dropped = "dropped them: spec.limited.lendablePercent";
    assert!(ran.err.contains(dropped), "{}", ran.err);
    assert!(
        ran.out.contains("assuredConcurrencyShares: 5 -> 9"),
        "{}",
        ran.out
    );
    let lending = level("v1beta2", "batch", 5) + "    lendablePercent: 20\n";
    let manifest = cluster.file("lending.yaml", &lending);
    let ran = cluster.run(&["apply", "-f", &manifest]).expect(4);
    assert!(ran.err.contains("lendablePercent"), "{}", ran.err);
    let ran = cluster
        .run(&["apply", "-f", &manifest, "--allow-loss"])
        .expect(0);
    assert!(ran.err.contains("lendablePercent"), "{}", ran.err);
}
