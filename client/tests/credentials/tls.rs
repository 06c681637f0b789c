//! Certificates that cannot be used, and the handshake.

use k8s_flowcontrol::Client;
use k8s_flowcontrol::client::RetryPolicy;
use k8s_flowcontrol::config::{Config, Secret};
use std::io::Read as _;
use std::net::TcpListener;

fn https() -> Config {
    Config::new("https://127.0.0.1:1").unwrap()
}

#[test]
fn invalid_certificates() {
    let empty = "-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----\n";
    let planted = || Secret::new("planted-secret");
    for (config, expected) in [
        (
            https().with_certificate_authority("rubbish"),
            "certificate authority: expected a certificate in PEM",
        ),
        (
            https().with_certificate_authority(empty),
            "certificate authority: it contains no usable certificate",
        ),
        (
            https().with_client_certificate("rubbish", planted()),
            "client certificate: expected a certificate in PEM",
        ),
        (
            https().with_client_certificate(empty, planted()),
            "client key: expected a private key",
        ),
    ] {
        // Which authorities there are does not matter.
        let config = match expected.starts_with("client") {
            true => config.with_insecure_skip_tls_verify(true),
            false => config,
        };
        let error = Client::new(config).unwrap_err();
        let text = format!("{error} {error:?}");
        assert!(text.contains(expected), "{text}");
        assert!(!text.contains("planted-secret"), "{text}");
        // A program whose `main` returns the error prints it with `Debug`, which does not repeat a cause that the text has.
        let printed = format!("{error:?}");
        assert_eq!(printed.matches(expected).count(), 1, "{printed}");
    }
}

#[tokio::test]
async fn a_rejected_client_certificate_has_a_remedy() {
    let client = Client::with_transport(https(), |_request| async {
        let alert = rustls::AlertDescription::CertificateRequired;
        Err::<http::Response<String>, _>(rustls::Error::AlertReceived(alert))
    });
    let error = client.flow_schemas().get("x").await.unwrap_err();
    assert!(error.is_connect() && !error.is_retryable(), "{error}");
    let remedy = "configure a client certificate that the server accepts";
    assert!(error.to_string().ends_with(remedy), "{error}");
}

#[tokio::test]
async fn the_http_versions_of_the_build_are_offered() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("https://{}", listener.local_addr().unwrap());
    let hello = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut hello = [0; 16384];
        let length = stream.read(&mut hello).unwrap();
        hello[..length].to_vec()
    });
    let config = Config::new(url).unwrap();
    let client = Client::new(config.with_insecure_skip_tls_verify(true)).unwrap();
    let get = client.get_raw("/").retry_policy(RetryPolicy::none());
    get.await.unwrap_err();
    let offered: &[u8] = match cfg!(feature = "http2") {
        true => b"\x00\x0c\x02h2\x08http/1.1",
        false => b"\x00\x09\x08http/1.1",
    };
    let hello = hello.join().unwrap();
    let found = hello.windows(offered.len()).any(|part| part == offered);
    assert!(found, "{hello:?}");
}

/// A connection without an authority in its configuration is possible.
#[cfg(feature = "platform-verifier")]
#[test]
fn the_authorities_of_the_operating_system_are_the_default() {
    Client::new(https()).unwrap();
}
