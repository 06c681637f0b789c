//! The Log Analytics tables `AKSAudit` and `AKSAuditAdmin`: a column for each field of an event.
//!
//! Source: the Azure Monitor reference of the table `AKSAudit` (columns `AuditId`, `Stage`, `Level`, `RequestUri`, `Verb`, `User`,
//! `SourceIps`, `UserAgent`, `ObjectRef`, `ResponseStatus`, `RequestReceivedTime`, `StageReceivedTime`, `Annotations`). It does not have a column
//! for the impersonated user. Columns of the type `dynamic` are JSON in responses of the API, and texts in the output of `az` and in CSV.

use super::content::{Content, Json};
use super::record::{Field, Record};
use k8s_flowcontrol_types::json::Writer;

pub(super) const FIELDS: &[&str] = &[
    "Annotations",
    "AuditId",
    "Level",
    "ObjectRef",
    "RequestReceivedTime",
    "RequestUri",
    "ResponseStatus",
    "SourceIps",
    "Stage",
    "StageReceivedTime",
    "User",
    "UserAgent",
    "Verb",
];

/// The columns with texts, and the fields of an event.
const TEXTS: [(&str, &str); 8] = [
    ("Level", "level"),
    ("AuditId", "auditID"),
    ("Stage", "stage"),
    ("RequestUri", "requestURI"),
    ("Verb", "verb"),
    ("UserAgent", "userAgent"),
    ("RequestReceivedTime", "requestReceivedTimestamp"),
    ("StageReceivedTime", "stageTimestamp"),
];
/// The columns of the type `dynamic`.
const VALUES: [(&str, &str); 5] = [
    ("User", "user"),
    ("SourceIps", "sourceIPs"),
    ("ObjectRef", "objectRef"),
    ("ResponseStatus", "responseStatus"),
    ("Annotations", "annotations"),
];

pub(super) fn open<'r>(record: &'r Record<'_>) -> Option<Content<'r>> {
    if !record.has("AuditId") || !record.has("Stage") {
        return None;
    }
    let mut writer = Writer::default();
    writer.object(|writer| {
        for (column, name) in TEXTS {
            if let Some(text) = record.text(column) {
                writer.field(name, text);
            }
        }
        for (column, name) in VALUES {
            let json = match record.field(column) {
                Some(Field::Text(text)) => text.trim(),
                Some(Field::Raw(text)) => text,
                None => continue,
            };
            if json.starts_with(['{', '[']) {
                writer.field(name, &Json(json));
            }
        }
    });
    Some(Content::Event(writer.into_text()))
}
