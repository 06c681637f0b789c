//! Conclusions about API Priority and Fairness: evidence from servers, and the results of its analysis.
//!
//! | module | contents |
//! |---|---|
//! | [`simulation`] | a server under a generated load, or under the requests of an audit log |
//! | [`size`] | from intents (waits and seats of clients) to the configuration that satisfies them, with proof |
//! | [`audit`] | audit logs: the requests that a server handled |
//! | [`callers`] | the clients behind requests: names, habits, and changes between two logs |
//! | [`live`] | requests as they are logged: rolling windows, alerts, metrics, rotated files, a state that survives a restart |
//! | [`lint`] | mistakes in objects that the server accepts |
//! | [`ownership`] | the tool, vendor or server that owns an object and may undo changes |
//! | [`dumps`] | the server's debug dumps and flow control response headers |
//! | [`metrics`] | the server's metrics of flow control, of any release |
//! | [`monitoring`] | Prometheus rules and a Grafana dashboard for these metrics |
//! | [`recipes`] | objects for common needs: seats for a client, a limit for a client, exempt health checks, with a proof |
//! | [`traffic`] | the flow schemas and priority levels of the requests in audit logs, and the effect of a proposed configuration |
//! | [`api_resources`] | the verbs and built-in resources of requests, to find misspelt ones |
//! | [`scan`] | the clients of old API versions in a cluster, and the verdict |
//! | [`redact`] | names replaced by words, for reports that are shared |
//! | [`upgrade`] | the moves of manifests from version to version during an upgrade |
//! | [`preview`] | the changes between two releases that concern certain objects, seats and metrics |
//! | [`memory`] | the memory of lists in flight and live watches, by priority level and user |
//! | [`verification`] | predicted seats and waits beside the histograms of a server, and a report about differences |
//! | [`diagnosis`] | the causes of waiting and rejected requests in a cluster, with the evidence |
//!
//! This crate does not open files or connections; it reads logs from streams that the caller opens. The rules of a
//! server come from `k8s-flowcontrol-rules`.

#![cfg_attr(docsrs, feature(doc_cfg))]

mod estimates;
mod evidence;
mod fields;
mod nouns;
mod saved;
mod times;

pub mod api_resources;
pub mod callers;
pub mod diagnosis;
pub mod lint;
pub mod live;
pub mod memory;
pub mod monitoring;
pub mod preview;
pub mod recipes;
pub mod redact;
pub mod scan;
pub mod simulation;
pub mod size;
mod system_requests;
pub mod traffic;
pub mod verification;

pub use evidence::{audit, dumps, metrics, ownership};
pub use k8s_flowcontrol_rules::upgrade;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
