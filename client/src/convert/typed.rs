//! Typed conversion: what two versions have in common is moved, unknown members are kept, and what cannot be
//! said in the other version is reported.

use super::PRESERVE_ZERO_ANNOTATION;
use crate::api::{v1, v1beta1, v1beta2, v1beta3};
use crate::meta::Unknown;
use serde::de::DeserializeOwned;
use std::fmt;

const NOMINAL: &str = "nominalConcurrencyShares";
const ASSURED: &str = "assuredConcurrencyShares";
const DEFAULT_SHARES: i32 = 30;

/// Something that a conversion loses, or that means something else after it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Loss {
    /// The member, in the terms of the version converted from: `spec.limited.nominalConcurrencyShares`.
    pub path: String,
    /// What becomes of it, and why.
    pub why: String,
}

impl Loss {
    pub(crate) fn new(path: impl Into<String>, why: impl Into<String>) -> Self {
        Self {
            path: path.into(),
            why: why.into(),
        }
    }

    #[cfg(feature = "client")]
    pub(crate) fn below(self, parent: &str) -> Self {
        Self {
            path: format!("{parent}.{}", self.path),
            ..self
        }
    }
}

impl fmt::Display for Loss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.path, self.why)
    }
}

/// A conversion that loses something: the object as far as it could be converted, and what was lost.
///
/// ```
/// use k8s_flowcontrol::api::{v1, v1beta2};
///
/// let mut level = v1::PriorityLevelConfiguration::default();
/// level.spec.limited.get_or_insert_default().nominal_concurrency_shares = Some(0);
/// let lossy = v1beta2::PriorityLevelConfiguration::try_from(level).unwrap_err();
/// assert_eq!(lossy.losses[0].path, "spec.limited.nominalConcurrencyShares");
/// assert_eq!(lossy.object.spec.limited.unwrap().assured_concurrency_shares, Some(0));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Lossy<T> {
    /// The object as far as it could be converted.
    pub object: Box<T>,
    /// What was lost; never empty.
    pub losses: Vec<Loss>,
}

impl<T> Lossy<T> {
    /// The object as far as it could be converted.
    pub fn into_object(self) -> T {
        *self.object
    }
}

impl<T> fmt::Display for Lossy<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the conversion loses ")?;
        for (index, loss) in self.losses.iter().enumerate() {
            write!(f, "{}{loss}", if index > 0 { ", " } else { "" })?;
        }
        Ok(())
    }
}

impl<T: fmt::Debug> std::error::Error for Lossy<T> {}

/// Conversion to `To`, and what it loses. [`From`] and [`TryFrom`] are made from it.
pub(crate) trait Convert<To>: Sized {
    /// A member's path in `Self`, and its path in `To`, where they differ.
    #[cfg_attr(not(feature = "client"), allow(dead_code))]
    const RENAMED: Option<(&'static str, &'static str)> = None;

    fn convert(self) -> (To, Vec<Loss>);
}

impl<T> Convert<T> for T {
    fn convert(self) -> (T, Vec<Loss>) {
        (self, Vec::new())
    }
}

/// Conversions that always succeed.
macro_rules! total {
    ($($from:ident => $to:ident $kind:ident)*) => {$(
        impl From<$from::$kind> for $to::$kind {
            fn from(object: $from::$kind) -> Self {
                object.convert().0
            }
        }
    )*};
}

/// Conversions that may lose something.
macro_rules! partial {
    ($($from:ident => $to:ident $kind:ident)*) => {$(
        impl TryFrom<$from::$kind> for $to::$kind {
            type Error = Lossy<Self>;

            fn try_from(object: $from::$kind) -> Result<Self, Lossy<Self>> {
                match object.convert() {
                    (object, losses) if losses.is_empty() => Ok(object),
                    (object, losses) => Err(Lossy { object: Box::new(object), losses }),
                }
            }
        }
    )*};
}

/// Flow schemas are the same in all versions.
macro_rules! flow_schemas {
    ($($from:ident => $to:ident)*) => {$(
        impl Convert<$to::FlowSchema> for $from::FlowSchema {
            fn convert(self) -> ($to::FlowSchema, Vec<Loss>) {
                let Self { metadata, spec, status, unknown } = self;
                ($to::FlowSchema { metadata, spec, status, unknown }, Vec::new())
            }
        }

        total!($from => $to FlowSchema);
    )*};
}
flow_schemas! {
    v1 => v1beta3 v1 => v1beta2 v1 => v1beta1 v1beta3 => v1 v1beta3 => v1beta2 v1beta3 => v1beta1
    v1beta2 => v1 v1beta2 => v1beta3 v1beta2 => v1beta1 v1beta1 => v1 v1beta1 => v1beta3 v1beta1 => v1beta2
}

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

#[cfg(test)]
mod tests;
