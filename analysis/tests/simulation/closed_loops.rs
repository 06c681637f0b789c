//! Audit logs of clients that wait for their responses, as a load of another server.

use super::recordings::{log_of, ms, read, read_for, server};
use super::{get_pods, level, schema, user};
use k8s_flowcontrol_analysis::simulation::{
    Arrivals, Client, Load, RequestTrace, ServiceTime, Step, explain,
};
use k8s_flowcontrol_rules::controller::FlowController;
use k8s_flowcontrol_types::Release;
use serde_json::Value;
use std::time::Duration;

/// A server in which `batch` may use almost all seats.
fn wide_server() -> FlowController {
    let schemas = [schema("batch", "batch", "batch")];
    let wide = level("batch", 5, 16, 50);
    FlowController::new(&schemas, &[wide], 600, Release::NEWEST, ms(0)).unwrap()
}

/// The lives of the requests of 30 clients that wait for their responses.
fn closed(server: FlowController, duration: Duration) -> Vec<RequestTrace> {
    let client = Client {
        arrivals: Arrivals::Closed {
            clients: 30,
            think: ms(20),
        },
        service_time: ServiceTime::Exponential(ms(80)),
        ..Client::new("mouse", get_pods(user("mouse", "batch")))
    };
    let load = Load {
        duration,
        clients: vec![client],
    };
    explain(server, &load, 3, ("batch", "mouse"), usize::MAX)
}

fn median_wait(lives: &[RequestTrace]) -> Duration {
    let mut waits = waits(lives);
    waits.sort_unstable();
    waits[waits.len() / 2]
}

fn average_wait(lives: &[RequestTrace]) -> Duration {
    waits(lives).iter().sum::<Duration>() / lives.len() as u32
}

fn waits(lives: &[RequestTrace]) -> Vec<Duration> {
    let wait = |life: &RequestTrace| {
        let mut steps = life.steps.iter();
        let dispatched = steps.find(|(_, step)| matches!(step, Step::Dispatched { .. }));
        dispatched.unwrap().0.saturating_sub(life.arrived)
    };
    lives.iter().map(wait).collect()
}

/// The log of a server with many seats tells what happens with few: clients that wait do not flood it.
#[test]
fn clients_that_wait_for_responses_send_less_to_a_slower_server() {
    let (real, log) = (
        closed(server(), ms(20_000)),
        log_of(&closed(wide_server(), ms(20_000))),
    );
    let (mut base, requests) = read_for(wide_server(), &log);
    base.find_loops(requests.clone());
    let (mut recording, requests) = read(&log);
    let open = recording.clone().replay(requests.clone(), |_| ());
    recording.learn_from(&base);
    let report = recording.replay(requests.clone(), |_| ());
    let flow = &report.flows[0];
    let sent = flow.counts.dispatched as f64;
    assert!(
        (sent / real.len() as f64 - 1.0).abs() < 0.1,
        "{sent} {}",
        real.len()
    );
    let lives = real;
    let (predicted, real) = (flow.waits.percentile(50.0), median_wait(&lives));
    assert!(real > ms(50), "{real:?}");
    assert!(
        predicted.abs_diff(real) * 100 < real * 25,
        "{predicted:?} {real:?}"
    );
    // The report is the mean of several replays, which differ.
    let [median, p99] = flow
        .spread
        .map(|spread| [spread.median, spread.p99])
        .unwrap();
    assert!(
        median[0] <= predicted && predicted <= median[1],
        "{median:?}"
    );
    assert!(
        p99[0] < p99[1] && p99[1] <= flow.waits.longest() * 2,
        "{p99:?}"
    );
    let (average, observed) = (flow.waits.average(), average_wait(&lives));
    assert!(
        average.abs_diff(observed) * 100 < observed * 25,
        "{average:?} {observed:?}"
    );
    // As independent requests, they would wait several times as long.
    assert!(open.flows[0].waits.percentile(50.0) > real * 4);
    // They end with the log: not all of its requests are sent.
    assert!(report.end < ms(22_000), "{:?}", report.end);
    assert!(flow.counts.dispatched < requests.len() as u64);
}

