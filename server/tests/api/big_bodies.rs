//! Bodies with tens of thousands of names. A search through all earlier names for each of them takes minutes here.

use crate::api::support::{Answer, Api, SCHEMAS, schema};
use serde_json::{Map, Value, json};

const FIELDS: usize = 40_000;
const ELEMENTS: usize = 10_000;

const JSON: &str = "application/json-patch+json";
const MERGE: &str = "application/merge-patch+json";
const STRATEGIC: &str = "application/strategic-merge-patch+json";
const APPLY: &str = "application/apply-patch+yaml";

fn fields() -> Map<String, Value> {
    let names = (0..FIELDS).map(|index| format!("field{index}"));
    names.map(|name| (name, "x".into())).collect()
}

fn finalizers(count: usize) -> Value {
    let names = (0..count).map(|index| format!("example.com/{index}"));
    names.collect()
}

async fn api() -> Api {
    let api = Api::start().await;
    let created = api.send("POST", SCHEMAS, Some(schema("a"))).await;
    assert_eq!(created.code, 201);
    api
}

async fn patch(api: &Api, media_type: &str, query: &str, text: String) -> Answer {
    let path = format!("/apis/flowcontrol.apiserver.k8s.io/{SCHEMAS}/a?{query}");
    let request = api.request("PATCH", &path);
    let request = request.header("content-type", media_type).body(text);
    crate::api::support::answer(request).await
}

#[tokio::test]
async fn a_patch_with_many_fields_is_read() {
    let api = api().await;
    let mut body = Value::Object(fields());
    body["metadata"] = json!({"labels": {"big": "patch"}});
    for media_type in [MERGE, STRATEGIC] {
        let query = "fieldValidation=Ignore";
        let patched = patch(&api, media_type, query, body.to_string()).await;
        assert_eq!(patched.code, 200, "{media_type}: {}", patched.body);
        assert_eq!(patched.body["metadata"]["labels"]["big"], "patch");
    }
}

