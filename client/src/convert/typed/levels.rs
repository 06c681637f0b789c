//! Priority levels: the shares' name and what a zero of them means differ, and what 1.25 does not know.

use super::{Convert, partial, total};
use crate::api::{v1, v1beta1, v1beta2, v1beta3};
use crate::convert::{Loss, PRESERVE_ZERO_ANNOTATION};
use crate::meta::Unknown;
use serde::de::DeserializeOwned;

const NOMINAL: &str = "nominalConcurrencyShares";
const ASSURED: &str = "assuredConcurrencyShares";
const DEFAULT_SHARES: i32 = 30;

total! {
    v1 => v1beta3 PriorityLevelConfiguration
    v1beta3 => v1 PriorityLevelConfiguration
}
partial! {
    v1 => v1beta2 PriorityLevelConfiguration
    v1 => v1beta1 PriorityLevelConfiguration
    v1beta3 => v1beta2 PriorityLevelConfiguration
    v1beta3 => v1beta1 PriorityLevelConfiguration
    v1beta2 => v1 PriorityLevelConfiguration
    v1beta2 => v1beta3 PriorityLevelConfiguration
    v1beta2 => v1beta1 PriorityLevelConfiguration
    v1beta1 => v1 PriorityLevelConfiguration
    v1beta1 => v1beta3 PriorityLevelConfiguration
    v1beta1 => v1beta2 PriorityLevelConfiguration
}

impl Convert<v1::PriorityLevelConfiguration> for v1beta3::PriorityLevelConfiguration {
    /// A zero means 30 unless the annotation is there; with it an absent value is a zero too.
    fn convert(self) -> (v1::PriorityLevelConfiguration, Vec<Loss>) {
        let Self {
            mut metadata,
            mut spec,
            status,
            unknown,
        } = self;
        let preserve_zero = metadata
            .annotations
            .remove(PRESERVE_ZERO_ANNOTATION)
            .is_some();
        if let Some(limited) = &mut spec.limited {
            limited.nominal_concurrency_shares = match limited.nominal_concurrency_shares {
                None | Some(0) if preserve_zero => Some(0),
                Some(0) => Some(DEFAULT_SHARES),
                shares => shares,
            };
        }
        (
            v1::PriorityLevelConfiguration {
                metadata,
                spec,
                status,
                unknown,
            },
            Vec::new(),
        )
    }
}

impl Convert<v1beta3::PriorityLevelConfiguration> for v1::PriorityLevelConfiguration {
    /// A zero needs the annotation, and nothing else may have it.
    fn convert(self) -> (v1beta3::PriorityLevelConfiguration, Vec<Loss>) {
        let Self {
            mut metadata,
            spec,
            status,
            unknown,
        } = self;
        if spec
            .limited
            .as_ref()
            .is_some_and(|limited| limited.nominal_concurrency_shares == Some(0))
        {
            metadata
                .annotations
                .entry(PRESERVE_ZERO_ANNOTATION.to_owned())
                .or_default();
        } else {
            metadata.annotations.remove(PRESERVE_ZERO_ANNOTATION);
        }
        (
            v1beta3::PriorityLevelConfiguration {
                metadata,
                spec,
                status,
                unknown,
            },
            Vec::new(),
        )
    }
}

impl Convert<v1::PriorityLevelConfiguration> for v1beta2::PriorityLevelConfiguration {
    const RENAMED: Option<(&'static str, &'static str)> = Some(ASSURED_TO_NOMINAL);

