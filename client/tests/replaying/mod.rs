//! Recordings: which requests they answer, and what they do not contain.

use crate::script::{Reply, Script};
use k8s_flowcontrol::Error;
use k8s_flowcontrol::client::http::Method;
use k8s_flowcontrol::client::{Client, RetryPolicy};
use k8s_flowcontrol::replay::{Recorder, Replay};
use serde_json::{Value, json};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};

const LAST_APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";
const REDACTED: &str = "REDACTED";
/// The same in base64.
const ENCODED: &str = "UkVEQUNURUQ=";

/// The file of a recording, removed at the end of the test.
struct Tape(PathBuf);

impl Drop for Tape {
    fn drop(&mut self) {
        let _gone = std::fs::remove_file(&self.0);
    }
}

/// Sends a request, and returns the body of its response.
async fn send(client: &Client, target: &str, body: &[u8]) -> Result<Vec<u8>, Error> {
    let put = client.raw(Method::PUT, target);
    let put = put.body("application/json", body.to_vec());
    put.retry_policy(RetryPolicy::none()).await
}

/// A recording of a request whose response has the same body.
async fn recorded(target: &str, body: &[u8]) -> (Replay, String) {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let name = format!("k8s-flowcontrol-replaying-{}-{number}", std::process::id());
    let tape = Tape(std::env::temp_dir().join(name));
    let recorder = Recorder::create(&tape.0).unwrap();
    let script = Script::of([Reply::ok(body.to_vec())]);
    let client = recorder.record(script.client());
    // The program itself gets everything.
    assert_eq!(send(&client, target, body).await.unwrap(), body);
    recorder.finish().unwrap();
    let text = std::fs::read_to_string(&tape.0).unwrap();
    (Replay::parse(&text).unwrap(), text)
}

#[test]
fn a_file_that_cannot_be_created_is_named() {
    let error = Recorder::create("missing-folder/tape.jsonl").err().unwrap();
    assert_eq!(error.kind(), std::io::ErrorKind::NotFound);
    let error = error.to_string();
    assert!(error.starts_with("missing-folder/tape.jsonl: "), "{error}");
}

