//! Waits and arrivals whose distribution is known.

use super::{get_pods, level, schema, user};
use k8s_flowcontrol_analysis::simulation::{
    Arrivals, Client, Load, Report, ServiceTime, Waits, simulate,
};
use k8s_flowcontrol_rules::controller::FlowController;
use k8s_flowcontrol_types::Release;
use std::time::Duration;

/// The report about a client of a level with so many seats.
fn run(seats: u32, arrivals: Arrivals, service_time: ServiceTime, duration: Duration) -> Report {
    let mut batch = level("batch", 1_000_000, 1, 1000);
    let limited = batch.spec.limited.as_mut().unwrap();
    (limited.lendable_percent, limited.borrowing_limit_percent) = (Some(0), Some(0));
    let schemas = [schema("batch", "batch", "batch")];
    let release = Release::NEWEST;
    let server = FlowController::new(&schemas, &[batch], seats, release, Duration::ZERO).unwrap();
    let load = Load {
        duration,
        clients: vec![Client {
            arrivals,
            service_time,
            ..Client::new("mouse", get_pods(user("mouse", "batch")))
        }],
    };
    simulate(server, &load, 1, |_| ())
}

/// The waits of a hundred requests at a time for a single seat: 0 to 99 executions.
fn of_a_hundred(execution: Duration) -> Waits {
    let arrivals = Arrivals::Closed {
        clients: 100,
        think: Duration::ZERO,
    };
    let once = Duration::from_nanos(1);
    let report = run(1, arrivals, ServiceTime::Constant(execution), once);
    report.flows[0].waits.clone()
}

#[test]
fn percentiles_are_exact_to_3_percent() {
    for execution in [1, 7, 640, 10_000, 100_000] {
        let execution = Duration::from_micros(execution);
        let waits = of_a_hundred(execution);
        for executions in 0..100 {
            let found = waits.percentile(f64::from(executions + 1));
            let expected = execution * executions;
            assert!(
                expected <= found && found <= expected + expected / 32,
                "{execution:?} {executions} {found:?}"
            );
        }
        assert_eq!(waits.percentile(0.0), Duration::ZERO);
        assert_eq!(waits.percentile(100.0), execution * 99);
        let within = [Duration::ZERO, execution * 49, Duration::MAX].map(|time| waits.within(time));
        assert_eq!((within[0], within[2]), (1, 100));
        assert!((50..=52).contains(&within[1]), "{within:?}");
        assert_eq!(waits.average(), execution * 99 / 2);
        assert_eq!((waits.count(), waits.longest()), (100, execution * 99));
    }
    assert_eq!(Waits::default().percentile(99.0), Duration::ZERO);
    assert_eq!(Waits::default().average(), Duration::ZERO);
}

/// Random numbers are the same on every machine.
#[test]
fn arrivals_and_executions_have_their_averages() {
    let arrivals = Arrivals::Open { per_second: 2000.0 };
    let execution = ServiceTime::Exponential(Duration::from_millis(10));
    let report = run(1000, arrivals, execution, Duration::from_secs(10));
    assert_eq!(report.requests, 20_139);
    let level = report.levels.iter().find(|level| level.name == "batch");
    let samples = &level.unwrap().samples;
    let seats = samples.iter().map(|sample| sample.mean_seats_in_use);
    let mean = seats.sum::<f64>() / samples.len() as f64;
    assert!((mean / 20.0 - 1.0).abs() < 0.03, "{mean}");
}
