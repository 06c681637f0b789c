//! The syntax of names, label keys and label values, with the server's messages.

use super::wording::Wording;

const SUBDOMAIN: &str = "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric \
     characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', \
     regex used for validation is \
     '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";

const LABEL: &str = "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or \
     '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex \
     used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";

const QUALIFIED_NAME: &str = "must consist of alphanumeric characters, '-', '_' or '.', and must start \
     and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for \
     validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";

const LABEL_VALUE: &str = "a valid label must be an empty string or consist of alphanumeric characters, \
     '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or \
     'my_value',  or '12345', regex used for validation is \
     '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";

const MAX_SUBDOMAIN: usize = 253;
const MAX_LABEL: usize = 63;

/// Messages for an invalid name of an object, or another DNS-1123 subdomain.
pub(super) fn subdomain(name: &str) -> Vec<String> {
    subdomain_in(name, "characters")
}

/// Messages for an invalid `generateName`, which may end with a dash.
pub(super) fn subdomain_prefix(name: &str) -> Vec<String> {
    match name.strip_suffix('-') {
        // Like the server, replaces the dash and the character before it by a valid character.
        Some(rest) if !rest.is_empty() => {
            let mut masked = rest.to_owned();
            masked.pop();
            masked.push('a');
            subdomain(&masked)
        }
        _ => subdomain(name),
    }
}

fn subdomain_in(name: &str, unit: &str) -> Vec<String> {
    let mut messages = Vec::new();
    if name.len() > MAX_SUBDOMAIN {
        messages.push(too_long(MAX_SUBDOMAIN, unit));
    }
    if !is_subdomain(name) {
        messages.push(SUBDOMAIN.into());
    }
    messages
}

/// Messages for an invalid namespace, or another DNS-1123 label.
pub(super) fn label(name: &str, wording: &Wording) -> Vec<String> {
    let mut messages = Vec::new();
    if name.len() > MAX_LABEL {
        messages.push(too_long(MAX_LABEL, "characters"));
    }
    if !is_label(name) {
        messages.push(if wording.says_dots && is_subdomain(name) {
            "must not contain dots".into()
        } else {
            LABEL.into()
        });
    }
    messages
}

/// Messages for an invalid finalizer, or an invalid key of a label or annotation.
pub(super) fn qualified_name(name: &str, wording: &Wording) -> Vec<String> {
    let mut messages = Vec::new();
    let part = match name.split_once('/') {
        None => name,
        Some((_, part)) if part.contains('/') => {
            return vec![format!(
                "a qualified name {QUALIFIED_NAME} with an optional DNS subdomain prefix and '/' \
                 (e.g. 'example.com/MyName')"
            )];
        }
        Some(("", part)) => {
            messages.push("prefix part must be non-empty".into());
            part
        }
        Some((prefix, part)) => {
            let found = subdomain_in(prefix, wording.label_unit);
            messages.extend(found.iter().map(|message| format!("prefix part {message}")));
            part
        }
    };
    if part.is_empty() {
        messages.push("name part must be non-empty".into());
    } else if part.len() > MAX_LABEL {
        messages.push(format!(
            "name part {}",
            too_long(MAX_LABEL, wording.label_unit)
        ));
    }
    if !is_word(part) {
        messages.push(format!("name part {QUALIFIED_NAME}"));
    }
    messages
}

/// Messages for an invalid label value.
pub(super) fn label_value(value: &str, wording: &Wording) -> Vec<String> {
    let mut messages = Vec::new();
    if value.len() > MAX_LABEL {
        messages.push(too_long(MAX_LABEL, wording.label_unit));
    }
    if !value.is_empty() && !is_word(value) {
        messages.push(LABEL_VALUE.into());
    }
    messages
}

fn too_long(limit: usize, unit: &str) -> String {
    format!("must be no more than {limit} {unit}")
}

fn is_subdomain(name: &str) -> bool {
    name.split('.').all(is_label)
}

fn is_label(name: &str) -> bool {
    let is_alphanumeric = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    is_framed(name, is_alphanumeric, |byte| byte == b'-')
}

fn is_word(name: &str) -> bool {
    is_framed(
        name,
        |byte| byte.is_ascii_alphanumeric(),
        |byte| matches!(byte, b'-' | b'_' | b'.'),
    )
}

/// Whether the text is not empty, starts and ends with an `edge`, and has only `edge`s and `inner`s between them.
fn is_framed(text: &str, edge: impl Fn(u8) -> bool, inner: impl Fn(u8) -> bool) -> bool {
    match text.as_bytes() {
        [] => false,
        [only] => edge(*only),
        [first, middle @ .., last] => {
            edge(*first) && edge(*last) && middle.iter().all(|byte| edge(*byte) || inner(*byte))
        }
    }
}
