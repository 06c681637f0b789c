//! Verifying: a document with its edits reads as intended, or stays as it is.

mod content;
mod document;

pub(super) use content::Expected;
pub(super) use document::{DocumentEdits, Part, checked_edits};
