//! Servers, clients and objects for these tests.

use k8s_flowcontrol::api::v1::PriorityLevelConfiguration as Level;
use k8s_flowcontrol::watch::{Watcher, WatcherEvent};
use k8s_flowcontrol::{Api, Client, Error, Resource};
use k8s_flowcontrol_server::{ApiServer, Builder, Fault};
use serde_json::json;
use std::future::Future;
use std::time::Duration;

/// The longest wait of a test; only a failure takes this long.
const PATIENCE: Duration = Duration::from_secs(60);

/// A server without objects, with bookmarks every 20 ms, and a client for it.
pub(crate) async fn server() -> (ApiServer, Client) {
    server_of("1.36").await
}

/// The same with another release.
pub(crate) async fn server_of(release: &str) -> (ApiServer, Client) {
    let server = ApiServer::builder()
        .kubernetes(release)
        .bootstrap(false)
        .bookmark_interval(Duration::from_millis(20))
        .record_requests()
        .start()
        .await
        .unwrap();
    let client = Client::from_url(server.url()).unwrap();
    (server, client)
}

/// A level with a name and labels.
pub(crate) fn level(name: &str, labels: &[(&str, &str)]) -> Level {
    let labels: serde_json::Map<_, _> = labels
        .iter()
        .map(|(key, value)| ((*key).to_owned(), json!(value)))
        .collect();
    serde_json::from_value(json!({
        "metadata": {"name": name, "labels": labels},
        "spec": {"type": "Limited", "limited": {
            "nominalConcurrencyShares": 1, "limitResponse": {"type": "Reject"}}},
    }))
    .unwrap()
}

pub(crate) async fn create(client: &Client, name: &str, labels: &[(&str, &str)]) -> Level {
    let levels = client.priority_level_configurations();
    levels.create(&level(name, labels)).await.unwrap()
}

pub(crate) async fn relabel(client: &Client, name: &str, key: &str, value: Option<&str>) -> Level {
    let levels = client.priority_level_configurations();
    let patch = json!({"metadata": {"labels": {key: value}}});
    levels.patch(name).merge(&patch).await.unwrap()
}

/// Changes a label through another API version.
pub(crate) async fn relabel_through<K: Resource>(api: &Api<K>, name: &str) {
    let version = api
        .get(name)
        .await
        .unwrap()
        .metadata()
        .resource_version
        .clone();
    let patch = json!({"metadata": {"labels": {"changed-after": version}}});
    api.patch(name).merge(&patch).await.unwrap();
}

pub(crate) async fn delete(client: &Client, name: &str) {
    let levels = client.priority_level_configurations();
    levels.delete(name).await.unwrap();
}

/// A watcher with short delays after failures.
pub(crate) fn watcher(client: &Client) -> Watcher<Level> {
    let levels = client.priority_level_configurations();
    levels
        .watcher()
        .backoff(Duration::from_millis(1), Duration::from_millis(10))
}

/// The output of a future, which must come soon.
pub(crate) async fn soon<T>(future: impl Future<Output = T>) -> T {
    tokio::time::timeout(PATIENCE, future)
        .await
        .expect("it takes for ever")
}

/// Starts a server on the port of one that has ended. A connection of another test can have the port for a moment.
pub(crate) async fn start_in_place(builder: Builder, port: u16) -> ApiServer {
    let builder = builder.port(port);
    let started = async {
        loop {
            match builder.clone().start().await {
                Ok(server) => break server,
                Err(_still_in_use) => tokio::task::yield_now().await,
            }
        }
    };
    soon(started).await
}

/// The next event of a watcher, in short: `begin`, `item a`, `end`, `end -a` (with a disappeared object), `applied a`,
/// `deleted a`, or the error.
pub(crate) async fn next(watcher: &mut Watcher<Level>) -> String {
    match soon(watcher.next()).await.unwrap() {
        Ok(event) => short(&event),
        Err(error) => brief(&error),
    }
}

/// The next `count` events.
pub(crate) async fn take(watcher: &mut Watcher<Level>, count: usize) -> Vec<String> {
    let mut events = Vec::new();
    for _ in 0..count {
        events.push(next(watcher).await);
    }
    events
}

/// Interrupts the watch until `happens` has run.
pub(crate) async fn while_away(
    server: &ApiServer,
    watcher: &mut Watcher<Level>,
    happens: impl AsyncFnOnce(),
) {
    server.inject(Fault::internal_error().on_method("GET").times(usize::MAX));
    while next(watcher).await != "error 500" {}
    server.clear_faults();
    happens().await;
}

fn short(event: &WatcherEvent<Level>) -> String {
    match event {
        WatcherEvent::ListBegin => "begin".into(),
        WatcherEvent::ListItem { object, .. } => format!("item {}", object.name()),
        WatcherEvent::ListEnd { disappeared, .. } => {
            let gone: String = disappeared.iter().map(|key| format!(" -{key}")).collect();
            format!("end{gone}")
        }
        WatcherEvent::Applied { object, .. } => format!("applied {}", object.name()),
        WatcherEvent::Deleted { object, .. } => format!("deleted {}", object.name()),
        WatcherEvent::Invalid { object, is_deleted } => format!("invalid {object} {is_deleted}"),
        other => format!("{other:?}"),
    }
}

fn brief(error: &Error) -> String {
    match error.code() {
        Some(code) => format!("error {code}"),
        None if error.is_timeout() => "error timeout".into(),
        None => format!("error {error}"),
    }
}
