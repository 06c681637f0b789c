//! Handshakes that the server ends, or never begins.

use crate::config::support::{ask_with, saying};
use k8s_flowcontrol::config::Config;
use std::net::SocketAddr;
use std::time::Duration;
use tokio::net::TcpListener;

fn secure(address: SocketAddr) -> Config {
    let config = Config::new(format!("https://{address}")).unwrap();
    config.with_insecure_skip_tls_verify(true)
}

#[tokio::test]
async fn an_alert_has_the_remedy_of_its_cause() {
    // Fatal alerts of TLS 1.2.
    for (alert, expected) in [
        (
            &[21, 3, 3, 0, 2, 2, 112],
            "UnrecognisedName; check the name in the URL and `tls-server-name`",
        ),
        (
            &[21, 3, 3, 0, 2, 2, 70],
            "ProtocolVersion; a client certificate or another version of TLS may be required",
        ),
        (&[21, 3, 3, 0, 2, 2, 80], "InternalError"),
    ] {
        let error = ask_with(secure(saying(alert).await)).await.unwrap_err();
        let text = error.to_string();
        assert!(text.ends_with(expected), "{text}");
        assert!(error.is_connect() && !error.is_retryable(), "{text}");
    }
}

#[tokio::test]
async fn a_handshake_without_an_end_is_a_failed_connection() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let config = secure(listener.local_addr().unwrap());
    let config = config.with_connect_timeout(Duration::from_millis(50));
    let error = ask_with(config).await.unwrap_err();
    assert!(error.is_connect() && error.is_timeout(), "{error:?}");
    let text = error.to_string();
    assert!(text.ends_with(" could not be reached in time"), "{text}");
}
