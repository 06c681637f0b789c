//! `delete`.

use crate::cluster::{Cluster, level};
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
    assert!(ran.err.contains("1 object not deleted"), "{}", ran.err);
    cluster.run(&["get", "plc/mine"]).expect(5);

    let ran = cluster.run(&["delete", "plc/workload-low"]).expect(1);
    assert!(
        ran.err.contains("is managed by the API server"),
        "{}",
        ran.err
    );
    // One hint for all objects.
    let ran = cluster.run(&["delete", "fs", "--all", "--force"]).expect(1);
    assert!(ran.err.matches("error:").count() > 5, "{}", ran.err);
    assert_eq!(ran.err.matches("hint:").count(), 1, "{}", ran.err);
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
    let others = cluster.file("others.yaml", "apiVersion: v1\nkind: ConfigMap\n");
    let ran = cluster.run(&["delete", "-f", &others]).expect(3);
    assert!(
        ran.err.contains("no objects passed to delete"),
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
    // An empty selector, as of an unset variable in a script, selects nothing.
    for selector in ["", " "] {
        let ran = cluster.run(&["delete", "plc", "-l", selector]).expect(2);
        assert!(ran.err.contains("no name was specified"), "{}", ran.err);
        cluster.run(&["delete", "-l", selector]).expect(2);
    }
    let ran = cluster.run(&["delete", "plc", "mine", "-l", "", "--dry-run", "-o", "name"]);
    let name = "prioritylevelconfiguration.flowcontrol.apiserver.k8s.io/mine\n";
    assert_eq!(ran.expect(0).out, name);
    // Without a terminal the command cannot ask.
    let ran = cluster.run(&["delete", "plc", "--all"]).expect(2);
    assert!(
        ran.err.contains("`--all` would delete 1 object"),
        "{}",
        ran.err
    );
    cluster.run(&["delete", "--all", "--force"]).expect(2);
    cluster
        .run(&["delete", "plc/mine", "--all", "--force"])
        .expect(2);
    cluster
        .run(&["delete", "plc", "--all", "--force", "-l", "team=a"])
        .expect(2);
    cluster.object("plc/mine");
    // Managed objects stay: exit code 1.
    let ran = cluster
        .run(&["delete", "plc", "--all", "--dry-run"])
        .expect(1);
    let deleted = "prioritylevelconfiguration/mine deleted";
    assert_eq!(ran.out, format!("{deleted} (server dry run)\n"));
    let ran = cluster
        .run(&["delete", "plc", "--all", "--force"])
        .expect(1);
    assert_eq!(ran.out, format!("{deleted}\n"));
}

#[tokio::test(flavor = "multi_thread")]
async fn broken_references_need_a_yes() {
    let cluster = Cluster::of("1.31").await;
    cluster.level(json!({"name": "mine"}), 5, "me").await;
    let schema = |level: &str| {
        format!(
            "apiVersion: flowcontrol.apiserver.k8s.io/v1\nkind: FlowSchema\nmetadata:\n  name: of-{level}\nspec:\n  matchingPrecedence: 900\n  priorityLevelConfiguration:\n    name: {level}\n"
        )
    };
    let file = cluster.file("mine.yaml", &schema("mine"));
    cluster.run(&["apply", "-f", &file]).expect(0);
    let ran = cluster.run(&["delete", "plc/mine"]).expect(2);
    let warning = "warning: flowschema/of-mine refers to mine\n";
    assert!(ran.err.starts_with(warning), "{}", ran.err);
    assert!(ran.err.contains("nothing was deleted"), "{}", ran.err);
    cluster.run(&["get", "plc/mine"]).expect(0);
    cluster.run(&["delete", "plc/mine", "--dry-run"]).expect(0);
    cluster.run(&["delete", "plc/mine", "--force"]).expect(0);

    let file = cluster.file("gone.yaml", &schema("gone"));
    let ran = cluster.run(&["apply", "-f", &file]).expect(2);
    let warning =
        "warning: flowschema/of-gone refers to the priority level gone, which does not exist\n";
    assert!(ran.err.starts_with(warning), "{}", ran.err);
    cluster.run(&["get", "fs/of-gone"]).expect(5);
    cluster.run(&["apply", "-f", &file, "--force"]).expect(0);
    let table = cluster.run(&["get", "fs"]).expect(0).out;
    let row = table
        .lines()
        .find(|line| line.starts_with("of-gone"))
        .unwrap();
    assert!(
        table.starts_with("NAME") && table.contains("MISSINGPL"),
        "{table}"
    );
    assert!(row.contains("True"), "{table}");
    // The order of the server: the lowest precedence first.
    let at = |name: &str| table.find(&format!("\n{name} ")).unwrap();
    assert!(
        at("probes") < at("of-gone") && at("of-gone") < at("service-accounts"),
        "{table}"
    );
    let by_name = cluster.run(&["get", "fs", "--sort-by", "{.metadata.name}"]);
    let by_name = by_name.expect(0).out;
    assert!(
        by_name.find("\ncatch-all ") < by_name.find("\nprobes "),
        "{by_name}"
    );
    let misspelt = cluster.run(&["get", "fs", "--sort-by", ".metadata.nme"]);
    let misspelt = misspelt.expect(2).err;
    assert!(
        misspelt.contains("no object has the field `metadata.nme`"),
        "{misspelt}"
    );
    let ran = cluster.run(&["get", "plc", "fs"]).expect(5);
    assert!(
        ran.err.contains("hint: `plc,fs` names both kinds"),
        "{}",
        ran.err
    );
    // The hint is that of the command.
    let ran = cluster
        .run(&["delete", "plc/workload-high", "--force"])
        .expect(1);
    assert!(ran.err.contains("not deleted\nhint: `--include-managed` deletes managed objects; the API server creates the built-in objects of its release again"), "{}", ran.err);
    let ran = cluster
        .run(&["apply", "-f", &file, "--field-manager", ""])
        .expect(2);
    assert!(
        ran.err.contains("a field manager has a name"),
        "{}",
        ran.err
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn an_object_with_finalizers_is_named() {
    let cluster = Cluster::of("1.31").await;
    let metadata = json!({"name": "mine", "finalizers": ["example.com/a", "example.com/b"]});
    cluster.level(metadata, 5, "me").await;
    let ran = cluster.run(&["delete", "plc/mine"]).expect(0);
    assert_eq!(ran.out, "prioritylevelconfiguration/mine deleted\n");
    let kept = "prioritylevelconfiguration/mine exists until its finalizers are removed: example.com/a, example.com/b\n";
    assert_eq!(ran.err, kept);
    let object = cluster.object("plc/mine");
    assert!(object["metadata"]["deletionTimestamp"].is_string());
}
