//! Recordings of exchanges, and tests without a server that replay them.

mod secrets;

use crate::requests::script::deaf;
use crate::requests::support::{config, embedded, hasty, schema};
use k8s_flowcontrol::api::v1::FlowSchema;
use k8s_flowcontrol::client::Client;
use k8s_flowcontrol::config::{Impersonation, Secret};
use k8s_flowcontrol::replay::{Recorder, Replay};
use k8s_flowcontrol::watch::Store;
use k8s_flowcontrol::{Error, Resource as _};
use k8s_flowcontrol_server::{ApiServer, Fault};
use serde_json::json;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};

/// A file that is removed at the end of the test.
struct Tape(PathBuf);

impl Tape {
    fn new() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!(
            "k8s-flowcontrol-replay-{}-{number}.jsonl",
            std::process::id()
        );
        Self(std::env::temp_dir().join(name))
    }

    fn recorder(&self) -> Recorder {
        Recorder::create(&self.0).unwrap()
    }

    fn text(&self) -> String {
        std::fs::read_to_string(&self.0).unwrap()
    }

    fn replay(&self) -> Replay {
        Replay::open(&self.0).unwrap()
    }
}

impl Drop for Tape {
    fn drop(&mut self) {
        let _gone = std::fs::remove_file(&self.0);
    }
}

/// A program; returns the responses that it got.
async fn tour(client: Client) -> Result<Vec<String>, Error> {
    let client = client.with_retry_policy(hasty());
    let schemas = client.flow_schemas();
    let mut seen = Vec::new();
    let created = schemas.create(&schema("mine")).send().await?;
    seen.push(format!(
        "{} {} {:?}",
        created.code(),
        created.attempts(),
        created.audit_id()
    ));
    let mut events = schemas.watch().await?;
    let update = schemas.update_with("mine", |mine| mine.spec.matching_precedence = Some(8000));
    let mine = update.await?;
    loop {
        let event = events.next().await.unwrap()?;
        let version = event.resource_version().map(str::to_owned);
        seen.push(format!("{version:?}"));
        if version == mine.metadata.resource_version {
            break;
        }
    }
    for page in [1, 3] {
        let list = schemas.list().limit(page).await?;
        seen.extend(list.items.iter().map(|item| item.name().to_owned()));
    }
    let missing = schemas.get("missing").await.unwrap_err();
    seen.push(format!(
        "{missing} {:?}",
        missing.flow_schema_uid().is_some()
    ));
    let mut partial = FlowSchema::partial("mine");
    partial.spec.matching_precedence = Some(7000);
    let apply = schemas.apply(&partial).field_manager("other");
    let conflict = apply.await.unwrap_err();
    assert!(conflict.is_conflict(), "{conflict}");
    seen.push(conflict.to_string());
    seen.push(String::from_utf8(client.get_raw("/livez?verbose").await?).unwrap());
    schemas.delete("mine").await?;
    Ok(seen)
}

#[tokio::test]
async fn a_recording_is_replayed_without_the_server() {
    let tokens = "planted-secret,admin,admin-uid,\"system:masters\"\n";
    let server = ApiServer::builder()
        .tls()
        .tokens(tokens)
        .start()
        .await
        .unwrap();
    let config = config(&server)
        .with_token(Secret::new("planted-secret"))
        .with_impersonation(Impersonation::new("planted-user").group("system:masters"))
        .unwrap();
    let tape = Tape::new();
    let recorder = tape.recorder();
    server.inject(Fault::rejected(0).times(2).on_method("POST"));
    server.inject(Fault::cut().on_path("livez"));
    let client = recorder.record(Client::new(config).unwrap());
    let recorded = tour(client).await.unwrap();
    recorder.finish().unwrap();
    drop(server);

    let text = tape.text();
    for secret in ["planted", "authorization", "impersonate", "127.0.0.1"] {
        assert!(!text.to_lowercase().contains(secret), "{secret}: {text}");
    }
    for replay in [tape.replay(), Replay::parse(&text).unwrap().in_any_order()] {
        let replayed = tour(replay.client().unwrap()).await.unwrap();
        assert_eq!(replayed, recorded);
        replay.finish().unwrap();
    }
}

