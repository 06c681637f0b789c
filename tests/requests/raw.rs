//! Raw requests of any method, as a whole and as a stream, and the headers of responses.

use crate::requests::script::{Act, Script, answer};
use crate::requests::support::{embedded, schema};
use k8s_flowcontrol::client::RetryPolicy;
use k8s_flowcontrol::client::http::Method;
use k8s_flowcontrol_server::Fault;

const SCHEMAS: &str = "/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas";

#[tokio::test]
async fn any_method_with_a_body() {
    let (server, client) = embedded().await;
    let mut object = serde_json::to_value(schema("mine")).unwrap();
    object["apiVersion"] = "flowcontrol.apiserver.k8s.io/v1".into();
    object["kind"] = "FlowSchema".into();
    server.inject(Fault::rejected(0));
    let create = client.raw(Method::POST, &format!("{SCHEMAS}?fieldManager=me"));
    let created = create
        .body("application/json", object.to_string())
        .send()
        .await
        .unwrap();
    assert_eq!((created.code(), created.attempts()), (201, 2));
    let mine = format!("{SCHEMAS}/mine");
    let patch = r#"{"spec":{"matchingPrecedence":77}}"#;
    let patched = client.raw(Method::PATCH, &mine);
    let patched = patched.body("application/merge-patch+json", patch).await;
    let patched: serde_json::Value = serde_json::from_slice(&patched.unwrap()).unwrap();
    assert_eq!(patched["spec"]["matchingPrecedence"], 77);
    let deleted = client.raw(Method::DELETE, &mine).send().await.unwrap();
    assert_eq!(deleted.code(), 200);
    let error = client.raw(Method::DELETE, &mine).await.unwrap_err();
    assert!(error.is_not_found(), "{error}");
}

#[tokio::test]
async fn a_lost_write_is_not_sent_again() {
    for (method, requests) in [(Method::POST, 1), (Method::PUT, 1), (Method::HEAD, 2)] {
        let script = Script::start(vec![Act::Close, answer(200, "", "")]).await;
        let result = script.client.raw(method.clone(), "/x").await;
        assert_eq!(result.is_ok(), requests == 2, "{method}");
        assert_eq!(script.requests().len(), requests, "{method}");
        let line = format!("{} /x http/1.1", method.as_str().to_lowercase());
        assert!(script.requests()[0].starts_with(&line), "{method}");
    }
}

#[tokio::test]
async fn invalid_arguments_are_errors() {
    let (server, client) = embedded().await;
    let trace = client.raw(Method::TRACE, "/x").await.unwrap_err();
    let body = client.raw(Method::POST, "/x").body("a\n", "{}");
    for error in [trace, body.await.unwrap_err()] {
        assert!(error.is_argument(), "{error}");
    }
    assert!(server.requests().is_empty());
}

#[tokio::test]
async fn a_body_as_a_stream() {
    let (_server, client) = embedded().await;
    let whole = client.get_raw("/metrics").await.unwrap();
    let mut stream = client.get_raw("/livez").stream().await.unwrap();
    assert_eq!(stream.code(), 200);
    drop(stream);
    stream = client.get_raw("/openapi/v2").stream().await.unwrap();
    let mut body = stream.into_inner();
    let mut bytes = Vec::new();
    while let Some(chunk) = body.next().await {
        bytes.extend_from_slice(&chunk.unwrap());
    }
    assert!(body.next().await.is_none());
    let document: serde_json::Value = serde_json::from_slice(&bytes).unwrap();
    assert!(document["paths"].is_object() && !whole.is_empty());

    let cut = b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc".to_vec();
    let script = Script::start(vec![Act::Answer(cut)]).await;
    let once = script.client.clone().with_retry_policy(RetryPolicy::none());
    let mut body = once.get_raw("/x").stream().await.unwrap().into_inner();
    assert_eq!(body.next().await.unwrap().unwrap(), "abc");
    let error = body.next().await.unwrap().unwrap_err();
    assert!(
        error.is_retryable() && error.to_string().starts_with("GET /x: "),
        "{error}"
    );
    assert!(body.next().await.is_none());
}

/// Content that has arrived and was not taken yet.
#[tokio::test]
async fn no_debug_output_has_content() {
    let list = r#"{"metadata":{},"items":[{"metadata":{"name":"a"}},{"metadata":{"name":"planted-secret"}}]}"#;
    let script = Script::start(vec![
        answer(200, "", list),
        answer(200, "", "first\nplanted-secret\n"),
    ])
    .await;
    let schemas = script.client.flow_schemas();
    let mut items = schemas.list().items();
    items.next().await.unwrap().unwrap();
    let shown = format!("{items:?}");
    assert!(!shown.contains("planted-secret"), "{shown}");
    assert!(items.next().await.is_some());
    let mut lines = schemas.log("a").await.unwrap();
    assert_eq!(lines.next().await.unwrap().unwrap(), "first");
    let shown = format!("{lines:?}");
    assert!(!shown.contains("planted-secret"), "{shown}");
    assert_eq!(lines.next().await.unwrap().unwrap(), "planted-secret");
}

#[tokio::test]
async fn the_headers_of_a_response() {
    let script = Script::start(vec![
        answer(200, "ETag: \"7\"\r\nSet-Cookie: planted-secret\r\n", "{}"),
        answer(404, "X-Proxy: a\r\nX-Proxy: b\r\n", "{}"),
    ])
    .await;
    let response = script.client.get_raw("/x").send().await.unwrap();
    assert_eq!(response.headers()["etag"], "\"7\"");
    assert_eq!(response.headers()["set-cookie"], "planted-secret");
    assert!(!format!("{response:?}").contains("planted-secret"));
    let error = script.client.get_raw("/x").await.unwrap_err();
    let values = error.headers().unwrap().get_all("x-proxy");
    assert_eq!(values.iter().collect::<Vec<_>>(), ["a", "b"]);
    let unsent = script.client.get_raw("x").await.unwrap_err();
    assert!(unsent.headers().is_none());
}
