//! `k8s-flowcontrol` beside [kube]: one program, both libraries.
//!
//! - [`Kube`] makes a kind of `k8s-flowcontrol`, in any version, a [`kube::Resource`]: for `kube::Api`, `watcher`,
//!   `reflector` and `Controller`. Unknown fields survive.
//! - [`config`] converts configurations: a program reads its kubeconfig once, with either library.
//! - [`openapi`] converts the types of [k8s-openapi](k8s_openapi).
//!
//! ```no_run
//! use k8s_flowcontrol::api::v1::PriorityLevelConfiguration;
//! use k8s_flowcontrol_kube::Kube;
//! use kube::api::{Api, ListParams};
//!
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! // kube's client, from our configuration.
//! let config = k8s_flowcontrol::config::Config::try_default()?;
//! let client = kube::Client::try_from(k8s_flowcontrol_kube::config::to_kube(&config)?)?;
//!
//! let levels: Api<Kube<PriorityLevelConfiguration>> = Api::all(client);
//! for level in levels.list(&ListParams::default()).await? {
//!     println!("{:?}", level.spec.limited);
//! }
//! # Ok(())
//! # }
//! ```
//!
//! The program chooses the version of k8s-openapi, as with kube itself: it turns on a feature such as `v1_36` of
//! k8s-openapi, or the feature `latest` of this crate.

pub mod config;
mod metadata;
mod object;
pub mod openapi;

pub use object::Kube;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

/// The chapter of the guide about this crate.
#[cfg(doctest)]
#[doc = include_str!("../../docs/src/beside-kube.md")]
struct Chapter;
