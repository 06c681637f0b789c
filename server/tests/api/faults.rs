//! Faults on request.

use crate::api::support::{Api, GROUP, LEVELS, SCHEMAS, answer, schema};
use k8s_flowcontrol_server::Fault;
use std::time::{Duration, Instant};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

fn path(rest: &str) -> String {
    format!("/apis/{GROUP}/{rest}")
}

#[tokio::test]
async fn flow_control_rejects_in_plain_text() {
    let api = Api::with(|builder| builder.fault(Fault::rejected(7))).await;
    let response = api.request("GET", &path(SCHEMAS)).send().await;
    assert_eq!(response.code(), 429);
    let headers = response.headers();
    assert_eq!(headers["retry-after"], "7");
    assert_eq!(headers["content-type"], "text/plain; charset=utf-8");
    assert!(headers.contains_key("x-kubernetes-pf-flowschema-uid"));
    assert_eq!(
        response.text().await,
        "Too many requests, please try again later.\n"
    );
    assert_eq!(api.get(SCHEMAS).await.code, 200);
}

#[tokio::test]
async fn failures_come_as_status() {
    let api = Api::start().await;
    for (fault, code, reason) in [
        (Fault::too_many_requests(3), 429, "TooManyRequests"),
        (Fault::internal_error(), 500, "InternalError"),
        (Fault::unavailable(), 503, "ServiceUnavailable"),
    ] {
        api.server.inject(fault);
        let seen = api.get(SCHEMAS).await;
        assert_eq!(
            (seen.code, seen.body["code"].as_u64()),
            (code, Some(code.into()))
        );
        assert_eq!(seen.body["kind"], "Status");
        assert_eq!(seen.body["reason"], reason);
    }
    api.server.inject(Fault::too_many_requests(3));
    let response = api.request("GET", &path(SCHEMAS)).send().await;
    assert_eq!(response.headers()["retry-after"], "3");
}

#[tokio::test]
async fn any_status_can_be_the_answer() {
    let status = k8s_flowcontrol_types::meta::Status {
        reason: Some("Timeout".into()),
        message: Some("a word".into()),
        details: Some(k8s_flowcontrol_types::meta::StatusDetails {
            retry_after_seconds: Some(9),
            ..Default::default()
        }),
        ..Default::default()
    };
    let api = Api::with(|builder| builder.fault(Fault::status(504, status))).await;
    let response = api.request("GET", &path(SCHEMAS)).send().await;
    assert_eq!(
        (response.code(), &response.headers()["retry-after"]),
        (504, &"9".parse().unwrap())
    );
    let body: serde_json::Value = serde_json::from_str(&response.text().await).unwrap();
    assert_eq!(
        (&body["reason"], &body["message"]),
        (&"Timeout".into(), &"a word".into())
    );
}

/// The code in the body is the code of the response.
#[tokio::test]
async fn a_status_without_a_code_gets_the_one_of_the_response() {
    let api = Api::start().await;
    for (given, code) in [(409, 409), (0, 500), (101, 500), (1000, 500)] {
        api.server.inject(Fault::status(given, Default::default()));
        let seen = api.get(SCHEMAS).await;
        assert_eq!(seen.code, code, "{given}");
        assert_eq!(seen.body["code"], code, "{given}");
        assert_eq!(seen.body["status"], "Failure", "{given}");
    }
}

#[tokio::test]
async fn a_method_is_one_in_any_case() {
    let api = Api::with(|builder| builder.fault(Fault::unavailable().on_method("get"))).await;
    assert_eq!(api.get(SCHEMAS).await.code, 503);
    assert_eq!(api.server.pending_faults(), 0);
}

#[tokio::test]
async fn a_cut_response_belongs_to_a_request_that_was_carried_out() {
    let api = Api::with(|builder| builder.fault(Fault::cut().on_method("POST"))).await;
    let body = schema("cut").to_string();
    let head = format!(
        "POST {} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n",
        path(SCHEMAS),
        body.len()
    );
    let address = ("127.0.0.1", api.server.port());
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all((head + &body).as_bytes()).await.unwrap();
    let mut answer = Vec::new();
    // The connection ends by a reset or by its end.
    let _ = stream.read_to_end(&mut answer).await;
    let answer = String::from_utf8(answer).unwrap();
    assert!(
        answer.starts_with("HTTP/1.1 201 Created") && !answer.ends_with("\r\n0\r\n\r\n"),
        "{answer}"
    );
    assert_eq!(api.get(&format!("{SCHEMAS}/cut")).await.code, 200);
    // Without a body there is nothing to cut.
    api.server.inject(Fault::cut());
    let head = api.request("HEAD", "/apis").send().await;
    assert_eq!((head.code(), head.text().await), (200, String::new()));
}

#[tokio::test]
async fn a_write_that_meets_a_fault_stores_nothing() {
    let api = Api::start().await;
    api.server.inject(Fault::unavailable().on_method("POST"));
    assert_eq!(api.get(SCHEMAS).await.code, 200);
    let create = api.send("POST", SCHEMAS, Some(schema("a"))).await;
    assert_eq!(create.code, 503);
    assert_eq!(api.get("v1/flowschemas/a").await.code, 404);
    assert_eq!(api.send("POST", SCHEMAS, Some(schema("a"))).await.code, 201);
}

