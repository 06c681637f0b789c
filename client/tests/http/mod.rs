//! The client over HTTP, against a server of a few lines with prepared responses.

pub(crate) mod fake;

use fake::{Fake, answer, chunked, serve};
use k8s_flowcontrol::api::v1;
use k8s_flowcontrol::client::RetryPolicy;
use k8s_flowcontrol::config::{Config, Secret};
use k8s_flowcontrol::watch::WatchEvent;
use k8s_flowcontrol::{Client, Error};
use std::sync::{Arc, Mutex};

const OBJECT: &str = r#"{"metadata":{"name":"a","resourceVersion":"7"},"spec":{}}"#;

fn client(fake: &Fake) -> Client {
    Client::from_url(&fake.url).unwrap()
}

fn named(name: &str) -> v1::FlowSchema {
    let mut schema = v1::FlowSchema::default();
    schema.metadata.name = Some(name.into());
    schema
}

#[tokio::test]
async fn requests_on_the_wire() {
    let fake = serve(vec![answer("201 Created", "Audit-Id: 5\r\n", OBJECT)]);
    let config = Config::new(format!("{}/prefix/", fake.url))
        .unwrap()
        .with_token(Secret::new("planted-secret"));
    let client = Client::new(config).unwrap();
    assert!(!format!("{client:?}").contains("planted-secret"));
    let answer = client
        .flow_schemas()
        .create(&named("a"))
        .field_manager("me & you")
        .send()
        .await
        .unwrap();
    assert!(answer.was_created());
    assert_eq!(answer.audit_id(), Some("5"));

    let request = fake.requests().remove(0);
    let (head, body) = request.split_once("\r\n\r\n").unwrap();
    assert_eq!(
        head.lines().next(),
        Some(
            "POST /prefix/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas?fieldManager=me+%26+you HTTP/1.1"
        )
    );
    for line in ["accept: application/json", "content-type: application/json"] {
        assert!(head.lines().any(|found| found == line), "{line} in {head}");
    }
    // Only a server with TLS gets credentials.
    assert!(!head.contains("authorization"), "{head}");
    let agent = concat!(
        "user-agent: k8s-flowcontrol/",
        env!("CARGO_PKG_VERSION"),
        " ("
    );
    assert!(head.lines().any(|found| found.starts_with(agent)), "{head}");
    let body: v1::FlowSchema = serde_json::from_str(body).unwrap();
    assert_eq!(body, named("a"));
}

#[tokio::test]
async fn warnings_reach_the_handler_with_errors_too() {
    let warning = "Warning: 299 - \"careful\"\r\n";
    let status = r#"{"kind":"Status","status":"Failure","reason":"NotFound","details":{"name":"a","kind":"flowschemas"},"code":404}"#;
    let fake = serve(vec![
        answer("200 OK", warning, OBJECT),
        answer("404 Not Found", warning, status),
    ]);
    let seen = Arc::new(Mutex::new(Vec::new()));
    let sink = seen.clone();
    let client =
        client(&fake).on_warning(move |warning| sink.lock().unwrap().push(warning.to_string()));
    client.flow_schemas().get("a").await.unwrap();
    let error = client.flow_schemas().get("a").await.unwrap_err();
    assert!(error.is_not_found());
    assert_eq!(error.warnings()[0].text(), "careful");
    assert_eq!(*seen.lock().unwrap(), ["careful", "careful"]);
}

#[tokio::test]
async fn redirects_are_not_followed() {
    let fake = serve(vec![answer(
        "302 Found",
        "Location: http://127.0.0.1:1/\r\n",
        "login",
    )]);
    let error = client(&fake).flow_schemas().list().await.unwrap_err();
    assert_eq!(error.code(), Some(302));
}

#[tokio::test]
async fn a_response_that_ends_early() {
    let whole = answer("200 OK", "", OBJECT);
    let fake = serve(vec![whole[..whole.len() - 5].to_owned()]);
    let schemas = client(&fake).flow_schemas();
    let once = schemas.get("a").retry_policy(RetryPolicy::none());
    let error = once.await.unwrap_err();
    assert!(error.is_retryable() && !error.is_timeout(), "{error}");
    assert!(
        error.to_string().contains("the response ended early"),
        "{error}"
    );
}

#[tokio::test]
async fn a_response_that_is_too_long() {
    let fake = serve(vec![answer("200 OK", "", OBJECT)]);
    let config = Config::new(&fake.url)
        .unwrap()
        .with_max_response_size(OBJECT.len() - 1);
    let error = Client::new(config)
        .unwrap()
        .flow_schemas()
        .get("a")
        .await
        .unwrap_err();
    assert!(!error.is_retryable());
    assert!(
        error.to_string().contains("Config::with_max_response_size"),
        "{error}"
    );
}

/// The limit is 1,024 headers over HTTP/1.1. The URL of the server is right.
#[tokio::test]
async fn a_response_with_too_many_headers() {
    let get = async |number: usize| {
        let headers: String = (0..number)
            .map(|number| format!("X-{number}: a\r\n"))
            .collect();
        let fake = serve(vec![answer("200 OK", &headers, OBJECT)]);
        let schemas = client(&fake).flow_schemas();
        schemas.get("a").retry_policy(RetryPolicy::none()).await
    };
    // Three more are in every response.
    assert!(get(1021).await.is_ok());
    let error = get(1022).await.unwrap_err().to_string();
    assert!(error.contains("more than 1,024 headers"), "{error}");
    assert!(!error.contains("TLS"), "{error}");
}

