//! The rule of zero shares and their annotation.

use super::{Loss, PRESERVE_ZERO_ANNOTATION, annotation_counts, shares_name};
use crate::{ApiVersion, Release};

/// The default of a limited level's shares.
pub(super) const DEFAULT_SHARES: i32 = 30;

/// The shares of a level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shares {
    /// The field `limited` is absent.
    NoStanza,
    /// Absent.
    Absent,
    /// Zero, which means zero or the default.
    Zero,
    /// Any other value.
    Other,
}

/// A level's shares and annotation in one version.
#[derive(Clone, Copy, Debug)]
pub struct ShareState {
    /// The shares.
    pub shares: Shares,
    /// Whether the object has the annotation.
    pub annotated: bool,
    /// The version of the object.
    pub version: ApiVersion,
    /// The release of the servers.
    pub release: Release,
}

impl ShareState {
    /// Whether the level really has zero shares.
    pub fn means_zero(self) -> bool {
        match self.version {
            ApiVersion::V1 => self.shares == Shares::Zero,
            ApiVersion::V1Beta3 => {
                self.annotation_counts() && matches!(self.shares, Shares::Zero | Shares::Absent)
            }
            ApiVersion::V1Beta2 | ApiVersion::V1Beta1 => false,
        }
    }

    fn annotation_counts(self) -> bool {
        self.annotated && self.version == ApiVersion::V1Beta3 && annotation_counts(self.release)
    }
}

/// The changes to shares and annotation in a conversion.
#[derive(Debug, Default)]
pub(super) struct Plan {
    pub(super) write: Option<i32>,
    pub(super) annotate: bool,
    pub(super) unannotate: bool,
    pub(super) losses: Vec<Loss>,
}

/// The changes for a conversion to `to`.
pub(super) fn plan(state: ShareState, to: ApiVersion) -> Plan {
    let mut plan = Plan::default();
    let has_annotation = to == ApiVersion::V1Beta3 && annotation_counts(state.release);
    if state.means_zero() {
        if to == ApiVersion::V1 {
            plan.write = (state.shares == Shares::Absent).then_some(0);
        } else if has_annotation {
            plan.annotate = !state.annotated;
        } else {
            plan.losses.push(zero_loss(state, to));
        }
    } else if state.shares == Shares::Zero && to == ApiVersion::V1 {
        plan.write = Some(DEFAULT_SHARES);
    }
    if state.annotated && !stays(state, to) {
        plan.unannotate = true;
        if !(state.annotation_counts() && state.means_zero()) {
            plan.losses.push(annotation_lost(state, to));
        }
    }
    plan
}

/// Whether the annotation stays where it is.
fn stays(state: ShareState, to: ApiVersion) -> bool {
    let is_ordinary = |version| version < ApiVersion::V1Beta3 || !annotation_counts(state.release);
    if state.version == to {
        true
    } else if to == ApiVersion::V1 {
        false
    } else if is_ordinary(state.version) && state.version != ApiVersion::V1 {
        is_ordinary(to)
    } else {
        // The annotation, which v1 forbids, has a meaning only in v1beta3 and beside zero shares.
        to == ApiVersion::V1Beta3 && annotation_counts(state.release) && state.means_zero()
    }
}

/// The loss of zero shares, which `to` cannot express.
pub fn zero_loss(state: ShareState, to: ApiVersion) -> Loss {
    let why = if to == ApiVersion::V1Beta3 {
        format!(
            "0 shares become 30: v1beta3 has a form for 0 since Kubernetes 1.29, not in {}",
            state.release
        )
    } else {
        format!("0 shares become 30: {to} cannot express 0")
    };
    Loss::new(format!("spec.limited.{}", shares_name(state.version)), why)
}

/// The loss of zero shares at a server of `release` that receives them in `to`, if the conversion for the newest
/// release loses nothing.
pub(super) fn zero_at_server(state: ShareState, to: ApiVersion, release: Release) -> Option<Loss> {
    let has_zero = match to {
        ApiVersion::V1 => true,
        ApiVersion::V1Beta3 => annotation_counts(release),
        ApiVersion::V1Beta2 | ApiVersion::V1Beta1 => false,
    };
    if state.means_zero() && to == ApiVersion::V1Beta3 && !has_zero {
        return Some(zero_loss(ShareState { release, ..state }, to));
    }
    // A level that was read from this server may have zero shares, which this version cannot express.
    let is_old = state.version < ApiVersion::V1Beta3;
    (is_old && state.shares == Shares::Zero && has_zero).then(|| {
        let why = format!(
            "0 means 30 in {}, but the server's own level may really have 0: set 30, or leave it unset",
            state.version
        );
        Loss::new(format!("spec.limited.{}", shares_name(state.version)), why)
    })
}

fn annotation_lost(state: ShareState, to: ApiVersion) -> Loss {
    let from = state.version;
    let why = if from == ApiVersion::V1 {
        format!("removed: v1 forbids it, and in {to} it has no effect on this level")
    } else if state.annotation_counts() {
        "removed: it only keeps zero shares, and these are not zero".to_owned()
    } else if to == ApiVersion::V1 {
        format!("removed: a server ignores it in {from}, and v1 forbids it")
    } else {
        format!("removed: a server ignores it in {from}, and would keep zero shares in {to}")
    };
    annotation_loss(why)
}

/// The loss of the annotation for zero shares.
pub fn annotation_loss(why: impl Into<String>) -> Loss {
    Loss::new(
        format!("metadata.annotations[{PRESERVE_ZERO_ANNOTATION}]"),
        why,
    )
}
