//! Servers of another kind, or that expect another scheme.

use crate::requests::script::{Act, Script, answer, deaf};
use crate::requests::support::{client, config, list, once, single};
use k8s_flowcontrol::Client;
use k8s_flowcontrol::api::v1::FlowSchema;
use k8s_flowcontrol_server::ApiServer;

#[tokio::test]
async fn the_wrong_scheme_is_named() {
    let go = "HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTP request to an HTTPS server.\n";
    let go = Script::start(vec![Act::Answer(go.into())]).await;
    // The alert with which TLS libraries answer plain text.
    let alert = Script::start(vec![Act::Answer(vec![21, 3, 1, 0, 2, 2, 70])]).await;
    for script in [&go, &alert] {
        let error = list(&single(script)).await.to_string();
        assert!(error.contains("use https:// in its URL"), "{error}");
    }
    let plain = ApiServer::builder().start().await.unwrap();
    let url = plain.url().replace("http://", "https://");
    let error = list(&Client::new(once(&url)).unwrap()).await.to_string();
    assert!(error.contains("use http:// in its URL"), "{error}");
    let secure = ApiServer::builder().tls().start().await.unwrap();
    let trusted = once(&secure.url().replace("127.0.0.1", "localhost"));
    let error = list(&Client::new(trusted).unwrap()).await.to_string();
    assert!(!error.contains("http:// in its URL"), "{error}");
    let right = Client::new(config(&secure)).unwrap();
    right.flow_schemas().list().await.unwrap();
}

#[tokio::test]
async fn a_server_that_answers_is_not_called_unreachable() {
    let (_socket, url) = deaf();
    let text = list(&client(&url)).await.to_string();
    assert!(text.contains(" could not be reached: "), "{text}");
    let not_http = Act::Answer(b"SSH-2.0-OpenSSH\r\n".to_vec());
    let script = Script::start(vec![Act::Close, not_http]).await;
    for _ in 0..2 {
        let text = list(&single(&script)).await.to_string();
        assert!(text.contains(" sent no usable response: "), "{text}");
        assert!(!text.contains("the server expects TLS: "), "{text}");
    }
}

#[tokio::test]
async fn what_is_no_api_server_is_not_judged_as_one() {
    let page = "<html>404 nginx</html>";
    let page = format!(
        "HTTP/1.1 404 X\r\nContent-Type: text/html\r\nConnection: close\r\nContent-Length: {}\r\n\r\n{page}",
        page.len()
    );
    let script = Script::start(vec![
        Act::Answer(page.clone().into()),
        Act::Answer(page.into()),
    ])
    .await;
    let error = list(&single(&script)).await;
    assert!(!error.is_version_not_served(), "{error}");
    let text = error.to_string();
    assert!(
        text.ends_with("does not answer in HTML: check the server's URL"),
        "{text}"
    );

    for (location, shown) in [
        (
            "https://login.example/?token=abc",
            "a redirect to https://login.example/, which",
        ),
        ("/elsewhere#abc", "a redirect to /elsewhere, which"),
        ("https://me:abc@login.example/", "with an empty body"),
    ] {
        let head = format!("Location: {location}\r\n");
        let script = Script::start(vec![answer(302, &head, "")]).await;
        let text = list(&single(&script)).await.to_string();
        assert!(text.contains(shown) && !text.contains("abc"), "{text}");
    }
}

/// Media types are the same in capitals.
#[tokio::test]
async fn every_page_in_html_is_named() {
    let page = "HTTP/1.1 200 X\r\nContent-Type: Text/HTML\r\nConnection: close\r\n\r\n<html>";
    let script = Script::start(vec![Act::Answer(page.into())]).await;
    let text = list(&single(&script)).await.to_string();
    assert!(text.contains("does not answer in HTML"), "{text}");
    // Also as an event of a watch, whose head is gone.
    let script = Script::start(vec![Act::Answer(page.into())]).await;
    let mut events = script.client.flow_schemas().watch().await.unwrap();
    let text = events.next().await.unwrap().unwrap_err().to_string();
    assert!(text.contains("does not answer in HTML"), "{text}");
}

#[tokio::test]
async fn a_page_in_html_does_not_change_a_negotiated_version() {
    let page = || {
        let head = "HTTP/1.1 404 X\r\nContent-Type: text/html\r\nConnection: close";
        Act::Answer(format!("{head}\r\nContent-Length: 6\r\n\r\n<html>").into())
    };
    let group = r#"{"name": "g", "versions": [{"groupVersion": "g/v1", "version": "v1"}]}"#;
    let acts = [
        answer(200, "", group),
        answer(200, "", "{}"),
        page(),
        page(),
    ];
    let script = Script::start(acts.into()).await;
    let schemas = script.client.negotiated::<FlowSchema>().await.unwrap();
    let error = schemas.list().await.unwrap_err();
    assert!(!error.is_version_not_served(), "{error}");
    let missing = Script::start(vec![answer(404, "", "404 page not found"), page()]).await;
    let text = list(&missing.client).await.to_string();
    // The page does not tell about the group.
    assert!(text.contains("; the server may not serve v1 of "), "{text}");
}
