//! The types of each version, and those of v1 as their common form.

use super::common::Common;
use crate::api::{v1, v1beta1, v1beta2, v1beta3};
use crate::kind::Versioned;
use crate::meta::{RawJson, Unknown};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// A kind in one version.
pub trait AnyVersion: Versioned {
    /// The kind in v1.
    type Common: Common;

    /// The object in the types of v1, which hold what all versions have. Nothing is converted yet. Fields that v1beta1 does not have
    /// are taken from its unknown fields if they have the right type.
    fn into_common(self) -> Self::Common;
    /// The object with what [`into_common`](Self::into_common) took from it, and nothing converted.
    fn from_common(common: Self::Common) -> Self;
}

macro_rules! flow_schema {
    ($($module:ident)*) => {$(
        impl AnyVersion for $module::FlowSchema {
            type Common = v1::FlowSchema;

            fn into_common(self) -> v1::FlowSchema {
                let Self { metadata, spec, status, unknown } = self;
                v1::FlowSchema { metadata, spec, status, unknown }
            }

            fn from_common(common: v1::FlowSchema) -> Self {
                let v1::FlowSchema { metadata, spec, status, unknown } = common;
                Self { metadata, spec, status, unknown }
            }
        }
    )*};
}
flow_schema!(v1 v1beta3 v1beta2 v1beta1);

/// A level from a level of another version with the same fields.
macro_rules! with_fields_of {
    ($other:ident, $module:ident::$shares:ident, $of:ident) => {
        $module::PriorityLevelConfiguration {
            metadata: $other.metadata,
            spec: $module::PriorityLevelConfigurationSpec {
                r#type: $other.spec.r#type,
                limited: $other.spec.limited.map(|limited| {
                    $module::LimitedPriorityLevelConfiguration {
                        $shares: limited.$of,
                        limit_response: limited.limit_response,
                        lendable_percent: limited.lendable_percent,
                        borrowing_limit_percent: limited.borrowing_limit_percent,
                        unknown: limited.unknown,
                    }
                }),
                exempt: $other.spec.exempt,
                unknown: $other.spec.unknown,
            },
            status: $other.status,
            unknown: $other.unknown,
        }
    };
}

macro_rules! priority_level {
    ($($module:ident::$shares:ident)*) => {$(
        impl AnyVersion for $module::PriorityLevelConfiguration {
            type Common = v1::PriorityLevelConfiguration;

            fn into_common(self) -> v1::PriorityLevelConfiguration {
                with_fields_of!(self, v1::nominal_concurrency_shares, $shares)
            }

            fn from_common(common: v1::PriorityLevelConfiguration) -> Self {
                with_fields_of!(common, $module::$shares, nominal_concurrency_shares)
            }
        }
    )*};
}
priority_level! {
    v1::nominal_concurrency_shares
    v1beta3::nominal_concurrency_shares
    v1beta2::assured_concurrency_shares
}

impl AnyVersion for v1beta1::PriorityLevelConfiguration {
    type Common = v1::PriorityLevelConfiguration;

    fn into_common(self) -> v1::PriorityLevelConfiguration {
        let mut spec = self.spec;
        let limited = spec
            .limited
            .map(|mut limited| v1::LimitedPriorityLevelConfiguration {
                nominal_concurrency_shares: limited.assured_concurrency_shares,
                limit_response: limited.limit_response,
                lendable_percent: take(&mut limited.unknown, "lendablePercent"),
                borrowing_limit_percent: take(&mut limited.unknown, "borrowingLimitPercent"),
                unknown: limited.unknown,
            });
        v1::PriorityLevelConfiguration {
            metadata: self.metadata,
            spec: v1::PriorityLevelConfigurationSpec {
                r#type: spec.r#type,
                limited,
                exempt: take(&mut spec.unknown, "exempt"),
                unknown: spec.unknown,
            },
            status: self.status,
            unknown: self.unknown,
        }
    }

    fn from_common(common: v1::PriorityLevelConfiguration) -> Self {
        let mut spec = common.spec;
        put(&mut spec.unknown, "exempt", spec.exempt);
        let limited = spec.limited.map(|mut limited| {
            let unknown = &mut limited.unknown;
            put(unknown, "lendablePercent", limited.lendable_percent);
            put(
                unknown,
                "borrowingLimitPercent",
                limited.borrowing_limit_percent,
            );
            v1beta1::LimitedPriorityLevelConfiguration {
                assured_concurrency_shares: limited.nominal_concurrency_shares,
                limit_response: limited.limit_response,
                unknown: limited.unknown,
            }
        });
        Self {
            metadata: common.metadata,
            spec: v1beta1::PriorityLevelConfigurationSpec {
                r#type: spec.r#type,
                limited,
                unknown: spec.unknown,
            },
            status: common.status,
            unknown: common.unknown,
        }
    }
}

/// Removes an unknown field and returns its value, if it has the right type.
fn take<T: DeserializeOwned>(unknown: &mut Unknown, name: &str) -> Option<T> {
    let value = unknown.get(name)?.to::<Option<T>>().ok()?;
    unknown.remove(name);
    value
}

/// Adds an unknown field, unless there is one with a wrong type.
fn put<T: Serialize>(unknown: &mut Unknown, name: &str, value: Option<T>) {
    if let Some(value) = value.and_then(|value| RawJson::from_value(&value).ok())
        && unknown.get(name).is_none()
    {
        unknown.insert(name, value);
    }
}
