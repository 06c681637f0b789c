//! A kubeconfig that points at a server.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

/// In YAML, with one context.
pub(crate) fn kubeconfig(url: &str, ca_pem: Option<&str>, token: Option<&str>) -> String {
    let authority = ca_pem.map_or_else(String::new, |pem| {
        format!(
            "\x20   certificate-authority-data: {}\n",
            STANDARD.encode(pem)
        )
    });
    let user = match token {
        // JSON strings are also YAML strings.
        Some(token) => format!("\n\x20   token: {}", serde_json::Value::from(token)),
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
