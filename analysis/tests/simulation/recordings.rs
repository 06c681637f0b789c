//! Audit logs as a load.

use super::{get_pods, level, schema, user};
use k8s_flowcontrol_analysis::audit::AuditLog;
use k8s_flowcontrol_analysis::simulation::{
    Arrivals, Client, Load, Recorded, Recording, Report, RequestTrace, ServiceTime, Step, explain,
};
use k8s_flowcontrol_rules::controller::FlowController;
use k8s_flowcontrol_rules::queueing::Work;
use k8s_flowcontrol_rules::seats::{Estimator, LevelBounds, Stored};
use k8s_flowcontrol_types::Release;
use serde_json::{Value, json};
use std::time::Duration;

pub(super) const fn ms(time: u64) -> Duration {
    Duration::from_millis(time)
}

/// A server in which `batch` has few seats and cannot borrow.
pub(super) fn server() -> FlowController {
    let mut batch = level("batch", 5, 16, 50);
    batch.spec.limited.as_mut().unwrap().borrowing_limit_percent = Some(0);
    let schemas = [schema("batch", "batch", "batch")];
    FlowController::new(&schemas, &[batch], 20, Release::NEWEST, ms(0)).unwrap()
}

/// Reads a log, and sorts its requests by time.
pub(super) fn read(log: &str) -> (Recording, Vec<Recorded>) {
    read_for(server(), log)
}

pub(super) fn read_for(server: FlowController, log: &str) -> (Recording, Vec<Recorded>) {
    let release = Release::NEWEST;
    let bounds = LevelBounds::new(&[], 20, release);
    let mut recording = Recording::new(server, bounds, Estimator::new(release));
    let mut requests = Vec::new();
    let mut add = |event: &k8s_flowcontrol_analysis::audit::Event<'_>| {
        requests.extend(recording.add(event, &event.attributes(), Stored::NotFound));
        Ok::<(), std::io::Error>(())
    };
    let mut audit = AuditLog::new();
    audit.read(log.as_bytes(), &mut add).unwrap();
    audit.finish(&mut add).unwrap();
    requests.sort_by_key(|request| request.received_us);
    (recording, requests)
}

fn replay(log: &str) -> Report {
    let (recording, requests) = read(log);
    recording.replay(requests, |_| ())
}

fn time(at: Duration) -> String {
    let at = at + Duration::from_secs(5);
    let minute = 4 + at.as_secs() / 60;
    let second = at.as_micros() % 60_000_000;
    format!(
        "2026-01-02T03:{minute:02}:{:02}.{:06}Z",
        second / 1_000_000,
        second % 1_000_000
    )
}

/// The last event of a request of the flow `batch/NAME`.
pub(super) fn event(id: &str, name: &str, received: Duration, end: Duration) -> Value {
    json!({
        "kind": "Event", "apiVersion": "audit.k8s.io/v1", "auditID": id, "stage": "ResponseComplete",
        "requestURI": "/api/v1/namespaces/a/pods/b", "verb": "get",
        "user": {"username": name, "groups": ["batch", "system:authenticated"]},
        "objectRef": {"resource": "pods", "namespace": "a", "name": "b", "apiVersion": "v1"},
        "responseStatus": {"code": 200},
        "requestReceivedTimestamp": time(received), "stageTimestamp": time(end),
        "annotations": {"authorization.k8s.io/decision": "allow"},
    })
}

pub(super) fn lines(events: &[Value]) -> String {
    events.iter().map(|event| format!("{event}\n")).collect()
}

/// The log that a server would write about the traces of simulated requests.
pub(super) fn log_of(traces: &[RequestTrace]) -> String {
    let event = |(index, trace): (usize, &RequestTrace)| {
        let at = |wanted: fn(&Step) -> bool| {
            let found = trace.steps.iter().find(|(_, step)| wanted(step));
            found.map(|(at, _)| *at)
        };
        let dispatched = at(|step| matches!(step, Step::Dispatched { .. }));
        let waited = dispatched.unwrap().saturating_sub(trace.arrived);
        let end = at(|step| *step == Step::Finished).unwrap();
        let mut event = event(&index.to_string(), "mouse", trace.arrived, end);
        if !waited.is_zero() {
            let wait = format!("{:.6}ms", waited.as_secs_f64() * 1000.0);
            event["annotations"]["apiserver.latency.k8s.io/apf-queue-wait"] = wait.into();
        }
        event
    };
    let events: Vec<_> = traces.iter().enumerate().map(event).collect();
    lines(&events)
}

