//! Applying objects that the server or another tool maintains.

use crate::cluster::{Cluster, level};

#[tokio::test(flavor = "multi_thread")]
async fn a_copy_of_a_built_in_object_loses_the_annotation() {
    let cluster = Cluster::of("1.31").await;
    let copy = cluster
        .run(&["get", "plc/workload-low", "-o", "yaml"])
        .expect(0)
        .out;
    let file = cluster.file(
        "copy.yaml",
        &copy.replace("name: workload-low", "name: mine"),
    );
    let ran = cluster.run(&["apply", "-f", &file]).expect(0);
    assert!(
        ran.err
            .contains("removed the annotation apf.kubernetes.io/autoupdate-spec"),
        "{}",
        ran.err
    );
    cluster.server.run_bootstrap_pass();
    let object = cluster.object("plc/mine");
    assert_eq!(object["metadata"].get("annotations"), None);
    // The original belongs to the server: without a difference, nothing is to be written.
    let file = cluster.file("original.yaml", &copy);
    let version = || cluster.object("plc/workload-low")["metadata"]["resourceVersion"].clone();
    let before = version();
    let diff = cluster.run(&["diff", "-f", &file]).expect(0);
    assert_eq!((diff.out.as_str(), diff.err.as_str()), ("", ""));
    for option in ["--dry-run=none", "--dry-run=server", "--dry-run=client"] {
        let ran = cluster.run(&["apply", "-f", &file, option]).expect(0);
        assert!(
            ran.out
                .starts_with("prioritylevelconfiguration/workload-low unchanged"),
            "{}",
            ran.out
        );
    }
    assert_eq!(version(), before);
    let changed = copy.replace(
        "nominalConcurrencyShares: 100",
        "nominalConcurrencyShares: 99",
    );
    assert_ne!(changed, copy);
    let file = cluster.file("changed.yaml", &changed);
    let diff = cluster.run(&["diff", "-f", &file]).expect(1);
    let ran = cluster.run(&["apply", "-f", &file]).expect(1);
    for said in [diff.err, ran.err] {
        assert!(said.contains("is managed by the API server"), "{said}");
    }
    assert_eq!(version(), before);
}

/// Of an object of another manager, a file with some of its fields changes nothing; the three modes agree.
#[tokio::test(flavor = "multi_thread")]
async fn a_part_of_a_managed_object_is_unchanged() {
    let cluster = Cluster::of("1.29").await;
    let part = level("v1", "batch", 5);
    let whole = part.replacen(
        "name: batch",
        "name: batch\n  labels: {argocd.argoproj.io/instance: a}",
        1,
    );
    assert_ne!(whole, part);
    let whole = cluster.file("whole.yaml", &whole);
    let by_argo = ["--include-managed", "--field-manager=argo"];
    let apply = |file: &str, more: &[&str]| cluster.run(&[&["apply", "-f", file], more].concat());
    apply(&whole, &by_argo).expect(0);
    let part = cluster.file("part.yaml", &part);
    let other = cluster.file("other.yaml", &level("v1", "batch", 6));
    for mode in ["--dry-run=none", "--dry-run=server", "--dry-run=client"] {
        let ran = apply(&part, &[mode]).expect(0);
        assert!(ran.out.contains(" unchanged"), "{mode}: {}", ran.out);
        let ran = apply(&other, &[mode]).expect(1);
        assert!(ran.err.contains("is managed by Argo CD"), "{}", ran.err);
        // Its own manager may have applied the label that the file omits.
        let ran = apply(&part, &[&by_argo[..], &["--dry-run=client"]].concat()).expect(0);
        assert!(ran.out.contains(" configured"), "{}", ran.out);
    }
}
