//! `x-kubernetes-validations`: rules in CEL, the Common Expression Language.

mod as_in_go;
mod compile;
mod conversions;
mod evaluate;
mod fault;
mod functions;
mod keyed_list;
mod library;
mod patterns;
mod place;
mod value;
mod variables;

pub use compile::uncheckable;

pub(crate) use compile::compile;
pub(crate) use evaluate::{evaluate, has_rules};
