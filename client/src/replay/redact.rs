//! Removing secrets from bodies.

use super::value;
use crate::meta::LAST_APPLIED_ANNOTATION;
use serde_json::Value;

const REDACTED: &str = "REDACTED";
/// The same in base64, as the data of a `Secret` is.
const REDACTED_BASE64: &str = "UkVEQUNURUQ=";
/// The fields of a status or spec with credentials.
const CREDENTIALS: [&str; 3] = ["token", "clientKeyData", "clientCertificateData"];
/// A text without these words contains no object that is redacted.
const KINDS: [&str; 4] = ["Secret", "TokenRequest", "TokenReview", "ExecCredential"];

/// The secrets of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Secrets {
    /// None, unless the object's kind has some.
    OfKind,
    /// Data, as in a `Secret`.
    Data,
    /// Tokens, as in a `TokenRequest`.
    Token,
}

impl Secrets {
    /// The secrets of the resource in a path. Patches and protocol buffers have no `kind`.
    pub(super) fn of_path(path: &str) -> Self {
        let mut segments = path.split('/').rev();
        match segments.next() {
            Some("token" | "tokenreviews") => Self::Token,
            last if last == Some("secrets") || segments.any(|segment| segment == "secrets") => {
                Self::Data
            }
            _ => Self::OfKind,
        }
    }

    /// The body without secrets; `None` if it contains no secret.
    pub(super) fn redacted(self, body: &[u8]) -> Option<Vec<u8>> {
        if self == Self::OfKind && !names_a_kind(body) {
            return None;
        }
        match value::read(body) {
            Ok(mut value) => redact(&mut value, self).then(|| value.to_string().into_bytes()),
            Err(_) => (self.may_be_in(body) && !body.is_empty()).then(Vec::new),
        }
    }

    /// Whether a body that cannot be read may contain secrets.
    pub(super) fn may_be_in(self, body: &[u8]) -> bool {
        let is_json = matches!(body.trim_ascii_start().first(), Some(b'{' | b'['));
        self != Self::OfKind || is_json && names_a_kind(body)
    }
}

fn names_a_kind(body: &[u8]) -> bool {
    // An escape could hide a letter of the kind.
    let text = String::from_utf8_lossy(body);
    text.contains("\\u") || KINDS.iter().any(|kind| text.contains(kind))
}

/// Replaces secrets. Returns whether there were some.
fn redact(value: &mut Value, secrets: Secrets) -> bool {
    match value {
        Value::Object(fields) => {
            let kind = fields.get("kind").and_then(Value::as_str);
            let secrets = match kind {
                Some("Secret" | "SecretList") => Secrets::Data,
                Some("TokenRequest" | "TokenReview" | "ExecCredential") => Secrets::Token,
                Some("Status") => Secrets::OfKind,
                _ => secrets,
            };
            let mut changed = false;
            for (name, field) in fields.iter_mut() {
                changed |= match (secrets, name.as_str()) {
                    (Secrets::Data, "data") => replace_all(field, REDACTED_BASE64),
                    (Secrets::Data, "stringData") => replace_all(field, REDACTED),
                    (Secrets::Data, "metadata") => without_last_applied(field),
                    (Secrets::Token, "spec" | "status") => {
                        let found = CREDENTIALS.map(|name| match field.get_mut(name) {
                            Some(credential) => replace_all(credential, REDACTED),
                            None => false,
                        });
                        found.contains(&true)
                    }
                    (_, "items" | "object") => redact(field, secrets),
                    _ => redact(field, Secrets::OfKind),
                };
            }
            changed
        }
        Value::Array(items) => {
            let mut changed = false;
            for item in items {
                // An operation of a JSON patch.
                changed |= match (secrets, item.get("op").is_some(), item.get_mut("value")) {
                    (Secrets::Data | Secrets::Token, true, Some(value)) => {
                        replace_all(value, REDACTED)
                    }
                    _ => redact(item, secrets),
                };
            }
            changed
        }
        _ => false,
    }
}

/// Replaces all values except `null`. Returns whether there were some.
fn replace_all(value: &mut Value, text: &str) -> bool {
    match value {
        Value::Null => false,
        Value::Object(fields) => {
            let changed = fields.values_mut().map(|field| replace_all(field, text));
            changed.fold(false, |any, changed| any | changed)
        }
        Value::Array(items) => {
            let changed = items.iter_mut().map(|item| replace_all(item, text));
            changed.fold(false, |any, changed| any | changed)
        }
        _ => {
            *value = Value::String(text.to_owned());
            true
        }
    }
}

/// Removes the annotation that repeats the data.
fn without_last_applied(metadata: &mut Value) -> bool {
    let annotations = metadata
        .get_mut("annotations")
        .and_then(Value::as_object_mut);
    annotations.is_some_and(|annotations| annotations.remove(LAST_APPLIED_ANNOTATION).is_some())
}
