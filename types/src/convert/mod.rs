//! Conversion of objects from one API version to another.
//!
//! There are two different conversions:
//!
//! * **Shape conversion** is for manifests: names change, absent fields stay absent, and fields that no version knows
//!   are kept. It is [`From`] for the kinds and lists where nothing can be lost, [`TryFrom`] for the others,
//!   [`Convert::convert_shape`] for a given release, and [`shape_tree`] for JSON. [`Convert::convert_for_server`] is
//!   for objects that are written to a server.
//! * **Server conversion** returns the object that a server returns in one version after a write in another: unknown
//!   fields are dropped and defaults are filled in. It is in `k8s-flowcontrol-rules`.
//!
//! Neither drops anything silently: a conversion that loses something or changes the meaning of something returns
//! [`Lossy`], which has the object as far as it could be converted and every [`Loss`]. Flow schemas are the same in all
//! versions. Priority levels are not:
//!
//! | in the source | in the target |
//! |---|---|
//! | shares, not zero | copied; `assuredConcurrencyShares` up to v1beta2, `nominalConcurrencyShares` from v1beta3 |
//! | shares absent, which mean 30 | absent |
//! | shares 0 that mean 30 (v1beta1, v1beta2, v1beta3 without the annotation) | 30 in v1, else 0 |
//! | shares 0 that mean 0 (v1) | v1beta3: 0 and the annotation; v1beta2, v1beta1: **a loss** |
//! | shares 0 or absent with the annotation in v1beta3, which mean 0 | v1: 0, without the annotation, which is consumed and no loss; v1beta2, v1beta1: **one loss**, at the shares |
//! | the annotation in v1beta3 beside other shares, where it has no effect | removed, **a loss** |
//! | the annotation in v1beta2 or v1beta1, where it is an ordinary annotation | v1, v1beta3: removed, **a loss**; else kept |
//! | the annotation in v1, which forbids it | v1beta3: kept beside shares 0; else removed, **a loss** |
//! | `lendablePercent`, `borrowingLimitPercent` (since 1.26), `exempt` (since 1.28), where the target does not know them | dropped, **a loss** unless they equal their defaults |
//! | the same fields where only the target knows them | kept, **a loss**, because they take effect |
//! | any other unknown field | shape: kept; server: dropped, **a loss** |
//! | an unknown field with the target's name for the shares | shape: becomes the shares if they are absent, else dropped, **a loss** in both cases |
//!
//! The annotation is [`PRESERVE_ZERO_ANNOTATION`], and the table holds for releases from 1.29 on. Before 1.29 it is an
//! ordinary annotation in every version: it is kept, except in v1, which those releases do not serve, and v1beta3 has
//! no form for zero shares. Whether a 1.29 server creates zero shares is a question of validation and its feature gate;
//! it converts the levels it has like later releases.

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
    pub use super::level::{LevelForm, drop_unknown_defaults};
    pub use super::shape::{each_item, set_version};
    pub use super::shares::{ShareState, Shares, annotation_loss, zero_loss};
    pub use super::tree_level::TreeLevel;
    pub use super::typed::{AnyVersion, convert_items};
}

use crate::{ApiVersion, Fact, Release};
use serde_json::Value;

/// The annotation that lets v1beta3 express zero shares, on servers from 1.29 on.
///
/// Only its presence matters, not its value. A server adds it to a level with zero shares that it returns in
/// v1beta3, removes it when it reads v1beta3, and does not accept it in v1.
pub const PRESERVE_ZERO_ANNOTATION: &str =
    "flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares";

/// Whether servers of `release` interpret [`PRESERVE_ZERO_ANNOTATION`].
pub fn annotation_counts(release: Release) -> bool {
    release.has(Fact::PreserveZeroAnnotation)
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