#[tokio::test]
async fn a_repeated_name_among_many_is_found() {
    let api = api().await;
    let labels = Value::Object(fields()).to_string();
    let labels = labels.replacen('{', r#"{"field7":"y","field7":"z","#, 1);
    let body = format!(r#"{{"metadata":{{"labels":{labels}}}}}"#);
    let patched = patch(&api, MERGE, "fieldValidation=Strict", body).await;
    assert_eq!(patched.code, 422);
    let message = patched.body["message"].as_str().unwrap();
    let end = "strict decoding error: duplicate field \"metadata.labels.field7\"";
    assert!(
        message.ends_with(end),
        "{}",
        &message[message.len() - 200..]
    );
}

#[tokio::test]
async fn repeated_names_below_a_long_name_are_bounded() {
    let api = api().await;
    let twice = r#""a":1,"a":1,"#.repeat(1000);
    let inside: Vec<_> = (0..20)
        .map(|index| format!("{{{twice}\"n\":{index}}}"))
        .collect();
    let body = format!(r#"{{"{}":[{}]}}"#, "n".repeat(1_000_000), inside.join(","));
    let patched = patch(&api, MERGE, "fieldValidation=Ignore", body).await;
    assert_eq!(patched.code, 200, "{}", patched.body);
}

#[tokio::test]
async fn lists_with_many_elements_merge() {
    let api = api().await;
    let set = json!({"metadata": {"finalizers": finalizers(ELEMENTS)}}).to_string();
    let patched = patch(&api, STRATEGIC, "", set.clone()).await;
    assert_eq!(patched.body["metadata"]["finalizers"], finalizers(ELEMENTS));
    let more = json!({"metadata": {"finalizers": finalizers(ELEMENTS + 1)}}).to_string();
    let patched = patch(&api, STRATEGIC, "", more).await;
    assert_eq!(
        patched.body["metadata"]["finalizers"]
            .as_array()
            .unwrap()
            .len(),
        ELEMENTS + 1
    );
    let mut config = schema("a");
    config["metadata"] = json!({"name": "a", "finalizers": finalizers(ELEMENTS)});
    let applied = api
        .apply(&format!("{SCHEMAS}/a?fieldManager=one&force=true"), config)
        .await;
    assert_eq!(applied.code, 200, "{}", applied.body["message"]);
    let gone =
        json!({"metadata": {"$deleteFromPrimitiveList/finalizers": finalizers(ELEMENTS + 1)}});
    let patched = patch(&api, STRATEGIC, "", gone.to_string()).await;
    assert_eq!(patched.body["metadata"]["finalizers"], Value::Null);
}

#[tokio::test]
async fn a_large_value_moves_many_times() {
    let api = api().await;
    let labels = json!({"op": "add", "path": "/metadata/labels", "value": fields()});
    let there = json!({"op": "move", "from": "/metadata/labels", "path": "/metadata/annotations"});
    let back = json!({"op": "move", "from": "/metadata/annotations", "path": "/metadata/labels"});
    let moves = (0..4000).flat_map(|_| [there.clone(), back.clone()]);
    let mut operations: Vec<_> = std::iter::once(labels).chain(moves).collect();
    operations.push(json!({"op": "replace", "path": "/metadata/labels", "value": {"a": "b"}}));
    let patched = patch(&api, JSON, "", Value::from(operations).to_string()).await;
    assert_eq!(patched.code, 200, "{}", patched.body);
    assert_eq!(patched.body["metadata"]["labels"], json!({"a": "b"}));
}

/// Each move below a long path needs the depth of the large value, because the object has a deep one.
#[tokio::test]
async fn a_large_value_beside_a_deep_one_moves_some_times() {
    let api = api().await;
    let nested = |value: Value, depth| (0..depth).fold(value, |value, _| json!({"b": value}));
    let below = "/b".repeat(97) + "/large";
    let add = |path: &str, value| json!({"op": "add", "path": path, "value": value});
    let start = [
        add("/deep", nested(json!(0), 110)),
        add("/b", nested(json!({}), 96)),
        add("/large", json!(vec![0; 20_000])),
    ];
    let there = json!({"op": "move", "from": "/large", "path": below});
    let back = json!({"op": "move", "from": below, "path": "/large"});
    for (times, code) in [(10, 200), (400, 422)] {
        let moves = (0..times).flat_map(|_| [there.clone(), back.clone()]);
        let operations: Vec<_> = start.iter().cloned().chain(moves).collect();
        let patched = patch(&api, JSON, "", Value::from(operations).to_string()).await;
        assert_eq!(patched.code, code, "{}", patched.body["message"]);
    }
}

/// Long paths and deep values get a response, and so does the next request.
#[tokio::test]
async fn no_patch_is_too_deep_for_the_server() {
    let api = api().await;
    let steps = "/a".repeat(1_000_000);
    let slashes = "/".repeat(2_900_000);
    let nested = |open: &str, close: &str, depth| open.repeat(depth) + "1" + &close.repeat(depth);
    let operation = |op: &str, path: &str, from: &str| {
        json!([{"op": op, "path": path, "value": "FlowSchema", "from": from}]).to_string()
    };
    let deep = |depth| nested("{\"a\":", "}", depth);
    for (media_type, body) in [
        (JSON, operation("test", "/kind", &slashes)),
        (JSON, operation("replace", "/kind", &slashes)),
        (JSON, operation("test", &slashes, "")),
        (JSON, operation("add", &steps, "")),
        (JSON, operation("move", "/metadata/labels", &steps)),
        (JSON, operation("copy", &steps, "/metadata")),
        (
            JSON,
            format!(r#"[{{"op":"add","path":"/spec","value":{}}}]"#, deep(9_990)),
        ),
        (
            JSON,
            format!(
                r#"[{{"op":"add","path":"/spec","value":{}}}]"#,
                nested("[", "]", 9_990)
            ),
        ),
        (MERGE, deep(9_990)),
        (MERGE, format!(r#"{{"spec":{}}}"#, nested("[", "]", 9_990))),
        (STRATEGIC, deep(9_990)),
        (
            STRATEGIC,
            format!(r#"{{"spec":{}}}"#, nested("[", "]", 9_990)),
        ),
        (APPLY, deep(9_990)),
        (
            APPLY,
            format!(
                r#"{{"apiVersion":"flowcontrol.apiserver.k8s.io/v1","kind":"FlowSchema","spec":{}}}"#,
                deep(9_990)
            ),
        ),
    ] {
        for query in [
            "fieldValidation=Strict",
            "fieldValidation=Ignore&force=true&fieldManager=deep",
        ] {
            let answer = patch(&api, media_type, query, body.clone()).await;
            let head = body.get(..80).unwrap_or(&body);
            assert!(
                (200..=500).contains(&answer.code),
                "{media_type} {head}: {}",
                answer.code
            );
            let alive = api.send("GET", &format!("{SCHEMAS}/a"), None).await;
            assert_eq!(alive.code, 200);
        }
    }
}

#[tokio::test]
async fn thousands_of_managers_share_an_entry() {
    let api = api().await;
    // Each union with the shared entry took time in proportion to its size, 35 seconds together; health checks waited.
    let entries: Vec<_> = (0..ELEMENTS)
        .map(|index| {
            json!({
                "manager": format!("m{index}"), "operation": "Update", "fieldsType": "FieldsV1",
                "apiVersion": "flowcontrol.apiserver.k8s.io/v1",
                "fieldsV1": {"f:metadata": {"f:labels": {(format!("f:a{index}")): {}}}},
            })
        })
        .collect();
    let body = json!({"metadata": {"managedFields": entries}}).to_string();
    let patched = patch(&api, MERGE, "", body).await;
    assert_eq!(patched.code, 200, "{}", patched.body["message"]);
    let managers = patched.body["metadata"]["managedFields"]
        .as_array()
        .unwrap();
    assert!(managers.len() <= 11, "{}", managers.len());
    let shared = managers
        .iter()
        .find(|entry| entry["manager"] == "ancient-changes");
    let labels = &shared.unwrap()["fieldsV1"]["f:metadata"]["f:labels"];
    assert!(labels.as_object().unwrap().len() > ELEMENTS - 11);
}

/// The test, its clients and the server share one thread.
#[tokio::test]
async fn health_checks_do_not_wait_for_large_bodies() {
    let api = Api::with(|builder| builder.record_requests()).await;
    let names: String = (0..100_000)
        .map(|index| format!("field{index}: {{}}\n"))
        .collect();
    let path = format!("/apis/flowcontrol.apiserver.k8s.io/{SCHEMAS}?fieldValidation=Ignore");
    let large = api.request("POST", &path);
    let large = large.header("content-type", "application/yaml").body(names);
    let large = crate::spawn(crate::api::support::answer(large));
    let has_arrived = || {
        let requests = api.server.requests();
        requests.iter().any(|request| request.method == "POST")
    };
    while !has_arrived() {
        tokio::task::yield_now().await;
    }
    for _ in 0..10 {
        let health = api.request("GET", "/livez").send().await.text().await;
        assert_eq!(health, "ok");
        assert!(!large.is_finished(), "the health check waited");
    }
    assert_eq!(large.await.unwrap().code, 422);
}
