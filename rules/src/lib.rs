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
//! | [`queueing`] | fair queuing: which request is executed, queued or rejected, and when |
//! | [`controller`] | the flow control of a whole server: all of these together |
//! | [`simulation`] | a server under a generated load, or under the requests of an audit log |
//! | [`matching`] | the flow schema and priority level of a request, with an explanation |
//! | [`audit`] | audit logs: the requests that a server handled |
//! | [`lint`] | mistakes in objects that the server accepts |
//! | [`bootstrap`] | the built-in objects of each release |
//! | [`wire`] | the fields that a server writes in its JSON |
//! | [`ownership`] | the tool, vendor or server that owns an object and may undo changes |
//! | [`storage`] | the hash of the version in which a server stores objects |
//! | [`dumps`] | the server's debug dumps and flow control response headers |
//! | [`metrics`] | the server's metrics of flow control, of any release |
//! | [`monitoring`] | Prometheus rules and a Grafana dashboard for these metrics |
//! | [`diagnosis`] | the causes of waiting and rejected requests in a cluster, with the evidence |
//!
//! Nothing here does I/O. The behaviour depends on the server's [`Release`](k8s_flowcontrol_types::Release),
//! which every entry point takes. Applications use `k8s-flowcontrol` with the feature `rules`, which re-exports this crate.

pub mod audit;
pub mod bootstrap;
pub mod controller;
pub mod conversion;
pub mod decode;
pub mod defaults;
pub mod diagnosis;
pub mod dumps;
pub mod limits;
pub mod lint;
pub mod matching;
pub mod metrics;
pub mod monitoring;
mod objects;
pub mod ownership;
pub mod queueing;
pub mod seats;
pub mod sharding;
pub mod simulation;
pub mod storage;
mod system_requests;
pub mod validate;
pub mod wire;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