#[tokio::test]
async fn a_store_lives_on_a_replayed_watch_that_stays_open() {
    let (server, client) = embedded().await;
    let tape = Tape::new();
    let recorder = tape.recorder();
    async fn names(client: Client, add: impl AsyncFnOnce()) -> Vec<String> {
        let store = Store::start(client.flow_schemas().watcher());
        store.wait_ready().await.unwrap();
        let mut changes = store.subscribe();
        add().await;
        while store.get("mine").is_none() {
            changes.next().await.unwrap();
        }
        let mut names: Vec<_> = store
            .snapshot()
            .iter()
            .map(|one| one.name().to_owned())
            .collect();
        names.sort();
        names
    }
    let adding = client.clone();
    let recorded = names(recorder.record(client), async move || {
        adding.flow_schemas().create(&schema("mine")).await.unwrap();
    })
    .await;
    recorder.finish().unwrap();
    drop(server);
    let replay = tape.replay();
    assert_eq!(names(replay.client().unwrap(), async || {}).await, recorded);
    replay.finish().unwrap();
}

#[tokio::test]
async fn failures_are_replayed() {
    let (server, client) = embedded().await;
    let (_socket, url) = deaf();
    let nowhere = crate::requests::support::client(url);
    let tape = Tape::new();
    let recorder = tape.recorder();
    let fail = async |client: Client, nowhere: Client| {
        let nowhere = nowhere.with_retry_policy(hasty());
        let create = nowhere.flow_schemas().create(&schema("mine"));
        let unreachable = create.await.unwrap_err();
        assert!(unreachable.is_connect() && !unreachable.may_have_taken_effect());
        let mut events = client.flow_schemas().watch().await.unwrap();
        let mut lines = 0;
        let cut = loop {
            match events.next().await.unwrap() {
                Ok(_) => lines += 1,
                Err(error) => break error,
            }
        };
        (unreachable.attempts(), lines, cut.is_retryable())
    };
    server.inject(Fault::cut_watch(2));
    let recorded = fail(recorder.record(client), recorder.record(nowhere)).await;
    recorder.finish().unwrap();
    drop(server);
    let replay = tape.replay();
    let client = || replay.client().unwrap();
    assert_eq!(fail(client(), client()).await, recorded);
    assert_eq!(recorded, (5, 2, true));
    replay.finish().unwrap();
}

/// A recording of requests with empty objects as responses.
fn recording(requests: &[&str]) -> Replay {
    let mut text = String::new();
    for (number, request) in requests.iter().enumerate() {
        let (method, rest) = request.split_once(' ').unwrap();
        let (path, query) = rest.split_once('?').unwrap_or((rest, ""));
        for line in [
            json!({"request": {"method": method, "path": path, "query": query, "accept": "application/json, */*"}}),
            json!({"response": {"status": 200}}),
            json!({"chunk": request}),
            json!({"end": true}),
        ] {
            let mut line = line;
            line["exchange"] = json!(number + 1);
            text += &format!("{line}\n");
        }
    }
    Replay::parse(&text).unwrap()
}

async fn get(replay: &Replay, path: &str) -> Result<String, Error> {
    let body = replay.client().unwrap().get_raw(path).await?;
    Ok(String::from_utf8(body).unwrap())
}

#[tokio::test]
async fn other_requests_than_recorded_are_errors() {
    let replay = recording(&["GET /a/b?x=1", "GET /a/c", "GET /a/d"]);
    assert_eq!(get(&replay, "/a/b?x=1").await.unwrap(), "GET /a/b?x=1");
    let error = get(&replay, "/a/d").await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "GET /a/d: a layer or the transport of the client failed: the request GET /a/d is not the recorded one; \
         the next one is line 5, GET /a/c: the path differs; the nearest one is line 9, GET /a/d"
    );
    assert_eq!(error.attempts(), 1);
    assert!(!error.is_retryable());
    assert_eq!(get(&replay, "/a/c").await.unwrap(), "GET /a/c");
    assert_eq!(get(&replay, "/a/d").await.unwrap(), "GET /a/d");
    let late = get(&replay, "/a/b?x=2").await.unwrap_err().to_string();
    assert!(
        late.contains("all recorded requests have been replayed; the nearest one is line 1, GET /a/b?x=1: the query parameter `x` differs: recorded `1`, sent `2`"),
        "{late}"
    );
    let fault = replay.finish().unwrap_err().to_string();
    assert!(
        fault.starts_with("the request GET /a/d is not the recorded one"),
        "{fault}"
    );
}

