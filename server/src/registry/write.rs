//! A write by a client, the lookup of its object, and the validation before the object is stored.

use crate::apply::Writer;
use crate::kinds::{Kind, Version};
use crate::status::{Cause, Failure, Subject, bad_request, internal, invalid};
use crate::store::{Object, Store, edit_metadata, json_length, meta_str};
use crate::upgrade::unreadable;
use k8s_flowcontrol_rules::validate::Violation;
use k8s_flowcontrol_text::go::quote;
use serde_json::Value;
use std::borrow::Cow;

/// The maximum size of a stored object in bytes, etcd's default.
const LARGEST_OBJECT: usize = 3 << 19;

/// The object under `key`.
/// Errors: 400 for a name that cannot be a part of a path, 500 for an object that is stored in a version unknown to this release.
pub(crate) fn find(store: &Store, kind: &Kind, key: &str) -> Result<Option<Object>, Failure> {
    let name = key.split_once('/').filter(|_| kind.is_namespaced());
    check_segment(name.map_or(key, |(_, name)| name))?;
    if let Some(stored) = store.unreadable_named(kind.index, key) {
        return Err(unreadable(kind, stored));
    }
    Ok(store.get(kind.index, key).cloned())
}

fn check_segment(name: &str) -> Result<(), Failure> {
    let why = match name {
        "." | ".." => vec![format!("may not be '{name}'")],
        _ => ["/", "%"]
            .into_iter()
            .filter(|part| name.contains(part))
            .map(|part| format!("may not contain '{part}'"))
            .collect(),
    };
    if why.is_empty() {
        return Ok(());
    }
    let (name, why) = (quote(name), why.join(";"));
    Err(bad_request(format!(
        "Name parameter invalid: {name}: {why}"
    )))
}

/// Stores an object under `key`. If it is too large, it loses its managed fields, unless it was applied.
/// Errors: 500 for an object that is larger than etcd accepts, as from a real server.
pub(super) fn store(
    store: &mut Store,
    write: &Write<'_>,
    key: &str,
    mut object: Value,
) -> Result<Object, Failure> {
    let is_too_large = |object: &Value| json_length(object) > LARGEST_OBJECT;
    if is_too_large(&object) && !write.applies {
        edit_metadata(&mut object, |metadata| metadata.remove("managedFields"));
    }
    if is_too_large(&object) {
        return Err(internal("etcdserver: request is too large"));
    }
    Ok(store.put(write.kind.index, key, object))
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Write<'a> {
    pub(crate) kind: &'a Kind,
    pub(crate) version: Version,
    /// The namespace in the path; empty for cluster-scoped kinds.
    pub(crate) namespace: &'a str,
    /// `status`, or empty for the main resource.
    pub(crate) subresource: &'a str,
    pub(crate) manager: &'a str,
    pub(crate) dry_run: bool,
    /// Whether it is a server-side apply.
    pub(crate) applies: bool,
    pub(crate) now: &'a str,
}

impl<'a> Write<'a> {
    /// A write by a controller of the server.
    pub(crate) fn by_server(
        kind: &'a Kind,
        manager: &'a str,
        subresource: &'a str,
        now: &'a str,
    ) -> Self {
        Self {
            kind,
            version: kind.preferred(),
            namespace: "",
            subresource,
            manager,
            dry_run: false,
            applies: false,
            now,
        }
    }

    pub(crate) fn subject(&self, name: &'a str) -> Subject<'a> {
        Subject {
            resource: self.kind.plural(),
            group: self.kind.group(),
            name,
        }
    }

    /// The key of the object `name` in the store.
    pub(crate) fn key<'b>(&self, name: &'b str) -> Cow<'b, str> {
        self.kind.key(self.namespace, name)
    }

    pub(crate) fn writer(&self) -> Writer<'a> {
        Writer {
            kind: self.kind,
            version: self.version,
            manager: self.manager,
            subresource: self.subresource,
            now: self.now,
        }
    }
}

/// Validates an object that is to be created or to replace `old`.
/// Errors: a 422 with every violation.
pub(crate) fn admit(write: &Write<'_>, object: &Value, old: Option<&Value>) -> Result<(), Failure> {
    let kind = write.kind;
    let violations = kind.violations(object, old, write.version, write.subresource);
    if violations.is_empty() {
        return Ok(());
    }
    let causes = violations.into_iter().map(Cause::from).collect();
    Err(invalid(
        kind.name(),
        kind.group(),
        meta_str(object, "name"),
        causes,
    ))
}

impl From<Violation> for Cause {
    fn from(violation: Violation) -> Self {
        Self::new(
            violation.reason.as_str(),
            violation.field,
            violation.message,
        )
    }
}
