//! The sources and overrides of `Config::builder`.

use crate::config::support::{Folder, HttpProxy, Server, ask_with};
use k8s_flowcontrol::config::{Config, ConfigBuilder};
use serde::Serialize;
use serde_json::{Value, json};
use std::time::Duration;

/// A kubeconfig with two clusters and two users. Each context has the name of its cluster and its user.
fn kubeconfig(first: Value, second: Value) -> Value {
    json!({
        "current-context": "first",
        "contexts": [
            {"name": "first", "context": {"cluster": "first", "user": "first", "namespace": "team"}},
            {"name": "second", "context": {"cluster": "second", "user": "second"}},
        ],
        "clusters": [
            {"name": "first", "cluster": first},
            {"name": "second", "cluster": second},
        ],
        "users": [
            {"name": "first", "user": {"token": "planted-first"}},
            {"name": "second", "user": {"token": "planted-second"}},
        ],
    })
}

fn fault(builder: ConfigBuilder) -> String {
    let shown = format!("{builder:?}");
    let error = builder.build().unwrap_err();
    let all = format!("{error} {error:?} {shown}");
    assert!(!all.contains("planted"), "{all}");
    error.to_string()
}

#[tokio::test]
async fn text_files_and_values_are_equal() {
    #[derive(Serialize)]
    #[serde(transparent)]
    struct Foreign(Value);

    let (server, folder) = (Server::secure().await, Folder::new());
    let value = kubeconfig(
        server.cluster(),
        json!({"server": "https://second.example"}),
    );
    let file = folder.write("kubeconfig", value.to_string());
    let builder = Config::builder;
    for builder in [
        builder().file(&file),
        builder().files([folder.path("missing"), file]),
        builder().text(value.to_string()),
        builder().kubeconfig_value(&value),
        builder().kubeconfig_value(Foreign(value)),
    ] {
        let config = builder.clone().build().unwrap();
        let shown = format!("{builder:?} {config:?}");
        assert!(!shown.contains("planted"), "{shown}");
        assert_eq!(config.namespace(), "team");
        ask_with(config).await.unwrap();
        let sent = server.last_header("authorization");
        assert_eq!(sent.as_deref(), Some("Bearer planted-first"));
        let (names, current) = builder.contexts().unwrap();
        assert_eq!(names, ["first", "second"]);
        assert_eq!(current.as_deref(), Some("first"));
    }
}

#[tokio::test]
async fn context_cluster_and_user_are_chosen_by_name() {
    let (first, second) = (Server::secure().await, Server::secure().await);
    let text = kubeconfig(first.cluster(), second.cluster()).to_string();
    let builder = || Config::builder().text(&text);
    for (builder, server, token) in [
        (builder().context("second"), &second, Some("second")),
        (builder().cluster("second"), &second, Some("first")),
        (builder().user("second"), &first, Some("second")),
        (
            builder().context("second").cluster("first").user("first"),
            &first,
            Some("first"),
        ),
        (
            Config::builder()
                .text(text.replace("\"current-context\":\"first\",", ""))
                .cluster("second"),
            &second,
            None,
        ),
    ] {
        let before = server.requests().len();
        ask_with(builder.build().unwrap()).await.unwrap();
        assert_eq!(server.requests().len(), before + 1);
        let expected = token.map(|token| format!("Bearer planted-{token}"));
        assert_eq!(server.last_header("authorization"), expected);
    }
    for (builder, expected) in [
        (
            builder().cluster("x"),
            "the cluster `x` does not exist; the clusters are `first`, `second`",
        ),
        (
            builder().user("x"),
            "the user `x` does not exist; the users are `first`, `second`",
        ),
        (
            builder().context("x"),
            "the context `x` does not exist; the contexts are `first`, `second`",
        ),
    ] {
        let error = fault(builder);
        assert!(error.contains(expected), "{error}");
    }
}

#[tokio::test]
async fn values_are_replaced() {
    let server = Server::plain().await;
    let proxy = HttpProxy::to(server.address).await;
    // An address of this host that is not recognised as loopback.
    let there = format!("http://0.0.0.0:{}", server.address.port());
    let config = Config::builder()
        .kubeconfig_value(kubeconfig(
            json!({"server": there}),
            json!({"server": there}),
        ))
        .namespace("other")
        .proxy(format!("http://{}", proxy.address))
        .timeout(Duration::from_secs(7))
        .connect_timeout(Duration::from_secs(3))
        .build()
        .unwrap();
    assert_eq!(config.namespace(), "other");
    assert_eq!(config.timeout(), Some(Duration::from_secs(7)));
    assert_eq!(config.connect_timeout(), Duration::from_secs(3));
    ask_with(config).await.unwrap();
    assert_eq!(proxy.asked().len(), 1);
    let unlimited = Config::builder()
        .kubeconfig_value(kubeconfig(
            json!({"server": there}),
            json!({"server": there}),
        ))
        .timeout(None)
        .build()
        .unwrap();
    assert_eq!(unlimited.timeout(), None);
}

#[test]
fn faults() {
    let text = kubeconfig(
        json!({"server": "https://a"}),
        json!({"server": "https://b"}),
    )
    .to_string();
    let builder = Config::builder;
    for (builder, expected) in [
        (
            builder().kubeconfig_value(["planted"]),
            "kubeconfig value: expected a map",
        ),
        (
            builder().kubeconfig_value(std::collections::HashMap::from([([1], "planted")])),
            "kubeconfig value: it cannot be represented as JSON",
        ),
        (
            builder().text(&text).in_cluster(),
            "cannot be combined with a kubeconfig",
        ),
        (
            builder().in_cluster().context("first"),
            "cannot be combined with a context",
        ),
        (
            builder().files(["/no/a", "/no/b"]),
            "none of the kubeconfig files exists: /no/a, /no/b",
        ),
        (
            builder().text(&text).proxy("ftp://me:planted@host"),
            "a proxy with the scheme `ftp` is not supported",
        ),
    ] {
        let error = fault(builder);
        assert!(error.contains(expected), "{error}");
    }
}

