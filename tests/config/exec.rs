//! Credential plugins: scripts that print a file and count their runs.

use crate::config::support::{
    Answer, Authority, Folder, Request, Server, ask, ask_together, found,
};
use k8s_flowcontrol::Client;
use k8s_flowcontrol::config::{Config, ExecPlugin, ExecVersion, InteractiveMode};
use serde_json::{Value, json};
use std::time::Duration;

/// A plugin that prints the file `answer` of its folder.
pub(crate) fn plugin(folder: &Folder) -> ExecPlugin {
    let body = "cd \"$(dirname \"$0\")\" && echo run >> runs && printf %s \"$KUBERNETES_EXEC_INFO\" > info && cat answer";
    let script = folder.script("plugin", body);
    ExecPlugin::new(script)
}

pub(crate) fn runs(folder: &Folder) -> usize {
    folder.read("runs").lines().count()
}

/// The output of a plugin, in v1.
pub(crate) fn credential(status: Value) -> String {
    credential_in("v1", status)
}

fn credential_in(version: &str, status: Value) -> String {
    let version = format!("client.authentication.k8s.io/{version}");
    json!({"apiVersion": version, "kind": "ExecCredential", "status": status}).to_string()
}

pub(crate) fn client(server: &Server, plugin: ExecPlugin) -> Client {
    Client::new(server.config().with_exec(plugin)).unwrap()
}

/// Accepts a single token.
pub(crate) fn only(token: &'static str) -> impl Fn(&Request) -> Answer {
    move |request| match request.header("authorization") {
        Some(value) if value == format!("Bearer {token}") => found(request),
        _ => ("401 Unauthorized", String::new()),
    }
}

#[tokio::test]
async fn a_token_is_used_until_it_expires() {
    let folder = Folder::new();
    let server = Server::secure().await;
    // The other times mean "never".
    let times = [
        "2999-01-01T00:00:00Z",
        "9999-12-31T23:59:59Z",
        "0001-01-01T00:00:00Z",
    ];
    for (index, time) in times.into_iter().enumerate() {
        let client = client(&server, plugin(&folder));
        let far = json!({"token": "far", "expirationTimestamp": time});
        folder.write("answer", credential(far));
        for _ in 0..3 {
            ask(&client).await.unwrap();
            assert_eq!(server.last_header("authorization").unwrap(), "Bearer far");
        }
        assert_eq!(runs(&folder), index + 1, "{time}");
    }
}

#[tokio::test]
async fn the_kind_of_the_output_is_optional() {
    let folder = Folder::new();
    let server = Server::secure().await;
    let version = "client.authentication.k8s.io/v1";
    let output = json!({"apiVersion": version, "status": {"token": "far"}});
    folder.write("answer", output.to_string());
    ask(&client(&server, plugin(&folder))).await.unwrap();
    assert_eq!(server.last_header("authorization").unwrap(), "Bearer far");
}

#[tokio::test]
async fn an_expired_token_is_renewed() {
    let folder = Folder::new();
    let server = Server::secure().await;
    let client = client(&server, plugin(&folder));
    let past = json!({"token": "one", "expirationTimestamp": "2001-01-01T00:00:00Z"});
    folder.write("answer", credential(past));
    ask(&client).await.unwrap();
    folder.write("answer", credential(json!({"token": "two"})));
    for _ in 0..2 {
        ask(&client).await.unwrap();
        assert_eq!(server.last_header("authorization").unwrap(), "Bearer two");
    }
    assert_eq!(runs(&folder), 2, "a credential without expiry is kept");
}

#[tokio::test]
async fn a_401_runs_it_again_once() {
    let folder = Folder::new();
    let server = Server::answering(only("new")).await;
    let client = client(&server, plugin(&folder));
    folder.write("answer", credential(json!({"token": "old"})));
    let error = ask(&client).await.unwrap_err();
    assert!(error.is_unauthorized());
    // The same token would be rejected again.
    assert_eq!((runs(&folder), server.requests().len()), (2, 1));
    folder.write("answer", credential(json!({"token": "new"})));
    ask(&client).await.unwrap();
    assert_eq!((runs(&folder), server.requests().len()), (3, 3));
    ask(&client).await.unwrap();
    assert_eq!((runs(&folder), server.requests().len()), (3, 4));
}

