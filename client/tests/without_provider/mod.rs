//! A build without the feature `ring`, in which the program installs no TLS provider.

use k8s_flowcontrol::Client;
use k8s_flowcontrol::client::RetryPolicy;
use k8s_flowcontrol::config::Config;
use std::io::{Read as _, Write as _};
use std::net::TcpListener;

/// Answers two requests on one connection, which ends then, and returns their heads.
fn serve(listener: TcpListener) -> std::thread::JoinHandle<Vec<String>> {
    std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut heads = Vec::new();
        for connection in ["keep-alive", "close"] {
            let mut head = Vec::new();
            while !head.ends_with(b"\r\n\r\n") {
                let mut byte = [0];
                stream.read_exact(&mut byte).unwrap();
                head.push(byte[0]);
            }
            heads.push(String::from_utf8(head).unwrap());
            let body = r#"{"metadata":{"name":"a"},"spec":{}}"#;
            write!(
                stream,
                "HTTP/1.1 200 OK\r\nConnection: {connection}\r\nContent-Length: {}\r\n\r\n{body}",
                body.len()
            )
            .unwrap();
        }
        heads
    })
}

#[tokio::test]
async fn a_server_without_tls_needs_none() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let served = serve(listener);
    let client = Client::from_url(&url).unwrap();
    for _ in 0..2 {
        let schema = client.flow_schemas().get("a").await.unwrap();
        assert_eq!(schema.metadata.name.as_deref(), Some("a"));
    }
    let heads = served.join().unwrap();
    assert!(
        heads[1]
            .starts_with("GET /apis/flowcontrol.apiserver.k8s.io/v1/flowschemas/a HTTP/1.1\r\n")
    );
    let host = url.replace("http://", "host: ");
    assert!(heads[1].contains(&host), "{}", heads[1]);

    // The listener is closed.
    let once = client.with_retry_policy(RetryPolicy::none());
    let error = once.flow_schemas().get("a").await.unwrap_err();
    assert!(error.is_connect(), "{error}");
}

#[test]
fn a_server_with_tls_needs_one() {
    let config = Config::new("https://127.0.0.1:1").unwrap();
    let error = Client::new(config).unwrap_err();
    assert!(error.is_setup(), "{error}");
    assert!(error.to_string().contains("no TLS provider"), "{error}");
}
