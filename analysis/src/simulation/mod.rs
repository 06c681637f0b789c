//! A server under a load of generated clients or of an audit log, simulated.
//!
//! [`simulate`] runs a [`Load`], which a [`LoadFile`] can describe, against a [`FlowController`] and reports for each priority level and flow how many requests
//! were dispatched, rejected and timed out, how long they waited, and the seats in use over time. The result depends only on
//! its arguments: the same seed gives the same report. A [`Recording`] does the same with the requests of an audit log, and
//! compares the waits with the recorded waits. [`explain`] and [`Recording::explain`] return the traces of single requests.
//!
//! A request of a generated client that gets 429 is retried after the time of `Retry-After`, as client-go does, up to ten
//! times.
//!
//! The model does not know several API servers, or the bytes of objects beyond the given seats. The requests of an audit log
//! follow the simulated responses where their clients [waited](Recording::find_loops) for them, and come at their times
//! otherwise; waits that the log does not have are [estimated](Recording::separate_waits), and so is [how much
//! requests slow each other down, and how late they begin](Recording::find_slowdown). Generated requests execute as long as the load says.
//! [`Report::predictions`] compares the outcome with the log.
//!
//! ```
//! use k8s_flowcontrol_rules::controller::FlowController;
//! use k8s_flowcontrol_rules::matching::{RequestAttributes, User};
//! use k8s_flowcontrol_analysis::simulation::{Arrivals, Client, Load, ServiceTime, simulate};
//! use k8s_flowcontrol_types::Release;
//! use std::time::Duration;
//!
//! let request = RequestAttributes::from_http("GET", "/api/v1/pods", User::named("alice"))?;
//! let client = Client {
//!     arrivals: Arrivals::Closed { clients: 3, think: Duration::from_millis(1) },
//!     service_time: ServiceTime::Constant(Duration::from_millis(9)),
//!     ..Client::new("reports", request)
//! };
//! let load = Load { duration: Duration::from_secs(10), clients: vec![client] };
//! let server = FlowController::new(&[], &[], 600, Release::NEWEST, Duration::ZERO)?;
//! let report = simulate(server, &load, 1, |_| ());
//! let catch_all = report.levels.iter().find(|level| level.name == "catch-all").unwrap();
//! assert_eq!(catch_all.counts.rejected, 0);
//! assert!((2_900..=3_100).contains(&catch_all.counts.dispatched));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`FlowController`]: k8s_flowcontrol_rules::controller::FlowController

mod averages;
mod before;
mod beginning;
mod causal;
mod clients;
mod connections;
mod events;
mod executing;
mod explain;
mod flows;
mod hidden;
mod load;
mod load_file;
mod logged;
mod loops;
mod mean;
mod places;
mod quiet;
mod random;
mod recorded;
mod report;
mod run;
mod slowdown;
mod source;
mod start_delay;
mod tally;
mod trial;
mod trust;
mod waits;

pub use crate::fields::{InvalidFile, Problem};
pub(crate) use before::Before;
pub(crate) use beginning::Beginning;
pub use explain::{ArrivalState, DispatchState, HandQueue, RequestTrace, Step};
pub(crate) use hidden::{Arriving, Separator, overhead_of_rejection};
pub use load::{Arrivals, Client, Load, ServiceTime};
pub use load_file::LoadFile;
pub use logged::Recorded;
pub(crate) use loops::Habit;
pub(crate) use quiet::{LevelDemand, Quiet, awaited_periods, demand};
pub(crate) use random::{MOVED_US, moved_us};
pub use recorded::Recording;
pub(crate) use recorded::{DEADLINE, Shape, patience};
pub use report::{Counts, FlowReport, LevelReport, Observed, Report, Sample};
pub use run::Progress;
pub(crate) use source::Stretches;
pub(crate) use trial::{Measure, Measured, Peak, Trial};
pub use trust::{Compared, Prediction};
pub use waits::{Spread, Waits};

use clients::Clients;
use explain::Tracer;
use flows::Flows;
use k8s_flowcontrol_rules::controller::FlowController;
use run::{Observer, Run};

/// Runs a load against a server that is idle at time zero, and tells `progress` from time to time how far it has come.
///
/// Clients whose requests are not subject to flow control send nothing.
///
/// ```
/// use k8s_flowcontrol_analysis::simulation::{Load, simulate};
/// use k8s_flowcontrol_rules::controller::FlowController;
/// use k8s_flowcontrol_types::Release;
/// use std::time::Duration;
///
/// let server = FlowController::new(&[], &[], 600, Release::NEWEST, Duration::ZERO)?;
/// let load = Load { duration: Duration::from_secs(1), clients: Vec::new() };
/// let report = simulate(server, &load, 1, |progress| println!("{progress:?}"));
/// assert!(report.levels.iter().all(|level| level.counts.dispatched == 0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn simulate(
    server: FlowController,
    load: &Load,
    seed: u64,
    mut progress: impl FnMut(Progress),
) -> Report {
    let mut run = run_of_clients(server, load, seed, ());
    run.run(&mut progress);
    run.report()
}

/// Runs a simulation like [`simulate`], and returns the traces of the first `most` requests of a flow.
///
/// A flow is named by its flow schema and its flow distinguisher, which is empty if the schema has none.
pub fn explain(
    server: FlowController,
    load: &Load,
    seed: u64,
    flow: (&str, &str),
    most: usize,
) -> Vec<RequestTrace> {
    let traces = Tracer::new(names(load), flow, most);
    let mut run = run_of_clients(server, load, seed, traces);
    run.run(&mut |_| ());
    run.observer.traces
}

fn run_of_clients<O: Observer>(
    server: FlowController,
    load: &Load,
    seed: u64,
    observer: O,
) -> Run<Clients<'_>, O> {
    let mut flows = Flows::default();
    let clients = Clients::new(&server, load, seed, &mut flows);
    Run::new(
        (server, None),
        clients,
        load.duration,
        flows.all,
        names(load),
        observer,
    )
}

fn names(load: &Load) -> Vec<String> {
    let names = load.clients.iter().map(|client| client.name.clone());
    names.collect()
}
