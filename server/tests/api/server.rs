//! Start and stop of the server, headers and recorded requests.

use crate::api::http::Http;
use crate::api::support::{Api, GROUP, LEVELS, answer, level};
use k8s_flowcontrol_server::ApiServer;
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

#[tokio::test]
async fn an_unknown_release_fails_at_the_start() {
    let error = ApiServer::builder()
        .kubernetes("1.99")
        .start()
        .await
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "the API server cannot start: `1.99` is not a known Kubernetes release: expected 1.25 to 1.37"
    );
    // The output of a test that returns the error.
    assert_eq!(format!("{error:?}"), error.to_string());
}

#[tokio::test]
async fn built_in_kinds_cannot_be_served_from_a_document() {
    let builder = ApiServer::builder().serve(k8s_flowcontrol_types::api::v1::RESOURCES);
    let error = builder.start().await.unwrap_err();
    assert_eq!(
        error.to_string(),
        format!(
            "the API server cannot start: the kind FlowSchema of {GROUP} is built in and cannot be served from a \
             document"
        )
    );
}

#[tokio::test]
async fn dropping_a_server_frees_its_port() {
    let server = ApiServer::start().await.unwrap();
    let port = server.port();
    server.stop().await;
    let again = ApiServer::builder().port(port).start().await.unwrap();
    assert_eq!(again.url(), format!("http://127.0.0.1:{port}"));
    let taken = ApiServer::builder().port(port).start().await.unwrap_err();
    assert!(taken.to_string().contains("choose another port"), "{taken}");
}

#[tokio::test]
async fn the_error_of_an_address_of_another_host_names_the_remedy() {
    // Of a block for documentation, which no host has.
    let address = [192, 0, 2, 1].into();
    let builder = ApiServer::builder().address(address).unprotected();
    let error = builder.start().await.unwrap_err().to_string();
    assert!(error.ends_with("choose an address of this host"), "{error}");
}

#[tokio::test]
async fn the_debug_form_names_the_release() {
    let server = ApiServer::builder().kubernetes("1.31").start().await;
    let server = format!("{:?}", server.unwrap());
    assert!(server.contains("kubernetes: 1.31,"), "{server}");
}

#[tokio::test]
async fn the_kubeconfig_names_the_server() {
    let server = ApiServer::start().await.unwrap();
    let line = format!("    server: {}\n", server.url());
    assert!(
        server.kubeconfig().contains(&line),
        "{}",
        server.kubeconfig()
    );
}

#[tokio::test]
async fn every_response_carries_the_servers_headers() {
    let api = Api::start().await;
    let uid = api.get("v1/flowschemas/exempt").await.body["metadata"]["uid"].clone();
    for path in [
        "/nope".to_owned(),
        format!("/apis/{GROUP}/v9"),
        "/healthz".to_owned(),
    ] {
        let response = api.request("GET", &path).send().await;
        let header = |name: &str| response.headers()[name].to_str().unwrap().to_owned();
        assert_eq!(header("cache-control"), "no-cache, private");
        assert_eq!(header("audit-id").len(), 36);
        assert_eq!(
            json!(header("x-kubernetes-pf-flowschema-uid")),
            uid,
            "{path}"
        );
    }
}

#[tokio::test]
async fn a_client_can_name_its_request() {
    let api = Api::start().await;
    for path in ["/healthz", "/nope", "/version?timeout=x"] {
        let request = api.request("GET", path).header("audit-id", "mine");
        assert_eq!(request.send().await.headers()["audit-id"], "mine", "{path}");
    }
}

#[tokio::test]
async fn discovery_lists_the_served_versions() {
    let api = Api::start().await;
    let resources = api.get("v1").await.body;
    let names: Vec<_> = resources["resources"]
        .as_array()
        .unwrap()
        .iter()
        .map(|r| r["name"].clone())
        .collect();
    assert_eq!(
        names,
        [
            "flowschemas",
            "flowschemas/status",
            "prioritylevelconfigurations",
            "prioritylevelconfigurations/status"
        ]
    );
    for (path, expected) in [
        ("/api", json!("APIVersions")),
        ("/apis", json!("APIGroupList")),
    ] {
        assert_eq!(
            answer(api.request("GET", path)).await.body["kind"],
            expected
        );
    }
    assert_eq!(answer(api.request("GET", "/readyz")).await.body, "ok");
    assert_eq!(
        answer(api.request("GET", "/version")).await.body["minor"],
        "37"
    );
}

