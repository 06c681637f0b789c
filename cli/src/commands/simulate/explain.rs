//! `simulate --explain`: the lives of a flow's requests.

use super::report::time;
use crate::failure::Failure;
use crate::output::{Streams, plural, write_report};
use k8s_flowcontrol::rules::simulation::{Life, Step};
use serde_json::{Value, json};
use std::io::Write;

/// The most requests that are explained.
pub(super) const MOST: usize = 20;

pub(super) fn print(flow: &str, lives: &[Life], streams: &mut Streams) -> Result<(), Failure> {
    let out = &mut streams.out;
    for life in lives {
        let (used, limit) = life.seats;
        writeln!(
            out,
            "{}: {} sends a request of flow {flow}; {used} of {limit} seats are in use",
            time(life.arrived),
            life.client
        )?;
        if !life.hand.is_empty() {
            let queue = |queue: &k8s_flowcontrol::rules::simulation::HandQueue| {
                format!(
                    "{} ({} waiting, {})",
                    queue.queue, queue.waiting, queue.work
                )
            };
            let hand: Vec<_> = life.hand.iter().map(queue).collect();
            writeln!(out, "  hand: queues {}", hand.join(", "))?;
        }
        for (at, step) in &life.steps {
            let waited = at.saturating_sub(life.arrived);
            let text = match *step {
                Step::Queued { queue, ahead } => {
                    let ahead = plural(ahead as usize, "request");
                    format!(
                        "joins queue {queue}, which has the least work of the hand, behind {ahead}"
                    )
                }
                Step::Dispatched { .. } if waited.is_zero() => "is dispatched at once".into(),
                Step::Dispatched { others } => {
                    let others = plural(usize::try_from(others).unwrap_or(usize::MAX), "request");
                    format!(
                        "is dispatched after {}: {others} of the level went before, as their queues were due earlier in virtual time",
                        time(waited)
                    )
                }
                Step::Rejected(reason) => format!(
                    "is rejected with 429: {}; {} retries are left",
                    reason.reason(),
                    life.retries_left
                ),
                Step::TimedOut => format!(
                    "is rejected with 429 after {}: it waited too long; {} retries are left",
                    time(waited),
                    life.retries_left
                ),
                Step::Finished => format!("ends {} after its arrival", time(waited)),
                _ => continue,
            };
            writeln!(out, "  {}: {text}", time(*at))?;
        }
    }
    Ok(())
}

pub(super) fn write_json(flow: &str, lives: &[Life], streams: &mut Streams) -> Result<(), Failure> {
    let lives: Vec<_> = lives.iter().map(life).collect();
    Ok(write_report(
        &mut streams.out,
        json!({"flow": flow, "requests": lives}),
    )?)
}

fn life(life: &Life) -> Value {
    let hand: Vec<_> = life
        .hand
        .iter()
        .map(|queue| json!({"queue": queue.queue, "waiting": queue.waiting, "work": queue.work.to_string()}))
        .collect();
    let step = |(at, step): &(std::time::Duration, Step)| {
        let mut value = match *step {
            Step::Queued { queue, ahead } => {
                json!({"step": "queued", "queue": queue, "ahead": ahead})
            }
            Step::Dispatched { others } => {
                json!({"step": "dispatched", "dispatchedBefore": others})
            }
            Step::Rejected(reason) => json!({"step": "rejected", "reason": reason.reason()}),
            Step::TimedOut => json!({"step": "timedOut"}),
            _ => json!({"step": "finished"}),
        };
        value["atSeconds"] = at.as_secs_f64().into();
        value
    };
    json!({
        "client": life.client,
        "atSeconds": life.arrived.as_secs_f64(),
        "retriesLeft": life.retries_left,
        "hand": hand,
        "seatsInUse": life.seats.0,
        "limit": life.seats.1,
        "steps": life.steps.iter().map(step).collect::<Vec<_>>(),
    })
}
