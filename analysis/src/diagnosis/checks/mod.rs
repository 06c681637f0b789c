//! The checks, one per file; each file declares its check.

mod borrowing;
mod busiest_flow;
mod closed_level;
mod idle_seats;
pub(super) mod machine;
mod memory;
mod overload;
mod ownership;
mod rejections;
mod starvation;
mod system_traffic;
mod uneven_servers;
mod user_requests;
mod waiting;
mod wide_requests;

use super::context::Context;
use super::finding::{Finding, Severity};
use super::load::{Load, sources};
use super::observation::Observation;
use crate::nouns::count;

/// All checks, in the order of their findings.
pub fn checks() -> &'static [Check] {
    &[
        machine::CHECK,
        memory::CHECK,
        overload::CHECK,
        idle_seats::CHECK,
        closed_level::CHECK,
        wide_requests::CHECK,
        waiting::CHECK,
        rejections::CHECK,
        busiest_flow::CHECK,
        borrowing::CHECK,
        starvation::CHECK,
        system_traffic::CHECK,
        ownership::CHECK,
        uneven_servers::CHECK,
        user_requests::CHECK,
    ]
}

/// A check of the evidence.
#[derive(Clone, Copy, Debug)]
pub struct Check {
    id: &'static str,
    summary: &'static str,
    run: fn(&Context<'_>, &mut Report),
}

impl Check {
    /// The id, such as `rejections`.
    pub const fn id(&self) -> &'static str {
        self.id
    }

    /// The findings of the check, in one sentence.
    pub const fn summary(&self) -> &'static str {
        self.summary
    }

    pub(super) fn findings(&self, context: &Context<'_>) -> Vec<Finding> {
        let mut report = Report {
            check: self.id,
            findings: Vec::new(),
        };
        (self.run)(context, &mut report);
        report.findings
    }
}

/// The findings of a check.
pub(super) struct Report {
    check: &'static str,
    findings: Vec<Finding>,
}

impl Report {
    /// Adds a finding about a priority level on a server.
    fn level(
        &mut self,
        severity: Severity,
        load: &Load<'_>,
        message: String,
        evidence: Vec<Observation>,
        action: impl Into<String>,
    ) {
        let place = (Some(load.server.name.as_str()), Some(load.name()));
        self.add(severity, place, message, evidence, action.into());
    }

    /// Adds a finding about a server.
    fn server(
        &mut self,
        severity: Severity,
        server: &str,
        message: String,
        evidence: Vec<Observation>,
        action: impl Into<String>,
    ) {
        let place = (Some(server), None);
        self.add(severity, place, message, evidence, action.into());
    }

    /// Adds a finding about the objects, the logs, or all servers.
    fn cluster(
        &mut self,
        severity: Severity,
        priority_level: Option<&str>,
        message: String,
        evidence: Vec<Observation>,
        action: impl Into<String>,
    ) {
        let place = (None, priority_level);
        self.add(severity, place, message, evidence, action.into());
    }

    fn add(
        &mut self,
        severity: Severity,
        (server, priority_level): (Option<&str>, Option<&str>),
        message: String,
        evidence: Vec<Observation>,
        action: String,
    ) {
        self.findings.push(Finding {
            check: self.check,
            severity,
            server: server.map(str::to_owned),
            priority_level: priority_level.map(str::to_owned),
            message,
            evidence,
            action,
        });
    }
}

/// Advice about seats, for a server that nothing else limits. More seats for a server that something else limits make all requests slower.
fn about_seats(load: &Load<'_>, advice: &str) -> String {
    match machine::Limit::of(load.server) {
        None => advice.to_owned(),
        Some(limit) => limit.keep(),
    }
}

/// A problem if requests wait or are rejected now, and else a risk.
fn problem_if(is_in_trouble: bool) -> Severity {
    match is_in_trouble {
        true => Severity::Problem,
        false => Severity::Risk,
    }
}

/// Who gains and who pays depends on the load, which metrics and dumps do not have.
const MORE_SEATS: &str =
    "simulate more seats for it over an audit log first, to see who gains and who pays";

/// A probability for people.
fn percent(probability: f64) -> String {
    match probability * 100.0 {
        percent if percent > 0.0 && percent < 0.01 => format!("{percent:.1e} %"),
        percent => format!("{percent:.2} %"),
    }
}

/// The percentage of a part, for people; 0 without a whole.
fn share(part: i64, whole: i64) -> i64 {
    match whole > 0 {
        true => i64::try_from(i128::from(part) * 100 / i128::from(whole)).unwrap_or(100),
        false => 0,
    }
}

/// So many requests of a level that wait, with the verb.
fn waiting_requests(number: i64, level: &str) -> String {
    let verb = if number == 1 { "waits" } else { "wait" };
    format!(
        "{} of priority level {level} {verb}",
        count(number, "request")
    )
}
