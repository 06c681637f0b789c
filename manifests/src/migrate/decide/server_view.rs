//! The content of an object in a server, in one form for all versions, to compare two versions.

use k8s_flowcontrol_rules::conversion::server_tree;
use k8s_flowcontrol_types::Kind;
use k8s_flowcontrol_types::convert::{Lossy, PRESERVE_ZERO_ANNOTATION};
use k8s_flowcontrol_types::kind::VersionedKind;
use k8s_flowcontrol_types::{ApiVersion, Release};
use serde_json::{Value, json};

/// The release whose rules apply to an object in a version: the wanted release if it serves the version, or else the newest
/// release that does.
pub(in crate::migrate) fn release_for(version: ApiVersion, wanted: Option<Release>) -> Release {
    match wanted {
        Some(release) if version.is_served_by(release) => release,
        _ => Release::all()
            .filter(|release| version.is_served_by(*release))
            .last()
            .unwrap_or_default(),
    }
}

/// The metadata and spec that a server of `release` stores for `object`, in v1.
pub(in crate::migrate) fn held(
    object: &Value,
    kind: Kind,
    version: ApiVersion,
    release: Release,
) -> Value {
    let kind = VersionedKind::new(kind, version, release);
    let shown = server_tree(object.clone(), kind, ApiVersion::V1);
    let (mut shown, _) = Lossy::parts(shown);
    if let Some(limited) = shown
        .pointer_mut("/spec/limited")
        .and_then(Value::as_object_mut)
    {
        // A server without the field lends nothing.
        limited.entry("lendablePercent").or_insert(json!(0));
    }
    if shown.pointer("/spec/type") == Some(&json!("Exempt"))
        && let Some(spec) = shown.get_mut("spec").and_then(Value::as_object_mut)
    {
        spec.entry("exempt")
            .or_insert(json!({"nominalConcurrencyShares": 0, "lendablePercent": 0}));
    }
    let annotations = shown.pointer_mut("/metadata/annotations");
    if let Some(annotations) = annotations.and_then(Value::as_object_mut) {
        annotations.remove(PRESERVE_ZERO_ANNOTATION);
        if annotations.is_empty()
            && let Some(metadata) = shown.get_mut("metadata").and_then(Value::as_object_mut)
        {
            metadata.remove("annotations");
        }
    }
    let mut held = json!({});
    for name in ["metadata", "spec"] {
        if let Some(part) = shown.get(name) {
            held[name] = part.clone();
        }
    }
    if let Some(metadata) = held.get_mut("metadata").and_then(Value::as_object_mut) {
        // managedFields contain versions.
        metadata.remove("managedFields");
    }
    held
}

/// The innermost fields in which two forms differ.
pub(in crate::migrate) fn differences(left: &Value, right: &Value) -> Vec<Difference> {
    let mut differences = Vec::new();
    compare(Some(left), Some(right), String::new(), &mut differences);
    differences
}

/// A field with different values before and after.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::migrate) struct Difference {
    pub(in crate::migrate) path: String,
    pub(in crate::migrate) before: Value,
    pub(in crate::migrate) after: Value,
}

fn compare(left: Option<&Value>, right: Option<&Value>, path: String, out: &mut Vec<Difference>) {
    match (left, right) {
        (Some(Value::Object(old)), Some(Value::Object(new))) => {
            let names = old
                .keys()
                .chain(new.keys().filter(|name| !old.contains_key(*name)));
            for name in names {
                let separator = if path.is_empty() { "" } else { "." };
                let path = format!("{path}{separator}{name}");
                compare(old.get(name), new.get(name), path, out);
            }
        }
        (left, right) => {
            let null = Value::Null;
            let (before, after) = (left.unwrap_or(&null), right.unwrap_or(&null));
            if before != after {
                out.push(Difference {
                    path,
                    before: before.clone(),
                    after: after.clone(),
                });
            }
        }
    }
}
