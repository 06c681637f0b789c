//! The report as tables and as comma-separated values.

use crate::failure::Failure;
use crate::output::{Stream, Streams, Table, plural};
use k8s_flowcontrol_analysis::metrics::StoredObjects;
use k8s_flowcontrol_analysis::traffic::{
    Class, Comparison, FlowTraffic, Named, Report, Sums, WaitSource,
};
use std::io::{self, Write};

/// The rows of the longer tables.
const ROWS: usize = 10;
/// The users and verbs that a row names.
const NAMES: usize = 3;

/// Writes the report for people.
pub(super) fn tables(report: &Report, streams: &mut Streams) -> Result<(), Failure> {
    let all = report.requests.saturating_sub(report.unseen);
    let out = &mut streams.out;
    counts(report, out)?;
    levels(report, all, out)?;
    flow_schemas(report, all, out)?;
    flows(report, all, out)?;
    deprecated(report, out)?;
    match &report.comparison {
        Some(comparison) => compared(comparison, all, streams),
        None => Ok(()),
    }
}

/// How many requests the logs have, and what they lack.
fn counts(report: &Report, out: &mut Stream) -> io::Result<()> {
    write!(out, "{}", plural(report.requests, "request"))?;
    if let (Some(first), Some(last)) = (&report.first_request, &report.last_request) {
        write!(out, " that arrived from {first} to {last}")?;
    }
    writeln!(out)?;
    for (count, problem) in [
        (report.unseen, "not subject to flow control"),
        (
            report.incomplete,
            "without an end in the logs, and so without seat-seconds",
        ),
    ] {
        if count > 0 {
            writeln!(out, "{count} of them {problem}")?;
        }
    }
    for note in &report.coverage.notes {
        writeln!(out, "note: {note}")?;
    }
    Ok(())
}

fn levels(report: &Report, all: u64, out: &mut Stream) -> io::Result<()> {
    let mut table = Table::new([
        "PRIORITYLEVEL",
        "REQUESTS",
        "SHARE",
        "ESTIMATED",
        "SEATSECONDS",
        "PEAK",
        "REJECTED",
        "USERS",
    ]);
    for level in &report.priority_levels {
        let [requests, share, seats, work, rejected] = cells(&level.sums, all);
        let peak = format!("{:.3}", level.peak_seats);
        let (name, users) = (level.name.clone(), level.users.to_string());
        table.row([name, requests, share, seats, work, peak, rejected, users]);
    }
    writeln!(out)?;
    table.write(out)?;
    for note in notes(report) {
        writeln!(out, "\n{note}")?;
    }
    Ok(())
}

fn flow_schemas(report: &Report, all: u64, out: &mut Stream) -> io::Result<()> {
    let mut table = Table::new([
        "FLOWSCHEMA",
        "PRIORITYLEVEL",
        "REQUESTS",
        "SHARE",
        "ESTIMATED",
        "USERS",
        "VERBS",
    ]);
    for schema in &report.flow_schemas {
        let [requests, share, seats, ..] = cells(&schema.sums, all);
        let (class, users, verbs) = (&schema.class, names(&schema.users), names(&schema.verbs));
        let (schema, level) = (class.flow_schema.clone(), class.priority_level.clone());
        table.row([schema, level, requests, share, seats, users, verbs]);
    }
    writeln!(out)?;
    table.write(out)?;
    let unused = report.unused_flow_schemas.iter();
    let unused: Vec<_> = unused.map(|class| class.flow_schema.as_str()).collect();
    if unused.is_empty() {
        return Ok(());
    }
    let unused = unused.join(", ");
    writeln!(out, "\nflow schemas without a request: {unused}")
}

fn flows(report: &Report, all: u64, out: &mut Stream) -> io::Result<()> {
    let mut table = Table::new([
        "BUSIEST FLOWS",
        "FLOWSCHEMA",
        "REQUESTS",
        "ESTIMATED",
        "SEATSECONDS",
        "REJECTED",
    ])
    .keys(2);
    for flow in report.flows.iter().take(ROWS) {
        let [requests, _, seats, work, rejected] = cells(&flow.sums, all);
        let name = name_of_flow(flow, report).to_owned();
        let schema = flow.flow_schema.clone();
        table.row([name, schema, requests, seats, work, rejected]);
    }
    writeln!(out)?;
    table.write(out)?;
    further(report.flows.len(), "flow", out)
}

