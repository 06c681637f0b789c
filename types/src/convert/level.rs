//! Shape conversion of a priority level: one rule for every form that a level has in memory.

use super::known::{knows, why_unknown};
use super::shares::{self, DEFAULT_SHARES, Said, Shares};
use super::{Loss, shares_name};
use crate::kind::VersionedKind;
use crate::{ApiVersion, Kind, Release};

/// A member that not every version of every release knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Member {
    /// `spec.limited.lendablePercent`
    LendablePercent,
    /// `spec.limited.borrowingLimitPercent`
    BorrowingLimitPercent,
    /// `spec.exempt`
    Exempt,
}

impl Member {
    /// All such fields.
    pub const ALL: [Self; 3] = [
        Self::LendablePercent,
        Self::BorrowingLimitPercent,
        Self::Exempt,
    ];

    /// The way to it.
    pub fn names(self) -> &'static [&'static str] {
        match self {
            Self::LendablePercent => &["spec", "limited", "lendablePercent"],
            Self::BorrowingLimitPercent => &["spec", "limited", "borrowingLimitPercent"],
            Self::Exempt => &["spec", "exempt"],
        }
    }

    fn is_known(self, version: ApiVersion, release: Release) -> bool {
        knows(levels(version, release), self.names())
    }
}

/// What a level says in a member.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Says {
    /// Nothing, or what its absence says.
    Nothing,
    /// Something.
    Something,
}

/// What a level says in a member that its version does not know, and that has the name of the other version's
/// shares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Foreign {
    /// There is none.
    Absent,
    /// A `null`, which says nothing.
    Null,
    /// An integer.
    Number(i64),
    /// No integer.
    Odd,
}

/// A level that is on its way from one version to another: a tree, or what typed levels have in common.
pub trait LevelForm {
    /// The shares under the source's name.
    fn shares(&self) -> Shares;
    /// Writes shares under the target's name.
    fn write_shares(&mut self, shares: i32);
    /// The unknown field with the target's name for the shares.
    fn foreign(&self) -> Foreign;
    /// Removes the unknown field with the target's name for the shares.
    fn drop_foreign(&mut self);
    /// Gives the shares the target's name. Where there are none, the foreign member becomes the shares.
    fn rename_shares(&mut self);

    /// Whether the object has the annotation for zero shares.
    fn is_annotated(&self) -> bool;
    /// Adds the annotation for zero shares.
    fn annotate(&mut self);
    /// Removes the annotation for zero shares.
    fn unannotate(&mut self);

    /// Whether the level sets a field to something else than its default.
    fn says(&self, member: Member) -> Says;
    /// Removes a field.
    fn drop_member(&mut self, member: Member);
}

/// Turns `level` from one version into another, and says what is lost.
pub(super) fn convert(
    level: &mut impl LevelForm,
    from: ApiVersion,
    to: ApiVersion,
    release: Release,
) -> Vec<Loss> {
    if from == to {
        return Vec::new();
    }
    let said = Said {
        shares: level.shares(),
        annotated: level.is_annotated(),
        version: from,
        release,
    };
    let mut losses = Vec::new();
    if shares_name(from) != shares_name(to) {
        losses.extend(rename(level, said, to));
    }
    let plan = shares::plan(said, to);
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
    for member in Member::ALL {
        losses.extend(member_loss(level, member, from, to, release));
    }
    losses
}

/// Renames the shares. An unknown member of the new name gets in the way.
fn rename(level: &mut impl LevelForm, said: Said, to: ApiVersion) -> Option<Loss> {
    let (from, name) = (said.version, shares_name(to));
    let foreign = level.foreign();
    let has_shares = matches!(said.shares, Shares::Zero | Shares::Other);
    if has_shares {
        level.drop_foreign();
    }
    level.rename_shares();
    let why = match foreign {
        Foreign::Absent | Foreign::Null => return None,
        _ if has_shares => {
            let own = shares_name(from);
            format!("dropped: {from} does not know it, and its name is what {to} calls {own}")
        }
        Foreign::Number(number) if means_default(number, to) && !said.means_zero() => return None,
        Foreign::Number(number) => {
            format!("{from} does not know it; in {to} it gives the level {number} shares")
        }
        Foreign::Odd => format!("{from} does not know it; {to} wants a number there"),
    };
    Some(Loss::new(format!("spec.limited.{name}"), why))
}

/// Whether shares without the annotation mean the default.
fn means_default(shares: i64, version: ApiVersion) -> bool {
    shares == i64::from(DEFAULT_SHARES) || (shares == 0 && version != ApiVersion::V1)
}

/// Drops a member that the target does not know, and tells of one that only the target knows.
fn member_loss(
    level: &mut impl LevelForm,
    member: Member,
    from: ApiVersion,
    to: ApiVersion,
    release: Release,
) -> Option<Loss> {
    let says = level.says(member);
    let why = match (member.is_known(from, release), member.is_known(to, release)) {
        (true, false) => {
            level.drop_member(member);
            why_unknown(levels(to, release), member.names())
        }
        (false, true) => format!("{from} does not know it; in {to} it comes to mean something"),
        _ => return None,
    };
    (says == Says::Something).then(|| Loss::new(member.names().join("."), why))
}

/// The losses of a level in `from` at a server of `release` that receives it in `to`, apart from those of the
/// conversion, which is one for the newest release.
pub(super) fn server_losses(
    level: &impl LevelForm,
    from: ApiVersion,
    to: ApiVersion,
    release: Release,
) -> Vec<Loss> {
    let newest = Release::NEWEST;
    let is_dropped = |member: &Member| {
        let is_set = level.says(*member) == Says::Something;
        let is_converted = member.is_known(from, newest) && member.is_known(to, newest);
        is_set && is_converted && !member.is_known(to, release)
    };
    let dropped = Member::ALL.into_iter().filter(is_dropped).map(|member| {
        let why = why_unknown(levels(to, release), member.names());
        Loss::new(member.names().join("."), why)
    });
    let said = Said {
        shares: level.shares(),
        annotated: level.is_annotated(),
        version: from,
        release: newest,
    };
    let zero = shares::zero_at_server(said, to, release);
    dropped.chain(zero).collect()
}

/// Drops the members that `version` does not know and that say what their absence says.
pub fn drop_meaningless(level: &mut impl LevelForm, version: ApiVersion, release: Release) {
    for member in Member::ALL {
        if !member.is_known(version, release) && level.says(member) == Says::Nothing {
            level.drop_member(member);
        }
    }
}

fn levels(version: ApiVersion, release: Release) -> VersionedKind {
    VersionedKind::new(Kind::PriorityLevelConfiguration, version, release)
}
