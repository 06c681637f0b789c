//! A whole server under a generated load, most of which waits.

use crate::{Outcome, built_in, rate};
use bench_data::Meter;
use k8s_flowcontrol::Release;
use k8s_flowcontrol::rules::controller::FlowController;
use k8s_flowcontrol::rules::matching::{RequestAttributes, User};
use k8s_flowcontrol_analysis::simulation::{Arrivals, Client, Load, ServiceTime, simulate};
use std::time::Duration;

/// Requests of a thousand users of three levels against a server with its built-in objects: closed loops that keep a level busy, open
/// groups below and above their seats, writes with final seats.
pub(crate) fn simulation(count: u64) -> Outcome {
    let (schemas, levels) = built_in();
    let start = Duration::ZERO;
    let server = FlowController::new(&schemas, &levels, 600, Release::NEWEST, start)?;
    let client = |name: &str, users: usize, arrivals| {
        let user = |number| User::authenticated(format!("{name}-{number}"), Vec::<String>::new());
        let service = |number| User::service_account(name, &format!("builder-{number}"));
        let users: Vec<_> = match name {
            "people" => (0..users).map(user).collect(),
            _ => (0..users).map(service).collect(),
        };
        let request =
            RequestAttributes::from_http("GET", "/api/v1/namespaces/a/pods/b", User::anonymous())?;
        Ok::<_, Box<dyn std::error::Error>>(Client {
            arrivals,
            users,
            service_time: ServiceTime::Exponential(Duration::from_millis(5)),
            ..Client::new(name, request)
        })
    };
    let open = |per_second| Arrivals::Open { per_second };
    let think = Duration::from_millis(1);
    let closed = Arrivals::Closed {
        clients: 400,
        think,
    };
    let mut clients = vec![
        client("people", 500, open(8_000.0))?,
        client("ci", 400, closed)?,
        client("apps", 100, open(10_000.0))?,
    ];
    clients[2].work.final_seats = 2;
    clients[2].work.additional_latency = Duration::from_millis(5);
    let mut load = Load {
        duration: Duration::from_secs(5),
        clients,
    };
    // The rate of the closed loops is a result, so a short run finds the duration for the count.
    let sample = simulate(server.clone(), &load, 1, |_| ());
    load.duration = load.duration.mul_f64(count as f64 / sample.requests as f64);
    let meter = Meter::start();
    let report = simulate(server, &load, 1, |_| ());
    rate(&meter, "requests/s", report.requests as usize);
    match report
        .levels
        .iter()
        .any(|level| !level.waits.longest().is_zero())
    {
        true => Ok(()),
        false => Err("no request waited".into()),
    }
}
