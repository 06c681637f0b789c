//! Structured merge: the field sets of trees, their differences and their merge, along the schema.
//!
//! The counterpart of Kubernetes' `structured-merge-diff`; its field sets and messages are part of the API.

mod check;
mod compare;
mod fields;
mod merge;
mod parts;
mod remove;
mod track;

pub(crate) use check::check;
pub(crate) use compare::{Comparison, compare};
pub(crate) use fields::field_set;
pub(crate) use merge::merge;
pub(crate) use remove::remove;
pub(crate) use track::is_trackable;
