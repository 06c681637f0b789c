//! What came of a migration, for people and for programs.

mod difference;
mod json;
mod sarif;
mod summary;

pub(crate) use difference::unified;
pub(crate) use json::json;
pub(crate) use sarif::sarif;
pub(crate) use summary::Summary;

/// The version of the JSON forms. It changes when something is renamed or taken away.
pub(crate) const SCHEMA_VERSION: &str = "1";
