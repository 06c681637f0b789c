//! Negotiation, layout and compression of responses.

use crate::api::representations::{TABLE, get, json as parsed};
use crate::api::support::{Api, GROUP, LEVELS, SCHEMAS, answer, level, schema};
use serde_json::json;

#[tokio::test]
async fn the_first_acceptable_clause_of_the_best_quality_wins() {
    const PROTOBUF: &str = "application/vnd.kubernetes.protobuf";
    const JSON: &str = "application/json";
    let api = Api::start().await;
    let path = format!("/apis/{GROUP}/v1/flowschemas/exempt");
    let form = async |accept: &str| {
        let request = api.request("GET", &path).header("accept", accept);
        let response = request.send().await;
        if response.code() == 406 {
            let text = response.text().await;
            let by_router = text.contains("406: Not Acceptable");
            return if by_router { "unknown" } else { "406" }.to_owned();
        }
        let content_type = response.headers()["content-type"]
            .to_str()
            .unwrap()
            .to_owned();
        let body = response.bytes().await;
        let is_table = body.windows(5).any(|part| part == b"Table");
        if is_table {
            content_type + " table"
        } else {
            content_type
        }
    };
    let (json_table, yaml_table) = (&format!("{JSON} table"), "application/yaml table");
    for (accept, expected) in [
        ("", JSON),
        ("*/*", JSON),
        ("application/json;q=0", JSON),
        ("text/html, application/json;q=0.5", JSON),
        ("application/yaml", "application/yaml"),
        (&format!("{TABLE},application/json"), json_table),
        (&format!("{TABLE};q=0.9,application/json"), JSON),
        ("application/yaml;as=Table;g=meta.k8s.io;v=v1", yaml_table),
        ("application/json;as=Table;v=v1", "406"),
        ("application/json;as=Table;g=meta.k8s.io;v=v9", "406"),
        ("application/json;as=Nope", "406"),
        ("application/json;stream=watch", JSON),
        ("application/yaml;stream=watch", "406"),
        (PROTOBUF, PROTOBUF),
        (&format!("{PROTOBUF},application/json"), PROTOBUF),
        (&format!("{PROTOBUF};as=Table;g=meta.k8s.io;v=v1"), "406"),
        // A parameter without a value or with two does not count, and an unreadable quality is 0.
        ("application/json;as=;g=;v=a=b", JSON),
        (
            "application/json;q=x,application/yaml;q=0.1",
            "application/yaml",
        ),
        // A named type precedes an earlier `*/*`, whatever their qualities.
        ("*/*;q=0.9,application/yaml;q=0.1", "application/yaml"),
        ("application/yaml;q=0.1,*/*;q=0.9", JSON),
        ("application,application/yaml", "application/yaml"),
        // The router knows bare types only.
        ("text/html,*/*", JSON),
        ("application/*", "unknown"),
        ("text/html", "unknown"),
        ("garbage", "unknown"),
    ] {
        assert_eq!(form(accept).await, *expected, "{accept}");
    }
    // Errors ignore the requested view: without another encoding they are indented JSON.
    let (code, content_type, text) = get(&api, &(path + "-missing"), TABLE).await;
    assert_eq!((code, content_type.as_str()), (404, JSON));
    assert!(text.starts_with("{\n  \"kind\": \"Status\","), "{text}");
}

#[tokio::test]
async fn fields_are_in_the_order_and_layout_of_go() {
    let api = Api::start().await;
    let mut object = schema("a");
    object["metadata"]["annotations"] = json!({"z": "x,\"{", "a": ""});
    let path = format!("/apis/{GROUP}/v1/flowschemas");
    let created = api.request("POST", &path).json(&object).send().await;
    assert_eq!(created.code(), 201);
    let one = format!("{path}/a");
    let (_, _, compact) = get(&api, &one, "application/json").await;
    let start = format!(
        r#"{{"kind":"FlowSchema","apiVersion":"{GROUP}/v1","metadata":{{"name":"a","uid":"#
    );
    assert!(compact.starts_with(&start), "{compact}");
    let spec = r#""spec":{"priorityLevelConfiguration":{"name":"workload-low"},"matchingPrecedence":5000,"#;
    assert!(compact.contains(spec), "{compact}");
    let (_, _, indented) = get(&api, &format!("{one}?pretty=true"), "application/json").await;
    assert_eq!(parsed(&indented), parsed(&compact));
    for part in [
        "{\n  \"kind\": \"FlowSchema\",\n  \"apiVersion\": ",
        "\n    \"annotations\": {\n      \"a\": \"\",\n      \"z\": \"x,\\\"{\"\n    },\n",
        "\"nonResourceURLs\": [\n              \"/lab/*\"\n            ]\n          }\n        ]\n      }\n    ]\n  },\n",
        "\"f:lab\": {}\n",
    ] {
        assert!(indented.contains(part), "{part}\nis not in\n{indented}");
    }
}

