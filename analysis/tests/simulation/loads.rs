//! Reports about loads.

use super::{get_pods, level, schema, user};
use k8s_flowcontrol_analysis::simulation::{
    Arrivals, Client, Load, Report, RequestTrace, ServiceTime, Step, explain, simulate,
};
use k8s_flowcontrol_rules::controller::FlowController;
use k8s_flowcontrol_rules::matching::User;
use k8s_flowcontrol_rules::queueing::{Rejection, Work};
use k8s_flowcontrol_types::Release;
use std::time::Duration;

const fn ms(time: u64) -> Duration {
    Duration::from_millis(time)
}

/// A server in which `batch` has few seats and cannot borrow.
fn server(queue_length_limit: u32) -> FlowController {
    let mut batch = level("batch", 5, 16, queue_length_limit);
    batch.spec.limited.as_mut().unwrap().borrowing_limit_percent = Some(0);
    let schemas = [schema("batch", "batch", "batch")];
    FlowController::new(
        &schemas,
        &[batch, level("web", 90, 8, 50)],
        100,
        Release::NEWEST,
        ms(0),
    )
    .unwrap()
}

fn client(name: &str, arrivals: Arrivals) -> Client {
    Client {
        arrivals,
        service_time: ServiceTime::Constant(ms(100)),
        ..Client::new(name, get_pods(user(name, "batch")))
    }
}

fn run(queue_length_limit: u32, clients: Vec<Client>) -> Report {
    let load = Load {
        duration: ms(20_000),
        clients,
    };
    simulate(server(queue_length_limit), &load, 1, |_| ())
}

#[test]
fn mice_do_not_wait_for_an_elephant() {
    let report = run(
        50,
        vec![
            client(
                "elephant",
                Arrivals::Closed {
                    clients: 40,
                    think: ms(1),
                },
            ),
            client("mouse", Arrivals::Open { per_second: 2.0 }),
        ],
    );
    let flow = |name: &str| {
        report
            .flows
            .iter()
            .find(|flow| flow.flow_distinguisher == name)
            .unwrap()
    };
    let (elephant, mouse) = (flow("elephant"), flow("mouse"));
    assert_eq!(
        (
            elephant.flow_schema.as_str(),
            elephant.priority_level.as_str()
        ),
        ("batch", "batch")
    );
    assert!(
        mouse.waits.percentile(90.0) * 4 < elephant.waits.percentile(50.0),
        "{report:#?}"
    );
    let level = report
        .levels
        .iter()
        .find(|level| level.name == "batch")
        .unwrap();
    assert_eq!(
        level.counts.arrived,
        elephant.counts.arrived + mouse.counts.arrived
    );
    assert_eq!(level.counts.arrived, level.counts.dispatched);
    assert!(
        level
            .samples
            .iter()
            .all(|sample| sample.seats_in_use as i64 <= sample.limit)
    );
    assert!(level.samples.iter().any(|sample| sample.waiting > 10));
    assert_eq!(report.requests, level.counts.arrived);
    assert!(report.end >= ms(20_000) && report.end < ms(40_000));
}

#[test]
fn rejected_requests_are_retried_and_given_up() {
    let rush = Client {
        retries: 2,
        ..client("rush", Arrivals::Open { per_second: 300.0 })
    };
    let report = run(1, vec![rush]);
    let (_, counts) = &report.clients[0];
    assert!(counts.rejected > 0 && counts.failed > 0);
    assert_eq!(
        counts.arrived,
        counts.dispatched + counts.rejected + counts.timed_out
    );
    assert_eq!(
        counts.rejected + counts.timed_out,
        counts.retried + counts.failed
    );
}

#[test]
fn requests_time_out_in_queues() {
    let slow = Client {
        service_time: ServiceTime::Constant(ms(10_000)),
        deadline: ms(4_000),
        retries: 0,
        ..client(
            "slow",
            Arrivals::Closed {
                clients: 30,
                think: ms(1),
            },
        )
    };
    let report = run(50, vec![slow]);
    let (_, counts) = &report.clients[0];
    assert!(counts.timed_out > 0);
    assert_eq!(counts.timed_out, counts.failed);
    assert!(report.flows[0].waits.longest() <= ms(1_000));
}

