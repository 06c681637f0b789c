//! A run in the Static Analysis Results Interchange Format 2.1.0, which code hosts show beside the lines.

use super::SCHEMA_VERSION;
use crate::migrate::batch::{Examined, Status};
use crate::migrate::lines::Lines;
use crate::migrate::report::{Rule, Severity};
use crate::migrate::step::Settings;
use k8s_flowcontrol_text::Position;
use serde_json::{Value, json};
use std::fmt::Write;
use std::path::{Component, Path};

const SCHEMA: &str =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/os/schemas/sarif-schema-2.1.0.json";

/// A run in SARIF: outdated objects, and everything that there is to say.
pub(crate) fn sarif(files: &[Examined], settings: Settings) -> Value {
    let rules: Vec<_> = Rule::ALL
        .iter()
        .map(|rule| json!({"id": rule.as_str(), "shortDescription": {"text": rule.summary()}}))
        .collect();
    let results: Vec<_> = files
        .iter()
        .flat_map(|file| results(file, settings))
        .collect();
    json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": {
                "driver": {
                    "name": "kubectl-flowcontrol",
                    "version": env!("CARGO_PKG_VERSION"),
                    "informationUri": env!("CARGO_PKG_REPOSITORY"),
                    "rules": rules,
                }
            },
            "columnKind": "unicodeCodePoints",
            "results": results,
            "properties": {"schemaVersion": SCHEMA_VERSION, "to": settings.to.api_version()},
        }]
    })
}

fn results(file: &Examined, settings: Settings) -> Vec<Value> {
    let lines = Lines::of(&file.bytes);
    let uri = uri(&file.candidate.path);
    let is_outdated = file.status != Status::Changed;
    let outdated = file
        .outcome
        .documents
        .iter()
        .filter(|document| is_outdated && !document.changes.is_empty())
        .map(|document| {
            let changes: Vec<_> = document
                .changes
                .iter()
                .map(|change| change.what.as_str())
                .collect();
            let message = format!(
                "{} {} is not in {}: {}",
                document.kind,
                document.name.as_deref().unwrap_or_default(),
                settings.to,
                changes.join("; ")
            );
            let at = lines.position(document.offset);
            result(Rule::Outdated, "warning", &message, &uri, at)
        });
    let findings = file.outcome.findings.iter().map(|finding| {
        let level = match finding.severity {
            Severity::Note => "note",
            Severity::Manual => "warning",
            Severity::Error => "error",
        };
        let path = finding
            .path
            .as_ref()
            .map_or(String::new(), |path| format!("{path}: "));
        let help = finding
            .help
            .as_ref()
            .map_or(String::new(), |help| format!(". {help}"));
        let message = format!("{path}{}{help}", finding.message);
        result(
            finding.rule,
            level,
            &message,
            &uri,
            lines.position(finding.offset),
        )
    });
    outdated.chain(findings).collect()
}

fn result(rule: Rule, level: &str, message: &str, uri: &str, at: Position) -> Value {
    json!({
        "ruleId": rule.as_str(),
        "level": level,
        "message": {"text": message},
        "locations": [{
            "physicalLocation": {
                "artifactLocation": {"uri": uri},
                "region": {"startLine": at.line, "startColumn": at.column},
            }
        }],
    })
}

/// A path as a relative reference, or as a URI when it is absolute.
fn uri(path: &Path) -> String {
    let mut uri = String::new();
    if path.is_absolute() {
        uri.push_str("file://");
    }
    for part in path.components() {
        let text = match part {
            Component::RootDir | Component::CurDir => continue,
            other => other.as_os_str().to_string_lossy(),
        };
        if !uri.is_empty() {
            uri.push('/');
        }
        for byte in text.bytes() {
            if byte.is_ascii_alphanumeric() || b"-._~+@".contains(&byte) {
                uri.push(char::from(byte));
            } else {
                // A string takes any text.
                let _ = write!(uri, "%{byte:02X}");
            }
        }
    }
    uri
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_become_references() {
        assert_eq!(uri(Path::new("./a b/ü.yaml")), "a%20b/%C3%BC.yaml");
        assert_eq!(uri(Path::new("/etc/a.yaml")), "file:///etc/a.yaml");
        assert_eq!(uri(Path::new("../x:y")), "../x%3Ay");
    }
}
