//! The group and a version as strings that a program puts together: fields of a `GroupVersionResource`, arguments of a call, a
//! path of several strings, or constants that are defined elsewhere.
//!
//! `tokens` splits a text of any language, `folded` puts strings together, `definitions` finds the values of names, and
//! `versions` finds the versions that belong to the group, some of them in the `values` of names. `context` finds versions by the names around them.

mod context;
mod definitions;
mod folded;
mod tokens;
mod values;
mod versions;

pub(super) use context::versions_in_context;
pub(crate) use versions::Links;
pub(super) use versions::versions_of_group;
#[cfg(feature = "files")]
pub(super) use versions::versions_of_names;
