//! Configurations as kubeconfigs, and back.

use crate::config::support::Folder;
use k8s_flowcontrol::config::{
    Config, ExecPlugin, ExecVersion, Impersonation, InteractiveMode, Secret,
};
use serde_json::json;

fn base() -> Config {
    Config::new("https://10.0.0.1:6443/prefix").unwrap()
}

/// Checks that nothing is lost on the way to a kubeconfig and back.
fn keeps(config: Config) {
    let kubeconfig = config.to_kubeconfig();
    let again = Config::builder()
        .kubeconfig_value(&kubeconfig)
        .build()
        .unwrap();
    assert_eq!(again.to_kubeconfig(), kubeconfig);
    assert_eq!(format!("{again:?}"), format!("{config:?}"));
}

#[test]
fn clusters() {
    keeps(base().with_namespace("team"));
    keeps(
        base()
            .with_certificate_authority("authority")
            .with_compression(false),
    );
    keeps(base().with_insecure_skip_tls_verify(true));
    keeps(base().with_tls_server_name("other.example.com").unwrap());
    keeps(
        base()
            .with_proxy("socks5://me:secret@10.0.0.2:1080")
            .unwrap(),
    );
}

#[test]
fn users() {
    keeps(base().with_token(Secret::new("a")));
    keeps(base().with_basic_auth("me", Secret::new("a")));
    keeps(base().with_client_certificate("chain", Secret::new("key")));
    let jane = Impersonation::new("jane").uid("1").group("a").group("b");
    let jane = jane
        .extra("example.com/some key", "x")
        .extra("other", "y")
        .extra("other", "z");
    keeps(base().with_impersonation(jane).unwrap());
    let plugin = ExecPlugin::new("aws")
        .args(["eks", "get-token"])
        .env("REGION", "north")
        .version(ExecVersion::V1Beta1)
        .interactive_mode(InteractiveMode::IfAvailable)
        .install_hint("install it")
        .provide_cluster_info(true)
        .cluster_config(json!({"audience": "a"}));
    keeps(base().with_exec(plugin));
}

#[test]
fn files() {
    let folder = Folder::new();
    let file = folder.write("file", "content");
    let config = base()
        .with_token_file(&file)
        .with_certificate_authority_file(&file)
        .with_client_certificate_files(&file, &file);
    let kubeconfig = config.to_kubeconfig();
    assert_eq!(
        kubeconfig["users"][0]["user"]["tokenFile"],
        file.to_str().unwrap()
    );
    keeps(config);
    let relative = base().with_token_file("token").to_kubeconfig();
    let here = std::env::current_dir().unwrap().join("token");
    assert_eq!(
        relative["users"][0]["user"]["tokenFile"],
        here.to_str().unwrap()
    );
}
