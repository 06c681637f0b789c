use crate::api::v1::FlowSchema;
use crate::response::decode::*;
use http::{HeaderMap, StatusCode};
use http::{HeaderValue, Method};
use serde_json::json;
use std::time::Duration;

fn headers(pairs: &[(&'static str, &'static str)]) -> HeaderMap {
    pairs
        .iter()
        .map(|(name, value)| (name.parse().unwrap(), HeaderValue::from_static(value)))
        .collect()
}

fn response(
    code: u16,
    pairs: &[(&'static str, &'static str)],
    body: &[u8],
) -> Result<Response<FlowSchema>, Error> {
    let line = RequestLine {
        method: Method::GET,
        path: "/apis/x".into(),
    };
    let head = Head::read(StatusCode::from_u16(code).unwrap(), headers(pairs));
    if !head.is_success() {
        return Err(failure(head, body).at(&line));
    }
    let decode = |body: &[u8]| serde_json::from_slice::<FlowSchema>(body).map(Decoded::from);
    Decoder::new("FlowSchema (v1)", decode).read(&line, head, body)
}

fn status(code: u16, reason: &str) -> Error {
    let body = json!({"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure",
        "message": "because", "reason": reason, "code": code});
    response(
        code,
        &[("content-type", "application/json")],
        body.to_string().as_bytes(),
    )
    .unwrap_err()
}

#[test]
fn a_good_response() {
    let pairs = [
        ("audit-id", "a"),
        ("x-kubernetes-pf-flowschema-uid", "f"),
        ("x-kubernetes-pf-prioritylevel-uid", "p"),
        ("warning", "299 - \"careful\""),
    ];
    let response = response(201, &pairs, br#"{"metadata":{"name":"x"},"spec":{}}"#).unwrap();
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

#[test]
fn every_predicate() {
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
        let error = status(code, reason);
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
                .starts_with(&format!("GET /apis/x: {code} {reason}: because")),
            "{error}"
        );
    }
}

#[test]
fn causes_and_retry_after() {
    let body = json!({"kind": "Status", "status": "Failure", "reason": "Invalid", "code": 422, "details": {
        "retryAfterSeconds": 3,
        "causes": [{"reason": "FieldValueInvalid", "message": "m", "field": "spec.matchingPrecedence"}],
    }});
    let error = response(422, &[], body.to_string().as_bytes()).unwrap_err();
    assert_eq!(
        error.causes()[0].field.as_deref(),
        Some("spec.matchingPrecedence")
    );
    assert_eq!(error.retry_after(), Some(Duration::from_secs(3)));
}

#[test]
fn an_expired_list_has_a_fresh_token() {
    let body = json!({"kind": "Status", "metadata": {"continue": "fresh"}, "reason": "Expired", "code": 410});
    let error = response(410, &[], body.to_string().as_bytes()).unwrap_err();
    assert!(error.is_expired());
    assert_eq!(error.continue_token(), Some("fresh"));
    assert_eq!(status(410, "Expired").continue_token(), None);
}

#[test]
fn turned_away_by_flow_control() {
    let pairs = [
        ("content-type", "text/plain; charset=utf-8"),
        ("retry-after", "2"),
        ("x-kubernetes-pf-flowschema-uid", "f"),
        ("x-kubernetes-pf-prioritylevel-uid", "p"),
    ];
    let error = response(429, &pairs, b"Too many requests, please try again later.\n").unwrap_err();
    assert!(
        error.is_too_many_requests() && error.is_retryable() && error.is_rejected_by_flow_control()
    );
    assert_eq!(error.retry_after(), Some(Duration::from_secs(2)));
    assert_eq!(error.flow_schema_uid(), Some("f"));
    assert!(error.status().is_none());
    assert_eq!(
        error.to_string(),
        "GET /apis/x: 429: rejected by API Priority and Fairness; try again in 2 s"
    );
    assert!(!status(429, "TooManyRequests").is_rejected_by_flow_control());
}

#[test]
fn a_proxy_in_between() {
    let page = format!("<html>\n  <h1>Bad\tGateway</h1>\0{}", "x".repeat(5000));
    let error = response(502, &[("content-type", "text/html")], page.as_bytes()).unwrap_err();
    assert!(error.is_retryable());
    let text = error.to_string();
    assert!(
        text.contains(
            "the server answered 502 with a body that is not a Kubernetes Status (text/html): `<html> <h1>Bad Gateway</h1> xxx"
        ),
        "{text}"
    );
    assert!(text.len() < 500, "{text}");

    let error = response(403, &[], b"").unwrap_err();
    assert!(error.is_forbidden());
    assert_eq!(
        error.to_string(),
        "GET /apis/x: the server answered 403 with a body that is not a Kubernetes Status (no content type)"
    );
    assert!(response(302, &[], b"moved").unwrap_err().code() == Some(302));
}

#[test]
fn responses_that_cannot_be_decoded() {
    let error = response(200, &[], b"{\n \"spec\": {\"matchingPrecedence\": \"x\"}}").unwrap_err();
    assert!(error.is_decode() && !error.is_retryable());
    assert_eq!(error.code(), Some(200));
    let text = error.to_string();
    assert!(
        text.contains("FlowSchema (v1)") && text.contains("line 2 column 35"),
        "{text}"
    );

    let error = response(200, &[], b"<html>hello</html>").unwrap_err();
    assert!(
        error
            .to_string()
            .ends_with("it begins with `<html>hello</html>`"),
        "{error}"
    );

    let error = response(200, &[], br#"{"kind":"Pod"}"#).unwrap_err();
    assert!(
        error
            .to_string()
            .contains("expected kind `FlowSchema`, found `Pod`"),
        "{error}"
    );
    assert!(error.get_ref().is_some());
}

#[test]
fn excerpts() {
    assert_eq!(excerpt(b""), "");
    assert_eq!(excerpt(b" \n a \r\n\t b "), "a b");
    assert_eq!(excerpt(b"a\xffb"), "a\u{fffd}b");
    assert_eq!(
        excerpt("\u{e9}".repeat(10_000).as_bytes()).chars().count(),
        EXCERPT + 1
    );
}

#[test]
fn kinds() {
    assert_eq!(
        kind_of(br#"{"a":{"kind":"x"},"kind":"Status","b":[]}"#)
            .unwrap()
            .as_deref(),
        Some("Status")
    );
    assert_eq!(kind_of(br#"{"kind":null}"#).unwrap(), None);
    assert!(kind_of(b"[]").is_err());
}

#[test]
fn bodies_that_are_empty_or_end_too_early() {
    for body in ["", " \n"] {
        let error = response(200, &[], body.as_bytes()).unwrap_err();
        assert!(error.is_decode(), "{error}");
        let expected = "GET /apis/x: expected FlowSchema (v1) in the response: the body is empty";
        assert_eq!(error.to_string(), expected);
    }
    let error = response(200, &[], br#"{"metadata":{"na"#).unwrap_err();
    let text = error.to_string();
    let expected = "the body ends too early, after 16 bytes; it begins with `{\"metadata\":{\"na`";
    assert!(text.ends_with(expected), "{text}");
}
