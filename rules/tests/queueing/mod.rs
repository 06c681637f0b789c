//! Fair queuing in one priority level.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test"
)]

mod behavior;
mod extremes;
mod last_dispatch;
mod properties;

use k8s_flowcontrol_rules::queueing::{Decision, QueueSet, QueueSetConfig, Queuing, RequestId};
use std::time::Duration;

const fn ms(time: u64) -> Duration {
    Duration::from_millis(time)
}

/// A level in which every flow has all queues as its hand.
fn queues(seats: u32, queues: i32, queue_length_limit: i32) -> QueueSet {
    let config = QueueSetConfig {
        seats,
        queuing: Queuing::Queue {
            queues,
            hand_size: queues,
            queue_length_limit,
        },
    };
    QueueSet::new(&config, ms(0)).unwrap()
}

#[track_caller]
fn dispatched(decision: Decision) -> RequestId {
    match decision {
        Decision::Dispatched(id) => id,
        other => panic!("{other:?}"),
    }
}

#[track_caller]
fn queued(decision: Decision) -> RequestId {
    match decision {
        Decision::Queued(id) => id,
        other => panic!("{other:?}"),
    }
}
