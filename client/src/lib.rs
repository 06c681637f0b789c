//! A typed client for Kubernetes [API Priority and Fairness][apf]: the kinds `FlowSchema` and
//! `PriorityLevelConfiguration` of the API group `flowcontrol.apiserver.k8s.io`, in the versions v1, v1beta3, v1beta2 and
//! v1beta1.
//!
//! [apf]: https://kubernetes.io/docs/concepts/cluster-administration/flow-control/
//!
//! # The modules, in reading order
//!
//! | module | content |
//! |---|---|
//! | [`api`] | the types, one module per version; versions with equal schemas share a type |
//! | [`meta`] | the types shared by all Kubernetes APIs: metadata, `Status`, times, uninterpreted JSON |
//! | [`config`] | the server's address and the credentials: kubeconfig, in-cluster, explicit |
//! | [`client`] | [`Client`], one builder per verb, [`Error`] |
//! | [`watch`] | watches, watchers that reconnect, and a local copy of the server's objects |
//! | [`controller`] | controllers: work queue, reconciliation, leader election |
//! | [`Objects`] | the trait of [`Api`] and [`Negotiated`](client::Negotiated): functions for both |
//! | [`wait`] | waiting until an object meets a condition |
//! | [`convert`] | conversion between versions, with the losses |
//! | [`resource`] | [`Resource`], the trait of all kinds; [`List`] is a list of them |
//! | [`kind`] | the two kinds of the group, by name and in a version |
//! | [`release`] | Kubernetes releases and their API versions |
//! | [`custom`] | custom resources that begin as Rust types, and their CustomResourceDefinitions |
//! | [`json`] | reading and writing the types as JSON |
//! | [`schema`] | the schemas at run time: fields, list types, merge keys |
//! | `replay` | with the feature `replay`: recording exchanges with a server, and replaying them in tests |
//! | `rules` | with the feature `rules`: defaults, validation, seats, matching, queues, offline |
//!
//! # The client
//!
//! ```no_run
//! use k8s_flowcontrol::{Client, Error, Resource};
//!
//! # async fn example() -> Result<(), Error> {
//! let client = Client::try_default().await?; // KUBECONFIG, ~/.kube/config, or the pod's service account
//! let levels = client.priority_level_configurations();
//!
//! let mut level = levels.get("workload-low").await?;
//! level.spec.limited.get_or_insert_default().nominal_concurrency_shares = Some(150);
//! match levels.replace(&level).field_manager("me").await {
//!     Ok(level) => println!("{} has resource version {:?}", level.name(), level.metadata.resource_version),
//!     Err(error) if error.is_conflict() => println!("the object has changed since: {error}"),
//!     Err(error) => return Err(error),
//! }
//!
//! let mut events = levels.watch().await?;
//! while let Some(event) = events.next().await {
//!     println!("{:?}", event?);
//! }
//! # Ok(())
//! # }
//! ```
//!
//! # Features
//!
//! | feature | default | effect |
//! |---|---|---|
//! | `http2` | yes | many requests on one connection; without it each request and watch in flight has a connection, by HTTP/1.1 |
//! | `platform-verifier` | yes | the operating system's certificate authorities, where the configuration names none |
//! | `ring` | yes | TLS with ring; without it the program installs another rustls provider |
//! | `socks` | yes | proxies with the scheme `socks5` |
//! | `replay` | no | recordings for tests without a server, as `k8s_flowcontrol::replay`; no further dependencies |
//! | `rules` | no | the server's rules, offline, as `k8s_flowcontrol::rules` |
//! | `validate` | no | `validate()` of types that are generated with constraints, with `k8s_flowcontrol::validate` |
//!
//! The smallest build of a client, for a cluster whose kubeconfig or service account has the certificate authority, is
//! `default-features = false, features = ["ring"]`. A configuration that needs another feature is an error that names it.
//!
//! The crate `url` brings 21 crates that convert host names with letters beyond ASCII (IDNA). A program whose servers have no such
//! names leaves them out with `cargo update -p idna_adapter --precise 1.0.0` in its workspace.
//!
//! Programs without a client depend on `k8s-flowcontrol-types` or `k8s-flowcontrol-rules`, which do not depend on HTTP, TLS
//! and an async runtime.

#![cfg_attr(docsrs, feature(doc_cfg))]

pub mod client;
pub mod config;
pub mod controller;
mod error;
mod negotiate;
mod objects;
#[cfg(feature = "replay")]
pub mod replay;
mod request;
mod response;
mod send;
mod stream;
mod transport;
mod verbs;
pub mod wait;
pub mod watch;

#[cfg(feature = "rules")]
pub use k8s_flowcontrol_rules as rules;
#[doc(hidden)]
pub use k8s_flowcontrol_types::rt;
#[cfg(feature = "validate")]
pub use k8s_flowcontrol_types::validate;
pub use k8s_flowcontrol_types::{
    DynamicObject, Fact, FieldValidation, GROUP, InvalidObject, Kind, List, PartialObjectMetadata,
    Resource, always_send, api, convert, custom, custom_enum, custom_object, custom_resource,
    from_value_strict, json, kind, meta, ownership, release, resource, schema, unknown_fields,
};

pub use crate::error::Error;
pub use crate::objects::Objects;
pub use crate::send::client::Client;
pub use crate::verbs::api::Api;
pub use release::{ApiVersion, Release};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
