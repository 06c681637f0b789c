//! Applying what is lost, invalid or empty.

use crate::cluster::{Cluster, level};
use crate::common::run;
use k8s_flowcontrol::api::v1;

#[tokio::test(flavor = "multi_thread")]
async fn what_the_cluster_cannot_say_is_a_loss() {
    let cluster = Cluster::of("1.28").await;
    let file = cluster.file("zero.yaml", &level("v1", "batch", 0));
    let ran = cluster.run(&["apply", "-f", &file]).expect(4);
    assert!(ran.err.contains("--allow-loss"), "{}", ran.err);
    cluster.run(&["get", "plc/batch"]).expect(5);
    cluster
        .run(&["apply", "-f", &file, "--allow-loss"])
        .expect(0);
    cluster.object("plc/batch");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_object_that_the_server_refuses() {
    let cluster = Cluster::of("1.31").await;
    let file = cluster.file(
        "bad.yaml",
        &level("v1", "batch", 5).replace("type: Reject", "type: Maybe"),
    );
    let ran = cluster.run(&["apply", "-f", &file]).expect(5);
    assert!(
        ran.err.contains("spec.limited.limitResponse.type"),
        "{}",
        ran.err
    );
    // The server names the field, and not its line.
    let file = cluster.file(
        "misspelt.yaml",
        &level("v1", "batch", 5).replace("limitResponse:", "limitedResponse:"),
    );
    let ran = cluster.run(&["apply", "-f", &file]).expect(5);
    assert!(
        ran.err.contains("kubectl flowcontrol validate -f FILE"),
        "{}",
        ran.err
    );
    let missing = cluster
        .client()
        .api::<v1::PriorityLevelConfiguration>()
        .get("batch")
        .await;
    assert!(missing.unwrap_err().is_not_found());
    cluster.run(&["apply", "-f", "missing.yaml"]).expect(3);
    cluster.run(&["apply"]).expect(2);
}

#[tokio::test(flavor = "multi_thread")]
async fn one_bad_object_does_not_stop_the_others() {
    let cluster = Cluster::of("1.31").await;
    let bad = |name: &str| level("v1", name, 5).replace("type: Reject", "type: Maybe");
    let text = [bad("a"), level("v1", "b", 5), bad("c"), level("v1", "d", 5)].join("---\n");
    let file = cluster.file("all.yaml", &text);
    let ran = cluster.run(&["apply", "-f", &file]).expect(5);
    assert_eq!(
        ran.out,
        "prioritylevelconfiguration/b created\nprioritylevelconfiguration/d created\n"
    );
    for name in ["a", "c"] {
        let title = format!("PriorityLevelConfiguration \"{name}\": ");
        assert!(ran.err.contains(&title), "{}", ran.err);
    }
    assert!(ran.err.contains("2 objects not changed"), "{}", ran.err);
    // After an error nothing is pruned.
    let labelled = level("v1", "b", 5).replace("spec:", "  labels:\n    part: x\nspec:");
    let file = cluster.file("labelled.yaml", &labelled);
    cluster.run(&["apply", "-f", &file]).expect(0);
    let file = cluster.file("bad.yaml", &bad("a"));
    let ran = cluster
        .run(&["apply", "-f", &file, "--prune", "-l", "part=x"])
        .expect(5);
    assert!(ran.err.contains("nothing was pruned"), "{}", ran.err);
    cluster.object("plc/b");
}

#[tokio::test(flavor = "multi_thread")]
async fn empty_input_is_an_error() {
    let cluster = Cluster::of("1.31").await;
    let labelled = level("v1", "batch", 5).replace("spec:", "  labels:\n    part: x\nspec:");
    let file = cluster.file("batch.yaml", &labelled);
    cluster.run(&["apply", "-f", &file]).expect(0);
    for text in ["", "---\n", "# nothing\n"] {
        let empty = cluster.file("empty.yaml", text);
        for command in ["apply", "diff"] {
            cluster.run(&[command, "-f", &empty]).expect(3);
        }
        for command in ["validate", "lint"] {
            let ran = run(&[command, "-f", &empty]);
            assert!(!ran.status.success(), "{command}: {ran:?}");
        }
    }
    let other = cluster.file(
        "other.yaml",
        "apiVersion: v1\nkind: Namespace\nmetadata:\n  name: a\n",
    );
    let ran = cluster
        .run(&["apply", "-f", &other, "--prune", "-l", "part=x"])
        .expect(3);
    assert!(
        ran.err.contains("no objects passed to apply"),
        "{}",
        ran.err
    );
    cluster.object("plc/batch");
    // A folder without any document.
    cluster.file("folder/empty.yaml", "");
    let folder = cluster.folder.path("folder");
    for command in ["apply", "diff"] {
        let ran = cluster.run(&[command, "-f", &folder]).expect(3);
        let message = format!("no objects passed to {command}");
        assert!(ran.err.contains(&message), "{}", ran.err);
    }
    for command in ["validate", "lint"] {
        let ran = run(&[command, "-f", &folder]);
        assert_eq!(ran.status.code(), Some(3), "{command}: {ran:?}");
    }
}
