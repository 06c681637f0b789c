//! The functions of quantities.

use super::quantity::{Quantity, Unread};
use super::{
    Answer, INT_TYPE, STRING_TYPE, argument, boolean, fails, functions, methods, text, value,
};
use cel::common::types::{CelDouble, CelInt};
use cel::common::value::CowVal;
use cel::{Env, ExecutionError};
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
                |args| amount(Quantity::parse(text(&args, 0)?)),
            ),
            (
                "isQuantity",
                "is_quantity_string",
                vec![&STRING_TYPE],
                |args| {
                    let read = Quantity::parse(text(&args, 0)?);
                    boolean(!matches!(read, Err(Unread::Invalid(_))))
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
                sum(&args, argument::<Amount>(&args, 1)?.0)
            }),
            (
                "add",
                "quantity_add_int",
                vec![&QUANTITY, &INT_TYPE],
                |args| sum(&args, Quantity::of(number(&args)?)),
            ),
            ("sub", "quantity_sub", vec![&QUANTITY, &QUANTITY], |args| {
                let other = argument::<Amount>(&args, 1)?.0.negated();
                sum(&args, other.ok_or_else(too_large)?)
            }),
            (
                "sub",
                "quantity_sub_int",
                vec![&QUANTITY, &INT_TYPE],
                |args| {
                    let other = Quantity::of(number(&args)?).negated();
                    sum(&args, other.ok_or_else(too_large)?)
                },
            ),
        ],
    );
}

fn amount<'b, 'v>(read: Result<Quantity, Unread>) -> Answer<'b, 'v> {
    match read {
        Ok(quantity) => Ok(CowVal::owned(Amount(quantity))),
        Err(Unread::Invalid(words)) => Err(fails(words)),
        Err(Unread::TooLarge) => Err(too_large()),
    }
}

fn too_large() -> ExecutionError {
    ExecutionError::function_error("quantity", "it has more than 38 digits in nano units")
}

fn sum<'b, 'v>(args: &[CowVal<'_, '_>], other: Quantity) -> Answer<'b, 'v> {
    let sum = argument::<Amount>(args, 0)?.0.plus(&other);
    amount(Ok(sum.ok_or_else(too_large)?))
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
