//! Findings in the Static Analysis Results Interchange Format 2.1.0, which code hosts show beside the lines.

use super::Stream;
use super::diagnostic::Level;
use super::json::SCHEMA_VERSION;
use k8s_flowcontrol_text::Position;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Value, json};
use std::io::{self, Write};
use std::path::{Component, Path, PathBuf};

const SCHEMA: &str =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/os/schemas/sarif-schema-2.1.0.json";

/// Everything in a segment of a path that is written as `%XX`.
const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~')
    .remove(b'+')
    .remove(b'@');

/// A rule that results refer to.
pub(crate) struct SarifRule {
    pub(crate) id: &'static str,
    pub(crate) summary: &'static str,
    /// The level of its results; none when it differs from result to result.
    pub(crate) level: Option<Level>,
}

/// A finding.
pub(crate) struct SarifResult<'a> {
    pub(crate) rule: &'a str,
    pub(crate) level: Level,
    pub(crate) message: String,
    /// The file and the place in it; none for objects of a cluster.
    pub(crate) place: Option<(PathBuf, Position)>,
    /// The object and field.
    pub(crate) field: Option<String>,
}

/// Writes a log of one run. `properties` is an object with further facts about the run.
pub(crate) fn write_sarif(
    out: &mut Stream,
    rules: &[SarifRule],
    results: &[SarifResult<'_>],
    mut properties: Value,
) -> io::Result<()> {
    properties["schemaVersion"] = SCHEMA_VERSION.into();
    let log = json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {
                "name": env!("CARGO_PKG_NAME"),
                "version": env!("CARGO_PKG_VERSION"),
                "semanticVersion": env!("CARGO_PKG_VERSION"),
                "informationUri": env!("CARGO_PKG_REPOSITORY"),
                "rules": rules.iter().map(rule).collect::<Vec<_>>(),
            }},
            "columnKind": "unicodeCodePoints",
            "results": results.iter().map(result).collect::<Vec<_>>(),
            "properties": properties,
        }],
    });
    writeln!(out.data(), "{log:#}")
}

fn rule(rule: &SarifRule) -> Value {
    let mut value = json!({"id": rule.id, "shortDescription": {"text": rule.summary}});
    if let Some(level) = rule.level {
        value["defaultConfiguration"] = json!({"level": name(level)});
    }
    value
}

fn result(result: &SarifResult<'_>) -> Value {
    let mut location = json!({});
    if let Some((path, position)) = &result.place {
        location["physicalLocation"] = json!({
            "artifactLocation": {"uri": uri(path)},
            "region": {"startLine": position.line, "startColumn": position.column},
        });
    }
    if let Some(field) = &result.field {
        location["logicalLocations"] = json!([{"fullyQualifiedName": field}]);
    }
    json!({
        "ruleId": result.rule,
        "level": name(result.level),
        "message": {"text": result.message},
        "locations": [location],
    })
}

fn name(level: Level) -> &'static str {
    match level {
        Level::Error => "error",
        Level::Warning => "warning",
        Level::Note => "note",
    }
}

/// A relative path as a relative reference, an absolute path as a URI.
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
        uri.extend(utf8_percent_encode(&text, ESCAPED));
    }
    uri
}
