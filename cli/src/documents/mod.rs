//! Reading files, folders and the standard input: the one reader of all commands.
//!
//! [`FileArgs`] and [`walk`] name the files, [`Form`] is the form of a text, [`parse_as`] and [`parse_all`] read its
//! documents as trees with spans, and [`locate()`] finds the place of a field. [`documents`] finds the flow-control objects
//! of a text; documents of other kinds are skipped and counted.

mod document;
mod files;
mod find;
mod folder;
mod form;
mod locate;
mod object;
mod parse;
mod read;
mod recognize;
mod scalars;
mod skipped;
mod split;
mod template;

pub(crate) use document::Document;
pub(crate) use files::{ExportArgs, FileArgs};
pub(crate) use find::{Found, documents};
pub(crate) use folder::walk;
pub(crate) use form::Form;
pub(crate) use locate::locate;
pub(crate) use object::{Object, strip_server_fields};
pub(crate) use parse::{Parsed, parse_all, parse_as};
pub(crate) use read::read;
pub(crate) use recognize::version_of;
pub(crate) use scalars::{Scalars, path};
pub(crate) use skipped::Skipped;
pub(crate) use template::{Action, touches};
