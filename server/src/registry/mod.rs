//! Creating, changing and deleting objects in the store, in hub form and without I/O.

mod create;
mod delete;
mod metadata;
mod patch;
mod update;
mod write;

pub(crate) use create::create;
pub(crate) use delete::{DeleteOptions, Deleted, FOREGROUND, ORPHAN, delete};
pub(crate) use metadata::{finalizers, is_terminating};
pub(crate) use patch::{Patch, check_name, patch};
pub(crate) use update::{commit, update};
pub(crate) use write::{Write, find};
