//! The table and the JSON.

use super::flow::Flow;
use super::reading::{Level, Reading, Readings};
use crate::failure::Failure;
use crate::output::{Streams, Table, plural};
use serde_json::json;
use std::io::Write;

/// Prints the levels of each server as a table.
pub(super) fn print(all: &Readings, streams: &mut Streams) -> Result<(), Failure> {
    let readings = &all.servers;
    let has_one = readings.len() == 1;
    let mut head = vec!["PRIORITYLEVEL"];
    head.extend((!has_one).then_some("SERVER"));
    head.extend([
        "EXECUTING",
        "WAITING",
        "REJECTED/S",
        "INUSE",
        "LIMIT",
        "BORROWED",
    ]);
    let mut table = Table::with_head(&head).keys(head.len() - 6);
    let mut rows: Vec<_> = readings
        .iter()
        .flat_map(|reading| reading.levels.iter().map(|level| (level, &reading.address)))
        .collect();
    // A stable sort keeps the order of the servers.
    rows.sort_by(|(left, _), (right, _)| left.name.cmp(&right.name));
    for (level, server) in rows {
        let mut cells = vec![level.name.clone()];
        cells.extend((!has_one).then(|| server.clone()));
        cells.extend([
            number(level.executing),
            number(level.waiting),
            rate(level.rejected_per_second),
            number(level.seats_in_use),
            limit(level),
            borrowed(level),
        ]);
        table.add(cells);
    }
    table.write(&mut streams.out)?;
    let servers = plural(readings.len(), "API server");
    let reached: Vec<_> = readings
        .iter()
        .map(|reading| format!("reached by {} at {}", reading.reached_by, reading.address))
        .collect();
    writeln!(streams.out)?;
    let reached = reached.join(", ");
    streams
        .out
        .paragraph(&format!("{servers} responded, {reached}"))?;
    for missing in all.missing() {
        streams.out.paragraph(&missing)?;
    }
    Ok(())
}

/// The report for programs.
pub(super) fn as_json(readings: &[Reading]) -> serde_json::Value {
    let level = |level: &Level| {
        json!({
            "name": level.name,
            "executing": level.executing,
            "waiting": level.waiting,
            "rejected": level.rejected,
            "rejectedPerSecond": level.rejected_per_second,
            "seatsInUse": level.seats_in_use,
            "seats": level.seats.filter(|_| !level.is_exempt()),
            "nominalSeats": level.nominal_seats,
        })
    };
    let flow = |flow: &Flow| {
        json!({
            "level": flow.level,
            "flowSchema": flow.schema,
            "flow": flow.distinguisher,
            "executing": flow.executing,
            "waiting": flow.waiting,
        })
    };
    let levels = |levels: &[Level]| levels.iter().map(level).collect::<Vec<_>>();
    let server = |reading: &Reading| {
        json!({
            "address": reading.address,
            "reachedBy": reading.reached_by,
            "levels": levels(&reading.levels),
        })
    };
    json!({
        "servers": readings.iter().map(server).collect::<Vec<_>>(),
        "levels": levels(&Reading::sum(readings)),
        "flows": Reading::flows_of(readings)
            .iter()
            .map(flow)
            .collect::<Vec<_>>(),
    })
}

/// A number, or a hyphen if no server reports it.
pub(super) fn number(value: Option<i64>) -> String {
    value.map_or_else(|| "-".to_owned(), |value| value.to_string())
}

/// A number of requests in a second.
pub(super) fn rate(rate: Option<f64>) -> String {
    rate.map_or_else(|| "-".to_owned(), |rate| format!("{rate:.1}"))
}

pub(super) fn limit(level: &Level) -> String {
    match level.is_exempt() {
        true => "none".to_owned(),
        false => number(level.seats),
    }
}

/// The seats that a level has borrowed, or lends.
pub(super) fn borrowed(level: &Level) -> String {
    match level.borrowed() {
        Some(seats @ 1..) => format!("+{seats}"),
        seats => number(seats),
    }
}
