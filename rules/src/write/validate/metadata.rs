//! The rules of `metadata`, which are the same for every kind.

use super::managed_fields;
use super::names;
use super::owner_references::{self, OwnerReference};
use super::violation::{BadValue, Path, Report};
use k8s_flowcontrol_types::order;
use serde_json::Value;
use std::collections::HashSet;

const MAX_ANNOTATIONS: usize = 256 * 1024;
const ORPHAN: &str = "orphan";
const FOREGROUND_DELETION: &str = "foregroundDeletion";
const STANDARD_FINALIZERS: &[&str] = &["kubernetes", ORPHAN, FOREGROUND_DELETION];

/// The fields of `metadata` that rules check.
#[derive(Clone, Debug, Default)]
pub(super) struct Metadata {
    pub(super) name: String,
    uid: String,
    pub(super) generate_name: String,
    pub(super) deletion_timestamp: Option<String>,
    deletion_grace_period: Option<i64>,
    labels: Vec<(String, String)>,
    pub(super) annotations: Vec<(String, String)>,
    owner_references: Vec<OwnerReference>,
    finalizers: Vec<String>,
    managed_fields: Vec<Value>,
}

impl Metadata {
    /// Reads an object's metadata. A value of a wrong type counts as absent.
    pub(super) fn read(object: &Value) -> Self {
        let metadata = &object["metadata"];
        let text = |name: &str| metadata[name].as_str().unwrap_or_default().to_owned();
        let elements = |name: &str| metadata[name].as_array().cloned().unwrap_or_default();
        Self {
            name: text("name"),
            uid: text("uid"),
            generate_name: text("generateName"),
            deletion_timestamp: metadata["deletionTimestamp"].as_str().map(Into::into),
            deletion_grace_period: metadata["deletionGracePeriodSeconds"].as_i64(),
            labels: entries(&metadata["labels"]),
            annotations: entries(&metadata["annotations"]),
            owner_references: elements("ownerReferences")
                .iter()
                .map(OwnerReference::read)
                .collect(),
            finalizers: elements("finalizers")
                .iter()
                .map(|value| value.as_str().unwrap_or_default().to_owned())
                .collect(),
            managed_fields: elements("managedFields"),
        }
    }
}

impl Metadata {
    pub(super) fn forget_managed_fields(&mut self) {
        self.managed_fields.clear();
    }
}

/// The entries sorted by key; a server iterates in random order.
fn entries(map: &Value) -> Vec<(String, String)> {
    let mut entries: Vec<_> = map
        .as_object()
        .into_iter()
        .flatten()
        .map(|(key, value)| (key.clone(), value.as_str().unwrap_or_default().to_owned()))
        .collect();
    order::sort_by(&mut entries, Ord::cmp);
    entries
}

/// The syntax of a kind's names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NameRule {
    /// A DNS-1123 subdomain.
    Subdomain,
    /// Any text without `/` and `%`, except `.` and `..`.
    PathSegment,
}

impl NameRule {
    fn messages(self, name: &str, is_prefix: bool) -> Vec<String> {
        match self {
            Self::Subdomain if is_prefix => names::subdomain_prefix(name),
            Self::Subdomain => names::subdomain(name),
            Self::PathSegment if !is_prefix && matches!(name, "." | "..") => {
                vec![format!("may not be '{name}'")]
            }
            Self::PathSegment => ["/", "%"]
                .into_iter()
                .filter(|illegal| name.contains(illegal))
                .map(|illegal| format!("may not contain '{illegal}'"))
                .collect(),
        }
    }
}

/// Checks the rules for a single object.
pub(super) fn check(metadata: &Metadata, rule: NameRule, path: &Path, report: &mut Report) {
    if !metadata.generate_name.is_empty() {
        let messages = rule.messages(&metadata.generate_name, true);
        report.invalid_text(
            &path.child("generateName"),
            &metadata.generate_name,
            messages,
        );
    }
    let name = path.child("name");
    if metadata.name.is_empty() {
        report.required(&name, "name or generateName is required");
    } else {
        report.invalid_text(&name, &metadata.name, rule.messages(&metadata.name, false));
    }
    check_labels(metadata, path, report);
    check_annotations(metadata, path, report);
    owner_references::check(
        &metadata.owner_references,
        &path.child("ownerReferences"),
        report,
    );
    check_finalizers(&metadata.finalizers, &path.child("finalizers"), report);
    managed_fields::check(
        &metadata.managed_fields,
        &path.child("managedFields"),
        report,
    );
}

/// Checks the rule for Kubernetes' own kinds: finalizers are qualified names or known names.
pub(super) fn check_own_finalizers(metadata: &Metadata, path: &Path, report: &mut Report) {
    for (index, finalizer) in metadata.finalizers.iter().enumerate() {
        if !finalizer.contains('/') && !STANDARD_FINALIZERS.contains(&finalizer.as_str()) {
            let path = path.child("finalizers").index(index);
            let detail = "name is neither a standard finalizer name nor is it fully qualified";
            report.invalid(&path, &BadValue::Text(finalizer), detail);
        }
    }
}

