//! Responses with many headers, and with more than the client reads.

use crate::requests::http2::{self, Listener};
use crate::requests::script::{Act, Script, answer};
use crate::requests::support::schema;
use k8s_flowcontrol::Client;
use k8s_flowcontrol::client::RetryPolicy;
use k8s_flowcontrol::client::http::Method;
use k8s_flowcontrol::config::Config;
use std::fmt::Write;
use tokio::net::TcpListener;

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
async fn warnings_are_read_from_all_headers() {
    let deprecated = "flowcontrol.apiserver.k8s.io/v1beta3 FlowSchema is deprecated in v1.29+, unavailable in v1.32+; \
                      use flowcontrol.apiserver.k8s.io/v1 FlowSchema";
    for (headers, expected) in [
        (
            &[format!("299 - \"{deprecated}\"").as_str()][..],
            &[deprecated][..],
        ),
        (
            &[r#"299 - "unknown field \"spec.a\", \\ too""#],
            &[r#"unknown field "spec.a", \ too"#],
        ),
        (
            &[
                r#"299 - "a", 299 k8s "b" "Wed, 21 Oct 2026 07:28:00 GMT",299 - "c""#,
                r#"299 - "d""#,
            ],
            &["a", "b", "c", "d"],
        ),
        (
            &[r#"110 cache "stale", 299 - "a""#, r#"299 - "b" rubbish"#],
            &["a", "b"],
        ),
        (
            &[
                "",
                "299",
                "299 -",
                "299 - a",
                "299 - \"a",
                "299 - \"a\\",
                "xyz - \"a\"",
                "299 - \"\"",
            ],
            &[],
        ),
    ] {
        let headers: String = headers
            .iter()
            .map(|text| format!("Warning: {text}\r\n"))
            .collect();
        let script = Script::start(vec![answer(200, &headers, "{}")]).await;
        let response = script.client.get_raw("/x").send().await.unwrap();
        let texts: Vec<_> = response.warnings().iter().map(|one| one.text()).collect();
        assert_eq!(texts, expected);
    }
}

#[tokio::test]
async fn the_pause_of_a_server_is_in_seconds_or_a_date() {
    let date = "Date: Sun, 06 Nov 1994 08:49:37 GMT\r\n";
    for (value, date, expected) in [
        ("0", "", Some(0)),
        (" 17 ", "", Some(17)),
        ("", "", None),
        ("-1", "", None),
        ("1.5", "", None),
        ("soon", "", None),
        ("2147483648", "", Some(2_147_483_647)),
        ("99999999999999999999999", "", Some(2_147_483_647)),
        ("Sun, 06 Nov 1994 08:50:37 GMT", date, Some(60)),
        ("Sunday, 06-Nov-94 08:50:37 GMT", date, Some(60)),
        ("Sun Nov  6 08:50:37 1994", date, Some(60)),
        ("Sun, 06 Nov 1994 08:00:00 GMT", date, Some(0)),
        ("Sun, 06 Nov 1994 08:00:00 GMT", "", Some(0)),
        ("Thu, 31 Dec 9998 23:59:59 GMT", date, Some(2_147_483_647)),
        ("Sun, 99 Nov 1994", date, None),
    ] {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let config = Config::new(format!("http://{}", listener.local_addr().unwrap()));
        let config = config.unwrap().with_retry_policy(RetryPolicy::none());
        let headers = format!("Retry-After: {value}\r\n{date}");
        let _script = Script::on(listener, vec![answer(429, &headers, "")]);
        let error = Client::new(config)
            .unwrap()
            .get_raw("/x")
            .await
            .unwrap_err();
        let pause = error.retry_after().map(|pause| pause.as_secs());
        assert_eq!(pause, expected, "{value}");
    }
}

#[tokio::test]
async fn a_create_with_many_warnings_succeeds_over_http2() {
    for count in [110, 1000, 4000] {
        let (listener, config) = Listener::start().await;
        let serving = crate::spawn(async move {
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

/// A path by hand says as much as a typed request.
#[tokio::test]
async fn a_dry_run_of_a_raw_path_has_no_effect() {
    let levels = "/apis/flowcontrol.apiserver.k8s.io/v1/prioritylevelconfigurations";
    for (path, has_effect) in [
        (format!("{levels}?dryRun=All"), false),
        (format!("{levels}/mine?fieldManager=me&dryRun=All"), false),
        (format!("{levels}/mine/status?dryRun=All"), false),
        ("/api/v1/namespaces/a/configmaps/b?dryRun=All".into(), false),
        ("/api/v1/namespaces/a/configmaps?dryRun=All".into(), false),
        (levels.into(), true),
        (format!("{levels}?dryRun="), true),
        (format!("{levels}/mine/other?dryRun=All"), true),
        ("/api/v1/namespaces/a/pods/b/exec?dryRun=All".into(), true),
        ("/api/v1/namespaces/a/finalize?dryRun=All".into(), true),
        ("/elsewhere?dryRun=All".into(), true),
    ] {
        let script = Script::start(vec![answer(500, "", "")]).await;
        let put = script.client.raw(Method::PUT, &path).await;
        let error = put.unwrap_err();
        assert_eq!(error.may_have_taken_effect(), has_effect, "{error}");
        let is_said = error
            .to_string()
            .contains("the request may have taken effect");
        assert_eq!(is_said, has_effect, "{error}");
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
