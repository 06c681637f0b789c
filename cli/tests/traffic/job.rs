//! The example that reads audit logs in an Indexed Job: its scripts against a folder that stands for the object store, and its
//! manifests.

use crate::common::{Folder, code, program, run, stderr, stdout};
use serde_json::Value;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The commands of rclone in the scripts, for folders.
const RCLONE: &str = r#"#!/bin/sh
set -eu
case "$1" in
lsf)
    shift; while [ "${1#--}" != "$1" ]; do shift; done
    cd "$1" && find . -type f | sed 's,^\./,,' ;;
copyto)
    mkdir -p "$(dirname "$3")" && cp "$2" "$3" ;;
copy)
    shift
    if [ "$1" = --files-from ]; then
        while IFS= read -r file; do
            mkdir -p "$(dirname "$4/$file")" && cp "$3/$file" "$4/$file"
        done < "$2"
    elif [ -d "$1" ]; then
        mkdir -p "$2" && cp -R "$1/." "$2"
    fi ;;
*) echo "rclone: unknown command $1" >&2; exit 1 ;;
esac
"#;

fn example(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/traffic-job");
    folder.join(name)
}

/// Whether the example is there; the package of the program on its own does not have it.
fn is_packaged() -> bool {
    example("job.yaml").exists()
}

/// An event of a request that was received in a second.
fn event(id: usize, stage: &str, user: &str) -> String {
    let verb = if id.is_multiple_of(3) { "list" } else { "get" };
    format!(
        "{{\"kind\":\"Event\",\"apiVersion\":\"audit.k8s.io/v1\",\"auditID\":\"{id}\",\"stage\":\"{stage}\",\"verb\":\"{verb}\",\
         \"requestURI\":\"/api/v1/namespaces/a/pods\",\"user\":{{\"username\":\"{user}\",\"groups\":[\"system:authenticated\"]}},\
         \"objectRef\":{{\"resource\":\"pods\",\"namespace\":\"a\",\"apiVersion\":\"v1\"}},\"responseStatus\":{{\"code\":200}},\
         \"requestReceivedTimestamp\":\"2026-01-01T00:{:02}:{:02}.000000Z\",\
         \"stageTimestamp\":\"2026-01-01T00:{:02}:{:02}.500000Z\"}}\n",
        id / 60,
        id % 60,
        id / 60,
        id % 60
    )
}

/// Writes logs to a store. Requests begin in one log and end in the next.
fn logs(folder: &Folder, count: usize) -> Vec<String> {
    let mut texts = vec![String::new(); count];
    for id in 0..count * 20 {
        let user = ["alice", "bob", "system:kube-scheduler"][id % 3];
        let log = id / 20;
        texts[log] += &event(id, "RequestReceived", user);
        let end = (log + usize::from(id % 20 == 19)).min(count - 1);
        texts[end] += &event(id, "ResponseComplete", user);
    }
    let named = texts.iter().enumerate();
    named
        .map(|(log, text)| folder.file(&format!("store/logs/day 1/audit-{log:02}.log"), text))
        .collect()
}

/// Runs a script of the example as a pod does.
fn script(folder: &Folder, name: &str, pod: &str, completions: usize, index: usize) -> Output {
    let programs = folder.path("programs");
    let own = program();
    let own = Path::new(own.get_program()).parent().unwrap();
    let path = format!(
        "{programs}:{}:{}",
        own.display(),
        std::env::var("PATH").unwrap()
    );
    let work = folder.path(pod);
    std::fs::create_dir_all(&work).unwrap();
    Command::new("sh")
        .arg(example(name))
        .env("PATH", path)
        .env("STORE", folder.path("store"))
        .env("WORK", work)
        .env("RUN", format!("of-{completions}"))
        .env(
            "OBJECTS",
            concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/bootstrap.yaml"),
        )
        .env("RELEASE", "1.33")
        .env("COMPLETIONS", completions.to_string())
        .env("JOB_COMPLETION_INDEX", index.to_string())
        .output()
        .unwrap()
}

#[test]
fn the_merged_report_is_that_of_one_run() {
    if !is_packaged() {
        return;
    }
    let folder = Folder::new();
    let rclone = folder.file("programs/rclone", RCLONE);
    std::fs::set_permissions(rclone, std::fs::Permissions::from_mode(0o755)).unwrap();
    let logs = logs(&folder, 7);
    let mut arguments = vec!["traffic", "--audit-log"];
    arguments.extend(logs.iter().map(String::as_str));
    let objects = "tests/fixtures/bootstrap.yaml";
    arguments.extend(["-f", objects, "--kubernetes", "1.33", "-o", "json"]);
    let whole = run(&arguments);
    assert_eq!(code(&whole), 0, "{}", stderr(&whole));
    let whole: Value = serde_json::from_str(&stdout(&whole)).unwrap();
    assert_eq!(whole["requests"], 140);
    // One pod, shares of different sizes, and more pods than logs.
    for completions in [1, 3, 9] {
        let mut read = 0;
        for index in 0..completions {
            let pod = format!("pod-{completions}-{index}");
            for name in ["fetch.sh", "traffic.sh"] {
                let output = script(&folder, name, &pod, completions, index);
                assert_eq!(code(&output), 0, "{name}: {}", stderr(&output));
            }
            let share = std::fs::read_to_string(folder.path(&format!("{pod}/share"))).unwrap();
            read += share.lines().count();
        }
        assert_eq!(read, 7, "every log is in one share");
        let output = script(&folder, "merge.sh", "merge", completions, 0);
        assert_eq!(code(&output), 0, "{}", stderr(&output));
        let report = folder.path(&format!("store/report/of-{completions}/traffic.json"));
        let report: Value = serde_json::from_slice(&std::fs::read(report).unwrap()).unwrap();
        assert_eq!(report, whole, "{completions} completions");
        std::fs::remove_dir_all(folder.path("merge")).unwrap();
    }
    let output = script(&folder, "merge.sh", "merge", 99, 0);
    assert_eq!(code(&output), 1);
    assert!(
        stderr(&output).contains("no partial results"),
        "{}",
        stderr(&output)
    );
}

