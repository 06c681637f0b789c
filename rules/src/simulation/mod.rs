//! A server under a load of generated clients, simulated.
//!
//! [`simulate`] runs a [`Load`] against a [`FlowController`] and reports for each priority level and flow how many requests
//! were dispatched, rejected and timed out, how long they waited, and the seats in use over time. The result depends only on
//! its arguments: the same seed gives the same report.
//!
//! A request that gets 429 is retried after a second, as client-go does with `Retry-After: 1`, up to ten times.
//!
//! The model does not know several API servers, the processor's load (the time that a request executes does not depend on
//! the others), or the bytes of objects beyond the given seats.
//!
//! ```
//! use k8s_flowcontrol_rules::controller::FlowController;
//! use k8s_flowcontrol_rules::matching::{RequestAttributes, User};
//! use k8s_flowcontrol_rules::simulation::{Arrivals, Client, Load, ServiceTime, simulate};
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
//! [`FlowController`]: crate::controller::FlowController

mod events;
mod explain;
mod load;
mod random;
mod report;
mod run;
mod waits;

pub use explain::{HandQueue, Life, Step, explain};
pub use load::{Arrivals, Client, Load, ServiceTime};
pub use report::{Counts, FlowReport, LevelReport, Report, Sample};
pub use run::{Progress, simulate};
pub use waits::Waits;
