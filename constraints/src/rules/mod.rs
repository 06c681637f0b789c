//! `x-kubernetes-validations`: rules in CEL, the Common Expression Language.

mod compile;
mod evaluate;
mod fault;
mod functions;
mod library;
mod value;

pub use compile::uncheckable;

pub(crate) use compile::compile;
pub(crate) use evaluate::{evaluate, has_rules};
