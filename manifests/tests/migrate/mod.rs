//! Texts in, texts out.

mod choices;
mod conditions;
mod edits;
mod fences;
mod hostile;
mod names;
mod places;
mod programs;
mod properties;
mod references;
mod rules;
mod style;
mod templates;

use k8s_flowcontrol_manifests::{
    ForeignFieldPolicy, Form, Lines, Migration, Rule, Settings, Severity, migrate,
};
use k8s_flowcontrol_types::ApiVersion;

const V1: Settings = Settings::to(ApiVersion::V1);

fn to(version: ApiVersion) -> Settings {
    Settings::to(version)
}

fn run(text: &str, settings: Settings) -> Migration {
    migrate(text, Form::Yaml, settings)
}

/// The text after a migration that has nothing to complain about.
fn clean(text: &str, settings: Settings) -> String {
    let outcome = run(text, settings);
    let grave: Vec<_> = outcome
        .findings
        .iter()
        .filter(|finding| finding.severity > Severity::Note)
        .collect();
    assert!(grave.is_empty(), "{grave:?}");
    outcome.text.unwrap_or_else(|| text.to_owned())
}

/// The findings that weigh something, as rule and line.
fn findings(outcome: &Migration, text: &str) -> Vec<(Rule, usize)> {
    let lines = Lines::of(text.as_bytes());
    outcome
        .findings
        .iter()
        .filter(|finding| finding.severity > Severity::Note)
        .map(|finding| {
            (
                finding.rule,
                lines.position(text.as_bytes(), finding.offset).line,
            )
        })
        .collect()
}