    /// A zero means 30; the annotation means nothing here and must not come to mean something.
    fn convert(self) -> (v1::PriorityLevelConfiguration, Vec<Loss>) {
        let Self {
            mut metadata,
            spec,
            status,
            unknown,
        } = self;
        metadata.annotations.remove(PRESERVE_ZERO_ANNOTATION);
        let mut losses = Vec::new();
        let limited = spec.limited.map(|limited| {
            let mut unknown = limited.unknown;
            displace(&mut unknown, NOMINAL, ASSURED, &mut losses);
            v1::LimitedPriorityLevelConfiguration {
                nominal_concurrency_shares: match limited.assured_concurrency_shares {
                    Some(0) => Some(DEFAULT_SHARES),
                    shares => shares,
                },
                limit_response: limited.limit_response,
                lendable_percent: limited.lendable_percent,
                borrowing_limit_percent: limited.borrowing_limit_percent,
                unknown,
            }
        });
        let spec = v1::PriorityLevelConfigurationSpec {
            r#type: spec.r#type,
            limited,
            exempt: spec.exempt,
            unknown: spec.unknown,
        };
        (
            v1::PriorityLevelConfiguration {
                metadata,
                spec,
                status,
                unknown,
            },
            losses,
        )
    }
}

impl Convert<v1beta2::PriorityLevelConfiguration> for v1::PriorityLevelConfiguration {
    const RENAMED: Option<(&'static str, &'static str)> = Some(NOMINAL_TO_ASSURED);

    fn convert(self) -> (v1beta2::PriorityLevelConfiguration, Vec<Loss>) {
        let Self {
            mut metadata,
            spec,
            status,
            unknown,
        } = self;
        metadata.annotations.remove(PRESERVE_ZERO_ANNOTATION);
        let mut losses = Vec::new();
        let limited = spec.limited.map(|limited| {
            let mut unknown = limited.unknown;
            displace(&mut unknown, ASSURED, NOMINAL, &mut losses);
            if limited.nominal_concurrency_shares == Some(0) {
                let why = "0 has no form in v1beta2 and v1beta1, where it means 30";
                losses.push(Loss::new(format!("spec.limited.{NOMINAL}"), why));
            }
            v1beta2::LimitedPriorityLevelConfiguration {
                assured_concurrency_shares: limited.nominal_concurrency_shares,
                limit_response: limited.limit_response,
                lendable_percent: limited.lendable_percent,
                borrowing_limit_percent: limited.borrowing_limit_percent,
                unknown,
            }
        });
        let spec = v1beta2::PriorityLevelConfigurationSpec {
            r#type: spec.r#type,
            limited,
            exempt: spec.exempt,
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

const ASSURED_TO_NOMINAL: (&str, &str) = (
    "spec.limited.assuredConcurrencyShares",
    "spec.limited.nominalConcurrencyShares",
);
const NOMINAL_TO_ASSURED: (&str, &str) = (ASSURED_TO_NOMINAL.1, ASSURED_TO_NOMINAL.0);

/// The other ways lead over a version between.
macro_rules! through {
    ($($from:ident => $between:ident => $to:ident, $renamed:expr;)*) => {$(
        impl Convert<$to::PriorityLevelConfiguration> for $from::PriorityLevelConfiguration {
            const RENAMED: Option<(&'static str, &'static str)> = Some($renamed);

            fn convert(self) -> ($to::PriorityLevelConfiguration, Vec<Loss>) {
                let (between, mut losses): ($between::PriorityLevelConfiguration, _) = self.convert();
                let (object, more) = between.convert();
                losses.extend(more);
                (object, losses)
            }
        }
    )*};
}
through! {
    v1beta3 => v1 => v1beta2, NOMINAL_TO_ASSURED;
    v1beta2 => v1 => v1beta3, ASSURED_TO_NOMINAL;
    v1 => v1beta2 => v1beta1, NOMINAL_TO_ASSURED;
    v1beta1 => v1beta2 => v1, ASSURED_TO_NOMINAL;
    v1beta3 => v1beta2 => v1beta1, NOMINAL_TO_ASSURED;
    v1beta1 => v1beta2 => v1beta3, ASSURED_TO_NOMINAL;
}

/// Drops an unknown member whose name a renamed one is about to take.
fn displace(unknown: &mut Unknown, taken: &str, by: &str, losses: &mut Vec<Loss>) {
    if unknown.remove(taken).is_some() {
        let why = format!("unknown to the version, and the name that {by} gets in the other one");
        losses.push(Loss::new(format!("spec.limited.{taken}"), why));
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
