//! Typed, lossless SDK for Kubernetes [API Priority and Fairness][apf].
//!
//! [apf]: https://kubernetes.io/docs/concepts/cluster-administration/flow-control/

pub mod analysis;
pub mod api;
pub mod bootstrap;
#[cfg(feature = "client")]
pub mod client;
#[cfg(feature = "client")]
pub mod config;
pub mod convert;
pub mod debug;
pub mod defaults;
pub mod meta;
pub mod release;
pub mod resource;
pub mod schema;
pub mod text;
pub mod validate;
#[cfg(feature = "client")]
pub mod watch;

#[doc(hidden)]
pub mod rt;

#[cfg(feature = "client")]
pub use client::{Api, Client, Error};
pub use release::{ApiVersion, Release};
pub use resource::{List, Resource};

/// The API group that this crate speaks.
pub const GROUP: &str = "flowcontrol.apiserver.k8s.io";

#[cfg(all(doctest, feature = "client"))]
#[doc = include_str!("../README.md")]
struct Readme;
