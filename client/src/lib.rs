//! Typed, lossless SDK for Kubernetes [API Priority and Fairness][apf]: the API group
//! `flowcontrol.apiserver.k8s.io` with its kinds `FlowSchema` and `PriorityLevelConfiguration`, in all four
//! versions that were ever served by default.
//!
//! [apf]: https://kubernetes.io/docs/concepts/cluster-administration/flow-control/
//!
//! # The modules, in reading order
//!
//! | module | what it has |
//! |---|---|
//! | [`api`] | the types, one module per version; what versions have in common is one type |
//! | [`meta`] | what every Kubernetes API shares: metadata, `Status`, times, JSON that is kept as it is |
//! | [`json`] | types from JSON text and back, faster than through serde |
//! | [`resource`] | [`Resource`], what all kinds have in common, and [`List`] |
//! | [`release`] | Kubernetes releases, and the versions that each serves |
//! | [`text`] | JSON and YAML text to trees with positions, and to objects as a server decodes them |
//! | [`defaults`] | what a server fills in |
//! | [`convert`] | from one version to another, and what would be lost |
//! | [`validate`] | what a server says of an object: violations, or the whole answer |
//! | [`analysis`] | seats, shuffle sharding, which schema takes a request, lint |
//! | [`bootstrap`] | the objects that every server makes by itself |
//! | [`debug`] | a server's debug dumps and flow headers |
//! | [`schema`] | the documents' facts at run time: members, list types, operations |
#![cfg_attr(
    feature = "client",
    doc = "| [`config`] | where the server is and how to be let in: kubeconfig, in-cluster, by hand |",
    doc = "| [`client`] | [`Client`], one builder per verb, [`Error`] |",
    doc = "| [`watch`] | changes as they happen |"
)]
//!
//! # Types and rules, without a server
//!
//! Everything but the client works on text and values alone, without I/O.
//!
//! ```
//! use k8s_flowcontrol::analysis::limits::ServerLimits;
//! use k8s_flowcontrol::api::{v1, v1beta2};
//! use k8s_flowcontrol::validate::{self, Context, Kind};
//! use k8s_flowcontrol::{ApiVersion, Release};
//! use serde_json::json;
//!
//! let text = r#"{"metadata": {"name": "batch"}, "spec": {"type": "Limited", "limited": {
//!     "assuredConcurrencyShares": 15, "limitResponse": {"type": "Reject"}}}}"#;
//! let old: v1beta2::PriorityLevelConfiguration = serde_json::from_str(text)?;
//!
//! // A conversion that could lose something is a `TryFrom`; its error has the object and the losses.
//! let level = v1::PriorityLevelConfiguration::try_from(old).unwrap();
//! assert_eq!(level.spec.limited.as_ref().unwrap().nominal_concurrency_shares, Some(15));
//!
//! // What a server would say of it.
//! let context = Context::new(Release::NEWEST, ApiVersion::V1);
//! let tree = serde_json::to_value(&level)?;
//! assert!(validate::create(Kind::PriorityLevelConfiguration, &tree, context).is_empty());
//! let misspelt = json!({"metadata": {"name": "Batch"}, "spec": level.spec});
//! let violations = validate::create(Kind::PriorityLevelConfiguration, &misspelt, context);
//! assert_eq!(violations[0].field, "metadata.name");
//!
//! // And how much of the server it would get.
//! let limits = ServerLimits::new(&[level], 600, Release::NEWEST);
//! assert_eq!(limits.level("batch").unwrap().nominal, 450);
//! # Ok::<(), serde_json::Error>(())
//! ```
//!
#![cfg_attr(
    feature = "client",
    doc = r#"# The client

```no_run
use k8s_flowcontrol::{Client, Error, Resource};

# async fn example() -> Result<(), Error> {
let client = Client::try_default().await?; // KUBECONFIG, ~/.kube/config, or the pod's service account
let levels = client.priority_level_configurations();

let mut level = levels.get("workload-low").await?;
level.spec.limited.get_or_insert_default().nominal_concurrency_shares = Some(150);
match levels.replace(&level).field_manager("me").await {
    Ok(level) => println!("{} has resource version {:?}", level.name(), level.metadata.resource_version),
    Err(error) if error.is_conflict() => println!("someone else was faster: {error}"),
    Err(error) => return Err(error),
}

let mut events = levels.watch().await?;
while let Some(event) = events.next().await {
    println!("{:?}", event?);
}
# Ok(())
# }
```
"#
)]
//!
//! # Features
//!
//! | feature | default | what it adds |
//! |---|---|---|
//! | `client` | yes | configuration, HTTP client, watch (reqwest, rustls); needs a tokio runtime |
//! | `ring` | yes | TLS with ring; without it the program installs a rustls provider of its choice |
//! | `yaml` | with `client` | YAML text as input |
//! | `generate` | no | types from the documents, by the build script, instead of the checked-in copies; for work on the generator |
//!
//! Without default features there is no HTTP, no TLS and no async runtime among the dependencies.

/// The generated module of a name: the checked-in one, or what the build script has just made.
#[cfg(not(feature = "generate"))]
macro_rules! generated {
    ($name:literal) => {
        include!(concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/src/generated/",
            $name,
            ".rs"
        ));
    };
}
#[cfg(feature = "generate")]
macro_rules! generated {
    ($name:literal) => {
        include!(concat!(env!("OUT_DIR"), "/", $name, ".rs"));
    };
}

pub mod analysis;
pub mod api;
pub mod bootstrap;
mod civil;
#[cfg(feature = "client")]
pub mod client;
#[cfg(feature = "client")]
pub mod config;
pub mod convert;
pub mod debug;
pub mod defaults;
pub mod json;
pub mod meta;
mod order;
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
