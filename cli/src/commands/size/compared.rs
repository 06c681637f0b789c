//! The present objects, a proposal and the answer beside each other.

use super::report::check_json;
use crate::commands::simulate::outcome::{seconds, time};
use crate::commands::simulate::page::busy;
use crate::failure::Failure;
use crate::output::{Streams, Table, plural};
use k8s_flowcontrol_analysis::simulation::{LevelReport, Report};
use k8s_flowcontrol_analysis::size::{Check, Examination, Sizing};
use serde_json::{Value, json};
use std::io::Write;

/// Configurations under one load, with their names.
pub(super) struct Compared<'a> {
    reports: Vec<(&'static str, &'a Report)>,
}

impl<'a> Compared<'a> {
    pub(super) fn new(sizing: &'a Sizing, proposed: Option<&'a Examination>) -> Self {
        let mut reports = vec![("before", &sizing.reports.before)];
        reports.extend(proposed.map(|proposed| ("compared", &proposed.report)));
        reports.push(("after", &sizing.reports.after));
        Self { reports }
    }

    /// The waits and the headroom of each level.
    pub(super) fn print(&self, seats: u32, streams: &mut Streams) -> Result<(), Failure> {
        let compared = match self.reports.len() {
            2 => "",
            _ => ", the compared configuration (compared)",
        };
        writeln!(
            streams.err,
            "the whole load with {}: the present objects (before){compared} and the answer (after)",
            plural(seats, "seat")
        )?;
        let mut table = Table::new([
            "PRIORITYLEVEL",
            "CONFIGURATION",
            "REQUESTS",
            "P99 WAIT",
            "STATUS 429",
            "LEAST FREE SEATS",
        ]);
        for (name, configuration, level) in self.rows() {
            table.row([
                name,
                configuration.to_owned(),
                level.counts.arrived.to_string(),
                time(level.waits.percentile(99.0)),
                (level.counts.rejected + level.counts.timed_out).to_string(),
                level
                    .least_free_seats
                    .map_or_else(|| "-".to_owned(), |seats| seats.to_string()),
            ]);
        }
        table.write(&mut streams.err)?;
        writeln!(streams.err)?;
        Ok(())
    }

    pub(super) fn json(&self) -> Vec<Value> {
        let rows = self.rows().into_iter();
        rows.map(|(name, configuration, level)| {
            json!({
                "priorityLevel": name,
                "configuration": configuration,
                "requests": level.counts.arrived,
                "p99Seconds": seconds(level.waits.percentile(99.0)),
                "rejected": level.counts.rejected + level.counts.timed_out,
                "leastFreeSeats": level.least_free_seats,
            })
        })
        .collect()
    }

    fn rows(&self) -> Vec<(String, &'static str, &'a LevelReport)> {
        let reports: Vec<_> = self.reports.iter().map(|(_, report)| *report).collect();
        let mut rows = Vec::new();
        for name in busy(&reports) {
            for (configuration, report) in &self.reports {
                let level = report.levels.iter().find(|level| level.name == name);
                rows.extend(level.map(|level| (name.clone(), *configuration, level)));
            }
        }
        rows
    }
}

/// Prints the checks of a proposal.
pub(super) fn print_proposed(proposed: &Examination, streams: &mut Streams) -> Result<(), Failure> {
    for line in verdict_of(proposed) {
        streams.err.paragraph(&line)?;
    }
    Ok(())
}

/// The verdict about a proposal, and the checks that fail.
pub(super) fn verdict_of(proposed: &Examination) -> Vec<String> {
    let verdict = match proposed.proof.is_met() {
        true => "the compared configuration satisfies all intents",
        false => "the compared configuration does not satisfy all intents:",
    };
    let failing = failing(proposed);
    let failing = failing.map(|(load, check)| format!("{}: {check}: {load}", check.name));
    [verdict.to_owned()].into_iter().chain(failing).collect()
}

/// The checks of a proposal, for programs; null without one.
pub(super) fn proposed_json(proposed: Option<&Examination>) -> Value {
    match proposed {
        None => Value::Null,
        Some(proposed) => {
            let failing = failing(proposed).map(|(_, check)| check_json(check));
            json!({"isMet": proposed.proof.is_met(), "failing": failing.collect::<Vec<_>>()})
        }
    }
}

/// The checks that fail, with their loads.
fn failing(proposed: &Examination) -> impl Iterator<Item = (&str, &Check)> {
    let examined = proposed.proof.examined.iter();
    let required = examined.filter(|examined| examined.is_required);
    let checks = required.flat_map(|examined| {
        let checks = examined.checks.iter();
        checks.map(|check| (examined.title.as_str(), check))
    });
    checks.filter(|(_, check)| !check.is_met())
}
