//! Azure diagnostic settings, which send the audit log of AKS as texts.
//!
//! Sources: Azure Monitor, "Azure Monitor resource log schema" (`time`, `resourceId`, `category`, `operationName`, `properties`; event
//! hubs wrap them as `records`); the reference of the table `AzureDiagnostics` (`Category`, `log_s`, `pod_s`, `stream_s`); AKS,
//! "Monitoring AKS data reference" (category `kube-audit`, `properties.log`, `properties.pod`, `properties.stream`).

use super::content::Content;
use super::record::Record;
use std::borrow::Cow;

pub(super) const FIELDS: &[&str] = &["Category", "category", "log", "log_s", "pod", "properties"];

/// The categories that carry audit events; others are logs of other components.
const CATEGORIES: [&str; 2] = ["kube-audit", "kube-audit-admin"];

pub(super) fn open<'r>(record: &'r Record<'_>) -> Option<Content<'r>> {
    let category = record.text("category").or(record.text("Category"));
    let is_other = category.is_some_and(|category| !CATEGORIES.contains(&category));
    if let Some(log) = record.text("log_s") {
        return Some(match is_other {
            true => Content::Nothing,
            false => Content::Line(Cow::Borrowed(log)),
        });
    }
    let properties = record.json("properties").filter(|_| category.is_some());
    if let Some(properties) = properties {
        return Some(match is_other {
            true => Content::Nothing,
            false => Content::Value(properties),
        });
    }
    // The properties themselves. A container log has a time.
    let log = record
        .text("log")
        .filter(|_| record.has("pod") && !record.has("time"));
    log.map(|log| Content::Line(Cow::Borrowed(log)))
}
