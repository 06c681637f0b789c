//! Representations of responses, and the headers and dumps of flow control.

use crate::api::support::{Api, GROUP};
use serde_json::Value;

pub(crate) const TABLE: &str = "application/json;as=Table;g=meta.k8s.io;v=v1";
const PARTIAL: &str = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1";
const PARTIAL_LIST: &str = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1";

/// The code, the content type and the text.
pub(crate) async fn get(api: &Api, path: &str, accept: &str) -> (u16, String, String) {
    let response = api.request("GET", path).header("accept", accept).send();
    let mut response = response.await;
    let content_type = response.headers().get("content-type").unwrap();
    let content_type = content_type.to_str().unwrap().to_owned();
    let mut text = Vec::new();
    while let Some(chunk) = response.chunk().await {
        text.extend_from_slice(&chunk);
    }
    (
        response.code(),
        content_type,
        String::from_utf8(text).unwrap(),
    )
}

pub(crate) fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

#[tokio::test]
async fn yaml_has_the_layout_of_the_server() {
    let api = Api::with(|builder| builder.kubernetes("1.29")).await;
    let (code, content_type, text) = get(&api, &format!("/apis/{GROUP}"), "application/yaml").await;
    assert_eq!((code, content_type.as_str()), (200, "application/yaml"));
    assert_eq!(
        text,
        format!(
            "apiVersion: v1\nkind: APIGroup\nname: {GROUP}\npreferredVersion:\n  groupVersion: {GROUP}/v1\n  \
             version: v1\nversions:\n- groupVersion: {GROUP}/v1\n  version: v1\n- groupVersion: \
             {GROUP}/v1beta3\n  version: v1beta3\n"
        )
    );
    let path = format!("/apis/{GROUP}/v1/flowschemas/missing");
    let (code, content_type, text) = get(&api, &path, "application/yaml").await;
    assert_eq!((code, content_type.as_str()), (404, "application/yaml"));
    assert!(
        text.starts_with("apiVersion: v1\ncode: 404\ndetails:\n"),
        "{text}"
    );
}

#[tokio::test]
async fn tables_have_the_columns_of_kubectl() {
    let api = Api::start().await;
    let path = format!("/apis/{GROUP}/v1/flowschemas");
    let (_, _, text) = get(&api, &path, TABLE).await;
    let table = json(&text);
    assert_eq!(table["kind"], "Table");
    let titles = table["columnDefinitions"].as_array().unwrap().iter();
    let titles: Vec<_> = titles.map(|column| &column["name"]).collect();
    let expected = [
        "Name",
        "PriorityLevel",
        "MatchingPrecedence",
        "DistinguisherMethod",
        "Age",
        "MissingPL",
    ];
    assert_eq!(titles, expected);
    // Sorted by precedence.
    let first = &table["rows"][0];
    assert_eq!(first["cells"][0], "exempt");
    assert_eq!(first["cells"][3], "<none>");
    assert_eq!(first["cells"][5], "False");
    assert_eq!(first["object"]["kind"], "PartialObjectMetadata");
    assert_eq!(first["object"].get("spec"), None);

    let path = format!("/apis/{GROUP}/v1/prioritylevelconfigurations/exempt?includeObject=None");
    let (_, _, text) = get(&api, &path, TABLE).await;
    let table = json(&text);
    assert_eq!(table["rows"][0]["cells"][2], "<none>");
    assert_eq!(table["rows"][0]["object"], Value::Null);

    let (code, _, _) = get(&api, &path.replace("None", "Some"), TABLE).await;
    assert_eq!(code, 400);
}

#[tokio::test]
async fn partial_metadata_is_for_one_object_or_for_a_list() {
    let api = Api::start().await;
    let list = format!("/apis/{GROUP}/v1/flowschemas");
    let one = format!("{list}/exempt");
    let (code, _, text) = get(&api, &one, PARTIAL).await;
    assert_eq!(code, 200);
    assert_eq!(json(&text)["apiVersion"], "meta.k8s.io/v1");
    assert_eq!(json(&text)["metadata"]["name"], "exempt");
    let (code, _, text) = get(&api, &list, PARTIAL_LIST).await;
    assert_eq!(
        (code, &json(&text)["kind"]),
        (200, &"PartialObjectMetadataList".into())
    );
    let empty = format!("{list}?labelSelector=none");
    let (_, _, text) = get(&api, &empty, PARTIAL_LIST).await;
    assert_eq!(json(&text)["items"], serde_json::Value::Null);
    for (path, accept) in [(&one, PARTIAL_LIST), (&list, PARTIAL)] {
        let (code, _, text) = get(&api, path, accept).await;
        assert_eq!(code, 406, "{text}");
        assert!(
            text.contains("you requested PartialObjectMetadata"),
            "{text}"
        );
    }
}

#[tokio::test]
async fn a_watch_has_views_but_no_yaml() {
    let api = Api::start().await;
    let path = format!("/apis/{GROUP}/v1/flowschemas?watch=true&timeoutSeconds=1");
    let (_, _, text) = get(&api, &path, TABLE).await;
    let events: Vec<Value> = text.lines().map(json).collect();
    assert!(events[0]["object"]["columnDefinitions"].is_array());
    assert!(events[1]["object"]["columnDefinitions"].is_null());
    let (code, content_type, text) = get(&api, &path, "application/yaml").await;
    assert_eq!((code, content_type.as_str()), (406, "application/yaml"));
    assert!(text.contains("application/json;stream=watch"), "{text}");
    let (code, _, text) = get(&api, &path, PARTIAL_LIST).await;
    assert_eq!((code, text.as_str()), (200, ""));
}

