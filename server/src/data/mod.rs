//! The objects of a server in a folder, which survive a restart.

#![cfg_attr(
    not(feature = "data-dir"),
    allow(dead_code, reason = "there are no data folders")
)]

#[cfg_attr(not(feature = "data-dir"), path = "no_database.rs")]
mod database;

pub(crate) use database::Data;

use k8s_flowcontrol_types::Release;
use serde_json::Value;

/// The content of a folder.
#[derive(Debug, Default)]
pub(crate) struct Loaded {
    /// The last resource version; `None` for a new folder.
    pub(crate) revision: Option<u64>,
    pub(crate) objects: Vec<LoadedObject>,
}

#[derive(Debug)]
pub(crate) struct LoadedObject {
    pub(crate) resource: String,
    pub(crate) name: String,
    /// The release that wrote the object, in its hub form.
    pub(crate) release: Release,
    pub(crate) object: Value,
}

/// A written object.
#[derive(Debug)]
pub(crate) struct Record<'a> {
    pub(crate) resource: String,
    pub(crate) name: &'a str,
    /// `None` if the object was deleted.
    pub(crate) object: Option<&'a Value>,
}
