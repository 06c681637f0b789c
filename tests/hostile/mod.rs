//! Servers that misbehave, as a table of behaviours, against the ways in which the client reads and writes.
//!
//! Each behaviour is what a listener sends on every connection. For each operation the table has the text that the error
//! contains; the number of requests is bounded, nothing waits for ever, and no connection is used again after an error.

mod behaviours;
mod http2;
mod listener;
mod torture;

use behaviours::{BEHAVIOURS, Behaviour, End};
use k8s_flowcontrol::api::v1::FlowSchema;
use k8s_flowcontrol::client::BoxFuture;
use k8s_flowcontrol::config::ExecPlugin;
use k8s_flowcontrol::watch::Store;
use k8s_flowcontrol::{Client, Error};
use listener::Hostile;
use std::sync::atomic::Ordering;
use std::time::Duration;

/// The attempts of the client at a read. A write with an unknown outcome is sent once.
const ATTEMPTS: usize = 2;
/// The time for a request, where only its end is to be seen.
const TIMEOUT: Duration = Duration::from_secs(2);
/// The time for what comes soon, unless the machine is busy.
const PATIENCE: Duration = Duration::from_secs(60);
/// The maximum pause before another attempt, half of which is random.
const PAUSE: Duration = Duration::from_millis(20);
/// The pause between two bytes of a server that drips.
const DRIP: Duration = Duration::from_millis(10);
/// The maximum size of a response.
const MAX_RESPONSE: usize = 1024 * 1024;

type Operation = fn(Client) -> BoxFuture<Result<(), Error>>;

/// The operations that read a whole response.
const WHOLE: [(&str, Operation); 6] = [
    ("get", |client| {
        Box::pin(async move { client.flow_schemas().get("a").await.map(drop) })
    }),
    ("list", |client| {
        Box::pin(async move { client.flow_schemas().list().await.map(drop) })
    }),
    ("items", |client| {
        Box::pin(async move {
            let mut items = client.flow_schemas().list().items();
            while let Some(item) = items.next().await {
                item?;
            }
            Ok(())
        })
    }),
    ("wait_for", |client| {
        Box::pin(async move {
            let wait = client.flow_schemas().wait_for("a", |found| found.is_some());
            wait.timeout(TIMEOUT).await.map(drop)
        })
    }),
    ("apply", |client| {
        Box::pin(async move {
            let mut schema = FlowSchema::default();
            schema.metadata.name = Some("a".to_owned());
            let apply = client.flow_schemas().apply(&schema);
            apply.field_manager("me").await.map(drop)
        })
    }),
    ("version", |client| {
        Box::pin(async move { client.version().await.map(drop) })
    }),
];

#[tokio::test]
async fn whole_responses() {
    against_all(BEHAVIOURS, read_whole).await;
}

#[tokio::test]
async fn whole_responses_over_http2() {
    against_all(http2::BEHAVIOURS, read_whole).await;
}

/// Runs a test against all servers at the same time.
async fn against_all<F: Future<Output = ()> + Send + 'static>(
    servers: &'static [Behaviour],
    test: fn(&'static Behaviour) -> F,
) {
    let tests = servers.iter().map(test).map(crate::spawn);
    // All of them start before the first is awaited.
    for test in tests.collect::<Vec<_>>() {
        test.await.unwrap();
    }
}

/// All operations at the same time, since most of them wait. Each has its own server.
async fn read_whole(behaviour: &'static Behaviour) {
    // They read as a list does.
    let is_left_out = |name: &str| behaviour.http2 && ["get", "version"].contains(&name);
    let operations = WHOLE.iter().filter(|(name, _)| !is_left_out(name));
    let reads =
        operations.map(|(name, operation)| crate::spawn(read_one(behaviour, name, *operation)));
    for read in reads.collect::<Vec<_>>() {
        read.await.unwrap();
    }
}

async fn read_one(behaviour: &'static Behaviour, name: &str, operation: Operation) {
    let server = Hostile::start(behaviour).await;
    let what = format!("{name} of a server that {}", behaviour.name);
    let result = tokio::time::timeout(PATIENCE, operation(server.client()));
    let result = result
        .await
        .unwrap_or_else(|_| panic!("{what} waits for ever"));
    let error = result.expect_err(&what);
    let requests = server.requests.load(Ordering::SeqCst);
    check_connections(behaviour, &server, &what);
    match name {
        // It tries again until its own timeout, with pauses.
        "wait_for" => assert!(requests <= 400, "{what}: {requests} requests"),
        _ => {
            let text = error.to_string();
            assert!(text.contains(behaviour.error), "{what}: {text}");
            assert!(text.len() < 2000, "{what}: {text}");
            let allowed = match name {
                "apply" if !behaviour.is_unprocessed => 1,
                _ => ATTEMPTS,
            };
            // A server that allows no stream gets no request.
            let least = usize::from(!behaviour.http2);
            assert!(
                (least..=allowed).contains(&requests),
                "{what}: {requests} requests"
            );
        }
    }
}

/// No connection is used after a response that is not complete.
fn check_connections(behaviour: &Behaviour, server: &Hostile, what: &str) {
    if !behaviour.ends_its_response {
        let reused = server.reused.load(Ordering::SeqCst);
        assert_eq!(reused, 0, "{what}: a connection was used after an error");
    }
}

