//! Reading files, folders and the standard input: the one reader of all commands.
//!
//! [`FileArgs`] names the files, and [`documents`] finds the flow-control objects of a file; documents of other
//! kinds are skipped and counted.

mod document;
mod faults;
mod files;
mod object;
mod skipped;

pub(crate) use document::{Document, Found, documents};
pub(crate) use faults::Judge;
pub(crate) use files::{ExportArgs, FileArgs, read};
pub(crate) use object::Object;
pub(crate) use skipped::{Skipped, each_object, each_readable_object};
