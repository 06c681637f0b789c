//! Configurations, and the servers that both libraries reach with them.

use k8s_flowcontrol::api::v1::FlowSchema;
use k8s_flowcontrol::client::RetryPolicy;
use k8s_flowcontrol::config::{BearerToken, Config, ExecPlugin, Impersonation, Secret};
use k8s_flowcontrol_kube::{Kube, config};
use k8s_flowcontrol_server::ApiServer;
use kube::api::{Api, ListParams};
use kube::config::{AuthInfo, ExecConfig, Kubeconfig};
use serde_json::json;
use std::time::Duration;

/// The number of FlowSchemas that kube and our client see.
async fn seen(kube: kube::Config, ours: Config) -> (usize, usize) {
    let api: Api<Kube<FlowSchema>> = Api::all(kube::Client::try_from(kube).unwrap());
    let client = k8s_flowcontrol::Client::new(ours).unwrap();
    let theirs = api.list(&ListParams::default()).await.unwrap();
    let ours = client.flow_schemas().list().await.unwrap();
    (theirs.items.len(), ours.items.len())
}

#[tokio::test]
async fn the_same_server() {
    let server = ApiServer::builder()
        .tls()
        .tokens("secret,alice,1,system:masters\n")
        .start()
        .await
        .unwrap();
    let text = server.kubeconfig();
    let kubeconfig = Kubeconfig::from_yaml(&text).unwrap();

    let ours = Config::builder()
        .kubeconfig_value(&kubeconfig)
        .build()
        .unwrap();
    let theirs = config::to_kube(&ours).unwrap();
    assert!(theirs.proxy_url.is_none());
    let (kube, direct) = seen(theirs.clone(), ours).await;
    assert!(kube > 0);
    assert_eq!(kube, direct);

    let ours = config::from_kube(&theirs).unwrap();
    assert_eq!(seen(theirs, ours).await, (kube, kube));
}

fn base() -> Config {
    Config::new("https://10.0.0.1:6443/prefix")
        .unwrap()
        .without_proxy()
}

#[test]
fn to_kube_and_back() {
    let jane = Impersonation::new("jane").group("a").extra("reason", "x");
    let plugin = ExecPlugin::new("aws")
        .args(["eks", "get-token"])
        .env("REGION", "north");
    let cluster_config = plugin
        .clone()
        .provide_cluster_info(true)
        .cluster_config(json!({"a": 1}));
    for config in [
        base().with_namespace("team").with_token(Secret::new("a")),
        base().with_basic_auth("me", Secret::new("a")),
        base().with_client_certificate("chain", Secret::new("key")),
        base()
            .with_insecure_skip_tls_verify(true)
            .with_compression(false),
        base().with_tls_server_name("other.example.com").unwrap(),
        base()
            .with_proxy("http://me:secret@10.0.0.2:3128/")
            .unwrap(),
        base().with_impersonation(jane).unwrap(),
        base().with_exec(plugin),
        base().with_exec(cluster_config),
        base().with_connect_timeout(Duration::from_secs(7)),
        base().with_retry_policy(RetryPolicy::none()),
    ] {
        let kube = config::to_kube(&config).unwrap();
        let again = config::from_kube(&kube).unwrap();
        assert_eq!(format!("{again:?}"), format!("{config:?}"));
        assert_eq!(again.to_kubeconfig(), config.to_kubeconfig());
    }
}

/// Without the error, kube's client would be anonymous.
#[test]
fn a_token_source_is_not_lost_silently() {
    let config = base().with_token_source(|| async {
        Ok::<_, std::io::Error>(BearerToken::new(Secret::new("a")))
    });
    let error = config::to_kube(&config).unwrap_err().to_string();
    assert!(error.contains("token source"), "{error}");
}

#[test]
fn an_authority_in_a_file_rotates() {
    let file =
        std::env::temp_dir().join(format!("k8s-flowcontrol-kube-{}.pem", std::process::id()));
    let certificate = "-----BEGIN CERTIFICATE-----\nYQ==\n-----END CERTIFICATE-----\n";
    std::fs::write(&file, certificate).unwrap();
    let kube = config::to_kube(&base().with_certificate_authority_file(&file)).unwrap();
    assert_eq!(kube.root_cert_file.as_deref(), Some(&*file));
    let again = config::from_kube(&kube).unwrap();
    assert_eq!(
        again.to_kubeconfig()["clusters"][0]["cluster"]["certificate-authority"],
        file.to_str().unwrap()
    );
    std::fs::remove_file(file).unwrap();
}

#[test]
fn credentials_as_kube_chooses_them() {
    let user = |user: AuthInfo| {
        let mut kube = kube::Config::new("https://10.0.0.1".parse().unwrap());
        kube.auth_info = user;
        let mut kubeconfig = config::from_kube(&kube).unwrap().to_kubeconfig();
        kubeconfig["users"][0]["user"].take()
    };
    let exec = ExecConfig {
        api_version: Some("client.authentication.k8s.io/v1".into()),
        command: Some("aws".into()),
        ..ExecConfig::default()
    };
    let mut all = AuthInfo {
        username: Some("me".into()),
        password: Some("p".to_owned().into()),
        token: Some("t".to_owned().into()),
        token_file: Some("/no/such/file".into()),
        exec: Some(exec),
        ..AuthInfo::default()
    };
    assert_eq!(
        user(all.clone()),
        json!({"username": "me", "password": "p"})
    );
    all.password = None;
    assert_eq!(user(all.clone()), json!({"token": "t"}));
    all.token = None;
    all.token_file = None;
    assert_eq!(user(all)["exec"]["interactiveMode"], "IfAvailable");
}

#[test]
fn an_empty_authority_trusts_nobody() {
    let mut kube = kube::Config::new("https://10.0.0.1".parse().unwrap());
    kube.root_cert = Some(Vec::new());
    let config = config::from_kube(&kube).unwrap();
    let cluster = &config.to_kubeconfig()["clusters"][0]["cluster"];
    assert!(
        cluster.get("certificate-authority-data").is_some(),
        "{cluster}"
    );
}

#[test]
fn settings_that_cannot_be_converted() {
    let base = || kube::Config::new("https://10.0.0.1".parse().unwrap());
    let mut kube = base();
    kube.headers
        .push(("x".parse().unwrap(), "planted-secret".parse().unwrap()));
    let error = config::from_kube(&kube).unwrap_err();
    assert!(error.to_string().contains("headers"), "{error}");
    assert!(!format!("{error} {error:?}").contains("planted-secret"));

    let mut kube = base();
    kube.auth_info.exec = Some(ExecConfig {
        drop_env: Some(vec!["A".into()]),
        ..ExecConfig::default()
    });
    assert!(
        config::from_kube(&kube)
            .unwrap_err()
            .to_string()
            .contains("drop_env")
    );
}