#[tokio::test(flavor = "multi_thread")]
async fn requests_share_one_run() {
    let folder = Folder::new();
    let server = Server::secure().await;
    let client = client(&server, plugin(&folder));
    folder.write("answer", credential(json!({"token": "t"})));
    ask_together(&client, 20).await;
    assert_eq!((runs(&folder), server.requests().len()), (1, 20));
}

#[tokio::test]
async fn arguments_variables_and_versions() {
    let folder = Folder::new();
    let server = Server::secure().await;
    let body = r#"cat <<END
{"apiVersion": "client.authentication.k8s.io/v1beta1", "kind": "ExecCredential", "status": {"token": "$1-$2-$WORD-$KEPT"}}
END"#;
    let plugin = ExecPlugin::new(folder.script("plugin", body))
        .args(["a", "b"])
        .env("WORD", "w")
        .env("KEPT", "k")
        .version(ExecVersion::V1Beta1);
    ask(&client(&server, plugin.clone())).await.unwrap();
    assert_eq!(
        server.last_header("authorization").unwrap(),
        "Bearer a-b-w-k"
    );
    let error = ask(&client(&server, plugin.version(ExecVersion::V1)))
        .await
        .unwrap_err();
    assert!(
        error
            .to_string()
            .contains("client.authentication.k8s.io/v1`"),
        "{error}"
    );
}

#[tokio::test]
async fn a_plugin_of_path() {
    let server = Server::secure().await;
    let answer = credential(json!({"token": "found"}));
    let plugin = ExecPlugin::new("printf").args(["%s", &answer]);
    // A PATH of the plugin's own is not searched.
    let elsewhere = plugin.clone().env("PATH", "/no/such/folder");
    for plugin in [plugin, elsewhere] {
        ask(&client(&server, plugin)).await.unwrap();
        assert_eq!(server.last_header("authorization").unwrap(), "Bearer found");
    }
    let missing = ExecPlugin::new("no-such-program").env("PATH", "/bin");
    let error = ask(&client(&server, missing)).await.unwrap_err();
    let text = error.to_string();
    assert!(text.contains("was not found"), "{text}");
    // There is a client, and nothing was sent.
    assert!(
        text.contains(": the credentials or certificates cannot be used: "),
        "{text}"
    );
    assert_eq!(error.attempts(), 0);
}

#[tokio::test]
async fn a_client_certificate_from_a_plugin() {
    let folder = Folder::new();
    let authority = Authority::new("one");
    let server = Server::mutual(&authority.sign(&["127.0.0.1"]), &authority).await;
    let config = Config::new(server.url())
        .unwrap()
        .with_certificate_authority(authority.pem.clone())
        .with_exec(plugin(&folder));
    let client = Client::new(config).unwrap();
    let mut shown = Vec::new();
    for name in ["one", "two"] {
        let identity = authority.sign(&[name]);
        let status = json!({
            "clientCertificateData": identity.chain,
            "clientKeyData": identity.key,
            "expirationTimestamp": "2001-01-01T00:00:00Z",
        });
        folder.write("answer", credential(status));
        ask(&client).await.unwrap();
        let request = server.requests().pop().unwrap();
        assert_eq!(request.header("authorization"), None);
        shown.push((request.connection, request.certificate.unwrap()));
    }
    assert_ne!(
        shown[0].0, shown[1].0,
        "a new certificate needs a new connection"
    );
    assert_ne!(shown[0].1, shown[1].1);
}

