//! From one API version to another.
//!
//! There are two conversions, and they differ on purpose:
//!
//! * **Shape conversion** is what a tool does to a text: names change, what is absent stays absent, members that no
//!   version knows travel along. It is [`From`] for the kinds and lists where nothing can be lost, [`TryFrom`]
//!   for the others, [`Convert::convert_shape`] for a given release, and [`shape_tree`] for JSON.
//! * **Server conversion** is what a server does between a write in one version and a read in another: members
//!   it does not know are dropped, its defaults are filled in. It is [`Convert::convert_as_server`] and
//!   [`server_tree`].
//!
//! Neither drops anything silently: a conversion that loses something, or after which something means
//! another thing, answers [`Lossy`], which has the object as far as it could be converted and every [`Loss`].
//! Flow schemas are the same in all versions. Priority levels are not:
//!
//! | Said in the source | In the target |
//! |---|---|
//! | shares, not zero | copied; `assuredConcurrencyShares` up to v1beta2, `nominalConcurrencyShares` from v1beta3 |
//! | shares absent, which mean 30 | absent |
//! | shares 0 that mean 30 (v1beta1, v1beta2, v1beta3 without the annotation) | 30 in v1, else 0 |
//! | shares 0 that mean 0 (v1) | v1beta3: 0 and the annotation; v1beta2, v1beta1: **a loss** |
//! | shares 0 or absent with the annotation in v1beta3, which mean 0 | v1: 0, without the annotation, which is consumed and no loss; v1beta2, v1beta1: **one loss**, at the shares |
//! | the annotation in v1beta3 where it has no effect, for want of a zero | removed, **a loss** |
//! | the annotation in v1beta2 or v1beta1, where it is as good as any other | v1, v1beta3: removed, **a loss**; else kept |
//! | the annotation in v1, which forbids it | v1beta3: kept beside a zero; else removed, **a loss** |
//! | `lendablePercent`, `borrowingLimitPercent` (since 1.26), `exempt` (since 1.28), where the target does not know them | dropped, **a loss**, unless they say what their absence says |
//! | the same members where only the target knows them | kept, **a loss**, for they come to mean something |
//! | any other unknown member | shape: kept; server: dropped, **a loss** |
//! | an unknown member of the name that the shares have in the target | shape: taken for the shares where there are none, else dropped, **a loss** in both cases |
//!
//! The annotation is [`PRESERVE_ZERO_ANNOTATION`], and the table holds for releases from 1.29 on. Before, the
//! annotation is an ordinary one in every version (it stays, except in v1, which those releases do not serve),
//! and v1beta3 has no form for zero. That a 1.29 with default feature gates *refuses* to create a zero is
//! validation's business: what it reads it converts like later releases.

mod known;
mod level;
mod loss;
mod shape;
mod shares;
mod tree_level;
mod typed;

pub use loss::{Loss, Lossy};
pub use shape::{shape_list, shape_tree};
pub use typed::Convert;

/// The parts of conversion that the server's own conversion is built of. Not a public interface: they change with
/// `k8s-flowcontrol-rules`.
#[doc(hidden)]
pub mod parts {
    pub use super::known::why_unknown;
    pub use super::level::{LevelForm, drop_meaningless};
    pub use super::shape::{each_item, set_version};
    pub use super::shares::{Said, Shares, annotation_loss, no_zero};
    pub use super::tree_level::TreeLevel;
    pub use super::typed::convert_items;
}

use crate::{ApiVersion, Release};
use serde_json::Value;

/// The annotation that lets v1beta3 express zero shares, on servers from 1.29 on.
///
/// Its presence counts, its value does not. A server adds it when it shows a level with zero shares in
/// v1beta3, takes it away when it reads v1beta3, and refuses it in v1.
pub const PRESERVE_ZERO_ANNOTATION: &str =
    "flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares";

/// Whether servers of `release` interpret [`PRESERVE_ZERO_ANNOTATION`].
pub fn annotation_counts(release: Release) -> bool {
    release.minor() >= 29
}

/// The name of the field with a limited level's shares in `version`.
pub fn shares_name(version: ApiVersion) -> &'static str {
    match version {
        ApiVersion::V1Beta1 | ApiVersion::V1Beta2 => "assuredConcurrencyShares",
        ApiVersion::V1Beta3 | ApiVersion::V1 => "nominalConcurrencyShares",
    }
}

/// Whether a number is zero. JSON's `-0` is one, which a tree holds as a float.
#[doc(hidden)]
pub fn is_zero(value: &Value) -> bool {
    value.as_i64() == Some(0)
        || value
            .as_f64()
            .is_some_and(|n| n == 0.0 && n.is_sign_negative())
}
