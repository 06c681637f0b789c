//! The functions that Kubernetes adds for addresses, URLs, quantities, versions and formats.

mod addresses;
mod formats;
mod netip;
mod quantities;
mod quantity;
mod url;
mod urls;
mod versions;

use cel::common::functions::Function;
use cel::common::types::{BOOL_TYPE, CelBool, CelInt, CelString, INT_TYPE, STRING_TYPE, Type};
use cel::common::value::{CowVal, StaticVal};
use cel::{Env, ExecutionError};

/// The name under which a function reports an error in a server's words.
pub(super) const SERVER: &str = "server";

/// The outcome of a function.
pub(super) type Answer<'b, 'v> = Result<CowVal<'b, 'v>, ExecutionError>;

/// A type of values that only these functions make and read.
macro_rules! value {
    ($(#[$docs:meta])* $name:ident($inner:ty), $type:ident, $cel:literal) => {
        pub(super) static $type: cel::common::types::Type =
            cel::common::types::Type::new_unspecified_type($cel);

        $(#[$docs])*
        #[derive(Clone, Debug, PartialEq)]
        pub(super) struct $name(pub(super) $inner);

        impl cel::common::value::Val for $name {
            fn get_type(&self) -> &cel::common::types::Type {
                <Self as cel::common::value::Val>::cel_type()
            }

            fn cel_type() -> &'static cel::common::types::Type {
                &$type
            }

            fn equals(&self, other: &dyn cel::common::value::Val) -> bool {
                other.downcast_ref::<Self>().is_some_and(|other| other == self)
            }

            fn clone_as_boxed<'v>(&self) -> Box<dyn cel::common::value::Val + 'v> {
                Box::new(self.clone())
            }

            fn as_any(&self) -> Option<&dyn std::any::Any> {
                Some(self)
            }
        }

        impl cel::common::value::StaticVal for $name {}
    };
}
use value;

/// A function, or a method of its first argument.
pub(super) struct Overload {
    pub(super) name: &'static str,
    pub(super) is_method: bool,
    pub(super) types: &'static [&'static Type],
    pub(super) function: Function,
}

/// The overloads of functions and then of methods, each with its name and the types of its arguments.
macro_rules! overloads {
    (
        functions: $($name:literal($($type:expr),*) => $function:expr,)*
        methods: $($method:literal($($of:expr),+) => $body:expr,)*
    ) => {
        &[
            $(crate::rules::library::Overload {
                name: $name,
                is_method: false,
                types: &[$(&$type),*],
                function: $function,
            },)*
            $(crate::rules::library::Overload {
                name: $method,
                is_method: true,
                types: &[$(&$of),*],
                function: $body,
            },)*
        ]
    };
}
pub(super) use overloads;

static ALL: [&[Overload]; 6] = [
    addresses::OVERLOADS,
    urls::OVERLOADS,
    quantities::OVERLOADS,
    versions::OVERLOADS,
    formats::OVERLOADS,
    formats::NAMED,
];

/// Whether there is a function of that name.
pub(super) fn is_known(name: &str) -> bool {
    ALL.iter().any(|overloads| has(overloads, name))
}

/// Whether one of the functions has the name, alone or after that of its library.
pub(super) fn has(overloads: &[Overload], name: &str) -> bool {
    let is_named = |one: &Overload| one.name.rsplit('.').next() == Some(name) || one.name == name;
    overloads.iter().any(is_named)
}

/// Adds the functions and the types of their values.
pub(super) fn add_to(env: &mut Env) {
    use {addresses::CIDR, addresses::IP, formats::FORMAT, quantities::QUANTITY};
    use {urls::URL, versions::SEMVER};
    for kind in [&IP, &CIDR, &URL, &QUANTITY, &SEMVER, &FORMAT] {
        let _ = env.add_type(kind.to_owned());
    }
    for overloads in ALL {
        declare(env, overloads);
    }
}

/// Adds functions. Each is declared once, so that no declaration fails; without one, rules that call the function are not checked.
pub(super) fn declare(env: &mut Env, overloads: &[Overload]) {
    for overload in overloads {
        let (name, function) = (overload.name, overload.function);
        let kinds: Vec<_> = overload.types.iter().map(|kind| kind.name()).collect();
        let id = format!("{name}({})", kinds.join(","));
        let owned = |types: &[&Type]| types.iter().map(|one| (*one).to_owned()).collect();
        let _ = match overload.types {
            [receiver, rest @ ..] if overload.is_method => {
                let receiver = (*receiver).to_owned();
                env.add_member_overload(name, &id, receiver, owned(rest), function)
            }
            types => env.add_overload(name, &id, owned(types), function),
        };
    }
}

/// An argument of our types.
fn argument<'a, T: StaticVal>(
    args: &'a [CowVal<'_, '_>],
    index: usize,
) -> Result<&'a T, ExecutionError> {
    args.get(index)
        .and_then(|value| value.as_ref().downcast_ref::<T>())
        .ok_or_else(ExecutionError::missing_argument_or_target)
}

/// An argument that is a string.
fn text<'a>(args: &'a [CowVal<'_, '_>], index: usize) -> Result<&'a str, ExecutionError> {
    args.get(index)
        .and_then(|value| value.as_ref().downcast_ref::<CelString<'_>>())
        .map(CelString::inner)
        .ok_or_else(ExecutionError::missing_argument_or_target)
}

pub(super) fn boolean<'b, 'v>(value: bool) -> Answer<'b, 'v> {
    Ok(CowVal::owned(CelBool::from(value)))
}

pub(super) fn integer<'b, 'v>(value: i64) -> Answer<'b, 'v> {
    Ok(CowVal::owned(CelInt::from(value)))
}

fn string<'b, 'v>(value: impl Into<String>) -> Answer<'b, 'v> {
    Ok(CowVal::owned(CelString::from(value.into())))
}

/// An error of the rule in a server's words.
pub(super) fn fails(words: impl Into<String>) -> ExecutionError {
    ExecutionError::function_error(SERVER, words.into())
}
