//! Seats and waits as predicted from audit logs, beside the histograms of the server that wrote them.
//!
//! A [`Verifier`] takes the requests of logs, and [`compare`](Verifier::compare) predicts the seats, the waits and the executions of each priority
//! level. A difference from the server's own histograms counts only if it is greater than chance and the errors of the model explain:
//!
//! - Seats are computed as the server's release does, and differ by chance only where the logs lack requests. The number of stored objects is known at
//!   the first and at the second time of the metrics, and both predictions are possible, and what lies between them, unless the server's seats fit only one.
//! - Waits are simulated several times; in each, every client comes up to a second later. How much these simulations differ is chance.
//!   Times may be 25 % and 10 ms longer or shorter, which is the error of the model.
//!
//! [`Verification::report`] is a text that can be sent to the developers of Kubernetes.

mod compare;
mod report;
mod verifier;

pub use compare::{Bucket, LevelVerification, Quantity, QuantityVerification, Verification};
pub use verifier::{ServerMetrics, Verifier};
