//! Functions of CEL that have another result in Go: the text of a number, regular expressions, and conversions of text.

use super::compile::environment;
use super::conversions;
use super::patterns::searched;
use cel::common::ast::{CallExpr, Expr};
use cel::common::functions::Function;
use cel::common::types::{CelBool, CelDouble, CelString, CelTimestamp, DYN_TYPE, STRING_TYPE};
use cel::common::value::CowVal;
use cel::parser::{Expression, Macro};
use cel::{Env, ExecutionError};
use chrono::{DateTime, FixedOffset};
use k8s_flowcontrol_text::go::float;

/// The names behind the macros, which no rule can write.
const STRING: &str = "@string";
const MATCHES: &str = "@matches";

/// Adds macros that lead calls of the functions to this file, and to that of the conversions. Each is declared once, so that no
/// declaration fails.
pub(super) fn add_to(env: &mut Env) {
    let texts = vec![STRING_TYPE, STRING_TYPE];
    let _ = env.add_overload(MATCHES, MATCHES, texts, matches);
    let call = |name: &'static str| {
        move |target: &mut Option<Expression>, args: &mut Vec<Expression>| {
            let args = target.take().into_iter().chain(args.drain(..)).collect();
            Expr::Call(CallExpr {
                func_name: name.to_owned(),
                target: None,
                args,
            })
        }
    };
    let as_matches = call(MATCHES);
    let mut macros = vec![
        Macro::global("matches", 2, move |helper, target, args| {
            Ok(Some(helper.next_expr(as_matches(target, args))))
        }),
        Macro::receiver("matches", 1, move |helper, target, args| {
            Ok(Some(helper.next_expr(as_matches(target, args))))
        }),
    ];
    let string: (_, _, Function) = ("string", STRING, string);
    for (name, behind, function) in conversions::ALL.into_iter().chain([string]) {
        let _ = env.add_overload(behind, behind, vec![DYN_TYPE], function);
        let converted = call(behind);
        macros.push(Macro::global(name, 1, move |helper, target, args| {
            Ok(Some(helper.next_expr(converted(target, args))))
        }));
    }
    for one in macros {
        let _ = env.add_macro(one);
    }
}

/// `string(x)`: of a float as `%g` prints it, of a time with its offset, and of all else as CEL does.
fn string<'b, 'v>(args: Vec<CowVal<'b, 'v>>) -> Result<CowVal<'b, 'v>, ExecutionError> {
    let first = args.first().map(AsRef::as_ref);
    if let Some(number) = first.and_then(|value| value.downcast_ref::<CelDouble>()) {
        let text = float(*number.inner());
        return Ok(CowVal::owned(CelString::from(text)));
    }
    if let Some(time) = first.and_then(|value| value.downcast_ref::<CelTimestamp>()) {
        let text = rfc_3339(time.inner());
        return Ok(CowVal::owned(CelString::from(text)));
    }
    declared("string", args)
}

/// Calls a function of CEL by the name behind which another one is here.
pub(super) fn declared<'b, 'v>(
    name: &str,
    args: Vec<CowVal<'b, 'v>>,
) -> Result<CowVal<'b, 'v>, ExecutionError> {
    match environment().find_overload(name, &args) {
        Some(function) => function(args),
        None => {
            let types = args.iter().map(|value| value.as_ref().get_type());
            let types = types.map(|kind| kind.name().to_owned()).collect();
            Err(ExecutionError::no_such_overload(name, types))
        }
    }
}

/// A time with as many digits of its fraction as it needs.
fn rfc_3339(time: &DateTime<FixedOffset>) -> String {
    let seconds = time.format("%Y-%m-%dT%H:%M:%S");
    let fraction = format!(".{:09}", time.timestamp_subsec_nanos());
    let fraction = fraction.trim_end_matches('0').trim_end_matches('.');
    let offset = match time.offset().local_minus_utc() {
        0 => "Z".to_owned(),
        _ => time.format("%:z").to_string(),
    };
    format!("{seconds}{fraction}{offset}")
}

/// `x.matches(y)`, with a regular expression of Go's.
fn matches<'b, 'v>(args: Vec<CowVal<'b, 'v>>) -> Result<CowVal<'b, 'v>, ExecutionError> {
    let (text, pattern) = searched(&args, "matches")?;
    Ok(CowVal::owned(CelBool::from(pattern.is_match(&text))))
}
