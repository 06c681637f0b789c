//! The behaviour of the Kubernetes API server for API Priority and Fairness, offline.
//!
//! | module | contents |
//! |---|---|
//! | [`decode`] | decoding of JSON and YAML, with strict field validation |
//! | [`defaults`] | the server's defaults |
//! | [`conversion`] | conversion between API versions, as the server does it |
//! | [`validate`] | the violations of an object, or the server's response to a request |
//! | [`limits`] | nominal limits, lending, borrowing, and their adjustment to demand |
//! | [`seats`] | the seats that a request takes, with the arithmetic |
//! | [`sharding`] | shuffle sharding: the queues of a flow, and how well flows are isolated |
//! | [`queueing`] | fair queuing: the execution, queuing and rejection of requests over time |
//! | [`controller`] | the flow control of a whole server: all of these together |
//! | [`buckets`] | the buckets of the metrics that are histograms |
//! | [`matching`] | the flow schema and priority level of a request, with an explanation |
//! | [`bootstrap`] | the built-in objects of each release |
//! | [`objects`] | the objects that a server uses: the given objects with defaults, and the mandatory objects |
//! | [`wire`] | the fields that a server writes in its JSON |
//! | [`storage`] | the hash of the version in which a server stores objects |
//! | [`upgrade`] | the moves of manifests from version to version during an upgrade |
//!
//! This crate does not do I/O. The behaviour depends on the server's [`Release`](k8s_flowcontrol_types::Release),
//! which every entry point takes. Applications use `k8s-flowcontrol` with the feature `rules`, which re-exports this crate.

#![cfg_attr(docsrs, feature(doc_cfg))]

mod runtime;
pub mod upgrade;
mod write;

pub use runtime::{buckets, controller, limits, matching, objects, queueing, seats, sharding};
pub use write::{
    bootstrap, conversion, decode, defaults, dropped_fields, storage, strip_server_fields,
    validate, wire,
};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
