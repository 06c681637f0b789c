//! A kubeconfig that points at a server.

use crate::auth::Tokens;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;
use std::path::Path;

/// The cluster, and the user and the context that are the current ones.
const NAME: &str = "embedded";

/// The credential of a user.
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
    let authority = ca_pem.map_or_else(String::new, |pem| {
        format!(
            "\x20   certificate-authority-data: {}\n",
            STANDARD.encode(pem)
        )
    });
    let mut text = format!(
        "apiVersion: v1\n\
         kind: Config\n\
         clusters:\n\
         - name: {NAME}\n\
         \x20 cluster:\n\
         \x20   server: {url}\n\
         {authority}"
    );
    let mut users = vec![(NAME, credential)];
    for (name, token) in tokens.into_iter().flat_map(Tokens::named) {
        // Names are unique; the last token of a user counts.
        users.retain(|(known, _)| *known != name);
        users.push((name, Some(Credential::Token(token))));
    }
    text.push_str("users:\n");
    for (name, credential) in &users {
        text.push_str(&user(name, *credential));
    }
    text.push_str("contexts:\n");
    for (name, _) in &users {
        let name = quoted(name);
        text.push_str(&format!(
            "- name: {name}\n\
             \x20 context:\n\
             \x20   cluster: {NAME}\n\
             \x20   user: {name}\n"
        ));
    }
    text.push_str(&format!("current-context: {NAME}\n"));
    text
}

fn user(name: &str, credential: Option<Credential<'_>>) -> String {
    let credential = match credential {
        Some(Credential::Token(token)) => format!("\n\x20   token: {}", quoted(token)),
        Some(Credential::File(file)) => {
            format!("\n\x20   tokenFile: {}", quoted(&file.to_string_lossy()))
        }
        None => " {}".to_owned(),
    };
    format!("- name: {}\n\x20 user:{credential}\n", quoted(name))
}

/// JSON strings are also YAML strings.
fn quoted(text: &str) -> Value {
    Value::from(text)
}
