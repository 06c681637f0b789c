//! A kubeconfig that points at a server.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use std::path::Path;

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

/// In YAML, with one context.
pub(crate) fn kubeconfig(
    url: &str,
    ca_pem: Option<&str>,
    credential: Option<Credential<'_>>,
) -> String {
    let authority = ca_pem.map_or_else(String::new, |pem| {
        format!(
            "\x20   certificate-authority-data: {}\n",
            STANDARD.encode(pem)
        )
    });
    // JSON strings are also YAML strings.
    let text = |text: &str| serde_json::Value::from(text);
    let user = match credential {
        Some(Credential::Token(token)) => format!("\n\x20   token: {}", text(token)),
        Some(Credential::File(file)) => {
            format!("\n\x20   tokenFile: {}", text(&file.to_string_lossy()))
        }
        None => " {}".to_owned(),
    };
    format!(
        "apiVersion: v1\n\
         kind: Config\n\
         clusters:\n\
         - name: embedded\n\
         \x20 cluster:\n\
         \x20   server: {url}\n\
         {authority}\
         users:\n\
         - name: embedded\n\
         \x20 user:{user}\n\
         contexts:\n\
         - name: embedded\n\
         \x20 context:\n\
         \x20   cluster: embedded\n\
         \x20   user: embedded\n\
         current-context: embedded\n"
    )
}
