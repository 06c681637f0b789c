//! Shape conversion of a priority level: one rule for every form that a level has in memory.

use super::known::{knows, why_unknown};
use super::shares::{self, DEFAULT_SHARES, ShareState, Shares};
use super::{Loss, shares_name};
use crate::kind::VersionedKind;
use crate::{ApiVersion, Kind, Release};

/// A field of a priority level that some versions or releases do not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LevelField {
    /// `spec.limited.lendablePercent`
    LendablePercent,
    /// `spec.limited.borrowingLimitPercent`
    BorrowingLimitPercent,
    /// `spec.exempt`
    Exempt,
}

impl LevelField {
    /// All of these fields.
    pub const ALL: &[Self] = &[
        Self::LendablePercent,
        Self::BorrowingLimitPercent,
        Self::Exempt,
    ];

    /// The names that lead to the field.
    pub fn path(self) -> &'static [&'static str] {
        match self {
            Self::LendablePercent => &["spec", "limited", "lendablePercent"],
            Self::BorrowingLimitPercent => &["spec", "limited", "borrowingLimitPercent"],
            Self::Exempt => &["spec", "exempt"],
        }
    }

    fn is_known(self, version: ApiVersion, release: Release) -> bool {
        knows(levels(version, release), self.path())
    }
}

/// The value of an unknown field that has the name of the shares in the other version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnknownShares {
    Absent,
    /// `null`, which equals absence.
    Null,
    Number(i64),
    WrongType,
}

/// A level that is converted from a source version to a target version: a JSON tree or a type.
pub trait LevelForm {
    /// The shares under the source's name.
    fn shares(&self) -> Shares;
    /// Writes shares under the target's name.
    fn write_shares(&mut self, shares: i32);
    /// The unknown field with the target's name for the shares.
    fn unknown_shares(&self) -> UnknownShares;
    /// Removes the unknown field with the target's name for the shares.
    fn remove_unknown_shares(&mut self);
    /// Gives the shares the target's name. If they are absent, the unknown field becomes the shares.
    fn rename_shares(&mut self);

    /// Whether the object has the annotation for zero shares.
    fn is_annotated(&self) -> bool;
    /// Adds the annotation for zero shares.
    fn annotate(&mut self);
    /// Removes the annotation for zero shares.
    fn unannotate(&mut self);

    /// Whether the field is present and differs from its default.
    fn is_set(&self, field: LevelField) -> bool;
    /// Removes a field.
    fn remove(&mut self, field: LevelField);
}

/// Converts `level` in place from one version to another, and returns the losses.
pub(super) fn convert(
    level: &mut impl LevelForm,
    from: ApiVersion,
    to: ApiVersion,
    release: Release,
) -> Vec<Loss> {
    if from == to {
        return Vec::new();
    }
    let state = ShareState {
        shares: level.shares(),
        annotated: level.is_annotated(),
        version: from,
        release,
    };
    let mut losses = Vec::new();
    if shares_name(from) != shares_name(to) {
        losses.extend(rename(level, state, to));
    }
    let plan = shares::plan(state, to);
    if let Some(shares) = plan.write {
        level.write_shares(shares);
    }
    if plan.annotate {
        level.annotate();
    }
    if plan.unannotate {
        level.unannotate();
    }
    losses.extend(plan.losses);
    for field in LevelField::ALL.iter().copied() {
        losses.extend(field_loss(level, field, from, to, release));
    }
    losses
}

/// Renames the shares. An unknown field that has the new name already is lost or becomes the shares.
fn rename(level: &mut impl LevelForm, state: ShareState, to: ApiVersion) -> Option<Loss> {
    let (from, name) = (state.version, shares_name(to));
    let unknown = level.unknown_shares();
    let has_shares = matches!(state.shares, Shares::Zero | Shares::Other);
    if has_shares {
        level.remove_unknown_shares();
    }
    level.rename_shares();
    let why = match unknown {
        UnknownShares::Absent | UnknownShares::Null => return None,
        _ if has_shares => {
            let own = shares_name(from);
            format!("dropped: {from} does not know it, and in {to} it is the name of {own}")
        }
        UnknownShares::Number(number) if means_default(number, to) && !state.means_zero() => {
            return None;
        }
        UnknownShares::Number(number) => {
            format!("{from} does not know it; in {to} it gives the level {number} shares")
        }
        UnknownShares::WrongType => {
            format!("{from} does not know it; in {to} the field is a number")
        }
    };
    Some(Loss::new(format!("spec.limited.{name}"), why))
}

/// Whether shares without the annotation mean the default.
fn means_default(shares: i64, version: ApiVersion) -> bool {
    shares == i64::from(DEFAULT_SHARES) || (shares == 0 && version != ApiVersion::V1)
}

/// Drops a field that the target does not know. Returns the loss, also for a field that only the target knows.
fn field_loss(
    level: &mut impl LevelForm,
    field: LevelField,
    from: ApiVersion,
    to: ApiVersion,
    release: Release,
) -> Option<Loss> {
    let is_set = level.is_set(field);
    let takes_effect = !field.is_known(from, release);
    let why = match (!takes_effect, field.is_known(to, release)) {
        (true, false) => {
            level.remove(field);
            why_unknown(levels(to, release), field.path())
        }
        (false, true) => format!("{from} does not know it; in {to} it takes effect"),
        _ => return None,
    };
    is_set.then(|| Loss {
        takes_effect,
        ..Loss::new(field.path().join("."), why)
    })
}

/// Returns the losses of a level in `from` at a server of `release` that receives it in `to`, without the losses of
/// the conversion for the newest release.
pub(super) fn server_losses(
    level: &impl LevelForm,
    from: ApiVersion,
    to: ApiVersion,
    release: Release,
) -> Vec<Loss> {
    let newest = Release::NEWEST;
    let is_dropped = |field: &LevelField| {
        let is_set = level.is_set(*field);
        let is_converted = field.is_known(from, newest) && field.is_known(to, newest);
        is_set && is_converted && !field.is_known(to, release)
    };
    let dropped = LevelField::ALL
        .iter()
        .copied()
        .filter(is_dropped)
        .map(|field| {
            let why = why_unknown(levels(to, release), field.path());
            Loss::new(field.path().join("."), why)
        });
    let state = ShareState {
        shares: level.shares(),
        annotated: level.is_annotated(),
        version: from,
        release: newest,
    };
    let zero = shares::zero_at_server(state, to, release);
    dropped.chain(zero).collect()
}

/// Drops the fields that `version` does not know and that equal their default.
pub fn drop_unknown_defaults(level: &mut impl LevelForm, version: ApiVersion, release: Release) {
    for field in LevelField::ALL.iter().copied() {
        if !field.is_known(version, release) && !level.is_set(field) {
            level.remove(field);
        }
    }
}

fn levels(version: ApiVersion, release: Release) -> VersionedKind {
    VersionedKind::new(Kind::PriorityLevelConfiguration, version, release)
}
