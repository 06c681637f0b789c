//! Responses: values, headers, and the errors of other responses.

mod bodies;

use crate::script::{Reply, Script};
use k8s_flowcontrol::Error;
use k8s_flowcontrol::api::v1::FlowSchema;
use k8s_flowcontrol::client::{Response, RetryPolicy};
use serde_json::json;
use std::time::{Duration, SystemTime};

const PATH: &str = "GET /apis/flowcontrol.apiserver.k8s.io/v1/flowschemas/x";

async fn response(
    code: u16,
    headers: &[(&str, &str)],
    body: impl AsRef<[u8]>,
) -> Result<Response<FlowSchema>, Error> {
    let reply = Reply::new(code, body.as_ref().to_vec()).of_type(None);
    let add = |reply: Reply, (name, value): &(&str, &str)| reply.header(name, value);
    let reply = headers.iter().fold(reply, add);
    let get = Script::of([reply]).client().flow_schemas().get("x");
    get.retry_policy(RetryPolicy::none()).send().await
}

async fn status(code: u16, reason: &str) -> Error {
    let body = json!({"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure",
        "message": "because", "reason": reason, "code": code, "details": {"name": "x", "kind": "flowschemas"}});
    let headers = [("content-type", "application/json")];
    response(code, &headers, body.to_string())
        .await
        .unwrap_err()
}