/// A client whose credentials come from a plugin: it runs once, and a failure of the server is not a failure of the plugin.
#[cfg(unix)]
#[tokio::test]
async fn with_an_exec_plugin() {
    against_all(BEHAVIOURS, run_plugin).await;
    against_all(http2::BEHAVIOURS, run_plugin).await;
}

#[cfg(unix)]
async fn run_plugin(behaviour: &'static Behaviour) {
    let server = Hostile::start_with(behaviour, true).await;
    let port = server.url.rsplit(':').next().unwrap();
    let runs = std::env::temp_dir().join(format!("hostile-{}-{port}", std::process::id()));
    let script = format!(
        r#"echo run >> {}; echo '{{"apiVersion": "client.authentication.k8s.io/v1", "kind": "ExecCredential", "status": {{"token": "secret"}}}}'"#,
        runs.display()
    );
    let plugin = ExecPlugin::new("sh").args(["-c".to_owned(), script]);
    let client = Client::new(server.config().with_exec(plugin)).unwrap();
    let what = format!("a server that {}", behaviour.name);
    let list = client.flow_schemas().list();
    let listed = tokio::time::timeout(PATIENCE, async move { list.await }).await;
    let error = listed.expect(&what).expect_err(&what).to_string();
    assert!(error.contains(behaviour.error), "{what}: {error}");
    assert!(!error.contains("secret"), "{what}: {error}");
    let requests = server.requests.load(Ordering::SeqCst);
    assert!(requests <= ATTEMPTS, "{what}: {requests} requests");
    let count = std::fs::read_to_string(&runs).unwrap_or_default();
    assert_eq!(count.lines().count(), 1, "{what}");
    std::fs::remove_file(runs).unwrap();
}

#[tokio::test]
async fn logs() {
    against_all(BEHAVIOURS, read_log).await;
}

#[tokio::test]
async fn logs_over_http2() {
    against_all(http2::BEHAVIOURS, read_log).await;
}

async fn read_log(behaviour: &'static Behaviour) {
    let server = Hostile::start(behaviour).await;
    let client = server.client();
    let read = async {
        let mut lines = client.flow_schemas().log("a").await?;
        while let Some(line) = lines.next().await {
            line?;
        }
        Ok::<_, Error>(())
    };
    let ended = tokio::time::timeout(stream_time(behaviour, |end| end != End::Close), read).await;
    match (behaviour.then, ended) {
        // Once it has begun, a log may stay silent, as a watch may, and it may be endless or slow.
        (End::Wait | End::Repeat | End::Drip(_), Err(_)) if behaviour.has_head() => {}
        (_, Ok(Err(_))) => {}
        // Any text is a log.
        (_, Ok(Ok(()))) if behaviour.error == behaviours::UNEXPECTED => {}
        (_, other) => panic!("a log of a server that {}: {other:?}", behaviour.name),
    }
    check_connections(behaviour, &server, behaviour.name);
    assert!(server.requests.load(Ordering::SeqCst) <= ATTEMPTS);
}

#[tokio::test]
async fn watches() {
    against_all(BEHAVIOURS, watch).await;
}

#[tokio::test]
async fn watches_over_http2() {
    against_all(http2::BEHAVIOURS, watch).await;
}

async fn watch(behaviour: &'static Behaviour) {
    let server = Hostile::start(behaviour).await;
    let client = server.client();
    // A stream may stay silent: watchers have a limit for that, see below.
    let read = async {
        let mut events = client.flow_schemas().watch().await?;
        while let Some(event) = events.next().await {
            event?;
        }
        Ok::<_, Error>(())
    };
    let ended = tokio::time::timeout(
        stream_time(behaviour, |end| !matches!(end, End::Close | End::Repeat)),
        read,
    )
    .await;
    match (behaviour.then, ended) {
        (End::Wait | End::Drip(_), Err(_silent)) if behaviour.has_head() => {}
        (_, Ok(Err(_))) => {}
        // A body without events is an empty watch.
        (End::Close, Ok(Ok(()))) if behaviour.may_be_empty => {}
        (_, other) => panic!("a watch of a server that {}: {other:?}", behaviour.name),
    }
    check_connections(behaviour, &server, behaviour.name);
    assert!(server.requests.load(Ordering::SeqCst) <= ATTEMPTS);
}

/// The time for a stream, which may be endless once it has begun.
fn stream_time(behaviour: &Behaviour, is_endless: fn(End) -> bool) -> Duration {
    match behaviour.has_head() && is_endless(behaviour.then) {
        true => TIMEOUT * 3,
        false => PATIENCE,
    }
}

#[tokio::test]
async fn stores_report_and_try_again() {
    against_all(BEHAVIOURS, keep).await;
}

#[tokio::test]
async fn stores_over_http2_report_and_try_again() {
    against_all(http2::BEHAVIOURS, keep).await;
}

async fn keep(behaviour: &'static Behaviour) {
    let server = Hostile::start(behaviour).await;
    let (sender, mut failures) = tokio::sync::mpsc::unbounded_channel();
    let watcher = server.client().flow_schemas().watcher();
    let store = Store::builder(watcher.idle_timeout(TIMEOUT))
        .on_error(move |error| drop(sender.send(error.to_string())))
        .start();
    // Two failures: the first one does not end it.
    for _ in 0..2 {
        let failed = tokio::time::timeout(PATIENCE, failures.recv()).await;
        let failed =
            failed.unwrap_or_else(|_| panic!("a store of a server that {}", behaviour.name));
        assert!(failed.is_some_and(|text| text.len() < 2000));
    }
    assert!(!store.is_ready() && store.is_empty());
}
