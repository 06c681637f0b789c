//! The limits of the server: object sizes, history, headers, and the hosts that it serves.

use crate::api::support::{Answer, Api, GROUP, SCHEMAS, answer, schema};
use serde_json::Value;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

const MIB: usize = 1 << 20;

/// A FlowSchema of about `size` bytes.
fn large(name: &str, size: usize) -> Value {
    let mut schema = schema(name);
    schema["spec"]["rules"][0]["subjects"][0]["user"]["name"] = "n".repeat(size).into();
    schema
}

#[tokio::test]
async fn an_object_that_is_too_large_for_etcd_is_an_error() {
    let api = Api::start().await;
    let path = format!("{SCHEMAS}/a");
    let too_large = MIB * 3 / 2;
    let expected = serde_json::json!({
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": {},
        "status": "Failure",
        "message": "etcdserver: request is too large",
        "code": 500,
    });
    let create = |size: usize, query: &str| {
        let path = format!("{SCHEMAS}{query}");
        let (api, object) = (&api, large("a", size));
        async move { api.send("POST", &path, Some(object)).await }
    };
    let refused = create(too_large, "").await;
    assert_eq!((refused.code, refused.body), (500, expected.clone()));
    assert_eq!(api.get(&path).await.code, 404);
    let dry_run = create(too_large, "?dryRun=All").await;
    assert_eq!(dry_run.code, 201, "a dry run does not reach the storage");
    let created = create(too_large - 10_000, "").await;
    assert_eq!(created.code, 201);
    let before = api.get(&path).await.body;
    let refused = api.send("PUT", &path, Some(large("a", too_large))).await;
    assert_eq!((refused.code, refused.body), (500, expected));
    assert_eq!(api.get(&path).await.body, before);
}

/// Managed fields may be lost, but not those that an applier asks for.
#[tokio::test]
async fn an_object_gives_up_its_managed_fields_before_it_is_too_large() {
    let api = Api::start().await;
    let mut object = large("a", MIB * 3 / 2 - 200_000);
    for number in 0..2000 {
        object["metadata"]["labels"][format!("{number:060}")] = "".into();
    }
    let path = format!("{SCHEMAS}/a");
    let apply = format!("{path}?fieldManager=m");
    assert_eq!(api.apply(&apply, object.clone()).await.code, 500);
    let created = api.send("POST", SCHEMAS, Some(object)).await;
    assert_eq!(created.code, 201);
    assert_eq!(created.body["metadata"].get("managedFields"), None);
    let patch = serde_json::json!({"metadata": {"labels": {"more": ""}}});
    let patched = api
        .patch(&path, "application/merge-patch+json", patch)
        .await;
    assert_eq!(patched.code, 200);
}

#[tokio::test]
async fn the_history_is_bounded_by_bytes() {
    const SIZE: usize = 64 << 10;
    let api = Api::with(|builder| builder.history_bytes(4 * SIZE)).await;
    let list_at = |version: String| {
        let path = format!("{SCHEMAS}?resourceVersion={version}&resourceVersionMatch=Exact");
        let api = &api;
        async move { api.get(&path).await.code }
    };
    let version = |answer: &Answer| {
        let version = answer.body["metadata"]["resourceVersion"].as_str();
        version.unwrap().to_owned()
    };
    let created = api.send("POST", SCHEMAS, Some(large("a", SIZE))).await;
    let mut versions = vec![version(&created)];
    for size in 1..=8 {
        let path = format!("{SCHEMAS}/a");
        let replaced = api.send("PUT", &path, Some(large("a", SIZE + size))).await;
        assert_eq!(replaced.code, 200);
        versions.push(version(&replaced));
    }
    assert_eq!(list_at(versions[0].clone()).await, 410);
    assert_eq!(list_at(versions[6].clone()).await, 200);
    let watch = format!(
        "/apis/{GROUP}/{SCHEMAS}?watch=true&resourceVersion={}",
        versions[0]
    );
    let watch = answer(api.request("GET", &watch)).await;
    assert_eq!(watch.body["type"], "ERROR");
    assert_eq!(watch.body["object"]["code"], 410);
}

