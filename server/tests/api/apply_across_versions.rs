//! Managers that apply in several versions, compared with a real server.

use crate::api::support::{Answer, Api, GROUP};
use serde_json::{Value, json};

const PLURAL: &str = "prioritylevelconfigurations";

async fn run(api: &Api, name: &str, step: &Value) -> Answer {
    let text = |field: &str| step[field].as_str().unwrap();
    let version = text("version");
    let mut body = json!({
        "apiVersion": format!("{GROUP}/{version}"),
        "kind": "PriorityLevelConfiguration",
        "metadata": step.get("metadata").cloned().unwrap_or(json!({})),
        "spec": {"type": "Limited", "limited": step["limited"]},
    });
    body["metadata"]["name"] = name.into();
    let manager = text("manager");
    if step["create"] == true {
        let path = format!("{version}/{PLURAL}?fieldManager={manager}");
        return api.send("POST", &path, Some(body)).await;
    }
    let force = step["force"] == true;
    let path = format!("{version}/{PLURAL}/{name}?fieldManager={manager}&force={force}");
    api.apply(&path, body).await
}

/// Manager, operation, version and fields of each entry, in the order of the fixture.
fn owners(object: &Value) -> Value {
    let entries = object["metadata"]["managedFields"].as_array();
    let mut owners: Vec<Value> = entries
        .into_iter()
        .flatten()
        .map(|entry| {
            let version = entry["apiVersion"].as_str().unwrap();
            let version = version.strip_prefix(&format!("{GROUP}/")).unwrap();
            json!([
                entry["manager"],
                entry["operation"],
                version,
                entry["fieldsV1"]
            ])
        })
        .collect();
    owners.sort_by_key(Value::to_string);
    owners.into()
}

#[tokio::test]
async fn managers_move_between_versions() {
    let recorded = include_str!("../fixtures/apply-across-versions-1.29.json");
    let scenarios: Vec<Value> = serde_json::from_str(recorded).unwrap();
    let api = Api::with(|builder| builder.kubernetes("1.29")).await;
    for scenario in &scenarios {
        let name = scenario["name"].as_str().unwrap();
        for (number, step) in scenario["steps"].as_array().unwrap().iter().enumerate() {
            let place = format!("{}, step {number}", scenario["scenario"]);
            let answer = run(&api, name, step).await;
            assert_eq!(
                json!(answer.code),
                step["status"],
                "{place}: {}",
                answer.body
            );
            if let Some(message) = step.get("message") {
                assert_eq!(answer.body["message"], *message, "{place}");
                continue;
            }
            assert_eq!(answer.body["spec"]["limited"], step["then"], "{place}");
            let mut expected = step["owners"].as_array().unwrap().clone();
            expected.sort_by_key(Value::to_string);
            assert_eq!(owners(&answer.body), json!(expected), "{place}");
            assert_eq!(
                answer.body["metadata"].get("annotations"),
                step.get("annotations"),
                "{place}"
            );
        }
    }
}

#[tokio::test]
async fn a_gate_of_1_29_lets_zero_shares_in() {
    let zero = json!({
        "version": "v1",
        "manager": "m",
        "limited": {"nominalConcurrencyShares": 0, "limitResponse": {"type": "Reject"}},
    });
    let closed = Api::with(|builder| builder.kubernetes("1.29")).await;
    assert_eq!(run(&closed, "zero", &zero).await.code, 422);
    let open = Api::with(|builder| builder.kubernetes("1.29").zero_limited_shares()).await;
    assert_eq!(run(&open, "zero", &zero).await.code, 201);
}
