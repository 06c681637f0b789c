//! Responses that the embedded server does not send: a listener with one prepared response.

use crate::e2e::support::sample;
use k8s_flowcontrol::api::v1;
use k8s_flowcontrol::client::{Client, Deleted};
use k8s_flowcontrol::config::RetryPolicy;
use k8s_flowcontrol::watch::WatchEvent;
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

/// A client of a server that responds to every request with `head` and `body`.
async fn answering(head: &str, body: &str) -> Client {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let answer = format!(
        "HTTP/1.1 {head}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
        body.len()
    );
    crate::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let mut request = Vec::new();
            // All requests here are small, so that the first read contains the whole head.
            while !request.windows(4).any(|window| window == b"\r\n\r\n") {
                if stream.read_buf(&mut request).await.unwrap_or(0) == 0 {
                    break;
                }
            }
            // The client may have closed the connection.
            let _sent = stream.write_all(answer.as_bytes()).await;
        }
    });
    Client::from_url(format!("http://{address}")).unwrap()
}

const JSON: &str = "\r\nContent-Type: application/json";

#[tokio::test]
async fn created_updated_and_accepted_are_told_apart() {
    let level = serde_json::to_string(&sample::<v1::PriorityLevelConfiguration>("x")).unwrap();
    for (head, code, created, accepted) in [
        ("200 OK", 200, false, false),
        ("201 Created", 201, true, false),
        ("202 Accepted", 202, false, true),
    ] {
        let client = answering(&format!("{head}{JSON}"), &level).await;
        let answer = client
            .priority_level_configurations()
            .create(&sample("x"))
            .send()
            .await
            .unwrap();
        assert_eq!(
            (answer.code(), answer.was_created(), answer.was_accepted()),
            (code, created, accepted)
        );
    }
}

#[tokio::test]
async fn an_accepted_deletion_is_a_status_or_the_object() {
    let status = json!({"kind": "Status", "apiVersion": "v1", "status": "Success"}).to_string();
    let client = answering(&format!("202 Accepted{JSON}"), &status).await;
    let answer = client.flow_schemas().delete("x").send().await.unwrap();
    assert!(answer.was_accepted());
    assert!(matches!(answer.into_inner(), Deleted::Status(_)));
    let schema = serde_json::to_string(&sample::<v1::FlowSchema>("x")).unwrap();
    let client = answering(&format!("202 Accepted{JSON}"), &schema).await;
    assert!(matches!(
        client.flow_schemas().delete("x").await.unwrap(),
        Deleted::Object(_)
    ));
}

#[tokio::test]
async fn unauthorized_is_an_error_with_and_without_a_status() {
    let status = json!({"kind": "Status", "apiVersion": "v1", "status": "Failure", "message": "Unauthorized",
        "reason": "Unauthorized", "code": 401});
    for body in [status.to_string(), String::new()] {
        let client = answering(&format!("401 Unauthorized{JSON}"), &body).await;
        let error = client.flow_schemas().list().await.unwrap_err();
        assert!(error.is_unauthorized(), "{error}");
        assert_eq!(error.code(), Some(401));
    }
}

#[tokio::test]
async fn a_rejection_by_flow_control_is_plain_text() {
    let head = "429 Too Many Requests\r\nContent-Type: text/plain; charset=utf-8\r\nRetry-After: 3\r\n\
                X-Kubernetes-PF-FlowSchema-UID: fs\r\nX-Kubernetes-PF-PriorityLevel-UID: pl";
    let client = answering(head, "Too many requests, please try again later.\n").await;
    // Other attempts would wait for so long.
    let client = client.with_retry_policy(RetryPolicy::none());
    let error = client.flow_schemas().list().await.unwrap_err();
    assert!(
        error.is_too_many_requests() && error.is_rejected_by_flow_control(),
        "{error}"
    );
    assert_eq!(error.retry_after(), Some(std::time::Duration::from_secs(3)));
    assert_eq!(error.priority_level_uid(), Some("pl"));
}

#[tokio::test]
async fn a_foreign_body_is_an_error_with_an_excerpt() {
    let html = format!("<html>{}</html>", "proxy trouble ".repeat(1000));
    let client = answering("502 Bad Gateway\r\nContent-Type: text/html", &html).await;
    let error = client.flow_schemas().list().await.unwrap_err();
    assert_eq!(error.code(), Some(502));
    let text = error.to_string();
    assert!(
        text.contains("proxy trouble") && text.len() < 2000,
        "{text}"
    );

    let client = answering(
        &format!("200 OK{JSON}"),
        r#"{"kind":"Pod","apiVersion":"v1"}"#,
    )
    .await;
    let error = client.flow_schemas().get("x").await.unwrap_err();
    assert!(error.is_decode(), "{error}");
    assert!(error.to_string().contains("FlowSchema"), "{error}");
}

#[tokio::test]
async fn a_watch_that_is_cut_in_a_line_is_an_error_after_the_whole_events() {
    let event = json!({"type": "ADDED", "object": sample::<v1::FlowSchema>("x")}).to_string();
    let body = format!("{event}\n{}", &event[..event.len() / 2]);
    let client = answering(&format!("200 OK{JSON}"), &body).await;
    let mut events = client.flow_schemas().watch().await.unwrap();
    assert!(matches!(
        events.next().await,
        Some(Ok(WatchEvent::Added { .. }))
    ));
    let error = events.next().await.unwrap().unwrap_err();
    assert!(error.is_retryable(), "{error}");
    assert!(events.next().await.is_none());
}
