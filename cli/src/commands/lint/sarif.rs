//! Findings as SARIF, the form that code scanning services read.

use super::Placed;
use k8s_flowcontrol::rules::lint::{Severity, rules};
use serde_json::{Value, json};

/// A log of one run.
pub(super) fn log(findings: &[Placed<'_>]) -> Value {
    let rules: Vec<_> = rules()
        .iter()
        .map(|rule| {
            json!({
                "id": rule.id(),
                "shortDescription": {"text": rule.summary()},
                "defaultConfiguration": {"level": level(rule.severity())},
            })
        })
        .collect();
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {
                "name": env!("CARGO_PKG_NAME"),
                "semanticVersion": env!("CARGO_PKG_VERSION"),
                "informationUri": env!("CARGO_PKG_REPOSITORY"),
                "rules": rules,
            }},
            "columnKind": "unicodeCodePoints",
            "results": findings.iter().map(result).collect::<Vec<_>>(),
        }],
    })
}

fn result(Placed { finding, place }: &Placed<'_>) -> Value {
    let mut location = json!({
        "logicalLocations": [{
            "fullyQualifiedName": format!("{}/{}/{}", finding.kind, finding.name, finding.path),
        }],
    });
    if let Some(place) = place {
        location["physicalLocation"] = json!({
            "artifactLocation": {"uri": uri(&place.source.name)},
            "region": {"startLine": place.position.line, "startColumn": place.position.column},
        });
    }
    json!({
        "ruleId": finding.rule,
        "level": level(finding.severity),
        "message": {"text": format!("{}; {}", finding.message, finding.help)},
        "locations": [location],
    })
}

fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        _ => "note",
    }
}

/// A path as a relative reference.
fn uri(path: &str) -> String {
    let mut uri = String::new();
    for byte in path.bytes() {
        match byte {
            b'\\' => uri.push('/'),
            b'/' | b'-' | b'.' | b'_' | b'~' => uri.push(byte.into()),
            _ if byte.is_ascii_alphanumeric() => uri.push(byte.into()),
            _ => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    uri
}
