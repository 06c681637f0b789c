//! Kubeconfig files, read as kubectl reads them.

use crate::config::support::{Authority, Folder, HttpProxy, Notices, Server, ask, ask_with};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use k8s_flowcontrol::Client;
use k8s_flowcontrol::config::{Config, Impersonation};
use serde_json::{Value, json};

/// A kubeconfig (JSON is YAML) with one context, `here`.
pub(crate) fn document(cluster: Value, user: Value) -> String {
    json!({
        "apiVersion": "v1",
        "kind": "Config",
        "current-context": "here",
        "contexts": [{"name": "here", "context": {"cluster": "c", "user": "u", "namespace": "team"}}],
        "clusters": [{"name": "c", "cluster": cluster}],
        "users": [{"name": "u", "user": user}],
    })
    .to_string()
}

#[tokio::test]
async fn certificates_as_data_and_as_files() {
    let folder = Folder::new();
    let authority = Authority::new("one");
    let server = Server::mutual(&authority.sign(&["127.0.0.1"]), &authority).await;
    let me = authority.sign(&["me"]);
    let data = |pem: &str| BASE64_STANDARD.encode(pem);
    let text = document(
        json!({"server": server.url(), "certificate-authority-data": data(&authority.pem),
               "certificate-authority": "is-not-looked-at"}),
        json!({"client-certificate-data": data(&me.chain), "client-key-data": data(&me.key)}),
    );
    ask_with(Config::builder().text(text).build().unwrap())
        .await
        .unwrap();

    // Relative paths start at the folder of the file.
    folder.write("pki/ca.crt", &authority.pem);
    folder.write("pki/me.crt", &me.chain);
    folder.write("pki/me.key", &me.key);
    let file = folder.write(
        "kubeconfig",
        document(
            json!({"server": server.url(), "certificate-authority": "pki/ca.crt"}),
            json!({"client-certificate": "pki/me.crt", "client-key": "pki/me.key"}),
        ),
    );
    let client = Client::new(Config::builder().file(&file).build().unwrap()).unwrap();
    ask(&client).await.unwrap();
    let before = server.requests().pop().unwrap().certificate;
    let next = authority.sign(&["next"]);
    folder.write("pki/me.crt", &next.chain);
    folder.write("pki/me.key", &next.key);
    ask(&client).await.unwrap();
    assert_ne!(server.requests().pop().unwrap().certificate, before);
}

#[tokio::test]
async fn tokens_files_and_passwords() {
    let folder = Folder::new();
    let server = Server::secure().await;
    folder.write("token", "from-the-file\n");
    for (user, expected) in [
        (json!({"token": "inline"}), Some("Bearer inline")),
        (json!({"tokenFile": "token"}), Some("Bearer from-the-file")),
        (
            json!({"tokenFile": "token", "token": "inline"}),
            Some("Bearer from-the-file"),
        ),
        (
            json!({"tokenFile": "missing", "token": "inline"}),
            Some("Bearer inline"),
        ),
        (
            json!({"username": "me", "password": "planted-secret"}),
            Some("Basic bWU6cGxhbnRlZC1zZWNyZXQ="),
        ),
        // A key without a certificate is ignored.
        (json!({"client-key-data": "YQ=="}), None),
        (
            json!({"client-key": "missing", "token": "inline"}),
            Some("Bearer inline"),
        ),
        (json!({}), None),
    ] {
        let file = folder.write("kubeconfig", document(server.cluster(), user));
        ask_with(Config::builder().file(file).build().unwrap())
            .await
            .unwrap();
        assert_eq!(server.last_header("authorization").as_deref(), expected);
    }
}

#[tokio::test]
async fn impersonation() {
    let server = Server::secure().await;
    let user = json!({
        "as": "jane", "as-uid": "42", "as-groups": ["a", "b c"],
        "as-user-extra": {"example.com/Some key%": ["x", "y"]},
    });
    let text = document(server.cluster(), user);
    ask_with(Config::builder().text(text).build().unwrap())
        .await
        .unwrap();
    let request = server.requests().remove(0);
    assert_eq!(request.headers("impersonate-user"), ["jane"]);
    assert_eq!(request.headers("impersonate-uid"), ["42"]);
    assert_eq!(request.headers("impersonate-group"), ["a", "b c"]);
    assert_eq!(
        request.headers("impersonate-extra-example.com%2fsome%20key%25"),
        ["x", "y"]
    );
    for (user, expected) in [
        (Impersonation::new(""), ""),
        (Impersonation::new("a").group("x\ny"), "Impersonate-Group"),
    ] {
        let config = Config::new("http://127.0.0.1:1").unwrap();
        let error = config.with_impersonation(user).unwrap_err();
        assert!(error.to_string().contains(expected), "{error}");
    }
}

