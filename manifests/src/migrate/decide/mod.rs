//! Deciding: the changes that an object, a patch or another mention of the group needs, and the reasons that prevent them.

mod admission;
mod agree;
mod chains;
mod computed;
mod conditions;
mod given;
mod json_patch;
mod kustomize;
mod object;
mod patches;
mod reference;
mod remaining_mentions;
mod server_view;
mod step;
mod template;

pub(super) use chains::{VersionChains, version_chains};
pub(super) use computed::{Template, computed_versions};
pub(super) use object::{Decision, Surroundings, Target, decide, owned};
pub(super) use patches::find;
pub(super) use reference::{ScalarEdit, apply};
pub(super) use remaining_mentions::{LAST_APPLIED, classify};
pub use step::foreign_shares;
pub(super) use template::twice;
