//! The verdict of a diagnosis.

use super::checks::machine::is_known_now;
use super::context::Context;
use super::finding::{Finding, Gap, Severity};
use super::load::Load;
use super::unknown_levels::UnknownLevel;
use k8s_flowcontrol_types::__named as named;
use std::collections::BTreeSet;

named! {
    /// The state of a cluster in one word.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    #[non_exhaustive]
    pub enum Verdict {
        /// Requests wait, and all seats are in use that their priority level can get; or the machine limits a server whose requests wait or are rejected.
        Overloaded = "overloaded",
        /// Requests wait or are rejected although a server has idle seats.
        Misconfigured = "misconfigured",
        /// Requests are rejected, and the evidence does not show whether seats are idle.
        Rejecting = "rejecting",
        /// Requests wait, none is rejected, and the evidence does not show whether seats are idle; or the server can still give their level more.
        Waiting = "waiting",
        /// No request waits or is rejected now, but many did before, or some would under more load.
        AtRisk = "at-risk",
        /// No request waits or is rejected.
        Healthy = "healthy",
        /// Neither metrics nor dumps show whether requests wait.
        Unknown = "unknown",
    }
    /// The verdict as one word, such as `overloaded`.
    pub fn as_str;
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

/// The checks that find problems of the configuration.
const CONFIGURATION: [&str; 3] = ["idle-seats", "closed-level", "wide-requests"];

pub(super) fn of(context: &Context<'_>, findings: &[Finding]) -> Verdict {
    let has = |check: &str| findings.iter().any(|finding| finding.check == check);
    let has_severity = |severity| findings.iter().any(|finding| finding.severity == severity);
    // A note is beside something else that limits the requests.
    let is_configuration = || {
        let mut problems = findings
            .iter()
            .filter(|finding| finding.severity == Severity::Problem);
        problems.any(|finding| CONFIGURATION.contains(&finding.check))
    };
    // Nothing is known about a level that does not exist.
    let is_known = context.loads().next().is_some()
        && context
            .evidence
            .servers
            .iter()
            .any(|server| server.has_load());
    let rejects = || {
        let mut unknown = context.unknown_levels();
        unknown.any(|level| level.rejected > 0)
            || context.loads().any(|load| !load.rejections.is_empty())
    };
    let waits = || {
        let mut unknown = context.unknown_levels();
        unknown.any(|level| level.waiting > 0) || context.loads().any(|load| load.waiting() > 0)
    };
    if has("overload") || findings.iter().any(is_limited) {
        Verdict::Overloaded
    } else if is_configuration() {
        Verdict::Misconfigured
    } else if is_known && rejects() {
        Verdict::Rejecting
    } else if is_known && waits() {
        Verdict::Waiting
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
        let mut findings = findings.iter();
        findings
            .find(|finding| finding.check == check && finding.severity == Severity::Problem)
            .map(|finding| finding.message.as_str())
    };
    match verdict {
        Verdict::Overloaded => {
            if let Some(machine) = findings.iter().find(|finding| is_limited(finding)) {
                return format!("{}; {}.", capitalized(&machine.message), troubles(context));
            }
            let levels = levels_of(findings, &["overload"]);
            format!("Requests of {levels} wait, and the other levels can lend few seats.")
        }
        Verdict::Misconfigured => {
            let levels = levels_of(findings, &CONFIGURATION);
            let first = CONFIGURATION
                .into_iter()
                .find_map(of_check)
                .unwrap_or_default();
            match is_machine_known(context, findings) {
                true => format!(
                    "The configuration, and not the server, limits requests of {levels}: {first}."
                ),
                false => format!(
                    "The configuration limits requests of {levels}: {first}. Whether the processor, etcd or the memory limits the server too is \
                     unknown."
                ),
            }
        }
        Verdict::Rejecting | Verdict::Waiting => {
            format!("{}.", capitalized(&troubles(context)))
        }
        Verdict::AtRisk => {
            let mut risks = findings.iter().map(|finding| finding.message.as_str());
            let first = risks.next().unwrap_or_default();
            format!("{}, but there is a risk: {first}.", no_trouble(context))
        }
        Verdict::Healthy => format!("{}.", no_trouble(context)),
        Verdict::Unknown => {
            match context.scope.level.filter(|_| context.loads().next().is_none()) {
                Some(level) if !context.evidence.servers.is_empty() => {
                    format!("The priority level {level} does not exist, or the server ignores it.")
                }
                _ => "The load of the API servers is unknown: no metrics or debug dump shows whether requests wait."
                    .to_owned(),
            }
        }
    }
}

/// Whether a finding says that requests wait because of a server's machine.
fn is_limited(finding: &Finding) -> bool {
    finding.check == "machine" && finding.severity == Severity::Problem
}

/// Whether a level that is not among the objects has such requests.
type Unknown = fn(&UnknownLevel<'_>) -> bool;

/// The levels in which requests wait, and those in which they are or were rejected, as the end of a sentence.
fn troubles(context: &Context<'_>) -> String {
    let rejected = |load: &Load<'_>, is_now: bool| {
        let mut rejections = load.rejections.iter();
        rejections.any(|found| found.period.is_interval() == is_now)
    };
    let part = |what: &str, is_so: &dyn Fn(&Load<'_>) -> bool, unknown: Unknown| {
        let loads = context.loads().filter(|load| is_so(load));
        let mut levels: BTreeSet<_> = loads.map(|load| load.name()).collect();
        let others = context.unknown_levels().filter(|level| unknown(level));
        levels.extend(others.map(|level| level.name.as_str()));
        (!levels.is_empty()).then(|| format!("{what} {}", named(&levels)))
    };
    let parts = [
        part("requests wait in", &|load| load.waiting() > 0, |level| {
            level.waiting > 0
        }),
        part(
            "requests are rejected in",
            &|load| rejected(load, true),
            |level| level.rejected > 0,
        ),
        part(
            "requests were rejected since the server started in",
            &|load| rejected(load, false),
            |_| false,
        ),
    ];
    let parts: Vec<_> = parts.into_iter().flatten().collect();
    parts.join(", and ")
}

fn capitalized(text: &str) -> String {
    let mut chars = text.chars();
    let first = chars.next().map(|first| first.to_ascii_uppercase());
    first.into_iter().chain(chars).collect()
}

/// A sentence without its end, about the levels in the scope.
fn no_trouble(context: &Context<'_>) -> String {
    let what = "No request waits or is rejected now";
    match context.levels_in_scope() {
        None => what.to_owned(),
        Some(levels) => format!("{what} in {levels}"),
    }
}

/// Whether it is known of every server with a finding that makes the verdict that its machine does not limit it.
fn is_machine_known(context: &Context<'_>, findings: &[Finding]) -> bool {
    let problems = findings
        .iter()
        .filter(|finding| finding.severity == Severity::Problem);
    let mut servers = problems.filter_map(|finding| finding.server.as_deref());
    servers.all(|name| {
        let mut known = context.evidence.servers.iter();
        known.any(|server| server.name == name && is_known_now(server))
    })
}

/// The priority levels of findings.
fn levels_of(findings: &[Finding], checks: &[&str]) -> String {
    let of_checks = findings
        .iter()
        .filter(|finding| finding.severity == Severity::Problem && checks.contains(&finding.check));
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
