use crate::request::http_request::Verb;
use crate::request::path::Target;
use crate::response::decode::failure;
use crate::response::head::Head;
use crate::send::retry::repeat::*;
use std::time::Duration;

fn response(code: u16, retry_after: Option<u64>, body: &str) -> Error {
    let head = Head {
        code,
        retry_after: retry_after.map(Duration::from_secs),
        ..Head::default()
    };
    failure(head, body.as_bytes())
}

fn send(timeout: bool, tls: bool, connect: bool) -> Error {
    let server = String::new();
    Error::new(ErrorKind::Send {
        own: false,
        hint: None,
        server,
        timeout,
        tls,
        connect,
        unprocessed: false,
        fatal: false,
    })
}

#[test]
fn failures_are_classified() {
    let server_timeout = r#"{"kind":"Status","reason":"ServerTimeout","code":500}"#;
    let asks = r#"{"kind":"Status","code":503,"details":{"retryAfterSeconds":1}}"#;
    for (error, expected) in [
        (
            response(429, None, "Too many requests"),
            RetryClass::NotCarriedOut,
        ),
        (
            response(429, Some(1), r#"{"kind":"Status","code":429}"#),
            RetryClass::NotCarriedOut,
        ),
        (response(503, Some(1), ""), RetryClass::NotCarriedOut),
        (response(503, None, asks), RetryClass::NotCarriedOut),
        (response(503, None, ""), RetryClass::Unknown),
        (response(502, Some(1), "<html>"), RetryClass::Unknown),
        (response(504, None, ""), RetryClass::Unknown),
        (response(500, Some(1), ""), RetryClass::Unknown),
        (response(500, None, server_timeout), RetryClass::Unknown),
        (response(500, None, ""), RetryClass::Final),
        (response(400, Some(1), ""), RetryClass::Final),
        (response(401, None, ""), RetryClass::Final),
        (response(409, None, ""), RetryClass::Final),
        (response(410, None, ""), RetryClass::Final),
        (send(false, false, true), RetryClass::NotCarriedOut),
        (send(true, false, true), RetryClass::NotCarriedOut),
        (send(false, true, true), RetryClass::Final),
        (send(false, false, false), RetryClass::Unknown),
        (
            Error::new(ErrorKind::Body { timeout: false }),
            RetryClass::Unknown,
        ),
        (Error::argument("x"), RetryClass::Final),
        (
            Error::new(ErrorKind::TimedOut {
                what: "x".into(),
                limit: Duration::ZERO,
            }),
            RetryClass::Final,
        ),
    ] {
        assert_eq!(RetryClass::of(&error), expected, "{error:?}");
    }
}

#[test]
fn requests_that_may_be_repeated() {
    let request = |verb| HttpRequest::new(verb, Target::outside_resources("/"));
    assert_eq!(Repeat::of(&request(Verb::Get)), Repeat::Harmless);
    for verb in [Verb::Create, Verb::Update, Verb::Patch, Verb::Delete] {
        let mut request = request(verb);
        assert_eq!(Repeat::of(&request), Repeat::Never);
        request.guarded = true;
        assert_eq!(Repeat::of(&request), Repeat::Guarded);
        request.set("dryRun", "All");
        assert_eq!(Repeat::of(&request), Repeat::Harmless);
    }
    for repeat in [Repeat::Harmless, Repeat::Guarded, Repeat::Never] {
        assert!(repeat.allows(RetryClass::NotCarriedOut));
        assert_eq!(repeat.allows(RetryClass::Unknown), repeat != Repeat::Never);
        assert!(!repeat.allows(RetryClass::Final));
    }
}
