//! Texts in, texts out.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test stops at what it does not expect"
)]

mod edits;
mod properties;
mod rules;
mod style;

use super::findings::{Outcome, Rule, Severity};
use super::migration::migrate;
use super::settings::{Mend, Settings};
use crate::source::Source;
use k8s_flowcontrol::ApiVersion;
use std::path::Path;

const V1: Settings = Settings {
    to: ApiVersion::V1,
    release: None,
    mend: None,
    allow_loss: false,
};

fn to(version: ApiVersion) -> Settings {
    Settings { to: version, ..V1 }
}

fn run(text: &str, settings: Settings) -> Outcome {
    migrate(text, Path::new("a.yaml"), settings)
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
fn findings(outcome: &Outcome, text: &str) -> Vec<(Rule, usize)> {
    let source = Source::new("a.yaml".into(), text.into(), true);
    outcome
        .findings
        .iter()
        .filter(|finding| finding.severity > Severity::Note)
        .map(|finding| (finding.rule, source.position(finding.offset).line))
        .collect()
}
