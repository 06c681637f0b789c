//! The hook for metrics, and `tracing` spans.

use crate::requests::script::{Act, Script};
use crate::requests::support::{config, embedded, hasty, schema};
use k8s_flowcontrol::Client;
use k8s_flowcontrol::client::RetryPolicy;
use k8s_flowcontrol::config::Secret;
use k8s_flowcontrol_server::{ApiServer, Fault};
use std::collections::BTreeMap;
use std::fmt::{Debug, Write as _};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

#[tokio::test]
async fn every_attempt_is_reported() {
    let (server, client) = embedded().await;
    let seen = Arc::new(Mutex::new(Vec::new()));
    let log = seen.clone();
    let client = client.on_request(move |attempt| {
        assert!(attempt.path().starts_with('/') && attempt.duration() > Duration::ZERO);
        let uids = attempt.flow_schema_uid().is_some() && attempt.priority_level_uid().is_some();
        let what = format!(
            "{} {} {} {}",
            attempt.method(),
            attempt.verb(),
            attempt.resource(),
            attempt.subresource()
        );
        let retried = attempt.retried_after().is_some();
        let line = (
            what.trim_end().to_owned(),
            attempt.number(),
            attempt.code(),
            retried,
            uids,
        );
        assert_eq!(
            attempt.error().is_some(),
            attempt.code() != Some(line.2.unwrap()) || line.2 >= Some(300)
        );
        log.lock().unwrap().push(line);
    });
    let schemas = client.flow_schemas();
    server.inject(Fault::rejected(0));
    schemas.create(&schema("mine")).await.unwrap();
    schemas.list().await.unwrap();
    drop(schemas.watch().await.unwrap());
    let mine = schemas.get_status("mine").await.unwrap();
    schemas.replace(&mine).await.unwrap();
    assert!(schemas.get("missing").await.is_err());
    schemas.delete("mine").await.unwrap();
    schemas
        .delete_collection()
        .label_selector("a=b")
        .await
        .unwrap();
    client.version().await.unwrap();

    let expected = [
        ("POST create flowschemas", 1, 429, true),
        ("POST create flowschemas", 2, 201, false),
        ("GET list flowschemas", 1, 200, false),
        ("GET watch flowschemas", 1, 200, false),
        ("GET get flowschemas status", 1, 200, false),
        ("PUT update flowschemas", 1, 200, false),
        ("GET get flowschemas", 1, 404, false),
        ("DELETE delete flowschemas", 1, 200, false),
        ("DELETE deletecollection flowschemas", 1, 200, false),
        ("GET get", 1, 200, false),
    ]
    .map(|(what, number, code, retried)| (what.to_owned(), number, Some(code), retried, true));
    assert_eq!(*seen.lock().unwrap(), expected);
}

/// Spans and events of this crate, as text.
#[derive(Clone, Default)]
struct Log(
    Arc<Mutex<Vec<BTreeMap<&'static str, String>>>>,
    Arc<Mutex<String>>,
);

struct Fields<'a>(&'a mut BTreeMap<&'static str, String>);

impl Visit for Fields<'_> {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.0.insert(field.name(), format!("{value:?}"));
    }
}

impl Subscriber for Log {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target().starts_with("k8s_flowcontrol")
    }

    fn new_span(&self, span: &Attributes<'_>) -> Id {
        let mut spans = self.0.lock().unwrap();
        let mut fields = BTreeMap::new();
        span.record(&mut Fields(&mut fields));
        spans.push(fields);
        Id::from_u64(spans.len() as u64)
    }

    fn record(&self, span: &Id, values: &Record<'_>) {
        let mut spans = self.0.lock().unwrap();
        values.record(&mut Fields(&mut spans[span.into_u64() as usize - 1]));
    }

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        let mut fields = BTreeMap::new();
        event.record(&mut Fields(&mut fields));
        writeln!(
            self.1.lock().unwrap(),
            "{} {fields:?}",
            event.metadata().level()
        )
        .unwrap();
    }

    fn enter(&self, _: &Id) {}
    fn exit(&self, _: &Id) {}
}

