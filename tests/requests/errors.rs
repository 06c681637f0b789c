//! The texts of errors and their chains, and the errors of layers.

use crate::requests::script::{Act, Script, answer, deaf};
use crate::requests::support::{arrived, client, config, embedded, hasty, schema};
use k8s_flowcontrol::client::http;
use k8s_flowcontrol::client::{RetryPolicy, TransportError};
use k8s_flowcontrol::config::Config;
use k8s_flowcontrol::{Client, Error};
use k8s_flowcontrol_server::{ApiServer, Fault};
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

async fn list(client: &Client) -> Error {
    client.flow_schemas().list().await.unwrap_err()
}

/// The client of a script, without retries.
fn single(script: &Script) -> Client {
    let client = script.client.clone();
    client.with_retry_policy(RetryPolicy::none())
}

fn once(url: &str) -> Config {
    Config::new(url)
        .unwrap()
        .with_retry_policy(RetryPolicy::none())
}

#[tokio::test]
async fn a_chain_has_each_text_once() {
    let (_socket, url) = deaf();
    let cut = Script::start(vec![Act::Answer(
        b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{".to_vec(),
    )]);
    let odd = Script::start(vec![answer(200, "", "[]")]);
    let (cut, odd) = (cut.await, odd.await);
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
        let error = list(&Client::new(config).unwrap()).await.to_string();
        let expected = format!("connecting through the proxy {proxy}");
        assert!(
            error.contains(&expected) && error.contains("refused"),
            "{error}"
        );
    }
}

#[tokio::test]
async fn the_wrong_scheme_is_named() {
    let go = "HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTP request to an HTTPS server.\n";
    let go = Script::start(vec![Act::Answer(go.into())]).await;
    // The alert with which TLS libraries answer plain text.
    let alert = Script::start(vec![Act::Answer(vec![21, 3, 1, 0, 2, 2, 70])]).await;
    for script in [&go, &alert] {
        let error = list(&single(script)).await.to_string();
        assert!(error.contains("use https:// in its URL"), "{error}");
    }
    let plain = ApiServer::builder().start().await.unwrap();
    let url = plain.url().replace("http://", "https://");
    let error = list(&Client::new(once(&url)).unwrap()).await.to_string();
    assert!(error.contains("use http:// in its URL"), "{error}");
    let secure = ApiServer::builder().tls().start().await.unwrap();
    let trusted = once(&secure.url().replace("127.0.0.1", "localhost"));
    let error = list(&Client::new(trusted).unwrap()).await.to_string();
    assert!(!error.contains("http:// in its URL"), "{error}");
    let right = Client::new(config(&secure)).unwrap();
    right.flow_schemas().list().await.unwrap();
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
