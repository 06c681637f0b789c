//! The standard library's conversions: shape conversion for the newest release.
//!
//! They are `#[inline]` so that a program compiles only the pairs of versions that it converts.

use super::Convert;
use crate::api::{v1, v1beta1, v1beta2, v1beta3};
use crate::convert::Lossy;
use crate::{List, Release};

/// Flow schemas are the same in all versions: nothing can be lost.
macro_rules! total {
    ($($from:ident => $to:ident)*) => {$(
        impl From<$from::FlowSchema> for $to::FlowSchema {
            #[inline]
            fn from(schema: $from::FlowSchema) -> Self {
                Lossy::parts(schema.convert_shape(Release::NEWEST)).0
            }
        }

        impl From<List<$from::FlowSchema>> for List<$to::FlowSchema> {
            #[inline]
            fn from(schemas: List<$from::FlowSchema>) -> Self {
                Lossy::parts(schemas.convert_shape(Release::NEWEST)).0
            }
        }
    )*};
}

/// In every pair of versions one can express something that the other cannot.
macro_rules! partial {
    ($($from:ident => $to:ident)*) => {$(
        impl TryFrom<$from::PriorityLevelConfiguration> for $to::PriorityLevelConfiguration {
            type Error = Lossy<Self>;

            #[inline]
            fn try_from(level: $from::PriorityLevelConfiguration) -> Result<Self, Lossy<Self>> {
                level.convert_shape(Release::NEWEST)
            }
        }

        impl TryFrom<List<$from::PriorityLevelConfiguration>> for List<$to::PriorityLevelConfiguration> {
            type Error = Lossy<Self>;

            #[inline]
            fn try_from(levels: List<$from::PriorityLevelConfiguration>) -> Result<Self, Lossy<Self>> {
                levels.convert_shape(Release::NEWEST)
            }
        }
    )*};
}

macro_rules! pairs {
    ($($from:ident => $to:ident)*) => {
        total!($($from => $to)*);
        partial!($($from => $to)*);
    };
}
pairs! {
    v1 => v1beta3 v1 => v1beta2 v1 => v1beta1
    v1beta3 => v1 v1beta3 => v1beta2 v1beta3 => v1beta1
    v1beta2 => v1 v1beta2 => v1beta3 v1beta2 => v1beta1
    v1beta1 => v1 v1beta1 => v1beta3 v1beta1 => v1beta2
}