/// The fields of batch/v1 that the manifests use, below the kind of object that has them.
const FIELDS: [(&str, &[&str]); 13] = [
    ("", &["apiVersion", "kind", "metadata", "spec"]),
    ("metadata", &["name", "labels"]),
    (
        "spec",
        &[
            "backoffLimit",
            "completionMode",
            "completions",
            "parallelism",
            "template",
            "ttlSecondsAfterFinished",
        ],
    ),
    ("template", &["metadata", "spec"]),
    (
        "template.spec",
        &[
            "automountServiceAccountToken",
            "containers",
            "enableServiceLinks",
            "initContainers",
            "restartPolicy",
            "securityContext",
            "volumes",
        ],
    ),
    (
        "template.spec.securityContext",
        &[
            "fsGroup",
            "runAsGroup",
            "runAsNonRoot",
            "runAsUser",
            "seccompProfile",
        ],
    ),
    (
        "container",
        &[
            "command",
            "env",
            "envFrom",
            "image",
            "name",
            "resources",
            "securityContext",
            "volumeMounts",
        ],
    ),
    (
        "container.securityContext",
        &[
            "allowPrivilegeEscalation",
            "capabilities",
            "readOnlyRootFilesystem",
        ],
    ),
    ("container.resources", &["limits", "requests"]),
    ("container.env", &["name", "value"]),
    ("container.envFrom", &["secretRef"]),
    ("container.volumeMounts", &["mountPath", "name", "readOnly"]),
    ("volume", &["configMap", "emptyDir", "name"]),
];

fn assert_fields(value: &Value, place: &str) {
    let (_, known) = FIELDS.iter().find(|(own, _)| *own == place).unwrap();
    for field in value.as_object().unwrap().keys() {
        assert!(known.contains(&field.as_str()), "{field} in {place}");
    }
}

fn list<'a>(value: &'a Value, field: &str) -> &'a [Value] {
    value[field].as_array().map_or(&[], Vec::as_slice)
}

#[test]
fn the_manifests_are_complete_and_restricted() {
    if !is_packaged() {
        return;
    }
    for name in ["job.yaml", "merge.yaml"] {
        let text = std::fs::read(example(name)).unwrap();
        let job: Value =
            serde_json::from_str(&k8s_flowcontrol_text::yaml_to_json(&text).unwrap()).unwrap();
        assert_fields(&job, "");
        assert_eq!(
            (&job["apiVersion"], &job["kind"]),
            (&"batch/v1".into(), &"Job".into())
        );
        assert_fields(&job["metadata"], "metadata");
        let spec = &job["spec"];
        assert_fields(spec, "spec");
        assert_fields(&spec["template"], "template");
        let pod = &spec["template"]["spec"];
        assert_fields(pod, "template.spec");
        assert_fields(&pod["securityContext"], "template.spec.securityContext");
        assert_eq!(pod["securityContext"]["runAsNonRoot"], true);
        let volumes = list(pod, "volumes");
        volumes
            .iter()
            .for_each(|volume| assert_fields(volume, "volume"));
        let containers = [list(pod, "initContainers"), list(pod, "containers")].concat();
        assert!(!containers.is_empty());
        for container in &containers {
            assert_fields(container, "container");
            for (field, place) in [
                ("env", "container.env"),
                ("envFrom", "container.envFrom"),
                ("volumeMounts", "container.volumeMounts"),
            ] {
                list(container, field)
                    .iter()
                    .for_each(|own| assert_fields(own, place));
            }
            assert_fields(&container["securityContext"], "container.securityContext");
            assert_fields(&container["resources"], "container.resources");
            assert_eq!(
                container["securityContext"]["allowPrivilegeEscalation"],
                false
            );
            assert_eq!(
                container["securityContext"]["capabilities"]["drop"][0],
                "ALL"
            );
            assert!(container["resources"]["limits"]["memory"].is_string());
            for mount in list(container, "volumeMounts") {
                assert!(volumes.iter().any(|volume| volume["name"] == mount["name"]));
            }
            let script = container["command"][1].as_str().unwrap();
            assert!(example(script.strip_prefix("/scripts/").unwrap()).exists());
            // The Secret and the Job controller set the other variables.
            let text = std::fs::read_to_string(example(script.strip_prefix("/scripts/").unwrap()));
            for name in ["STORE", "RUN", "COMPLETIONS", "RELEASE", "OBJECTS", "WORK"] {
                let is_used = text.as_ref().unwrap().contains(&format!("${name}"));
                let is_set = list(container, "env").iter().any(|own| own["name"] == name);
                assert!(is_set || !is_used, "{name} of {script}");
            }
        }
        if name == "job.yaml" {
            assert_eq!(spec["completionMode"], "Indexed");
            for container in &containers {
                let env = list(container, "env");
                let own = env.iter().find(|own| own["name"] == "COMPLETIONS").unwrap();
                assert_eq!(own["value"], spec["completions"].to_string());
            }
        }
    }
}
