//! A schema: from JSON to the constraints of each value.

mod defaults;
mod duration;
mod format;
mod node;
mod read;
mod rule;

pub(crate) use defaults::fill_in_defaults;
pub(crate) use duration::duration;
pub(crate) use format::{Format, date_time};
pub(crate) use node::{Additional, ListType, Node, Nodes, Reference};
pub(crate) use read::{read, read_definitions};
pub(crate) use rule::{Compiled, Rule};
