//! Verification: an edited document has the intended content, or the edits are dropped.

mod content;
mod document;

pub(super) use content::Expected;
pub(super) use document::{DocumentEdits, Part, checked_edits};