#[tokio::test]
async fn names_proxies_and_compression() {
    let authority = Authority::new("one");
    let server = Server::tls(&authority.sign(&["api.example"])).await;
    let proxy = HttpProxy::to(server.address).await;
    let cluster = json!({
        "server": "https://10.1.2.3:6443",
        "certificate-authority-data": BASE64_STANDARD.encode(&authority.pem),
        "tls-server-name": "api.example",
        "proxy-url": format!("http://{}", proxy.address),
        "disable-compression": true,
    });
    let config = Config::builder()
        .text(document(cluster, json!({})))
        .build()
        .unwrap();
    assert!(!config.compression());
    assert_eq!(config.namespace(), "team");
    ask_with(config).await.unwrap();
    assert_eq!(proxy.asked(), ["CONNECT 10.1.2.3:6443 HTTP/1.1"]);
    assert_eq!(
        server.last_header("accept-encoding"),
        Some("identity".to_owned())
    );

    let direct = json!({"server": server.url(), "insecure-skip-tls-verify": true});
    let direct = Config::builder()
        .text(document(direct, json!({})))
        .build()
        .unwrap();
    // A kubeconfig without a word about it does not turn compression on; a program does.
    assert!(!direct.compression());
    ask_with(direct.with_compression(true)).await.unwrap();
    assert_eq!(
        server.last_header("accept-encoding").as_deref(),
        Some("gzip")
    );
}

#[tokio::test]
async fn a_plugin_of_the_kubeconfig() {
    let folder = Folder::new();
    let server = Server::secure().await;
    let body = r#"cd "$(dirname "$0")" && printf %s "$KUBERNETES_EXEC_INFO" > info && cat <<END
{"apiVersion": "client.authentication.k8s.io/v1beta1", "kind": "ExecCredential", "status": {"token": "$1-$WORD${EMPTY-unset}"}}
END"#;
    folder.script("bin/plugin", body);
    let exec = json!({
        "apiVersion": "client.authentication.k8s.io/v1beta1",
        "command": "bin/plugin", "args": ["a"], "env": [{"name": "WORD", "value": "w"}, {"name": "EMPTY"}],
        "provideClusterInfo": true, "installHint": "see the manual",
    });
    let extension =
        json!({"name": "client.authentication.k8s.io/exec", "extension": {"audience": "x"}});
    let mut cluster = server.cluster();
    cluster["extensions"] = json!([extension]);
    let file = folder.write(
        "kubeconfig",
        document(cluster.clone(), json!({"exec": exec.clone()})),
    );
    ask_with(Config::builder().file(&file).build().unwrap())
        .await
        .unwrap();
    assert_eq!(server.last_header("authorization").unwrap(), "Bearer a-w");
    let told: Value = serde_json::from_str(&folder.read("bin/info")).unwrap();
    assert_eq!(told["spec"]["cluster"]["config"], json!({"audience": "x"}));
    assert_eq!(told["spec"]["cluster"]["server"], server.url());

    // A user with a token does not need a plugin.
    let user = json!({"exec": exec.clone(), "token": "inline"});
    let file = folder.write("kubeconfig", document(cluster.clone(), user));
    ask_with(Config::builder().file(file).build().unwrap())
        .await
        .unwrap();
    assert_eq!(
        server.last_header("authorization").unwrap(),
        "Bearer inline"
    );

    // An error names the file, the context, the user and the plugin.
    let mut missing = exec;
    missing["command"] = json!("bin/missing");
    let file = folder.write("kubeconfig", document(cluster, json!({"exec": missing})));
    let error = ask_with(Config::builder().file(&file).build().unwrap())
        .await
        .unwrap_err()
        .to_string();
    for part in [
        file.to_str().unwrap(),
        "context `here`",
        "user `u`",
        "exec",
        "was not found",
        "see the manual",
    ] {
        assert!(error.contains(part), "{part}: {error}");
    }
}

