//! The types of v1 as the form in which those of all versions are converted.

use crate::api::v1;
use crate::convert::level::{self, LevelField, LevelForm, UnknownShares};
use crate::convert::shares::Shares;
use crate::convert::{Loss, PRESERVE_ZERO_ANNOTATION};
use crate::{ApiVersion, Release};

/// A kind in v1, whose types hold the fields of all versions.
pub trait Common {
    /// Converts in place from `from` to `to`.
    fn convert(&mut self, from: ApiVersion, to: ApiVersion, release: Release) -> Vec<Loss>;
    /// Returns the losses of an object in `from` at a server of `release` that receives it in `to`, without the losses
    /// of the conversion.
    fn server_losses(&mut self, from: ApiVersion, to: ApiVersion, release: Release) -> Vec<Loss>;
}

impl Common for v1::FlowSchema {
    fn convert(&mut self, _: ApiVersion, _: ApiVersion, _: Release) -> Vec<Loss> {
        Vec::new()
    }

    fn server_losses(&mut self, _: ApiVersion, _: ApiVersion, _: Release) -> Vec<Loss> {
        Vec::new()
    }
}

impl Common for v1::PriorityLevelConfiguration {
    fn convert(&mut self, from: ApiVersion, to: ApiVersion, release: Release) -> Vec<Loss> {
        level::convert(&mut TypedLevel { level: self, to }, from, to, release)
    }

    fn server_losses(&mut self, from: ApiVersion, to: ApiVersion, release: Release) -> Vec<Loss> {
        level::server_losses(&TypedLevel { level: self, to }, from, to, release)
    }
}

struct TypedLevel<'a> {
    level: &'a mut v1::PriorityLevelConfiguration,
    to: ApiVersion,
}

impl TypedLevel<'_> {
    fn limited(&self) -> Option<&v1::LimitedPriorityLevelConfiguration> {
        self.level.spec.limited.as_ref()
    }

    fn target_name(&self) -> &'static str {
        super::shares_name(self.to)
    }
}

impl LevelForm for TypedLevel<'_> {
    fn shares(&self) -> Shares {
        match self
            .limited()
            .map(|limited| limited.nominal_concurrency_shares)
        {
            None => Shares::NoStanza,
            Some(None) => Shares::Absent,
            Some(Some(0)) => Shares::Zero,
            Some(Some(_)) => Shares::Other,
        }
    }

    fn write_shares(&mut self, shares: i32) {
        if let Some(limited) = &mut self.level.spec.limited {
            limited.nominal_concurrency_shares = Some(shares);
        }
    }

    fn unknown_shares(&self) -> UnknownShares {
        let name = self.target_name();
        match self.limited().and_then(|limited| limited.unknown.get(name)) {
            None => UnknownShares::Absent,
            Some(raw) => match raw.to::<Option<i32>>() {
                Ok(None) => UnknownShares::Null,
                Ok(Some(number)) => UnknownShares::Number(number.into()),
                Err(_) => UnknownShares::WrongType,
            },
        }
    }

    fn remove_unknown_shares(&mut self) {
        let name = self.target_name();
        if let Some(limited) = &mut self.level.spec.limited {
            limited.unknown.remove(name);
        }
    }

    fn rename_shares(&mut self) {
        let (name, unknown) = (self.target_name(), self.unknown_shares());
        if let Some(limited) = &mut self.level.spec.limited {
            if let UnknownShares::Number(shares) = unknown {
                limited.nominal_concurrency_shares = i32::try_from(shares).ok();
            }
            // A value of a wrong type is kept, under a name that the target knows.
            if unknown != UnknownShares::WrongType {
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

    fn is_set(&self, field: LevelField) -> bool {
        let limited = self.limited();
        let is_default = match field {
            LevelField::LendablePercent => {
                limited.is_none_or(|limited| limited.lendable_percent.unwrap_or(0) == 0)
            }
            LevelField::BorrowingLimitPercent => {
                limited.is_none_or(|limited| limited.borrowing_limit_percent.is_none())
            }
            LevelField::Exempt => self.level.spec.exempt.as_ref().is_none_or(|exempt| {
                self.level.spec.r#type == v1::PriorityLevelType::Exempt
                    && exempt.nominal_concurrency_shares.unwrap_or(0) == 0
                    && exempt.lendable_percent.unwrap_or(0) == 0
                    && exempt.unknown.is_empty()
            }),
        };
        !is_default || self.has_wrong_type(field)
    }

    fn remove(&mut self, field: LevelField) {
        let limited = self.level.spec.limited.as_mut();
        match (field, limited) {
            (LevelField::Exempt, _) => self.level.spec.exempt = None,
            (LevelField::LendablePercent, Some(limited)) => limited.lendable_percent = None,
            (LevelField::BorrowingLimitPercent, Some(limited)) => {
                limited.borrowing_limit_percent = None;
            }
            (_, None) => {}
        }
    }
}

impl TypedLevel<'_> {
    /// Whether the field has a wrong type, and so is still an unknown field of the type.
    fn has_wrong_type(&self, field: LevelField) -> bool {
        let unknown = match field {
            LevelField::Exempt => Some(&self.level.spec.unknown),
            _ => self.limited().map(|limited| &limited.unknown),
        };
        let name = field.path().last().copied().unwrap_or_default();
        unknown.is_some_and(|unknown| unknown.get(name).is_some())
    }
}
