//! The smallest build of a client with TLS: what it lacks is an error that names the feature.

use k8s_flowcontrol::Client;
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