#[tokio::test]
async fn a_change_larger_than_the_history_reaches_its_watches() {
    let api = Api::with(|builder| builder.history_bytes(1)).await;
    let created = api.send("POST", SCHEMAS, Some(schema("a"))).await;
    assert_eq!(created.code, 201);
    let list = api.get(SCHEMAS).await.body;
    let version = list["metadata"]["resourceVersion"].as_str().unwrap();
    let path = format!("/apis/{GROUP}/{SCHEMAS}?watch=true&resourceVersion={version}");
    let mut watch = api.request("GET", &path).send().await;
    let deleted = api.send("DELETE", &format!("{SCHEMAS}/a"), None).await;
    assert_eq!(deleted.code, 200);
    let event = watch.chunk().await.unwrap();
    assert!(event.starts_with(br#"{"type":"DELETED""#));
}

#[tokio::test]
async fn headers_that_do_not_end_are_cut_off() {
    let api = Api::with(|builder| builder.header_timeout(Duration::from_millis(50))).await;
    let address = ("127.0.0.1", api.server.port());
    let mut stream = TcpStream::connect(address).await.unwrap();
    let head = b"GET /version HTTP/1.1\r\nhost: localhost\r\nx-slow: ";
    stream.write_all(head).await.unwrap();
    let mut rest = Vec::new();
    // Ends when the server closes the connection, which it may also reset.
    let _closed = stream.read_to_end(&mut rest).await;
    assert!(!rest.starts_with(b"HTTP/1.1 200"));
}

#[tokio::test]
async fn the_longest_time_for_headers_is_a_time() {
    let api = Api::with(|builder| builder.header_timeout(Duration::MAX)).await;
    assert_eq!(answer(api.request("GET", "/version")).await.code, 200);
}

async fn version_for(api: &Api, header: &str, value: &str) -> Answer {
    answer(api.request("GET", "/version").header(header, value)).await
}

#[tokio::test]
async fn only_loopback_names_are_served() {
    let api = Api::start().await;
    for host in [
        "localhost",
        "LocalHost:8080",
        "api.localhost",
        "localhost.",
        "127.0.0.1:1",
        "127.1.2.3",
        "[::1]:6443",
    ] {
        assert_eq!(version_for(&api, "host", host).await.code, 200, "{host}");
    }
    for host in [
        "evil.example",
        "localhost.evil.example",
        "notlocalhost",
        "127.0.0.1.evil.example:80",
        "10.0.0.1",
        "0.0.0.0",
        "[2001:db8::1]",
    ] {
        let refused = version_for(&api, "host", host).await;
        assert_eq!(refused.code, 403, "{host}");
        assert_eq!(refused.body["kind"], "Status");
        assert_eq!(refused.body["reason"], "Forbidden");
        let message = refused.body["message"].as_str().unwrap();
        assert!(message.contains(host), "{message}");
        assert!(message.contains("use localhost or 127.0.0.1"), "{message}");
    }
}

#[tokio::test]
async fn only_pages_of_this_host_are_served() {
    let api = Api::start().await;
    for origin in ["http://localhost:3000", "https://127.0.0.1", "http://[::1]"] {
        let served = version_for(&api, "origin", origin).await;
        assert_eq!(served.code, 200, "{origin}");
    }
    for origin in [
        "https://evil.example",
        "null",
        "http://localhost.evil.example",
        "",
    ] {
        let refused = version_for(&api, "origin", origin).await;
        assert_eq!(refused.code, 403, "{origin}");
    }
    let mut object = schema("a");
    object["metadata"]["name"] = "from-a-page".into();
    let path = format!("/apis/{GROUP}/{SCHEMAS}");
    let request = api.request("POST", &path).json(&object);
    let refused = answer(request.header("origin", "https://evil.example")).await;
    assert_eq!(refused.code, 403);
    assert_eq!(api.get(&format!("{SCHEMAS}/from-a-page")).await.code, 404);
}

#[tokio::test]
async fn a_server_for_any_host_serves_others() {
    let api = Api::with(|builder| builder.any_host()).await;
    assert_eq!(version_for(&api, "host", "proxy.example").await.code, 200);
    let served = version_for(&api, "origin", "https://ui.example").await;
    assert_eq!(served.code, 200);
}

/// Sends a request, and returns the beginning of the response.
async fn health(stream: &mut TcpStream) -> String {
    let request = b"GET /livez HTTP/1.1\r\nhost: localhost\r\n\r\n";
    stream.write_all(request).await.unwrap();
    let mut received = [0; 1024];
    let length = stream.read(&mut received).await.unwrap();
    String::from_utf8_lossy(&received[..length]).into_owned()
}

#[tokio::test]
async fn more_connections_than_allowed_wait() {
    let api = Api::with(|builder| builder.max_connections(2)).await;
    let address = ("127.0.0.1", api.server.port());
    let connect = async || TcpStream::connect(address).await.unwrap();
    let (mut first, mut second, mut third) = (connect().await, connect().await, connect().await);
    let mut waiting = Box::pin(health(&mut third));
    for _ in 0..20 {
        // The first poll sends the request; polled first, its response would be noticed.
        tokio::select! {
            biased;
            response = &mut waiting => panic!("{response}"),
            served = health(&mut first) => assert!(served.contains("200 OK"), "{served}"),
        }
        assert!(health(&mut second).await.contains("200 OK"));
    }
    drop(second);
    assert!(waiting.await.contains("200 OK"));
    assert!(health(&mut first).await.contains("200 OK"));
}
