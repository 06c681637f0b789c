//! How a generated struct is read and written.

/// Implements `ReadJson`, `WriteJson`, `Serialize` and `Deserialize` for a type with [`Members`](crate::rt::Members).
#[doc(hidden)]
#[macro_export]
macro_rules! __serde_impls {
    ($name:ident) => {
        impl $crate::rt::json::ReadJson for $name {
            fn read_json(
                &mut self,
                reader: &mut $crate::rt::json::Reader<'_>,
            ) -> ::std::result::Result<(), $crate::rt::json::Fault> {
                $crate::rt::json::read_object(self, reader)
            }
        }

        impl $crate::rt::json::WriteJson for $name {
            fn write_json(&self, writer: &mut $crate::rt::json::Writer) {
                $crate::rt::json::write_object(self, writer, true)
            }
        }

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
