//! Structured merge: the field sets of trees, their differences and their merge, along the schema.
//!
//! The counterpart of Kubernetes' `structured-merge-diff`; its field sets and messages are part of the API.

mod check;
mod compare;
mod merge;
mod parts;

pub(crate) use check::{check, is_trackable};
pub(crate) use compare::{Comparison, compare};
pub(crate) use merge::{merge, remove};
pub(crate) use parts::field_set;
