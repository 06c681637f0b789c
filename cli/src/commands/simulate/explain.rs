//! `simulate --explain`: the traces of a flow's requests.

use super::outcome::{seconds, time};
use crate::failure::Failure;
use crate::output::{Streams, plural, write_report};
use k8s_flowcontrol::rules::queueing::{Rejection, Work};
use k8s_flowcontrol_analysis::simulation::{
    ArrivalState, DispatchState, HandQueue, RequestTrace, Step,
};
use serde_json::{Value, json};
use std::io::Write;
use std::time::Duration;

/// The most requests that are explained.
pub(super) const MOST: usize = 20;

pub(super) fn print(
    flow: &str,
    traces: &[RequestTrace],
    streams: &mut Streams,
) -> Result<(), Failure> {
    let out = &mut streams.out;
    writeln!(
        out,
        "R is virtual time in seat-seconds (ss). It advances by the seats in use per active queue; the request with the earliest virtual finish goes first."
    )?;
    for trace in traces {
        let arrival = &trace.arrival;
        writeln!(
            out,
            "{}: {} sends a request of flow {flow} with {}; {}",
            time(trace.arrived),
            trace.client,
            told_seats(&trace.work),
            told_level(arrival)
        )?;
        if !arrival.hand.is_empty() {
            writeln!(out, "  hand:")?;
        }
        for queue in &arrival.hand {
            let chosen = match arrival.queue == Some(queue.queue) {
                true => ": the least waiting work",
                false => "",
            };
            writeln!(
                out,
                "    queue {}: {} waiting ({}), {} executing, next dispatch at R {}{chosen}",
                queue.queue, queue.waiting, queue.work, queue.executing, queue.next_dispatch_r
            )?;
        }
        for (at, step) in &trace.steps {
            let waited = at.saturating_sub(trace.arrived);
            writeln!(out, "  {}: {}", time(*at), told(step, waited, trace))?;
        }
    }
    Ok(())
}

fn told_level(arrival: &ArrivalState) -> String {
    let ArrivalState {
        seats_in_use,
        waiting,
        current_r,
        ..
    } = arrival;
    match arrival.limit {
        Some(limit) => format!(
            "{seats_in_use} of {limit} seats are in use, {waiting} waiting, R is {current_r}"
        ),
        None => "its level is exempt".to_owned(),
    }
}

fn told_seats(work: &Work) -> String {
    let initial = plural(work.initial_seats, "seat");
    match work.final_seats {
        0 => initial,
        more => format!(
            "{initial}, and {more} for {} after its end",
            time(work.additional_latency)
        ),
    }
}

fn told(step: &Step, waited: Duration, trace: &RequestTrace) -> String {
    let retries = match trace.retries_left {
        0 => String::new(),
        1 => "; 1 retry left".to_owned(),
        count => format!("; {count} retries left"),
    };
    match *step {
        Step::Queued { queue, ahead } => {
            let ahead = plural(ahead, "request");
            format!("joins queue {queue} behind {ahead}")
        }
        Step::Dispatched { turn: None, .. } => match trace.arrival.limit {
            Some(_) => "is dispatched at once: seats are free".into(),
            None => "is dispatched at once: no limit applies".into(),
        },
        Step::Dispatched {
            others,
            turn: Some(turn),
        } => dispatched(others, &turn, waited),
        Step::Rejected(reason) => {
            let why = match reason {
                Rejection::QueueFull => {
                    "no seat is free, and the queue of its hand with the least work is full"
                }
                Rejection::ConcurrencyLimit => {
                    "not enough seats are free, and the level does not queue"
                }
            };
            format!("is rejected with 429 ({}): {why}{retries}", reason.reason())
        }
        Step::TimedOut {
            ahead,
            next_dispatch_r,
            current_r,
        } => format!(
            "is rejected with 429 (time-out) after {}, the longest time that it may wait: {} ahead in its queue, \
             whose next dispatch is at R {next_dispatch_r}; R is {current_r}{retries}",
            time(waited),
            plural(ahead, "request")
        ),
        Step::Finished => format!("ends {} after its arrival", time(waited)),
        _ => String::new(),
    }
}

fn dispatched(others: u64, turn: &DispatchState, waited: Duration) -> String {
    let DispatchState {
        queue,
        current_r,
        start_r,
        finish_r,
        next,
        ..
    } = turn;
    let times = format!("virtual start {start_r}, virtual finish {finish_r}, R is {current_r}");
    if waited.is_zero() {
        return format!("is dispatched at once from queue {queue}: seats are free; {times}");
    }
    let others = plural(others, "request");
    let next = match next {
        Some((next, finish)) => format!("the next is queue {next} with {finish}"),
        None => "no other request waits".into(),
    };
    format!(
        "is dispatched after {}, when its virtual finish is the earliest of all queues: {times}; {next}; {others} of the level went before",
        time(waited)
    )
}

pub(super) fn write_json(
    flow: &str,
    traces: &[RequestTrace],
    streams: &mut Streams,
) -> Result<(), Failure> {
    let traces: Vec<_> = traces.iter().map(trace).collect();
    Ok(write_report(
        &mut streams.out,
        json!({"flow": flow, "requests": traces}),
    )?)
}

fn trace(trace: &RequestTrace) -> Value {
    let arrival = &trace.arrival;
    json!({
        "client": trace.client,
        "atSeconds": seconds(trace.arrived),
        "initialSeats": trace.work.initial_seats,
        "finalSeats": trace.work.final_seats,
        "retriesLeft": trace.retries_left,
        "hand": arrival.hand.iter().map(hand_queue).collect::<Vec<_>>(),
        "queue": arrival.queue,
        "seatsInUse": arrival.seats_in_use,
        "limit": arrival.limit,
        "waiting": arrival.waiting,
        "currentR": arrival.current_r.to_string(),
        "steps": trace.steps.iter().map(json_step).collect::<Vec<_>>(),
    })
}

fn hand_queue(queue: &HandQueue) -> Value {
    json!({
        "queue": queue.queue,
        "waiting": queue.waiting,
        "executing": queue.executing,
        "work": queue.work.to_string(),
        "nextDispatchR": queue.next_dispatch_r.to_string(),
    })
}

fn json_step((at, step): &(Duration, Step)) -> Value {
    let mut value = match *step {
        Step::Queued { queue, ahead } => json!({"step": "queued", "queue": queue, "ahead": ahead}),
        Step::Dispatched { others, turn } => {
            let mut value = json!({"step": "dispatched", "dispatchedBefore": others});
            if let Some(turn) = turn {
                value["queue"] = turn.queue.into();
                value["currentR"] = turn.current_r.to_string().into();
                value["virtualStart"] = turn.start_r.to_string().into();
                value["virtualFinish"] = turn.finish_r.to_string().into();
                let next = turn.next.map(
                    |(queue, finish)| json!({"queue": queue, "virtualFinish": finish.to_string()}),
                );
                value["next"] = next.into();
            }
            value
        }
        Step::Rejected(reason) => json!({"step": "rejected", "reason": reason.reason()}),
        Step::TimedOut {
            ahead,
            next_dispatch_r,
            current_r,
        } => json!({
            "step": "timedOut",
            "ahead": ahead,
            "nextDispatchR": next_dispatch_r.to_string(),
            "currentR": current_r.to_string(),
        }),
        _ => json!({"step": "finished"}),
    };
    value["atSeconds"] = seconds(*at).into();
    value
}
