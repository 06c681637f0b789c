//! Editing: the changes of an object as edits in the style of its text.

mod changes;
mod edits;
mod embedded;
mod insert;
mod object;
mod place;
mod splice;

pub(super) use changes::PlannedChange;
pub use edits::Edit;
pub(super) use edits::{Refusal, apply, in_order};
pub(super) use embedded::Embedded;
pub(super) use object::planned;
pub(super) use splice::set_scalar;
