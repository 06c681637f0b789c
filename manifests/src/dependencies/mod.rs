//! Dependencies of programs: which versions of the API a library has, and which of them it requests by itself.
//!
//! `read` finds the libraries of `table` in a lock file or a list of dependencies.

mod findings;
mod formats;
mod read;
mod table;
mod toml;
mod version;

pub(crate) use findings::{dependency_findings, ecosystem_of, old_feature, update_of};
pub(crate) use read::{Dependency, dependencies};
pub(crate) use table::Ecosystem;
