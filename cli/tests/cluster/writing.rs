//! `set-shares`, `restore`, and the options of all writes.

use crate::cluster::{Cluster, level};
use k8s_flowcontrol::api::v1;
use k8s_flowcontrol_server::ApiServer;
use serde_json::json;

#[tokio::test(flavor = "multi_thread")]
async fn set_shares_changes_nothing_else() {
    let cluster = Cluster::of("1.31").await;
    cluster
        .level(json!({"name": "batch", "labels": {"team": "a"}}), 5, "me")
        .await;
    let before = cluster.object("plc/batch");
    let ran = cluster
        .run(&[
            "tune",
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
    let options = ["tune", "batch", "7", "--borrowing-limit-percent", "50"];
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
        .run(&["tune", "batch", "--borrowing-limit-percent", "none"])
        .expect(0);
    assert_eq!(
        cluster.object("plc/batch")["spec"]["limited"].get("borrowingLimitPercent"),
        None
    );
    cluster.run(&["tune", "batch"]).expect(2);
    cluster.run(&["tune", "batch", "-5"]).expect(2);
    let ran = cluster.run(&["tune", "batch", "+5"]).expect(2);
    assert!(
        ran.err
            .contains("shares must be between 0 and 2147483647, not +5"),
        "{}",
        ran.err
    );
    cluster.run(&["tune", "batch", "2147483648"]).expect(2);
    cluster.run(&["tune", "missing", "5"]).expect(5);
}

#[tokio::test(flavor = "multi_thread")]
async fn set_shares_takes_a_level_out_of_the_servers_care() {
    let cluster = Cluster::of("1.31").await;
    let ran = cluster.run(&["tune", "workload-low", "50"]).expect(1);
    assert!(
        ran.err.contains("is managed by the API server"),
        "{}",
        ran.err
    );
    cluster
        .run(&["tune", "workload-low", "50", "--include-managed"])
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
async fn the_level_catch_all_cannot_be_changed() {
    let cluster = Cluster::of("1.31").await;
    for option in ["--dry-run=client", "--include-managed"] {
        let ran = cluster.run(&["tune", "catch-all", "50", option]).expect(1);
        assert_eq!(ran.out, "");
        assert!(
            ran.err.contains(
                "every API server keeps its spec at a fixed value\nhint: create another priority level"
            ),
            "{}",
            ran.err
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn zero_shares_are_refused_where_they_cannot_be_said() {
    let cluster = Cluster::of("1.28").await;
    let manifest = cluster.file("batch.yaml", &level("v1beta3", "batch", 5));
    cluster.run(&["apply", "-f", &manifest]).expect(0);
    let ran = cluster.run(&["tune", "batch", "0"]).expect(4);
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
        .run(&["tune", "batch", "9", "--lendable-percent", "20"])
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

#[tokio::test(flavor = "multi_thread")]
async fn a_client_dry_run_sends_no_write() {
    let cluster = Cluster::start(ApiServer::builder().record_requests()).await;
    cluster.level(json!({"name": "batch"}), 5, "me").await;
    let manifest = cluster.file("new.yaml", &level("v1", "new", 8));
    let before = cluster.server.requests().len();
    let dry = "--dry-run=client";
    let run = |command: &[&str]| cluster.run(&[command, &[dry][..]].concat()).expect(0).out;
    assert_eq!(
        run(&["apply", "-f", &manifest]),
        "prioritylevelconfiguration/new created (dry run)\n"
    );
    assert_eq!(
        run(&["delete", "plc/batch"]),
        "prioritylevelconfiguration/batch deleted (dry run)\n"
    );
    assert_eq!(
        run(&["tune", "batch", "9"]),
        "batch: nominalConcurrencyShares: 5 -> 9 (dry run)\n"
    );
    run(&["reset", "plc/workload-low"]);
    let writes = cluster.server.requests().split_off(before);
    assert!(
        writes.iter().all(|request| request.method == "GET"),
        "{writes:?}"
    );
    // A value needs an equals sign, as in kubectl.
    let ran = cluster.run(&["delete", "--dry-run", "plc/batch"]).expect(0);
    assert!(
        ran.out.ends_with("deleted (server dry run)\n"),
        "{}",
        ran.out
    );
    let ran = cluster.run(&["delete", "plc/batch", "--dry-run=none", "-o", "name"]);
    assert_eq!(
        ran.expect(0).out,
        "prioritylevelconfiguration.flowcontrol.apiserver.k8s.io/batch\n"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn written_objects_in_kubectls_forms() {
    let cluster = Cluster::of("1.31").await;
    let manifest = cluster.file("new.yaml", &level("v1", "new", 8));
    let apply = [
        "apply",
        "-f",
        &manifest,
        "--server-side",
        "--force-conflicts",
        "-o",
    ];
    let run = |form: &str| cluster.run(&[&apply[..], &[form]].concat()).expect(0);
    assert_eq!(
        run("name").out,
        "prioritylevelconfiguration.flowcontrol.apiserver.k8s.io/new\n"
    );
    let object = run("json").json();
    assert_eq!(object["spec"]["limited"]["nominalConcurrencyShares"], 8);
    assert!(object["metadata"].get("managedFields").is_none());
    assert!(run("yaml").out.contains("nominalConcurrencyShares: 8"));
    let shares = [
        "tune",
        "plc/new",
        "9",
        "-o",
        "json",
        "--show-managed-fields",
    ];
    let object = cluster.run(&shares).expect(0).json();
    assert_eq!(object["spec"]["limited"]["nominalConcurrencyShares"], 9);
    assert!(object["metadata"]["managedFields"].is_array());
    let ran = cluster.run(&["tune", "fs/probes", "9"]).expect(2);
    assert!(
        ran.err.contains("`fs/probes` is not a priority level"),
        "{}",
        ran.err
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_changed_built_in_level_is_given_back() {
    let builder = ApiServer::builder().bootstrap_interval(std::time::Duration::from_millis(20));
    let cluster = Cluster::start(builder).await;
    let ran = cluster
        .run(&["tune", "workload-low", "200", "--include-managed"])
        .expect(0);
    assert!(
        ran.out
            .contains("workload-low: apf.kubernetes.io/autoupdate-spec: true -> false\n"),
        "{}",
        ran.out
    );
    assert!(
        ran.err
            .contains("`kubectl flowcontrol reset plc/workload-low`"),
        "{}",
        ran.err
    );
    let shares =
        |object: &serde_json::Value| object["spec"]["limited"]["nominalConcurrencyShares"].clone();
    assert_eq!(shares(&cluster.object("plc/workload-low")), 200);
    let ran = cluster.run(&["reset", "plc/workload-low"]).expect(0);
    assert_eq!(
        ran.out,
        "prioritylevelconfiguration/workload-low restored\n"
    );
    assert!(
        ran.err.contains("resets the spec within a minute"),
        "{}",
        ran.err
    );
    let low = cluster.client().api::<v1::PriorityLevelConfiguration>();
    let reset = |level: &v1::PriorityLevelConfiguration| {
        let limited = level.spec.limited.as_ref();
        limited.and_then(|limited| limited.nominal_concurrency_shares) == Some(100)
    };
    while !reset(&low.get("workload-low").await.unwrap()) {
        tokio::task::yield_now().await;
    }
    let ran = cluster.run(&["reset", "plc/workload-low"]).expect(0);
    assert_eq!(
        ran.out,
        "prioritylevelconfiguration/workload-low unchanged\n"
    );
    // A server deletes other objects that have the annotation.
    cluster.level(json!({"name": "mine"}), 5, "me").await;
    let ran = cluster.run(&["reset", "plc/mine"]).expect(1);
    assert!(ran.err.contains("is not a built-in object"), "{}", ran.err);
    cluster.run(&["reset", "plc"]).expect(2);

    let labelled = low.update_with("workload-low", |level| {
        let labels = &mut level.metadata.labels;
        labels.insert("team".to_owned(), "a".to_owned());
    });
    labelled.await.unwrap();
    let ran = cluster.run(&["reset", "all", "-l", "team=a"]).expect(0);
    assert_eq!(
        ran.out,
        "prioritylevelconfiguration/workload-low unchanged\n"
    );
    let ran = cluster.run(&["reset", "all", "-l", "team=b"]).expect(0);
    assert_eq!(
        (ran.out.as_str(), ran.err.as_str()),
        ("", "no objects found\n")
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_managed_object_is_written_with_a_warning() {
    let cluster = Cluster::of("1.31").await;
    cluster.level(json!({"name": "aks-guard"}), 5, "aks").await;
    let hint = "Azure AKS resets it unless it has the label aks-managed-skip-update-operation=true";
    let ran = cluster.run(&["tune", "aks-guard", "9"]).expect(1);
    assert!(ran.err.contains(hint), "{}", ran.err);
    let ran = cluster
        .run(&["tune", "aks-guard", "9", "--include-managed"])
        .expect(0);
    assert!(
        ran.err
            .contains("warning: PriorityLevelConfiguration \"aks-guard\": ")
            && ran.err.contains(hint),
        "{}",
        ran.err
    );
}
