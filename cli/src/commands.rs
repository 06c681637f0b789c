//! One module per command: its options, and what it does.

pub(crate) mod completions;
pub(crate) mod validate;