/// The log of a server with few seats tells what happens with many: clients that wait send more.
#[test]
fn clients_that_wait_for_responses_send_more_to_a_faster_server() {
    let real = closed(wide_server(), ms(20_000));
    let log = log_of(&closed(server(), ms(20_000)));
    let (mut base, requests) = read(&log);
    base.find_loops(requests);
    let (mut recording, requests) = read_for(wide_server(), &log);
    recording.learn_from(&base);
    let report = recording.replay(requests.clone(), |_| ());
    let sent = report.flows[0].counts.dispatched;
    assert!(sent > requests.len() as u64 * 3 / 2, "{sent}");
    let ratio = sent as f64 / real.len() as f64;
    assert!((ratio - 1.0).abs() < 0.1, "{sent} {}", real.len());
}

/// A wait that the log does not have does not count as execution.
#[test]
fn waits_without_annotation_are_estimated() {
    let lives = closed(server(), ms(20_000));
    let log: String = log_of(&lives)
        .lines()
        .map(|line| {
            let mut event: Value = serde_json::from_str(line).unwrap();
            let annotations = event["annotations"].as_object_mut().unwrap();
            annotations.remove("apiserver.latency.k8s.io/apf-queue-wait");
            format!("{event}\n")
        })
        .collect();
    let (mut recording, requests) = read(&log);
    recording.find_loops(requests.clone());
    let naive = recording.clone().replay(requests.clone(), |_| ());
    let requests: Vec<_> = recording.separate_waits(requests.into_iter()).collect();
    let report = recording.replay(requests, |_| ());
    let (predicted, real) = (report.flows[0].waits.percentile(50.0), median_wait(&lives));
    assert!(
        predicted.abs_diff(real) * 100 < real * 25,
        "{predicted:?} {real:?}"
    );
    let naive = naive.flows[0].waits.percentile(50.0);
    assert!(naive > real * 3 / 2, "{naive:?} {real:?}");
}

/// Clients of one user, in parts of the time in seconds.
fn at_times(parts: &[(Arrivals, [u64; 2])]) -> Vec<RequestTrace> {
    let clients = parts.iter().map(|(arrivals, [start, end])| Client {
        arrivals: *arrivals,
        service_time: ServiceTime::Exponential(ms(400)),
        start: Duration::from_secs(*start),
        end: Duration::from_secs(*end),
        ..Client::new("mouse", get_pods(user("mouse", "batch")))
    });
    let load = Load {
        duration: Duration::from_secs(parts.iter().map(|(_, [_, end])| *end).max().unwrap()),
        clients: clients.collect(),
    };
    explain(wide_server(), &load, 3, ("batch", "mouse"), usize::MAX)
}

/// Clients that wait for responses are found whenever they send, and however many they are at other times.
#[test]
fn loads_that_change_are_closed_loops_too() {
    let (think, open) = (ms(20), Arrivals::Open { per_second: 90.0 });
    let closed = |clients| Arrivals::Closed { clients, think };
    let cases = [
        (vec![(closed(30), [0, 20]), (closed(30), [600, 620])], true),
        (vec![(closed(10), [0, 200]), (closed(1), [200, 300])], true),
        (vec![(open, [0, 20]), (open, [600, 620])], false),
        (
            vec![
                (open, [0, 20]),
                (Arrivals::Open { per_second: 2.0 }, [20, 300]),
            ],
            false,
        ),
    ];
    for (parts, are_loops) in cases {
        let (mut recording, requests) = read(&log_of(&at_times(&parts)));
        recording.find_loops(requests.clone());
        let report = recording.replay(requests, |_| ());
        // Only loops are replayed several times.
        let are_found = report.flows[0].spread.is_some();
        assert_eq!(are_found, are_loops, "{parts:?}");
    }
}
