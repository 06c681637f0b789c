//! What the types of a kind have in common in all versions.

use crate::api::v1;
use crate::convert::level::{self, Foreign, LevelForm, Member, Says};
use crate::convert::shares::Shares;
use crate::convert::{Loss, PRESERVE_ZERO_ANNOTATION};
use crate::meta::{ObjectMeta, Unknown};
use crate::{ApiVersion, Release};

/// A kind without a version.
pub trait Common {
    /// Converts in place from `from` to `to`.
    fn convert(&mut self, from: ApiVersion, to: ApiVersion, release: Release) -> Vec<Loss>;
    /// The losses of an object in `from` at a server of `release` that receives it in `to`, apart from those of the
    /// conversion.
    fn server_losses(&mut self, from: ApiVersion, to: ApiVersion, release: Release) -> Vec<Loss>;
}

/// A flow schema of any version: all are the same.
pub struct CommonSchema {
    pub(super) metadata: ObjectMeta,
    pub(super) spec: v1::FlowSchemaSpec,
    pub(super) status: Option<v1::FlowSchemaStatus>,
    pub(super) unknown: Unknown,
}

impl Common for CommonSchema {
    fn convert(&mut self, _: ApiVersion, _: ApiVersion, _: Release) -> Vec<Loss> {
        Vec::new()
    }

    fn server_losses(&mut self, _: ApiVersion, _: ApiVersion, _: Release) -> Vec<Loss> {
        Vec::new()
    }
}

/// A priority level of any version. The shares have no name, and the members that v1beta1 has no fields for
/// are taken out of its unknown members where they have the right type.
pub struct CommonLevel {
    pub(super) metadata: ObjectMeta,
    pub(super) r#type: v1::PriorityLevelType,
    pub(super) limited: Option<CommonLimited>,
    pub(super) exempt: Option<v1::ExemptPriorityLevelConfiguration>,
    pub(super) spec_unknown: Unknown,
    pub(super) status: Option<v1::PriorityLevelConfigurationStatus>,
    pub(super) unknown: Unknown,
}

pub(super) struct CommonLimited {
    pub(super) shares: Option<i32>,
    pub(super) limit_response: v1::LimitResponse,
    pub(super) lendable_percent: Option<i32>,
    pub(super) borrowing_limit_percent: Option<i32>,
    pub(super) unknown: Unknown,
}

impl Common for CommonLevel {
    fn convert(&mut self, from: ApiVersion, to: ApiVersion, release: Release) -> Vec<Loss> {
        level::convert(&mut TypedLevel { level: self, to }, from, to, release)
    }

    fn server_losses(&mut self, from: ApiVersion, to: ApiVersion, release: Release) -> Vec<Loss> {
        level::server_losses(&TypedLevel { level: self, to }, from, to, release)
    }
}

struct TypedLevel<'a> {
    level: &'a mut CommonLevel,
    to: ApiVersion,
}

impl TypedLevel<'_> {
    fn limited(&self) -> Option<&CommonLimited> {
        self.level.limited.as_ref()
    }

    fn foreign_name(&self) -> &'static str {
        super::shares_name(self.to)
    }
}

impl LevelForm for TypedLevel<'_> {
    fn shares(&self) -> Shares {
        match self.limited().map(|limited| limited.shares) {
            None => Shares::NoStanza,
            Some(None) => Shares::Absent,
            Some(Some(0)) => Shares::Zero,
            Some(Some(_)) => Shares::Other,
        }
    }

    fn write_shares(&mut self, shares: i32) {
        if let Some(limited) = &mut self.level.limited {
            limited.shares = Some(shares);
        }
    }

    fn foreign(&self) -> Foreign {
        let name = self.foreign_name();
        match self.limited().and_then(|limited| limited.unknown.get(name)) {
            None => Foreign::Absent,
            Some(raw) => match raw.to::<Option<i32>>() {
                Ok(None) => Foreign::Null,
                Ok(Some(number)) => Foreign::Number(number.into()),
                Err(_) => Foreign::Odd,
            },
        }
    }

    fn drop_foreign(&mut self) {
        let name = self.foreign_name();
        if let Some(limited) = &mut self.level.limited {
            limited.unknown.remove(name);
        }
    }

    fn rename_shares(&mut self) {
        let (name, foreign) = (self.foreign_name(), self.foreign());
        if let Some(limited) = &mut self.level.limited {
            if let Foreign::Number(shares) = foreign {
                limited.shares = i32::try_from(shares).ok();
            }
            // What is no number stays as it is, under a name that the target knows.
            if foreign != Foreign::Odd {
                limited.unknown.remove(name);
            }
        }
    }

    fn is_annotated(&self) -> bool {
        self.level
            .metadata
            .annotations
            .contains_key(PRESERVE_ZERO_ANNOTATION)
    }

    fn annotate(&mut self) {
        let annotations = &mut self.level.metadata.annotations;
        annotations
            .entry(PRESERVE_ZERO_ANNOTATION.to_owned())
            .or_default();
    }

    fn unannotate(&mut self) {
        let annotations = &mut self.level.metadata.annotations;
        annotations.remove(PRESERVE_ZERO_ANNOTATION);
    }

    fn says(&self, member: Member) -> Says {
        let limited = self.limited();
        let is_nothing = match member {
            Member::LendablePercent => {
                limited.is_none_or(|limited| limited.lendable_percent.unwrap_or(0) == 0)
            }
            Member::BorrowingLimitPercent => {
                limited.is_none_or(|limited| limited.borrowing_limit_percent.is_none())
            }
            Member::Exempt => self.level.exempt.as_ref().is_none_or(|exempt| {
                self.level.r#type == v1::PriorityLevelType::Exempt
                    && exempt.nominal_concurrency_shares.unwrap_or(0) == 0
                    && exempt.lendable_percent.unwrap_or(0) == 0
                    && exempt.unknown.is_empty()
            }),
        };
        if is_nothing && !self.is_odd(member) {
            Says::Nothing
        } else {
            Says::Something
        }
    }

    fn drop_member(&mut self, member: Member) {
        let limited = self.level.limited.as_mut();
        match (member, limited) {
            (Member::Exempt, _) => self.level.exempt = None,
            (Member::LendablePercent, Some(limited)) => limited.lendable_percent = None,
            (Member::BorrowingLimitPercent, Some(limited)) => {
                limited.borrowing_limit_percent = None;
            }
            (_, None) => {}
        }
    }
}

impl TypedLevel<'_> {
    /// Whether the member has a wrong type, and so is still among the unknown ones.
    fn is_odd(&self, member: Member) -> bool {
        let unknown = match member {
            Member::Exempt => Some(&self.level.spec_unknown),
            _ => self.limited().map(|limited| &limited.unknown),
        };
        let name = member.names().last().copied().unwrap_or_default();
        unknown.is_some_and(|unknown| unknown.get(name).is_some())
    }
}