#[tokio::test]
async fn plugins_get_the_cluster() {
    let folder = Folder::new();
    let authority = Authority::new("one");
    let server = Server::tls(&authority.sign(&["api.example"])).await;
    folder.write("answer", credential(json!({"token": "t"})));
    let told = || serde_json::from_str::<Value>(&folder.read("info")).unwrap();
    let base = Config::new(server.url())
        .unwrap()
        .with_tls_server_name("api.example")
        .unwrap();

    let trusting = base
        .clone()
        .with_certificate_authority(authority.pem.clone());
    let config = trusting.clone().with_exec(plugin(&folder));
    ask(&Client::new(config).unwrap()).await.unwrap();
    assert_eq!(
        told(),
        json!({
            "apiVersion": "client.authentication.k8s.io/v1",
            "kind": "ExecCredential",
            "spec": {"interactive": false},
        })
    );

    let informed = plugin(&folder)
        .provide_cluster_info(true)
        .cluster_config(json!({"audience": "a"}));
    let config = trusting.with_exec(informed.clone()).with_compression(false);
    ask(&Client::new(config).unwrap()).await.unwrap();
    let cluster = &told()["spec"]["cluster"];
    assert_eq!(cluster["server"], server.url());
    assert_eq!(cluster["tls-server-name"], "api.example");
    assert_eq!(cluster["config"], json!({"audience": "a"}));
    assert_eq!(cluster["disable-compression"], true);
    let authority = cluster["certificate-authority-data"].as_str().unwrap();
    assert!(
        authority.starts_with("LS0tLS1CRUdJTi"),
        "PEM in base64: {authority}"
    );

    // Without an authority the plugin gets none.
    let config = base.with_insecure_skip_tls_verify(true).with_exec(informed);
    ask(&Client::new(config).unwrap()).await.unwrap();
    let cluster = &told()["spec"]["cluster"];
    assert_eq!(cluster["insecure-skip-tls-verify"], true);
    assert!(cluster.get("certificate-authority-data").is_none());
}

#[tokio::test]
async fn a_plugin_that_hangs_is_stopped() {
    let folder = Folder::new();
    let server = Server::secure().await;
    // `exec` replaces the shell by the command, which is then the process to kill.
    let script = folder.script(
        "hanging",
        "echo $$ > \"$(dirname \"$0\")/pid\"; exec sleep 600",
    );
    let hanging = ExecPlugin::new(script);
    let short = hanging.clone().timeout(Duration::from_millis(200));
    let error = ask(&client(&server, short)).await.unwrap_err().to_string();
    assert!(error.contains("did not finish within 0.2 s"), "{error}");

    // Dropping a request kills its plugin.
    let path = folder.path("pid");
    let _ = std::fs::remove_file(&path);
    let task = crate::spawn({
        let client = client(&server, hanging);
        async move { ask(&client).await }
    });
    let pid = line_of(&path).await;
    task.abort();
    assert!(task.await.unwrap_err().is_cancelled());
    ended(&pid).await;
}

/// Polls until the file has a whole line.
pub(crate) async fn line_of(file: &std::path::Path) -> String {
    loop {
        let text = std::fs::read_to_string(file).unwrap_or_default();
        if text.ends_with('\n') {
            return text.trim().to_owned();
        }
        tokio::task::yield_now().await;
    }
}

/// Polls until a process has ended.
pub(crate) async fn ended(pid: &str) {
    let process = std::path::PathBuf::from(format!("/proc/{pid}/cmdline"));
    // A killed process keeps an empty command line until its parent waits for it.
    while std::fs::read(&process).is_ok_and(|line| !line.is_empty()) {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn nobody_is_asked_where_nobody_sits() {
    use std::io::IsTerminal;
    if std::io::stdin().is_terminal() {
        return;
    }
    let folder = Folder::new();
    let server = Server::secure().await;
    // The standard input is empty.
    let body = "cat > /dev/null; cd \"$(dirname \"$0\")\" && printf %s \"$KUBERNETES_EXEC_INFO\" > info && cat answer";
    let plugin = ExecPlugin::new(folder.script("plugin", body));
    folder.write("answer", credential(json!({"token": "t"})));
    for mode in [InteractiveMode::Never, InteractiveMode::IfAvailable] {
        ask(&client(&server, plugin.clone().interactive_mode(mode)))
            .await
            .unwrap();
        let told: Value = serde_json::from_str(&folder.read("info")).unwrap();
        assert_eq!(told["spec"]["interactive"], false);
    }
    let always = plugin.interactive_mode(InteractiveMode::Always);
    let error = ask(&client(&server, always)).await.unwrap_err().to_string();
    assert!(error.contains("not a terminal"), "{error}");
}
