//! Failed requests: which are sent again, when, and how often. The clock is stopped, so that pauses are exact.

use super::named;
use crate::script::{Reply, Script, unreachable};
use k8s_flowcontrol::client::{BoxFuture, RetryPolicy, TransportError};
use k8s_flowcontrol::config::Config;
use k8s_flowcontrol::meta::PropagationPolicy;
use k8s_flowcontrol::{Client, Error};
use serde_json::json;
use std::io;
use std::time::Duration;

const SECOND: Duration = Duration::from_secs(1);

/// The knowledge after a failure.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Failure {
    NotCarriedOut,
    Unknown,
    Final,
}
use Failure::{Final, NotCarriedOut, Unknown};

type Act = fn(Client) -> BoxFuture<Result<(), Error>>;

fn acts(
    act: impl Future<Output = Result<(), Error>> + Send + 'static,
) -> BoxFuture<Result<(), Error>> {
    Box::pin(act)
}

/// The attempts at a request to a server that always fails this way, of which the policy allows two.
async fn attempts(reply: impl Fn() -> Reply + Send + 'static, act: Act) -> usize {
    let script = Script::new(move |_| reply());
    let twice = RetryPolicy::default().with_max_attempts(2);
    let error = act(script.client().with_retry_policy(twice))
        .await
        .unwrap_err();
    let sent = script.sent().len();
    assert_eq!(error.attempts() as usize, sent, "{error}");
    sent
}

fn create(client: Client) -> BoxFuture<Result<(), Error>> {
    acts(async move { client.flow_schemas().create(&named("x")).await.map(drop) })
}

fn get(client: Client) -> BoxFuture<Result<(), Error>> {
    acts(async move { client.flow_schemas().get("x").await.map(drop) })
}