#[tokio::test]
async fn responses_carry_the_uids_of_the_classification() {
    let tokens = "admin-token,admin,1,\"system:masters\"\nbob-token,bob,2\n";
    let api = Api::with(|builder| builder.tokens(tokens)).await;
    for (token, path, schema, level) in [
        ("admin-token", "/version", "exempt", "exempt"),
        ("bob-token", "/healthz", "probes", "exempt"),
        ("bob-token", "/version", "global-default", "global-default"),
    ] {
        let bearer = |token: &str| format!("Bearer {token}");
        let request = api.request("GET", path);
        let response = request.header("authorization", &bearer(token)).send().await;
        let uid = async |plural: &str, name: &str| {
            let path = format!("/apis/{GROUP}/v1/{plural}/{name}");
            let request = api.request("GET", &path);
            let mut response = request
                .header("authorization", &bearer("admin-token"))
                .send()
                .await;
            let text = response.chunk().await.unwrap();
            let object: Value = serde_json::from_slice(&text).unwrap();
            object["metadata"]["uid"].as_str().unwrap().to_owned()
        };
        let headers = response.headers();
        let expected = uid("flowschemas", schema).await;
        assert_eq!(headers["x-kubernetes-pf-flowschema-uid"], *expected);
        let expected = uid("prioritylevelconfigurations", level).await;
        assert_eq!(headers["x-kubernetes-pf-prioritylevel-uid"], *expected);
    }
}

#[tokio::test]
async fn dumps_are_tables() {
    let api = Api::with(|builder| builder.kubernetes("1.29")).await;
    let dump = async |name: &str| {
        let path = format!("/debug/api_priority_and_fairness/{name}");
        let (_, content_type, text) = get(&api, &path, "*/*").await;
        assert_eq!(content_type, "text/plain; charset=utf-8");
        text
    };
    let levels = dump("dump_priority_levels").await;
    let lines: Vec<_> = levels.lines().collect();
    assert!(lines[0].starts_with("PriorityLevelName, ActiveQueues, IsIdle, IsQuiescing, "));
    assert!(lines[0].ends_with(" CancelledRequests"));
    // Only the request itself is executing.
    assert!(
        lines[2].starts_with(
            "exempt,            0,            false,  false,       0,               1, "
        )
    );
    assert_eq!(lines.len(), 9);
    let queues = dump("dump_queues").await;
    assert!(
        queues.starts_with("PriorityLevelName, Index,  "),
        "{queues}"
    );
    assert_eq!(queues.lines().count(), 529);
    let requests = dump("dump_requests?includeRequestDetails=1").await;
    assert_eq!(requests.lines().count(), 2);
    assert!(
        requests.contains("/debug/api_priority_and_fairness/dump_requests,"),
        "{requests}"
    );

    let old = Api::with(|builder| builder.kubernetes("1.27")).await;
    let path = "/debug/api_priority_and_fairness/dump_priority_levels";
    let (_, _, text) = get(&old, path, "*/*").await;
    assert!(text.lines().next().unwrap().ends_with(" ExecutingRequests"));
    assert!(
        text.contains("exempt,            <none>,       <none>, "),
        "{text}"
    );
}

#[tokio::test]
async fn a_verbose_health_check_lists_its_parts() {
    let api = Api::start().await;
    let (code, _, text) = get(&api, "/livez?verbose", "*/*").await;
    assert_eq!(code, 200);
    assert!(text.starts_with("[+]ping ok\n") && text.ends_with("livez check passed\n"));
    assert_eq!(get(&api, "/livez", "*/*").await.2, "ok");
}

#[tokio::test]
async fn protocol_buffers_are_written_on_request() {
    const PROTOBUF: &str = "application/vnd.kubernetes.protobuf";
    const STREAM: &str = "application/vnd.kubernetes.protobuf;stream=watch";
    let api = Api::start().await;
    let levels = format!("/apis/{GROUP}/v1/prioritylevelconfigurations");
    let watch = format!("{levels}?watch=true&timeoutSeconds=1");
    for (path, accept, code, content_type, part) in [
        (
            format!("{levels}/catch-all"),
            PROTOBUF,
            200,
            PROTOBUF,
            "PriorityLevelConfiguration",
        ),
        (
            levels.clone(),
            PROTOBUF,
            200,
            PROTOBUF,
            "PriorityLevelConfigurationList",
        ),
        (
            format!("{levels}/missing"),
            PROTOBUF,
            404,
            PROTOBUF,
            "Status",
        ),
        (
            format!("/apis/{GROUP}/v1"),
            PROTOBUF,
            200,
            PROTOBUF,
            "APIResourceList",
        ),
        (watch.clone(), PROTOBUF, 200, STREAM, "ADDED"),
        (watch, STREAM, 200, STREAM, "ADDED"),
    ] {
        let response = api
            .request("GET", &path)
            .header("accept", accept)
            .send()
            .await;
        assert_eq!(response.code(), code, "{path}");
        assert_eq!(response.headers()["content-type"], content_type, "{path}");
        let mut response = response;
        let bytes = response.chunk().await.unwrap();
        let is_enveloped = bytes.starts_with(b"k8s\0");
        assert_eq!(is_enveloped, content_type == PROTOBUF, "{path}");
        let contains = bytes
            .windows(part.len())
            .any(|window| window == part.as_bytes());
        assert!(contains, "{path}: no {part}");
    }
    let table = format!("{PROTOBUF};as=Table;g=meta.k8s.io;v=v1");
    assert_eq!(get(&api, &levels, &table).await.0, 406);
}
