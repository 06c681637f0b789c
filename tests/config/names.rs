//! The names in handshakes and requests, with and without `tls-server-name`.

use crate::config::support::{Authority, HttpProxy, Names, SocksProxy, StrictServer, ask_with};
use k8s_flowcontrol::config::Config;

fn trusting(server: &str, authority: &Authority) -> Config {
    Config::new(format!("https://{server}"))
        .unwrap()
        .with_certificate_authority(authority.pem.clone())
}

fn names(protocol: &'static str, sni: Option<&str>, server: &str) -> Names {
    Names {
        protocol,
        sni: sni.map(str::to_owned),
        server: server.to_owned(),
    }
}

#[tokio::test]
async fn another_name_in_the_handshake_is_none_in_the_request() {
    let authority = Authority::new("one");
    let server = StrictServer::start(&authority.sign(&["127.0.0.1", "api.example"])).await;
    let address = server.address.to_string();
    let config = trusting(&address, &authority);
    ask_with(config.clone()).await.unwrap();
    assert_eq!(server.last(), names("HTTP/2", None, &address));

    let named = config.with_tls_server_name("api.example").unwrap();
    ask_with(named).await.unwrap();
    assert_eq!(
        server.last(),
        names("HTTP/1.1", Some("api.example"), &address)
    );
}

#[tokio::test]
async fn an_address_that_stands_in_for_a_name() {
    let authority = Authority::new("one");
    let server = StrictServer::start(&authority.sign(&["10.9.8.7", "fd00::1"])).await;
    let address = server.address.to_string();
    let named = trusting(&address, &authority).with_tls_server_name("10.9.8.7");
    ask_with(named.unwrap()).await.unwrap();
    assert_eq!(server.last(), names("HTTP/1.1", None, &address));

    let proxy = SocksProxy::start(server.address, None).await;
    let config = trusting("[fd00::1]:6443", &authority)
        .with_proxy(format!("socks5://{}", proxy.address))
        .unwrap();
    ask_with(config).await.unwrap();
    assert_eq!(server.last(), names("HTTP/1.1", None, "[fd00::1]:6443"));
}

#[tokio::test]
async fn another_name_through_proxies() {
    let authority = Authority::new("one");
    let server = StrictServer::start(&authority.sign(&["api.example"])).await;
    let socks = SocksProxy::start(server.address, None).await;
    let http = HttpProxy::to(server.address).await;
    let named = |host: &str, proxy: String| {
        let config = trusting(host, &authority).with_tls_server_name("api.example");
        config.unwrap().with_proxy(proxy).unwrap()
    };
    let config = named("10.1.2.3:6443", format!("socks5://{}", socks.address));
    ask_with(config).await.unwrap();
    assert_eq!(
        server.last(),
        names("HTTP/1.1", Some("api.example"), "10.1.2.3:6443")
    );
    // The name in the handshake is that of the URL, and the certificate is verified for the other.
    let config = named("other.example:6443", format!("http://{}", http.address));
    ask_with(config).await.unwrap();
    assert_eq!(
        server.last(),
        names("HTTP/2", Some("other.example"), "other.example:6443")
    );
}
