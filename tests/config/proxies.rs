//! Proxies of every kind, to `http` and `https` servers.

use crate::config::support::{
    Authority, HttpProxy, Server, SocksProxy, ask, ask_with, own_authority, saying,
};
use k8s_flowcontrol::Client;
use k8s_flowcontrol::config::Config;
use rcgen::ExtendedKeyUsagePurpose;
use tokio::net::TcpSocket;

/// `me:planted-secret`
const AUTHORIZATION: &str = "Basic bWU6cGxhbnRlZC1zZWNyZXQ=";

fn through(server: &str, proxy: &str) -> Config {
    Config::new(server).unwrap().with_proxy(proxy).unwrap()
}

#[tokio::test]
async fn a_secure_server_through_connect() {
    let authority = Authority::new("one");
    let server = Server::tls(&authority.sign(&["api.example"])).await;
    let proxy = HttpProxy::to(server.address).await;
    let config = through(
        "https://api.example:6443",
        &format!("http://{}", proxy.address),
    )
    .with_certificate_authority(authority.pem.clone());
    let client = Client::new(config.clone()).unwrap();
    ask(&client).await.unwrap();
    ask(&client).await.unwrap();
    assert_eq!(
        proxy.asked(),
        ["CONNECT api.example:6443 HTTP/1.1"],
        "one tunnel for both"
    );
    assert_eq!(server.last_header("host").unwrap(), "api.example:6443");
    assert_eq!(server.last_header("proxy-authorization"), None);

    // The certificate is still verified, also against another name.
    let name = config.with_tls_server_name("other.example").unwrap();
    assert!(
        ask_with(name)
            .await
            .unwrap_err()
            .to_string()
            .contains("other.example")
    );
}

#[tokio::test]
async fn another_name_through_connect() {
    let authority = Authority::new("one");
    let server = Server::tls(&authority.sign(&["api.example"])).await;
    let proxy = HttpProxy::to(server.address).await;
    let config = through(
        "https://10.1.2.3:6443",
        &format!("http://{}", proxy.address),
    )
    .with_certificate_authority(authority.pem.clone())
    .with_tls_server_name("api.example")
    .unwrap();
    ask_with(config).await.unwrap();
    assert_eq!(proxy.asked(), ["CONNECT 10.1.2.3:6443 HTTP/1.1"]);
    // Behind an HTTP proxy the name is verified, but not sent.
    assert_eq!(server.requests()[0].sni, None);
}

#[tokio::test]
async fn a_plain_server_through_http() {
    let server = Server::plain().await;
    let proxy = HttpProxy::start("127.0.0.1:0", server.address, None, Some(AUTHORIZATION)).await;
    let url = format!("http://me:planted-secret@{}", proxy.address);
    ask_with(through("http://api.example", &url)).await.unwrap();
    let asked = proxy.asked().remove(0);
    assert!(asked.starts_with("GET http://api.example/apis/"), "{asked}");
    let error = ask_with(through(
        "http://api.example",
        &format!("http://{}", proxy.address),
    ));
    assert_eq!(error.await.unwrap_err().code(), Some(407));
}

#[tokio::test]
async fn a_password_for_connect() {
    let authority = Authority::new("one");
    let server = Server::tls(&authority.sign(&["api.example"])).await;
    let proxy = HttpProxy::start("127.0.0.1:0", server.address, None, Some(AUTHORIZATION)).await;
    let ask_as = |user: &str| {
        let url = format!("http://{user}{}", proxy.address);
        let config = through("https://api.example", &url);
        ask_with(config.with_certificate_authority(authority.pem.clone()))
    };
    ask_as("me:planted%2Dsecret@").await.unwrap();
    assert_eq!(proxy.asked(), ["CONNECT api.example:443 HTTP/1.1"]);
    for user in ["", "me:planted-wrong@"] {
        let error = ask_as(user).await.unwrap_err();
        let shown = format!("{error} {error:?}");
        assert!(shown.contains("proxy authorization required"), "{shown}");
        assert!(shown.contains(&proxy.address.to_string()), "{shown}");
        assert!(!shown.contains("planted"), "{shown}");
    }
}

