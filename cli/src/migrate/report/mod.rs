//! Reporting the outcome of a migration: as a diff, JSON, SARIF and in numbers.

mod diff;
mod json;
mod list;
mod sarif;
mod skipped;
mod summary;

pub(crate) use diff::{write_file_diff, write_patch};
pub(crate) use json::json;
pub(crate) use list::{Groups, advice, write_details, write_single};
pub(crate) use sarif::write_log;
pub(crate) use skipped::{skipped_files, write_skipped};
pub(crate) use summary::Summary;
