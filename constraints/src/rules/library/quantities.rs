//! The functions of quantities.

use super::quantity::Quantity;
use super::{
    Answer, INT_TYPE, STRING_TYPE, argument, boolean, fails, functions, methods, text, value,
};
use cel::common::types::{CelDouble, CelInt};
use cel::common::value::CowVal;
use cel::{Env, ExecutionError};
use k8s_flowcontrol_text::quantity::InvalidQuantity;
use std::cmp::Ordering;

value!(
    /// A quantity.
    Amount(Quantity), QUANTITY, "kubernetes.Quantity"
);

pub(super) fn add_to(env: &mut Env) {
    let _ = env.add_type(QUANTITY.to_owned());
    functions(
        env,
        vec![
            (
                "quantity",
                "string_to_quantity",
                vec![&STRING_TYPE],
                |args| match Quantity::parse(text(&args, 0)?) {
                    Ok(quantity) => amount(quantity),
                    Err(error) => Err(unread(&error)),
                },
            ),
            (
                "isQuantity",
                "is_quantity_string",
                vec![&STRING_TYPE],
                |args| match Quantity::parse(text(&args, 0)?) {
                    Ok(_) => boolean(true),
                    Err(error) if error.server_message().is_some() => boolean(false),
                    Err(error) => Err(unread(&error)),
                },
            ),
            // A function, and not a method, although the documentation of servers says so.
            ("sign", "quantity_sign", vec![&QUANTITY], |args| {
                integer(argument::<Amount>(&args, 0)?.0.sign())
            }),
        ],
    );
    methods(
        env,
        vec![
            (
                "isGreaterThan",
                "quantity_is_greater_than",
                vec![&QUANTITY, &QUANTITY],
                |args| boolean(compared(&args)? == Ordering::Greater),
            ),
            (
                "isLessThan",
                "quantity_is_less_than",
                vec![&QUANTITY, &QUANTITY],
                |args| boolean(compared(&args)? == Ordering::Less),
            ),
            (
                "compareTo",
                "quantity_compare_to",
                vec![&QUANTITY, &QUANTITY],
                |args| integer(compared(&args)? as i64),
            ),
            (
                "asApproximateFloat",
                "quantity_get_float",
                vec![&QUANTITY],
                |args| {
                    Ok(CowVal::owned(CelDouble::from(
                        argument::<Amount>(&args, 0)?.0.float(),
                    )))
                },
            ),
            ("asInteger", "quantity_get_int", vec![&QUANTITY], |args| {
                let found = argument::<Amount>(&args, 0)?.0.integer();
                integer(found.ok_or_else(|| fails("cannot convert value to integer"))?)
            }),
            (
                "isInteger",
                "quantity_is_integer",
                vec![&QUANTITY],
                |args| boolean(argument::<Amount>(&args, 0)?.0.integer().is_some()),
            ),
            ("add", "quantity_add", vec![&QUANTITY, &QUANTITY], |args| {
                sum(&args, &argument::<Amount>(&args, 1)?.0)
            }),
            (
                "add",
                "quantity_add_int",
                vec![&QUANTITY, &INT_TYPE],
                |args| sum(&args, &Quantity::of(number(&args)?)),
            ),
            ("sub", "quantity_sub", vec![&QUANTITY, &QUANTITY], |args| {
                sum(&args, &argument::<Amount>(&args, 1)?.0.negated())
            }),
            (
                "sub",
                "quantity_sub_int",
                vec![&QUANTITY, &INT_TYPE],
                |args| sum(&args, &Quantity::of(number(&args)?).negated()),
            ),
        ],
    );
}

fn amount<'b, 'v>(quantity: Quantity) -> Answer<'b, 'v> {
    Ok(CowVal::owned(Amount(quantity)))
}

/// A fault of the text, or of this library for exponents that only a server reads.
fn unread(error: &InvalidQuantity) -> ExecutionError {
    match error.server_message() {
        Some(words) => fails(words),
        None => ExecutionError::function_error("quantity", error),
    }
}

fn sum<'b, 'v>(args: &[CowVal<'_, '_>], other: &Quantity) -> Answer<'b, 'v> {
    amount(argument::<Amount>(args, 0)?.0.plus(other))
}

fn compared(args: &[CowVal<'_, '_>]) -> Result<Ordering, ExecutionError> {
    let other = &argument::<Amount>(args, 1)?.0;
    Ok(argument::<Amount>(args, 0)?.0.compare(other))
}

fn number(args: &[CowVal<'_, '_>]) -> Result<i64, ExecutionError> {
    Ok(*argument::<CelInt>(args, 1)?.inner())
}

fn integer<'b, 'v>(value: i64) -> Answer<'b, 'v> {
    Ok(CowVal::owned(CelInt::from(value)))
}