#[tokio::test(start_paused = true)]
async fn failures_are_classified() {
    let tls = || {
        let error = io::Error::other(rustls::Error::HandshakeNotComplete);
        TransportError::new(io::Error::other(error))
    };
    let status = |code, text: &str| {
        let text = text.to_owned();
        move || Reply::new(code, text.clone())
    };
    let after = |reply: Reply| reply.header("retry-after", "1");
    let server_timeout = r#"{"kind":"Status","reason":"ServerTimeout","code":500}"#;
    let asks = r#"{"kind":"Status","code":503,"details":{"retryAfterSeconds":1}}"#;
    let failures: Vec<(Box<dyn Fn() -> Reply + Send + Sync>, Failure)> = vec![
        (Box::new(status(429, "Too many requests")), NotCarriedOut),
        (
            Box::new(move || after(Reply::new(429, r#"{"kind":"Status","code":429}"#))),
            NotCarriedOut,
        ),
        (Box::new(move || after(Reply::new(503, ""))), NotCarriedOut),
        (Box::new(status(503, asks)), NotCarriedOut),
        (Box::new(status(503, "")), Unknown),
        (Box::new(move || after(Reply::new(502, "<html>"))), Unknown),
        (Box::new(status(504, "")), Unknown),
        (Box::new(move || after(Reply::new(500, ""))), Unknown),
        (Box::new(status(500, server_timeout)), Unknown),
        (Box::new(status(500, "")), Final),
        (Box::new(move || after(Reply::new(400, ""))), Final),
        (Box::new(status(401, "")), Final),
        (Box::new(status(409, "")), Final),
        (Box::new(status(410, "")), Final),
        (Box::new(Reply::closes), Unknown),
        (Box::new(|| Reply::ok("{").breaks()), Unknown),
        // The head counts, even if the body breaks.
        (Box::new(|| Reply::new(429, "{").breaks()), NotCarriedOut),
        (Box::new(move || Reply::fails(tls())), Final),
        (
            Box::new(|| Reply::fails(TransportError::unsent("x"))),
            NotCarriedOut,
        ),
        (Box::new(|| Reply::fails(TransportError::fatal("x"))), Final),
        (Box::new(|| Reply::ok("{}}")), Final),
        (Box::new(|| Reply::ok("{")), Final),
        (Box::new(|| Reply::ok("")), Final),
    ];
    for (number, (reply, failure)) in failures.into_iter().enumerate() {
        let reply = std::sync::Arc::new(reply);
        let again = reply.clone();
        let created = attempts(move || again(), create).await;
        assert_eq!(created == 2, failure == NotCarriedOut, "{number}");
        let read = attempts(move || reply(), get).await;
        assert_eq!(read == 2, failure != Final, "{number}");
    }

    let script = Script::of([Reply::fails(unreachable().await), Reply::ok("{}")]);
    create(script.client()).await.unwrap();
    assert_eq!(script.sent().len(), 2);

    let script = Script::new(|_| Reply::ok("").stays_open());
    let error = script.client().flow_schemas().get("x");
    let error = error.timeout(SECOND).await.unwrap_err();
    assert!(error.is_timeout() && error.attempts() == 1, "{error}");
}

#[tokio::test(start_paused = true)]
async fn requests_that_may_be_repeated() {
    fn versioned() -> k8s_flowcontrol::api::v1::FlowSchema {
        let mut schema = named("x");
        schema.metadata.resource_version = Some("7".into());
        schema
    }
    let acts: [(&str, bool, Act); 16] = [
        ("get", true, get),
        ("create", false, create),
        ("list", true, |client| {
            acts(async move { client.flow_schemas().list().await.map(drop) })
        }),
        ("watch", true, |client| {
            acts(async move { client.flow_schemas().watch().await.map(drop) })
        }),
        ("create, dry run", true, |client| {
            acts(async move {
                client
                    .flow_schemas()
                    .create(&named("x"))
                    .dry_run()
                    .await
                    .map(drop)
            })
        }),
        ("replace", false, |client| {
            acts(async move { client.flow_schemas().replace(&named("x")).await.map(drop) })
        }),
        ("replace, guarded", true, |client| {
            acts(async move { client.flow_schemas().replace(&versioned()).await.map(drop) })
        }),
        ("replace, dry run", true, |client| {
            acts(async move {
                client
                    .flow_schemas()
                    .replace(&named("x"))
                    .dry_run()
                    .await
                    .map(drop)
            })
        }),
        ("patch", false, |client| {
            acts(async move {
                client
                    .flow_schemas()
                    .patch("x")
                    .merge(&json!({}))
                    .await
                    .map(drop)
            })
        }),
        ("patch, dry run", true, |client| {
            acts(async move {
                let patch = client.flow_schemas().patch("x").merge(&json!({}));
                patch.dry_run().await.map(drop)
            })
        }),
        ("delete", false, |client| {
            acts(async move { client.flow_schemas().delete("x").await.map(drop) })
        }),
        ("apply", false, |client| {
            acts(async move {
                let apply = client.flow_schemas().apply(&named("x"));
                apply.field_manager("m").await.map(drop)
            })
        }),
        ("delete collection", false, |client| {
            acts(async move { client.flow_schemas().delete_collection().await.map(drop) })
        }),
        ("delete, guarded", true, |client| {
            acts(async move {
                let delete = client.flow_schemas().delete("x").precondition_uid("u");
                delete.await.map(drop)
            })
        }),
        ("delete, guarded by nothing", false, |client| {
            acts(async move {
                let delete = client.flow_schemas().delete("x").precondition_uid("");
                delete.await.map(drop)
            })
        }),
        ("delete, dry run", true, |client| {
            acts(async move {
                let delete = client.flow_schemas().delete("x").dry_run();
                let policy = PropagationPolicy::Background;
                delete.propagation_policy(policy).await.map(drop)
            })
        }),
    ];
    for (name, is_repeated, act) in acts {
        let unknown = attempts(|| Reply::new(503, ""), act).await;
        assert_eq!(unknown == 2, is_repeated, "{name}");
        assert_eq!(attempts(|| Reply::new(429, ""), act).await, 2, "{name}");
        assert_eq!(attempts(|| Reply::new(400, ""), act).await, 1, "{name}");
    }
}

/// The pauses before the further attempts at a request to a server that rejects it always.
async fn pauses(policy: RetryPolicy) -> Vec<Duration> {
    let script = Script::new(|_| Reply::new(429, ""));
    let config = Config::new("http://127.0.0.1:1").unwrap();
    let config = config.with_retry_budget(None).with_timeout(None);
    let client = script.client_of(config.with_retry_policy(policy));
    client.flow_schemas().get("x").await.unwrap_err();
    let sent = script.sent();
    let pairs = sent.windows(2);
    pairs.map(|pair| pair[1].at - pair[0].at).collect()
}

#[tokio::test(start_paused = true)]
async fn pauses_double_up_to_the_longest() {
    let policy = RetryPolicy::default()
        .with_max_attempts(40)
        .with_max_elapsed(Duration::MAX)
        .with_initial_backoff(SECOND)
        .with_max_backoff(10 * SECOND);
    for _ in 0..20 {
        let pauses = pauses(policy.clone()).await;
        assert_eq!(pauses.len(), 39);
        for (pause, seconds) in pauses
            .into_iter()
            .zip([1, 2, 4, 8].into_iter().chain([10; 35]))
        {
            let longest = seconds * SECOND;
            // Timers have milliseconds.
            let range = longest / 2..=longest + Duration::from_millis(1);
            assert!(range.contains(&pause), "{seconds}: {pause:?}");
        }
    }
    let none = policy.with_initial_backoff(Duration::ZERO);
    let pauses = pauses(none.with_max_backoff(Duration::MAX)).await;
    assert_eq!(pauses, [Duration::ZERO; 39]);
}

#[tokio::test(start_paused = true)]
async fn the_random_part_is_spread_over_its_range() {
    let full = 10_000 * SECOND;
    let policy = RetryPolicy::default()
        .with_max_attempts(1001)
        .with_max_elapsed(Duration::MAX)
        .with_initial_backoff(full)
        .with_max_backoff(full);
    let mut pauses = pauses(policy).await;
    // Every tenth of the range is hit.
    for tenth in 0..10_u32 {
        let range = full / 20 * (10 + tenth)..full / 20 * (11 + tenth);
        assert!(pauses.iter().any(|pause| range.contains(pause)), "{tenth}");
    }
    pauses.sort();
    pauses.dedup();
    assert!(pauses.len() > 990);
}

/// The attempts at a request to a server that asks for a pause of so many seconds, and the time until the last one.
async fn asked_for(
    seconds: u64,
    policy: &RetryPolicy,
    timeout: Option<Duration>,
) -> (u32, Duration) {
    let seconds = seconds.to_string();
    let script = Script::new(move |_| Reply::new(429, "").header("retry-after", &seconds));
    let begin = tokio::time::Instant::now();
    let get = script.client().flow_schemas().get("x").timeout(timeout);
    let error = get.retry_policy(policy.clone()).await.unwrap_err();
    assert!(error.is_too_many_requests(), "{error}");
    (error.attempts(), begin.elapsed())
}

#[tokio::test(start_paused = true)]
async fn the_servers_pause_is_kept_or_there_is_no_attempt() {
    let policy = RetryPolicy::default()
        .with_max_attempts(3)
        .with_initial_backoff(Duration::ZERO)
        .with_max_elapsed(20 * SECOND);
    assert_eq!(asked_for(7, &policy, None).await, (3, 14 * SECOND));
    let hasty = policy.clone().with_max_elapsed(10 * SECOND);
    assert_eq!(asked_for(7, &hasty, None).await, (2, 7 * SECOND));
    let timeout = Some(5 * SECOND);
    assert_eq!(asked_for(7, &policy, timeout).await, (1, Duration::ZERO));
    let patient = policy.with_max_elapsed(Duration::MAX);
    assert_eq!(asked_for(60, &patient, None).await, (3, 120 * SECOND));
    assert_eq!(asked_for(61, &patient, None).await, (1, Duration::ZERO));
    let obeying = patient.with_max_retry_after(7 * SECOND);
    assert_eq!(asked_for(7, &obeying, None).await, (3, 14 * SECOND));
    assert_eq!(asked_for(8, &obeying, None).await, (1, Duration::ZERO));
    assert_eq!(RetryPolicy::none().with_max_attempts(0).max_attempts(), 1);
}

#[tokio::test(start_paused = true)]
async fn retries_take_tokens_and_answers_give_them_back() {
    let replies = std::sync::Arc::new(std::sync::Mutex::new(Vec::<u16>::new()));
    let codes = replies.clone();
    let script = Script::new(move |_| Reply::new(codes.lock().unwrap().remove(0), "{}"));
    let config = Config::new("http://127.0.0.1:1").unwrap();
    let twice = RetryPolicy::default().with_max_attempts(2);
    let config = config.with_retry_budget(12).with_retry_policy(twice);
    let client = script.client_of(config);
    // The codes of the attempts, of which not all may be made, and the tokens that are left.
    for (codes, left) in [
        ([429, 429], 7),
        // A retry after a timeout would take 10.
        ([504, 0], 7),
        ([429, 429], 2),
        ([429, 0], 2),
        ([200, 0], 3),
        ([403, 0], 4),
        ([429, 0], 4),
        ([200, 0], 5),
        ([429, 200], 5),
    ] {
        *replies.lock().unwrap() = codes.to_vec();
        let _ended = client.get_raw("/").await;
        let unsent = replies.lock().unwrap().len();
        assert_eq!(unsent, usize::from(codes[1] == 0), "{codes:?}");
        assert_eq!(client.retry_budget_left(), Some(left), "{codes:?}");
    }
    *replies.lock().unwrap() = [[200; 100].as_slice(), &[504, 504]].concat();
    for _ in 0..100 {
        client.get_raw("/").await.unwrap();
    }
    assert_eq!(client.retry_budget_left(), Some(12), "the capacity");
    client.get_raw("/").await.unwrap_err();
    assert_eq!(client.retry_budget_left(), Some(2));
}

#[tokio::test(start_paused = true)]
async fn a_budget_can_be_off_or_empty() {
    let script = Script::new(|_| Reply::new(429, ""));
    let config = || {
        let policy = RetryPolicy::default().with_max_attempts(1000);
        let policy = policy.with_max_elapsed(Duration::MAX);
        Config::new("http://127.0.0.1:1")
            .unwrap()
            .with_timeout(None)
            .with_retry_policy(policy)
    };
    for (budget, attempts) in [(None, 1000), (Some(0), 1)] {
        let client = script.client_of(config().with_retry_budget(budget));
        let error = client.get_raw("/").await.unwrap_err();
        assert_eq!(error.attempts(), attempts);
    }
}
