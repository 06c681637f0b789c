//! The rules of a FlowSchema's subjects.

use super::internal::{ServiceAccount, Subject};
use super::names;
use super::violation::{BadValue, Path, Report};

const KINDS: &[&str] = &["Group", "ServiceAccount", "User"];

/// Checks that a subject has the field of its kind and no other.
pub(super) fn check(subject: &Subject, path: &Path, report: &mut Report) {
    if !KINDS.contains(&subject.kind.as_str()) {
        report.not_supported(&path.child("kind"), &BadValue::Named(&subject.kind), KINDS);
        return;
    }
    match subject.kind.as_str() {
        "ServiceAccount" => {
            let path = path.child("serviceAccount");
            match &subject.service_account {
                Some(account) => check_service_account(account, &path, report),
                None => report.required(&path, &needed("serviceAccount", "ServiceAccount")),
            }
        }
        "User" => check_named("user", "User", subject.user.as_deref(), path, report),
        _ => check_named("group", "Group", subject.group.as_deref(), path, report),
    }
    let others = [
        (
            "serviceAccount",
            "ServiceAccount",
            subject.service_account.is_some(),
        ),
        ("user", "User", subject.user.is_some()),
        ("group", "Group", subject.group.is_some()),
    ];
    for (stanza, kind, is_set) in others {
        if is_set && kind != subject.kind {
            let detail = format!("{stanza} is forbidden when subject kind is not '{kind}'");
            report.forbidden(&path.child(stanza), &detail);
        }
    }
}

fn check_named(stanza: &str, kind: &str, name: Option<&str>, path: &Path, report: &mut Report) {
    let path = path.child(stanza);
    match name {
        None => report.required(&path, &needed(stanza, kind)),
        Some("") => report.required(&path.child("name"), ""),
        // Any other text is a valid name of a user or group.
        Some(_) => {}
    }
}

fn check_service_account(account: &ServiceAccount, path: &Path, report: &mut Report) {
    let name = path.child("name");
    match account.name.as_str() {
        "" => report.required(&name, ""),
        "*" => {}
        text => report.invalid_text(&name, text, names::subdomain(text)),
    }
    let namespace = path.child("namespace");
    if account.namespace.is_empty() {
        report.required(&namespace, "must specify namespace for service account");
    } else {
        let messages = names::label(&account.namespace, report.wording);
        report.invalid_text(&namespace, &account.namespace, messages);
    }
}

fn needed(stanza: &str, kind: &str) -> String {
    format!("{stanza} is required when subject kind is '{kind}'")
}
