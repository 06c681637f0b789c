//! The patch types that are not apply: trees in, trees out.

mod json;
mod merge;
mod strategic;
mod text;

pub(crate) use json::json_patch;
pub(crate) use merge::merge_patch;
pub(crate) use strategic::{go_map, strategic_merge_patch};
pub(crate) use text::{Touched, patched_text};
