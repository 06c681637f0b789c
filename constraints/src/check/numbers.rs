//! Keywords of numbers and strings.

use super::found::{Fault, Found};
use super::types::wrong_type;
use crate::go;
use crate::schema::{Format, Node};
use crate::violation::Reason;
use k8s_flowcontrol_text::go::{float, quote};
use serde_json::Number;
use std::cmp::Ordering;

pub(super) fn check(node: &Node, path: &str, number: &Number) -> Found {
    let mut found = Found::default();
    let value = Operand::of(number);
    if let Some(fault) = out_of_range(node, path, value, "Checked") {
        found.add(fault);
    }
    let mut bound =
        |limit: Option<f64>, words: &str, check: &dyn Fn(Operand, f64) -> Option<String>| {
            let Some(limit) = limit else {
                return;
            };
            // A bound that the type cannot have is itself a fault, and the value is compared as a float then.
            let unfit = out_of_range(node, path, Operand::Float(limit), words);
            let compared = match unfit {
                Some(_) => Operand::Float(value.float()),
                None => value,
            };
            if let Some(fault) = unfit {
                found.add(fault);
            }
            let factor = compared.limit(limit);
            if words == "MultipleOf" && factor.float() <= 0.0 {
                // The remaining factor in a comparison with an integer.
                let factor = factor.text();
                let detail =
                    format!("factor MultipleOf declared for {path} must be positive: {factor}");
                found.add(Fault::new(path, Reason::Invalid, Some(factor), &detail));
            }
            if let Some(detail) = check(compared, limit) {
                let printed = compared.text();
                found.add(Fault::in_body(path, Reason::Invalid, &printed, &detail));
            }
        };
    bound(node.multiple_of, "MultipleOf", &multiple_of);
    bound(node.maximum, "Maximum boundary", &|value, limit| {
        beyond(value, limit, node.exclusive_maximum, Ordering::Greater)
    });
    bound(node.minimum, "Minimum boundary", &|value, limit| {
        beyond(value, limit, node.exclusive_minimum, Ordering::Less)
    });
    found.count();
    found
}

/// A number as Go decodes it.
#[derive(Clone, Copy, Debug)]
enum Operand {
    Integer(i64),
    Float(f64),
}

impl Operand {
    fn of(number: &Number) -> Self {
        match go::integer(number) {
            Some(integer) => Self::Integer(integer),
            None => Self::Float(number.as_f64().unwrap_or_default()),
        }
    }

    fn float(self) -> f64 {
        match self {
            Self::Integer(integer) => integer as f64,
            Self::Float(float) => float,
        }
    }

    fn text(self) -> String {
        match self {
            Self::Integer(integer) => integer.to_string(),
            Self::Float(value) => float(value),
        }
    }

    /// The limit in the type of this number.
    fn limit(self, limit: f64) -> Self {
        match self {
            Self::Integer(_) => Self::Integer(go::truncated(limit)),
            Self::Float(_) => Self::Float(limit),
        }
    }
}

/// The right values, for a value beyond a limit in the direction of `side`.
fn beyond(value: Operand, limit: f64, exclusive: bool, side: Ordering) -> Option<String> {
    let limit = value.limit(limit);
    let order = match (value, limit) {
        (Operand::Integer(value), Operand::Integer(limit)) => Some(value.cmp(&limit)),
        (value, limit) => value.float().partial_cmp(&limit.float()),
    };
    let is_beyond = order == Some(side) || exclusive && order == Some(Ordering::Equal);
    let words = match side {
        Ordering::Greater => "less than",
        _ => "greater than",
    };
    let or_equal = if exclusive { "" } else { " or equal to" };
    is_beyond.then(|| format!("should be {words}{or_equal} {}", limit.text()))
}

fn multiple_of(value: Operand, factor: f64) -> Option<String> {
    let factor = value.limit(factor);
    let is_multiple = match (value, factor) {
        // The server reports the factor itself.
        (_, factor) if factor.float() <= 0.0 => true,
        (Operand::Integer(value), Operand::Integer(factor)) => value % factor == 0,
        (value, factor) if factor.float() < 1.0 => is_whole(1.0 / factor.float() * value.float()),
        (value, factor) => is_whole(value.float() / factor.float()),
    };
    (!is_multiple).then(|| format!("should be a multiple of {}", factor.text()))
}

/// Whether a float is an integer, but for the error of its last digits.
pub(super) fn is_whole(value: f64) -> bool {
    const MOST: f64 = 9_007_199_254_740_991.0;
    if !value.is_finite() || value.abs() > MOST {
        return false;
    }
    let whole = value.trunc();
    value == whole || (value - whole).abs() / (value.abs() + whole.abs()) < 1e-9
}

/// A number that the type and the format of the schema cannot hold.
fn out_of_range(node: &Node, path: &str, value: Operand, words: &str) -> Option<Fault> {
    let kind = node.only_type()?;
    let fits = match (kind, &node.format, value) {
        ("integer", _, Operand::Float(float)) if float != float.trunc() => false,
        ("integer", Some(Format::Int32), value) => {
            (f64::from(i32::MIN)..=f64::from(i32::MAX)).contains(&value.float())
        }
        ("integer", _, Operand::Float(float)) => {
            (-9_223_372_036_854_775_808.0..9_223_372_036_854_775_808.0).contains(&float)
        }
        ("number", Some(Format::Float), value) => value.float().abs() <= f64::from(f32::MAX),
        _ => true,
    };
    if fits {
        return None;
    }
    let path = path.strip_prefix('.').unwrap_or(path);
    let format = match &node.format {
        Some(_) => format!("with format {}", node.format_name),
        None => "(default format)".to_owned(),
    };
    let detail = format!("{words} value must be of type {kind} {format} in {path}");
    Some(Fault::of_object(&detail))
}

/// Checks the length and the pattern of a string; the first fault counts.
pub(super) fn check_text(node: &Node, path: &str, text: &str) -> Found {
    let length = text.chars().count() as u64;
    let value = quote(text);
    let fault = if let Some(most) = node.max_length.filter(|most| length > *most) {
        let bytes = if most == 1 { "byte" } else { "bytes" };
        let detail = format!("may not be more than {most} {bytes}");
        Some(Fault::new(path, Reason::TooLong, None, &detail))
    } else if let Some(least) = node.min_length.filter(|least| length < *least) {
        let detail = format!("should be at least {least} chars long");
        Some(Fault::in_body(path, Reason::Invalid, &value, &detail))
    } else {
        node.pattern.as_ref().and_then(|pattern| {
            let compiled = pattern.compiled.as_ref().ok()?;
            let detail = format!("should match '{}'", pattern.text);
            (!compiled.is_match(text))
                .then(|| Fault::in_body(path, Reason::Invalid, &value, &detail))
        })
    };
    fault.map_or_else(Found::default, Found::of)
}

pub(super) fn format(node: &Node, path: &str, text: &str) -> Found {
    match &node.format {
        Some(format) if !format.accepts(text) => wrong_type(path, &node.format_name, text),
        _ => Found::default(),
    }
}