#[tokio::test]
async fn requests_in_any_order() {
    let replay =
        recording(&["GET /a/b", "GET /a/c", "GET /a/c", "GET /x", "GET /y"]).in_any_order();
    let (first, second) = tokio::join!(get(&replay, "/a/c"), get(&replay, "/a/b"));
    assert_eq!(
        (first.unwrap(), second.unwrap()),
        ("GET /a/c".into(), "GET /a/b".into())
    );
    assert_eq!(
        replay.finish().unwrap_err().to_string(),
        "3 recorded requests were not sent: line 9, GET /a/c; line 13, GET /x; line 17, GET /y"
    );
    get(&replay, "/a/c").await.unwrap();
    let error = get(&replay, "/a/c").await.unwrap_err().to_string();
    assert!(
        error.contains("; the nearest one is line 13, GET /x: the path differs"),
        "{error}"
    );
    assert!(format!("{replay:?}").contains("left: 2"));
}

#[test]
fn invalid_recordings_name_the_line() {
    let begun = r#"{"exchange":1,"request":{"method":"GET","path":"/a"}}"#;
    let response = r#"{"exchange":1,"response":{"status":200}}"#;
    let end = r#"{"exchange":1,"end":true}"#;
    let headers: Vec<_> = (0..40_000).map(|n| format!(r#""x{n}":["a"]"#)).collect();
    let headers = headers.join(",");
    let many_headers =
        format!(r#"{{"exchange":1,"response":{{"status":200,"headers":{{{headers}}}}}}}"#);
    let many_values = format!(
        r#"{{"exchange":1,"end":true,"more":[{}0]}}"#,
        "0,".repeat(1_000_000)
    );
    for (lines, expected) in [
        (vec!["{\"planted"], "line 1: not valid JSON"),
        (
            vec![begun, response, &many_values],
            "line 3: more than 1,000,000 values",
        ),
        (
            vec!["", "{\"planted\":1}"],
            "line 2: expected the number of an exchange",
        ),
        (
            vec![r#"{"exchange":1}"#],
            "line 1: expected a request, response,",
        ),
        (
            vec![r#"{"exchange":1,"request":{"path":"/a"}}"#],
            "line 1: expected a request, response,",
        ),
        (vec![end], "line 1: the exchange 1 has no request"),
        (
            vec![begun, begun],
            "line 2: the exchange 1 has two requests",
        ),
        (vec![begun, end], "line 2: the exchange 1 has no response"),
        (
            vec![begun, response, response],
            "line 3: the exchange 1 has two responses",
        ),
        (
            vec![begun, response, end, end],
            "line 4: the exchange 1 has ended before",
        ),
        (
            vec![begun, &many_headers],
            "line 2: expected a request, response,",
        ),
    ] {
        let error = Replay::parse(&lines.join("\n")).unwrap_err().to_string();
        assert!(
            error.contains(expected) && !error.contains("planted"),
            "{error}"
        );
    }
    let error = Replay::open("/no/such/file").unwrap_err().to_string();
    assert!(error.starts_with("/no/such/file: "), "{error}");
}

#[test]
fn a_recording_that_is_too_long_is_not_read() {
    const LIMIT: usize = 64 << 20;
    let tape = Tape::new();
    let end = concat!(
        r#"{"exchange":1,"request":{"method":"GET","path":"/a"}}"#,
        "\n",
        r#"{"exchange":1,"error":{"message":"broken"}}"#,
        "\n"
    );
    let text = " ".repeat(LIMIT - end.len() - 1) + "\n" + end;
    std::fs::write(&tape.0, &text).unwrap();
    tape.replay();
    std::fs::write(&tape.0, text + "\n").unwrap();
    let error = Replay::open(&tape.0).unwrap_err().to_string();
    let expected = "it is longer than 64 MiB; record fewer requests, or make several recordings";
    assert_eq!(error, format!("{}: {expected}", tape.0.display()));
}
