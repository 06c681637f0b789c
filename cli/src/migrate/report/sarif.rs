//! The outcome of a migration as SARIF.

use super::{advice, list::message};
use crate::output::{Level, SarifResult, SarifRule, Stream, write_sarif};
use k8s_flowcontrol_manifests::files::{Examined, Status};
use k8s_flowcontrol_manifests::{Finding, Rule, Settings, Severity};
use serde_json::json;
use std::io;

/// Writes outdated objects and all findings as SARIF results.
pub(crate) fn write_log(
    files: &[Examined],
    settings: Settings,
    out: &mut Stream,
) -> io::Result<()> {
    let rule = |rule: &Rule| SarifRule {
        id: rule.as_str(),
        summary: rule.summary(),
        level: None,
    };
    let rules: Vec<_> = Rule::ALL.iter().map(rule).collect();
    let results = files.iter().flat_map(|file| results(file, settings));
    let results: Vec<_> = results.collect();
    let properties = json!({"to": settings.to.api_version()});
    write_sarif(out, &rules, &results, properties)
}

fn results(file: &Examined, settings: Settings) -> Vec<SarifResult<'static>> {
    let place = |offset| (file.candidate.path.clone(), file.source.position(offset));
    let outdated = file
        .outcome
        .objects
        .iter()
        .filter(|document| file.status != Status::Changed && !document.changes.is_empty());
    let outdated = outdated.map(|document| {
        let changes: Vec<_> = document
            .changes
            .iter()
            .map(|change| change.what.as_str())
            .collect();
        SarifResult {
            rule: Rule::Outdated.as_str(),
            level: Level::Warning,
            message: format!(
                "{} {} is not in {}: {}",
                document.kind,
                document.name.as_deref().unwrap_or_default(),
                settings.to,
                changes.join("; ")
            ),
            place: Some(place(document.offset)),
            field: None,
        }
    });
    let findings = file.outcome.findings.iter().map(|finding| SarifResult {
        rule: finding.rule.as_str(),
        level: finding.severity.into(),
        message: message_with_help(finding),
        place: Some(place(finding.offset)),
        field: None,
    });
    outdated.chain(findings).collect()
}

fn message_with_help(finding: &Finding) -> String {
    let help = finding
        .help
        .as_ref()
        .map(|help| format!(". {}", advice(help)));
    message(finding) + &help.unwrap_or_default()
}

impl From<Severity> for Level {
    fn from(severity: Severity) -> Self {
        match severity {
            Severity::Note => Self::Note,
            Severity::Manual => Self::Warning,
            Severity::Error => Self::Error,
        }
    }
}