#[tokio::test]
async fn a_good_response() {
    let pairs = [
        ("audit-id", "a"),
        ("x-kubernetes-pf-flowschema-uid", "f"),
        ("x-kubernetes-pf-prioritylevel-uid", "p"),
        ("warning", "299 - \"careful\""),
    ];
    let response = response(201, &pairs, br#"{"metadata":{"name":"x"},"spec":{}}"#)
        .await
        .unwrap();
    assert!(response.was_created() && !response.was_accepted());
    assert_eq!(response.code(), 201);
    assert_eq!(response.audit_id(), Some("a"));
    assert_eq!(response.flow_schema_uid(), Some("f"));
    assert_eq!(response.priority_level_uid(), Some("p"));
    assert_eq!(response.warnings()[0].text(), "careful");
    assert_eq!(
        response
            .map(|schema| schema.metadata.name)
            .into_inner()
            .as_deref(),
        Some("x")
    );
}

#[tokio::test]
async fn a_create_without_a_reason_exists_already() {
    let client = Script::of([Reply::new(409, b"conflict".to_vec()).of_type(None)]).client();
    let create = client.flow_schemas().create(&FlowSchema::default());
    let error = create.await.unwrap_err();
    assert!(error.is_already_exists() && !error.is_conflict(), "{error}");
    let error = response(409, &[], "conflict").await.unwrap_err();
    assert!(!error.is_already_exists() && error.is_conflict(), "{error}");
}

#[tokio::test]
async fn every_predicate() {
    type Predicate = fn(&Error) -> bool;
    let predicates: [(&str, Predicate); 12] = [
        ("not found", Error::is_not_found),
        ("already exists", Error::is_already_exists),
        ("conflict", Error::is_conflict),
        ("invalid", Error::is_invalid),
        ("bad request", Error::is_bad_request),
        ("unauthorized", Error::is_unauthorized),
        ("forbidden", Error::is_forbidden),
        ("expired", Error::is_expired),
        ("too many requests", Error::is_too_many_requests),
        ("timeout", Error::is_timeout),
        ("retryable", Error::is_retryable),
        ("lossy", Error::is_lossy),
    ];
    for (code, reason, expected) in [
        (404, "NotFound", &["not found"][..]),
        (409, "AlreadyExists", &["already exists"]),
        (409, "Conflict", &["conflict"]),
        (422, "Invalid", &["invalid"]),
        (400, "BadRequest", &["bad request"]),
        (401, "Unauthorized", &["unauthorized"]),
        (403, "Forbidden", &["forbidden"]),
        (410, "Expired", &["expired"]),
        (410, "Gone", &["expired"]),
        (429, "TooManyRequests", &["too many requests", "retryable"]),
        (504, "Timeout", &["timeout", "retryable"]),
        (500, "ServerTimeout", &["timeout", "retryable"]),
        (500, "InternalError", &[]),
        (503, "ServiceUnavailable", &["retryable"]),
        (405, "MethodNotAllowed", &[]),
    ] {
        let error = status(code, reason).await;
        let held: Vec<_> = predicates
            .iter()
            .filter(|(_, holds)| holds(&error))
            .map(|(name, _)| *name)
            .collect();
        assert_eq!(held, expected, "{code} {reason}");
        assert_eq!(error.code(), Some(code));
        assert!(
            error
                .to_string()
                .starts_with(&format!("{PATH}: {code} {reason}: because")),
            "{error}"
        );
    }
}

#[tokio::test]
async fn causes_and_retry_after() {
    let body = json!({"kind": "Status", "status": "Failure", "reason": "Invalid", "code": 422, "details": {
        "retryAfterSeconds": 3,
        "causes": [{"reason": "FieldValueInvalid", "message": "m", "field": "spec.matchingPrecedence"}],
    }});
    let error = response(422, &[], body.to_string()).await.unwrap_err();
    assert_eq!(
        error.causes()[0].field.as_deref(),
        Some("spec.matchingPrecedence")
    );
    assert_eq!(error.retry_after(), Some(Duration::from_secs(3)));
}

#[tokio::test]
async fn a_conflict_of_field_managers_has_a_remedy() {
    let body = json!({"kind": "Status", "reason": "Conflict", "code": 409, "message": "Apply failed with 1 conflict",
        "details": {"causes": [{"reason": "FieldManagerConflict", "field": ".spec.matchingPrecedence"}]}});
    let error = response(409, &[], body.to_string()).await.unwrap_err();
    assert!(error.is_conflict() && error.is_permanent());
    assert_eq!(
        error.to_string(),
        format!(
            "{PATH}: 409 Conflict: Apply failed with 1 conflict; omit these fields, or take them over with force"
        )
    );
    let changed = status(409, "Conflict").await;
    assert!(changed.to_string().ends_with(": because"), "{changed}");
}

#[tokio::test]
async fn an_expired_list_has_a_fresh_token() {
    let body = json!({"kind": "Status", "metadata": {"continue": "fresh"}, "reason": "Expired", "code": 410});
    let error = response(410, &[], body.to_string()).await.unwrap_err();
    assert!(error.is_expired());
    assert_eq!(error.continue_token(), Some("fresh"));
    assert_eq!(status(410, "Expired").await.continue_token(), None);
}

#[tokio::test]
async fn turned_away_by_flow_control() {
    let pairs = [
        ("content-type", "text/plain; charset=utf-8"),
        ("retry-after", "2"),
        ("x-kubernetes-pf-flowschema-uid", "f"),
        ("x-kubernetes-pf-prioritylevel-uid", "p"),
    ];
    let error = response(429, &pairs, b"Too many requests, please try again later.\n")
        .await
        .unwrap_err();
    assert!(
        error.is_too_many_requests() && error.is_retryable() && error.is_rejected_by_flow_control()
    );
    assert_eq!(error.retry_after(), Some(Duration::from_secs(2)));
    assert_eq!(error.flow_schema_uid(), Some("f"));
    assert!(error.status().is_none());
    assert_eq!(
        error.to_string(),
        format!("{PATH}: 429: rejected by API Priority and Fairness; try again in 2 s")
    );
    assert!(
        !status(429, "TooManyRequests")
            .await
            .is_rejected_by_flow_control()
    );
}

#[tokio::test]
async fn a_proxy_in_between() {
    let page = format!("<html>\n  <h1>Bad\tGateway</h1>\0{}", "x".repeat(5000));
    let error = response(502, &[("content-type", "text/html")], &page)
        .await
        .unwrap_err();
    assert!(error.is_retryable());
    let text = error.to_string();
    assert!(
        text.contains(
            "the server answered 502 with a body that is not a Kubernetes Status (text/html): `<html> <h1>Bad Gateway</h1> xxx"
        ),
        "{text}"
    );
    assert!(text.len() < 500, "{text}");

    let error = response(403, &[], b"").await.unwrap_err();
    assert!(error.is_forbidden());
    assert_eq!(
        error.to_string(),
        format!("{PATH}: the server answered 403 with an empty body")
    );
    assert!(response(302, &[], b"moved").await.unwrap_err().code() == Some(302));
}

#[tokio::test]
async fn responses_that_cannot_be_decoded() {
    let error = response(200, &[], b"{\n \"spec\": {\"matchingPrecedence\": \"x\"}}")
        .await
        .unwrap_err();
    assert!(error.is_decode() && !error.is_retryable());
    assert_eq!(error.code(), Some(200));
    let text = error.to_string();
    assert!(
        text.contains("FlowSchema (v1)") && text.contains("line 2 column 35"),
        "{text}"
    );

    let error = response(200, &[], b"<html>hello</html>").await.unwrap_err();
    assert!(
        error
            .to_string()
            .contains("it begins with `<html>hello</html>`"),
        "{error}"
    );

    let error = response(200, &[], br#"{"kind":"Pod"}"#).await.unwrap_err();
    assert!(
        error
            .to_string()
            .contains("expected kind `FlowSchema`, found `Pod`"),
        "{error}"
    );
    assert!(error.get_ref().is_some());
}

#[tokio::test]
async fn bodies_that_are_empty_or_end_too_early() {
    for body in ["", " \n"] {
        let error = response(200, &[], body).await.unwrap_err();
        assert!(error.is_decode(), "{error}");
        let expected =
            format!("{PATH}: expected FlowSchema (v1) in the response: the body is empty");
        assert_eq!(error.to_string(), expected);
    }
    let error = response(200, &[], br#"{"metadata":{"na"#)
        .await
        .unwrap_err();
    let text = error.to_string();
    let expected = "the body ends too early, after 16 bytes; it begins with `{\"metadata\":{\"na`";
    assert!(text.ends_with(expected), "{text}");
}

#[tokio::test]
async fn excerpts_of_bodies() {
    for (body, excerpt) in [
        (&b" \n a \r\n\t b "[..], "`a b`".to_owned()),
        (b"a\xffb", "`a\u{fffd}b`".to_owned()),
        (
            "\u{e9}".repeat(10_000).as_bytes(),
            format!("`{}…`", "\u{e9}".repeat(300)),
        ),
    ] {
        let error = response(502, &[], body).await.unwrap_err().to_string();
        assert!(error.ends_with(&excerpt), "{error}");
    }
}

#[tokio::test]
async fn only_a_status_is_read_as_one() {
    for (body, reason) in [
        (
            r#"{"a":{"kind":"x"},"kind":"Status","reason":"R","b":[]}"#,
            Some("R"),
        ),
        (r#"{"a":{"kind":"Status"},"reason":"R"}"#, None),
        (r#"{"kind":null,"reason":"R"}"#, None),
        (r#"{"kind":"Pod","reason":"R"}"#, None),
        (r#"["kind","Status"]"#, None),
    ] {
        let error = response(500, &[], body).await.unwrap_err();
        let found = error.status().and_then(|status| status.reason.as_deref());
        assert_eq!(found, reason, "{body}");
    }
}

/// A wait that is rounded down ends too early.
#[tokio::test]
async fn the_advised_wait_is_whole_seconds() {
    // Without the server's `Date` it counts from now.
    let until = SystemTime::now() + Duration::from_secs(1000);
    let headers = [("retry-after", &*httpdate::fmt_http_date(until))];
    let error = response(429, &headers, "no").await.unwrap_err();
    let wait = error.retry_after().unwrap();
    assert_ne!(wait.subsec_nanos(), 0);
    let advice = format!("; try again in {} s", wait.as_secs() + 1);
    assert!(error.to_string().ends_with(&advice), "{error} {wait:?}");
}
