//! Made-up servers whose every wait is known, simulated from their logs.

use crate::truth::{self, Client, Counted, Machine, Run};
use crate::{README, SEATS, objects};
use k8s_flowcontrol_analysis::audit::{AuditLog, Event};
use k8s_flowcontrol_analysis::simulation::{Recording, Report};
use k8s_flowcontrol_rules::controller::FlowController;
use k8s_flowcontrol_rules::seats::{Estimator, LevelBounds, Stored};
use k8s_flowcontrol_types::Release;
use k8s_flowcontrol_types::api::v1::{FlowSchema, PriorityLevelConfiguration};
use serde_json::{Value, json};
use std::fmt::Write;
use std::io;
use std::time::Duration;

type Objects = (Vec<FlowSchema>, Vec<PriorityLevelConfiguration>);

/// The objects of the recorded run, with another response of the level `batch` to its limit.
fn with_response(response: &Value) -> Objects {
    let (schemas, mut levels) = objects();
    for level in &mut levels {
        if level.metadata.name.as_deref() == Some("batch") {
            let mut json = serde_json::to_value(&*level).unwrap();
            json["spec"]["limited"]["limitResponse"] = response.clone();
            *level = serde_json::from_value(json).unwrap();
        }
    }
    (schemas, levels)
}

fn queues(queues: u32, hand: u32, limit: u32) -> Objects {
    let queuing = json!({"queues": queues, "handSize": hand, "queueLengthLimit": limit});
    with_response(&json!({"type": "Queue", "queuing": queuing}))
}

fn clients(scale: u32, pause: f64) -> Vec<Client> {
    let client = |user, group, connections, pause, lists| Client {
        user,
        group,
        connections,
        pause,
        lists,
    };
    vec![
        client("alice", "dev", 10 * scale, pause, 1.0),
        client("carol", "dev", 10 * scale, pause, 0.8),
        client("bob", "", 11, 0.05, 0.7),
        client("system:node:node1", "system:nodes", 3, 0.1, 0.3),
        client("system:kube-scheduler", "", 2, 0.05, 0.2),
    ]
}

/// A processor that is always busy.
const BUSY: Machine = Machine {
    cores: 2.0,
    list: 0.025,
    store: 0.005,
    overhead: 0.001,
    wake: 0.001,
    client: 0.004,
    others: 0.5,
};
/// A processor that is never busy: requests execute as long whatever the others do.
const IDLE: Machine = Machine {
    cores: 64.0,
    list: 0.3,
    store: 0.05,
    ..BUSY
};

fn replay(log: &str, objects: &Objects, release: Release) -> Report {
    let mut recording = Recording::new(
        server(objects, release),
        LevelBounds::new(&objects.1, SEATS, release),
        Estimator::new(release),
    );
    let mut requests = Vec::new();
    let mut audit = AuditLog::new();
    let mut add = |event: &Event<'_>| {
        requests.extend(recording.add(event, &event.attributes(), Stored::NotFound));
        Ok::<(), io::Error>(())
    };
    audit.read(log.as_bytes(), &mut add).unwrap();
    audit.finish(&mut add).unwrap();
    requests.sort_by_key(|request| request.received_us);
    recording.find_loops(requests.clone());
    let requests: Vec<_> = recording.separate_waits(requests.into_iter()).collect();
    recording.replay(requests, |_| ())
}

fn server(objects: &Objects, release: Release) -> FlowController {
    FlowController::new(&objects.0, &objects.1, SEATS, release, Duration::ZERO).unwrap()
}

/// The rows of a run, and how many are within the limits.
fn rows(name: &str, run: &Run, objects: &Objects, minor: u32, table: &mut String) -> [usize; 2] {
    let release = Release::nearest(minor);
    let (log, counted) = truth::run(run, server(objects, release), minor >= 31);
    let report = replay(&log, objects, release);
    let mut counts = [0; 2];
    for flow in &report.flows {
        let key = format!("{}/{}", flow.flow_schema, flow.flow_distinguisher);
        let Some(truth) = counted.get(&(flow.priority_level.clone(), key.clone())) else {
            continue;
        };
        if !["batch", "global-default"].contains(&flow.priority_level.as_str()) {
            continue;
        }
        let rejected = (truth.rejected, flow.counts.rejected + flow.counts.timed_out);
        let ms = |percent| {
            (
                (Counted::percentile(&truth.waits, percent) * 1000.0).round() as u64,
                flow.waits.percentile(percent).as_millis() as u64,
            )
        };
        let (median, p99) = (ms(50.0), ms(99.0));
        let near = |(real, own): (u64, u64), percent| {
            let error = real.abs_diff(own);
            error <= 10 || error * 100 <= real * percent
        };
        let is_within = near(rejected, 15) && near(median, 25) && near(p99, 25);
        counts[usize::from(is_within)] += 1;
        let key = key.trim_end_matches('/');
        writeln!(
            table,
            "| {name}, 1.{minor} | {key} | {} / {} | {} / {} | {} / {} | {} |",
            rejected.0,
            rejected.1,
            median.0,
            median.1,
            p99.0,
            p99.1,
            if is_within { "yes" } else { "no" }
        )
        .unwrap();
    }
    counts
}

#[test]
fn made_up_servers_are_predicted_as_in_the_table() {
    let run = |clients, machine| Run {
        clients,
        machine,
        seconds: 60.0,
        quiet: 3.0,
        retry: None,
        seed: 1,
    };
    let retry = |run| Run {
        retry: Some(1.0),
        ..run
    };
    let reject = with_response(&json!({"type": "Reject"}));
    let cases = [
        ("as recorded", run(clients(1, 0.0), BUSY), queues(8, 2, 20)),
        (
            "idle processor",
            run(clients(1, 0.0), IDLE),
            queues(64, 8, 50),
        ),
        ("pauses", run(clients(1, 0.3), BUSY), queues(64, 8, 50)),
        ("one queue", run(clients(1, 0.0), BUSY), queues(1, 1, 50)),
        ("short queues", run(clients(2, 0.05), BUSY), queues(4, 1, 3)),
        (
            "short queues, retries",
            retry(run(clients(2, 0.05), BUSY)),
            queues(4, 1, 3),
        ),
        (
            "no queues, retries",
            retry(run(clients(1, 0.05), BUSY)),
            reject.clone(),
        ),
        ("no queues", run(clients(1, 0.1), IDLE), reject),
    ];
    let mut table = String::new();
    let [mut outside, mut within] = [0; 2];
    for (name, run, objects) in &cases {
        for minor in [36, 29] {
            let counts = rows(name, run, objects, minor, &mut table);
            outside += counts[0];
            within += counts[1];
        }
    }
    assert!(README.contains(&table), "README.md lacks:\n{table}");
    assert!(within >= 4 * outside, "{within} within, {outside} outside");
}
