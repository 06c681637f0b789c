//! Elections whose server does not respond.

use super::{missing, two};
use crate::config::support::Notices;
use http_body_util::Full;
use k8s_flowcontrol::Client;
use k8s_flowcontrol::client::TransportError;
use k8s_flowcontrol::config::{Config, RetryPolicy};
use k8s_flowcontrol::controller::Election;
use k8s_flowcontrol_server::Fault;
use std::error::Error as _;
use std::io;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, timeout};

#[tokio::test(start_paused = true)]
async fn a_candidate_reports_a_silent_server_once() {
    let notices = Notices::collect();
    let config = Config::new("http://127.0.0.1").unwrap();
    let client = Client::with_transport(config, |_| {
        std::future::pending::<io::Result<http::Response<Full<bytes::Bytes>>>>()
    });
    let election = Election::new(&client, "system", "tenants", "one");
    let won = timeout(Duration::from_secs(60), election.acquire()).await;
    assert!(won.is_err());
    let reported = notices.take();
    assert_eq!(reported.len(), 1, "{reported:?}");
    assert!(
        reported[0].contains("the server does not respond"),
        "{reported:?}"
    );
}

#[tokio::test(start_paused = true)]
async fn a_server_that_answers_is_not_called_silent() {
    let notices = Notices::collect();
    let (server, one, _) = two().await;
    // Longer than the time for an attempt.
    server.inject(Fault::rejected(6).times(4));
    let leadership = one.leads_within(60).await.unwrap();
    let reported = notices.take();
    assert_eq!(reported.len(), 1, "{reported:?}");
    let text = &reported[0];
    assert!(
        text.contains("the lease cannot be read or written"),
        "{text}"
    );
    assert!(
        text.contains("429: rejected by API Priority and Fairness"),
        "{text}"
    );
    drop(leadership);
}

#[tokio::test(start_paused = true)]
async fn a_release_does_not_wait_for_a_silent_server() {
    let (server, one, _) = two().await;
    let leadership = one.leads_within(1).await.unwrap();
    server.inject(Fault::delay(Duration::from_secs(3600)).times(9));
    let begin = Instant::now();
    let error = leadership.release().await.unwrap_err();
    assert!(
        error.is_timeout() && error.may_have_taken_effect(),
        "{error}"
    );
    assert!(begin.elapsed() <= Duration::from_secs(11), "{error}");
}

#[tokio::test(start_paused = true)]
async fn the_time_for_a_request_is_that_of_the_client() {
    let (server, one, _) = two().await;
    let short = one.client.clone().with_timeout(Duration::from_secs(1));
    let election = Election::new(&short, "system", "tenants", "one");
    let leadership = election.acquire().await.unwrap();
    server.inject(Fault::delay(Duration::from_secs(3600)).on_method("PUT"));
    sleep(Duration::from_secs(60)).await;
    assert_eq!(server.pending_faults(), 0);
    assert!(leadership.is_leader());
}

/// On the real clock, where the deadline of a request is a little later than that of the attempt it belongs to.
#[tokio::test]
async fn the_failure_before_a_silence_is_reported() {
    let config = Config::new("http://127.0.0.1").unwrap();
    let policy = RetryPolicy::default().with_initial_backoff(Duration::ZERO);
    let config = config.with_retry_policy(policy);
    let lost = (0..100).map(|_| {
        let count = AtomicU32::new(0);
        let client = Client::with_transport(config.clone(), move |request| {
            let number = count.fetch_add(1, Ordering::Relaxed);
            async move {
                let (code, body) = match number {
                    0 => (404, serde_json::to_vec(&missing()).unwrap().into()),
                    1 => (201, request.into_body()),
                    2 => return Err(TransportError::unsent("cut off")),
                    _ => std::future::pending().await,
                };
                let response = http::Response::builder().status(code);
                Ok(response.body(Full::new(body)).unwrap())
            }
        });
        let (long, short) = (Duration::from_secs(2), Duration::from_secs(1));
        let election = Election::new(&client, "system", "tenants", "one");
        let election = election.with_times(long, short, short);
        async move { election.acquire().await.unwrap().lost().await }
    });
    for lost in lost.collect::<JoinSet<_>>().join_all().await {
        let text = lost.to_string();
        let limit = text.split_once(" within ").unwrap().1;
        let limit = limit.split_once("ms").unwrap().0;
        assert!(limit.parse::<u32>().is_ok(), "{text}");
        let failure = lost.source().unwrap().to_string();
        assert!(failure.contains("cut off"), "{text}: {failure}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_dead_connection_does_not_take_the_lease() {
    let (server, one, _) = two().await;
    let leadership = one.leads_within(1).await.unwrap();
    server.inject(Fault::delay(Duration::from_secs(3600)).on_method("PUT"));
    sleep(Duration::from_secs(60)).await;
    assert_eq!(server.pending_faults(), 0);
    assert!(leadership.is_leader());
}
