//! The rule of zero shares and their annotation.

use super::{Loss, PRESERVE_ZERO_ANNOTATION, annotation_counts, shares_name};
use crate::{ApiVersion, Release};

/// The default of a limited level's shares.
pub(super) const DEFAULT_SHARES: i32 = 30;

/// What a level says of its shares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shares {
    /// Nothing, for it has no stanza `limited`.
    NoStanza,
    /// Nothing.
    Absent,
    /// A zero, whatever it means.
    Zero,
    /// Something else.
    Other,
}

/// A level's shares and annotation in one version.
#[derive(Clone, Copy, Debug)]
pub struct Said {
    /// The shares.
    pub shares: Shares,
    /// Whether the object has the annotation.
    pub annotated: bool,
    /// The version of the object.
    pub version: ApiVersion,
    /// The release of the servers.
    pub release: Release,
}

impl Said {
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

/// What to do to shares and annotation on the way to another version.
#[derive(Debug, Default)]
pub(super) struct Plan {
    /// The shares to write.
    pub(super) write: Option<i32>,
    pub(super) annotate: bool,
    pub(super) unannotate: bool,
    pub(super) losses: Vec<Loss>,
}

/// The way of what is `said` in one version to another one, `to`.
pub(super) fn plan(said: Said, to: ApiVersion) -> Plan {
    let mut plan = Plan::default();
    let has_annotation = to == ApiVersion::V1Beta3 && annotation_counts(said.release);
    if said.means_zero() {
        if to == ApiVersion::V1 {
            plan.write = (said.shares == Shares::Absent).then_some(0);
        } else if has_annotation {
            plan.annotate = !said.annotated;
        } else {
            plan.losses.push(no_zero(said, to));
        }
    } else if said.shares == Shares::Zero && to == ApiVersion::V1 {
        plan.write = Some(DEFAULT_SHARES);
    }
    if said.annotated && !stays(said, to) {
        plan.unannotate = true;
        if !(said.annotation_counts() && said.means_zero()) {
            plan.losses.push(annotation_lost(said, to));
        }
    }
    plan
}

/// Whether the annotation stays where it is.
fn stays(said: Said, to: ApiVersion) -> bool {
    let is_ordinary = |version| version < ApiVersion::V1Beta3 || !annotation_counts(said.release);
    if said.version == to {
        true
    } else if to == ApiVersion::V1 {
        false
    } else if is_ordinary(said.version) && said.version != ApiVersion::V1 {
        is_ordinary(to)
    } else {
        // What v1 forbids has a meaning in v1beta3 beside a zero, and else none anywhere.
        to == ApiVersion::V1Beta3 && annotation_counts(said.release) && said.means_zero()
    }
}

/// A zero that `to` has no form for.
pub fn no_zero(said: Said, to: ApiVersion) -> Loss {
    let why = if to == ApiVersion::V1Beta3 {
        format!(
            "0 shares become 30: v1beta3 has a form for 0 since Kubernetes 1.29, not in {}",
            said.release
        )
    } else {
        format!("0 shares become 30: {to} has no form for 0")
    };
    Loss::new(format!("spec.limited.{}", shares_name(said.version)), why)
}

/// The loss of zero shares at a server of `release` that receives them in `to`, where the conversion for the newest
/// release loses nothing.
pub(super) fn zero_at_server(said: Said, to: ApiVersion, release: Release) -> Option<Loss> {
    let has_zero = match to {
        ApiVersion::V1 => true,
        ApiVersion::V1Beta3 => annotation_counts(release),
        ApiVersion::V1Beta2 | ApiVersion::V1Beta1 => false,
    };
    if said.means_zero() && to == ApiVersion::V1Beta3 && !has_zero {
        return Some(no_zero(Said { release, ..said }, to));
    }
    // A level that was read from this server may show a zero that it really has.
    let is_old = said.version < ApiVersion::V1Beta3;
    (is_old && said.shares == Shares::Zero && has_zero).then(|| {
        let why = format!(
            "0 means 30 in {}, but the server's own level may really have 0: set 30, or leave it unset",
            said.version
        );
        Loss::new(format!("spec.limited.{}", shares_name(said.version)), why)
    })
}

fn annotation_lost(said: Said, to: ApiVersion) -> Loss {
    let from = said.version;
    let why = if from == ApiVersion::V1 {
        format!("removed: v1 forbids it, and in {to} it says nothing of this level")
    } else if said.annotation_counts() {
        "removed: it only keeps zero shares, and these are none".to_owned()
    } else if to == ApiVersion::V1 {
        format!("removed: it has no meaning to a server in {from}, and v1 forbids it")
    } else {
        format!(
            "removed: it has no meaning to a server in {from}, and would keep zero shares in {to}"
        )
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
