//! The outcome of a migration as JSON.

use super::advice;
use super::skipped::skipped_json;
use super::summary::Summary;
use k8s_flowcontrol_manifests::Settings;
use k8s_flowcontrol_manifests::files::{Examined, Skipped};
use serde_json::{Value, json};

/// The outcome as JSON: every file with objects of the group or findings, and the reasons why others were skipped.
pub(crate) fn json(
    files: &[Examined],
    skipped: &[Skipped],
    summary: Summary,
    is_verbose: bool,
    settings: Settings,
) -> Value {
    let files: Vec<_> = files
        .iter()
        .filter(|file| !(file.outcome.objects.is_empty() && file.outcome.findings.is_empty()))
        .map(of_file)
        .collect();
    json!({
        "command": "migrate",
        "to": settings.to.api_version(),
        "kubernetes": settings.release.map(|release| release.to_string()),
        "files": files,
        "skipped": skipped_json(skipped, is_verbose),
        "summary": summary,
    })
}

fn of_file(file: &Examined) -> Value {
    let source = &file.source;
    let documents: Vec<_> =
        file.outcome
            .objects
            .iter()
            .map(|document| {
                let at = source.position(document.offset);
                let changes: Vec<_> = document
                    .changes
                    .iter()
                    .map(|change| {
                        let at = source.position(change.offset);
                        json!({"line": at.line, "column": at.column, "what": change.what, "why": change.why})
                    })
                    .collect();
                let server = document.server.as_ref().map(
                    |(before, after)| json!({"before": before["spec"], "after": after["spec"]}),
                );
                json!({
                    "line": at.line,
                    "column": at.column,
                    "kind": document.kind,
                    "name": document.name,
                    "apiVersion": document.from,
                    "changes": changes,
                    "server": server,
                })
            })
            .collect();
    let findings: Vec<_> = file
        .outcome
        .findings
        .iter()
        .map(|finding| {
            let at = source.position(finding.offset);
            json!({
                "severity": finding.severity.as_str(),
                "rule": finding.rule.as_str(),
                "line": at.line,
                "column": at.column,
                "path": finding.path,
                "message": finding.message,
                "help": finding.help.as_ref().map(advice),
            })
        })
        .collect();
    json!({
        "path": source.name,
        "status": file.status.as_str(),
        "documents": documents,
        "findings": findings,
    })
}