#[tokio::test]
async fn unknown_paths_and_methods_are_404_and_405() {
    let api = Api::start().await;
    let nowhere = answer(api.request("GET", "/nope")).await;
    assert_eq!(
        (nowhere.code, nowhere.body),
        (404, json!("404 page not found\n"))
    );
    for (method, path, code) in [
        ("GET", "v1/nopes", 404),
        ("GET", "v1//flowschemas", 404),
        ("GET", "v1/flowschemas/a/scale", 404),
        ("POST", "v1/flowschemas/a", 405),
        ("PUT", "v1/flowschemas", 405),
        ("LINK", "v1/flowschemas", 405),
        ("POST", "v1/watch/flowschemas", 405),
    ] {
        let answer = api.send(method, path, None).await;
        assert_eq!(answer.code, code, "{method} {path}");
        assert_eq!(answer.body["kind"], "Status", "{method} {path}");
    }
}

#[tokio::test]
async fn requests_are_recorded() {
    let api = Api::with(|builder| builder.record_requests()).await;
    let path = format!("{LEVELS}?dryRun=All&fieldManager=a%20b");
    api.send("POST", &path, Some(level("x", 1))).await;
    let [request] = &api.server.requests()[..] else {
        panic!("one request was sent");
    };
    assert_eq!(request.method, "POST");
    assert_eq!(request.path, format!("/apis/{GROUP}/{LEVELS}"));
    let query = [("dryRun", "All"), ("fieldManager", "a b")];
    assert_eq!(
        request.query,
        query.map(|(name, value)| (name.into(), value.into()))
    );
    assert_eq!(request.header("content-type"), Some("application/json"));
    assert_eq!(request.body, level("x", 1).to_string().into_bytes());
}

#[tokio::test]
async fn recorded_credentials_are_not_printed() {
    let tokens = "s3cret,alice,1,system:masters";
    let api = Api::with(|builder| builder.record_requests().tokens(tokens)).await;
    let request = api
        .request("GET", "/version")
        .header("authorization", "Bearer s3cret")
        .header("cookie", "session=s3cret");
    request.send().await;
    let [request] = &api.server.requests()[..] else {
        panic!("one request was sent");
    };
    assert_eq!(request.header("Authorization"), Some("Bearer s3cret"));
    assert!(!format!("{request:?}").contains("s3cret"));
}

#[tokio::test]
async fn a_server_starts_with_objects() {
    let typed = k8s_flowcontrol_types::api::v1::FlowSchema::default();
    let builder = || ApiServer::builder().kubernetes("1.36");
    let mut old = level("old", 7);
    old["apiVersion"] = format!("{GROUP}/v1").into();
    old["kind"] = "PriorityLevelConfiguration".into();
    old["metadata"]["resourceVersion"] = "12345".into();
    let api = Api::with(|builder| builder.kubernetes("1.36").objects([&old])).await;
    let found = api.get(&format!("{LEVELS}/old")).await.body;
    assert_eq!(found["spec"]["limited"]["nominalConcurrencyShares"], 7);
    assert_eq!(
        api.get(&format!("{LEVELS}/exempt")).await.code,
        200,
        "the bootstrap pass has run"
    );

    for (object, why) in [
        (
            serde_json::to_value(typed).unwrap(),
            "name or generateName is required",
        ),
        (
            serde_json::json!({"kind": "Pod", "apiVersion": "v1"}),
            "no such kind is served",
        ),
        (
            serde_json::json!({"kind": "FlowSchema"}),
            "FlowSchema \"\" without apiVersion: no such kind is served",
        ),
        (serde_json::json!([]), "no such kind is served"),
        (
            serde_json::json!({"kind": "FlowSchema", "apiVersion": format!("{GROUP}/v1beta3")}),
            "no such kind is served; the server has FlowSchema of flowcontrol.apiserver.k8s.io/v1, PriorityLevel",
        ),
        (
            serde_json::json!({"kind": "List", "apiVersion": "v1", "items": []}),
            "a list is not an object: give its items",
        ),
    ] {
        let error = builder()
            .objects([object])
            .start()
            .await
            .unwrap_err()
            .to_string();
        assert!(error.contains(why), "{error}");
    }
    struct NotJson;
    impl serde::Serialize for NotJson {
        fn serialize<S: serde::Serializer>(&self, _: S) -> Result<S::Ok, S::Error> {
            Err(serde::ser::Error::custom("a reason"))
        }
    }
    let error = builder().objects([NotJson]).start().await.unwrap_err();
    assert!(error.to_string().contains("a reason"), "{error}");
    old["spec"]["bogus"] = 1.into();
    let error = builder()
        .objects([old])
        .start()
        .await
        .unwrap_err()
        .to_string();
    let start =
        "the API server cannot start with PriorityLevelConfiguration \"old\" of flowcontrol";
    assert!(
        error.starts_with(start) && error.contains("unknown field \"spec.bogus\""),
        "{error}"
    );
}

