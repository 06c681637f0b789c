//! A kubeconfig that points at a server.

use crate::auth::Tokens;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use k8s_flowcontrol_text::to_yaml;
use serde_json::{Value, json};
use std::path::Path;

/// The cluster, and the user and the context that are the current ones.
const NAME: &str = "embedded";

#[derive(Clone, Copy)]
pub(crate) enum Credential<'a> {
    Token(&'a str),
    #[cfg_attr(
        not(feature = "tls"),
        expect(dead_code, reason = "only tokens of torture expire")
    )]
    File(&'a Path),
}

/// In YAML, with a context for the credential, which is the current one, and one for each user of the tokens.
pub(crate) fn kubeconfig(
    url: &str,
    ca_pem: Option<&str>,
    credential: Option<Credential<'_>>,
    tokens: Option<&Tokens>,
) -> String {
    let mut cluster = json!({"server": url});
    if let Some(pem) = ca_pem {
        cluster["certificate-authority-data"] = STANDARD.encode(pem).into();
    }
    let mut users = vec![(NAME, credential)];
    for (name, token) in tokens.into_iter().flat_map(Tokens::named) {
        // The current context is not replaced.
        if name == NAME {
            continue;
        }
        // Names are unique; the last token of a user counts.
        users.retain(|(known, _)| *known != name);
        users.push((name, Some(Credential::Token(token))));
    }
    let context = |name: &str| json!({"name": name, "context": {"cluster": NAME, "user": name}});
    let contexts: Vec<_> = users.iter().map(|(name, _)| context(name)).collect();
    let users: Vec<_> = users
        .iter()
        .map(|(name, credential)| json!({"name": name, "user": user(*credential)}))
        .collect();
    to_yaml(&json!({
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": NAME, "cluster": cluster}],
        "users": users,
        "contexts": contexts,
        "current-context": NAME,
    }))
}

fn user(credential: Option<Credential<'_>>) -> Value {
    match credential {
        Some(Credential::Token(token)) => json!({"token": token}),
        Some(Credential::File(file)) => json!({"tokenFile": file.to_string_lossy()}),
        None => json!({}),
    }
}
