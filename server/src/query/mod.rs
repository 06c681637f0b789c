//! Query parameters: decoded, and read as the options of writes and deletions.

mod delete_options;
mod parameters;
mod write_options;

pub(crate) use delete_options::delete_options;
pub(crate) use parameters::{Query, decode, has_valid_escapes};
pub(crate) use write_options::{WriteOptions, WriteVerb};
