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
use cel::common::types::{BOOL_TYPE, CelBool, CelString, INT_TYPE, STRING_TYPE, Type};
use cel::common::value::{CowVal, StaticVal};
use cel::{Env, ExecutionError};

/// The name under which a function reports an error in a server's words.
pub(super) const SERVER: &str = "server";

/// Whether there is a function of that name.
pub(super) fn is_known(name: &str) -> bool {
    NAMES.contains(&name) || formats::NAMES.contains(&name)
}

/// The names of the functions.
const NAMES: [&str; 41] = [
    // addresses
    "ip",
    "isIP",
    "isCanonical",
    "family",
    "isUnspecified",
    "isLoopback",
    "isLinkLocalMulticast",
    "isLinkLocalUnicast",
    "isGlobalUnicast",
    "cidr",
    "isCIDR",
    "containsIP",
    "containsCIDR",
    "prefixLength",
    "masked",
    // URLs
    "url",
    "isURL",
    "getScheme",
    "getHost",
    "getHostname",
    "getPort",
    "getEscapedPath",
    "getQuery",
    // quantities, and comparisons of quantities and versions
    "quantity",
    "isQuantity",
    "sign",
    "isGreaterThan",
    "isLessThan",
    "compareTo",
    "asApproximateFloat",
    "asInteger",
    "isInteger",
    "add",
    "sub",
    // versions
    "semver",
    "isSemver",
    "major",
    "minor",
    "patch",
    // formats, which have names of their own
    "validate",
    "named",
];

/// The outcome of a function.
type Answer<'b, 'v> = Result<CowVal<'b, 'v>, ExecutionError>;

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

/// Adds the functions. Each is declared once, so that no declaration fails; without one, rules that call the function are not checked.
pub(super) fn add_to(env: &mut Env) {
    addresses::add_to(env);
    urls::add_to(env);
    quantities::add_to(env);
    versions::add_to(env);
    formats::add_to(env);
}

/// Adds functions, each with its name, an identifier, and the types of its arguments.
fn functions(env: &mut Env, all: Vec<(&str, &str, Vec<&Type>, Function)>) {
    for (name, id, types, function) in all {
        let _ = env.add_overload(name, id, owned(&types), function);
    }
}

/// Adds methods, whose first type is that of the receiver.
fn methods(env: &mut Env, all: Vec<(&str, &str, Vec<&Type>, Function)>) {
    for (name, id, types, function) in all {
        if let Some((receiver, types)) = types.split_first() {
            let _ = env.add_member_overload(
                name,
                id,
                receiver.to_owned().to_owned(),
                owned(types),
                function,
            );
        }
    }
}

fn owned(types: &[&Type]) -> Vec<Type> {
    types.iter().map(|one| (*one).to_owned()).collect()
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

fn boolean<'b, 'v>(value: bool) -> Answer<'b, 'v> {
    Ok(CowVal::owned(CelBool::from(value)))
}

fn string<'b, 'v>(value: impl Into<String>) -> Answer<'b, 'v> {
    Ok(CowVal::owned(CelString::from(value.into())))
}

/// An error of the rule in a server's words.
pub(super) fn fails(words: impl Into<String>) -> ExecutionError {
    ExecutionError::function_error(SERVER, words.into())
}
