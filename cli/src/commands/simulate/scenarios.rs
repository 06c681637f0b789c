//! `simulate --scenarios`: one priority level, with a list of requests and of changes of the configuration.

mod replay;

use crate::failure::Failure;
use crate::input;
use crate::output::{Streams, write_line};
use k8s_flowcontrol::rules::queueing::{QueueSetConfig, Queuing, Work};
use k8s_flowcontrol_analysis::audit::decompressed;
use replay::{Outcome, State};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::path::Path;
use std::time::Duration;

const FORM: &str = "a scenario is a JSON object in one line with the fields seats, queues, handSize, queueLengthLimit and requests";

/// A scenario. Other fields, such as the recorded outcome, are ignored.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Scenario {
    #[serde(default)]
    id: Value,
    #[serde(flatten)]
    level: Level,
    requests: Vec<Request>,
    #[serde(default)]
    changes: Vec<Change>,
}

/// The configuration of the level.
#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Level {
    seats: u32,
    /// 0 for a level that rejects instead of queuing, and a negative number for an exempt level.
    #[serde(default)]
    queues: i32,
    #[serde(default)]
    hand_size: i32,
    #[serde(default)]
    queue_length_limit: i32,
}

/// A change of the configuration.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Change {
    at_us: u64,
    #[serde(flatten)]
    level: Level,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Request {
    arrive_us: u64,
    hash: u64,
    initial_seats: u32,
    #[serde(default)]
    final_seats: u32,
    #[serde(default)]
    additional_latency_us: u64,
    execute_us: u64,
    /// How long the request waits at most; unlimited if negative or absent.
    patience_us: Option<i64>,
}

/// The result of a scenario.
#[derive(Serialize)]
struct Answer<'a> {
    id: &'a Value,
    requests: Vec<Outcome>,
    states: Vec<State>,
}

impl Level {
    fn config(self) -> QueueSetConfig {
        let queuing = match self.queues {
            ..0 => Queuing::Exempt,
            0 => Queuing::Reject,
            queues => Queuing::Queue {
                queues,
                hand_size: self.hand_size,
                queue_length_limit: self.queue_length_limit,
            },
        };
        QueueSetConfig {
            seats: self.seats,
            queuing,
        }
    }
}

impl Request {
    fn work(&self) -> Work {
        Work {
            initial_seats: self.initial_seats,
            final_seats: self.final_seats,
            additional_latency: Duration::from_micros(self.additional_latency_us),
        }
    }

    fn patience(&self) -> Option<Duration> {
        let patience = u64::try_from(self.patience_us?).ok()?;
        Some(Duration::from_micros(patience))
    }
}

/// Runs the scenarios of a file and prints the result of each.
pub(super) fn run(file: &Path, streams: &mut Streams) -> Result<(), Failure> {
    let open = |file: &Path| input::open(file).and_then(decompressed);
    input::each_line(
        file,
        open,
        ("scenarios", FORM),
        |number, scenario: Scenario| {
            let name = input::name(file);
            let (requests, states) = replay::replay(&scenario)
                .map_err(|error| Failure::input(format!("{name}:{number}: {error}")))?;
            let id = &scenario.id;
            let answer = Answer {
                id,
                requests,
                states,
            };
            Ok(write_line(&mut streams.out, &answer)?)
        },
    )
}