/// Sends bytes on a new connection.
async fn send_bytes(api: &Api, head: &str, body: &[u8]) -> TcpStream {
    let address = ("127.0.0.1", api.server.port());
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(head.as_bytes()).await.unwrap();
    stream.write_all(body).await.unwrap();
    stream
}

/// The response up to `last`, or to the end of the connection.
async fn bytes_until(mut stream: TcpStream, last: &str) -> String {
    let mut answer = Vec::new();
    while stream.read_buf(&mut answer).await.unwrap() > 0 {
        if String::from_utf8_lossy(&answer).contains(last) {
            break;
        }
    }
    String::from_utf8(answer).unwrap()
}

#[tokio::test]
async fn a_too_large_body_gets_a_413() {
    let api = Api::start().await;
    let size = 12 * 1024 * 1024;
    let head = format!(
        "POST /apis/{GROUP}/{LEVELS} HTTP/1.1\r\nhost: localhost\r\ncontent-length: {size}\r\n\r\n"
    );
    let stream = send_bytes(&api, &head, &vec![b' '; size]).await;
    // The client reads before it closes: a connection that it closes may lose the response.
    let answer = bytes_until(stream, "limit is 3145728").await;
    assert!(answer.starts_with("HTTP/1.1 413"), "{answer}");
    assert!(answer.contains("limit is 3145728"), "{answer}");
}

#[tokio::test]
async fn a_truncated_body_is_an_error() {
    let api = Api::start().await;
    let body = format!("{}\n", level("half", 1));
    let head = format!(
        "POST /apis/{GROUP}/{LEVELS} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/yaml\r\ncontent-length: {}\r\n\r\n",
        body.len() + 100
    );
    let mut stream = send_bytes(&api, &head, body.as_bytes()).await;
    stream.shutdown().await.unwrap();
    let answer = bytes_until(stream, "never").await;
    assert!(!answer.starts_with("HTTP/1.1 2"), "{answer}");
    assert_eq!(api.get(&format!("{LEVELS}/half")).await.code, 404);
}

#[tokio::test]
async fn http2_without_negotiation() {
    let api = Api::start().await;
    let client = Http::http2();
    let url = |path: &str| format!("{}/apis/{GROUP}/{path}", api.server.url());
    let level = level("of-http2", 5);
    let created = client.request("POST", url(LEVELS)).json(&level);
    assert_eq!(answer(created).await.code, 201);
    assert_eq!(api.get(&format!("{LEVELS}/of-http2")).await.code, 200);
    // Requests share a connection, on which a watch ends when the server restarts.
    let watch = format!("{LEVELS}?watch=true&fieldSelector=metadata.name%3Dof-http2");
    let mut watch = client.request("GET", url(&watch)).send().await;
    let first = watch.chunk().await.unwrap();
    assert!(first.starts_with(b"{\"type\":\"ADDED\""), "{first:?}");
    api.server.upgrade("1.36").await.unwrap();
    assert_eq!(watch.text().await, "");
    let list = client.request("GET", url(LEVELS));
    assert_eq!(answer(list).await.code, 200);
}
