//! The rules of a FlowSchema's resource rules and non-resource rules.

use super::internal::{NonResourceRule, ResourceRule};
use super::names;
use super::violation::{BadValue, Path, Report};

const ALL: &str = "*";
const VERBS: &[&str] = &[
    "create",
    "delete",
    "deletecollection",
    "get",
    "list",
    "patch",
    "proxy",
    "update",
    "watch",
];

/// Checks an element of `resourceRules`.
pub(super) fn check_resource(rule: &ResourceRule, path: &Path, report: &mut Report) {
    check_verbs(&rule.verbs, path, report);
    let api_groups = path.child("apiGroups");
    if rule.api_groups.is_empty() {
        report.required(
            &api_groups,
            "resource rules must supply at least one api group",
        );
    }
    check_lone_wildcard(&rule.api_groups, "api groups", &api_groups, report);
    let resources = path.child("resources");
    if rule.resources.is_empty() {
        report.required(
            &resources,
            "resource rules must supply at least one resource",
        );
    }
    check_lone_wildcard(&rule.resources, "resources", &resources, report);
    check_namespaces(rule, &path.child("namespaces"), report);
}

/// Checks an element of `nonResourceRules`.
pub(super) fn check_non_resource(rule: &NonResourceRule, path: &Path, report: &mut Report) {
    check_verbs(&rule.verbs, path, report);
    let path = path.child("nonResourceURLs");
    if rule.urls.is_empty() {
        report.required(&path, "nonResourceURLs must contain at least one value");
    }
    if check_lone_wildcard(&rule.urls, "non-resource URLs", &path, report) {
        return;
    }
    for (index, url) in rule.urls.iter().enumerate() {
        if let Some(message) = url_error(url) {
            report.invalid(&path.index(index), &BadValue::Text(url), message);
        }
    }
}

fn check_verbs(verbs: &[String], path: &Path, report: &mut Report) {
    let path = path.child("verbs");
    if verbs.is_empty() {
        report.required(&path, "verbs must contain at least one value");
    }
    if !check_lone_wildcard(verbs, "verbs", &path, report)
        && verbs.iter().any(|verb| !VERBS.contains(&verb.as_str()))
    {
        report.not_supported(&path, &BadValue::Texts(verbs), VERBS);
    }
}

fn check_namespaces(rule: &ResourceRule, path: &Path, report: &mut Report) {
    if rule.namespaces.is_empty() && !rule.cluster_scope {
        let detail =
            "resource rules that are not cluster scoped must supply at least one namespace";
        report.required(path, detail);
    }
    if check_lone_wildcard(&rule.namespaces, "namespaces", path, report) {
        return;
    }
    for (index, namespace) in rule.namespaces.iter().enumerate() {
        for message in names::label(namespace, report.wording) {
            let detail =
                format!("each member of this list must be '*' or a DNS-1123 label; {message}");
            report.invalid(&path.index(index), &BadValue::Text(namespace), &detail);
        }
    }
}

/// Checks that `*` is the only element, and returns whether the list has one. If so, the server checks no other
/// element.
fn check_lone_wildcard(values: &[String], what: &str, path: &Path, report: &mut Report) -> bool {
    let has_wildcard = values.iter().any(|value| value == ALL);
    if has_wildcard && values.len() > 1 {
        let detail = format!("if '*' is present, must not specify other {what}");
        report.invalid(path, &BadValue::Texts(values), &detail);
    }
    has_wildcard
}

/// The first error in a path.
fn url_error(url: &str) -> Option<&'static str> {
    match url {
        "" => Some("must not be empty"),
        "/" => None,
        _ if !url.starts_with('/') => Some("must start with slash"),
        _ if url.contains(' ') => Some("must not contain white-space"),
        _ if url.contains("//") => Some("must not contain double slash"),
        _ => {
            let wildcards = url.matches('*').count();
            let is_suffix = wildcards == 0 || (wildcards == 1 && url.ends_with("/*"));
            (!is_suffix).then_some("wildcard can only do suffix matching")
        }
    }
}
