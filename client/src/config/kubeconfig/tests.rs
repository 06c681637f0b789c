use super::yaml;
use crate::config::kubeconfig::*;

fn from_text(text: &str) -> Result<Config, ConfigError> {
    Config::builder().text(text).build()
}

const TEXT: &str = "
apiVersion: v1
kind: Config
current-context: here
contexts:
- name: here
  context: {cluster: c, user: u, namespace: team}
- name: broken
  context: {cluster: missing}
clusters:
- name: c
  cluster:
    server: https://127.0.0.1:6443
    certificate-authority-data: Y2VydGlmaWNhdGU=
users:
- name: u
  user:
    token: planted-secret
";

fn change(from: &str, to: &str) -> Result<Config, ConfigError> {
    assert!(TEXT.contains(from));
    from_text(&TEXT.replace(from, to))
}

#[test]
fn a_whole_one() {
    let config = from_text(TEXT).unwrap();
    assert_eq!(config.server_url(), "https://127.0.0.1:6443/");
    assert_eq!(config.namespace(), "team");
    let authority = config.certificates(None).unwrap().authority.unwrap();
    assert_eq!(authority.bytes[..], b"certificate"[..]);
    assert_eq!(
        config.authorization(None).unwrap().unwrap(),
        "Bearer planted-secret"
    );
    assert!(!format!("{config:?}").contains("planted-secret"));
}

#[test]
fn json_is_yaml() {
    let json = serde_json::to_string_pretty(&yaml::read(TEXT).unwrap()).unwrap();
    assert_eq!(from_text(&json).unwrap().namespace(), "team");
}

#[test]
fn faults_name_the_field() {
    for (from, to, expected) in [
        ("current-context: here", "", "current-context is not set"),
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
            "user: u,",
            "user: v,",
            "the user `v` does not exist; the context `here` refers to it",
        ),
        ("cluster: c,", "", "context `here`: cluster: is missing"),
        (
            "server: https://127.0.0.1:6443",
            "server: no where",
            "cluster `c`: server: the server is not a URL",
        ),
        (
            "Y2VydGlmaWNhdGU=",
            "a%b",
            "cluster `c`: certificate-authority-data: expected base64",
        ),
        (
            "token: planted-secret",
            "token: [planted-secret]",
            "user `u`: token: expected text",
        ),
        (
            "token: planted-secret",
            "token: 0123",
            "user `u`: token: expected text; put it in quotes",
        ),
        (
            "certificate-authority-data: Y2VydGlmaWNhdGU=",
            "insecure-skip-tls-verify: 'true'",
            "cluster `c`: insecure-skip-tls-verify: expected true or false",
        ),
        (
            "token: planted-secret",
            "token: [planted-secret",
            "kubeconfig text: not valid YAML: line ",
        ),
        (
            "token: planted-secret",
            "exec: {command: x}",
            "user `u`: exec: apiVersion: is missing",
        ),
        (
            "token: planted-secret",
            "client-key-data: YQ==",
            "user `u`: client-certificate: is missing",
        ),
    ] {
        let error = change(from, to).unwrap_err();
        assert!(error.to_string().contains(expected), "{expected}: {error}");
        assert!(!format!("{error} {error:?}").contains("planted-secret"));
    }
}

#[test]
fn plain_http_and_no_user() {
    let config = change("user: u,", "").unwrap();
    assert!(config.authorization(None).unwrap().is_none());
    assert!(change("https://127.0.0.1:6443", "http://127.0.0.1:1").is_ok());
}

#[test]
fn several_files_and_relative_paths() {
    let folder = env::temp_dir().join(format!("k8s-flowcontrol-kubeconfig-{}", std::process::id()));
    std::fs::create_dir_all(folder.join("sub")).unwrap();
    let (first, second) = (folder.join("first"), folder.join("sub").join("second"));
    std::fs::write(
        &first,
        "current-context: here\nusers:\n- name: u\n  user: {tokenFile: token}\n",
    )
    .unwrap();
    std::fs::write(folder.join("token"), " from-a-file\n").unwrap();
    std::fs::write(&second, TEXT).unwrap();
    let config = Config::builder()
        .files([folder.join("missing"), first, second])
        .build()
        .unwrap();
    assert_eq!(config.namespace(), "team");
    assert_eq!(
        config.authorization(None).unwrap().unwrap(),
        "Bearer from-a-file"
    );
    let missing = Config::builder()
        .file(folder.join("missing"))
        .build()
        .unwrap_err();
    assert!(missing.to_string().contains("missing"), "{missing}");
    std::fs::remove_dir_all(&folder).unwrap();
}
