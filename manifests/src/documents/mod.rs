//! Reading the documents of a text.
//!
//! [`Form`] is the form of a text, `parse` reads its documents as trees with spans, and `locate` finds the place of a field.
//! [`read`] finds the flow-control objects of a text; documents of other kinds are skipped and counted.

mod branches;
mod chain;
mod document;
mod find;
mod form;
mod locate;
mod object;
mod parse;
mod recognize;
mod scalars;
mod split;
mod template;
mod velocity;

pub use document::Document;
pub use find::{Documents, ReadOptions, Unreadable, read, read_with};
pub use form::Form;
pub use k8s_flowcontrol_rules::strip_server_fields;
pub use object::{DecodeError, Object};
pub use recognize::version_of;

pub(crate) use branches::{Blocks, Definition, blocks};
pub(crate) use chain::Chain;
pub(crate) use locate::locate;
pub(crate) use parse::{Parsed, parse_all, parse_as, parse_part_as};
pub(crate) use scalars::{Scalars, path};
pub(crate) use template::{Action, actions, inside, touches, touching};