#[test]
fn another_address_keeps_the_credentials() {
    let text = "current-context: a\nclusters: [{name: c, cluster: {server: 'https://one:1'}}]\n\
                users: [{name: u, user: {token: t}}]\ncontexts: [{name: a, context: {cluster: c, user: u}}]";
    let config = Config::builder()
        .text(text)
        .server("https://two:2")
        .build()
        .unwrap();
    assert_eq!(config.server_url(), "https://two:2/");
    assert_eq!(config.to_kubeconfig()["users"][0]["user"]["token"], "t");
    let error = Config::builder()
        .text(text)
        .server("two")
        .build()
        .unwrap_err();
    assert!(
        error.to_string().contains("the server is not a URL"),
        "{error}"
    );
}

#[test]
fn user_agents() {
    let config = || Config::new("http://127.0.0.1:1").unwrap();
    let library = config().user_agent().to_owned();
    assert!(library.starts_with("k8s-flowcontrol/"), "{library}");
    let platform = format!(" ({}/{})", std::env::consts::OS, std::env::consts::ARCH);
    assert!(library.ends_with(&platform), "{library}");
    let named = config().with_application("quota-controller/1.4").unwrap();
    assert_eq!(
        named.user_agent(),
        format!("quota-controller/1.4 {library}")
    );
    for bad in ["", "  ", "a\nb"] {
        assert!(config().with_application(bad).is_err(), "{bad:?}");
    }
}

#[test]
fn addresses_of_servers() {
    for (text, skips, expected) in [
        ("10.0.0.1:6443", true, "https://10.0.0.1:6443/"),
        ("10.0.0.1:6443", false, "http://10.0.0.1:6443/"),
        ("localhost", true, "https://localhost/"),
        ("[::1]:6443/", true, "https://[::1]:6443/"),
        ("http://10.0.0.1", true, "http://10.0.0.1/"),
        ("https://host/prefix", false, "https://host/prefix"),
        ("https://host//a//b/", false, "https://host/a/b"),
    ] {
        let cluster = json!({"server": text, "insecure-skip-tls-verify": skips});
        let text = kubeconfig(cluster.clone(), cluster).to_string();
        let config = Config::builder().text(text).build().unwrap();
        assert_eq!(config.server_url(), expected);
    }
    assert!(Config::new("https://[::1]:6443/prefix/").is_ok());
    for bad in [
        "",
        "127.0.0.1:8080",
        "ftp://a",
        "unix:/x",
        "http://a?b",
        "http://a#b",
        "http://me:planted@host",
    ] {
        let error = Config::new(bad).unwrap_err();
        assert!(!format!("{error} {error:?}").contains("planted"), "{error}");
    }
}

#[test]
fn the_certificate_of_an_endpoint_has_the_name_of_the_cluster() {
    let cluster = |url: &str| Config::new(url).unwrap();
    let named = |url: &str| cluster(url).with_tls_server_name("kubernetes").unwrap();
    for (config, endpoint, name) in [
        (
            cluster("https://api.example.com"),
            "https://10.0.0.1:6443",
            "api.example.com".into(),
        ),
        (
            cluster("https://[fd00::5]:6443"),
            "https://[fd00::1]:6443",
            "fd00::5".into(),
        ),
        (
            named("https://10.0.0.9"),
            "https://10.0.0.1",
            "kubernetes".into(),
        ),
        (
            cluster("http://127.0.0.1:1"),
            "http://127.0.0.2:2",
            Value::Null,
        ),
    ] {
        let config = config.with_endpoint(endpoint).unwrap().to_kubeconfig();
        let cluster = &config["clusters"][0]["cluster"];
        assert_eq!(cluster["tls-server-name"], name, "{cluster}");
    }
}

#[test]
fn credentials_go_to_verified_servers_only() {
    let cluster = |url: &str| Config::new(url).unwrap();
    let insecure = cluster("https://api.example.com").with_insecure_skip_tls_verify(true);
    for (config, endpoint) in [
        (cluster("https://api.example.com"), "http://10.0.0.1"),
        (cluster("http://127.0.0.1:8001"), "https://10.0.0.1"),
        (cluster("http://127.0.0.1:8001"), "http://10.0.0.1"),
        (cluster("https://api.example.com"), "ftp://10.0.0.1"),
        (insecure, "https://10.0.0.1"),
    ] {
        assert!(config.with_endpoint(endpoint).is_err(), "{endpoint}");
    }
}

#[test]
fn errors_of_proxies_show_no_password() {
    for text in [
        "ftp://me:planted@a",
        "me:planted@a",
        "http://me:planted@a:99999",
        "http://me:planted@",
    ] {
        let config = Config::new("https://a").unwrap();
        let error = config.with_proxy(text).unwrap_err();
        assert!(!format!("{error} {error:?}").contains("planted"), "{error}");
    }
    let config = Config::new("https://a").unwrap();
    let config = config.with_proxy("socks5://me:planted@b:1").unwrap();
    assert_eq!(config.proxy_url(), Some("socks5://b:1"));
    assert!(!format!("{config:?}").contains("planted"));
}
