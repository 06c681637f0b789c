//! From what people want to the numbers: intents, and the configuration that satisfies them, with proof.
//!
//! [`Intents`] say what must hold for clients or levels under their load: the longest waits, the most seats, the clients that must
//! not starve them. The load comes from audit logs ([`Collector`], [`Requests`]), or from rates in the intents. A [`Sizer`] finds the
//! fewest seats and the smallest changes of the present objects with which every intent holds, or the reason why it found none.
//! The exact [`simulation`](crate::simulation) decides about every candidate, and again about the answer: see [`Proof`].
//!
//! Size adds priority levels with a flow schema for one client, and changes shares, borrowing limits and queues of present levels. It
//! deletes nothing, and changes built-in objects only if [`Keep`] allows it. [`Sizer::drift`] compares later logs with an earlier answer.
//!
//! ```
//! use k8s_flowcontrol_analysis::size::{Answer, Intents, Sizer};
//! use k8s_flowcontrol_types::Release;
//! use std::ops::ControlFlow;
//!
//! let intents = Intents::read(b"
//! server: {seats: 100}
//! duration: 10s
//! intents:
//! - name: flux
//!   client: {serviceAccount: flux-system/kustomize-controller}
//!   waits: {p99: 1s}
//!   atLoad: {concurrent: 40, meanSeconds: 0.2}
//! ")?;
//! let sizer = Sizer::new(&intents, &[], &[], Release::NEWEST, None)?;
//! let Answer::Sized(sizing) = sizer.size(|_| ControlFlow::Continue(()))? else { panic!("impossible") };
//! assert!(sizing.proof.is_met());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod answer;
mod bounds;
mod check;
mod demands;
mod drift;
mod error;
mod examine;
mod explain;
mod fewest;
mod intents;
mod longer;
mod manifests;
mod pair;
mod quiet;
mod read;
mod recurring;
mod requests;
mod search;
mod setting;
mod shapes;
mod sizer;
mod solve;
mod variation;
mod ways_out;
mod windows;

pub use crate::fields::{InvalidFile, Problem};
pub use answer::{Answer, Change, Compared, Examined, Impossible, Proof, Reason, Sizing};
pub use bounds::Contradiction;
pub use check::{Check, Measured};
pub use drift::{Baseline, Drift, DriftedIntent, FieldChange, Margin, State};
pub use error::SizeError;
pub use examine::Examination;
pub use intents::{AtLoad, Generated, Intent, Intents, Keep, ServerSeats, Target, Tier, WaitLimit};
pub use longer::LongerWaits;
pub use requests::{Collector, Requests};
pub use search::Progress;
pub use sizer::Sizer;
pub use variation::Variation;
