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
        &[
            "plan",
            "--from-release",
            "1.28",
            "--to-release",
            "1.32",
            "a b.yaml",
        ],
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
kubectl flowcontrol migrate --to-version v1beta3 --kubernetes 1.28 --write 'a b.yaml'

# on Kubernetes 1.29, before 1.32
kubectl flowcontrol migrate --to-version v1 --kubernetes 1.29 --write 'a b.yaml'
";
    assert_eq!(ran.out, expected);
    let ran = run(
        &folder,
        &[
            "plan",
            "--from-release",
            "1.28",
            "--to-release",
            "1.32",
            "-o",
            "json",
            ".",
        ],
    );
    let plan: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(plan["schemaVersion"], 1);
    assert_eq!(plan["stages"][0]["steps"][0]["files"][0], "./a b.yaml");
    assert_eq!(plan["files"][0]["steps"][1]["before"], "1.32");
}

/// The commands of a plan, without comments.
fn commands(out: &str) -> Vec<&str> {
    let lines = out.lines();
    lines.filter(|line| line.starts_with("kubectl ")).collect()
}

#[test]
fn commands_name_whole_folders_where_they_change_nothing_else() {
    let folder = folder("plan-folders");
    let write = |path: &str, text: &str| {
        fs::create_dir_all(folder.join(path).parent().unwrap()).unwrap();
        fs::write(folder.join(path), text).unwrap();
    };
    write("m/old/a.yaml", &level("a"));
    write("m/old/deep/b.yaml", &level("b"));
    write("m/mixed/c.yaml", &level("c"));
    write("m/mixed/it's.yaml", &level("d"));
    write("m/mixed/e.yaml", &super::migrated(&level("e")));
    let foreign = level("f").replace("assured", "nominal");
    write("m/foreign/f.yaml", &foreign);
    let plan = ["plan", "--from-release", "1.27", "--to-release", "1.28"];
    let ran = run(&folder, &[&plan[..], &["m"]].concat());
    // v1beta2 is served by both releases.
    assert_eq!(commands(&ran.out), Vec::<&str>::new(), "{}", ran.out);
    let plan = ["plan", "--from-release", "1.28", "--to-release", "1.29"];
    let ran = run(&folder, &[&plan[..], &["m"]].concat());
    assert_eq!(ran.code, 0, "{ran:?}");
    let expected = [
        "kubectl flowcontrol migrate --to-version v1beta3 --kubernetes 1.28 --write m/mixed/c.yaml 'm/mixed/it'\\''s.yaml'",
        "kubectl flowcontrol migrate --to-version v1beta3 --kubernetes 1.28 --write m/old",
        "kubectl flowcontrol migrate --to-version v1beta3 --kubernetes 1.28 --write --foreign-fields live m/foreign",
    ];
    assert_eq!(commands(&ran.out), expected, "{}", ran.out);
    assert!(
        ran.out
            .contains("needs --foreign-fields live or --foreign-fields file"),
        "{}",
        ran.out
    );
    // Pasted into a shell, they do what the plan says.
    let program = std::path::Path::new(env!("CARGO_BIN_EXE_kubectl-flowcontrol"));
    let script = format!(
        "set -e\nkubectl() {{ shift; '{}' \"$@\"; }}\n{}",
        program.display(),
        ran.out[ran.out.find("\n#").unwrap()..].to_owned()
    );
    let pasted = std::process::Command::new("sh")
        .args(["-c", &script])
        .current_dir(&folder)
        .output()
        .unwrap();
    assert!(pasted.status.success(), "{pasted:?}");
    let ran = run(&folder, &[&plan[..], &["m"]].concat());
    assert_eq!(commands(&ran.out), Vec::<&str>::new(), "{}", ran.out);
    let kept = fs::read_to_string(folder.join("m/mixed/e.yaml")).unwrap();
    assert_eq!(kept, super::migrated(&level("e")));
    // Without v1 in it the whole folder goes in one command.
    fs::remove_dir_all(folder.join("m")).unwrap();
    write("m/old/a.yaml", &level("a"));
    write("m/b.yaml", &level("b"));
    let ran = run(&folder, &[&plan[..], &["m"]].concat());
    assert_eq!(
        commands(&ran.out),
        ["kubectl flowcontrol migrate --to-version v1beta3 --kubernetes 1.28 --write m"]
    );
}

