//! Connections that fail, break, or are reused.

use crate::requests::script::{Act, Script, answer, deaf};
use crate::requests::support::{client, embedded, schema};
use k8s_flowcontrol::Client;
use k8s_flowcontrol::client::RetryPolicy;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::sync::mpsc;

fn body() -> Vec<u8> {
    let mut mine = schema("mine");
    mine.metadata.resource_version = Some("7".into());
    mine.metadata.uid = Some("u".into());
    serde_json::to_vec(&mine).unwrap()
}

#[tokio::test]
async fn without_a_connection_nothing_was_sent() {
    let (_socket, url) = deaf();
    let schemas = client(&url).flow_schemas();
    for error in [
        schemas.create(&schema("mine")).await.unwrap_err(),
        schemas.get("mine").await.unwrap_err(),
        schemas.delete("mine").await.unwrap_err(),
    ] {
        assert!(error.is_connect() && error.is_retryable(), "{error}");
        assert!(!error.is_timeout());
        assert_eq!(error.attempts(), 5);
        assert!(error.to_string().contains(&url), "{error}");
        assert!(
            error
                .to_string()
                .ends_with("(after 5 attempts, the limit of the retry policy)"),
            "{error}"
        );
    }
}

#[tokio::test]
async fn a_create_waits_for_a_server_that_is_about_to_listen() {
    let (socket, url) = deaf();
    let policy = RetryPolicy::default()
        .with_max_attempts(u32::MAX)
        .with_initial_backoff(Duration::from_millis(1))
        .with_max_backoff(Duration::from_millis(5));
    let (refused, mut told) = mpsc::unbounded_channel();
    let client = client(url)
        .with_retry_policy(policy)
        .on_request(move |attempt| {
            // After the create the listener is closed.
            let _told = refused.send(attempt.number());
        });
    let create = crate::spawn(async move {
        let schemas = client.flow_schemas();
        schemas.create(&schema("mine")).send().await
    });
    assert_eq!(told.recv().await, Some(1));
    let script = Script::on(socket.listen(1).unwrap(), vec![answer(201, "", body())]);
    let created = create.await.unwrap().unwrap();
    assert!(created.was_created() && created.attempts() > 1);
    assert_eq!(script.requests().len(), 1);
}

