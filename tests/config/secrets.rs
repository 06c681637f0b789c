//! Secrets appear neither in `Debug` output nor in errors.

use crate::config::exec::credential;
use crate::config::kubeconfig::document;
use crate::config::support::{Authority, Folder, Server, SocksProxy, ask};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use k8s_flowcontrol::Client;
use k8s_flowcontrol::client::RetryPolicy;
use k8s_flowcontrol::config::Config;
use serde_json::{Value, json};

const PLANTED: &str = "planted-secret";

/// Checks that a text does not contain the planted secret, neither plain nor in base64.
fn clean(what: &str, text: &str) {
    let encoded = BASE64_STANDARD.encode(PLANTED);
    for secret in [
        PLANTED,
        &encoded[..12],
        "cGxhbnRlZC1",
        "PRIVATE KEY",
        "MIGHAgEA",
    ] {
        assert!(!text.contains(secret), "{what}: {secret} in {text}");
    }
}

/// Uses a configuration against a server that rejects it, and checks every text that results.
async fn look(what: &str, text: &str) {
    let config = match Config::builder().text(text).build() {
        Ok(config) => config.with_retry_policy(RetryPolicy::none()),
        Err(error) => return clean(what, &format!("{error} {error:?} {error:#?}")),
    };
    clean(what, &format!("{config:?} {config:#?}"));
    let client = match Client::new(config) {
        Ok(client) => client,
        Err(error) => return clean(what, &format!("{error} {error:?} {error:#?}")),
    };
    clean(what, &format!("{client:?} {:?}", client.flow_schemas()));
    let error = ask(&client).await.unwrap_err();
    clean(what, &format!("{error} {error:?} {error:#?}"));
    let mut source = error.get_ref().map(|cause| cause as &dyn std::error::Error);
    while let Some(error) = source {
        clean(what, &format!("{error} {error:?}"));
        source = error.source();
    }
}

#[tokio::test]
async fn of_users() {
    let folder = Folder::new();
    let server = Server::answering(|_| ("401 Unauthorized", String::new())).await;
    let identity = Authority::new("one").sign(&["me"]);
    let data = |text: &str| BASE64_STANDARD.encode(text);
    let file = |name: &str, text: &str| folder.write(name, text).to_str().unwrap().to_owned();
    let prints = |name: &str, text: &str| {
        let body = format!("cat <<'END'\n{text}\nEND");
        let command = folder.script(name, &body);
        json!({"exec": {
            "apiVersion": "client.authentication.k8s.io/v1", "interactiveMode": "Never",
            "command": command, "args": [PLANTED], "env": [{"name": "WORD", "value": PLANTED}],
        }})
    };
    let odd = format!("{PLANTED}\u{1}");
    for user in [
        json!({"token": PLANTED}),
        json!({"token": odd}),
        json!({"token": [PLANTED]}),
        json!({"tokenFile": file("token", PLANTED)}),
        json!({"tokenFile": file("odd", &odd)}),
        json!({"username": "me", "password": PLANTED}),
        json!({"username": "me", "password": PLANTED, "token": PLANTED}),
        json!({"client-certificate-data": data(&identity.chain), "client-key-data": data(&identity.key)}),
        json!({"client-certificate-data": data(&identity.chain), "client-key-data": data(PLANTED)}),
        json!({"client-certificate-data": data(PLANTED), "client-key-data": data(&identity.key)}),
        json!({"client-certificate-data": data(&identity.chain), "client-key": file("key", PLANTED)}),
        json!({"client-certificate-data": data(&identity.chain), "client-key-data": format!("%{PLANTED}")}),
        prints("token-plugin", &credential(json!({"token": PLANTED}))),
        prints("odd-plugin", &credential(json!({"token": odd}))),
        prints(
            "key-plugin",
            &credential(
                json!({"clientCertificateData": identity.chain, "clientKeyData": identity.key}),
            ),
        ),
        prints(
            "bad-key-plugin",
            &credential(json!({"clientCertificateData": identity.chain, "clientKeyData": PLANTED})),
        ),
        prints("broken-plugin", &format!("{{\"token\": \"{PLANTED}")),
        prints(
            "other-plugin",
            &format!("{{\"kind\": \"{PLANTED}\", \"apiVersion\": \"{PLANTED}\"}}"),
        ),
        json!({"auth-provider": {"name": "gcp", "config": {"access-token": PLANTED}}}),
    ] {
        let what = user.to_string();
        look(&what, &document(server.cluster(), user)).await;
    }
}

#[tokio::test]
async fn of_servers_and_proxies() {
    let server = Server::answering(|_| ("401 Unauthorized", String::new())).await;
    let socks = SocksProxy::start(server.address, Some(("me", "another"))).await;
    let url = |scheme: &str, host: &str| format!("{scheme}://me:{PLANTED}@{host}");
    let address = socks.address.to_string();
    let cluster = |server: &str, proxy: Value| json!({"server": server, "proxy-url": proxy});
    for cluster in [
        json!({"server": url("https", "a.test")}),
        json!({"server": url("gopher", "a.test")}),
        json!({"server": format!("https://a.test:{PLANTED}")}),
        json!({"server": format!("https://a.test/?token={PLANTED}")}),
        cluster("http://a.test", json!(url("socks5", &address))),
        cluster("http://a.test", json!(url("http", "127.0.0.1:1"))),
        cluster("https://a.test", json!(url("http", "127.0.0.1:1"))),
        cluster("https://a.test", json!(url("https", &address))),
        cluster("https://a.test", json!(url("ftp", "a"))),
        cluster("https://a.test", json!(url("http", "a:b"))),
        cluster("https://a.test", json!([PLANTED])),
        json!({"server": "https://a.test", "certificate-authority-data": format!("%{PLANTED}")}),
    ] {
        let what = cluster.to_string();
        look(&what, &document(cluster, json!({}))).await;
    }
}

#[test]
fn of_files_that_are_no_kubeconfig() {
    for text in [
        format!("users: [{{token: {PLANTED}"),
        format!("token: *{PLANTED}"),
        PLANTED.to_owned(),
        format!("current-context: [{PLANTED}]"),
        format!("contexts: {PLANTED}\ncurrent-context: a"),
    ] {
        let error = Config::builder().text(&text).build().unwrap_err();
        clean(&text, &format!("{error} {error:?}"));
    }
}
