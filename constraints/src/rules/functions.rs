//! The functions of rules: of CEL, and of Kubernetes.

use super::as_in_go;
use super::library::{self, Answer, Overload, boolean, fails, integer, overloads};
use super::patterns::{find, find_all};
use cel::common::traits::Iterable;
use cel::common::types::{
    CelDouble, CelDuration, CelInt, DYN_TYPE, INT_TYPE, LIST_TYPE, STRING_TYPE,
};
use cel::common::value::{CowVal, Val};
use cel::{Env, ExecutionError};
use std::cmp::Ordering;

/// Whether there is a function of that name. A rule that calls another one is not checked.
pub(super) fn is_known(name: &str) -> bool {
    let mut known = NAMES.iter().flat_map(|names| names.split(' '));
    known.any(|known| known == name) || library::has(OVERLOADS, name) || library::is_known(name)
}

/// The names of the functions that CEL has.
const NAMES: [&str; 5] = [
    "size contains endsWith matches startsWith bool bytes double duration dyn int string timestamp type uint \
    getDate getDayOfMonth getDayOfWeek getDayOfYear getFullYear getHours getMilliseconds getMinutes getMonth \
    getSeconds",
    // of optional values
    "hasValue none of ofNonZeroValue optFlatMap optMap or orValue value",
    // of strings
    "charAt format indexOf join lastIndexOf lowerAscii quote replace reverse split substring trim upperAscii",
    // of lists
    "all exists exists_one existsOne filter map has",
    // qualified names of some of those above
    "strings.quote optional.none optional.of",
];

static OVERLOADS: &[Overload] = overloads! {
    functions:
    "sets.contains"(LIST_TYPE, LIST_TYPE) => |args| boolean(includes(&args, 0, 1)?),
    "sets.equivalent"(LIST_TYPE, LIST_TYPE) => |args| {
        boolean(includes(&args, 0, 1)? && includes(&args, 1, 0)?)
    },
    "sets.intersects"(LIST_TYPE, LIST_TYPE) => set_intersects,
    methods:
    "isSorted"(LIST_TYPE) => is_sorted,
    "max"(LIST_TYPE) => |args| extreme(&args, "max", Ordering::Greater),
    "min"(LIST_TYPE) => |args| extreme(&args, "min", Ordering::Less),
    "sum"(LIST_TYPE) => sum,
    "find"(STRING_TYPE, STRING_TYPE) => find,
    "findAll"(STRING_TYPE, STRING_TYPE) => find_all,
    "findAll"(STRING_TYPE, STRING_TYPE, INT_TYPE) => find_all,
    "indexOf"(LIST_TYPE, DYN_TYPE) => |args| place(&args, false),
    "lastIndexOf"(LIST_TYPE, DYN_TYPE) => |args| place(&args, true),
};

pub(super) fn environment() -> Env {
    let mut env = Env::stdlib();
    // Each name is declared once, so that no declaration fails; without one, rules that call the function are not checked.
    let _ = cel::extensions::strings(&mut env);
    library::declare(&mut env, OVERLOADS);
    library::add_to(&mut env);
    as_in_go::add_to(&mut env);
    env
}

/// The elements of the list among the arguments.
fn elements<'a, 'v>(
    args: &'a [CowVal<'_, 'v>],
    index: usize,
) -> Result<Vec<&'a (dyn Val + 'v)>, ExecutionError> {
    let list = args
        .get(index)
        .and_then(|list| list.as_ref().as_iterable())
        .ok_or_else(ExecutionError::missing_argument_or_target)?;
    let list: &(dyn Iterable + 'v) = list;
    let mut all = Vec::new();
    let mut rest = list.iter();
    while let Some(element) = rest.next() {
        all.push(element);
    }
    Ok(all)
}

fn compare(left: &dyn Val, right: &dyn Val) -> Result<Ordering, ExecutionError> {
    match left.as_comparer() {
        Some(left) => left.compare(right),
        None => {
            let types = [left, right].map(|value| value.get_type().name().to_owned());
            Err(ExecutionError::no_such_overload("compare", types.to_vec()))
        }
    }
}

fn is_sorted<'b, 'v>(args: Vec<CowVal<'b, 'v>>) -> Answer<'b, 'v> {
    let all = elements(&args, 0)?;
    for pair in all.windows(2) {
        if let [left, right] = pair
            && compare(*left, *right)? == Ordering::Greater
        {
            return boolean(false);
        }
    }
    boolean(true)
}

fn extreme<'b, 'v>(args: &[CowVal<'b, 'v>], name: &str, wanted: Ordering) -> Answer<'b, 'v> {
    let mut all = elements(args, 0)?.into_iter();
    let mut best = all
        .next()
        .ok_or_else(|| fails(format!("{name} called on empty list")))?;
    for other in all {
        if compare(other, best)? == wanted {
            best = other;
        }
    }
    Ok(CowVal::Owned(best.clone_as_boxed()))
}

fn sum<'b, 'v>(args: Vec<CowVal<'b, 'v>>) -> Answer<'b, 'v> {
    let all = elements(&args, 0)?;
    let (mut integers, mut floats, mut durations) = (0i64, 0.0f64, chrono::Duration::zero());
    let (mut is_float, mut is_duration) = (false, false);
    let overflow = || ExecutionError::Overflow("sum", cel::Value::Null, cel::Value::Null);
    for element in all {
        if let Some(integer) = element.downcast_ref::<CelInt>() {
            integers = integers
                .checked_add(*integer.inner())
                .ok_or_else(overflow)?;
        } else if let Some(float) = element.downcast_ref::<CelDouble>() {
            is_float = true;
            floats += float.inner();
        } else if let Some(duration) = element.downcast_ref::<CelDuration>() {
            is_duration = true;
            durations = durations
                .checked_add(duration.inner())
                .ok_or_else(overflow)?;
        } else {
            let kind = element.get_type().name().to_owned();
            return Err(ExecutionError::no_such_overload("sum", vec![kind]));
        }
    }
    Ok(match (is_float, is_duration) {
        (true, _) => CowVal::owned(CelDouble::from(floats)),
        (_, true) => CowVal::owned(CelDuration::from(durations)),
        _ => CowVal::owned(CelInt::from(integers)),
    })
}

fn place<'b, 'v>(args: &[CowVal<'b, 'v>], last: bool) -> Answer<'b, 'v> {
    let all = elements(args, 0)?;
    let wanted = args
        .get(1)
        .ok_or_else(ExecutionError::missing_argument_or_target)?;
    let is_wanted = |element: &&(dyn Val + 'v)| element.equals(wanted.as_ref());
    let found = match last {
        true => all.iter().rposition(&is_wanted),
        false => all.iter().position(&is_wanted),
    };
    integer(found.map_or(-1, |index| index as i64))
}

/// Whether each element of the second list is in the first.
fn includes(args: &[CowVal<'_, '_>], first: usize, second: usize) -> Result<bool, ExecutionError> {
    let (first, second) = (elements(args, first)?, elements(args, second)?);
    Ok(second
        .iter()
        .all(|element| first.iter().any(|other| other.equals(*element))))
}

fn set_intersects<'b, 'v>(args: Vec<CowVal<'b, 'v>>) -> Answer<'b, 'v> {
    let (first, second) = (elements(&args, 0)?, elements(&args, 1)?);
    let some = first
        .iter()
        .any(|element| second.iter().any(|other| other.equals(*element)));
    boolean(some)
}