#[tokio::test]
async fn reads_survive_broken_connections() {
    let cut =
        Act::Answer(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n{\"metadata\":".to_vec());
    let script = Script::start(vec![Act::Close, Act::Reset, cut, answer(200, "", body())]).await;
    let answer = script
        .client
        .flow_schemas()
        .get("mine")
        .send()
        .await
        .unwrap();
    assert_eq!(answer.attempts(), 4);
    assert_eq!(answer.value().metadata.name.as_deref(), Some("mine"));
    script.played().await;
}

#[tokio::test]
async fn a_create_is_not_repeated_when_its_answer_is_lost() {
    for act in [Act::Close, Act::Reset] {
        let script = Script::start(vec![act, answer(201, "", body())]).await;
        let error = script
            .client
            .flow_schemas()
            .create(&schema("mine"))
            .await
            .unwrap_err();
        assert!(error.is_retryable() && !error.is_connect(), "{error}");
        assert_eq!(error.attempts(), 1);
        assert_eq!(script.requests().len(), 1);
    }
}

#[tokio::test]
async fn a_guarded_write_is_repeated() {
    let mine: k8s_flowcontrol::api::v1::FlowSchema = serde_json::from_slice(&body()).unwrap();
    let script = Script::start(vec![Act::Reset, answer(200, "", body())]).await;
    assert_eq!(
        script
            .client
            .flow_schemas()
            .replace(&mine)
            .send()
            .await
            .unwrap()
            .attempts(),
        2
    );

    let script = Script::start(vec![Act::Reset, answer(200, "", body())]).await;
    let delete = script
        .client
        .flow_schemas()
        .delete("mine")
        .precondition_resource_version("7");
    assert_eq!(delete.send().await.unwrap().attempts(), 2);

    // Without a guard it is not sent again.
    let mut unconditional = mine;
    unconditional.metadata.resource_version = None;
    let script = Script::start(vec![Act::Reset, answer(200, "", body())]).await;
    assert_eq!(
        script
            .client
            .flow_schemas()
            .replace(&unconditional)
            .await
            .unwrap_err()
            .attempts(),
        1
    );
    let script = Script::start(vec![Act::Reset, answer(200, "", body())]).await;
    assert_eq!(
        script
            .client
            .flow_schemas()
            .delete("mine")
            .await
            .unwrap_err()
            .attempts(),
        1
    );
}

#[tokio::test]
async fn a_conflict_of_ones_own_making_is_not_reported_as_one() {
    let mine: k8s_flowcontrol::api::v1::FlowSchema = serde_json::from_slice(&body()).unwrap();
    let conflict =
        r#"{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Conflict","code":409}"#;
    let script = Script::start(vec![Act::Reset, answer(409, "", conflict)]).await;
    let error = script
        .client
        .flow_schemas()
        .replace(&mine)
        .await
        .unwrap_err();
    assert!(!error.is_conflict() && error.is_retryable(), "{error}");
    assert_eq!(error.attempts(), 2);

    // The first attempt was not carried out, so the conflict is caused by another client.
    let script = Script::start(vec![
        answer(429, "Retry-After: 0\r\n", ""),
        answer(409, "", conflict),
    ])
    .await;
    let error = script
        .client
        .flow_schemas()
        .replace(&mine)
        .await
        .unwrap_err();
    assert!(error.is_conflict(), "{error}");
    assert_eq!(error.attempts(), 2);
}

#[tokio::test]
async fn time_runs_out() {
    let limit = Duration::from_secs(1);
    // No response; then a response that begins but does not end.
    for begun in [
        &b""[..],
        b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n{",
    ] {
        let script = Script::start(vec![Act::Begin(begun)]).await;
        let error = script
            .client
            .flow_schemas()
            .get("mine")
            .timeout(limit)
            .await
            .unwrap_err();
        assert!(
            error.is_timeout() && !error.is_connect() && !error.is_retryable(),
            "{error}"
        );
        assert_eq!(error.attempts(), 1);
        assert!(error.to_string().contains("within 1s"), "{error}");
        // The client has closed the connection.
        script.played().await;
    }
    let script = Script::start(vec![Act::Begin(b"")]).await;
    let config = script.client.config().clone().with_timeout(limit);
    let error = Client::new(config).unwrap().version().await.unwrap_err();
    assert!(error.is_timeout(), "{error}");
}

#[tokio::test]
async fn a_watch_may_take_longer_than_a_request() {
    let (_server, client) = embedded().await;
    let schemas = client.flow_schemas();
    // The timeout is for opening the watch.
    let limit = Duration::from_secs(2);
    let version = schemas
        .list()
        .await
        .unwrap()
        .metadata
        .resource_version
        .unwrap();
    let mut events = schemas
        .watch()
        .resource_version(version)
        .timeout(limit)
        .await
        .unwrap();
    tokio::time::sleep(limit + Duration::from_millis(100)).await;
    schemas.create(&schema("mine")).await.unwrap();
    assert!(events.next().await.unwrap().is_ok());
}

#[tokio::test]
async fn a_dropped_watch_closes_its_connection() {
    let head = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
    let script = Script::start(vec![Act::Begin(head)]).await;
    let events = script.client.flow_schemas().watch().await.unwrap();
    assert!(!script.is_played());
    drop(events);
    script.played().await;
}

#[tokio::test]
async fn connections_are_used_again() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let client = client(format!("http://{}", listener.local_addr().unwrap()));
    let serving = crate::spawn(async move {
        // One connection serves all requests.
        let (mut stream, _) = listener.accept().await.unwrap();
        let body = body();
        let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", body.len());
        for _ in 0..5 {
            let mut request = Vec::new();
            while !request.ends_with(b"\r\n\r\n") {
                assert_ne!(stream.read_buf(&mut request).await.unwrap(), 0);
            }
            stream.write_all(head.as_bytes()).await.unwrap();
            stream.write_all(&body).await.unwrap();
        }
    });
    for _ in 0..5 {
        client.clone().flow_schemas().get("mine").await.unwrap();
    }
    serving.await.unwrap();
}

#[tokio::test]
async fn the_program_says_what_it_is() {
    let script = Script::start(vec![answer(200, "", body()), answer(200, "", body())]).await;
    script.client.flow_schemas().get("mine").await.unwrap();
    let library = script.client.config().user_agent().to_owned();
    let config = script
        .client
        .config()
        .clone()
        .with_application("Quota/1.4")
        .unwrap();
    Client::new(config)
        .unwrap()
        .flow_schemas()
        .get("mine")
        .await
        .unwrap();
    let sent: Vec<_> = script
        .requests()
        .iter()
        .map(|head| {
            head.lines()
                .find_map(|line| line.strip_prefix("user-agent: "))
                .unwrap()
                .to_owned()
        })
        .collect();
    assert_eq!(
        sent,
        [
            library.to_ascii_lowercase(),
            format!("quota/1.4 {library}").to_ascii_lowercase()
        ]
    );
}
