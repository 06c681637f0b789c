//! Migrating files: collecting them, examining many at a time, and replacing their contents.

mod batch;
mod candidates;
mod examine;
mod replace;

pub(crate) use batch::{Examined, Status, Writing, examine_all, write_all};
pub(crate) use candidates::{Candidate, Candidates, collect};
pub(crate) use examine::examine;
