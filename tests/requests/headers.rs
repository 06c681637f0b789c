//! Responses with many headers, and with more than the client reads.

use crate::requests::http2::{self, Listener};
use crate::requests::script::{Act, Script, answer};
use crate::requests::support::schema;
use k8s_flowcontrol::Client;
use std::fmt::Write;

/// `Warning` headers, as an API server sends them for unknown fields.
fn warnings(count: usize) -> String {
    (0..count).fold(String::new(), |mut headers, number| {
        write!(headers, "Warning: {}\r\n", warning(number)).unwrap();
        headers
    })
}

fn warning(number: usize) -> String {
    format!("299 - \"unknown field \\\"spec.field{number}\\\"\"")
}

fn body() -> Vec<u8> {
    serde_json::to_vec(&schema("mine")).unwrap()
}

#[tokio::test]
async fn a_create_with_many_warnings_succeeds() {
    for count in [110, 1000] {
        let script = Script::start(vec![answer(201, &warnings(count), body())]).await;
        let create = script.client.flow_schemas().create(&schema("mine"));
        let created = create.send().await.unwrap();
        assert_eq!((created.code(), created.attempts()), (201, 1));
        let texts: Vec<_> = created.warnings().iter().map(|one| one.text()).collect();
        let expected = (0..count).map(|n| format!("unknown field \"spec.field{n}\""));
        assert_eq!(texts, expected.collect::<Vec<_>>());
    }
}

#[tokio::test]
async fn a_create_with_many_warnings_succeeds_over_http2() {
    for count in [110, 1000, 4000] {
        let (listener, config) = Listener::start().await;
        let serving = tokio::spawn(async move {
            let mut connection = listener.accept().await;
            let asked = http2::next(&mut connection).await;
            let headers = (0..count).map(|number| ("warning", warning(number)));
            http2::answer_with(asked, 201, headers);
            http2::drain(connection).await;
        });
        let client = Client::new(config).unwrap();
        let create = client.flow_schemas().create(&schema("mine"));
        let created = create.send().await.unwrap();
        assert_eq!((created.code(), created.attempts()), (201, 1));
        assert_eq!(created.warnings().len(), count);
        let last = format!("unknown field \"spec.field{}\"", count - 1);
        assert_eq!(created.warnings()[count - 1].text(), last);
        drop(client);
        serving.await.unwrap();
    }
}

#[tokio::test]
async fn an_unreadable_answer_to_a_write_leaves_the_effect_open() {
    let many = warnings(10_000);
    let names = (0..10_000).fold(String::new(), |mut headers, number| {
        write!(headers, "X-{number}: y\r\n").unwrap();
        headers
    });
    let long = format!("Warning: 299 - \"{}\"\r\n", "x".repeat(600_000));
    let garbage = Act::Answer(b"\x00\x01\x02\r\n\r\n".to_vec());
    for act in [
        answer(201, &many, body()),
        answer(201, &names, body()),
        answer(201, &long, body()),
        answer(201, "", "<html>"),
        garbage,
        Act::Close,
    ] {
        let script = Script::start(vec![act]).await;
        let create = script.client.flow_schemas().create(&schema("mine"));
        let error = create.await.unwrap_err();
        assert_eq!(error.attempts(), 1, "{error}");
        assert!(error.may_have_taken_effect(), "{error}");
        let text = error.to_string();
        assert!(
            text.ends_with("; the request may have taken effect"),
            "{text}"
        );
    }
    // A read or a dry run has no effect.
    let script = Script::start(vec![answer(201, "", "<html>"), answer(200, "", "<html>")]).await;
    let schemas = script.client.flow_schemas();
    let dry_run = schemas.create(&schema("mine")).dry_run().await.map(drop);
    for result in [dry_run, schemas.get("mine").await.map(drop)] {
        assert!(!result.unwrap_err().may_have_taken_effect());
    }
}

#[tokio::test]
async fn a_rejected_write_has_no_effect() {
    let schemas = |client: &Client| client.flow_schemas();
    for code in [400, 403, 404, 409, 422] {
        let script = Script::start(vec![answer(code, "", "")]).await;
        let error = schemas(&script.client)
            .create(&schema("mine"))
            .await
            .unwrap_err();
        assert!(!error.may_have_taken_effect(), "{error}");
    }
    for code in [500, 503, 504] {
        let script = Script::start(vec![answer(code, "", "")]).await;
        let error = schemas(&script.client)
            .create(&schema("mine"))
            .await
            .unwrap_err();
        assert!(error.may_have_taken_effect(), "{error}");
    }
}