#[test]
fn the_log_of_a_simulation_replays_with_the_same_waits() {
    let client = Client {
        arrivals: Arrivals::Open { per_second: 90.0 },
        service_time: ServiceTime::Exponential(ms(50)),
        ..Client::new("mouse", get_pods(user("mouse", "batch")))
    };
    let load = Load {
        duration: ms(20_000),
        clients: vec![client],
    };
    let traces = explain(server(), &load, 3, ("batch", "mouse"), usize::MAX);
    assert!(traces.len() > 1500);
    let report = replay(&log_of(&traces));
    assert_eq!(report.requests, traces.len() as u64);
    let level = report.levels.iter().find(|level| level.name == "batch");
    let (observed, waits) = (&level.unwrap().observed, &level.unwrap().waits);
    assert!(observed.recorded > 100, "{}", observed.recorded);
    assert_eq!(observed.waits.count(), report.requests);
    assert_eq!(observed.responses.count(), report.requests);
    assert!(observed.waits.percentile(95.0) > ms(1));
    // The log has microseconds, and a queue can go first by less.
    for percent in 1..=100 {
        let percent = f64::from(percent);
        let (real, own) = (
            observed.waits.percentile(percent),
            waits.percentile(percent),
        );
        assert!(real.abs_diff(own) < ms(1), "{percent}: {real:?} {own:?}");
    }
    assert_eq!(observed.rejected, 0);
    assert_eq!(report.clients[0].0, "get pods");
    let waited = |trace: &&RequestTrace| trace.steps.len() == 3;
    let count = traces.iter().filter(waited).count();
    assert!(count >= observed.recorded as usize);
}

#[test]
fn predictions_have_limits() {
    let rejected = |id: usize| {
        let mut event = event(
            &format!("r{id}"),
            "a",
            ms(10 * id as u64),
            ms(10 * id as u64 + 1),
        );
        event["responseStatus"]["code"] = 429.into();
        event["annotations"] = json!({});
        event
    };
    let predictions = |count| {
        let mut events: Vec<_> = (0..count).map(rejected).collect();
        events.push(event("last", "a", ms(0), ms(5)));
        replay(&lines(&events)).predictions()
    };
    let found = predictions(10);
    // The level and its flow.
    assert_eq!(found.len(), 2);
    assert_eq!(
        (found[0].rejected.observed, found[0].rejected.predicted),
        (10, 0)
    );
    assert!(
        found
            .iter()
            .all(|found| found.is_within_limits() && found.waits.is_none())
    );
    assert_eq!(found[1].flow, Some(("batch".into(), "a".into())));
    assert!(!found[0].has_enough_requests());
    assert!(predictions(20)[0].has_enough_requests());
    assert!(
        predictions(11)
            .iter()
            .all(|found| !found.is_within_limits())
    );
    assert_eq!(predictions(0), []);
}

#[test]
fn execution_is_the_time_without_the_wait() {
    let mut waited = event("1", "a", ms(0), ms(900));
    waited["annotations"]["apiserver.latency.k8s.io/apf-queue-wait"] = "600ms".into();
    let mut rejected = event("2", "a", ms(1), ms(2));
    rejected["responseStatus"]["code"] = 429.into();
    rejected["annotations"] = json!({});
    let mut open = event("3", "a", ms(3), ms(4));
    open["stage"] = "RequestReceived".into();
    let (_, requests) = read(&lines(&[waited, rejected, open]));
    let execution: Vec<_> = requests.iter().map(|request| request.execution).collect();
    assert_eq!(execution, [Some(ms(300)), None, None]);
    let observed: Vec<_> = requests.iter().map(|request| request.observed).collect();
    assert_eq!(observed, [Some(ms(600)), None, None]);
}

#[test]
fn unknown_execution_times_are_those_of_similar_requests() {
    let mut rejected = event("2", "a", ms(10), ms(11));
    rejected["responseStatus"]["code"] = 429.into();
    rejected["annotations"] = json!({});
    let report = replay(&lines(&[event("1", "a", ms(0), ms(700)), rejected.clone()]));
    assert_eq!(report.end, ms(710));
    let batch = report.levels.iter().find(|level| level.name == "batch");
    assert_eq!(batch.unwrap().observed.rejected, 1);
    assert_eq!(replay(&lines(&[rejected])).end, ms(10));
}

#[test]
fn a_watch_executes_until_its_response_starts() {
    let watch = |stage: &str, at| {
        let mut event = event("1", "a", ms(0), at);
        event["verb"] = "watch".into();
        event["stage"] = stage.into();
        event["requestURI"] = "/api/v1/pods?watch=true".into();
        event
    };
    let started = watch("ResponseStarted", ms(40));
    let complete = watch("ResponseComplete", ms(50_000));
    let execution = |events: &[Value]| read(&lines(events)).1[0].execution;
    assert_eq!(
        execution(&[started.clone(), complete.clone()]),
        Some(ms(40))
    );
    assert_eq!(execution(&[started]), Some(ms(40)));
    assert_eq!(execution(&[complete]), None);
}

