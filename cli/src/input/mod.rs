//! What commands read: files, folders and standard input, and the documents in them.
//!
//! A [`Source`] is a text that was read from somewhere. [`documents`] finds the flow control objects in it, each
//! a [`Document`]: YAML documents, JSON values, JSON lines, and the items of lists. Documents of other
//! kinds are counted and passed over.

mod document;
mod files;
mod locate;
mod objects;
mod passed;
mod recognize;
mod scan;
mod source;
mod split;

pub(crate) use document::Document;
pub(crate) use files::{ExportArgs, FileArgs};
pub(crate) use objects::{Objects, strip_server_fields};
pub(crate) use passed::Passed;
pub(crate) use scan::{Found, documents};
pub(crate) use source::Source;
