//! Priority levels: the shares' name, and what a zero of them means, differ.

use super::{Convert, partial, total};
use crate::api::{v1, v1beta1, v1beta2, v1beta3};
use crate::convert::{Loss, PRESERVE_ZERO_ANNOTATION};
use crate::meta::Unknown;

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
    fn convert(self) -> (v1::PriorityLevelConfiguration, Vec<Loss>) {
        let Self {
            mut metadata,
            mut spec,
            status,
            unknown,
        } = self;
        let preserves_zero = metadata
            .annotations
            .remove(PRESERVE_ZERO_ANNOTATION)
            .is_some();
        spell_out_zero(&mut spec, preserves_zero);
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
        let shares = spec
            .limited
            .as_ref()
            .and_then(|limited| limited.nominal_concurrency_shares);
        if shares == Some(0) {
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

    fn convert(self) -> (v1::PriorityLevelConfiguration, Vec<Loss>) {
        let Self {
            mut metadata,
            spec,
            status,
            unknown,
        } = self;
        // It means nothing here, and v1 forbids it.
        metadata.annotations.remove(PRESERVE_ZERO_ANNOTATION);
        let (spec, losses) = nominal(spec);
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

impl Convert<v1beta3::PriorityLevelConfiguration> for v1beta2::PriorityLevelConfiguration {
    const RENAMED: Option<(&'static str, &'static str)> = Some(ASSURED_TO_NOMINAL);

    /// The annotation means nothing here, and stays; an absent value must not come to mean zero by it.
    fn convert(self) -> (v1beta3::PriorityLevelConfiguration, Vec<Loss>) {
        let Self {
            metadata,
            spec,
            status,
            unknown,
        } = self;
        let (mut spec, losses) = nominal(spec);
        if metadata.annotations.contains_key(PRESERVE_ZERO_ANNOTATION)
            && let Some(limited) = &mut spec.limited
        {
            limited
                .nominal_concurrency_shares
                .get_or_insert(DEFAULT_SHARES);
        }
        (
            v1beta3::PriorityLevelConfiguration {
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
        let (spec, losses) = assured(spec);
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

impl Convert<v1beta2::PriorityLevelConfiguration> for v1beta3::PriorityLevelConfiguration {
    const RENAMED: Option<(&'static str, &'static str)> = Some(NOMINAL_TO_ASSURED);

    fn convert(self) -> (v1beta2::PriorityLevelConfiguration, Vec<Loss>) {
        let Self {
            metadata,
            mut spec,
            status,
            unknown,
        } = self;
        spell_out_zero(
            &mut spec,
            metadata.annotations.contains_key(PRESERVE_ZERO_ANNOTATION),
        );
        let (spec, losses) = assured(spec);
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

/// Makes what v1beta3 means by its shares what v1 means by them: a zero is 30 unless the annotation is there,
/// and with it an absent value is a zero too.
fn spell_out_zero(spec: &mut v1::PriorityLevelConfigurationSpec, preserves_zero: bool) {
    let Some(limited) = &mut spec.limited else {
        return;
    };
    limited.nominal_concurrency_shares = match limited.nominal_concurrency_shares {
        None | Some(0) if preserves_zero => Some(0),
        Some(0) => Some(DEFAULT_SHARES),
        shares => shares,
    };
}

/// A spec with the shares' new name. A zero meant 30.
fn nominal(
    spec: v1beta2::PriorityLevelConfigurationSpec,
) -> (v1::PriorityLevelConfigurationSpec, Vec<Loss>) {
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
    let v1beta2::PriorityLevelConfigurationSpec {
        r#type,
        exempt,
        unknown,
        ..
    } = spec;
    (
        v1::PriorityLevelConfigurationSpec {
            r#type,
            limited,
            exempt,
            unknown,
        },
        losses,
    )
}

/// A spec with the shares' old name. A zero has no form there.
fn assured(
    spec: v1::PriorityLevelConfigurationSpec,
) -> (v1beta2::PriorityLevelConfigurationSpec, Vec<Loss>) {
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
    let v1::PriorityLevelConfigurationSpec {
        r#type,
        exempt,
        unknown,
        ..
    } = spec;
    (
        v1beta2::PriorityLevelConfigurationSpec {
            r#type,
            limited,
            exempt,
            unknown,
        },
        losses,
    )
}

const ASSURED_TO_NOMINAL: (&str, &str) = (
    "spec.limited.assuredConcurrencyShares",
    "spec.limited.nominalConcurrencyShares",
);
const NOMINAL_TO_ASSURED: (&str, &str) = (ASSURED_TO_NOMINAL.1, ASSURED_TO_NOMINAL.0);

/// The other ways lead over v1beta2.
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