#[tokio::test]
async fn spans_say_what_happened_and_no_secret() {
    let tokens = "planted-secret,admin,admin-uid,\"system:masters\"\n";
    let server = ApiServer::builder()
        .tls()
        .tokens(tokens)
        .start()
        .await
        .unwrap();
    let config = config(&server).with_token(Secret::new("planted-secret"));
    let client = Client::new(config.with_retry_policy(hasty())).unwrap();
    // With a single subscriber, an event that another test uses first would be off for this test too.
    let _second = tracing::Dispatch::new(Log::default());
    let log = Log::default();
    let guard = tracing::subscriber::set_default(log.clone());

    server.inject(Fault::rejected(0));
    let mut secretive = schema("mine");
    secretive
        .metadata
        .annotations
        .insert("note".into(), "planted-secret".into());
    let created = client
        .flow_schemas()
        .create(&secretive)
        .field_manager("me")
        .send()
        .await
        .unwrap();
    let error = client
        .flow_schemas()
        .list()
        .label_selector("a in")
        .await
        .unwrap_err();
    drop(guard);

    let spans = log.0.lock().unwrap();
    let field = |span: usize, name: &str| spans[span].get(name).map(String::as_str);
    let path = "/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas";
    assert_eq!(field(0, "http.request.method"), Some("POST"));
    assert_eq!(field(0, "url.path"), Some(path));
    assert_eq!(field(0, "url.query"), Some("\"fieldManager=me\""));
    assert_eq!(field(0, "http.request.resend_count"), Some("1"));
    assert_eq!(field(0, "server.address"), Some("\"127.0.0.1\""));
    assert!(
        server
            .url()
            .ends_with(&format!(":{}", field(0, "server.port").unwrap()))
    );
    assert_ne!(field(0, "request_id"), field(1, "request_id"));
    assert_eq!(field(0, "http.response.status_code"), Some("201"));
    assert_eq!(field(0, "error.type"), None);
    assert!(field(0, "duration_ms").is_some());
    assert_eq!(
        field(0, "flow_schema_uid"),
        Some(format!("{:?}", created.flow_schema_uid().unwrap()).as_str())
    );
    assert_eq!(
        field(0, "priority_level_uid"),
        Some(format!("{:?}", created.priority_level_uid().unwrap()).as_str())
    );
    assert!(error.is_bad_request(), "{error}");
    assert_eq!(field(1, "url.query"), Some("\"labelSelector=a in\""));
    assert_eq!(field(1, "http.response.status_code"), Some("400"));
    assert_eq!(field(1, "error.type"), Some("400"));
    assert_eq!(spans.len(), 2);

    let events = log.1.lock().unwrap();
    let lines: Vec<_> = events.lines().collect();
    assert_eq!(lines.len(), 3, "{events}");
    assert!(
        lines[0].starts_with("INFO") && lines[0].contains("sent again"),
        "{events}"
    );
    assert!(
        lines[0].contains("\"http.response.status_code\": \"429\"")
            && lines[0].contains("\"attempt\": \"1\""),
        "{events}"
    );
    assert!(
        lines[1].starts_with("DEBUG")
            && lines[1].contains("\"http.response.status_code\": \"201\""),
        "{events}"
    );
    assert!(!format!("{spans:?} {events}").contains("planted-secret"));
}

#[tokio::test]
async fn one_id_joins_the_attempts_of_a_request() {
    let (server, client) = embedded().await;
    let seen = Arc::new(Mutex::new(Vec::new()));
    let (before, after) = (seen.clone(), seen.clone());
    let client = client
        .before_request(move |request| before.lock().unwrap().push(request.request_id()))
        .on_request(move |attempt| after.lock().unwrap().push(attempt.request_id()));
    server.inject(Fault::rejected(0));
    client.flow_schemas().list().await.unwrap();
    let ids = std::mem::take(&mut *seen.lock().unwrap());
    assert_eq!(ids, [ids[0]; 4], "two attempts");
    client.flow_schemas().list().await.unwrap();
    let next = std::mem::take(&mut *seen.lock().unwrap());
    assert_eq!(next, [next[0]; 2]);
    assert_ne!(next[0], ids[0]);
}

#[tokio::test]
async fn an_observer_that_panics_ends_its_request_only() {
    let (_server, client) = embedded().await;
    let client = client.on_request(|attempt| assert_ne!(attempt.verb(), "list"));
    for _ in 0..3 {
        let schemas = client.flow_schemas();
        let listed = crate::spawn(async move { schemas.list().await }).await;
        assert!(listed.unwrap_err().is_panic());
        client.flow_schemas().get("exempt").await.unwrap();
    }
    // A hook runs before the request is sent.
    let client = client.before_request(|request| assert_ne!(request.method(), "DELETE"));
    let schemas = client.flow_schemas();
    let deleted = crate::spawn(async move { schemas.delete("exempt").await }).await;
    assert!(deleted.unwrap_err().is_panic());
    client.flow_schemas().get("exempt").await.unwrap();
}

#[tokio::test]
async fn the_code_of_a_response_that_breaks_is_reported() {
    for (code, text) in [(200, "HTTP/1.1 200 X"), (429, "HTTP/1.1 429 X")] {
        let cut = format!("{text}\r\nContent-Length: 99\r\n\r\n{{");
        let script = Script::start(vec![Act::Answer(cut.into())]).await;
        let seen = Arc::new(Mutex::new(None));
        let sink = seen.clone();
        let client = script.client.clone().on_request(move |attempt| {
            *sink.lock().unwrap() = Some((attempt.code(), attempt.error().is_some()));
        });
        let list = client.flow_schemas().list();
        list.retry_policy(RetryPolicy::none()).await.unwrap_err();
        assert_eq!(*seen.lock().unwrap(), Some((Some(code), true)));
    }
}
