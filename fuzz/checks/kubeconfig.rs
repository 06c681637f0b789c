//! The kubeconfig: a configuration or an error, the same each time, and no secret in either.

use k8s_flowcontrol::config::Config;
use k8s_flowcontrol_text::{parse_yaml, to_value};
use serde_json::Value;

/// The fields whose text must not be shown.
const SECRETS: [&str; 3] = ["token", "password", "client-key-data"];

pub(crate) fn check(text: &[u8]) {
    // A token file is read when the configuration is loaded.
    let Some(text) = std::str::from_utf8(text)
        .ok()
        .filter(|text| !text.contains("File"))
    else {
        return;
    };
    let shown = show(text);
    assert_eq!(show(text), shown);
    for secret in secrets(text) {
        // A secret that stands elsewhere too is shown by that place.
        let is_unique = text.matches(&secret).count() == 1;
        assert!(
            !is_unique || !shown.contains(&secret),
            "{secret:?} is shown: {shown}"
        );
    }
}

fn show(text: &str) -> String {
    match Config::builder().text(text).build() {
        Ok(config) => format!("{config:?}"),
        Err(error) => {
            let shown = error.to_string();
            assert!(!shown.is_empty());
            format!("{shown} {error:?}")
        }
    }
}

/// The secrets of all users that are too long to occur elsewhere by chance.
fn secrets(text: &str) -> Vec<String> {
    let value = parse_yaml(text.as_bytes())
        .ok()
        .and_then(|yaml| to_value(yaml.tree.root()).ok());
    let users = value
        .as_ref()
        .and_then(|value| value.get("users")?.as_array());
    let users = users
        .into_iter()
        .flatten()
        .filter_map(|user| user.get("user"));
    let fields = users.flat_map(|user| SECRETS.iter().filter_map(|name| user.get(*name)));
    let texts = fields.filter_map(Value::as_str);
    texts
        .filter(|secret| secret.len() >= 12)
        .map(str::to_owned)
        .collect()
}