#[tokio::test]
async fn only_large_objects_are_compressed_and_only_by_gzip() {
    const MOST: usize = 128 * 1024;
    let api = Api::start().await;
    let path = format!("/apis/{GROUP}/{SCHEMAS}/a");
    let sizes = async |path: &str, accept: &str, encoding: &str| {
        let request = api.request("GET", path).header("accept", accept);
        let response = request.header("accept-encoding", encoding).send().await;
        let is_packed = response.headers().contains_key("content-encoding");
        (is_packed, response.bytes().await.len())
    };
    let named = |length: usize| {
        let mut object = schema("a");
        object["spec"]["rules"][0]["subjects"][0]["user"]["name"] = "n".repeat(length).into();
        object
    };
    api.send("POST", SCHEMAS, Some(named(MOST - 2000))).await;
    let rest = sizes(&path, "application/json", "").await.1 - (MOST - 2000);
    for (length, is_large) in [(MOST, false), (MOST + 1, true)] {
        let one = format!("{SCHEMAS}/a");
        let replaced = api.send("PUT", &one, Some(named(length - rest))).await;
        assert_eq!(replaced.code, 200);
        assert_eq!(sizes(&path, "application/json", "").await, (false, length));
        let (is_packed, size) = sizes(&path, "application/json", "gzip").await;
        assert_eq!((is_packed, size < length), (is_large, is_large), "{length}");
    }
    for (accept, encoding, packed) in [
        ("application/json", "br, gzip , deflate", true),
        ("application/json", "gzip;q=1.0", false),
        ("application/json", "br", false),
        ("application/yaml", "gzip", true),
    ] {
        assert_eq!(
            sizes(&path, accept, encoding).await.0,
            packed,
            "{accept} {encoding}"
        );
    }
    let mut wide = level("wide", 5);
    wide["spec"]["limited"]["limitResponse"]["queuing"] = json!({"queues": 5000, "handSize": 1});
    assert_eq!(api.send("POST", LEVELS, Some(wide)).await.code, 201);
    let dump = "/debug/api_priority_and_fairness/dump_queues";
    let (is_packed, size) = sizes(dump, "*/*", "gzip").await;
    assert!(!is_packed && size > MOST, "{size}");
}

/// Only a create reads the media type before the parameters.
#[tokio::test]
async fn the_first_error_depends_on_the_verb() {
    let api = Api::start().await;
    for (method, path, code) in [
        ("POST", SCHEMAS.to_owned(), 415),
        ("PUT", format!("{SCHEMAS}/exempt"), 422),
    ] {
        let path = format!("/apis/{GROUP}/{path}?dryRun=maybe");
        let request = api
            .request(method, &path)
            .header("content-type", "text/plain");
        assert_eq!(answer(request.body("{}")).await.code, code, "{method}");
    }
}

/// Only a create reads the media type before the body, and a deletion of a collection reads its parameters before both.
#[tokio::test]
async fn a_large_body_can_have_another_error_first() {
    let api = Api::start().await;
    let large = " ".repeat(3 * 1024 * 1024 + 1);
    let item = format!("{SCHEMAS}/exempt");
    for (method, path, code) in [
        ("POST", SCHEMAS, 415),
        ("PUT", &item, 413),
        ("PUT", &format!("{item}?dryRun=maybe"), 413),
        ("PATCH", &item, 415),
        ("DELETE", &item, 413),
        ("DELETE", SCHEMAS, 413),
        ("DELETE", &format!("{SCHEMAS}?limit=x"), 400),
    ] {
        let request = api
            .request(method, &format!("/apis/{GROUP}/{path}"))
            .header("content-type", "text/plain");
        let found = answer(request.body(large.clone())).await.code;
        assert_eq!(found, code, "{method} {path}");
    }
}

/// The router reads the type of a patch before the `Accept` header, which for deletions does not offer streams.
#[tokio::test]
async fn errors_of_the_router() {
    let api = Api::start().await;
    let path = format!("/apis/{GROUP}/{SCHEMAS}");
    let patch = api
        .request("PATCH", &format!("{path}/exempt"))
        .header("content-type", "application/json");
    let failed = answer(patch.header("accept", "text/html").body("{}")).await;
    assert_eq!(failed.code, 415);
    for (method, offers_streams) in [("GET", true), ("DELETE", false)] {
        let request = api.request(method, &path).header("accept", "text/html");
        let failed = answer(request).await;
        assert_eq!(failed.code, 406, "{method}");
        let streams = failed.body["message"]
            .as_str()
            .unwrap()
            .contains("stream=watch");
        assert_eq!(streams, offers_streams, "{method}");
    }
}

#[tokio::test]
async fn an_error_of_a_replacement_has_no_view() {
    let api = Api::start().await;
    let request = api
        .request("PUT", &format!("/apis/{GROUP}/{LEVELS}/mine"))
        .header("accept", &TABLE.replace("json", "yaml"));
    let response = request.json(&level("mine", 7)).send().await;
    assert_eq!(response.code(), 404);
    assert_eq!(response.headers()["content-type"], "application/json");
}
