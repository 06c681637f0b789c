//! The service account of a pod, in a mount namespace where this program sees its files.

use super::authorization;
use k8s_flowcontrol::config::Config;
use std::process::Command;

const FOLDER: &str = "/var/run/secrets/kubernetes.io/serviceaccount";

/// Runs the ignored test below as a pod with this folder; `None` on a machine that allows no such namespaces.
fn in_pod(host: &str, prepare: &str) -> Option<String> {
    let mount = "mount -t tmpfs tmpfs \"$(readlink -f /var/run)\"";
    let tried = Command::new("unshare")
        .args(["-rm", "sh", "-c", mount])
        .output();
    if !tried.is_ok_and(|output| output.status.success()) {
        eprintln!("not tested: this machine allows no mount namespaces");
        return None;
    }
    let script = format!("{mount} && mkdir -p {FOLDER} && {prepare} && exec \"$@\"");
    let mut command = Command::new("unshare");
    command.args(["-rm", "sh", "-c", &script, "sh"]);
    command.arg(std::env::current_exe().unwrap());
    command.args([
        "--exact",
        "credentials::pod::child",
        "--ignored",
        "--nocapture",
    ]);
    command.env("KUBERNETES_SERVICE_HOST", host);
    command.env("KUBERNETES_SERVICE_PORT", "6443");
    let output = command.output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{text}");
    Some(text)
}

#[test]
fn the_files_of_a_pod_and_their_rotation() {
    let file = |name: &str, text: &str| format!("printf '{text}' > {FOLDER}/{name}");
    let files = [
        file("ca.crt", "authority"),
        file("token", "first\\n"),
        file("namespace", "team\\n"),
    ];
    let all = files.join(" && ");
    for (host, url) in [
        ("10.0.0.1", "https://10.0.0.1:6443/"),
        ("fd00::1", "https://[fd00::1]:6443/"),
    ] {
        let Some(text) = in_pod(host, &all) else {
            return;
        };
        for expected in [
            format!("server {url}"),
            "namespace \"team\"".to_owned(),
            format!("authority {FOLDER}/ca.crt"),
            format!("token {FOLDER}/token"),
            "first Bearer first".to_owned(),
            "second Bearer second".to_owned(),
        ] {
            assert!(
                text.lines().any(|line| line == expected),
                "{expected}: {text}"
            );
        }
    }
    // No file is read without an end.
    let endless = format!("{all} && truncate -s 1T {FOLDER}/namespace");
    let text = in_pod("10.0.0.1", &endless).unwrap();
    let expected = "namespace \"default\"";
    assert!(text.lines().any(|line| line == expected), "{text}");
    for (files, missing) in [("true", "ca.crt"), (&*files[0], "token")] {
        let text = in_pod("10.0.0.1", files).unwrap();
        let expected = format!("{FOLDER}/{missing}");
        assert!(text.contains(&expected), "{expected}: {text}");
    }
}

#[tokio::test]
#[ignore = "run by the test above"]
async fn child() {
    let config = match Config::builder().in_cluster().build() {
        Ok(config) => config,
        Err(error) => return println!("{error}"),
    };
    println!("\nserver {}", config.server_url());
    println!("namespace {:?}", config.namespace());
    let exported = config.to_kubeconfig();
    let text = |pointer: &str| {
        exported
            .pointer(pointer)
            .unwrap()
            .as_str()
            .unwrap()
            .to_owned()
    };
    println!(
        "authority {}",
        text("/clusters/0/cluster/certificate-authority")
    );
    println!("token {}", text("/users/0/user/tokenFile"));
    for token in ["first", "second"] {
        std::fs::write(format!("{FOLDER}/token"), token).unwrap();
        let header = authorization(config.clone()).await.unwrap();
        println!("{token} {}", header.to_str().unwrap());
    }
}
