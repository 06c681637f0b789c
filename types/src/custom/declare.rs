//! The macros that declare custom resources.

/// Declares a kind with `spec`, and with `status` if it is given. See [`custom`](crate::custom).
///
/// `spec` and `status` are of types that [`custom_object!`](crate::custom_object) declares. A kind with `status` has the
/// subresource of that name.
#[macro_export]
macro_rules! custom_resource {
    (
        $(#[$attribute:meta])*
        $visible:vis struct $type:ident {
            group: $group:literal,
            version: $version:literal,
            kind: $kind:literal,
            plural: $plural:literal,
            namespaced: $namespaced:tt,
            spec: $spec:ty
            $(, status: $status:ty)? $(,)?
        }
    ) => {
        $(#[$attribute])*
        #[derive(Clone, Debug, Default, PartialEq)]
        $visible struct $type {
            /// The metadata.
            pub metadata: $crate::meta::ObjectMeta,
            /// The desired state.
            pub spec: $spec,
            $(
                /// The state that a controller reports.
                pub status: ::std::option::Option<$status>,
            )?
            /// Fields that this type does not know, kept and written back.
            pub unknown: $crate::meta::Unknown,
        }

        $crate::__custom_resource! {
            $type, $group, $version, $kind, $plural, $namespaced, $spec $(, $status)?
        }
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! __custom_resource {
    ($type:ident, $group:literal, $version:literal, $kind:literal, $plural:literal, $namespaced:tt, $spec:ty) => {
        $crate::rt::v1::fields! {
            $type as Resource {
                "metadata" => metadata,
                "spec" => spec,
            }
        }

        $crate::rt::v1::resource! {
            $type {
                group: $group,
                version: $version,
                kind: $kind,
                plural: $plural,
                namespaced: $namespaced,
                subresources: [],
                spec: $spec,
                status: (),
            }
        }
    };
    (
        $type:ident, $group:literal, $version:literal, $kind:literal, $plural:literal, $namespaced:tt, $spec:ty,
        $status:ty
    ) => {
        $crate::rt::v1::fields! {
            $type as Resource {
                "metadata" => metadata,
                "spec" => spec,
                "status" => status,
            }
        }

        $crate::rt::v1::resource! {
            $type {
                group: $group,
                version: $version,
                kind: $kind,
                plural: $plural,
                namespaced: $namespaced,
                subresources: ["status"],
                spec: $spec,
                status: $status,
            }
        }
    };
}

/// Declares an object inside a custom resource. See [`custom`](crate::custom).
///
/// Each field has its name on the wire, the name and type in Rust, and, after a colon, what the type does not tell: `minimum("1")`,
/// `maximum("9")`, `default("\"text\"")`, each a JSON value as text, `nullable`, `set` and `map(&["key"])` for lists, `atomic` for
/// maps. Comments are the descriptions of the definition. Fields that are neither `Option`, `Vec` nor `BTreeMap` are required.
#[macro_export]
macro_rules! custom_object {
    (
        $(#[$attribute:meta])*
        $visible:vis struct $type:ident {
            $(
                $(#[doc = $doc:literal])*
                $name:literal => $field_visible:vis $field:ident: $value:ty
                $(: $($fact:ident $(($($argument:tt)*))?)+)?,
            )*
        }
    ) => {
        $(#[$attribute])*
        #[derive(Clone, Debug, Default, PartialEq)]
        $visible struct $type {
            $(
                $(#[doc = $doc])*
                $field_visible $field: $value,
            )*
            /// Fields that this type does not know, kept and written back.
            pub unknown: $crate::meta::Unknown,
        }

        $crate::rt::v1::fields! {
            $type {
                $(
                    $name => $field: description(concat!($($doc, "\n"),*))
                        $($($fact $(($($argument)*))?)+)?,
                )*
            }
        }
    };
}

/// Declares a string with known values, which keeps every other value. See [`custom`](crate::custom).
///
/// The definition allows only the known values.
#[macro_export]
macro_rules! custom_enum {
    ($($declaration:tt)*) => {
        $crate::rt::v1::open_enum! { $($declaration)* }
    };
}
