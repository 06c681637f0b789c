//! `traffic --by` and `traffic --against`: the requests by caller or another property, and the changes since another log.

use super::Args;
use super::print::quoted;
use crate::audit_logs::{no_requests, read_logs_of};
use crate::failure::Failure;
use crate::output::{Streams, Table, plural, write_report};
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use k8s_flowcontrol_analysis::callers::{By, CallerReport, Callers, Change};
use k8s_flowcontrol_analysis::redact::Redactor;
use k8s_flowcontrol_analysis::traffic::Accounting;
use serde_json::json;
use std::io::Write;
use std::path::PathBuf;

/// The rows of a table.
const ROWS: usize = 20;

/// The option `--by`.
pub(super) fn by() -> impl TypedValueParser<Value = By> {
    let names = By::ALL
        .iter()
        .map(|by| PossibleValue::new(by.as_str()).help(by.summary()));
    PossibleValuesParser::new(names)
        .try_map(|name| By::named(&name).ok_or_else(|| format!("`{name}` is not a property")))
}

/// Prints the callers of the logs, and the changes since the logs of `--against`.
pub(super) fn print(
    args: &Args,
    accounting: &Accounting,
    redactor: &Redactor,
    streams: &mut Streams,
) -> Result<(), Failure> {
    let by = args.by.unwrap_or(By::Caller);
    let changes = match args.against.is_empty() {
        true => None,
        false => {
            let logs = (args.against.as_slice(), "logs of --against: ");
            Some(read(logs, by, accounting, redactor, streams)?)
        }
    };
    let logs = (args.audit_log.as_slice(), "");
    let report = read(logs, by, accounting, redactor, streams)?;
    let changes = changes.map(|before| report.changes_since(&before));
    match args.report.output {
        super::Output::Table => table(&report, changes.as_deref(), streams),
        super::Output::Csv => csv(&report, streams),
        super::Output::Json => {
            let mut value = serde_json::to_value(&report)
                .map_err(|error| Failure::input(format!("cannot write the report: {error}")))?;
            if let Some(changes) = changes {
                value["changes"] = json!(changes);
            }
            Ok(write_report(&mut streams.out, value)?)
        }
    }
}

fn read(
    (logs, whose): (&[PathBuf], &str),
    by: By,
    accounting: &Accounting,
    redactor: &Redactor,
    streams: &mut Streams,
) -> Result<CallerReport, Failure> {
    let mut callers = Callers::new(by, redactor.clone());
    let counts = read_logs_of(logs, whose, streams, |event, _, _| {
        callers.add(event, accounting.sample(event).load.seats);
        Ok(())
    })?;
    match counts.requests {
        0 if !whose.is_empty() => Err(Failure::input(
            "the logs of `--against` contain no requests",
        )),
        0 => Err(no_requests()),
        _ => Ok(callers.report()),
    }
}

fn table(
    report: &CallerReport,
    changes: Option<&[Change]>,
    streams: &mut Streams,
) -> Result<(), Failure> {
    let all: u64 = report.groups.iter().map(|group| group.calls.requests).sum();
    let out = &mut streams.out;
    write!(out, "{}", plural(all, "request"))?;
    if let (Some(first), Some(last)) = (&report.first_request, &report.last_request) {
        write!(out, " that arrived from {first} to {last}")?;
    }
    writeln!(out, "\n")?;
    if let Some(changes) = changes {
        changed(changes, report, streams)?;
    }
    let out = &mut streams.out;
    let name = report.by.to_string().to_uppercase();
    let mut table = Table::new([
        name.as_str(),
        "REQUESTS",
        "SHARE",
        "ESTIMATED",
        "LISTS",
        "NEWEST",
        "UNLIMITED",
        "WATCHES",
        "SHORT",
        "REJECTED",
        "RETRIES",
        "ERRORS",
        "FROM",
    ]);
    for group in report.groups.iter().take(ROWS) {
        let calls = &group.calls;
        let share = calls.requests as f64 / all.max(1) as f64 * 100.0;
        let from = match group.sources.as_slice() {
            [] => String::new(),
            [one] => one.clone(),
            [first, rest @ ..] => format!("{first} and {} more", rest.len()),
        };
        table.row([
            if group.name.is_empty() {
                "(none)".to_owned()
            } else {
                group.name.clone()
            },
            calls.requests.to_string(),
            format!("{share:.1}%"),
            calls.seats.to_string(),
            calls.lists.to_string(),
            calls.newest_lists.to_string(),
            calls.unlimited_lists.to_string(),
            calls.watches.to_string(),
            calls.short_watches.to_string(),
            calls.rejected.to_string(),
            calls.retries.to_string(),
            calls.errors.to_string(),
            from,
        ]);
    }
    table.write(out)?;
    if report.groups.len() > ROWS {
        writeln!(
            out,
            "and {} more; `-o json` has all",
            report.groups.len() - ROWS
        )?;
    }
    writeln!(
        out,
        "\nNEWEST: lists without resourceVersion, which the server must answer with the newest state. UNLIMITED: lists without limit. \
        SHORT: watches that ended within a minute. RETRIES: requests that repeat a rejected request within a minute after its response."
    )?;
    Ok(())
}

fn changed(
    changes: &[Change],
    report: &CallerReport,
    streams: &mut Streams,
) -> Result<(), Failure> {
    streams.fact("changes", changes.len().to_string());
    let out = &mut streams.out;
    if changes.is_empty() {
        writeln!(out, "no changes since the logs before\n")?;
        return Ok(());
    }
    let name = report.by.to_string().to_uppercase();
    let mut table = Table::new(["CHANGE", name.as_str(), "BEFORE/HOUR", "AFTER/HOUR"]).keys(2);
    for change in changes.iter().take(ROWS) {
        table.row([
            change.kind.text().to_owned(),
            change.name.clone(),
            format!("{:.1}", change.before),
            format!("{:.1}", change.after),
        ]);
    }
    table.write(out)?;
    if changes.len() > ROWS {
        writeln!(out, "and {} more; `-o json` has all", changes.len() - ROWS)?;
    }
    Ok(writeln!(out)?)
}

fn csv(report: &CallerReport, streams: &mut Streams) -> Result<(), Failure> {
    let mut out = streams.out.data();
    writeln!(
        out,
        "{},requests,seats,lists,newestLists,unlimitedLists,watches,shortWatches,rejected,retries,hastyRetries,errors,sources",
        report.by
    )?;
    for group in &report.groups {
        let calls = &group.calls;
        writeln!(
            out,
            "{},{},{},{},{},{},{},{},{},{},{},{},{}",
            quoted(&group.name),
            calls.requests,
            calls.seats,
            calls.lists,
            calls.newest_lists,
            calls.unlimited_lists,
            calls.watches,
            calls.short_watches,
            calls.rejected,
            calls.retries,
            calls.hasty_retries,
            calls.errors,
            quoted(&group.sources.join(" "))
        )?;
    }
    Ok(())
}
