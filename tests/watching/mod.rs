//! Watchers and stores against an embedded server, with and without faults.
//!
//! - `behaviour`: the events of a watcher, in each situation
//! - `losses`: the losses of converted objects
//! - `stores`: readiness, queries and subscriptions
//! - `indexes`: indexes of stores, projections, and stores without a server
//! - `invalid`: objects that do not fit their type
//! - `positions`: watchers that begin at a stored resource version
//! - `errors`: failures in subscriptions and in the log
//! - `trouble`: servers on which watches do not work
//! - `versions`: upgrades and downgrades of the server
//! - `programs`: code that panics, and subscriptions that nobody reads
//! - `faults`: random faults between client and server

mod behaviour;
mod compressed;
mod errors;
mod fake;
mod faults;
mod framing;
mod indexes;
mod invalid;
mod losses;
mod model;
mod positions;
mod programs;
pub(crate) mod proxy;
pub(crate) mod random;
mod stores;
mod support;
mod trouble;
mod versions;
mod world;
