//! Which attempt at a write may have taken effect, and what follows for the reader of the error.

use crate::requests::script::{Act, Script, answer, deaf};
use crate::requests::support::{client, schema};
use bytes::Bytes;
use k8s_flowcontrol::client::{RetryPolicy, TransportError, http};
use k8s_flowcontrol::config::{Config, ExecPlugin};
use k8s_flowcontrol::{Client, Error};
use std::time::Duration;

/// The error of a replace that may be sent again after an unknown outcome.
async fn replace(script: &Script) -> Error {
    let mut schema = schema("mine");
    schema.metadata.resource_version = Some("5".to_owned());
    let schemas = script.client.flow_schemas();
    schemas.replace(&schema).await.unwrap_err()
}

async fn create(client: &Client) -> Error {
    let schemas = client.flow_schemas();
    schemas.create(&schema("mine")).await.unwrap_err()
}

#[tokio::test]
async fn the_last_attempt_is_not_blamed_for_an_earlier_one() {
    let refused = Script::start(vec![Act::Close]).await;
    let busy = answer(503, "Retry-After: 100\r\n", "");
    let busy = Script::start(vec![Act::Close, busy]).await;
    for (script, reason, advice) in [
        (refused, " could not be reached: ", "refused"),
        (busy, "answered 503", "; try again in 100 s"),
    ] {
        let error = replace(&script).await;
        assert!(error.may_have_taken_effect(), "{error}");
        let text = error.to_string();
        assert!(text.contains(reason) && text.contains(advice), "{text}");
        let blamed = "; an earlier attempt may have taken effect";
        assert!(text.contains(blamed), "{text}");
    }
}

#[tokio::test]
async fn a_timeout_of_the_server_is_blamed_without_its_body_too() {
    let cut = "HTTP/1.1 408 X\r\nContent-Length: 99\r\n\r\n{";
    for act in [Act::Answer(cut.into()), answer(408, "", "")] {
        let script = Script::start(vec![act]).await;
        let text = create(&script.client).await.to_string();
        assert!(
            text.ends_with("; the request may have taken effect"),
            "{text}"
        );
    }
}

#[tokio::test]
async fn a_request_that_the_client_keeps_has_no_effect() {
    let client = Client::from_url("http://api.example").unwrap();
    let client = client.before_request(|request| {
        let value = "Bearer planted".parse().unwrap();
        request.headers_mut().insert("authorization", value);
    });
    let error = create(&client).await;
    assert!(error.to_string().contains("without TLS"), "{error}");
    assert!(
        !error.may_have_taken_effect() && !error.is_retryable(),
        "{error}"
    );
}

#[tokio::test]
async fn a_request_that_a_layer_keeps_is_no_response_of_the_server() {
    let (_socket, url) = deaf();
    let keeping = client(&url).layer(|_, _| async {
        Err::<http::Response<String>, _>(TransportError::unsent("no permit"))
    });
    let text = create(&keeping).await.to_string();
    assert!(
        text.contains(" did not process the request: no permit"),
        "{text}"
    );
}

fn post() -> http::Request<Bytes> {
    http::Request::post("/apis/x").body(Bytes::new()).unwrap()
}

#[tokio::test]
async fn forwarded_requests_are_named_and_judged() {
    let config = Config::new("https://127.0.0.1:1").unwrap();
    let config = config.with_insecure_skip_tls_verify(true);
    let plugin = config.with_exec(ExecPlugin::new("no-such-plugin"));
    let plugin = Client::new(plugin).unwrap();
    let (_socket, url) = deaf();
    let closing = Script::start(vec![Act::Close, Act::Close, Act::Close]).await;
    let once = closing
        .client
        .clone()
        .with_retry_policy(RetryPolicy::none());
    for (client, text, attempts, has_effect) in [
        (plugin, "the credentials or certificates", 0, false),
        (client(url), "could not be reached", 1, false),
        (once.clone(), "sent no usable response", 1, true),
    ] {
        let error = client.forward(post()).await.unwrap_err();
        let shown = error.to_string();
        assert!(
            shown.starts_with("POST /apis/x: ") && shown.contains(text),
            "{shown}"
        );
        assert_eq!(error.attempts(), attempts, "{shown}");
        assert_eq!(error.may_have_taken_effect(), has_effect, "{shown}");
    }
    let read = http::Request::get("/apis/x");
    let dry = "/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas?dryRun=All";
    for harmless in [read, http::Request::post(dry)] {
        let harmless = harmless.body(Bytes::new()).unwrap();
        let error = once.forward(harmless).await.unwrap_err();
        assert!(!error.may_have_taken_effect(), "{error}");
    }
}

#[tokio::test]
async fn the_head_of_a_response_counts_when_the_time_runs_out() {
    const HEADS: [&[u8]; 3] = [
        b"HTTP/1.1 429 X\r\nContent-Length: 9\r\n\r\n",
        b"HTTP/1.1 500 X\r\nContent-Length: 9\r\n\r\n",
        b"HTTP/1.1 201 X\r\nContent-Length: 9\r\n\r\n",
    ];
    for (head, begin, has_effect) in [
        (HEADS[0], "the server answered 429, and the request", false),
        (HEADS[1], "the server answered 500, and the request", true),
        (HEADS[2], ": the request", true),
    ] {
        let script = Script::start(vec![Act::Begin(head)]).await;
        let schemas = script.client.flow_schemas();
        let create = schemas.create(&schema("mine"));
        let create = create.timeout(Duration::from_millis(100));
        let error = create.await.unwrap_err();
        let text = error.to_string();
        assert!(error.is_timeout() && error.attempts() == 1, "{text}");
        assert!(
            text.contains(&format!("{begin} did not finish within 100ms")),
            "{text}"
        );
        assert_eq!(error.may_have_taken_effect(), has_effect, "{text}");
    }
}
