//! Closed sets that stay open: known values by name, every other string unchanged.

use crate::json::{Fault, Reader};
use std::fmt;

/// A value without a variant in its open enum.
///
/// It is only made by the enum's `From<&str>`, so that each string has exactly one representation.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct UnknownValue(Box<str>);

impl UnknownValue {
    #[doc(hidden)]
    pub fn __new(value: &str) -> Self {
        // The default, of which most do not last: the value is read next.
        if value.is_empty() {
            return Self(Box::default());
        }
        Self(value.into())
    }

    /// The value on the wire.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for UnknownValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Reads a value of the open enum `name`, and hands it to `set`.
///
/// # Errors
/// The text is not JSON, or not a string.
pub fn read_enum(
    name: &str,
    reader: &mut Reader<'_>,
    set: &mut dyn FnMut(&str),
) -> Result<(), Fault> {
    let value = reader.string(&format_args!("a string ({name})"))?;
    set(&value);
    Ok(())
}

/// Declares an open enum: variants with their wire values, and `Unknown` for the rest.
#[doc(hidden)]
#[macro_export]
macro_rules! __open_enum {
    (
        $(#[$attribute:meta])*
        pub enum $name:ident {
            $($(#[$variant_attribute:meta])* $variant:ident = $value:literal,)*
        }
    ) => {
        $(#[$attribute])*
        #[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum $name {
            $($(#[$variant_attribute])* $variant,)*
            /// A value without a variant in this version of the type, kept unchanged. The default
            /// is the empty string.
            Unknown($crate::rt::v1::UnknownValue),
        }

        impl $name {
            /// The value on the wire.
            #[inline]
            pub fn as_str(&self) -> &str {
                match self {
                    $(Self::$variant => $value,)*
                    Self::Unknown(value) => value.as_str(),
                }
            }
        }

        impl ::std::convert::From<&str> for $name {
            #[inline]
            fn from(value: &str) -> Self {
                match value {
                    $($value => Self::$variant,)*
                    _ => Self::Unknown($crate::rt::v1::UnknownValue::__new(value)),
                }
            }
        }

        impl ::std::convert::From<::std::string::String> for $name {
            #[inline]
            fn from(value: ::std::string::String) -> Self {
                Self::from(value.as_str())
            }
        }

        impl ::std::default::Default for $name {
            #[inline]
            fn default() -> Self {
                Self::from("")
            }
        }

        impl ::std::convert::AsRef<str> for $name {
            #[inline]
            fn as_ref(&self) -> &str {
                self.as_str()
            }
        }

        impl ::std::cmp::PartialEq<str> for $name {
            #[inline]
            fn eq(&self, other: &str) -> bool {
                self.as_str() == other
            }
        }

        impl ::std::cmp::PartialEq<&str> for $name {
            #[inline]
            fn eq(&self, other: &&str) -> bool {
                self.as_str() == *other
            }
        }

        impl ::std::fmt::Debug for $name {
            #[inline]
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                ::std::fmt::Debug::fmt(self.as_str(), f)
            }
        }

        impl ::std::fmt::Display for $name {
            #[inline]
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                f.pad(self.as_str())
            }
        }

        impl $crate::rt::v1::serde::Serialize for $name {
            fn serialize<S: $crate::rt::v1::serde::Serializer>(
                &self,
                serializer: S,
            ) -> ::std::result::Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }

        impl $crate::rt::v1::Value for $name {
            #[inline]
            fn is_default(&self) -> bool {
                self.as_str().is_empty()
            }
        }

        impl $crate::rt::v1::Field for $name {
            const SHAPE: $crate::schema::Shape = $crate::schema::Shape::String;
            const VALUES: &'static [&'static str] = &[$($value),*];
        }

        impl $crate::json::ReadJson for $name {
            #[inline]
            fn read_json(
                &mut self,
                reader: &mut $crate::json::Reader<'_>,
            ) -> ::std::result::Result<(), $crate::json::Fault> {
                $crate::rt::v1::read_enum(stringify!($name), reader, &mut |text| {
                    *self = Self::from(text);
                })
            }
        }

        impl $crate::json::WriteJson for $name {
            #[inline]
            fn write_json(&self, writer: &mut $crate::json::Writer) {
                writer.string(self.as_str());
            }
        }

        impl<'de> $crate::rt::v1::serde::Deserialize<'de> for $name {
            fn deserialize<D: $crate::rt::v1::serde::Deserializer<'de>>(
                deserializer: D,
            ) -> ::std::result::Result<Self, D::Error> {
                <::std::string::String as $crate::rt::v1::serde::Deserialize>::deserialize(deserializer)
                    .map(Self::from)
            }
        }
    };
}
