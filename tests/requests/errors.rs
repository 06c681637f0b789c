//! The texts of errors and their chains, and the errors of layers.

use crate::requests::script::{Act, Script, answer, deaf};
use crate::requests::support::{arrived, client, embedded, hasty, list, once, schema, single};
use k8s_flowcontrol::client::http;
use k8s_flowcontrol::client::{RetryPolicy, TransportError};
use k8s_flowcontrol::config::Config;
use k8s_flowcontrol::{Client, Error};
use k8s_flowcontrol_server::Fault;
use std::error::Error as StdError;
use std::fmt;
use std::time::Duration;

/// The error of a program's layer.
#[derive(Debug)]
struct Closed(Option<TransportError>);

impl fmt::Display for Closed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the circuit breaker is open")
    }
}

impl StdError for Closed {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.0.as_ref().map(|error| error as _)
    }
}

/// The texts of an error and of its sources.
fn chain(error: &Error) -> Vec<String> {
    let first: &(dyn StdError + 'static) = error;
    std::iter::successors(Some(first), |error| (**error).source())
        .map(ToString::to_string)
        .collect()
}

#[tokio::test]
async fn a_chain_has_each_text_once() {
    let (_socket, url) = deaf();
    let cut = Script::start(vec![Act::Answer(
        b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{".to_vec(),
    )]);
    let odd = Script::start(vec![answer(200, "", "[]")]);
    let (cut, odd) = (cut.await, odd.await);
    let more = Script::start(vec![answer(200, "", "[]")]).await;
    let long = more.client.config().clone().with_max_response_size(1);
    let long = Client::new(long).unwrap();
    let missing = Config::builder().file("/no/such/file").build();
    let failing = Client::from_url(&url)
        .unwrap()
        .layer(|_, _| async { Err::<http::Response<String>, _>(Closed(None)) });
    let unreadable = Config::new("https://127.0.0.1:1")
        .unwrap()
        .with_certificate_authority("no certificate");
    for (error, text) in [
        (list(&client(&url)).await, "refused"),
        (list(&single(&cut)).await, "ended early"),
        (list(&single(&odd)).await, "expected"),
        (list(&failing).await, "breaker"),
        (list(&long).await, "longer than 1 bytes"),
        (missing.unwrap_err().into(), "/no/such/file"),
        (Client::new(unreadable).unwrap_err(), "certificate"),
    ] {
        let texts = chain(&error);
        assert!(texts[0].contains(text), "{texts:?}");
        for (index, source) in texts.iter().enumerate().skip(1) {
            let before = texts[..index].join(": ");
            assert!(!before.contains(source), "{texts:?}");
        }
    }
}

#[tokio::test]
async fn the_cause_is_available() {
    let (_socket, url) = deaf();
    let client = Client::from_url(&url)
        .unwrap()
        .layer(|_, _| async { Err::<http::Response<String>, _>(Closed(None)) });
    let error = list(&client).await;
    assert!(error.get_ref().unwrap().is::<Closed>(), "{error:#?}");
    assert!(StdError::source(&error).is_none());
}

#[tokio::test]
async fn an_error_of_a_layer_ends_the_request() {
    let (server, client) = embedded().await;
    let broken = client
        .clone()
        .layer(|_, _| async { Err::<http::Response<String>, _>(Closed(None)) });
    let error = list(&broken).await;
    assert_eq!(error.attempts(), 1);
    assert!(!error.is_retryable() && !error.is_connect());
    assert_eq!(
        error.to_string(),
        "GET /apis/flowcontrol.apiserver.k8s.io/v1/flowschemas: a layer or the transport of the client failed: \
         the circuit breaker is open"
    );
    assert_eq!(arrived(&server, "GET"), 0);

    // Around the error of a connection it keeps that error's meaning.
    let (_socket, url) = deaf();
    let wrapping = Client::new(Config::new(&url).unwrap().with_retry_policy(hasty()))
        .unwrap()
        .layer(|request, next| async move {
            let response = next.run(request).await;
            response.map_err(|error| Closed(Some(error)))
        });
    let error = wrapping
        .flow_schemas()
        .create(&schema("mine"))
        .await
        .unwrap_err();
    assert_eq!(error.attempts(), 5);
    assert!(
        error.is_connect() && !error.may_have_taken_effect(),
        "{error}"
    );
}

#[tokio::test]
async fn a_dead_proxy_is_named() {
    let (_socket, proxy) = deaf();
    for server in ["http://api.example", "https://api.example:6443"] {
        let config = once(server).with_proxy(&proxy).unwrap();
        let client = Client::new(config).unwrap();
        // Also within the error of a layer.
        let wrapping = client.clone().layer(|request, next| async move {
            let response = next.run(request).await;
            response.map_err(|error| Closed(Some(error)))
        });
        for client in [client, wrapping] {
            let error = list(&client).await.to_string();
            let expected = format!("connecting through the proxy {proxy}");
            assert!(
                error.contains(&expected) && error.contains("refused"),
                "{error}"
            );
        }
    }
}

#[tokio::test]
async fn the_limit_that_ended_the_retries_is_named() {
    let second = Duration::from_secs(1);
    let policy = RetryPolicy::default().with_initial_backoff(Duration::ZERO);
    for (policy, timeout, wait, expected) in [
        (
            policy.clone().with_max_attempts(2),
            None,
            0,
            "(after 2 attempts, the limit of the retry policy)",
        ),
        (
            policy.clone().with_max_retry_after(second),
            None,
            7,
            "not sent again because the server asks for a longer wait than the 1s of the retry policy",
        ),
        (
            policy.clone().with_max_elapsed(second),
            None,
            7,
            "not sent again because the retry policy allows attempts within 1s after the first",
        ),
        (
            policy.clone(),
            Some(second),
            7,
            "not sent again because its timeout ends before the next attempt",
        ),
    ] {
        let (server, client) = embedded().await;
        let client = client.with_retry_policy(policy).with_timeout(timeout);
        server.inject(Fault::rejected(wait).times(9));
        let error = list(&client).await;
        assert!(error.to_string().contains(expected), "{error}");
    }
    let (server, client) = embedded().await;
    server.inject(Fault::rejected(0));
    let error = list(&client.with_retry_policy(RetryPolicy::none())).await;
    assert!(!error.to_string().contains("retry policy"), "{error}");
}

/// The error of a create, which is not repeated after an unknown outcome.
async fn create(script: &Script) -> Error {
    let schemas = script.client.flow_schemas();
    schemas.create(&schema("mine")).await.unwrap_err()
}

#[tokio::test]
async fn no_remedy_carries_out_a_write_twice() {
    let status = r#"{"kind": "Status", "code": 500, "reason": "InternalError", "message": "boom"}"#;
    let script = Script::start(vec![answer(500, "Retry-After: 1\r\n", status)]).await;
    let error = create(&script).await;
    assert!(error.may_have_taken_effect() && error.retry_after().is_some());
    let text = error.to_string();
    assert!(
        text.ends_with("500 InternalError: boom; the request may have taken effect"),
        "{text}"
    );
    // A rejected write may be sent again.
    let script = Script::start(vec![answer(503, "Retry-After: 100\r\n", "")]).await;
    let text = create(&script).await.to_string();
    assert!(text.contains("try again in 100 s"), "{text}");
    let script = Script::start(vec![answer(503, "Retry-After: 0\r\n", "")]).await;
    let text = list(&single(&script)).await.to_string();
    assert!(text.ends_with("; try again"), "{text}");
}

#[tokio::test]
async fn the_attempt_with_a_possible_effect_is_named() {
    let invalid = r#"{"kind": "Status", "code": 422, "reason": "Invalid", "message": "no"}"#;
    let script = Script::start(vec![Act::Close, answer(422, "", invalid)]).await;
    let mut schema = schema("mine");
    schema.metadata.resource_version = Some("5".to_owned());
    let replace = script.client.flow_schemas();
    let error = replace.replace(&schema).await.unwrap_err();
    assert!(error.is_invalid() && error.may_have_taken_effect());
    let text = error.to_string();
    assert!(
        text.ends_with(
            "422 Invalid: no; an earlier attempt may have taken effect (after 2 attempts)"
        ),
        "{text}"
    );
}

#[tokio::test]
async fn a_rejection_that_breaks_has_no_effect() {
    let cut = "HTTP/1.1 403 X\r\nContent-Length: 99\r\n\r\n{";
    let conflict = r#"{"kind": "Status", "code": 409, "reason": "Conflict", "message": "no"}"#;
    let script = Script::start(vec![Act::Answer(cut.into()), answer(409, "", conflict)]).await;
    let mut schema = schema("mine");
    schema.metadata.resource_version = Some("5".to_owned());
    let replace = script.client.flow_schemas();
    let error = replace.replace(&schema).await.unwrap_err();
    // It is no consequence of the attempt before.
    assert!(error.is_conflict(), "{error}");
    assert!(!error.may_have_taken_effect(), "{error}");
}

#[tokio::test]
async fn the_code_of_a_response_that_breaks_is_named() {
    let cut = "HTTP/1.1 403 X\r\nContent-Length: 99\r\n\r\n{";
    let script = Script::start(vec![Act::Answer(cut.into())]).await;
    let text = list(&single(&script)).await.to_string();
    assert!(
        text.contains("the server answered 403, and the response ended early: "),
        "{text}"
    );
}

#[tokio::test]
async fn a_timeout_keeps_the_failure_before_it() {
    let script = Script::start(vec![answer(429, "", "no"), Act::Begin(b"")]).await;
    let limit = Duration::from_millis(200);
    let schemas = script.client.flow_schemas();
    let error = schemas.list().timeout(limit).await.unwrap_err();
    assert!(error.is_timeout() && error.attempts() == 2, "{error:?}");
    let texts = chain(&error);
    assert!(
        texts[0].ends_with("within 200ms (after 2 attempts)"),
        "{texts:?}"
    );
    assert!(texts[1].contains("the server answered 429"), "{texts:?}");
}

#[tokio::test]
async fn the_end_of_the_budget_counts_the_attempts() {
    let (server, client) = embedded().await;
    let policy = hasty()
        .with_max_attempts(3)
        .with_max_retry_after(Duration::from_secs(1));
    server.inject(Fault::rejected(0));
    server.inject(Fault::rejected(7));
    let text = list(&client.with_retry_policy(policy)).await.to_string();
    assert!(
        text.contains("it was not sent again after 2 attempts because the server asks"),
        "{text}"
    );
}

#[tokio::test]
async fn the_code_of_a_response_in_an_unknown_encoding_is_named() {
    let script = Script::start(vec![answer(429, "Content-Encoding: br\r\n", "x")]).await;
    let text = list(&single(&script)).await.to_string();
    assert!(
        text.contains("the server answered 429: expected a body with the content encoding"),
        "{text}"
    );
}

#[tokio::test]
async fn advice_agrees_with_the_predicates() {
    for (code, expected) in [
        (401, "; check the credentials in the configuration"),
        (403, "`no`"),
        (
            407,
            "; check the user and the password in the URL of the proxy",
        ),
        (429, "; try again in 7 s"),
        (502, "; try again in 7 s"),
    ] {
        let script = Script::start(vec![answer(code, "Retry-After: 7\r\n", "no")]).await;
        let error = list(&single(&script)).await;
        let text = error.to_string();
        assert!(text.ends_with(expected), "{text}");
        assert_eq!(error.is_permanent(), code < 429, "{text}");
    }
}

#[tokio::test]
async fn a_fatal_error_of_a_layer_keeps_its_text_and_its_cause() {
    let (_socket, url) = deaf();
    let closed = || Closed(Some(TransportError::new("no quota")));
    let failing = Client::from_url(&url)
        .unwrap()
        .layer(move |_, _| async move {
            Err::<http::Response<String>, _>(TransportError::fatal(closed()))
        });
    let texts = chain(&list(&failing).await);
    assert!(
        texts[0].ends_with("the circuit breaker is open"),
        "{texts:?}"
    );
    assert_eq!(texts[1..], ["no quota"]);
}
