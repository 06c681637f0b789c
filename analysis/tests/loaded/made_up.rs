//! Made-up servers whose every wait is known, simulated from their logs.

use super::predicted::{Objects, compare, events, is_within, prepare, server, with_batch};
use super::truth::{self, Client, Counts, Machine, Run};
use super::{README, SEATS};
use k8s_flowcontrol_analysis::diagnosis::{Change, Evidence, Finding, Scope};
use k8s_flowcontrol_analysis::simulation::Report;
use k8s_flowcontrol_types::Release;
use serde_json::{Value, json};
use std::fmt::Write;

fn with_response(response: &Value) -> Objects {
    with_batch(|limited| limited["limitResponse"] = response.clone())
}

fn queuing(queues: u32, hand: u32, limit: u32) -> Value {
    let queuing = json!({"queues": queues, "handSize": hand, "queueLengthLimit": limit});
    json!({"type": "Queue", "queuing": queuing})
}

pub(super) fn queues(queues: u32, hand: u32, limit: u32) -> Objects {
    with_response(&queuing(queues, hand, limit))
}

fn queues_without_borrowing(queues: u32, hand: u32, limit: u32) -> Objects {
    with_batch(|limited| {
        limited["borrowingLimitPercent"] = 0.into();
        limited["limitResponse"] = queuing(queues, hand, limit);
    })
}

pub(super) fn clients(scale: u32, pause: f64) -> Vec<Client> {
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
/// A busy processor, which a request that waited needs before it begins.
const LATE: Machine = Machine {
    wake: 0.004,
    ..BUSY
};
/// A processor that is never busy: requests execute as long whatever the others do.
pub(super) const IDLE: Machine = Machine {
    cores: 64.0,
    list: 0.3,
    store: 0.05,
    ..BUSY
};

pub(super) fn run(clients: Vec<Client>, machine: Machine) -> Run {
    Run {
        clients,
        machine,
        seconds: 60.0,
        quiet: 3.0,
        rotated: 0.0,
        waits_after_rejection: false,
        seed: 1,
    }
}

fn is_busy(level: &str) -> bool {
    ["batch", "global-default"].contains(&level)
}

/// The simulation of a log, with the metrics of its server.
fn predict_counted(log: &str, both: [&Objects; 2], release: Release, counts: &Counts) -> Report {
    let counted = Some(truth::counted_waits(counts));
    let (recording, requests) = prepare(events(log), both, release, counted);
    recording.replay(requests, |_| ())
}

/// The rows are those of the table of the README, which has rows within the limits, and few outside. A quick run has a part of the rows.
fn check(table: &str, least: usize) {
    if !crate::tries_all() {
        assert!(table.lines().count() > 1, "{table}");
        for row in table.lines() {
            let is_there = README.lines().any(|line| line == row);
            assert!(is_there, "README.md lacks:\n{row}");
        }
        return;
    }
    assert!(README.contains(table), "README.md lacks:\n{table}");
    let within = table
        .lines()
        .filter(|line| line.ends_with("| yes |"))
        .count();
    assert!(
        within >= least,
        "{within} of {} rows",
        table.lines().count()
    );
}

#[test]
fn made_up_servers_are_predicted_as_in_the_table() {
    let retry = |run| Run {
        waits_after_rejection: true,
        ..run
    };
    let rotate = |run| Run {
        rotated: 23.0,
        ..run
    };
    let reject = with_response(&json!({"type": "Reject"}));
    let cases = [
        ("as recorded", run(clients(1, 0.0), BUSY), queues(8, 2, 20)),
        ("late starts", run(clients(1, 0.0), LATE), queues(8, 2, 20)),
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
            "short queues, long retries",
            retry(run(clients(2, 0.05), BUSY)),
            queues_without_borrowing(4, 1, 3),
        ),
        (
            "no queues, retries",
            retry(run(clients(1, 0.05), BUSY)),
            reject.clone(),
        ),
        ("no queues", run(clients(1, 0.1), IDLE), reject),
        (
            "as recorded, rotated",
            rotate(run(clients(1, 0.0), BUSY)),
            queues(8, 2, 20),
        ),
        (
            "late starts, rotated",
            rotate(run(clients(1, 0.0), LATE)),
            queues(8, 2, 20),
        ),
        (
            "short queues, retries, rotated",
            rotate(retry(run(clients(2, 0.05), BUSY))),
            queues(4, 1, 3),
        ),
    ];
    let mut table = String::new();
    // Queues with many rejections, and a log of a busy server, in a quick run; the changes below are of queues without rejections.
    let cases = cases.iter().enumerate();
    let cases = cases.filter(|(index, _)| crate::tries_all() || [7, 11].contains(index));
    for (_, (name, run, objects)) in cases {
        let (logs, counted) = truth::run(run, server(objects, Release::nearest(36)));
        for (log, minor) in logs.iter().zip([36, 29]) {
            let release = Release::nearest(minor);
            let report = predict_counted(log, [objects, objects], release, &counted);
            for flow in &report.flows {
                let key = format!("{}/{}", flow.flow_schema, flow.flow_distinguisher);
                let truth = counted.get(&(flow.priority_level.clone(), key.clone()));
                let Some(truth) = truth.filter(|_| is_busy(&flow.priority_level)) else {
                    continue;
                };
                let found @ [rejected, median, p99] = compare(flow, truth);
                writeln!(
                    table,
                    "| {name}, 1.{minor} | {} | {} / {} | {} / {} | {} / {} | {} |",
                    key.trim_end_matches('/'),
                    rejected.0,
                    rejected.1,
                    median.0,
                    median.1,
                    p99.0,
                    p99.1,
                    if is_within(found) { "yes" } else { "no" }
                )
                .unwrap();
            }
        }
    }
    check(&table, 64);
}

