//! Migrating files: collecting them, examining many at a time, and replacing their contents.

mod attributes;
mod backup;
mod batch;
mod candidates;
mod examine;
mod examined;
mod git;
mod helpers;
mod identity;
mod ignored;
mod replace;

pub(crate) use backup::{Backups, without_links};
pub(crate) use batch::{conflict, examine_all, in_parallel, keep_dirty, write_all};
pub(crate) use candidates::{Candidate, Candidates, Skipped, collect};
pub(crate) use examine::examine_file;
pub(crate) use examined::{Examined, Status};
pub(crate) use ignored::SelectionArgs;
