//! The rules of `metadata.ownerReferences`.

use super::go_value::{Field, GoValue};
use super::violation::{BadValue, Path, Report};
use serde_json::Value;
use std::collections::HashSet;

const TYPE: &str = "v1.OwnerReference";

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct OwnerReference {
    api_version: String,
    kind: String,
    name: String,
    uid: String,
    controller: Option<bool>,
    block_owner_deletion: Option<bool>,
}

impl OwnerReference {
    pub(super) fn read(value: &Value) -> Self {
        let text = |name: &str| value[name].as_str().unwrap_or_default().to_owned();
        Self {
            api_version: text("apiVersion"),
            kind: text("kind"),
            name: text("name"),
            uid: text("uid"),
            controller: value["controller"].as_bool(),
            block_owner_deletion: value["blockOwnerDeletion"].as_bool(),
        }
    }

    fn group_version(&self) -> Option<(&str, &str)> {
        match self.api_version.split_once('/') {
            None => Some(("", &self.api_version)),
            Some((_, version)) if version.contains('/') => None,
            Some(both) => Some(both),
        }
    }

    fn described(&self) -> GoValue {
        let text = |name, json, text: &str| Field::versioned(name, json, GoValue::text(text));
        let flag = |name, json, set: Option<bool>| {
            Field::versioned(name, json, GoValue::pointer("bool", set.map(GoValue::Bool)))
        };
        GoValue::Struct(
            TYPE,
            vec![
                text("APIVersion", "apiVersion", &self.api_version),
                text("Kind", "kind", &self.kind),
                text("Name", "name", &self.name),
                text("UID", "uid", &self.uid),
                flag("Controller", "controller", self.controller),
                flag(
                    "BlockOwnerDeletion",
                    "blockOwnerDeletion",
                    self.block_owner_deletion,
                ),
            ],
        )
    }
}

/// Removes duplicate owner references, as a server does before validation.
///
/// Returns the text of the server's `Warning` header if there were any. It depends on whether the object `is_patched`.
pub fn dedup_owner_references(object: &mut Value, is_patched: bool) -> Option<String> {
    let references = object
        .get_mut("metadata")?
        .get_mut("ownerReferences")?
        .as_array_mut()?;
    let mut kept = HashSet::new();
    let mut duplicates = Vec::new();
    references.retain(|reference| {
        let reference = OwnerReference::read(reference);
        let is_repeated = kept.contains(&reference);
        if is_repeated {
            duplicates.push(reference.uid);
        } else {
            kept.insert(reference);
        }
        !is_repeated
    });
    let when = match is_patched {
        true => " after mutating admission happens",
        false => "",
    };
    (!duplicates.is_empty()).then(|| {
        format!(
            ".metadata.ownerReferences contains duplicate entries{when}; API server dedups owner references \
             in 1.20+, and may reject such requests as early as 1.24; please fix your requests; \
             duplicate UID(s) observed: {}",
            duplicates.join(", ")
        )
    })
}

/// Checks that references are complete, do not refer to an event, and at most one is the controller.
pub(super) fn check(references: &[OwnerReference], path: &Path, report: &mut Report) {
    let mut controller: Option<String> = None;
    for reference in references {
        check_one(reference, path, report);
        if reference.controller != Some(true) {
            continue;
        }
        let name = match report.wording.names_owner_kinds {
            true => format!("{}/{}", reference.kind, reference.name),
            false => reference.name.clone(),
        };
        match &controller {
            None => controller = Some(name),
            Some(first) => {
                let detail = format!(
                    "Only one reference can have Controller set to true. Found \"true\" in references \
                     for {first} and {name}"
                );
                let all = references.iter().map(OwnerReference::described);
                let all = GoValue::Slice(TYPE, Some(all.collect()));
                report.invalid(path, &BadValue::Go(all), &detail);
            }
        }
    }
}

fn check_one(reference: &OwnerReference, path: &Path, report: &mut Report) {
    let (group, version) = reference.group_version().unwrap_or_default();
    let fields = [
        (
            "apiVersion",
            "version",
            &reference.api_version,
            version.is_empty(),
        ),
        ("kind", "kind", &reference.kind, reference.kind.is_empty()),
        ("name", "name", &reference.name, reference.name.is_empty()),
        ("uid", "uid", &reference.uid, reference.uid.is_empty()),
    ];
    for (field, called, value, is_empty) in fields {
        if is_empty {
            let detail = report.wording.empty_owner_field(called);
            let value = if field == "uid" {
                BadValue::Named(value)
            } else {
                BadValue::Text(value)
            };
            report.invalid(&path.child(field), &value, &detail);
        }
    }
    if (group, version, reference.kind.as_str()) == ("", "v1", "Event") {
        let detail = "/v1, Kind=Event is disallowed from being an owner";
        report.invalid(path, &BadValue::Go(reference.described()), detail);
    }
}
