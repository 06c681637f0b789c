//! Priority levels in v1beta1, which does not know what came after 1.25, the last release to serve it.

use super::Convert;
use crate::api::{v1beta1, v1beta2};
use crate::convert::Loss;
use crate::meta::Unknown;
use serde::de::DeserializeOwned;

impl Convert<v1beta2::PriorityLevelConfiguration> for v1beta1::PriorityLevelConfiguration {
    /// Later releases know members in v1beta1 that 1.25, the last one to serve it, does not: they are unknown
    /// members of the type.
    fn convert(self) -> (v1beta2::PriorityLevelConfiguration, Vec<Loss>) {
        let Self {
            metadata,
            mut spec,
            status,
            unknown,
        } = self;
        let mut losses = Vec::new();
        let exempt = adopt(&mut spec.unknown, "spec.", "exempt", &mut losses);
        let limited = spec.limited.map(|limited| {
            let mut unknown = limited.unknown;
            v1beta2::LimitedPriorityLevelConfiguration {
                assured_concurrency_shares: limited.assured_concurrency_shares,
                limit_response: limited.limit_response,
                lendable_percent: adopt(
                    &mut unknown,
                    "spec.limited.",
                    "lendablePercent",
                    &mut losses,
                ),
                borrowing_limit_percent: adopt(
                    &mut unknown,
                    "spec.limited.",
                    "borrowingLimitPercent",
                    &mut losses,
                ),
                unknown,
            }
        });
        let spec = v1beta2::PriorityLevelConfigurationSpec {
            r#type: spec.r#type,
            limited,
            exempt,
            unknown: spec.unknown,
        };
        (
            v1beta2::PriorityLevelConfiguration {
                metadata,
                spec,
                status,
                unknown,
            },
            losses,
        )
    }
}

impl Convert<v1beta1::PriorityLevelConfiguration> for v1beta2::PriorityLevelConfiguration {
    /// What 1.25, the last release to serve v1beta1, does not know is dropped; defaults are no loss.
    fn convert(self) -> (v1beta1::PriorityLevelConfiguration, Vec<Loss>) {
        let Self {
            metadata,
            spec,
            status,
            unknown,
        } = self;
        let mut losses = Vec::new();
        let mut lose = |path: &str| losses.push(Loss::new(path, "v1beta1 does not have it"));
        if let Some(exempt) = &spec.exempt {
            let is_zero = |value: Option<i32>| value.unwrap_or(0) == 0;
            if !is_zero(exempt.nominal_concurrency_shares)
                || !is_zero(exempt.lendable_percent)
                || !exempt.unknown.is_empty()
            {
                lose("spec.exempt");
            }
        }
        let limited = spec.limited.map(|limited| {
            if limited.lendable_percent.unwrap_or(0) != 0 {
                lose("spec.limited.lendablePercent");
            }
            if limited.borrowing_limit_percent.is_some() {
                lose("spec.limited.borrowingLimitPercent");
            }
            v1beta1::LimitedPriorityLevelConfiguration {
                assured_concurrency_shares: limited.assured_concurrency_shares,
                limit_response: limited.limit_response,
                unknown: limited.unknown,
            }
        });
        let spec = v1beta1::PriorityLevelConfigurationSpec {
            r#type: spec.r#type,
            limited,
            unknown: spec.unknown,
        };
        (
            v1beta1::PriorityLevelConfiguration {
                metadata,
                spec,
                status,
                unknown,
            },
            losses,
        )
    }
}

/// Takes an unknown member that the other version knows.
fn adopt<T: DeserializeOwned>(
    unknown: &mut Unknown,
    parent: &str,
    name: &str,
    losses: &mut Vec<Loss>,
) -> Option<T> {
    let raw = unknown.remove(name)?;
    match raw.to::<Option<T>>() {
        Ok(value) => value,
        Err(error) => {
            losses.push(Loss::new(
                format!("{parent}{name}"),
                format!("unknown to the version, and no {name}: {error}"),
            ));
            None
        }
    }
}
