//! Enums whose values have names.

/// Declares an enum with a name for each value, the function that returns it, and `Display`; also the list of all values, if one is
/// declared.
#[doc(hidden)]
#[macro_export]
macro_rules! __named {
    (
        $(#[$meta:meta])*
        pub enum $enum:ident {
            $($(#[$value_meta:meta])* $value:ident = $name:literal,)*
        }
        $(#[$function_meta:meta])*
        pub fn $function:ident;
    ) => {
        $(#[$meta])*
        pub enum $enum {
            $($(#[$value_meta])* $value,)*
        }

        impl $enum {
            $(#[$function_meta])*
            pub const fn $function(self) -> &'static str {
                match self {
                    $(Self::$value => $name,)*
                }
            }
        }

        impl ::std::fmt::Display for $enum {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                f.pad(self.$function())
            }
        }
    };
    (
        $(#[$meta:meta])*
        pub enum $enum:ident {
            $($(#[$value_meta:meta])* $value:ident = $name:literal,)*
        }
        $(#[$function_meta:meta])*
        pub fn $function:ident;
        $(#[$all_meta:meta])*
        pub const ALL;
    ) => {
        $crate::__named! {
            $(#[$meta])*
            pub enum $enum {
                $($(#[$value_meta])* $value = $name,)*
            }
            $(#[$function_meta])*
            pub fn $function;
        }

        impl $enum {
            $(#[$all_meta])*
            pub const ALL: &'static [Self] = &[$(Self::$value),*];
        }
    };
}