#[test]
fn a_request_that_times_out_is_explained() {
    let slow = Client {
        service_time: ServiceTime::Constant(ms(10_000)),
        deadline: ms(4_000),
        retries: 0,
        ..client("slow", Arrivals::Open { per_second: 10.0 })
    };
    let load = Load {
        duration: ms(5_000),
        clients: vec![slow],
    };
    let traces = explain(server(50), &load, 1, ("batch", "slow"), 20);
    let first = |trace: &RequestTrace| match trace.steps[..] {
        [(queued, Step::Queued { .. }), (end, Step::TimedOut { .. })] => Some(end - queued),
        _ => None,
    };
    assert!(
        traces
            .iter()
            .filter_map(first)
            .any(|wait| wait == ms(1_000))
    );
}

#[test]
fn the_seed_decides() {
    let clients = |think| {
        vec![Client {
            service_time: ServiceTime::Exponential(ms(80)),
            ..client("a", Arrivals::Closed { clients: 20, think })
        }]
    };
    let load = Load {
        duration: ms(5_000),
        clients: clients(ms(10)),
    };
    let report = |seed| format!("{:?}", simulate(server(50), &load, seed, |_| ()));
    assert_eq!(report(7), report(7));
    assert_ne!(report(7), report(8));
}

#[test]
fn each_user_is_a_flow() {
    let users = (0..5).map(|number| User::authenticated(format!("user-{number}"), ["batch"]));
    let all = Client {
        users: users.collect(),
        work: Work::seats(2),
        start: ms(1_000),
        end: ms(3_000),
        ..client("all", Arrivals::Open { per_second: 50.0 })
    };
    let report = run(50, vec![all]);
    assert_eq!(report.flows.len(), 5);
    assert!(
        report.requests > 60 && report.requests < 140,
        "{}",
        report.requests
    );
}

#[test]
fn loads_without_requests_end() {
    for per_second in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let report = run(50, vec![client("none", Arrivals::Open { per_second })]);
        assert_eq!(report.requests, 0);
    }
    let mut log = client("log", Arrivals::Open { per_second: 5.0 });
    log.request.subresource = "log".into();
    log.request.resource = "pods".into();
    assert_eq!(
        run(50, vec![log]).requests,
        0,
        "long-running requests are not subject to flow control"
    );
}

#[test]
fn progress_is_told() {
    let load = Load {
        duration: ms(if crate::tries_all() { 12_000 } else { 3_000 }),
        clients: vec![client(
            "busy",
            Arrivals::Open {
                per_second: 5_000.0,
            },
        )],
    };
    let mut last = (ms(0), 0);
    simulate(server(1), &load, 1, |progress| {
        assert!(progress.at >= last.0 && progress.requests > last.1);
        last = (progress.at, progress.requests);
    });
    assert!(last.1 > 10_000);
}

