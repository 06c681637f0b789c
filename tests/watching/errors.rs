//! Failures of a store, as its subscribers and the log see them.

use crate::watching::support::{create, server, soon, watcher};
use k8s_flowcontrol::watch::{Store, StoreEvent};
use k8s_flowcontrol_server::Fault;
use std::fmt::{Debug, Write as _};
use std::sync::{Arc, Mutex};
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

/// The events of stores, as lines of level and fields.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<String>>>);

struct Line(String);

impl Visit for Line {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        write!(self.0, " {}={value:?}", field.name()).unwrap();
    }
}

impl Subscriber for Log {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target() == "k8s_flowcontrol::watch"
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}
    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        let mut line = Line(event.metadata().level().to_string());
        event.record(&mut line);
        self.0.lock().unwrap().push(line.0);
    }

    fn enter(&self, _: &Id) {}
    fn exit(&self, _: &Id) {}
}

#[tokio::test]
async fn the_begin_and_the_end_are_reported_once() {
    // With a single subscriber, an event that another test uses first would be off for this test too.
    let _second = tracing::Dispatch::new(Log::default());
    let log = Log::default();
    let guard = tracing::subscriber::set_default(log.clone());

    let (server, client) = server().await;
    create(&client, "a", &[]).await;
    let failures = Arc::new(Mutex::new(0));
    let counted = failures.clone();
    let store = Store::builder(watcher(&client))
        .on_error(move |_| *counted.lock().unwrap() += 1)
        .start();
    server.inject(Fault::internal_error().on_method("GET").times(usize::MAX));
    let mut events = store.subscribe().with_errors();
    match soon(events.next()).await {
        Some(StoreEvent::Failed { error }) => assert_eq!(error.code(), Some(500)),
        other => panic!("{other:?}"),
    }
    soon(async {
        while *failures.lock().unwrap() < 5 {
            tokio::task::yield_now().await;
        }
    })
    .await;
    server.clear_faults();
    assert_eq!(soon(events.next()).await, Some(StoreEvent::Recovered));
    match soon(events.next()).await {
        Some(StoreEvent::Snapshot(all)) => assert_eq!(all.objects.len(), 1),
        other => panic!("{other:?}"),
    }
    drop(guard);

    let lines = log.0.lock().unwrap().clone();
    assert_eq!(lines.len(), 2, "{lines:?}");
    assert!(
        lines[0].starts_with("WARN")
            && lines[0].contains(": 500 ")
            && lines[0].contains("not complete"),
        "{lines:?}"
    );
    assert!(
        lines[0].contains("kind=\"PriorityLevelConfiguration\""),
        "{lines:?}"
    );
    assert!(lines[1].starts_with("INFO"), "{lines:?}");

    // Without the request for errors, a subscription gets changes only.
    let mut quiet = store.subscribe();
    assert!(matches!(
        soon(quiet.next()).await,
        Some(StoreEvent::Snapshot(_))
    ));
    server.inject(Fault::internal_error().on_method("GET").times(2));
    server.expire_history();
    create(&client, "b", &[]).await;
    match soon(quiet.next()).await {
        Some(StoreEvent::Added { .. }) => {}
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_connection_that_ends_early_is_not_a_warning() {
    // With a single subscriber, an event that another test uses first would be off for this test too.
    let _second = tracing::Dispatch::new(Log::default());
    let log = Log::default();
    let guard = tracing::subscriber::set_default(log.clone());
    let (server, client) = server().await;
    // `times` watches in a row end in the middle of a line, as when the server restarts.
    for (times, levels) in [(1, &["DEBUG"][..]), (2, &["DEBUG", "WARN", "INFO"])] {
        server.inject(Fault::cut_watch(0).on_method("GET").times(times));
        let store = Store::builder(watcher(&client)).start();
        let mut events = store.subscribe().with_errors();
        create(&client, &format!("level-{times}"), &[]).await;
        let is_recovered = |event: &Option<_>| matches!(event, Some(StoreEvent::Recovered));
        soon(async { while !is_recovered(&events.next().await) {} }).await;
        let lines = std::mem::take(&mut *log.0.lock().unwrap());
        let found: Vec<_> = lines
            .iter()
            .filter_map(|line| line.split(' ').next())
            .collect();
        assert_eq!(found, levels, "{lines:?}");
    }
    drop(guard);
}
