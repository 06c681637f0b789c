//! Editing: the changes of an object as edits of its text, and the check that the result reads as intended.

mod changes;
mod document;
mod edits;
mod embedded;
mod insert;
mod place;
mod splice;
mod verify;

pub(super) use changes::{ChangeKind, PlannedChange, changes};
pub(super) use document::{DocumentEdits, Part, checked_edits};
pub use edits::Edit;
pub(super) use edits::{Refusal, apply};
pub(super) use embedded::Embedded;
pub(super) use splice::set_scalar;
pub(super) use verify::Expected;
