//! An embedded Kubernetes API server for [API Priority and Fairness][apf].
//!
//! It speaks real HTTP on loopback, serves the versions of `flowcontrol.apiserver.k8s.io` that a given Kubernetes
//! release serves, and keeps its objects in memory. Tests, examples and first steps do not need a cluster.
//!
//! ```
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use k8s_flowcontrol_server::ApiServer;
//!
//! let server = ApiServer::builder().kubernetes("1.29").start().await?;
//! println!("{}", server.kubeconfig());
//! # Ok(())
//! # }
//! ```
//!
//! [`ApiServer::upgrade`] tests tools that must survive a cluster upgrade: the server restarts as another release,
//! under the same address and with the same objects.
//!
//! `Torture`, of the default feature `tls`, stands in front of it, or of a real server, and shows what networks and releases do to clients.
//!
//! [apf]: https://kubernetes.io/docs/concepts/cluster-administration/flow-control/

#![cfg_attr(docsrs, feature(doc_cfg))]

mod builder;
mod connection;
mod connections;
mod receiver;
mod server;
mod start_error;

mod auth;
mod bootstrap;
mod collector;
mod dangling;
mod data;
mod deprecated_apis;
mod discovery;
mod dumps;
mod endpoints;
mod faults;
mod flow_control;
mod health;
mod http;
mod kubeconfig;
mod metrics;
mod preset;
mod recorded;
mod state;
mod throttle;
#[cfg_attr(not(feature = "tls"), path = "no_tls.rs")]
mod tls;
#[cfg(feature = "tls")]
mod torture;

mod apply;
mod list;
mod listening;
mod patch;
mod registry;
mod represent;
mod selector;
mod store;
mod upgrade;
mod watch;

mod body;
mod ids;
mod kinds;
mod locks;
mod openapi;
mod protobuf;
mod query;
mod status;
mod texts;
mod wire;

pub use auth::token_warnings;
pub use builder::Builder;
pub use faults::Fault;
pub use receiver::{Answer, Post, Receiver, ReceiverBuilder, Rejections};
pub use recorded::RecordedRequest;
pub use server::ApiServer;
pub use start_error::StartError;
#[cfg(feature = "tls")]
pub use torture::{Finding, Mode, Report, Rule, Torture, TortureServer, UnknownMode, Upstream};