#[tokio::test]
async fn a_proxy_that_is_secured_itself() {
    let authority = Authority::new("one");
    let server = Server::tls(&authority.sign(&["api.example"])).await;
    let identity = authority.sign(&["127.0.0.1"]);
    let proxy = HttpProxy::start("127.0.0.1:0", server.address, Some(&identity), None).await;
    let url = format!("https://{}", proxy.address);
    let config = through("https://api.example:6443", &url);
    ask_with(
        config
            .clone()
            .with_certificate_authority(authority.pem.clone()),
    )
    .await
    .unwrap();
    assert_eq!(proxy.asked(), ["CONNECT api.example:6443 HTTP/1.1"]);
    let stranger = config.with_certificate_authority(Authority::new("one").pem);
    assert!(ask_with(stranger).await.is_err());
    assert_eq!(proxy.asked().len(), 1);

    let plain = Server::plain().await;
    let proxy = HttpProxy::start("127.0.0.1:0", plain.address, Some(&identity), None).await;
    let config = through("http://api.example", &format!("https://{}", proxy.address));
    ask_with(config.with_certificate_authority(authority.pem.clone()))
        .await
        .unwrap();
    assert!(proxy.heads()[0].starts_with("GET http://api.example/"));
}

#[tokio::test]
async fn a_secured_proxy_on_the_host_of_a_server_with_its_own_authority() {
    let authority = Authority::new("one");
    let config = through("https://api.example:6443", "https://api.example:3128");
    assert!(
        Client::new(config.clone()).is_ok(),
        "both have public certificates"
    );
    for config in [
        config.clone().with_certificate_authority(authority.pem),
        config.with_tls_server_name("other.example").unwrap(),
    ] {
        let error = Client::new(config).unwrap_err().to_string();
        assert!(
            error.contains("have the same host (api.example)"),
            "{error}"
        );
        assert!(error.contains("another host name"), "{error}");
    }
}

#[tokio::test]
async fn socks_with_names_addresses_and_passwords() {
    let authority = Authority::new("one");
    let identity = authority.sign(&["api.example", "10.1.2.3", "fd00::1"]);
    let server = Server::tls(&identity).await;
    let open = SocksProxy::start(server.address, None).await;
    for (host, expected) in [
        ("api.example:6443", "name api.example 6443"),
        ("api.example", "name api.example 443"),
        ("10.1.2.3:6443", "address 10.1.2.3 6443"),
        ("[fd00::1]:6443", "address fd00::1 6443"),
    ] {
        let config = through(
            &format!("https://{host}"),
            &format!("socks5://{}", open.address),
        );
        let config = config.with_certificate_authority(authority.pem.clone());
        ask_with(config).await.unwrap();
        assert_eq!(open.asked().last().unwrap(), expected);
    }

    let plain = Server::plain().await;
    let closed = SocksProxy::start(plain.address, Some(("me", "planted-secret"))).await;
    let url = format!("socks5h://me:planted%2Dsecret@{}", closed.address);
    ask_with(through("http://api.example", &url)).await.unwrap();
    assert_eq!(closed.asked(), ["name api.example 80"]);
    for user in ["", "me:planted-wrong@"] {
        let url = format!("socks5://{user}{}", closed.address);
        let error = ask_with(through("http://api.example", &url))
            .await
            .unwrap_err();
        let shown = format!("{error} {error:?}");
        assert!(shown.contains("connecting through the proxy"), "{shown}");
        assert!(!shown.contains("planted"), "{shown}");
    }
}

#[tokio::test]
async fn a_proxy_with_an_ipv6_address() {
    let authority = Authority::new("one");
    let server = Server::tls(&authority.sign(&["api.example"])).await;
    let proxy = HttpProxy::start("[::1]:0", server.address, None, None).await;
    let config = through(
        "https://api.example:6443",
        &format!("http://{}", proxy.address),
    );
    ask_with(config.with_certificate_authority(authority.pem.clone()))
        .await
        .unwrap();
    assert_eq!(proxy.asked(), ["CONNECT api.example:6443 HTTP/1.1"]);
}

#[tokio::test]
async fn ipv6_servers_need_a_socks_proxy() {
    let config = through("https://[fd00::1]:6443", "http://127.0.0.1:9");
    let error = Client::new(config).unwrap_err().to_string();
    assert!(error.contains("[fd00::1]"), "{error}");
    assert!(error.contains("use a SOCKS5 proxy"), "{error}");
}

