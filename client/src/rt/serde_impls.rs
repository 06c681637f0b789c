//! The serde implementations of a generated struct.

/// Implements `Serialize` and `Deserialize` for a type with [`Members`](crate::rt::Members).
#[doc(hidden)]
#[macro_export]
macro_rules! __serde_impls {
    ($name:ident) => {
        impl $crate::rt::serde::Serialize for $name {
            fn serialize<S: $crate::rt::serde::Serializer>(
                &self,
                serializer: S,
            ) -> ::std::result::Result<S::Ok, S::Error> {
                $crate::rt::serialize(self, serializer)
            }
        }

        impl<'de> $crate::rt::serde::Deserialize<'de> for $name {
            fn deserialize<D: $crate::rt::serde::Deserializer<'de>>(
                deserializer: D,
            ) -> ::std::result::Result<Self, D::Error> {
                $crate::rt::deserialize(deserializer)
            }
        }
    };
}
