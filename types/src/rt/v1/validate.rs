//! The constraints of generated types.

/// Implements [`Validate`](crate::validate::Validate) for types, each with the name of its definition in the text.
#[cfg(feature = "validate")]
#[doc(hidden)]
#[macro_export]
macro_rules! __validate {
    ($($type:ident => $name:literal,)* $text:literal) => {
        const _: () = {
            static CONSTRAINTS: $crate::validate::Constraints = $crate::validate::Constraints::new($text);
            $(
                impl $crate::validate::Validate for $type {
                    const SCHEMA: &'static str = $name;

                    fn constraints() -> &'static $crate::validate::Constraints {
                        &CONSTRAINTS
                    }
                }
            )*
        };
    };
}

/// Without the feature there is nothing that could check the constraints.
#[cfg(not(feature = "validate"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __validate {
    ($($any:tt)*) => {
        ::std::compile_error!(
            "these types were generated with `validate`: turn on the feature `validate` of k8s-flowcontrol-types"
        );
    };
}
