//! Rows of requests in Apache Parquet, read back by the library.

use crate::common::{Folder, code, run, stderr, stdout};
use parquet::file::reader::{FileReader, SerializedFileReader};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs::File;

fn event(id: usize) -> Value {
    json!({
        "kind": "Event", "apiVersion": "audit.k8s.io/v1", "auditID": id.to_string(), "stage": "ResponseComplete",
        "requestURI": "/api/v1/namespaces/team-a/pods/p", "verb": "get", "userAgent": "kubectl/v1.33.0",
        "user": {"username": "alice", "groups": ["dev", "system:authenticated"]},
        "objectRef": {"resource": "pods", "namespace": "team-a", "name": "p", "apiVersion": "v1"},
        "responseStatus": {"code": 200},
        "requestReceivedTimestamp": "2026-01-01T00:00:00.000000Z", "stageTimestamp": "2026-01-01T00:00:00.750000Z",
        "annotations": {
            "authorization.k8s.io/decision": "allow", "apiserver.latency.k8s.io/apf-queue-wait": "600.5ms",
        },
    })
}

/// Requests of every kind.
pub(super) fn log() -> String {
    let mut health = event(1);
    health["requestURI"] = "/healthz?verbose".into();
    health["user"] = json!({"username": "system:anonymous", "groups": ["system:unauthenticated"]});
    health["annotations"] = json!({});
    health.as_object_mut().unwrap().remove("objectRef");
    let mut impersonated = event(2);
    impersonated["impersonatedUser"] =
        json!({"username": "system:serviceaccount:team-a:builder", "groups": []});
    let mut exec = event(3);
    exec["objectRef"]["subresource"] = "log".into();
    let mut rejected = event(4);
    rejected["responseStatus"]["code"] = 429.into();
    rejected["annotations"] = json!({});
    let mut old = event(5);
    old["annotations"]["k8s.io/deprecated"] = "true".into();
    old["annotations"]["k8s.io/removed-release"] = "1.32".into();
    let mut begun = event(6);
    begun["stage"] = "RequestReceived".into();
    let bare = json!({"kind": "Event", "apiVersion": "audit.k8s.io/v1", "stage": "ResponseComplete", "verb": "get"});
    let events = [
        event(0),
        health,
        impersonated,
        exec,
        rejected,
        old,
        begun,
        bare,
    ];
    events.iter().map(|event| format!("{event}\n")).collect()
}

/// Runs `traffic --parquet` with the built-in objects, and returns the file and the report.
pub(super) fn traffic(folder: &Folder, log: &str, more: &[&str]) -> (String, Value) {
    let (log, rows) = (folder.file("audit.log", log), folder.path("rows.parquet"));
    let mut arguments = vec![
        "traffic",
        "--audit-log",
        &log,
        "--kubernetes",
        "1.33",
        "--parquet",
        &rows,
        "--force",
        "-o",
        "json",
    ];
    arguments.extend(more);
    let output = run(&arguments);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    (rows, serde_json::from_str(&stdout(&output)).unwrap())
}

/// The rows as JSON, by audit id.
fn rows(file: &str) -> BTreeMap<String, Value> {
    let reader = SerializedFileReader::new(File::open(file).unwrap()).unwrap();
    let rows = reader.get_row_iter(None).unwrap().map(|row| {
        let fields = row.unwrap();
        let fields = fields.get_column_iter().map(|(name, field)| {
            use parquet::record::Field;
            let value = match field {
                Field::Null => Value::Null,
                Field::Bool(flag) => (*flag).into(),
                Field::Long(number) | Field::TimestampMicros(number) => (*number).into(),
                Field::Str(text) => text.as_str().into(),
                Field::ListInternal(list) => {
                    let texts = list.elements().iter().map(|element| match element {
                        Field::Str(text) => Value::from(text.as_str()),
                        other => panic!("{other:?}"),
                    });
                    texts.collect()
                }
                other => panic!("{name}: {other:?}"),
            };
            (name.clone(), value)
        });
        Value::Object(fields.collect())
    });
    let id = |row: &Value| row["audit_id"].as_str().unwrap_or_default().to_owned();
    rows.map(|row| (id(&row), row)).collect()
}

#[test]
fn every_request_is_a_row() {
    let folder = Folder::new();
    let (file, report) = traffic(&folder, &log(), &[]);
    let rows = rows(&file);
    assert_eq!(rows.len(), 8);
    assert_eq!(report["requests"], 8);
    let row = &rows["0"];
    let expected = json!({
        "audit_id": "0", "received": 1_767_225_600_000_000_i64, "stage": "ResponseComplete", "duration_us": 750_000,
        "queue_wait_us": 600_500, "user": "alice", "groups": ["dev", "system:authenticated"], "impersonated_by": null,
        "user_agent": "kubectl/v1.33.0", "verb": "get", "api_group": "", "api_version": "v1", "resource": "pods",
        "subresource": "", "namespace": "team-a", "name": "p", "path": null, "code": 200, "flow_schema": "global-default",
        "priority_level": "global-default", "flow_distinguisher": "alice", "seats": 1, "rejected": false,
        "deprecated": false, "removed_release": null, "compared_flow_schema": null, "compared_priority_level": null,
    });
    assert_eq!(row, &expected);
    let of = |id: &str, field: &str| rows[id][field].clone();
    assert_eq!(
        (of("1", "path"), of("1", "resource")),
        ("/healthz".into(), Value::Null)
    );
    assert_eq!(
        (of("1", "flow_schema"), of("1", "groups")),
        ("probes".into(), json!(["system:unauthenticated"]))
    );
    assert_eq!(of("2", "user"), "system:serviceaccount:team-a:builder");
    assert_eq!(
        (of("2", "impersonated_by"), of("2", "groups")),
        ("alice".into(), json!([]))
    );
    // Flow control does not see a log.
    assert_eq!(
        (of("3", "flow_schema"), of("3", "seats")),
        (Value::Null, Value::Null)
    );
    assert_eq!(
        (of("4", "rejected"), of("4", "queue_wait_us")),
        (true.into(), Value::Null)
    );
    assert_eq!(
        (of("5", "deprecated"), of("5", "removed_release")),
        (true.into(), "1.32".into())
    );
    assert_eq!(
        (of("6", "stage"), of("6", "duration_us")),
        ("RequestReceived".into(), Value::Null)
    );
    assert_eq!(
        (of("", "received"), of("", "user")),
        (Value::Null, Value::Null)
    );
}

