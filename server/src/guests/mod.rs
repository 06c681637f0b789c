//! Kinds of other API groups, of which the server knows what their documents say.
//!
//! Once a request has reached an object nothing is different about them: the registry, the store,
//! patches and apply go by the kind's runtime schema. Here is how requests find them, how their bodies
//! are read, and how discovery tells of them.

mod body;
mod discovery;
mod route;

pub(crate) use body::read;
pub(crate) use discovery::{GuestDocument, aggregated, core_versions, group_entries};
pub(crate) use route::route;