/// The name of a flow of the report.
pub(super) fn name_of_flow<'a>(flow: &'a FlowTraffic, report: &'a Report) -> &'a str {
    let name = |flow: &'a FlowTraffic| (&*flow.flow_schema, &*flow.flow);
    flow_name(name(flow), report.flows.iter().map(name))
}

/// The name of a flow among `all` flows, each with its flow schema and its distinguisher. Without one, it has all requests of the flow
/// schema, or, beside other flows of the schema, those without a namespace.
pub(crate) fn flow_name<'a>(
    (schema, distinguisher): (&str, &'a str),
    all: impl IntoIterator<Item = (&'a str, &'a str)>,
) -> &'a str {
    let mut others = all.into_iter();
    match distinguisher {
        "" if others.any(|(own, other)| own == schema && !other.is_empty()) => "(no namespace)",
        "" => "(all requests)",
        distinguisher => distinguisher,
    }
}

/// The clients of versions that a later release removes.
fn deprecated(report: &Report, out: &mut Stream) -> io::Result<()> {
    if report.deprecated.is_empty() {
        return Ok(());
    }
    let mut table = Table::new([
        "DEPRECATED VERSION",
        "RESOURCE",
        "REMOVED",
        "USER",
        "USERAGENT",
        "REQUESTS",
    ])
    .keys(2);
    for caller in &report.deprecated {
        let client = &caller.client;
        table.row([
            client.api_version.clone(),
            client.resource.clone(),
            client.removed_release.clone(),
            client.user.clone(),
            client.user_agent.clone(),
            caller.requests.to_string(),
        ]);
    }
    writeln!(out)?;
    table.write(out)
}

fn compared(comparison: &Comparison, all: u64, streams: &mut Streams) -> Result<(), Failure> {
    let moved = comparison.moved_requests;
    streams.fact("requests that move", format!("{moved} of {all}"));
    let out = &mut streams.out;
    writeln!(
        out,
        "\nproposed configuration: {} of {all} requests move",
        moved
    )?;
    if moved == 0 {
        return Ok(());
    }
    let mut table = Table::new(["FROM", "TO", "REQUESTS", "ESTIMATED", "USERS"]);
    for moved in &comparison.moves {
        let [requests, _, seats, ..] = cells(&moved.sums, all);
        table.row([
            format!("{} ({})", moved.from.flow_schema, moved.from.priority_level),
            format!("{} ({})", moved.to.flow_schema, moved.to.priority_level),
            requests,
            seats,
            names(&moved.users),
        ]);
    }
    table.write(out)?;
    writeln!(out)?;
    let mut table = Table::new(["PRIORITYLEVEL", "REQUESTS", "SEATSECONDS"]);
    for level in &comparison.priority_levels {
        let (before, after) = (level.before, level.after);
        if before == after {
            continue;
        }
        table.row([
            level.name.clone(),
            format!("{} → {}", before.requests, after.requests),
            format!("{:.3} → {:.3}", before.seat_seconds, after.seat_seconds),
        ]);
    }
    Ok(table.write(out)?)
}

/// Requests, their share, seats, seat-seconds, and rejected requests.
fn cells(sums: &Sums, all: u64) -> [String; 5] {
    [
        sums.requests.to_string(),
        format!("{:.1}%", sums.requests as f64 / all.max(1) as f64 * 100.0),
        sums.seats.to_string(),
        format!("{:.3}", sums.seat_seconds),
        sums.rejected.to_string(),
    ]
}

/// The first names, and the number of the others.
pub(super) fn names(named: &[Named]) -> String {
    let mut text: Vec<_> = named
        .iter()
        .take(NAMES)
        .map(|named| format!("{} {}", named.name, named.requests))
        .collect();
    if named.len() > NAMES {
        text.push(format!("{} more", named.len() - NAMES));
    }
    text.join(", ")
}

fn further(count: usize, thing: &str, out: &mut impl Write) -> io::Result<()> {
    match count > ROWS {
        true => writeln!(
            out,
            "and {}; `-o json` has all",
            plural(count - ROWS, thing)
        ),
        false => Ok(()),
    }
}