#[test]
fn only_requests_of_flow_control_with_a_time_are_replayed() {
    let mut log = event("1", "a", ms(0), ms(1));
    log["objectRef"]["subresource"] = "log".into();
    let mut untimed = event("2", "a", ms(0), ms(1));
    untimed["requestReceivedTimestamp"] = "yesterday".into();
    let mut unknown = event("3", "", ms(0), ms(1));
    unknown["annotations"] = json!({});
    unknown["responseStatus"]["code"] = 401.into();
    let (recording, requests) = read(&lines(&[log, untimed, unknown]));
    assert_eq!((requests.len(), recording.period_us()), (0, None));
    assert_eq!(recording.replay(requests, |_| ()).requests, 0);
}

#[test]
fn deadlines_come_from_the_query() {
    let busy: Vec<_> = (0..300)
        .map(|index| {
            let mut event = event(&index.to_string(), "a", ms(index), ms(index + 9_000));
            event["requestURI"] = "/api/v1/namespaces/a/pods/b?timeout=2s".into();
            event
        })
        .collect();
    let report = replay(&lines(&busy));
    let flow = &report.flows[0];
    assert!(flow.counts.timed_out > 0);
    assert_eq!(
        flow.counts.failed,
        flow.counts.timed_out + flow.counts.rejected
    );
    assert!(flow.waits.longest() <= ms(500));
}

#[test]
fn recorded_requests_are_explained() {
    let events: Vec<_> = (0..20)
        .map(|index| event(&index.to_string(), "a", ms(index), ms(index + 100)))
        .collect();
    let (recording, requests) = read(&lines(&events));
    let traces = recording.explain(requests, ("batch", "a"), 12);
    assert_eq!(traces.len(), 12);
    assert_eq!(
        (traces[0].client.as_str(), traces[0].work),
        ("get pods", Work::seats(1))
    );
    assert!(traces.iter().any(|trace| trace.steps.len() == 3));
}

#[test]
fn requests_out_of_order_are_late() {
    let (recording, mut requests) = read(&lines(&[
        event("1", "a", ms(0), ms(10)),
        event("2", "a", ms(500), ms(510)),
    ]));
    requests.reverse();
    let report = recording.replay(requests, |_| ());
    assert_eq!((report.requests, report.end), (2, ms(510)));
}

/// The time of a rejection is that of the server besides flow control, unless the request waited too long.
#[test]
fn rejections_after_a_wait_do_not_shorten_executions() {
    let rejected = |id: &str, uri: &str, at: Duration, end: Duration| {
        let mut event = event(id, "a", at, end);
        event["requestURI"] = uri.into();
        event["responseStatus"]["code"] = 429.into();
        event["annotations"] = json!({});
        event
    };
    let path = "/api/v1/namespaces/a/pods/b";
    let short = format!("{path}?timeout=2s");
    let log = lines(&[
        rejected("1", path, ms(0), ms(15_001)),
        rejected("2", &short, ms(0), ms(501)),
        rejected("3", path, ms(0), ms(3)),
        event("4", "a", ms(20_000), ms(22_000)),
    ]);
    let (recording, requests) = read(&log);
    let separated = recording.separate_waits(requests.into_iter());
    let found: Vec<_> = separated
        .map(|request| (request.execution, request.overhead))
        .collect();
    assert_eq!(
        found,
        [
            (None, ms(0)),
            (None, ms(0)),
            (None, ms(3)),
            (Some(ms(1997)), ms(3)),
        ]
    );
}

/// A request that takes most of an hour executes for most of it: it waits for at most a quarter of its deadline.
#[test]
fn no_estimated_wait_is_longer_than_its_limit() {
    let long = ms(50 * 60_000);
    let of = |id: u64| event(&id.to_string(), "a", ms(id), ms(id) + long);
    let events: Vec<_> = (0..40).map(of).collect();
    let log = lines(&events);
    let (recording, requests) = read(&log);
    let separated: Vec<_> = recording.separate_waits(requests.into_iter()).collect();
    assert_eq!(separated.len(), 40);
    for request in separated {
        let (took, execution) = (request.took.unwrap(), request.execution.unwrap());
        assert!(took.saturating_sub(execution) <= ms(15_000), "{request:?}");
    }
}
