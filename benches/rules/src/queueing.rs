//! Fair queuing: a level with 64 queues, in which requests of a thousand flows always wait.

use crate::{Outcome, rate};
use bench_data::Meter;
use k8s_flowcontrol::rules::queueing::{Decision, QueueSet, QueueSetConfig, Queuing, Work};
use k8s_flowcontrol::rules::sharding::flow_hash;
use std::collections::VecDeque;
use std::hint::black_box;
use std::time::Duration;

/// Requests that arrive, wait, execute and end, one every microsecond.
pub(crate) fn queue(count: usize) -> Outcome {
    let flows: Vec<_> = (0..1000)
        .map(|flow| flow_hash("service-accounts", &format!("flow-{flow}")))
        .collect();
    let queuing = Queuing::Queue {
        queues: 64,
        hand_size: 8,
        queue_length_limit: 50,
    };
    let config = QueueSetConfig {
        seats: 100,
        queuing,
    };
    let mut level = QueueSet::new(&config, Duration::ZERO)?;
    let mut executing = VecDeque::new();
    let mut rejected = 0;
    let meter = Meter::start();
    for number in 0..count {
        let now = Duration::from_micros(number as u64);
        // The first requests fill the queues.
        if level.waiting() > 1000
            && let Some(oldest) = executing.pop_front()
        {
            level.finish(now, oldest);
        }
        let flow = flows[number * 7 % flows.len()];
        match level.arrive(now, flow, Work::seats(1 + (number % 3) as u32)) {
            Decision::Rejected(_) => rejected += 1,
            decision => drop(black_box(decision)),
        }
        executing.extend(level.dispatched());
    }
    rate(&meter, "requests/s", count);
    match rejected * 10 > count {
        true => Err(format!("{rejected} requests were rejected").into()),
        false => Ok(()),
    }
}
