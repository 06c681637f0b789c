//! The details of a priority level.

use super::{Surroundings, line, lines};
use crate::cluster::{name, shares, stanza};
use crate::failure::Failure;
use crate::output::Streams;
use k8s_flowcontrol::Resource;
use k8s_flowcontrol::rules::limits::ServerLimits;
use serde_json::Value;

pub(super) fn describe(
    object: &Value,
    around: &Surroundings,
    streams: &mut Streams,
) -> Result<(), Failure> {
    let spec = &object["spec"];
    let part = &spec[stanza(spec)];
    line(streams, "Type", spec["type"].as_str().unwrap_or_default())?;
    if let Some(shares) = shares(spec) {
        line(streams, "Shares", &shares.to_string())?;
    }
    seats(name(object), around, streams)?;
    if let Some(response) = part["limitResponse"]["type"].as_str() {
        let queuing = &part["limitResponse"]["queuing"];
        let text = match response {
            "Queue" if queuing["queues"] == 1 => format!(
                "queued: one queue of at most {} waiting requests",
                queuing["queueLengthLimit"]
            ),
            "Queue" => format!(
                "queued: {} queues of at most {} waiting requests each; the requests of a flow go to {} of them",
                queuing["queues"], queuing["queueLengthLimit"], queuing["handSize"]
            ),
            _ => "rejected with 429".to_owned(),
        };
        line(streams, "Over the limit", &text)?;
    }
    let leading = around
        .schemas
        .iter()
        .filter(|schema| schema.spec.priority_level_configuration.name == name(object));
    let mut leading: Vec<_> = leading
        .map(|schema| {
            (
                schema.spec.matching_precedence.unwrap_or(1000),
                schema.name(),
            )
        })
        .collect();
    leading.sort_unstable();
    if leading.is_empty() {
        line(streams, "Flow schemas", "none: no request uses this level")?;
    }
    let leading = leading.iter();
    let leading = leading.map(|(precedence, schema)| format!("{schema} (precedence {precedence})"));
    lines(streams, "Flow schemas", leading)
}

/// The seats in the API server that responded.
fn seats(name: &str, around: &Surroundings, streams: &mut Streams) -> Result<(), Failure> {
    let server = match &around.seats {
        Ok(server) => server,
        Err(failure) => {
            let text = format!("unknown: {failure}; `--server-seats` gives the number");
            return line(streams, "Seats", &text);
        }
    };
    let limits = ServerLimits::new(&around.levels, server.seats, around.release);
    let Some(limits) = limits.level(name) else {
        return Ok(());
    };
    let (nominal, lendable) = (limits.nominal, limits.lendable);
    let text = match limits.exempt {
        true => format!(
            "{nominal} of {} (lends {lendable}); its requests take seats without a limit",
            server.seats
        ),
        false => {
            let maximum = match limits.borrowing {
                None => "borrows all that other levels lend".to_owned(),
                Some(_) => format!("at most {}", limits.maximum),
            };
            format!(
                "{nominal} of {}; at least {} (lends {lendable}), {maximum}",
                server.seats, limits.minimum
            )
        }
    };
    line(streams, "Seats", &text)?;
    line(streams, "Server", &server.to_string())
}
