//! Conversion between versions as a server does it.
//!
//! A server drops the fields it does not know, fills in its defaults, and keeps zero shares in v1beta3 by an annotation.
//! Conversion of manifests, which keeps absent fields absent, is
//! [`k8s_flowcontrol_types::convert`]; its documentation has the table of losses.

mod prune;
mod server;
mod typed;

pub use prune::prune;
pub use server::{server_list, server_step, server_tree};
pub use typed::ConvertAsServer;