#[tokio::test]
async fn equal_requests() {
    let target = "/a?limit=5&watch=1&timeoutSeconds=7";
    let (replay, _) = recorded(target, br#"{"a":1,"b":[2]}"#).await;
    let target = "/a?watch=1&limit=5&timeoutSeconds=9";
    let client = replay.client().unwrap();
    send(&client, target, br#"{"b":[2],"a":1}"#).await.unwrap();
    replay.finish().unwrap();
}

#[tokio::test]
async fn differences_name_the_place() {
    let body = r#"{"a":{"b/c":[1,2]},"d":1}"#;
    for (target, sent, expected) in [
        ("/a/c?limit=5", body, "the path differs"),
        (
            "/a/b?limit=6",
            body,
            "the query parameter `limit` differs: recorded `5`, sent `6`",
        ),
        (
            "/a/b?limit=5&dryRun=All",
            body,
            "the query parameter `dryRun` differs: recorded none, sent `All`",
        ),
        (
            "/a/b?limit=5",
            r#"{"a":{"b/c":[1,"planted"]},"d":1}"#,
            "the body differs at /a/b~1c/1",
        ),
        (
            "/a/b?limit=5",
            r#"{"a":{"b/c":[1]},"d":1}"#,
            "the body differs at /a/b~1c/1",
        ),
        (
            "/a/b?limit=5",
            r#"{"a":{"b/c":[1,2]},"d":1,"e":0}"#,
            "the body differs at /e",
        ),
        ("/a/b?limit=5", "planted", "the body differs"),
        ("/a/c?limit=6", "planted", "the path differs"),
    ] {
        let (replay, _) = recorded("/a/b?limit=5", body.as_bytes()).await;
        let client = replay.client().unwrap();
        let error = send(&client, target, sent.as_bytes()).await.unwrap_err();
        let text = error.to_string();
        assert!(text.contains(expected), "{text}");
        assert!(!text.contains("planted"), "{text}");
    }
}

/// The body of a replayed response. The recording does not contain the word `planted`.
async fn replayed(path: &str, body: &[u8]) -> Vec<u8> {
    let (replay, text) = recorded(path, body).await;
    assert!(!text.contains("planted"), "{text}");
    send(&replay.client().unwrap(), path, body).await.unwrap()
}

async fn redacted(path: &str, body: &Value) -> Value {
    let body = replayed(path, body.to_string().as_bytes()).await;
    serde_json::from_slice(&body).unwrap()
}

#[tokio::test]
async fn objects_with_secrets() {
    let secret = json!({
        "kind": "Secret",
        "metadata": {"name": "a", "annotations": {LAST_APPLIED: "planted", "b": "c"}},
        "data": {"a": "planted"},
        "stringData": {"b": "planted"},
        "type": "Opaque",
    });
    let clean = json!({
        "kind": "Secret",
        "metadata": {"name": "a", "annotations": {"b": "c"}},
        "data": {"a": ENCODED},
        "stringData": {"b": REDACTED},
        "type": "Opaque",
    });
    let elsewhere = "/apis/a/v1/b";
    assert_eq!(redacted(elsewhere, &secret).await, clean);
    let event = |object: &Value| json!({"type": "ADDED", "object": object});
    assert_eq!(redacted(elsewhere, &event(&secret)).await, event(&clean));
    let list = |object: &Value| json!({"kind": "List", "items": [object, {"kind": "Pod"}]});
    assert_eq!(redacted(elsewhere, &list(&secret)).await, list(&clean));
    let nameless = |object: &Value| {
        let mut object = object.clone();
        object.as_object_mut().unwrap().remove("kind");
        json!({"kind": "SecretList", "items": [object]})
    };
    assert_eq!(
        redacted(elsewhere, &nameless(&secret)).await,
        nameless(&clean)
    );
    for kind in ["TokenRequest", "TokenReview", "ExecCredential"] {
        let token = |text: &str| json!({"kind": kind, "spec": {"token": text, "audiences": ["a"]}, "status": {"token": text}});
        assert_eq!(
            redacted(elsewhere, &token("planted")).await,
            token(REDACTED)
        );
    }
    for harmless in [
        json!({"kind": "FlowSchema", "spec": {"token": "a"}, "data": {"a": "b"}}),
        json!({"kind": "Status", "message": "Secret not found", "details": {"kind": "secrets"}}),
    ] {
        assert_eq!(redacted(elsewhere, &harmless).await, harmless);
    }
}

#[tokio::test]
async fn the_path_tells_the_secrets_of_a_patch() {
    let path = "/api/v1/namespaces/a/secrets/b";
    let merge = |text: &str| json!({"data": {"a": text, "gone": null}});
    assert_eq!(redacted(path, &merge("planted")).await, merge(ENCODED));
    let json_patch = |text: &str| {
        json!([{"op": "test", "path": "/data/a", "value": text},
               {"op": "replace", "path": "/data", "value": {"a": text}}, {"op": "remove", "path": "/x"}])
    };
    assert_eq!(
        redacted(path, &json_patch("planted")).await,
        json_patch(REDACTED)
    );
    let request = |text: &str| json!({"status": {"token": text}});
    for path in [
        "/api/v1/namespaces/a/serviceaccounts/b/token",
        "/apis/authentication.k8s.io/v1/tokenreviews",
    ] {
        assert_eq!(
            redacted(path, &request("planted")).await,
            request(REDACTED),
            "{path}"
        );
    }
}

#[tokio::test]
async fn unreadable_bodies_and_escapes() {
    let secrets = "/api/v1/secrets";
    assert_eq!(replayed(secrets, b"k8s\0planted").await, b"");
    assert_eq!(replayed(secrets, b"").await, b"");
    let metrics = b"requests{kind=\"Secret\"} 1";
    assert_eq!(replayed("/metrics", metrics).await, metrics);
    let cut = b"{\"kind\":\"Secret\",\"da";
    assert_eq!(replayed("/metrics", cut).await, b"");
    let many = "0,".repeat(1_000_000);
    let many = format!(r#"{{"kind":"Secret","data":"planted","more":[{many}0]}}"#);
    assert_eq!(replayed("/metrics", many.as_bytes()).await, b"");
    let hidden = br#"{"kind":"S\u0065cret","data":{"a":"planted"}}"#;
    let clean = replayed("/metrics", hidden).await;
    assert!(String::from_utf8(clean).unwrap().contains(ENCODED));
}

/// A time that grows with the square of the number of exchanges would be minutes.
#[test]
fn many_exchanges() {
    let count = match std::env::var_os("FLOWCONTROL_TEST_ALL") {
        Some(_) => 200_000,
        None => 10_000,
    };
    let request = |number| {
        format!(r#"{{"exchange":{number},"request":{{"method":"GET","path":"/{number}"}}}}"#)
    };
    let lines: Vec<_> = (0..count).map(request).collect();
    let replay = Replay::parse(&lines.join("\n")).unwrap();
    assert!(format!("{replay:?}").contains(&format!("left: {count}")));
}