#[test]
fn removed_metrics_are_found_and_renamed_on_request() {
    let folder = folder("plan-metrics");
    let text =
        "groups:\n- rules:\n  - expr: sum(apiserver_flowcontrol_request_concurrency_in_use)\n";
    fs::write(folder.join("rules.yaml"), text).unwrap();
    let ran = run(
        &folder,
        &[
            "plan",
            "--from-release",
            "1.32",
            "--to-release",
            "1.37",
            ".",
        ],
    );
    assert!(ran.out.contains("./rules.yaml"), "{}", ran.out);
    assert!(ran.out.contains("1 place by hand"), "{}", ran.out);
    let ran = run(
        &folder,
        &[
            "plan",
            "--from-release",
            "1.32",
            "--to-release",
            "1.36",
            ".",
        ],
    );
    assert!(!ran.out.contains("rules.yaml"), "{}", ran.out);
    assert_eq!(run(&folder, &["migrate", ".", "--check"]).code, 0);
    let ran = run(&folder, &["migrate", ".", "--rename-metrics", "--write"]);
    assert_eq!(ran.out, "./rules.yaml\n", "{}", ran.err);
    let new = fs::read_to_string(folder.join("rules.yaml")).unwrap();
    assert!(
        new.contains("sum(apiserver_flowcontrol_current_executing_seats)"),
        "{new}"
    );
}

#[test]
fn a_plan_selects_and_explains_files_as_a_migration_does() {
    let folder = folder("plan-selection");
    for path in ["a.yaml", "tests/b.yaml", "vendor/c.yaml"] {
        fs::create_dir_all(folder.join(path).parent().unwrap()).unwrap();
        fs::write(folder.join(path), level("a")).unwrap();
    }
    fs::write(folder.join("main.go"), "x()\nFlowcontrolV1beta2()\n").unwrap();
    let plan = |more: &[&str]| {
        let arguments = [
            "plan",
            "--from-release",
            "1.28",
            "--to-release",
            "1.29",
            ".",
        ];
        run(&folder, &[&arguments[..], more].concat())
    };
    let files = |out: &str| {
        let lines = out.lines().filter(|line| line.starts_with("./"));
        let names = lines.map(|line| line.split(' ').next().unwrap().to_owned());
        names.collect::<Vec<_>>()
    };
    let ran = plan(&[]);
    assert_eq!(files(&ran.out), ["./a.yaml", "./main.go", "./tests/b.yaml"]);
    let (changes, last) = ran.err.split_once("1.28\n").unwrap();
    assert!(
        changes.ends_with(
            " of servers from 1.28 to 1.29:\nkubectl flowcontrol preview 1.29 --from-release "
        ),
        "{changes}"
    );
    assert_eq!(
        last,
        "note[not-checked]: skipped 1 folder of dependencies or build output: ./vendor\n1 place to change by hand (--verbose lists them)\n"
    );
    let ran = plan(&["--exclude", "tests"]);
    assert_eq!(files(&ran.out), ["./a.yaml", "./main.go"]);
    let ran = plan(&["--no-ignore", "--exclude", "*.go"]);
    assert_eq!(
        files(&ran.out),
        ["./a.yaml", "./tests/b.yaml", "./vendor/c.yaml"]
    );
    let ran = plan(&["-v"]);
    for words in [
        "warning[program]: FlowcontrolV1beta2 is a Go client of v1beta2",
        "2 | FlowcontrolV1beta2()",
        "note: ./vendor: ignored, as a folder of dependencies or build output",
    ] {
        assert!(ran.err.contains(words), "{}", ran.err);
    }
    assert_eq!(plan(&["--exclude", "{a"]).code, 2);
}

