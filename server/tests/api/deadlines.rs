//! The deadline that a client gives to its request.

use crate::api::support::{Api, GROUP, SCHEMAS, answer};
use crate::api::users::TOKENS;
use k8s_flowcontrol_server::Fault;
use std::time::Duration;

#[tokio::test]
async fn a_deadline_is_a_duration() {
    let api = Api::with(|builder| builder.tokens(TOKENS)).await;
    for (timeout, why) in [
        ("x", "invalid duration \"x\""),
        ("10", "missing unit in duration \"10\""),
        ("1d", "unknown unit \"d\" in duration \"1d\""),
        ("1s.", "invalid duration \"1s.\""),
        ("9999999h", "invalid duration \"9999999h\""),
    ] {
        // The deadline is read before the token.
        let seen = answer(api.request("GET", &format!("/version?timeout={timeout}"))).await;
        let message = format!("invalid timeout specified in the request URL - time: {why}");
        assert_eq!((seen.code, &seen.body["message"]), (400, &message.into()));
    }
    for timeout in ["", "0", "0s", "-1h", "1h30m", "1.5s", "32s"] {
        let request = api.request("GET", &format!("/version?timeout={timeout}"));
        assert_eq!(answer(request).await.code, 200, "{timeout}");
    }
    // A long-running request does not have a deadline: here the user may not watch.
    let watch = format!("/apis/{GROUP}/{SCHEMAS}?watch=true&timeout=x");
    assert_eq!(answer(api.request("GET", &watch)).await.code, 403);
}

#[tokio::test]
async fn a_request_ends_at_its_deadline() {
    let api = Api::start().await;
    api.server
        .inject(Fault::delay(Duration::from_secs(3600)).on_path("/version"));
    let late = api.request("GET", "/version?timeout=1ms").send().await;
    assert_eq!(late.code(), 504);
    let headers = late.headers();
    assert_eq!(headers["content-type"], "text/plain; charset=utf-8");
    assert!(!headers.contains_key("x-kubernetes-pf-flowschema-uid"));
    assert_eq!(
        late.text().await,
        "{\"metadata\":{},\"status\":\"Failure\",\"message\":\"Timeout: request did not complete within \
         the allotted timeout\",\"reason\":\"Timeout\",\"details\":{},\"code\":504}\n"
    );
}