#[test]
fn files_are_merged() {
    let folder = Folder::new();
    let first = folder.write(
        "first",
        json!({
            "contexts": [{"name": "a", "context": {"cluster": "c", "user": "u"}}],
            "users": [{"name": "u", "user": {"token": "first"}}],
        })
        .to_string(),
    );
    let second = folder.write(
        "second",
        json!({
            "current-context": "a",
            "contexts": [
                {"name": "a", "context": {"cluster": "other", "namespace": "n"}},
                {"name": "b", "context": {"cluster": "d"}},
            ],
            "clusters": [{"name": "c", "cluster": {"server": "https://c.example"}},
                         {"name": "d", "cluster": {"server": "https://d.example"}}],
            "users": [{"name": "u", "user": {"token": "second", "as": "jane"}}],
        })
        .to_string(),
    );
    let third = folder.write("third", r#"{"current-context": "b"}"#);
    let files = [folder.path("missing"), first, second, third];
    let config = Config::builder().files(&files).build().unwrap();
    assert_eq!(config.server_url(), "https://c.example/");
    // The first context is used as a whole, without the namespace of the second.
    assert_eq!(config.namespace(), "default");
    let config = Config::builder()
        .files(&files)
        .context("b")
        .build()
        .unwrap();
    assert_eq!(config.server_url(), "https://d.example/");
    let error = Config::builder()
        .files(&files)
        .context("x")
        .build()
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("the context `x` does not exist; the contexts are `a`, `a`, `b`"),
        "{error}"
    );
    let error = Config::builder()
        .files(&files[..1])
        .build()
        .unwrap_err()
        .to_string();
    assert!(error.contains("missing"), "{error}");
}

#[tokio::test]
async fn the_last_of_repeated_keys_is_used() {
    let server = Server::secure().await;
    let text = document(server.cluster(), json!({"token": "last"}));
    let text = text
        .replace("\"token\":", "\"token\":\"first\",\"token\":")
        .replace("\"server\":", "\"server\":\"https://first\",\"server\":");
    ask_with(Config::builder().text(text).build().unwrap())
        .await
        .unwrap();
    assert_eq!(server.last_header("authorization").unwrap(), "Bearer last");
}

#[tokio::test]
async fn servers_without_a_scheme() {
    let authority = Authority::new("one");
    let server = Server::tls(&authority.sign(&["127.0.0.1"])).await;
    let notices = Notices::collect();
    let user = json!({"token": "planted"});
    for (field, value) in [
        (
            "certificate-authority-data",
            json!(BASE64_STANDARD.encode(&authority.pem)),
        ),
        ("insecure-skip-tls-verify", json!(true)),
    ] {
        let cluster = json!({"server": server.address.to_string(), field: value});
        let text = document(cluster, user.clone());
        ask_with(Config::builder().text(text).build().unwrap())
            .await
            .unwrap();
        assert_eq!(
            server.last_header("authorization").unwrap(),
            "Bearer planted"
        );
    }
    let me = authority.sign(&["me"]);
    let certificate = json!({
        "client-certificate-data": BASE64_STANDARD.encode(&me.chain),
        "client-key-data": BASE64_STANDARD.encode(&me.key),
    });
    let config = Config::builder()
        .text(document(json!({"server": "host:1"}), certificate))
        .build();
    assert_eq!(config.unwrap().server_url(), "https://host:1/");
    assert!(notices.take().is_empty());

    // Without a hint at TLS it is `http`, and like kubectl no credentials are sent.
    let plain = Server::plain().await;
    let cluster = json!({"server": plain.address.to_string()});
    let with = |user: Value| {
        let text = document(cluster.clone(), user);
        Config::builder().text(text).build().unwrap()
    };
    ask_with(with(user)).await.unwrap();
    assert_eq!(plain.last_header("authorization"), None);
    let reported = notices.take().join("\n");
    assert!(reported.contains("credentials are not sent"), "{reported}");
    // Without the impersonated user it would be a request of another user.
    ask_with(with(json!({"as": "jane"}))).await.unwrap();
    assert_eq!(plain.last_header("impersonate-user").unwrap(), "jane");
    let error = ask_with(with(json!({"as": "jane", "token": "planted"}))).await;
    let error = error.unwrap_err().to_string();
    assert!(error.contains("needed to impersonate a user"), "{error}");
}

#[test]
fn yaml_with_anchors_and_blocks() {
    let text = "current-context: a\ncontexts:\n- name: a\n  context: {cluster: c, namespace: 'null'}\n\
                old: &clusters\n- name: c\n  cluster:\n    server: |-\n      https://one.example\nclusters: *clusters\n\
                users: ~\n---\ncurrent-context: other\n";
    let config = Config::builder().text(text).build().unwrap();
    assert_eq!(config.server_url(), "https://one.example/");
    assert_eq!(config.namespace(), "null");
}

#[test]
fn a_kubeconfig_without_contexts_says_so() {
    let error = Config::builder().text("current-context: c").build();
    let error = error.unwrap_err().to_string();
    assert!(
        error.ends_with("the context `c` does not exist; there are no contexts"),
        "{error}"
    );
}
