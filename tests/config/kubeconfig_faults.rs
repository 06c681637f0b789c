//! Faults in a kubeconfig, and their places.

use crate::config::kubeconfig::document;
use k8s_flowcontrol::config::Config;
use serde_json::{Value, json};

fn fault(cluster: Value, user: Value) -> String {
    let error = Config::builder()
        .text(document(cluster, user))
        .build()
        .unwrap_err();
    let shown = format!("{error} {error:?}");
    assert!(!shown.contains("planted"), "{shown}");
    assert!(shown.contains("kubeconfig text"), "{shown}");
    error.to_string()
}

#[test]
fn faults_name_the_field() {
    let https = || json!({"server": "https://127.0.0.1:1"});
    let cluster = |field: &str, value: Value| {
        let mut cluster = https();
        cluster[field] = value;
        fault(cluster, json!({}))
    };
    let place = "context `here`: cluster `c`";
    for (field, value, expected) in [
        ("server", json!("no where"), "not a URL"),
        (
            "server",
            json!("https://me:planted@a"),
            "user name or password",
        ),
        ("proxy-url", json!("ftp://me:planted@a"), "scheme `ftp`"),
        ("proxy-url", json!("http://me:planted@:1"), "host"),
        ("tls-server-name", json!("a b"), "not a server name"),
        (
            "certificate-authority-data",
            json!("a%b"),
            "expected base64",
        ),
        (
            "certificate-authority",
            json!("/no/such/file"),
            "cannot be read",
        ),
        (
            "disable-compression",
            json!("yes"),
            "expected true or false",
        ),
    ] {
        let error = cluster(field, value);
        assert!(error.contains(&format!("{place}: {field}: ")), "{error}");
        assert!(error.contains(expected), "{error}");
    }
    let both = json!({"server": "https://a", "insecure-skip-tls-verify": true,
                      "certificate-authority-data": "YQ=="});
    assert!(fault(both, json!({})).contains("insecure-skip-tls-verify: cannot be combined with"));

    let exec = |field: &str, value: Value| {
        let mut exec = json!({
            "apiVersion": "client.authentication.k8s.io/v1", "command": "x", "interactiveMode": "Never",
        });
        exec[field] = value;
        json!({"exec": exec})
    };
    for (user, expected) in [
        (
            json!({"auth-provider": {"name": "gcp", "config": {"access-token": "planted"}}}),
            "auth-provider: `gcp` was removed in Kubernetes 1.26",
        ),
        (
            json!({"auth-provider": {"name": "oidc", "config": {"id-token": "planted"}}}),
            "auth-provider: `oidc` is not supported; use an exec plugin such as kubelogin",
        ),
        (
            json!({"token": "planted", "username": "me"}),
            "username: cannot be combined with a token",
        ),
        (
            json!({"token": "planted\u{1}"}),
            "token: the token contains characters",
        ),
        (json!({"password": "planted"}), "username: is missing"),
        (
            json!({"client-certificate-data": "YQ=="}),
            "client-key: is missing",
        ),
        (
            json!({"tokenFile": "/no/such/file"}),
            "tokenFile: the file /no/such/file cannot be read",
        ),
        (json!({"as-uid": "1"}), "as-uid: requires `as`"),
        (json!({"as-groups": ["a"]}), "as-groups: requires `as`"),
        (
            json!({"as-user-extra": {"a": ["b"]}}),
            "as-user-extra: requires `as`",
        ),
        (json!({"as": "a\nb"}), "as: the value"),
        (json!({"exec": "x"}), "exec: expected a map"),
        (exec("command", json!(null)), "exec: command: is missing"),
        (
            exec("args", json!(["a", 1])),
            "exec: args: expected a list of texts",
        ),
        (
            exec("env", json!([{"name": "planted", "value": 1}])),
            "exec: env: expected",
        ),
        (
            exec("interactiveMode", json!("Sometimes")),
            "exec: interactiveMode: `Sometimes`",
        ),
        (
            exec("interactiveMode", json!(null)),
            "exec: interactiveMode: is missing",
        ),
        (
            exec("apiVersion", json!("client.authentication.k8s.io/v1alpha1")),
            "v1alpha1` is not supported",
        ),
    ] {
        let error = fault(https(), user);
        assert!(error.contains("context `here`: user `u`"), "{error}");
        assert!(error.contains(expected), "{expected}: {error}");
    }
    let text = document(https(), json!({})).replace("\"users\":[", "\"users\":[{\"name\":\"u\"},");
    let error = Config::builder()
        .text(text)
        .build()
        .unwrap_err()
        .to_string();
    assert!(error.contains("users: `u` occurs twice"), "{error}");
    assert!(fault(json!({"server": "host:1/prefix"}), json!({})).contains("a path but no scheme"));
}

#[test]
fn faults_name_what_is_missing() {
    const TEXT: &str = "current-context: here\ncontexts:\n- {name: here, context: {cluster: c, user: u}}\n\
                        - {name: broken, context: {cluster: missing}}\n\
                        clusters: [{name: c, cluster: {server: 'https://a', insecure-skip-tls-verify: true}}]\n\
                        users: [{name: u, user: {token: planted}}]\n";
    assert!(Config::builder().text(TEXT).build().is_ok());
    for (from, to, expected) in [
        ("current-context: here", "", "current-context is not set"),
        (
            "current-context: here",
            "kind: Pod",
            "it is another kind of object: expected `kind: Config`",
        ),
        (
            "current-context: here",
            "current-context: x",
            "the context `x` does not exist",
        ),
        (
            "current-context: here",
            "current-context: broken",
            "the cluster `missing` does not exist; the context `broken` refers to it",
        ),
        (
            "user: u}",
            "user: v}",
            "the user `v` does not exist; the context `here` refers to it",
        ),
        (
            "cluster: c, user",
            "user",
            "context `here`: cluster: is missing",
        ),
        (
            "token: planted",
            "token: [planted]",
            "user `u`: token: expected text",
        ),
        (
            "token: planted",
            "token: 0123",
            "user `u`: token: expected text; put it in quotes",
        ),
        (
            "verify: true",
            "verify: 'true'",
            "cluster `c`: insecure-skip-tls-verify: expected true or false",
        ),
        (
            "token: planted",
            "exec: {command: x}",
            "user `u`: exec: apiVersion: is missing",
        ),
        // YAML: the line, and nothing of its content.
        (
            "token: planted",
            "token: [planted",
            "kubeconfig text: not valid YAML: line ",
        ),
        (
            "current-context: here",
            "a:\n- b\n  c: d: e",
            "not valid YAML: line 3: ",
        ),
        (
            "current-context: here",
            "a: 1\nb: \u{1}",
            "not valid YAML: line 2: ",
        ),
        ("token: planted", "token: *planted", "not valid YAML: "),
        ("token: planted", "token: !!int planted", ""),
        ("token: planted", "token: &planted [*planted]", ""),
        ("current-context: here", &"[".repeat(100_000), ""),
        (
            "current-context: here",
            &format!("a: {}{}", "[".repeat(1000), "]".repeat(1000)),
            "",
        ),
    ] {
        assert!(TEXT.contains(from), "{from}");
        let error = Config::builder()
            .text(TEXT.replace(from, to))
            .build()
            .unwrap_err();
        let shown = format!("{error} {error:?}");
        assert!(error.to_string().contains(expected), "{expected}: {error}");
        assert!(!shown.contains("planted"), "{shown}");
    }
}