/// Seats for `batch`, which does not borrow.
pub(super) fn with_shares(shares: u32) -> Objects {
    with_batch(|limited| {
        limited["nominalConcurrencyShares"] = shares.into();
        limited["borrowingLimitPercent"] = 0.into();
        limited["limitResponse"] = queuing(64, 8, 50);
    })
}

#[test]
fn changes_of_made_up_servers_are_predicted_as_in_the_table() {
    let shares = [10, 60, 200];
    let objects = shares.map(with_shares);
    let release = Release::nearest(36);
    let mut table = String::new();
    let machines = [(BUSY, "busy"), (IDLE, "idle")];
    let changes = [(0, 1), (1, 0), (1, 2), (2, 1), (0, 2)];
    // One change of a busy server in a quick run.
    let (machines, shares, changes) = match crate::tries_all() {
        true => (&machines[..], &shares[..], &changes[..]),
        false => (&machines[..1], &shares[..2], &changes[..1]),
    };
    for (machine, name) in machines {
        let runs: Vec<_> = objects[..shares.len()]
            .iter()
            .map(|objects| truth::run(&run(clients(1, 0.0), *machine), server(objects, release)))
            .collect();
        for &(old, new) in changes {
            let both = [&objects[old], &objects[new]];
            let (logs, counted) = &runs[old];
            let report = predict_counted(&logs[0], both, release, counted);
            for flow in &report.flows {
                let key = format!("{}/{}", flow.flow_schema, flow.flow_distinguisher);
                let key = (flow.priority_level.clone(), key);
                let Some(truth) = runs[new].1.get(&key).filter(|_| is_busy(&key.0)) else {
                    continue;
                };
                let [_, median, p99] = compare(flow, &runs[old].1[&key]);
                let found @ [_, new_median, new_p99] = compare(flow, truth);
                writeln!(
                    table,
                    "| {name}, {} to {} shares | {} | {} → {} / {} | {} → {} / {} | {} |",
                    shares[old],
                    shares[new],
                    key.1,
                    median.0,
                    new_median.0,
                    new_median.1,
                    p99.0,
                    new_p99.0,
                    new_p99.1,
                    if is_within(found) { "yes" } else { "no" }
                )
                .unwrap();
            }
        }
    }
    check(&table, 22);
}

/// The advice from the log of a server, which can be a rotated one, and whether its requests really become faster and slower.
fn advised(machine: Machine, shares: u32, rotated: f64) -> Finding {
    let release = Release::nearest(36);
    let objects = with_shares(shares);
    let run = Run {
        rotated,
        ..run(clients(1, 0.0), machine)
    };
    let (logs, before) = truth::run(&run, server(&objects, release));
    let (recording, requests) = prepare(events(&logs[0]), [&objects, &objects], release, None);
    let evidence = Evidence::new(release, objects.0.clone(), objects.1.clone());
    let scope = Scope::default();
    let old = recording.clone().replay(requests.clone(), |_| ());
    let change = Change::new(&evidence, &scope, SEATS, &old).unwrap();
    assert_eq!(change.priority_level, "batch");
    let changed = (objects.0, change.priority_levels.clone());
    let other = recording.on(server(&changed, release)).unwrap();
    let new = other.replay(requests, |_| ());
    let finding = change.finding(&evidence, &scope, [&old, &new]);
    let (_, after) = truth::run(&run, server(&changed, release));
    for (level, user) in [
        ("batch", "alice"),
        ("batch", "carol"),
        ("global-default", "bob"),
    ] {
        let key = (level.to_owned(), format!("{level}/{user}"));
        let p90 =
            |counted: &truth::Counts| truth::Counted::percentile(&counted[&key].responses, 90.0);
        let (old, new) = (p90(&before), p90(&after));
        let says = |verb: &str| {
            let start = format!("user {user} of FlowSchema {level} {verb}");
            finding
                .evidence
                .iter()
                .any(|line| line.to_string().starts_with(&start))
        };
        assert!(
            !says("gains") || new < old,
            "{user}: {old} {new} {finding:#?}"
        );
        assert!(
            !says("pays") || new > old,
            "{user}: {old} {new} {finding:#?}"
        );
    }
    finding
}

#[test]
fn advice_is_what_really_happens() {
    let gains = |finding: &Finding, verb: &str| {
        let lines = finding.evidence.iter().map(ToString::to_string);
        lines
            .filter(|line| line.contains(&format!(" {verb}: ")))
            .count()
    };
    if crate::tries_all() {
        let idle = advised(IDLE, 10, 0.0);
        assert_eq!(
            idle.message,
            "simulated over the log, 20 shares instead of 10 help priority level batch"
        );
        assert!(gains(&idle, "gains") > 0, "{idle:#?}");
        assert_eq!(gains(&idle, "pays"), 0, "{idle:#?}");
    }
    // More seats for one level make the requests of the others slower on a busy processor.
    let busy = advised(BUSY, 100, 0.0);
    assert!(gains(&busy, "pays") > 0, "{busy:#?}");
    assert!(
        busy.evidence.iter().any(|line| line
            .to_string()
            .contains("the processor, etcd or the memory limits the server")),
        "{busy:#?}"
    );
    // The others pay as well if the log begins later, which such a log does not show.
    let rotated = advised(BUSY, 100, 23.0);
    assert_eq!(
        rotated.message,
        "whether 200 shares instead of 100 help priority level batch is unknown: the log does not show whether requests slow each other down"
    );
}
