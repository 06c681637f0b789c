//! The types of each version, taken apart into the common form.

use super::common::{Common, CommonLevel, CommonLimited, CommonSchema};
use crate::api::{v1, v1beta1, v1beta2, v1beta3};
use crate::kind::Versioned;
use crate::meta::{RawJson, Unknown};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// A kind in one version, which can be taken apart into the form that all versions share.
pub trait AnyVersion: Versioned {
    /// The form of the kind that all versions share.
    type Common: Common;

    /// The object without its version. Nothing is converted yet.
    fn into_common(self) -> Self::Common;
    /// The object with what [`into_common`](Self::into_common) took from it, and nothing converted.
    fn from_common(common: Self::Common) -> Self;
}

macro_rules! flow_schema {
    ($($module:ident)*) => {$(
        impl AnyVersion for $module::FlowSchema {
            type Common = CommonSchema;

            fn into_common(self) -> CommonSchema {
                let Self { metadata, spec, status, unknown } = self;
                CommonSchema { metadata, spec, status, unknown }
            }

            fn from_common(common: CommonSchema) -> Self {
                let CommonSchema { metadata, spec, status, unknown } = common;
                Self { metadata, spec, status, unknown }
            }
        }
    )*};
}
flow_schema!(v1 v1beta3 v1beta2 v1beta1);

/// The versions whose types have every field; `$shares` is the field of the shares.
macro_rules! priority_level {
    ($($module:ident $shares:ident)*) => {$(
        impl AnyVersion for $module::PriorityLevelConfiguration {
            type Common = CommonLevel;

            fn into_common(self) -> CommonLevel {
                let Self { metadata, spec, status, unknown } = self;
                let limited = spec.limited.map(|limited| CommonLimited {
                    shares: limited.$shares,
                    limit_response: limited.limit_response,
                    lendable_percent: limited.lendable_percent,
                    borrowing_limit_percent: limited.borrowing_limit_percent,
                    unknown: limited.unknown,
                });
                CommonLevel {
                    metadata,
                    r#type: spec.r#type,
                    limited,
                    exempt: spec.exempt,
                    spec_unknown: spec.unknown,
                    status,
                    unknown,
                }
            }

            fn from_common(common: CommonLevel) -> Self {
                let CommonLevel { metadata, r#type, limited, exempt, spec_unknown, status, unknown } = common;
                let limited = limited.map(|limited| $module::LimitedPriorityLevelConfiguration {
                    $shares: limited.shares,
                    limit_response: limited.limit_response,
                    lendable_percent: limited.lendable_percent,
                    borrowing_limit_percent: limited.borrowing_limit_percent,
                    unknown: limited.unknown,
                });
                let spec = $module::PriorityLevelConfigurationSpec {
                    r#type,
                    limited,
                    exempt,
                    unknown: spec_unknown,
                };
                Self { metadata, spec, status, unknown }
            }
        }
    )*};
}
priority_level! {
    v1 nominal_concurrency_shares
    v1beta3 nominal_concurrency_shares
    v1beta2 assured_concurrency_shares
}

/// Fields of later versions are unknown fields of these types.
impl AnyVersion for v1beta1::PriorityLevelConfiguration {
    type Common = CommonLevel;

    fn into_common(self) -> CommonLevel {
        let Self {
            metadata,
            mut spec,
            status,
            unknown,
        } = self;
        let limited = spec.limited.map(|mut limited| CommonLimited {
            shares: limited.assured_concurrency_shares,
            limit_response: limited.limit_response,
            lendable_percent: take(&mut limited.unknown, "lendablePercent"),
            borrowing_limit_percent: take(&mut limited.unknown, "borrowingLimitPercent"),
            unknown: limited.unknown,
        });
        CommonLevel {
            metadata,
            r#type: spec.r#type,
            limited,
            exempt: take(&mut spec.unknown, "exempt"),
            spec_unknown: spec.unknown,
            status,
            unknown,
        }
    }

    fn from_common(common: CommonLevel) -> Self {
        let limited = common.limited.map(|mut limited| {
            put(
                &mut limited.unknown,
                "lendablePercent",
                limited.lendable_percent,
            );
            put(
                &mut limited.unknown,
                "borrowingLimitPercent",
                limited.borrowing_limit_percent,
            );
            v1beta1::LimitedPriorityLevelConfiguration {
                assured_concurrency_shares: limited.shares,
                limit_response: limited.limit_response,
                unknown: limited.unknown,
            }
        });
        let mut spec_unknown = common.spec_unknown;
        put(&mut spec_unknown, "exempt", common.exempt);
        Self {
            metadata: common.metadata,
            spec: v1beta1::PriorityLevelConfigurationSpec {
                r#type: common.r#type,
                limited,
                unknown: spec_unknown,
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

fn put<T: Serialize>(unknown: &mut Unknown, name: &str, value: Option<T>) {
    if let Some(value) = value.and_then(|value| RawJson::from_value(&value).ok()) {
        unknown.insert(name, value);
    }
}
