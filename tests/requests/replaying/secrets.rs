//! Recordings do not contain secrets, and replaying does not add any.

use super::{Tape, get};
use crate::requests::script::{Script, answer};
use k8s_flowcontrol::client::{Client, http};
use k8s_flowcontrol::config::Secret;
use k8s_flowcontrol::replay::Replay;
use serde_json::json;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

#[tokio::test]
async fn secrets_in_bodies_and_cookies_are_not_recorded() {
    let token = json!({"kind": "TokenRequest", "status": {"token": "planted-1"}}).to_string();
    let secret = json!({"kind": "Secret", "metadata": {"name": "b"}, "data": {"a": "planted-2"}});
    let line = format!("{}\n", json!({"type": "ADDED", "object": secret}));
    let cookie = "Set-Cookie: planted-3\r\nWarning: 299 - \"kept\"\r\n";
    let script = Script::start(vec![
        answer(201, cookie, &token),
        answer(200, cookie, secret.to_string()),
        answer(200, "", &line),
        answer(
            200,
            "",
            "{\"kind\":\"Secret\",\"data\":{\"a\":\"planted-4\"}",
        ),
    ])
    .await;
    let tape = Tape::new();
    let recorder = tape.recorder();
    let client = recorder.record(script.client.clone());
    // The program itself gets the secrets.
    let paths = [
        "/api/v1/namespaces/a/serviceaccounts/b/token",
        "/api/v1/namespaces/a/secrets/b",
        "/api/v1/secrets?watch=true",
        "/x",
    ];
    for (path, number) in paths.into_iter().zip([1, 2, 2, 4]) {
        let body = String::from_utf8(client.get_raw(path).await.unwrap()).unwrap();
        assert!(body.contains(&format!("planted-{number}")), "{body}");
    }
    recorder.finish().unwrap();
    assert!(!tape.text().contains("planted"), "{}", tape.text());
    let replay = tape.replay();
    let response = replay
        .client()
        .unwrap()
        .get_raw(paths[0])
        .send()
        .await
        .unwrap();
    assert_eq!(response.warnings()[0].text(), "kept");
    let body = |text: &str| text.replace("planted-1", "REDACTED");
    assert_eq!(
        String::from_utf8(response.into_inner()).unwrap(),
        body(&token)
    );
    assert!(
        get(&replay, paths[1])
            .await
            .unwrap()
            .contains("\"data\":{\"a\":\"UkVEQUNURUQ=\"}")
    );
}

#[tokio::test]
async fn a_request_with_a_secret_matches_its_recording() {
    let secret = |text: &str| json!({"kind": "Secret", "stringData": {"a": text}}).to_string();
    let send = |client: &Client, text: &str| {
        let body = secret(text);
        client.clone().layer(move |mut request, next| {
            *request.body_mut() = body.clone().into();
            *request.method_mut() = http::Method::POST;
            async move { next.run(request).await }
        })
    };
    let script = Script::start(vec![answer(201, "", "{}")]).await;
    let tape = Tape::new();
    let recorder = tape.recorder();
    let path = "/api/v1/namespaces/a/secrets";
    let recorded = send(&recorder.record(script.client.clone()), "planted-1");
    recorded.get_raw(path).await.unwrap();
    recorder.finish().unwrap();
    assert!(!tape.text().contains("planted"), "{}", tape.text());
    let replay = tape.replay();
    let replayed = send(&replay.client().unwrap(), "planted-2");
    replayed.get_raw(path).await.unwrap();
    replay.finish().unwrap();
}

/// Credentials that somebody wrote into a recording are not sent: a replay has no connection, and its requests have none.
#[tokio::test]
async fn a_recording_adds_no_credentials() {
    let tape = Tape::new();
    let script = Script::start(vec![answer(200, "", json!({}).to_string())]).await;
    let recorder = tape.recorder();
    let config = script.client.config().clone();
    let client = Client::new(config.with_token(Secret::new("planted"))).unwrap();
    recorder.record(client).get_raw("/x").await.unwrap();
    recorder.finish().unwrap();
    assert!(!tape.text().contains("planted"), "{}", tape.text());

    let headers = r#""request":{"headers":{"authorization":"Bearer planted"},"#;
    let doctored = tape.text().replacen(r#""request":{"#, headers, 1);
    assert!(doctored.contains("planted"));
    let Ok(replay) = Replay::parse(&doctored) else {
        return;
    };
    let seen = Arc::new(AtomicU32::new(0));
    let count = seen.clone();
    let client = replay.client().unwrap().layer(move |request, next| {
        let secret = request.headers().contains_key("authorization");
        count.fetch_add(if secret { 100 } else { 1 }, Ordering::Relaxed);
        next.run(request)
    });
    // The doctored request is another one than the client sends, or the same without the header.
    let _ = client.get_raw("/x").await;
    assert_eq!(seen.load(Ordering::Relaxed), 1, "one request, without it");
    assert_eq!(script.requests().len(), 1, "the recorded request alone");
}