#[tokio::test]
async fn faults_are_scoped_and_counted() {
    let api = Api::start().await;
    api.server
        .inject(Fault::unavailable().times(2).on_path("/flowschemas"));
    assert_eq!(api.get(LEVELS).await.code, 200);
    assert_eq!(api.get(SCHEMAS).await.code, 503);
    assert_eq!(api.server.pending_faults(), 1);
    assert_eq!(api.get(SCHEMAS).await.code, 503);
    assert_eq!(api.get(SCHEMAS).await.code, 200);
    api.server.inject(Fault::unavailable().times(1_000));
    api.server.clear_faults();
    assert_eq!(api.get(SCHEMAS).await.code, 200);
    assert_eq!(api.server.pending_faults(), 0);
}

#[tokio::test]
async fn faults_are_met_in_order() {
    let api = Api::start().await;
    for fault in [
        Fault::delay(Duration::ZERO).times(2),
        Fault::cut_watch(1),
        Fault::unavailable().on_method("PUT"),
        Fault::internal_error().on_path("/exempt"),
    ] {
        api.server.inject(fault);
    }
    let path = format!("{SCHEMAS}/exempt");
    let mut seen = Vec::new();
    for method in ["PUT", "GET", "GET"] {
        let code = api.send(method, &path, None).await.code;
        seen.push((code, api.server.pending_faults()));
    }
    // Each of the first two requests meets a delay, too.
    assert_eq!(seen, [(503, 3), (500, 1), (200, 1)]);
}

#[tokio::test]
async fn garbage_is_not_json() {
    let api = Api::start().await;
    api.server.inject(Fault::garbage());
    let mut response = api.request("GET", &path(SCHEMAS)).send().await;
    assert_eq!(response.code(), 200);
    assert_eq!(response.headers()["content-type"], "application/json");
    let body = response.chunk().await.unwrap();
    assert!(serde_json::from_slice::<serde_json::Value>(&body).is_err());
}

#[tokio::test]
async fn a_delay_precedes_the_response_or_the_next_fault() {
    let api = Api::start().await;
    let delay = Duration::from_millis(120);
    api.server.inject(Fault::delay(delay));
    api.server.inject(Fault::internal_error());
    let start = Instant::now();
    assert_eq!(api.get(SCHEMAS).await.code, 500);
    assert!(start.elapsed() >= delay);
}

#[tokio::test]
async fn history_expires_before_the_request() {
    let api = Api::start().await;
    let page = api.get("v1/flowschemas?limit=1").await;
    let token = page.body["metadata"]["continue"]
        .as_str()
        .unwrap()
        .to_owned();
    assert_eq!(api.send("POST", SCHEMAS, Some(schema("a"))).await.code, 201);
    api.server.inject(Fault::expire_history());
    let next = api
        .get(&format!("v1/flowschemas?limit=1&continue={token}"))
        .await;
    assert_eq!(next.code, 410);
}

#[tokio::test]
async fn a_watch_breaks_inside_a_line() {
    let api = Api::with(|builder| builder.bootstrap(false)).await;
    for name in ["a", "b"] {
        api.send("POST", SCHEMAS, Some(schema(name))).await;
    }
    let watch = path("v1/flowschemas?watch=true&timeoutSeconds=30");
    // Inside the initial events, and inside a later one.
    for whole in [0, 1, 3] {
        api.server.inject(Fault::cut_watch(whole));
        // This is not a watch, so the fault does not apply.
        assert_eq!(api.get(SCHEMAS).await.code, 200);
        let mut response = api.request("GET", &watch).send().await;
        assert_eq!(response.code(), 200);
        if whole > 2 {
            for name in ["c", "d"] {
                api.send("POST", SCHEMAS, Some(schema(name))).await;
            }
        }
        let mut text = Vec::new();
        let broken = loop {
            match response.try_chunk().await {
                Some(Ok(chunk)) => text.extend_from_slice(&chunk),
                Some(Err(_)) => break true,
                None => break false,
            }
        };
        assert!(broken, "the connection ends without the end of the body");
        let text = String::from_utf8(text).unwrap();
        let mut lines: Vec<_> = text.split('\n').collect();
        let last = lines.pop().unwrap();
        assert_eq!(lines.len(), whole);
        let is_json = |line: &str| serde_json::from_str::<serde_json::Value>(line).is_ok();
        assert!(lines.into_iter().all(is_json), "{text}");
        assert!(!last.is_empty() && !is_json(last), "{last}");
    }
    // The next watch is whole.
    let mut whole = api.request("GET", &watch).send().await;
    assert!(whole.chunk().await.unwrap().ends_with(b"\n"));
}

#[tokio::test]
async fn faults_come_after_authentication() {
    let api = Api::with(|builder| {
        builder
            .tokens(crate::api::users::TOKENS)
            .fault(Fault::rejected(1))
    })
    .await;
    let request = |token: &str| {
        api.request("GET", &path(SCHEMAS))
            .header("authorization", &format!("Bearer {token}"))
    };
    assert_eq!(answer(request("nobody")).await.code, 401);
    // As in a real server, flow control precedes authorization.
    assert_eq!(answer(request("bob-token")).await.code, 429);
    assert_eq!(answer(request("bob-token")).await.code, 403);
}
