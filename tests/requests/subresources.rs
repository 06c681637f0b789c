//! Subresources of other groups: the log of a pod, the token of a service account, patches.

use crate::requests::script::{Act, Script, answer};
use k8s_flowcontrol::json;
use k8s_flowcontrol::meta::{ObjectMeta, Time, Unknown};
use serde_json::Value;

/// A kind of the core group with nothing but metadata.
macro_rules! kind {
    ($kind:ident $name:literal $plural:literal $subresource:literal) => {
        #[derive(Clone, Debug, Default, PartialEq)]
        struct $kind {
            metadata: ObjectMeta,
            unknown: Unknown,
        }

        k8s_flowcontrol::rt::v1::fields! {
            $kind as Resource {
                "metadata" => metadata,
            }
        }

        k8s_flowcontrol::rt::v1::resource! {
            $kind {
                group: "",
                version: "v1",
                kind: $name,
                plural: $plural,
                namespaced: true,
                subresources: [$subresource],
                spec: (),
                status: (),
            }
        }
    };
}

kind!(Pod "Pod" "pods" "log");
kind!(ServiceAccount "ServiceAccount" "serviceaccounts" "token");

#[derive(Clone, Debug, Default, PartialEq)]
struct TokenRequest {
    metadata: ObjectMeta,
    spec: TokenRequestSpec,
    status: Option<TokenRequestStatus>,
    unknown: Unknown,
}

k8s_flowcontrol::rt::v1::fields! {
    TokenRequest as "authentication.k8s.io/v1" "TokenRequest" {
        "metadata" => metadata,
        "spec" => spec,
        "status" => status,
    }
}

#[derive(Clone, Debug, Default, PartialEq)]
struct TokenRequestSpec {
    audiences: Vec<String>,
    expiration_seconds: Option<i64>,
    unknown: Unknown,
}

k8s_flowcontrol::rt::v1::fields! {
    TokenRequestSpec {
        "audiences" => audiences: required,
        "expirationSeconds" => expiration_seconds,
    }
}

#[derive(Clone, Debug, Default, PartialEq)]
struct TokenRequestStatus {
    expiration_timestamp: Option<Time>,
    token: String,
    unknown: Unknown,
}

k8s_flowcontrol::rt::v1::fields! {
    TokenRequestStatus {
        "expirationTimestamp" => expiration_timestamp: required,
        "token" => token,
    }
}

/// Checks the first line of a request, which the script has in lower case.
fn has_line(request: &str, line: &str) {
    let line = line.to_ascii_lowercase() + " http/1.1";
    assert!(request.starts_with(&line), "{request}");
}

#[tokio::test]
async fn a_log_comes_line_by_line() {
    let log = b"2026-11-21T06:23:00.1Z one\n\r\nb\xffd\nlast".as_slice();
    let server = Script::start(vec![answer(200, "", log)]).await;
    let pods = server.client.namespaced_api::<Pod>("default");
    let request = pods.log("web-0").container("app").previous().tail_lines(10);
    let request = request.since_time(&Time::from("2026-11-21T06:00:00Z"));
    let mut log = request.timestamps().limit_bytes(1000).await.unwrap();
    for line in ["2026-11-21T06:23:00.1Z one", "", "b\u{fffd}d", "last"] {
        assert_eq!(log.next().await.unwrap().unwrap(), line);
    }
    assert!(log.next().await.is_none());
    assert!(log.next().await.is_none());
    let request = &server.requests()[0];
    let path = "GET /api/v1/namespaces/default/pods/web-0/log?container=app&previous=true&tailLines=10\
                &sinceTime=2026-11-21T06%3A00%3A00Z&timestamps=true&limitBytes=1000";
    has_line(request, path);
    assert!(!request.contains("gzip"), "{request}");
}

#[tokio::test]
async fn a_log_is_followed_and_bounded() {
    let begun: &[u8] =
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n6\r\none\ntw\r\n2\r\no\n\r\n";
    let server = Script::start(vec![Act::Begin(begun), answer(200, "", "longer\n")]).await;
    let pods = server.client.namespaced_api::<Pod>("default");
    let mut log = pods.log("web-0").follow().since_seconds(60).await.unwrap();
    assert_eq!(log.next_bytes().await.unwrap().unwrap(), b"one");
    assert_eq!(log.next().await.unwrap().unwrap(), "two");
    // The container goes on; the stream is dropped.
    drop(log);
    let mut log = pods.log("web-0").max_line_size(3).await.unwrap();
    let error = log.next().await.unwrap().unwrap_err();
    let expected =
        "GET /api/v1/namespaces/default/pods/web-0/log: a line of the log is longer than 3 bytes";
    assert!(error.to_string().starts_with(expected), "{error}");
    assert!(log.next().await.is_none());
}

#[tokio::test]
async fn a_token_request_has_kinds_of_its_own() {
    let response = r#"{"kind":"TokenRequest","apiVersion":"authentication.k8s.io/v1","metadata":{"name":"builder","namespace":"default","creationTimestamp":"2026-11-21T06:23:00Z"},"spec":{"audiences":["vault"],"expirationSeconds":600,"boundObjectRef":null},"status":{"token":"e30.e30.c2ln","expirationTimestamp":"2026-11-21T06:33:00Z"}}"#;
    let server = Script::start(vec![answer(201, "", response)]).await;
    let accounts = server.client.namespaced_api::<ServiceAccount>("default");
    let wanted = TokenRequest {
        spec: TokenRequestSpec {
            audiences: vec!["vault".to_owned()],
            expiration_seconds: Some(600),
            ..TokenRequestSpec::default()
        },
        ..TokenRequest::default()
    };
    let created = accounts.create_subresource("builder", "token", &wanted);
    let created: TokenRequest = created.read_as().await.unwrap();
    let status = created.status.unwrap();
    assert_eq!(status.token, "e30.e30.c2ln");
    assert_eq!(
        status.expiration_timestamp.unwrap().as_str(),
        "2026-11-21T06:33:00Z"
    );
    let request = &server.requests()[0];
    let path = "POST /api/v1/namespaces/default/serviceaccounts/builder/token";
    has_line(request, path);
    let length = json::to_string(&wanted).len();
    assert!(request.contains(&format!("content-length: {length}\r\n")));
}

#[tokio::test]
async fn a_subresource_is_patched() {
    let scale = r#"{"kind":"Scale","apiVersion":"autoscaling/v1","spec":{"replicas":3}}"#;
    let server = Script::start(vec![answer(200, "", scale), answer(200, "", scale)]).await;
    let pods = server.client.namespaced_api::<Pod>("default");
    let patch = serde_json::json!({"spec": {"replicas": 3}});
    let scale = pods.patch_subresource("web-0", "resize").merge(&patch);
    let scale: Value = scale.read_as().await.unwrap();
    assert_eq!(scale["spec"]["replicas"], 3);
    let applied = pods
        .patch_subresource("web-0", "resize")
        .apply("me", &patch);
    applied.query("force", "true").await.unwrap();
    let requests = server.requests();
    has_line(
        &requests[0],
        "PATCH /api/v1/namespaces/default/pods/web-0/resize",
    );
    assert!(requests[0].contains("application/merge-patch+json"));
    let path = "PATCH /api/v1/namespaces/default/pods/web-0/resize?fieldManager=me&force=true";
    has_line(&requests[1], path);
}
