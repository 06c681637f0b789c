//! The table of a struct's fields.

use super::Field;
use crate::schema::{FieldSchema, Shape};

/// The field `kind` of a type with an `apiVersion` and its own kind.
pub const KIND: FieldSchema = FieldSchema::new("kind", Shape::String, false);
/// The field `apiVersion` of such a type.
pub const API_VERSION: FieldSchema = FieldSchema::new("apiVersion", Shape::String, false);

/// A row of a table: the name on the wire, and the field, whose type gives the shape.
pub const fn field<T, F: Field>(name: &'static str, _: fn(&T) -> &F) -> FieldSchema {
    FieldSchema::new(name, F::SHAPE, F::IS_REQUIRED).values(F::VALUES)
}

/// Ties the names on the wire to the fields of a struct, in the order in which a Kubernetes API server writes them.
///
/// The facts after a field complete its type, each a method of [`FieldSchema`]. The struct's name is
/// followed by the schema's name where the two differ, and by `as` with an `apiVersion` and kind, or with `Resource` for a
/// kind that has its own paths. The fields under `unknown` are not fields of the Rust struct, which has at most 128.
///
/// All functions are inline, so that they are compiled by the programs that use the type, not with the library.
#[doc(hidden)]
#[macro_export]
macro_rules! __fields {
    ($type:ident $(($title:literal))? as Resource $($rest:tt)*) => {
        $crate::__table! {
            $type, [$($title,)? stringify!($type)][0],
            ::std::option::Option::Some($crate::resource::type_meta::<$type>()),
            [$crate::rt::v1::KIND, $crate::rt::v1::API_VERSION], $($rest)*
        }
    };
    ($type:ident $(($title:literal))? as $api_version:literal $kind:literal $($rest:tt)*) => {
        $crate::__table! {
            $type, [$($title,)? stringify!($type)][0],
            ::std::option::Option::Some($crate::rt::v1::TypeMeta {
                api_version: $api_version,
                kind: $kind,
                list_kind: concat!($kind, "List"),
            }),
            [$crate::rt::v1::KIND, $crate::rt::v1::API_VERSION], $($rest)*
        }
    };
    ($type:ident $(($title:literal))? $($whole:ident)* { $($row:tt)* } $($rest:tt)*) => {
        $crate::__table! {
            $type, [$($title,)? stringify!($type)][0], ::std::option::Option::None, [],
            $($whole)* { $($row)* } $($rest)*
        }
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! __table {
    (
        $type:ident, $title:expr, $type_meta:expr, [$($first:expr),*],
        $($whole:ident)* {
            $($name:literal => $field:ident $(: $($fact:ident $(($($argument:tt)*))?)+)?,)*
        }
        $(unknown { $($unknown:tt)* })?
    ) => {
        const _: () = {
            const fn fields() -> &'static [$crate::schema::FieldSchema] {
                const {
                    $crate::__rows! {
                        $type, [$($first),*], {
                            $($name => $field $(: $($fact $(($($argument)*))?)+)?,)*
                        }
                        $(unknown { $($unknown)* })?
                    }
                }
            }
            static SCHEMA: $crate::schema::TypeSchema = $crate::schema::TypeSchema::new(
                $title,
                fields,
            )$(.$whole())*;

            #[allow(non_camel_case_types, clippy::upper_case_acronyms)]
            enum At { $($field,)* }

            impl $crate::rt::v1::Field for $type {
                const SHAPE: $crate::schema::Shape = $crate::schema::Shape::Object(&SCHEMA);
            }

            impl $crate::rt::v1::Value for $type {
                #[inline]
                fn is_default(&self) -> bool {
                    $crate::rt::v1::is_default(self)
                }
            }

            impl $crate::rt::v1::Object for $type {
                const TABLE: $crate::rt::v1::Table = $crate::rt::v1::Table::new(
                    &SCHEMA,
                    fields(),
                    const { &[$($crate::rt::v1::name!($name)),*] },
                    $type_meta,
                );
            }

            impl $crate::rt::v1::Fields for $type {
                #[allow(unused_variables)]
                #[inline]
                fn read_field(
                    &mut self,
                    index: usize,
                    reader: &mut $crate::json::Reader<'_>,
                ) -> ::std::result::Result<(), $crate::json::Fault> {
                    $(if index == At::$field as usize {
                        return $crate::json::ReadJson::read_json(&mut self.$field, reader);
                    })*
                    ::std::result::Result::Ok(())
                }

                #[inline]
                fn values(
                    &self,
                    see: &mut dyn ::std::ops::FnMut(&[&dyn $crate::rt::v1::Value], &$crate::rt::v1::Unknown),
                ) {
                    see(&[$(&self.$field),*], &self.unknown);
                }

                #[inline]
                fn unknown_mut(&mut self) -> &mut $crate::rt::v1::Unknown {
                    &mut self.unknown
                }
            }

            impl $crate::json::ReadJson for $type {
                #[inline]
                fn read_json(
                    &mut self,
                    reader: &mut $crate::json::Reader<'_>,
                ) -> ::std::result::Result<(), $crate::json::Fault> {
                    $crate::rt::v1::read_object(self, reader)
                }
            }

            impl $crate::json::WriteJson for $type {
                #[inline]
                fn write_json(&self, writer: &mut $crate::json::Writer) {
                    $crate::rt::v1::write_object(self, writer, true);
                }
            }

            $crate::__serde_by_json!($type);
        };
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! __rows {
    (
        $type:ident, [$($first:expr),*], {
            $($name:literal => $field:ident $(: $($fact:ident $(($($argument:tt)*))?)+)?,)*
        }
        $(unknown { $($more:literal: $shape:ty $(: $($more_fact:ident $(($($more_argument:tt)*))?)+)?,)* })?
    ) => {
        &[
            $($first,)*
            $($crate::rt::v1::field($name, |object: &$type| &object.$field)
                $($(.$fact($($($argument)*)?))+)?,)*
            $($($crate::schema::FieldSchema::new($more, <$shape as $crate::rt::v1::Field>::SHAPE, false)
                $($(.$more_fact($($($more_argument)*)?))+)?,)*)?
        ]
    };
}

/// The schema at run time of a type that another version owns, where this version's document says something else.
#[doc(hidden)]
#[macro_export]
macro_rules! __schema {
    ($type:ident $(($title:literal))? $($whole:ident)* { $($row:tt)* } $($unknown:tt)*) => {
        $crate::schema::TypeSchema::new(
            [$($title,)? stringify!($type)][0],
            || const { $crate::__rows! { $type, [], { $($row)* } $($unknown)* } },
        )$(.$whole())*
    };
}
