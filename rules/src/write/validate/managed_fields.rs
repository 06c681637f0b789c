//! The rules of `metadata.managedFields`.

use super::violation::{BadValue, Path, Report};
use k8s_flowcontrol_types::json::RawJson;
use k8s_flowcontrol_types::{ApiVersion, Release, order};
use serde_json::Value;

const MAX_MANAGER: usize = 128;
const MAX_SUBRESOURCE: usize = 256;

/// Checks the names in the entries: their length and characters.
///
/// A server rewrites managed fields before it validates them: it drops all entries if a single entry is unreadable, and
/// drops entries of versions that it does not serve. Other rules of managed fields therefore cannot fail.
pub(super) fn check(entries: &[Value], path: &Path, report: &mut Report) {
    if !entries.iter().all(is_understood) {
        return;
    }
    let mut kept: Vec<_> = entries
        .iter()
        .filter(|entry| is_served(entry, report.release))
        .collect();
    order::sort_by(&mut kept, |left, right| {
        let key = |entry| ["operation", "time", "manager"].map(|name| text(entry, name));
        key(left).cmp(&key(right))
    });
    for (index, entry) in kept.into_iter().enumerate() {
        let path = path.index(index);
        let text = |name: &str| text(entry, name);
        check_manager(text("manager"), &path.child("manager"), report);
        if text("subresource").len() > MAX_SUBRESOURCE {
            report.too_long(&path.child("subresource"), MAX_SUBRESOURCE);
        }
    }
}

fn check_manager(manager: &str, path: &Path, report: &mut Report) {
    if manager.len() > MAX_MANAGER {
        report.too_long(path, MAX_MANAGER);
    }
    for (position, character) in manager.char_indices() {
        if !k8s_flowcontrol_text::go::is_printable(character) {
            let code = u32::from(character);
            let detail = format!("invalid character U+{code:04X} (at position {position})");
            report.invalid(path, &BadValue::Text(manager), &detail);
        }
    }
}

fn text<'a>(entry: &'a Value, name: &str) -> &'a str {
    entry[name].as_str().unwrap_or_default()
}

fn is_served(entry: &Value, release: Release) -> bool {
    let api_version = text(entry, "apiVersion");
    api_version
        .parse::<ApiVersion>()
        .is_ok_and(|version| version.api_version() == api_version && version.is_served_by(release))
}

/// Whether a server can read the entry.
fn is_understood(entry: &Value) -> bool {
    let text = |name: &str| text(entry, name);
    matches!(text("operation"), "Apply" | "Update")
        && !text("apiVersion").is_empty()
        && text("fieldsType") == "FieldsV1"
        && match entry.get("fieldsV1") {
            None | Some(Value::Null) => true,
            Some(Value::Object(_)) => is_field_set(&entry["fieldsV1"]),
            Some(_) => false,
        }
}

/// Whether a value is a set of fields: nested objects whose keys are path elements.
fn is_field_set(fields: &Value) -> bool {
    let mut left = vec![fields];
    while let Some(value) = left.pop() {
        match value {
            Value::Null => {}
            Value::Object(children) => {
                for (key, value) in children {
                    match key.split_once(':') {
                        None if key == "." => {}
                        Some(("f", _)) => left.push(value),
                        Some(("i", index)) if index.parse::<i64>().is_ok() => left.push(value),
                        Some(("v", json)) if is_json(json) => left.push(value),
                        Some(("k", json)) if json.starts_with('{') && is_json(json) => {
                            left.push(value);
                        }
                        Some(("i" | "v" | "k", _)) | None => return false,
                        // Path elements of unknown types are dropped.
                        Some((kind, _)) if kind.len() == 1 => {}
                        Some(_) => return false,
                    }
                }
            }
            _ => return false,
        }
    }
    true
}

fn is_json(text: &str) -> bool {
    RawJson::parse(text).is_ok()
}