/// Writes one row for the requests with the same flow schemas, user and verb.
pub(super) fn csv(report: &Report, streams: &mut Streams) -> Result<(), Failure> {
    let mut out = streams.out.data();
    let compares = report.comparison.is_some();
    let proposed = if compares {
        ",proposedFlowSchema,proposedPriorityLevel"
    } else {
        ""
    };
    writeln!(
        out,
        "flowSchema,priorityLevel,user,verb,requests,seats,seatSeconds,rejected{proposed}"
    )?;
    for (cell, sums) in &report.cells {
        let class = |class: &Option<Class>| match class {
            Some(class) => (class.flow_schema.clone(), class.priority_level.clone()),
            None => Default::default(),
        };
        let (schema, level) = class(&cell.class);
        write!(
            out,
            "{},{},{},{},{},{},{},{}",
            quoted(&schema),
            quoted(&level),
            quoted(&cell.user),
            quoted(&cell.verb),
            sums.requests,
            sums.seats,
            sums.seat_seconds,
            sums.rejected
        )?;
        if compares {
            let (schema, level) = class(&cell.proposed);
            write!(out, ",{},{}", quoted(&schema), quoted(&level))?;
        }
        writeln!(out)?;
    }
    Ok(())
}

/// The characters that spreadsheets read as the beginning of a formula: also in full width, and behind a tab or a line break.
const FORMULA: [char; 11] = ['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠'];

/// A field of RFC 4180. A character that a spreadsheet reads as the beginning of a formula is quoted with an apostrophe: the first
/// one, and one after a character at which a spreadsheet may begin another cell.
pub(super) fn quoted(field: &str) -> String {
    let mut inert = String::with_capacity(field.len());
    let mut is_first = true;
    for character in field.chars() {
        if is_first && FORMULA.contains(&character) {
            inert.push('\'');
        }
        is_first = matches!(character, ';' | '\t');
        inert.push(character);
    }
    match inert.contains([',', '"', '\n', '\r', ';', '\t']) {
        true => format!("\"{}\"", inert.replace('"', "\"\"")),
        false => inert,
    }
}

/// The uncertainty of the seats and of the seat-seconds, where it matters.
pub(super) fn notes(report: &Report) -> Vec<String> {
    let mut verbs = report.flow_schemas.iter().flat_map(|schema| &schema.verbs);
    let lists = match &report.stored_objects {
        Some(stored) if *stored != StoredObjects::default() => None,
        Some(_) => Some(
            "The numbers of stored objects are not known: every list counts as one seat, and can take more.",
        ),
        None => Some(
            "The partial results have different numbers of stored objects: a list counts as one seat where they are not known, and can take more.",
        ),
    };
    let lists = lists.filter(|_| verbs.any(|verb| verb.name == "list"));
    let lists = lists.map(str::to_owned).into_iter();
    lists.chain(waits(report)).collect()
}

/// The uncertainty of the seat-seconds that waits leave, for the levels where it matters.
fn waits(report: &Report) -> Option<String> {
    let unsure: Vec<_> = report
        .priority_levels
        .iter()
        .filter(|level| level.least_seat_seconds < level.most_seat_seconds * LEAST_SURE)
        .map(|level| {
            format!(
                "{} {:.3} to {:.3}",
                level.name, level.least_seat_seconds, level.most_seat_seconds
            )
        })
        .collect();
    if unsure.is_empty() {
        return None;
    }
    let possible = format!("Possible seat-seconds: {}", unsure.join(", "));
    Some(match report.waits {
        WaitSource::Recorded => format!(
            "Waits of requests that took less than half a second are not in the log; they are estimated from the queues of the levels. {possible}"
        ),
        WaitSource::RecordedAlone => format!(
            "Waits of requests that took less than half a second are not in the log, and the seats of the server are not known (`--server-seats`): seat-seconds \
             and peaks contain these waits. {possible}"
        ),
        WaitSource::Modelled => format!(
            "The log does not have waits in queues; they are estimated from the queues of the levels. {possible}"
        ),
        _ => "The log does not have waits in queues, and the seats of the server are not known (`--server-seats`): seat-seconds and peaks contain the time in queues."
            .to_owned(),
    })
}

/// A level whose least seat-seconds are a smaller part than this is named.
const LEAST_SURE: f64 = 0.95;