/// A version of a template that is in the values of its chart, and a patch of objects elsewhere.
#[test]
fn a_plan_counts_the_files_and_places_of_the_migration() {
    let folder = folder("plan-counts");
    fs::create_dir_all(folder.join("chart/templates")).unwrap();
    let write = |name: &str, text: &str| fs::write(folder.join(name), text).unwrap();
    write(
        "chart/Chart.yaml",
        "apiVersion: v2\nname: a\nversion: 0.1.0\n",
    );
    write(
        "chart/values.yaml",
        "apf:\n  version: flowcontrol.apiserver.k8s.io/v1beta3\n",
    );
    write(
        "chart/templates/a.yaml",
        "apiVersion: {{ .Values.apf.version }}\nkind: FlowSchema\nmetadata: {name: a}\n",
    );
    write(
        "kustomization.yaml",
        "patches:\n- path: p.yaml\n  target: {group: flowcontrol.apiserver.k8s.io, version: v1beta3, kind: FlowSchema}\n",
    );
    let releases = ["--from-release", "1.29", "--to-release", "1.32"];
    let planned = run(&folder, &[&["plan", "."], &releases[..]].concat());
    let step = "./kustomization.yaml   0               on 1.29: v1beta3 to v1, before 1.32";
    assert!(planned.out.contains(step), "{}", planned.out);
    let migrated = run(&folder, &["migrate", ".", "--to-version", "v1"]);
    let counts = "1 file to change, 1 place to change by hand";
    assert!(migrated.err.contains(counts), "{}", migrated.err);
    let place = "1 place to change by hand";
    assert!(planned.err.contains(place), "{}", planned.err);
}

#[test]
fn v1alpha1_is_called_by_its_name() {
    let folder = folder("plan-alpha");
    let text = level("a").replace("v1beta2", "v1alpha1");
    fs::write(folder.join("a.yaml"), &text).unwrap();
    let ran = run(
        &folder,
        &[
            "plan",
            "--from-release",
            "1.30",
            "--to-release",
            "1.32",
            ".",
        ],
    );
    let step = "v1alpha1 to v1, now: v1alpha1 is not served since 1.21";
    assert!(ran.out.contains(step), "{}", ran.out);
    assert!(
        ran.out
            .contains("# now: Kubernetes 1.30 does not serve v1alpha1"),
        "{}",
        ran.out
    );
    for release in ["1.25", "1.28", "1.37"] {
        let ran = run(
            &folder,
            &["validate", "-f", "a.yaml", "--kubernetes", release],
        );
        assert_eq!(ran.code, 1, "{ran:?}");
        let message = "no release since 1.25 serves or converts v1alpha1";
        assert!(
            ran.err.contains(message) || ran.out.contains(message),
            "{ran:?}"
        );
        let help = "which takes it to v1 by the rules of v1beta1";
        assert!(ran.err.contains(help) || ran.out.contains(help), "{ran:?}");
    }
    let ran = run(&folder, &["migrate", "a.yaml"]);
    let reason = "# a.yaml:1: apiVersion: flowcontrol.apiserver.k8s.io/v1alpha1 becomes flowcontrol.apiserver.k8s.io/v1: v1alpha1 has the fields and defaults of v1beta1";
    assert!(ran.out.starts_with(reason), "{}", ran.out);
}

#[test]
fn a_plan_goes_forward() {
    let folder = folder("plan-usage");
    let back = run(
        &folder,
        &["plan", "--from-release", "1.32", "--to-release", "1.27"],
    );
    assert_eq!(back.code, 2, "{back:?}");
    assert!(back.err.contains("1.27 is older than 1.32"), "{}", back.err);
    let without = run(&folder, &["plan", "--to-release", "1.27"]);
    assert_eq!(without.code, 2, "{without:?}");
    assert!(without.err.contains("--from-release"), "{}", without.err);
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
        "--to-release",
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
        "--to-release",
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
