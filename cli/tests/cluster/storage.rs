//! `rewrite-storage`, and the way back.

use crate::cluster::{Cluster, level, managers};
use k8s_flowcontrol_server::ApiServer;

/// A cluster of 1.31 whose own object was written in 1.28.
async fn upgraded() -> Cluster {
    let cluster = Cluster::start(ApiServer::builder().kubernetes("1.28").bootstrap(false)).await;
    let file = cluster.file("old.yaml", &level("v1beta2", "batch", 5));
    cluster
        .run(&[
            "apply",
            "-f",
            &file,
            "--api-version",
            "v1beta2",
            "--field-manager",
            "team-a",
        ])
        .expect(0);
    cluster.server.upgrade("1.31").await.unwrap();
    cluster
}

#[tokio::test(flavor = "multi_thread")]
async fn objects_are_stored_anew() {
    let cluster = upgraded().await;
    let before = cluster.object("plc/batch");
    let ran = cluster.run(&["rewrite-storage", "--dry-run"]).expect(0);
    assert!(ran.out.starts_with("prioritylevelconfiguration/batch would be rewritten; managedFields entries dropped: team-a (flowcontrol.apiserver.k8s.io/v1beta2, "), "{}", ran.out);
    assert!(
        ran.err.contains("stored in v1 (storageVersionHash "),
        "{}",
        ran.err
    );
    assert!(
        ran.err
            .contains("Kubernetes older than 1.29 cannot read objects stored in v1"),
        "{}",
        ran.err
    );
    assert_eq!(cluster.object("plc/batch"), before);

    cluster.run(&["rewrite-storage"]).expect(2);
    let backup = cluster.folder.path("before.yaml");
    let ran = cluster
        .run(&["rewrite-storage", "--backup", &backup])
        .expect(0);
    assert!(
        ran.out
            .contains("rewritten; managedFields entries dropped: team-a"),
        "{}",
        ran.out
    );
    assert!(
        ran.err
            .contains("1 object written, 1 of them changed in storage, 0 not written"),
        "{}",
        ran.err
    );
    let after = cluster.object("plc/batch");
    assert_eq!(after["spec"], before["spec"]);
    assert!(
        !managers(&after)
            .iter()
            .any(|entry| entry.contains("v1beta2"))
    );
    // An older server cannot read it now, which shows that it is stored in v1.
    cluster.server.upgrade("1.28").await.unwrap();
    cluster.run(&["get", "plc/batch"]).expect(5);
    cluster.server.upgrade("1.31").await.unwrap();

    // Again, to another file: the first backup is not overwritten.
    let ran = cluster
        .run(&["rewrite-storage", "--backup", &backup])
        .expect(3);
    assert!(ran.err.contains("name another file"), "{}", ran.err);
    let second = cluster.folder.path("second.yaml");
    let ran = cluster
        .run(&["rewrite-storage", "--backup", &second])
        .expect(0);
    assert!(
        ran.out.contains("already in the storage version"),
        "{}",
        ran.out
    );
    assert!(
        ran.err.contains("0 of them changed in storage"),
        "{}",
        ran.err
    );
    assert_eq!(cluster.object("plc/batch"), after);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_backup_restores_what_was() {
    let cluster = upgraded().await;
    let before = cluster.object("plc/batch");
    let backup = cluster.folder.path("before.yaml");
    cluster
        .run(&["rewrite-storage", "--backup", &backup])
        .expect(0);
    cluster.run(&["tune", "batch", "50"]).expect(0);
    cluster
        .run(&["apply", "-f", &backup, "--force-conflicts"])
        .expect(0);
    assert_eq!(cluster.object("plc/batch")["spec"], before["spec"]);
    cluster.run(&["delete", "plc/batch"]).expect(0);
    cluster.run(&["apply", "-f", &backup]).expect(0);
    assert_eq!(cluster.object("plc/batch")["spec"], before["spec"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_backup_goes_back_to_an_older_cluster() {
    let cluster = upgraded().await;
    let backup = cluster.folder.path("before.yaml");
    cluster
        .run(&["rewrite-storage", "--backup", &backup])
        .expect(0);
    // A control plane that is set up again as what it was.
    let older = Cluster::start(ApiServer::builder().kubernetes("1.25").bootstrap(false)).await;
    let ran = older.run(&["apply", "-f", &backup]).expect(0);
    assert_eq!(ran.out, "prioritylevelconfiguration/batch created\n");
    let spec = &older.object("plc/batch")["spec"];
    assert_eq!(spec["limited"]["assuredConcurrencyShares"], 5);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_belongs_to_someone_is_left_alone() {
    let cluster = Cluster::of("1.31").await;
    let ran = cluster.run(&["rewrite-storage", "--dry-run"]).expect(1);
    assert!(
        ran.err.contains("is managed by the API server"),
        "{}",
        ran.err
    );
    assert_eq!(
        ran.err.matches("--include-managed").count(),
        1,
        "{}",
        ran.err
    );
    assert_eq!(ran.out, "");
    let ran = cluster
        .run(&["rewrite-storage", "--dry-run", "--include-managed"])
        .expect(0);
    assert!(
        ran.out.contains("flowschema/probes would be rewritten"),
        "{}",
        ran.out
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_dry_run_writes_no_backup() {
    let cluster = Cluster::of("1.31").await;
    let backup = cluster.folder.path("dry.yaml");
    let ran = cluster
        .run(&[
            "rewrite-storage",
            "--dry-run",
            "--backup",
            &backup,
            "--include-managed",
        ])
        .expect(0);
    assert!(ran.err.contains("would save 21 objects in "), "{}", ran.err);
    assert!(!std::path::Path::new(&backup).exists());
    cluster
        .run(&["rewrite-storage", "--backup", &backup, "--include-managed"])
        .expect(0);
    assert!(std::path::Path::new(&backup).exists());
}
