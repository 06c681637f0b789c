//! The verdict of a diagnosis.

use super::context::Context;
use super::finding::{Finding, Gap, Severity};
use super::load::Load;
use std::collections::BTreeSet;
use std::fmt;

/// The state of a cluster in one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Verdict {
    /// Requests wait because the seats of a server are in use.
    Overloaded,
    /// Requests wait or are rejected although a server has idle seats.
    Misconfigured,
    /// Requests wait or are rejected, and the evidence does not show whether seats are idle.
    Rejecting,
    /// No request waits or is rejected, but some would under more load.
    AtRisk,
    /// No request waits or is rejected.
    Healthy,
    /// Neither metrics nor dumps show the load of a server.
    Unknown,
}

impl Verdict {
    /// The verdict as one word, such as `overloaded`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Overloaded => "overloaded",
            Self::Misconfigured => "misconfigured",
            Self::Rejecting => "rejecting",
            Self::AtRisk => "at-risk",
            Self::Healthy => "healthy",
            Self::Unknown => "unknown",
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// The result of a diagnosis.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Diagnosis {
    /// The state in one word.
    pub verdict: Verdict,
    /// The state in one or two sentences.
    pub summary: String,
    /// The findings; problems come first.
    pub findings: Vec<Finding>,
    /// The evidence that is missing, with the reasons.
    pub gaps: Vec<Gap>,
}

pub(super) fn of(context: &Context<'_>, findings: &[Finding]) -> Verdict {
    let has = |check: &str| findings.iter().any(|finding| finding.check == check);
    let has_severity = |severity| findings.iter().any(|finding| finding.severity == severity);
    let is_wide = || {
        let mut problems = findings
            .iter()
            .filter(|finding| finding.severity == Severity::Problem);
        problems.any(|finding| finding.check == "wide-requests")
    };
    // Nothing is known about a level that does not exist.
    let is_known = context.loads().next().is_some()
        && context
            .evidence
            .servers
            .iter()
            .any(|server| server.has_load());
    let is_in_trouble = || {
        let mut loads = context.loads();
        loads.any(Load::is_in_trouble)
    };
    if has("overload") || findings.iter().any(is_limited) {
        Verdict::Overloaded
    } else if has("idle-seats") || has("closed-level") || is_wide() {
        Verdict::Misconfigured
    } else if is_known && is_in_trouble() {
        Verdict::Rejecting
    } else if !is_known {
        Verdict::Unknown
    } else if has_severity(Severity::Problem) || has_severity(Severity::Risk) {
        Verdict::AtRisk
    } else {
        Verdict::Healthy
    }
}

pub(super) fn summary(verdict: Verdict, context: &Context<'_>, findings: &[Finding]) -> String {
    let of_check = |check: &str| {
        let mut of_check = findings.iter().filter(|finding| finding.check == check);
        of_check.next().map(|finding| finding.message.as_str())
    };
    match verdict {
        Verdict::Overloaded => {
            if let Some(machine) = findings.iter().find(|finding| is_limited(finding)) {
                let levels = in_trouble(context);
                return format!(
                    "The server is overloaded: {}; requests wait or are rejected in {}.",
                    machine.message,
                    named(&levels)
                );
            }
            let levels = levels_of(findings, &["overload"]);
            format!("The server is overloaded: requests of {levels} wait, and few seats are idle.")
        }
        Verdict::Misconfigured => {
            let checks = ["idle-seats", "closed-level", "wide-requests"];
            let levels = levels_of(findings, &checks);
            let first = checks.into_iter().find_map(of_check).unwrap_or_default();
            format!("The configuration, and not the server, limits requests of {levels}: {first}.")
        }
        Verdict::Rejecting => {
            let levels = in_trouble(context);
            let what = match context.loads().any(Load::is_in_trouble_now) {
                true => "Requests wait or are rejected",
                false => "Requests were rejected since the server started",
            };
            format!("{what} in {}.", named(&levels))
        }
        Verdict::AtRisk => {
            let mut risks = findings.iter().map(|finding| finding.message.as_str());
            let first = risks.next().unwrap_or_default();
            format!("No request waits or is rejected now, but there is a risk: {first}.")
        }
        Verdict::Healthy => match context.levels_in_scope() {
            None => "No request waits or is rejected now.".to_owned(),
            Some(levels) => format!("No request waits or is rejected now in {levels}."),
        },
        Verdict::Unknown => {
            match context.scope.level.filter(|_| context.loads().next().is_none()) {
                Some(level) if !context.evidence.servers.is_empty() => {
                    format!("The priority level {level} does not exist, or the server ignores it.")
                }
                _ => "The load of the API servers is unknown: no server shows its metrics or debug dumps."
                    .to_owned(),
            }
        }
    }
}

/// Whether a finding says that requests wait because of a server's machine.
fn is_limited(finding: &Finding) -> bool {
    finding.check == "machine" && finding.severity == Severity::Problem
}

/// The levels with waiting or rejected requests.
fn in_trouble<'a>(context: &'a Context<'_>) -> BTreeSet<&'a str> {
    let loads = context.loads().filter(|load| load.is_in_trouble());
    loads.map(|load| load.name()).collect()
}

/// The priority levels of findings.
fn levels_of(findings: &[Finding], checks: &[&str]) -> String {
    let of_checks = findings
        .iter()
        .filter(|finding| checks.contains(&finding.check));
    named(
        &of_checks
            .filter_map(|finding| finding.priority_level.as_deref())
            .collect(),
    )
}

fn named(levels: &BTreeSet<&str>) -> String {
    let names: Vec<_> = levels.iter().copied().collect();
    let noun = if names.len() == 1 {
        "priority level"
    } else {
        "priority levels"
    };
    format!("{noun} {}", names.join(", "))
}