#[tokio::test]
async fn a_server_that_is_not_there() {
    let client = Client::from_url("http://127.0.0.1:1").unwrap();
    let error = client.version().await.unwrap_err();
    assert!(error.is_retryable());
    let text = error.to_string();
    assert!(
        text.starts_with("GET /version: http://127.0.0.1:1/ could not be reached"),
        "{text}"
    );
    assert!(error.get_ref().is_some());
}

#[tokio::test]
async fn pages_follow_the_token_until_it_expires() {
    let page = r#"{"metadata":{"resourceVersion":"7","continue":"t+1"},"items":[{"metadata":{"name":"a"}}]}"#;
    let empty = r#"{"metadata":{"resourceVersion":"7","continue":"t2"},"items":[]}"#;
    let gone = r#"{"kind":"Status","metadata":{"continue":"fresh"},"reason":"Expired","code":410}"#;
    let fake = serve(vec![
        answer("200 OK", "", page),
        answer("200 OK", "", empty),
        answer("410 Gone", "", gone),
    ]);
    let mut items = client(&fake)
        .flow_schemas()
        .list()
        .resource_version("5")
        .limit(1)
        .items();
    assert_eq!(
        items
            .next()
            .await
            .unwrap()
            .unwrap()
            .metadata
            .name
            .as_deref(),
        Some("a")
    );
    let error: Error = items.next().await.unwrap().unwrap_err();
    assert!(error.is_expired());
    assert_eq!(error.continue_token(), Some("fresh"));
    assert!(items.next().await.is_none());

    let queries: Vec<_> = fake
        .requests()
        .iter()
        .map(|request| request.split([' ', '?']).nth(2).unwrap().to_owned())
        .collect();
    assert_eq!(
        queries,
        [
            "resourceVersion=5&limit=1",
            "limit=1&continue=t%2B1",
            "limit=1&continue=t2"
        ]
    );
}

#[tokio::test]
async fn a_watch_in_odd_chunks() {
    let line = format!("{{\"type\":\"ADDED\",\"object\":{OBJECT}}}\n");
    let fake = serve(vec![chunked(&[
        &line[..10],
        &line[10..],
        &line,
        &line[..3],
        &line[3..40],
        &line[40..],
        "",
    ])]);
    let mut events = client(&fake).flow_schemas().watch().await.unwrap();
    for _ in 0..3 {
        assert!(matches!(
            events.next().await,
            Some(Ok(WatchEvent::Added { .. }))
        ));
    }
    assert!(events.next().await.is_none());
    assert_eq!(events.resource_version(), Some("7"));
}

#[tokio::test]
async fn a_watch_that_breaks_off() {
    let line = format!("{{\"type\":\"ADDED\",\"object\":{OBJECT}}}\n");
    for chunks in [
        &[line.as_str()][..],
        &[&line, &line[..20]],
        &[&line, &line[..20], ""],
    ] {
        let fake = serve(vec![chunked(chunks)]);
        let mut events = client(&fake).flow_schemas().watch().await.unwrap();
        assert!(matches!(
            events.next().await,
            Some(Ok(WatchEvent::Added { .. }))
        ));
        let error = events.next().await.unwrap().unwrap_err();
        assert!(error.is_retryable(), "{error}");
        assert!(events.next().await.is_none());
    }
}

#[tokio::test]
async fn negotiation_asks_for_versions_and_release() {
    let group = r#"{"kind":"APIGroup","apiVersion":"v1","name":"flowcontrol.apiserver.k8s.io","versions":[
        {"groupVersion":"flowcontrol.apiserver.k8s.io/v1beta3","version":"v1beta3"},
        {"groupVersion":"flowcontrol.apiserver.k8s.io/v1beta2","version":"v1beta2"}]}"#;
    let release = r#"{"major":"1","minor":"27+","gitVersion":"v1.27.7"}"#;
    let fake = serve(vec![
        answer("200 OK", "", group),
        answer("200 OK", "", release),
    ]);
    let levels = client(&fake)
        .negotiated::<v1::PriorityLevelConfiguration>()
        .await
        .unwrap();
    assert_eq!(levels.wire_version(), "v1beta3");
    let mut exempt = v1::PriorityLevelConfiguration::default();
    exempt.metadata.name = Some("exempt".into());
    exempt.spec.exempt.get_or_insert_default().lendable_percent = Some(50);
    let error = levels.replace(&exempt).await.unwrap_err();
    assert!(error.is_lossy());
    assert_eq!(error.losses()[0].path, "spec.exempt");

    let none = serve(vec![answer(
        "200 OK",
        "",
        r#"{"name":"x","versions":[{"version":"v2"}]}"#,
    )]);
    let error = client(&none)
        .negotiated::<v1::FlowSchema>()
        .await
        .unwrap_err();
    assert!(
        error.to_string().contains("in v2; expected v1, v1beta3"),
        "{error}"
    );
}