#[tokio::test]
async fn another_name_through_socks() {
    let authority = Authority::new("one");
    let server = Server::tls(&authority.sign(&["api.example"])).await;
    let proxy = SocksProxy::start(server.address, None).await;
    let config = through(
        "https://10.1.2.3:6443",
        &format!("socks5://{}", proxy.address),
    )
    .with_certificate_authority(authority.pem.clone())
    .with_tls_server_name("api.example")
    .unwrap();
    ask_with(config).await.unwrap();
    assert_eq!(proxy.asked(), ["address 10.1.2.3 6443"]);
    assert_eq!(server.requests()[0].sni.as_deref(), Some("api.example"));
}

#[tokio::test]
async fn a_proxy_that_is_not_there() {
    // A port without a listener.
    let server = Server::plain().await;
    let gone = format!("http://{}", server.address);
    drop(server);
    let error = ask_with(through("https://api.example", &gone))
        .await
        .unwrap_err();
    assert!(error.is_retryable(), "{error}");
    let shown = format!("{error} {error:?}");
    assert!(shown.contains("connecting through the proxy"), "{shown}");
}

#[tokio::test]
async fn the_cause_of_a_failed_socks_proxy_is_named() {
    let closing = saying(b"").await;
    // A port without a listener.
    let socket = TcpSocket::new_v4().unwrap();
    socket.bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let gone = socket.local_addr().unwrap();
    for (address, cause) in [(gone, "Connection refused"), (closing, "eof")] {
        let proxy = format!("socks5://{address}");
        for server in ["http://api.example", "https://api.example"] {
            let error = ask_with(through(server, &proxy)).await.unwrap_err();
            let text = error.to_string();
            let failed = format!("connecting through the proxy {proxy} failed: ");
            assert!(text.contains(&failed) && text.contains(cause), "{text}");
            assert!(format!("{error:?}").contains("SOCKS error"), "{error:?}");
        }
    }
}

#[tokio::test]
async fn tls_of_a_proxy_is_not_taken_for_that_of_the_server() {
    let authority = Authority::new("one");
    let plain = saying(b"HTTP/1.1 400 X\r\n\r\n").await;
    let target = Server::plain().await;
    let stranger = Authority::new("other").sign(&["127.0.0.1"]);
    let secured = HttpProxy::start("127.0.0.1:0", target.address, Some(&stranger), None).await;
    let own = own_authority("127.0.0.1", 2999, ExtendedKeyUsagePurpose::ServerAuth);
    let own = HttpProxy::start("127.0.0.1:0", target.address, Some(&own), None).await;
    for (address, server, remedy) in [
        (
            own.address,
            "http://api.example",
            "the presented certificate is that of an authority; list it as a certificate authority in the configuration, \
             or replace it by one that an authority has signed and that is not an authority itself",
        ),
        (
            plain,
            "http://api.example",
            "the response is not TLS; if the proxy does not use TLS, use http:// in its URL",
        ),
        (
            plain,
            "https://api.example",
            "the response is not TLS; if the proxy or the server does not use TLS, use http:// in its URL",
        ),
        (
            secured.address,
            "http://api.example",
            "check the name and the certificate authority in the configuration",
        ),
    ] {
        let config = through(server, &format!("https://{address}"));
        let config = config.with_certificate_authority(authority.pem.clone());
        let text = ask_with(config).await.unwrap_err().to_string();
        let begin = format!("TLS failed on the way to {server}/: connecting through the proxy ");
        assert!(text.contains(&begin) && text.ends_with(remedy), "{text}");
    }
}

#[tokio::test]
async fn a_proxy_without_a_way_to_the_server_says_so() {
    let unreachable = "it did not open a connection to the server";
    let unknown = "it answered 407; check the user and the password in its URL";
    let bad_gateway: &[u8] = b"HTTP/1.1 502 X\r\nContent-Length: 0\r\n\r\n";
    for (response, reason) in [
        (bad_gateway, unreachable),
        (b"HTTP/1.1 407 X\r\nContent-Length: 0\r\n\r\n", unknown),
    ] {
        let proxy = format!("http://{}/", saying(response).await);
        let error = ask_with(through("https://api.example", &proxy)).await;
        let error = error.unwrap_err();
        let text = error.to_string();
        let expected = format!("connecting through the proxy {proxy} failed: {reason}");
        assert!(text.ends_with(&expected), "{text}");
        assert!(error.is_connect() && error.is_retryable(), "{text}");
    }
}
