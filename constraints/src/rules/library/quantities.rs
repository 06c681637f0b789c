//! The functions of quantities.

use super::quantity::Quantity;
use super::{
    Answer, INT_TYPE, Overload, STRING_TYPE, argument, boolean, fails, integer, overloads, text,
    value,
};
use cel::ExecutionError;
use cel::common::types::{CelDouble, CelInt};
use cel::common::value::CowVal;
use k8s_flowcontrol_text::quantity::InvalidQuantity;
use std::cmp::Ordering;

value!(
    /// A quantity.
    Amount(Quantity), QUANTITY, "kubernetes.Quantity"
);

pub(super) static OVERLOADS: &[Overload] = overloads! {
    functions:
    "quantity"(STRING_TYPE) => |args| match Quantity::parse(text(&args, 0)?) {
        Ok(quantity) => amount(quantity),
        Err(error) => Err(unread(&error)),
    },
    "isQuantity"(STRING_TYPE) => |args| match Quantity::parse(text(&args, 0)?) {
        Ok(_) => boolean(true),
        Err(error) if error.server_message().is_some() => boolean(false),
        Err(error) => Err(unread(&error)),
    },
    "sign"(QUANTITY) => |args| integer(quantity(&args, 0)?.sign()),
    methods:
    "isGreaterThan"(QUANTITY, QUANTITY) => |args| boolean(compared(&args)? == Ordering::Greater),
    "isLessThan"(QUANTITY, QUANTITY) => |args| boolean(compared(&args)? == Ordering::Less),
    "compareTo"(QUANTITY, QUANTITY) => |args| integer(compared(&args)? as i64),
    "asApproximateFloat"(QUANTITY) => |args| {
        Ok(CowVal::owned(CelDouble::from(quantity(&args, 0)?.float())))
    },
    "asInteger"(QUANTITY) => |args| {
        let found = quantity(&args, 0)?.integer();
        integer(found.ok_or_else(|| fails("cannot convert value to integer"))?)
    },
    "isInteger"(QUANTITY) => |args| boolean(quantity(&args, 0)?.integer().is_some()),
    "add"(QUANTITY, QUANTITY) => |args| sum(&args, quantity(&args, 1)?),
    "add"(QUANTITY, INT_TYPE) => |args| sum(&args, &Quantity::of(number(&args)?)),
    "sub"(QUANTITY, QUANTITY) => |args| sum(&args, &quantity(&args, 1)?.negated()),
    "sub"(QUANTITY, INT_TYPE) => |args| sum(&args, &Quantity::of(number(&args)?).negated()),
};

fn quantity<'a>(args: &'a [CowVal<'_, '_>], index: usize) -> Result<&'a Quantity, ExecutionError> {
    Ok(&argument::<Amount>(args, index)?.0)
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
    amount(quantity(args, 0)?.plus(other))
}

fn compared(args: &[CowVal<'_, '_>]) -> Result<Ordering, ExecutionError> {
    Ok(quantity(args, 0)?.compare(quantity(args, 1)?))
}

fn number(args: &[CowVal<'_, '_>]) -> Result<i64, ExecutionError> {
    Ok(*argument::<CelInt>(args, 1)?.inner())
}
