//! From one API version to another.
//!
//! Types convert with [`From`] where every object can be said in the other version, and with [`TryFrom`] where
//! one can not: its error, [`Lossy`], has the object as far as it could be converted and what was lost.
//! [`server_tree`] does what a server does between decoding and encoding, silently.

mod loss;
mod tree;
mod typed;

pub use loss::{Loss, Lossy};
pub use tree::{prune, server_tree};
#[cfg(feature = "client")]
pub(crate) use typed::Convert;

/// The annotation that lets v1beta3 express zero shares, on servers from 1.29 on.
///
/// Its presence counts, its value does not. A server adds it when it shows a level with zero shares in
/// v1beta3, takes it away when it reads v1beta3, and refuses it in v1.
pub const PRESERVE_ZERO_ANNOTATION: &str =
    "flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares";
