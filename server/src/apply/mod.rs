//! Server-side apply: who owns which field, and how an applied configuration is merged.
//!
//! [`field_set`] holds sets of fields, [`typed`] walks trees along their schema, [`managers`] keeps one
//! set per manager, and [`updater`] decides. Nothing here knows of HTTP or of the store.

pub(crate) mod field_set;
mod last_applied;
pub(crate) mod managers;
mod prune;
pub(crate) mod typed;
pub(crate) mod updater;
pub(crate) mod writer;
