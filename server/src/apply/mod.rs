//! Server-side apply: the owners of fields, and the merge of an applied configuration into an object.
//!
//! [`field_set`] has sets of fields, [`typed`] merges and compares trees by their schema, [`managers`] keeps one set
//! per field manager, and [`updater`] computes the effect of a write. Nothing here uses HTTP or the store.

pub(crate) mod field_set;
mod last_applied;
pub(crate) mod managers;
mod prune;
pub(crate) mod typed;
pub(crate) mod updater;

use crate::kinds::{Kind, Version};

/// A write by a manager, in a version, to an object or its subresource.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Writer<'a> {
    pub(crate) kind: &'a Kind,
    pub(crate) version: Version,
    pub(crate) manager: &'a str,
    pub(crate) subresource: &'a str,
    pub(crate) now: &'a str,
}
