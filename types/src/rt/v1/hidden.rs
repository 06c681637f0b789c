//! `Debug` of structs with secret fields.

use super::Unknown;
use crate::meta::{LAST_APPLIED_ANNOTATION, ObjectMeta};
use std::fmt;

/// Stands for a value that `Debug` does not print.
pub struct Secret;

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("(hidden)")
    }
}

/// The names of unknown fields, without their values.
pub struct Names<'a>(pub &'a Unknown);

impl fmt::Debug for Names<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map()
            .entries(self.0.iter().map(|(name, _)| (name, Secret)))
            .finish()
    }
}

/// Metadata of an object with secrets.
pub struct Metadata<'a>(pub &'a ObjectMeta);

impl fmt::Debug for Metadata<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(applied) = self.0.annotations.get(LAST_APPLIED_ANNOTATION) else {
            return self.0.fmt(f);
        };
        let mut shown = self.0.clone();
        if !applied.is_empty() {
            shown
                .annotations
                .insert(LAST_APPLIED_ANNOTATION.to_owned(), "(hidden)".to_owned());
        }
        shown.fmt(f)
    }
}

/// Implements `Debug` for a struct with secret fields, without their values and without the values of unknown fields.
#[doc(hidden)]
#[macro_export]
macro_rules! __hidden {
    ($type:ident { $($field:ident $(: $how:ident)?,)* }) => {
        impl ::std::fmt::Debug for $type {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                f.debug_struct(stringify!($type))
                    $(.field(stringify!($field), $crate::__shown!(self.$field $(, $how)?)))*
                    .field("unknown", &$crate::rt::v1::Names(&self.unknown))
                    .finish()
            }
        }
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! __shown {
    ($value:expr) => {
        &$value
    };
    ($value:expr, secret) => {
        &$crate::rt::v1::Secret
    };
    ($value:expr, metadata) => {
        &$crate::rt::v1::Metadata(&$value)
    };
}
