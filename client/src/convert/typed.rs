//! Typed conversion: what two versions have in common is moved, unknown members are kept, and what cannot be
//! said in the other version is reported.

mod levels;
mod oldest;

use super::Loss;
use crate::api::{v1, v1beta1, v1beta2, v1beta3};

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
            type Error = $crate::convert::Lossy<Self>;

            fn try_from(object: $from::$kind) -> Result<Self, Self::Error> {
                match object.convert() {
                    (object, losses) if losses.is_empty() => Ok(object),
                    (object, losses) => Err($crate::convert::Lossy { object: Box::new(object), losses }),
                }
            }
        }
    )*};
}

use {partial, total};

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

#[cfg(test)]
mod tests;