#[test]
fn a_life_is_explained() {
    let load = Load {
        duration: ms(2_000),
        clients: vec![
            client(
                "elephant",
                Arrivals::Closed {
                    clients: 60,
                    think: ms(1),
                },
            ),
            Client {
                retries: 0,
                ..client("mouse", Arrivals::Open { per_second: 5.0 })
            },
        ],
    };
    let traces = explain(server(50), &load, 1, ("batch", "mouse"), 3);
    assert_eq!(traces.len(), 3);
    for trace in &traces {
        assert_eq!(
            (trace.client.as_str(), trace.work),
            ("mouse", Work::seats(1))
        );
        let arrival = &trace.arrival;
        assert_eq!(
            (arrival.hand.len(), arrival.seats_in_use as i64),
            (4, arrival.limit.unwrap())
        );
        let steps: Vec<_> = trace.steps.iter().map(|(_, step)| *step).collect();
        let [
            Step::Queued { queue, ahead },
            Step::Dispatched {
                turn: Some(turn), ..
            },
            Step::Finished,
        ] = steps[..]
        else {
            panic!("{trace:?}");
        };
        let least = arrival.hand.iter().map(|queue| queue.work).min();
        let taken = arrival
            .hand
            .iter()
            .find(|other| other.queue == queue)
            .unwrap();
        assert_eq!((Some(taken.work), arrival.queue), (least, Some(queue)));
        assert_eq!(taken.waiting, ahead);
        assert!(
            arrival.waiting
                >= arrival
                    .hand
                    .iter()
                    .map(|queue| queue.waiting as usize)
                    .sum()
        );
        // Its queue went first because its virtual finish was the earliest.
        assert_eq!(turn.queue, queue);
        assert!(turn.start_r >= arrival.current_r.min(taken.next_dispatch_r));
        assert!((turn.finish_r.as_f64() - turn.start_r.as_f64() - 0.003).abs() < 1e-9);
        assert!(turn.current_r > arrival.current_r);
        let (_, next) = turn.next.unwrap();
        assert!(turn.finish_r <= next, "{turn:?}");
    }
    let rejecting = explain(server(1), &load, 1, ("batch", "elephant"), 60);
    let is_rejected = |(_, step): &(Duration, Step)| *step == Step::Rejected(Rejection::QueueFull);
    assert!(
        rejecting
            .iter()
            .any(|trace| trace.steps.first().is_some_and(is_rejected))
    );
    assert_eq!(explain(server(1), &load, 1, ("batch", "nobody"), 9), []);
}

#[test]
fn samples_have_means_and_the_report_has_the_peak() {
    // Requests of 100 ms, two a second: a fifth of a seat, whatever single moments show.
    let clients = vec![client("mouse", Arrivals::Open { per_second: 2.0 })];
    let report = run(50, clients);
    let level = report
        .levels
        .iter()
        .find(|level| level.name == "batch")
        .unwrap();
    let means: Vec<_> = level
        .samples
        .iter()
        .map(|sample| sample.mean_seats_in_use)
        .collect();
    let mean = means.iter().sum::<f64>() / means.len() as f64;
    assert!((0.1..0.3).contains(&mean), "{mean}");
    assert!(
        (1..=3).contains(&level.peak_seats_in_use),
        "{}",
        level.peak_seats_in_use
    );
}

/// Between two samples of a long load the limits can change many times.
#[test]
fn limits_and_the_least_free_seats_are_those_of_all_times() {
    let mut batch = level("batch", 5, 16, 50);
    batch.spec.limited.as_mut().unwrap().borrowing_limit_percent = None;
    let (schemas, levels) = (
        [schema("batch", "batch", "batch")],
        [batch, level("web", 90, 8, 50)],
    );
    let server =
        FlowController::new(&schemas, &levels, 100, Release::NEWEST, Duration::ZERO).unwrap();
    let clients = Arrivals::Closed {
        clients: 40,
        think: ms(1),
    };
    let burst = Client {
        start: ms(105_000),
        end: ms(109_000),
        ..client("burst", clients)
    };
    let admin = Client::new("admin", get_pods(user("admin", "system:masters")));
    let load = Load {
        duration: Duration::from_secs(20_000),
        clients: vec![burst, admin],
    };
    let report = simulate(server, &load, 1, |_| ());
    let of = |name: &str| report.levels.iter().find(|level| level.name == name);
    let batch = of("batch").unwrap();
    let samples = || batch.samples.iter();
    let [least, most] = batch.limits.unwrap();
    assert!(samples().all(|sample| (least..=most).contains(&sample.limit)));
    let shown = samples().map(|sample| sample.limit).max().unwrap();
    assert!(most > shown, "{most} {shown}");
    assert!(most >= batch.peak_seats_in_use as i64);
    assert_eq!(batch.least_free_seats, Some(0));
    assert!(samples().all(|sample| sample.free_seats() > 0.5));
    let exempt = of("exempt").unwrap();
    assert!(exempt.counts.dispatched > 0);
    assert_eq!((exempt.limits, exempt.least_free_seats), (None, None));
}
