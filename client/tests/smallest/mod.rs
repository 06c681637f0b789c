//! The smallest build of a client with TLS: a configuration that needs another feature is an error that names it.

use k8s_flowcontrol::Client;
#[cfg(not(feature = "http2"))]
use k8s_flowcontrol::client::RetryPolicy;
use k8s_flowcontrol::config::Config;

fn error(config: Config) -> String {
    let error = Client::new(config).unwrap_err();
    assert!(error.is_setup(), "{error}");
    error.to_string()
}

#[test]
fn a_server_without_a_known_authority_needs_the_platform_verifier() {
    let error = error(Config::new("https://127.0.0.1:1").unwrap());
    assert!(error.contains("no certificate authority"), "{error}");
    assert!(error.contains("the feature `platform-verifier`"), "{error}");
}

#[test]
fn a_socks_proxy_needs_its_feature() {
    let config = Config::new("https://127.0.0.1:1")
        .unwrap()
        .with_insecure_skip_tls_verify(true)
        .with_proxy("socks5://me:planted-secret@127.0.0.1:1")
        .unwrap();
    let error = error(config);
    assert!(error.contains("the feature `socks`"), "{error}");
    assert!(!error.contains("planted-secret"), "{error}");
}

/// A server that speaks HTTP/2 alone ends the handshake with this alert.
#[cfg(not(feature = "http2"))]
#[tokio::test]
async fn a_server_without_http_1_1_needs_http2() {
    use std::io::{Read, Write};
    const NO_APPLICATION_PROTOCOL: [u8; 7] = [21, 3, 3, 0, 2, 2, 120];
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("https://{}", listener.local_addr().unwrap());
    let server = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        assert!(stream.read(&mut [0; 4096]).unwrap() > 0);
        stream.write_all(&NO_APPLICATION_PROTOCOL).unwrap();
        // Until the client closes the connection: unread bytes would reset it, and the alert would be lost.
        let _closed = stream.read_to_end(&mut Vec::new());
    });
    let config = Config::new(&url)
        .unwrap()
        .with_insecure_skip_tls_verify(true);
    let schemas = Client::new(config).unwrap().flow_schemas();
    let once = schemas.get("a").retry_policy(RetryPolicy::none());
    let error = once.await.unwrap_err().to_string();
    assert!(error.contains("the feature `http2`"), "{error}");
    server.join().unwrap();
}