/// Checks the rules for replacing `old` by `new`. The names are equal: other requests fail before validation. A
/// replacement with another UID also fails earlier, but a patch does not.
pub(super) fn check_update(old: &Metadata, new: &Metadata, path: &Path, report: &mut Report) {
    if old.deletion_timestamp.is_some() {
        check_new_finalizers(old, new, path, report);
    }
    // A server sets a UID that is absent in the request.
    if !old.uid.is_empty() && !new.uid.is_empty() && old.uid != new.uid {
        let value = BadValue::Named(&new.uid);
        report.invalid(&path.child("uid"), &value, "field is immutable");
    }
    // While an object is being deleted, a server keeps its deletion time and ignores the request's.
    if let (None, Some(time)) = (&old.deletion_timestamp, &new.deletion_timestamp) {
        let value = if report.wording.values_as_json {
            k8s_flowcontrol_text::go::json_quote(time)
        } else {
            go_time(time)
        };
        let path = path.child("deletionTimestamp");
        report.invalid(&path, &BadValue::Printed(value), "field is immutable");
    }
    if let Some(period) = new
        .deletion_grace_period
        .filter(|_| new.differs_in_grace_period(old))
    {
        let path = path.child("deletionGracePeriodSeconds");
        report.invalid_number(&path, period, "field is immutable");
    }
    check_labels(new, path, report);
    check_annotations(new, path, report);
    owner_references::check(
        &new.owner_references,
        &path.child("ownerReferences"),
        report,
    );
    managed_fields::check(&new.managed_fields, &path.child("managedFields"), report);
}

impl Metadata {
    fn differs_in_grace_period(&self, old: &Self) -> bool {
        self.deletion_grace_period != old.deletion_grace_period
    }
}

fn check_new_finalizers(old: &Metadata, new: &Metadata, path: &Path, report: &mut Report) {
    let known: HashSet<_> = old.finalizers.iter().collect();
    let mut added: Vec<_> = new
        .finalizers
        .iter()
        .filter(|finalizer| !known.contains(finalizer))
        .collect();
    order::sort_by(&mut added, Ord::cmp);
    added.dedup();
    if !added.is_empty() {
        let added: Vec<_> = added
            .iter()
            .map(|name| k8s_flowcontrol_text::go::quote(name))
            .collect();
        let detail = format!(
            "no new finalizers can be added if the object is being deleted, found new finalizers \
             []string{{{}}}",
            added.join(", ")
        );
        report.forbidden(&path.child("finalizers"), &detail);
    }
}

fn check_labels(metadata: &Metadata, path: &Path, report: &mut Report) {
    let path = path.child("labels");
    for (key, value) in &metadata.labels {
        report.invalid_text(&path, key, names::qualified_name(key, report.wording));
        report.invalid_text(&path, value, names::label_value(value, report.wording));
    }
}

fn check_annotations(metadata: &Metadata, path: &Path, report: &mut Report) {
    let path = path.child("annotations");
    for (key, _) in &metadata.annotations {
        let messages = names::qualified_name(&go_lower(key), report.wording);
        report.invalid_text(&path, key, messages);
    }
    let size: usize = metadata
        .annotations
        .iter()
        .map(|(key, value)| key.len() + value.len())
        .sum();
    if size > MAX_ANNOTATIONS {
        report.too_long(&path, MAX_ANNOTATIONS);
    }
}

fn check_finalizers(finalizers: &[String], path: &Path, report: &mut Report) {
    for finalizer in finalizers {
        report.invalid_text(
            path,
            finalizer,
            names::qualified_name(finalizer, report.wording),
        );
    }
    let has = |name: &str| finalizers.iter().any(|finalizer| finalizer == name);
    if has(ORPHAN) && has(FOREGROUND_DELETION) {
        let detail = format!("finalizer {ORPHAN} and {FOREGROUND_DELETION} cannot be both set");
        report.invalid(path, &BadValue::Texts(finalizers), &detail);
    }
}

/// The text as `strings.ToLower` returns it: with one character for each, so that `İ` becomes `i`.
fn go_lower(text: &str) -> String {
    let lower = |character: char| character.to_lowercase().next().unwrap_or(character);
    text.chars().map(lower).collect()
}

/// A time in Go's format.
fn go_time(time: &str) -> String {
    format!(
        "{} +0000 UTC",
        time.trim_end_matches('Z').replacen('T', " ", 1)
    )
}

/// Checks that the annotation for zero shares is present only in v1beta3.
pub(super) fn check_preserve_zero(metadata: &Metadata, path: &Path, report: &mut Report) {
    let annotation = k8s_flowcontrol_types::convert::PRESERVE_ZERO_ANNOTATION;
    if metadata
        .annotations
        .iter()
        .any(|(key, _)| key == annotation)
    {
        let detail = format!("annotation '{annotation}' is forbidden");
        report.forbidden(&path.child("annotations"), &detail);
    }
}
