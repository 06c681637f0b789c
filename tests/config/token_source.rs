//! Tokens that code of the program obtains.

use crate::config::support::{Server, ask, ask_together};
use k8s_flowcontrol::Client;
use k8s_flowcontrol::client::RetryPolicy;
use k8s_flowcontrol::config::{BearerToken, Config, Secret, TokenFuture, TokenSource};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, SystemTime};

/// Numbers its tokens.
#[derive(Clone, Default)]
struct Numbered {
    calls: Arc<AtomicU32>,
    /// How long a token is valid.
    life: Option<Duration>,
}

impl TokenSource for Numbered {
    fn token(&self) -> TokenFuture<'_> {
        Box::pin(async {
            let number = self.calls.fetch_add(1, Ordering::SeqCst) + 1;
            tokio::task::yield_now().await;
            let token = BearerToken::new(Secret::new(format!("token-{number}")));
            Ok(match self.life {
                Some(life) => token.with_expiry(SystemTime::now() + life),
                None => token,
            })
        })
    }
}

fn client(config: Config) -> Client {
    Client::new(config.with_retry_policy(RetryPolicy::none())).unwrap()
}

#[tokio::test]
async fn one_token_for_many_requests() {
    let server = Server::secure().await;
    let source = Numbered::default();
    let client = client(server.config().with_token_source(source.clone()));
    ask_together(&client, 10).await;
    assert_eq!(source.calls.load(Ordering::SeqCst), 1);
    assert_eq!(
        server.last_header("authorization").unwrap(),
        "Bearer token-1"
    );
}

#[tokio::test]
async fn an_expired_or_rejected_token_is_renewed() {
    let server = Server::secure().await;
    let expired = Numbered {
        life: Some(Duration::ZERO),
        ..Numbered::default()
    };
    let renewing = client(server.config().with_token_source(expired));
    for number in 1..4 {
        ask(&renewing).await.unwrap();
        let sent = server.last_header("authorization").unwrap();
        assert_eq!(sent, format!("Bearer token-{number}"));
    }
    let strict = Server::answering(|request| match request.header("authorization") {
        Some("Bearer token-2") => crate::config::support::found(request),
        _ => ("401 Unauthorized", String::new()),
    })
    .await;
    let source = Numbered::default();
    let rejected = client(strict.config().with_token_source(source.clone()));
    ask(&rejected).await.unwrap();
    assert_eq!(source.calls.load(Ordering::SeqCst), 2);
}

#[tokio::test]
async fn errors_name_the_source_and_no_secret() {
    let server = Server::secure().await;
    let failing = || async { Err::<BearerToken, _>("the cloud is gone") };
    let invalid = || async {
        let token = Secret::new("planted-secret\n");
        Ok::<_, std::io::Error>(BearerToken::new(token))
    };
    let failing = server.config().with_token_source(failing);
    let invalid = server.config().with_token_source(invalid);
    for (config, expected) in [
        (
            failing,
            "the token source of the program: the cloud is gone",
        ),
        (invalid, "not valid in a header"),
    ] {
        assert!(format!("{config:?}").contains("[token source]"));
        let error = ask(&client(config)).await.unwrap_err();
        assert!(error.is_setup() && !error.is_retryable(), "{error}");
        assert!(error.to_string().contains(expected), "{error}");
        assert!(!format!("{error:#?}").contains("planted"), "{error:#?}");
    }
    assert!(server.requests().is_empty(), "nothing was sent");
}
