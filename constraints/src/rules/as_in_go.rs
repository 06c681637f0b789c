//! Functions of CEL that have another result in Go: the text of a number, and regular expressions.

use super::compile::environment;
use super::patterns::searched;
use crate::go;
use cel::common::ast::{CallExpr, Expr};
use cel::common::types::{CelBool, CelDouble, CelString, CelTimestamp, DYN_TYPE, STRING_TYPE};
use cel::common::value::CowVal;
use cel::parser::{Expression, Macro};
use cel::{Env, ExecutionError};
use chrono::{DateTime, FixedOffset};

/// The names behind the macros, which no rule can write.
const STRING: &str = "@string";
const MATCHES: &str = "@matches";

/// Adds macros that lead calls of the functions to this file. Each is declared once, so that no declaration fails.
pub(super) fn add_to(env: &mut Env) {
    let _ = env.add_overload(STRING, STRING, vec![DYN_TYPE], string);
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
    let (as_string, as_matches) = (call(STRING), call(MATCHES));
    let macros = [
        Macro::global("string", 1, move |helper, target, args| {
            Ok(Some(helper.next_expr(as_string(target, args))))
        }),
        Macro::global("matches", 2, move |helper, target, args| {
            Ok(Some(helper.next_expr(as_matches(target, args))))
        }),
        Macro::receiver("matches", 1, move |helper, target, args| {
            Ok(Some(helper.next_expr(as_matches(target, args))))
        }),
    ];
    for one in macros {
        let _ = env.add_macro(one);
    }
}

/// `string(x)`: of a float as `%g` prints it, of a time with its offset, and of all else as CEL does.
fn string<'b, 'v>(args: Vec<CowVal<'b, 'v>>) -> Result<CowVal<'b, 'v>, ExecutionError> {
    let first = args.first().map(AsRef::as_ref);
    if let Some(float) = first.and_then(|value| value.downcast_ref::<CelDouble>()) {
        let text = go::float(*float.inner());
        return Ok(CowVal::owned(CelString::from(text)));
    }
    if let Some(time) = first.and_then(|value| value.downcast_ref::<CelTimestamp>()) {
        let text = rfc_3339(time.inner());
        return Ok(CowVal::owned(CelString::from(text)));
    }
    match environment().find_overload("string", &args) {
        Some(function) => function(args),
        None => {
            let types = first.map(|value| value.get_type().name().to_owned());
            Err(ExecutionError::no_such_overload(
                "string",
                types.into_iter().collect(),
            ))
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