/// Names that other formats would run, split or cut are whole in their cells.
#[test]
fn hostile_names_are_cells() {
    let names = [
        "=1+1",
        "x\n---\ny",
        "a,b;c\td",
        "'); DROP TABLE rows; --",
        "<script>alert(1)</script>",
        "\u{0}\u{1b}[31m\u{202e}\u{feff}",
        "\u{1f600}",
    ];
    let events: String = names
        .iter()
        .enumerate()
        .map(|(id, name)| {
            let mut event = event(id);
            event["user"] = json!({"username": name, "groups": [name]});
            event["userAgent"] = (*name).into();
            event["objectRef"]["name"] = (*name).into();
            format!("{event}\n")
        })
        .collect();
    let folder = Folder::new();
    let (file, report) = traffic(&folder, &events, &[]);
    assert_eq!(report["requests"], names.len());
    let rows = rows(&file);
    for (id, name) in names.iter().enumerate() {
        let row = &rows[&id.to_string()];
        for field in ["user", "user_agent", "name"] {
            assert_eq!(row[field], **name, "{field}");
        }
        assert_eq!(row["groups"], json!([name]));
    }
}

#[test]
fn names_are_redacted_and_the_comparison_has_columns() {
    let folder = Folder::new();
    let proposed = r#"{"apiVersion": "flowcontrol.apiserver.k8s.io/v1", "kind": "FlowSchema", "metadata": {"name": "dev"},
        "spec": {"priorityLevelConfiguration": {"name": "workload-low"}, "matchingPrecedence": 500, "rules": [{
            "subjects": [{"kind": "Group", "group": {"name": "dev"}}], "resourceRules": [{"verbs": ["*"],
            "apiGroups": ["*"], "resources": ["*"], "namespaces": ["*"]}]}]}}"#;
    let proposed = folder.file("proposed.json", proposed);
    let (file, _) = traffic(&folder, &log(), &["--redact=key", "--compare", &proposed]);
    let rows = rows(&file);
    let text = serde_json::to_string(&rows).unwrap();
    for name in [
        "alice",
        "team-a",
        "builder",
        "\"p\"",
        "\"dev\",\"system:authenticated\"",
    ] {
        assert!(!text.contains(name), "{name} in {text}");
    }
    for row in rows.values() {
        let agent = row["user_agent"].as_str().unwrap_or("agent-");
        assert!(agent.starts_with("agent-"), "{agent}");
    }
    assert!(text.contains("system:authenticated"));
    assert_eq!(rows["0"]["user"], rows["2"]["impersonated_by"]);
    assert_eq!(rows["0"]["compared_flow_schema"], "dev");
    assert_eq!(rows["0"]["compared_priority_level"], "workload-low");
    assert_eq!(rows["1"]["compared_flow_schema"], "probes");
}

#[test]
fn rows_are_written_in_groups() {
    let folder = Folder::new();
    let log: String = (0..70_000).map(|id| format!("{}\n", event(id))).collect();
    let (file, report) = traffic(&folder, &log, &[]);
    let reader = SerializedFileReader::new(File::open(&file).unwrap()).unwrap();
    let groups = reader
        .metadata()
        .row_groups()
        .iter()
        .map(|group| group.num_rows());
    assert_eq!(groups.collect::<Vec<_>>(), [65_536, 4_464]);
    assert_eq!(
        reader.metadata().file_metadata().num_rows(),
        report["requests"].as_i64().unwrap()
    );
}

/// Without a request there is nothing to write.
#[test]
fn a_log_without_requests_leaves_no_file() {
    let folder = Folder::new();
    let log = folder.file("audit.log", "");
    let rows = folder.path("rows.parquet");
    let output = run(&["traffic", "--audit-log", &log, "--parquet", &rows]);
    assert_eq!(code(&output), 3, "{}", stderr(&output));
    assert!(!std::path::Path::new(&rows).exists());
}

#[test]
fn other_output_and_partial_results_have_no_rows() {
    let folder = Folder::new();
    let log = folder.file("audit.log", log());
    let rows = folder.path("rows.parquet");
    for arguments in [
        vec![
            "traffic",
            "--audit-log",
            &log,
            "--each-request",
            "--parquet",
            &rows,
        ],
        vec!["traffic", "merge", &log, "--parquet", &rows],
    ] {
        let output = run(&arguments);
        assert_eq!(code(&output), 2, "{}", stderr(&output));
        assert!(stderr(&output).contains("--parquet"), "{}", stderr(&output));
    }
    let unwritable = folder.path("no/folder/rows.parquet");
    let output = run(&["traffic", "--audit-log", &log, "--parquet", &unwritable]);
    assert_eq!(code(&output), 3, "{}", stderr(&output));
    assert!(
        stderr(&output).contains("cannot write"),
        "{}",
        stderr(&output)
    );
}
