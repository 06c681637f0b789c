//! The status subresource and the condition `Dangling`.

use crate::api::support::{Api, LEVELS, SCHEMAS, level, schema};
use serde_json::{Value, json};

fn dangling(object: &Value) -> Value {
    let conditions = object["status"]["conditions"].as_array().unwrap();
    let condition = conditions
        .iter()
        .find(|condition| condition["type"] == "Dangling");
    condition.unwrap()["status"].clone()
}

#[tokio::test]
async fn status_and_spec_are_written_separately() {
    let api = Api::start().await;
    api.send("POST", LEVELS, Some(level("mine", 7))).await;
    let path = format!("{LEVELS}/mine");
    let conditions = json!({"conditions": [{"type": "Mine", "status": "True"}]});
    let mut object = level("mine", 99);
    object["status"] = conditions.clone();
    object["metadata"]["labels"] = json!({"via": "status"});

    let status = api
        .send("PUT", &format!("{path}/status"), Some(object.clone()))
        .await
        .body;
    assert_eq!(status["status"]["conditions"][0]["type"], "Mine");
    assert_eq!(status["spec"]["limited"]["nominalConcurrencyShares"], 7);
    assert_eq!(status["metadata"].get("labels"), None);
    assert_eq!(status["metadata"]["generation"], 1);

    object["status"] = json!({});
    let main = api.send("PUT", &path, Some(object)).await.body;
    assert_eq!(main["spec"]["limited"]["nominalConcurrencyShares"], 99);
    assert_eq!(main["status"], status["status"]);
    assert_eq!(api.get(&format!("{path}/status")).await.body, main);
    assert_eq!(
        api.send("DELETE", &format!("{path}/status"), None)
            .await
            .code,
        405
    );
}

#[tokio::test]
async fn dangling_follows_the_level() {
    let api = Api::start().await;
    let mut orphan = schema("orphan");
    orphan["spec"]["priorityLevelConfiguration"]["name"] = "late".into();
    api.send("POST", SCHEMAS, Some(orphan)).await;
    let path = format!("{SCHEMAS}/orphan");
    assert_eq!(dangling(&api.get(&path).await.body), "True");
    api.send("POST", LEVELS, Some(level("late", 7))).await;
    assert_eq!(dangling(&api.get(&path).await.body), "False");
    api.send("DELETE", &format!("{LEVELS}/late"), None).await;
    assert_eq!(dangling(&api.get(&path).await.body), "True");
}
